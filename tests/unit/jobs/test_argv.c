/* Vendors by model, and the argv of each (RULES 2.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/json.h"
#include "controller/jobs/argv.h"
#include "controller/jobs/vendor.h"

static const struct {
    const char *model;
    enum vendor want;
} vendors[] = {
    {"",                VENDOR_CLAUDE  },
    {"claude-opus-5-5", VENDOR_CLAUDE  },
    {"exec",            VENDOR_EXEC    },
    {"EXEC",            VENDOR_EXEC    },
    {"exec2",           VENDOR_CLAUDE  },
    {"my-opencode",     VENDOR_OPENCODE},
    {"opencode/codex",  VENDOR_OPENCODE}, /* the first match wins */
    {"x-Codex-y",       VENDOR_CODEX   },
    {"gpt-5",           VENDOR_CODEX   },
    {"GPT",             VENDOR_CODEX   },
    {"a-gpt",           VENDOR_CLAUDE  },
    {"o1",              VENDOR_CODEX   },
    {"o2",              VENDOR_CLAUDE  },
    {"o3-mini",         VENDOR_CODEX   },
    {"o4",              VENDOR_CODEX   },
    {"gemini-codex",    VENDOR_CODEX   },
    {"Gemini-3",        VENDOR_GEMINI  },
    {"not-gemini",      VENDOR_CLAUDE  },
};

static void test_vendor(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
        enum vendor got = vendor_of_model(vendors[i].model);

        if (got != vendors[i].want)
            fail_msg("2.7: %s: got %s", vendors[i].model, vendor_name(got));
    }
}

#define CLAUDE "claude|--print|--verbose|--output-format|stream-json|--model|"
#define SETTINGS "--settings|/agent/.claude/settings.json|"

static const struct row {
    const char *name;
    const char *spec; /* of the recipe */
    const char *model;
    const char *resume;
    const char *pin;
    const char *want; /* argv joined by '|', or the error */
} rows[] = {
    {"claude, the default model",  "{}",                                                        "",                 "",  "",  CLAUDE "claude-opus-5-5|" SETTINGS "--|P"                                     },
    {"claude, tools under auto",
     "{\"allowed_tools\":[\"A\",\"B(x)\"],\"disallowed_tools\":[\"C\",\"D\"]}",                 "sonnet",           "",  "",
     CLAUDE "sonnet|--allowedTools|A|--allowedTools|B(x)|--disallowedTools|C|--disallowedTools|"
            "D|" SETTINGS "--|P"                                                                                                                                                                            },
    {"claude, tools under bypass",
     "{\"permission_mode\":\"bypass\",\"allowed_tools\":[\"A\"],\"disallowed_tools\":[\"C\"]}", "m",
     "",                                                                                                                 "",  CLAUDE "m|--dangerously-skip-permissions|--disallowedTools|C|" SETTINGS "--|P"},
    {"claude, max_turns",          "{\"max_turns\":7}",                                         "m",                "",  "",
     CLAUDE "m|" SETTINGS "--max-turns|7|--|P"                                                                                                                                                              },
    {"claude, max_turns 0",        "{\"max_turns\":0}",                                         "m",                "",  "",  CLAUDE "m|" SETTINGS "--|P"                                                   },
    {"claude, resume",             "{}",                                                        "m",                "R", "",  CLAUDE "m|" SETTINGS "--resume|R|--|P"                                        },
    {"claude, pin",                "{}",                                                        "m",                "",  "N", CLAUDE "m|" SETTINGS "--session-id|N|--|P"                                    },
    {"claude, resume and pin",     "{}",                                                        "m",                "R", "N",
     CLAUDE "m|" SETTINGS "--resume|R|--fork-session|--session-id|N|--|P"                                                                                                                                   },
    {"claude, MCP servers",
     "{\"resources\":{\"mcp_servers\":["
     "{\"name\":\"h\",\"transport\":\"http\",\"url\":\"https://x/"
     "y\",\"headers_secret\":\"my-key.1\"},"
     "{\"name\":\"s\",\"transport\":\"sse\",\"url\":\"U\"},"
     "{\"name\":\"p\",\"transport\":\"stdio\",\"command\":\"c\",\"args\":[\"1\",\"2\"]},"
     "{\"name\":\"q\",\"transport\":\"stdio\",\"command\":\"d\",\"headers_secret\":\"k\"}]}}",  "m",                "",  "",
     CLAUDE
     "m|--mcp-config|{\"mcpServers\":{\"h\":{\"type\":\"http\",\"url\":\"https://x/y\","
     "\"headers\":{\"Authorization\":\"${MY_KEY_1}\"}},\"s\":{\"type\":\"sse\",\"url\":\"U\"},"
     "\"p\":{\"type\":\"stdio\",\"command\":\"c\",\"args\":[\"1\",\"2\"]},"
     "\"q\":{\"type\":\"stdio\",\"command\":\"d\"}}}|--strict-mcp-config|" SETTINGS "--|P"                                                                                                                  },
    {"codex, fresh",               "{\"allowed_tools\":[\"A\"]}",                               "gpt-5",            "",  "N",
     "codex|exec|--json|--model|gpt-5|--|P"                                                                                                                                                                 },
    {"codex, fresh, bypass",       "{\"permission_mode\":\"bypass\"}",                          "o3",               "",  "",
     "codex|exec|--json|--model|o3|--dangerously-bypass-approvals-and-sandbox|--|P"                                                                                                                         },
    {"codex, resuming",            "{\"permission_mode\":\"bypass\"}",                          "o3",               "R", "",
     "codex|exec|resume|R|--json|--model|o3|--dangerously-bypass-approvals-and-sandbox|P"                                                                                                                   },
    {"opencode alone",             "{\"permission_mode\":\"bypass\"}",                          "opencode",         "R", "N",
     "opencode|run|--format|json|--|P"                                                                                                                                                                      },
    {"opencode with a model",      "{}",                                                        "opencode/big/one", "",  "",
     "opencode|run|--format|json|--model|big/one|--|P"                                                                                                                                                      },
    {"opencode in the middle",     "{}",                                                        "x-opencode/y",     "",  "",
     "opencode|run|--format|json|--model|x-opencode/y|--|P"                                                                                                                                                 },
    {"gemini",                     "{}",                                                        "gemini-3",         "",  "N",
     "gemini|--prompt|P|--output-format|stream-json|--model|gemini-3|--skip-trust|"
     "--include-directories|/workspace"                                                                                                                                                                     },
    {"gemini, bypass and resume",  "{\"permission_mode\":\"bypass\"}",                          "gemini-3",         "R", "",
     "gemini|--prompt|P|--output-format|stream-json|--model|gemini-3|--skip-trust|"
     "--include-directories|/workspace|--yolo|--resume|latest"                                                                                                                                              },
    {"exec",                       "{\"tool_config\":{\"command\":[\"run\",\"-x\"]}}",          "exec",             "R", "N", "run|-x|P"                                                                    },
    {"exec without a command",     "{}",                                                        "exec",             "",  "",
     "exec recipe needs tool_config.command (the argv to spawn)"                                                                                                                                            },
    {"exec with an empty command", "{\"tool_config\":{\"command\":[]}}",                        "exec",             "",  "",
     "exec recipe tool_config.command must be a non-empty array of strings"                                                                                                                                 },
    {"exec with a text",           "{\"tool_config\":{\"command\":\"x\"}}",                     "exec",             "",  "",
     "exec recipe tool_config.command must be a non-empty array of strings"                                                                                                                                 },
    {"exec with a number",         "{\"tool_config\":{\"command\":[1]}}",                       "exec",             "",  "",
     "exec recipe tool_config.command entries must be strings"                                                                                                                                              },
};

static struct definition *recipe(const char *spec)
{
    struct buffer text = BUFFER_INIT(4096);
    struct definition *definition = NULL;
    struct error err = ERROR_INIT;

    buffer_append_format(&text, "{\"metadata\":{\"name\":\"d\"},\"spec\":%s}", spec);
    assert_true(json_check(text.bytes, text.size, 4096, &err));
    assert_true(definition_read((struct json_slice){text.bytes, text.size}, &definition, &err));
    buffer_release(&text);
    return definition;
}

static void test_argv(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct definition *definition = recipe(rows[i].spec);
        struct argv_input input = {definition, rows[i].model, "P", rows[i].resume, rows[i].pin};
        struct text_list argv = {0};
        struct buffer got = BUFFER_INIT(4096);
        struct error err = ERROR_INIT;

        if (!argv_build(&input, &argv, &err))
            buffer_append_text(&got, err.text);
        for (size_t j = 0; j < argv.count; j++)
            buffer_append_format(&got, "%s%s", j == 0 ? "" : "|", argv.items[j]);
        if (strcmp(buffer_text(&got), rows[i].want) != 0)
            fail_msg("2.7 %s: got %s", rows[i].name, buffer_text(&got));
        buffer_release(&got);
        text_list_release(&argv);
        definition_free(definition);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vendor),
        cmocka_unit_test(test_argv),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
