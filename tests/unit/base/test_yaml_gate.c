/* What the gate hands to libfyaml: no '?' that could be a key's, wherever it stood. */
#include "controller/base/yaml_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"

static const struct {
    const char *name;
    const char *text;
    const char *want; /* '~' is the stand-in; NULL: refused */
} rows[] = {
    {"no '?' at all",              "a: 1\n",                    "a: 1\n"                  },
    {"a '?' in a word",            "a: x?y\n",                  "a: x?y\n"                },
    {"behind a word",              "a: x? y\n",                 "a: x~ y\n"               },
    {"at a line's end",            "a: x?\n",                   "a: x~\n"                 },
    {"at the end",                 "a: x?",                     "a: x~"                   },
    {"between words",              "a: x ? y\n",                "a: x ~ y\n"              },
    {"before a bracket",           "[x?, y?]",                  "[x~, y~]"                },
    {"in double quotes",           "a: \"? b ? \"\n",           "a: \"~ b ~ \"\n"         },
    {"behind an escaped quote",    "a: \"\\\"? b\"\n",          "a: \"\\\"~ b\"\n"        },
    {"behind an escaped escape",   "a: \"\\\\\"\n? b\n",        NULL                      },
    {"in single quotes",           "a: 'it''s ? b'\n",          "a: 'it''s ~ b'\n"        },
    {"in quotes over lines",       "a: \"x\n  ? b\"\nc: d?\n",  "a: \"x\n  ~ b\"\nc: d~\n"},
    {"a quote inside a word",      "a: it's\n? b\n",            NULL                      },
    {"a quote inside a block",     "a: |\n  \"\n? b\n",         NULL                      },
    {"a quote inside a comment",   "a: 1 # \"\n? b\n",          NULL                      },
    {"in a comment",               "# ? x\na: 1 # ? y\n",       "# ~ x\na: 1 # ~ y\n"     },
    {"behind a '#' of a word",     "a: b#? c\n",                "a: b#~ c\n"              },
    {"in a literal",               "a: |\n  ? b\n\n  ? c\n",    "a: |\n  ~ b\n\n  ~ c\n"  },
    {"in a literal of a sequence", "- |\n   ? b\n- c\n",        "- |\n   ~ b\n- c\n"      },
    {"in a literal of a pair",     "- a: >-\n    ? b\n",        "- a: >-\n    ~ b\n"      },
    {"behind a literal",           "a: |\n  b\n? c\n",          NULL                      },
    {"behind a literal of a pair", "- a: |\n    b\n  ? c\n",    NULL                      },
    {"header with a comment",      "a: |2+ # x\n  ? b\n",       "a: |2+ # x\n  ~ b\n"     },
    {"header on its own line",     "a:\n  |\n  ? b\n",          "a:\n  |\n  ~ b\n"        },
    {"header behind a marker",     "--- |\n? b\n",              "--- |\n~ b\n"            },
    {"a marker ends a literal",    "--- |\nb\n--- \n? c\n",     NULL                      },
    {"a marker ends quotes",       "\"a\n--- \n? c\n",          NULL                      },
    {"no header: text follows",    "a: | b\n  ? c\n",           NULL                      },
    {"no header: in flow",         "[ |\n ? c ]\n",             NULL                      },
    {"a key over lines of flow",   "{\"a\":\"x, ? y\"}",        "{\"a\":\"x, ~ y\"}"      },
    {"JSON without spaces",        "{\"a\":[\"? \",\"?\"]}",    "{\"a\":[\"~ \",\"?\"]}"  },
    {"at the start",               "? a",                       NULL                      },
    {"behind a dash",              "- ? a",                     NULL                      },
    {"behind dashes",              "- - ? a",                   NULL                      },
    {"behind a colon",             "a: ? b",                    NULL                      },
    {"behind a brace",             "{ ? a }",                   NULL                      },
    {"behind a comma",             "[a, ? b]",                  NULL                      },
    {"before a comma",             "[?, b]",                    NULL                      },
    {"CR LF",                      "a: |\r\n  ? b\r\nc: d\r\n", "a: |\n  ~ b\nc: d\n"     },
};

static void test_stand_ins(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t size = strlen(rows[i].text);
        struct yaml_gate gate;
        struct error err = ERROR_INIT;
        struct yaml_position at;
        bool ok = yaml_gate_open(rows[i].text, size, &gate, &at, &err);

        if (ok != (rows[i].want != NULL))
            fail_msg("%s: %s", rows[i].name, ok ? "is taken" : err.text);
        if (!ok)
            continue;
        size = strlen(rows[i].want);
        assert_int_equal(gate.size, size);
        for (size_t k = 0; k < size; k++) {
            char want = rows[i].want[k] == '~' ? gate.stand_in : rows[i].want[k];

            if (gate.bytes[k] != want)
                fail_msg("%s: byte %zu is %d", rows[i].name, k, gate.bytes[k]);
        }
        yaml_gate_release(&gate);
    }
}

static char stand_in_of(const char *text)
{
    struct yaml_gate gate;
    struct error err = ERROR_INIT;
    struct yaml_position at;
    char stand_in;

    if (!yaml_gate_open(text, strlen(text), &gate, &at, &err))
        return -1;
    stand_in = gate.stand_in;
    yaml_gate_release(&gate);
    return stand_in;
}

static void test_choice(void **state)
{
    struct buffer all = BUFFER_INIT(1000);

    (void)state;
    assert_int_equal(stand_in_of("a: b"), 0);
    assert_int_equal(stand_in_of("a: b? c"), 31);
    assert_int_equal(stand_in_of("a: \"b? \\x1f\""), 30);
    assert_int_equal(stand_in_of("a: \"b? \\u001F \\U0000001e\""), 29);
    assert_int_equal(stand_in_of("a: \"b? \\x20 \\x41 \\u101f\""), 31);
    assert_int_equal(stand_in_of("a: b? \\x1"), 31);
    buffer_append_text(&all, "a: \"? ");
    for (unsigned code = 1; code < 32; code++)
        buffer_append_format(&all, "\\x%02x", code);
    buffer_append_text(&all, "\"");
    assert_int_equal(stand_in_of(buffer_text(&all)), -1);
    buffer_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stand_ins),
        cmocka_unit_test(test_choice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
