#include "controller/base/text.h"
#include "controller/sinks/selector.h"
#include "tests/unit/rows.h"

#define ASSISTANT(content) "{\"type\":\"assistant\",\"message\":{\"content\":" content "}}"
#define USER(content) "{\"type\":\"user\",\"message\":{\"content\":" content "}}"
#define ITEM(item) "{\"type\":\"item.completed\",\"item\":{" item "}}"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define USE(name) "{\"type\":\"tool_use\",\"name\":\"" name "\",\"input\":{\"text\":\"in\"}}"
#define RESULT(content) "{\"type\":\"tool_result\",\"content\":" content "}"

/* RULES 10.4: the table of classes. */
static const struct class_row {
    const char *name;
    enum selector_vendor vendor;
    const char *line;
    enum selector_class want;
    const char *tool;
    const char *text;
} classes[] = {
  /* claude and others */
    {"claude result",                        SELECTOR_CLAUDE, "{\"type\":\"result\",\"result\":\"done\"}",                 SELECTOR_RESULT,
     NULL,                                                                                                                                                  "done"},
    {"claude result without a text",         SELECTOR_CLAUDE, "{\"type\":\"result\",\"is_error\":true}",
     SELECTOR_RESULT,                                                                                                                             NULL,     ""    },
    {"claude result that is no text",        SELECTOR_CLAUDE, "{\"type\":\"result\",\"result\":{}}",
     SELECTOR_RESULT,                                                                                                                             NULL,     ""    },
    {"claude assistant message",             SELECTOR_CLAUDE, ASSISTANT("[" TEXT("hi") "]"),                               SELECTOR_MESSAGE,
     NULL,                                                                                                                                                  "hi"  },
    {"claude user message",                  SELECTOR_CLAUDE, USER("[" TEXT("hi") "]"),                                    SELECTOR_MESSAGE,      NULL,
     "hi"                                                                                                                                                         },
    {"claude text blocks joined",            SELECTOR_CLAUDE,
     ASSISTANT("[" TEXT("a") ",{\"type\":\"thinking\",\"text\":\"x\"}," TEXT("b") "]"),
     SELECTOR_MESSAGE,                                                                                                                            NULL,     "ab"  },
    {"claude content that is a text",        SELECTOR_CLAUDE, USER("\"hi\""),                                              SELECTOR_MESSAGE,      NULL,
     "hi"                                                                                                                                                         },
    {"claude message without content",       SELECTOR_CLAUDE, "{\"type\":\"assistant\"}",
     SELECTOR_MESSAGE,                                                                                                                            NULL,     ""    },
    {"claude tool call",                     SELECTOR_CLAUDE, ASSISTANT("[" USE("Bash") "]"),                              SELECTOR_TOOL_CALL,
     "Bash",                                                                                                                                                ""    },
    {"claude tool result",                   SELECTOR_CLAUDE, USER("[" RESULT("\"out\"") "]"),                             SELECTOR_TOOL_RESULT,
     NULL,                                                                                                                                                  "out" },
    {"claude tool result that is a list",    SELECTOR_CLAUDE,
     USER("[" RESULT("[" TEXT("out") "]") "]"),                                                                            SELECTOR_TOOL_RESULT,  NULL,     ""    },
    {"first tool block decides",             SELECTOR_CLAUDE,
     ASSISTANT("[" USE("Bash") "," RESULT("\"x\"") "]"),                                                                   SELECTOR_TOOL_CALL,    "Bash",   ""    },
    {"first tool result decides",            SELECTOR_CLAUDE, USER("[" RESULT("\"x\"") "," USE("Bash") "]"),
     SELECTOR_TOOL_RESULT,                                                                                                                        NULL,     "x"   },
    {"even after text blocks",               SELECTOR_CLAUDE,
     ASSISTANT("[" TEXT("a") "," TEXT("b") "," USE("Read") "]"),                                                           SELECTOR_TOOL_CALL,    "Read",   ""    },
    {"a call of a tool without a name",      SELECTOR_CLAUDE, ASSISTANT("[{\"type\":\"tool_use\"}]"),
     SELECTOR_TOOL_CALL,                                                                                                                          NULL,     ""    },
    {"claude usage",                         SELECTOR_CLAUDE, "{\"type\":\"system\",\"subtype\":\"token_count\"}",
     SELECTOR_USAGE,                                                                                                                              NULL,     ""    },
    {"claude usage, token inside",           SELECTOR_CLAUDE,
     "{\"type\":\"system\",\"subtype\":\"the_tokens\"}",                                                                   SELECTOR_USAGE,        NULL,     ""    },
    {"claude system of another subtype",     SELECTOR_CLAUDE,
     "{\"type\":\"system\",\"subtype\":\"init\"}",                                                                         SELECTOR_UNCLASSIFIED, NULL,     ""    },
    {"claude system without a subtype",      SELECTOR_CLAUDE, "{\"type\":\"system\"}",
     SELECTOR_UNCLASSIFIED,                                                                                                                       NULL,     ""    },
    {"claude other type",                    SELECTOR_CLAUDE, "{\"type\":\"stream_event\"}",                               SELECTOR_UNCLASSIFIED,
     NULL,                                                                                                                                                  ""    },
    {"claude does not read codex lines",     SELECTOR_CLAUDE,
     ITEM("\"type\":\"agent_message\",\"text\":\"x\""),                                                                    SELECTOR_UNCLASSIFIED, NULL,     ""    },
    {"claude does not read gemini messages", SELECTOR_CLAUDE,
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x\"}",                                                    SELECTOR_UNCLASSIFIED, NULL,
     ""                                                                                                                                                           },
 /* codex */
    {"codex message",                        SELECTOR_CODEX,  ITEM("\"type\":\"agent_message\",\"text\":\"hi\""),
     SELECTOR_MESSAGE,                                                                                                                            NULL,     "hi"  },
    {"codex command",                        SELECTOR_CODEX,  ITEM("\"type\":\"command_execution\",\"command\":\"ls\""),
     SELECTOR_TOOL_CALL,                                                                                                                          NULL,     "ls"  },
    {"codex tool",                           SELECTOR_CODEX,  ITEM("\"type\":\"mcp_tool_call\",\"tool\":\"search\""),
     SELECTOR_TOOL_CALL,                                                                                                                          "search", ""    },
    {"codex file change",                    SELECTOR_CODEX,  ITEM("\"type\":\"file_change\""),                            SELECTOR_TOOL_CALL,
     NULL,                                                                                                                                                  ""    },
    {"codex web search",                     SELECTOR_CODEX,  ITEM("\"type\":\"web_search\""),                             SELECTOR_TOOL_CALL,    NULL,
     ""                                                                                                                                                           },
    {"codex usage",                          SELECTOR_CODEX,  "{\"type\":\"turn.completed\",\"usage\":{}}",                SELECTOR_USAGE,
     NULL,                                                                                                                                                  ""    },
    {"codex has no result",                  SELECTOR_CODEX,  "{\"type\":\"result\",\"result\":\"x\"}",
     SELECTOR_UNCLASSIFIED,                                                                                                                       NULL,     ""    },
    {"codex has no tool result",             SELECTOR_CODEX,  USER("[" RESULT("\"x\"") "]"),
     SELECTOR_UNCLASSIFIED,                                                                                                                       NULL,     ""    },
    {"codex item that began",                SELECTOR_CODEX,
     "{\"type\":\"item.started\",\"item\":{\"type\":\"web_search\"}}",                                                     SELECTOR_UNCLASSIFIED, NULL,
     ""                                                                                                                                                           },
    {"codex item of another type",           SELECTOR_CODEX,  ITEM("\"type\":\"reasoning\""),
     SELECTOR_UNCLASSIFIED,                                                                                                                       NULL,     ""    },
    {"codex failure",                        SELECTOR_CODEX,  "{\"type\":\"turn.failed\"}",                                SELECTOR_UNCLASSIFIED, NULL,
     ""                                                                                                                                                           },
 /* gemini */
    {"gemini message",                       SELECTOR_GEMINI,
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"hi\"}",                                                   SELECTOR_MESSAGE,      NULL,
     "hi"                                                                                                                                                         },
    {"gemini message of the user",           SELECTOR_GEMINI,
     "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}",                                                        SELECTOR_UNCLASSIFIED, NULL,
     ""                                                                                                                                                           },
    {"gemini result, from the left column",  SELECTOR_GEMINI,
     "{\"type\":\"result\",\"status\":\"success\"}",                                                                       SELECTOR_RESULT,       NULL,     ""    },
 /* hostile ones */
    {"no JSON",                              SELECTOR_CLAUDE, "type=result",                                               SELECTOR_UNCLASSIFIED, NULL,     ""    },
    {"no object",                            SELECTOR_CLAUDE, "[{\"type\":\"result\"}]",                                   SELECTOR_UNCLASSIFIED, NULL,     ""    },
    {"empty",                                SELECTOR_CLAUDE, "",                                                          SELECTOR_UNCLASSIFIED, NULL,     ""    },
    {"type that is no text",                 SELECTOR_CLAUDE, "{\"type\":[\"result\"]}",                                   SELECTOR_UNCLASSIFIED,
     NULL,                                                                                                                                                  ""    },
    {"type with a NUL",                      SELECTOR_CLAUDE, "{\"type\":\"result\\u0000\"}",                              SELECTOR_UNCLASSIFIED,
     NULL,                                                                                                                                                  ""    },
    {"type escaped",                         SELECTOR_CLAUDE, " {\"t\\u0079pe\":\"r\\u0065sult\",\"result\":\"\\u0041\"}",
     SELECTOR_RESULT,                                                                                                                             NULL,     "A"   },
    {"blocks that are no objects",           SELECTOR_CLAUDE, ASSISTANT("[1,null,\"x\",[]," TEXT("a") "]"),
     SELECTOR_MESSAGE,                                                                                                                            NULL,     "a"   },
    {"message that is no object",            SELECTOR_CLAUDE, "{\"type\":\"user\",\"message\":\"x\"}",
     SELECTOR_MESSAGE,                                                                                                                            NULL,     ""    },
    {"item that is no object",               SELECTOR_CODEX,  "{\"type\":\"item.completed\",\"item\":3}",
     SELECTOR_UNCLASSIFIED,                                                                                                                       NULL,     ""    },
};

static void check_classes(void **state)
{
    const struct class_row *row = *state;
    struct selector_view view;

    selector_view_read(row->vendor, row->line, strlen(row->line), &view);
    if (view.event_class != row->want || !text_equal(view.tool, row->tool) ||
        !text_equal(buffer_text(&view.text), row->text))
        fail_msg("%s: got class %d, tool %s, text %s", row->name, view.event_class,
                 text_or(view.tool, "-"), buffer_text(&view.text));
    selector_view_release(&view);
}

static const struct pass_row {
    const char *name;
    struct selector selectors[3];
    const char *line;
    bool want;
} passes[] = {
    {"no selectors, everything passes",              {{0}},                  "whatever",                   true },
    {"event equal to the class",                     {{.event = "message"}}, ASSISTANT("[" TEXT("a") "]"), true },
    {"event of another class",                       {{.event = "result"}},  ASSISTANT("[" TEXT("a") "]"), false},
    {"one selector is enough",
     {{.event = "result"}, {.event = "message"}},
     ASSISTANT("[" TEXT("a") "]"),
     true                                                                                                       },
    {"tool equal to the name",
     {{.event = "tool_call", .tool = "Bash"}},
     ASSISTANT("[" USE("Bash") "]"),
     true                                                                                                       },
    {"tool of another name",
     {{.event = "tool_call", .tool = "Bas"}},
     ASSISTANT("[" USE("Bash") "]"),
     false                                                                                                      },
    {"tool where there is none",
     {{.event = "message", .tool = "Bash"}},
     ASSISTANT("[" TEXT("a") "]"),
     false                                                                                                      },
    {"empty tool is not set",
     {{.event = "tool_call", .tool = ""}},
     ASSISTANT("[" USE("Bash") "]"),
     true                                                                                                       },
    {"contains a substring",
     {{.event = "result", .contains = "lo wo"}},
     "{\"type\":\"result\",\"result\":\"hello world\"}",                                                   true },
    {"contains at the end",
     {{.event = "result", .contains = "world"}},
     "{\"type\":\"result\",\"result\":\"hello world\"}",                                                   true },
    {"does not contain it",
     {{.event = "result", .contains = "World"}},
     "{\"type\":\"result\",\"result\":\"hello world\"}",                                                   false},
    {"contains, in no text",
     {{.event = "usage", .contains = "a"}},
     "{\"type\":\"system\",\"subtype\":\"token\"}",                                                        false},
    {"contains only in the text",
     {{.event = "tool_call", .contains = "Bash"}},
     ASSISTANT("[" USE("Bash") "]"),
     false                                                                                                      },
    {"contains behind a NUL",
     {{.event = "result", .contains = "b"}},
     "{\"type\":\"result\",\"result\":\"a\\u0000b\"}",                                                     true },
    {"contains not across a NUL",
     {{.event = "result", .contains = "ab"}},
     "{\"type\":\"result\",\"result\":\"a\\u0000b\"}",                                                     false},
    {"empty contains is not set",
     {{.event = "result", .contains = ""}},
     "{\"type\":\"result\"}",                                                                              true },
    {"all conditions at once",
     {{.event = "tool_call", .tool = "Bash", .contains = "x"}},
     ASSISTANT("[" USE("Bash") "]"),
     false                                                                                                      },
    {"unparsable does not reach sinks",              {{.event = "message"}}, "no json",                    false},
    {"unclassified does not reach sinks",
     {{.event = "message"}},
     "{\"type\":\"stream_event\"}",                                                                        false},
    {"unknown event dropped",
     {{.event = "nothing"}, {.event = "result"}},
     ASSISTANT("[" TEXT("a") "]"),
     false                                                                                                      },
    {"unknown events leave none, everything passes",
     {{.event = "nothing"}, {.event = ""}},
     "whatever",                                                                                           true },
    {"unclassified is no event to name",
     {{.event = "unclassified"}, {.event = "result"}},
     "{\"type\":\"x\"}",                                                                                   false},
};

static void check_passes(void **state)
{
    const struct pass_row *row = *state;
    size_t count = 0;

    while (count < ARRAY_SIZE(row->selectors) && row->selectors[count].event != NULL)
        count++;
    if (selector_passes(row->selectors, count, SELECTOR_CLAUDE, row->line, strlen(row->line)) !=
        row->want)
        fail_msg("%s: got %d", row->name, !row->want);
}

int main(void)
{
    int failed = ROWS_RUN(classes, check_classes);

    failed += ROWS_RUN(passes, check_passes);
    return failed;
}
