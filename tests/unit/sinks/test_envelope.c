#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/sinks/envelope.h"
#include "tests/unit/rows.h"

#define BARE "{\"source\":{},\"event\":"

/* RULES 10.2: ids in their order, empty ones left out. */
static void test_source(void **state)
{
    static const struct {
        const char *name;
        struct envelope_source source;
        const char *want;
    } rows[] = {
        {"all ids in order",
         {"a", "s", "t", "p", "n"},
         "{\"agent\":\"a\",\"station\":\"s\",\"task\":\"t\",\"pod\":\"p\",\"namespace\":\"n\"}"            },
        {"empty ids omitted",       {"a", "", "", "", "n"},         "{\"agent\":\"a\",\"namespace\":\"n\"}"},
        {"absent ids omitted",
         {"a", "s", NULL, NULL, "n"},
         "{\"agent\":\"a\",\"station\":\"s\",\"namespace\":\"n\"}"                                         },
        {"the first is not there",  {"", "s", "", "", ""},          "{\"station\":\"s\"}"                  },
        {"none at all",             {NULL, NULL, NULL, NULL, NULL}, "{}"                                   },
        {"an id with a quote",      {"a\"b", "", "", "", ""},       "{\"agent\":\"a\\\"b\"}"               },
        {"an id that is not UTF-8", {"a\xff", "", "", "", ""},      "{\"agent\":\"a\xef\xbf\xbd\"}"        },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *want = xprintf("{\"source\":%s,\"event\":1}", rows[i].want);
        struct bytes *got;

        if (!envelope_new(&rows[i].source, "1", 1, &got, NULL))
            fail_msg("%s: refused", rows[i].name);
        if (strcmp(got->data, want) != 0)
            fail_msg("%s: got %s", rows[i].name, got->data);
        bytes_unref(got);
        free(want);
    }
}

static const struct row {
    const char *name;
    const char *line;
    size_t size; /* 0: of the text */
    const char *want;
} events[] = {
    {"line parsed as JSON",                "{\"type\":\"result\"}",                    0, "{\"type\":\"result\"}"               },
    {"line as a JSON string",              "not \"json\"",                             0, "\"not \\\"json\\\"\""                },
    {"a number",                           "42",                                       0, "42"                                  },
    {"null",                               "null",                                     0, "null"                                },
    {"a string",                           "\"a\"",                                    0, "\"a\""                               },
    {"an array",                           "[1, 2]",                                   0, "[1,2]"                               },
    {"compact",                            " { \"a\" : [ 1 ,\t2 ] , \"b c\" : { } } ", 0, "{\"a\":[1,2],\"b c\":{}}"            },
    {"order of members kept",              "{\"b\":1,\"a\":2}",                        0, "{\"b\":1,\"a\":2}"                   },
    {"numbers as they stand",              "[1.0,1E300,-0,0.10]",                      0, "[1.0,1E300,-0,0.10]"                 },
    {"escapes as shortest",                "\"\\u0041\\/\\u00e9\\u001f\"",             0, "\"A/\xc3\xa9\\u001f\""               },
    {"a pair of surrogates",               "\"\\ud83d\\ude00\"",                       0, "\"\xf0\x9f\x98\x80\""                },
    {"half a pair of surrogates",          "\"\\ud83d\"",                              0, "\"\xef\xbf\xbd\""                    },
    {"NUL in a value",                     "{\"a\":\"\\u0000\"}",                      0, "{\"a\":\"\\u0000\"}"                 },
    {"empty line",                         "",                                         0, "\"\""                                },
    {"NUL byte",                           "a\0b",                                     3, "\"a\\u0000b\""                       },
    {"invalid UTF-8",                      "a\xff\xc3(",                               0, "\"a\xef\xbf\xbd\xef\xbf\xbd(\""      },
    {"invalid UTF-8 within JSON",          "{\"a\":\"\xff\"}",                         0, "\"{\\\"a\\\":\\\"\xef\xbf\xbd\\\"}\""},
    {"integer at 64 bits",                 "18446744073709551615",                     0, "18446744073709551615"                },
    {"integer beyond 64 bits",             "18446744073709551616",                     0, "\"18446744073709551616\""            },
    {"a number beyond all doubles",        "1e400",                                    0, "\"1e400\""                           },
    {"a key twice",                        "{\"a\":1,\"a\":2}",                        0, "\"{\\\"a\\\":1,\\\"a\\\":2}\""       },
    {"more behind it",                     "{} {}",                                    0, "\"{} {}\""                           },
    {"source alone is no envelope",        "{\"source\":1}",                           0, "{\"source\":1}"                      },
    {"event alone is no envelope",         "{\"event\":1}",                            0, "{\"event\":1}"                       },
    {"both, but not of the object itself", "{\"a\":{\"source\":1,\"event\":2}}",       0,
     "{\"a\":{\"source\":1,\"event\":2}}"                                                                                       },
    {"both, but of an object in an array", "[{\"source\":1,\"event\":2}]",             0,
     "[{\"source\":1,\"event\":2}]"                                                                                             },
};

static void check_event(void **state)
{
    const struct row *row = *state;
    static const struct envelope_source nobody = {NULL, NULL, NULL, NULL, NULL};

    char *want = xprintf(BARE "%s}", row->want);
    struct bytes *got;

    if (!envelope_new(&nobody, row->line, row->size == 0 ? strlen(row->line) : row->size, &got,
                      NULL))
        fail_msg("%s: refused", row->name);
    if (strcmp(got->data, want) != 0 || got->size != strlen(want))
        fail_msg("%s: got %s", row->name, got->data);
    assert_true(json_check(got->data, got->size, ENVELOPE_BYTES_MAX, NULL));
    bytes_unref(got);
    free(want);
}

/* RULES 10.2: applied once. */
static void test_once(void **state)
{
    static const struct {
        const char *name;
        const char *line;
    } rows[] = {
        {"already has source and event", "{\"source\":{\"agent\":\"a\"},\"event\":{}}" },
        {"in the other order",           "{\"event\":1,\"source\":2}"                  },
        {"among others",                 " {\"a\":0,\"event\":1,\"b\":0,\"source\":2} "},
        {"both null",                    "{\"source\":null,\"event\":null}"            },
        {"escaped",                      "{\"s\\u006furce\":1,\"\\u0065vent\":2}"      },
    };
    static const struct envelope_source source = {"a", "s", "", "", "n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error err = ERROR_INIT;
        struct bytes *got;

        if (envelope_new(&source, rows[i].line, strlen(rows[i].line), &got, &err))
            fail_msg("%s: got %s", rows[i].name, got->data);
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

/* "[[[...]]]", that deep. */
static char *nested(size_t depth)
{
    char *text = xcalloc(2 * depth + 1, 1);

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

static void test_depth(void **state)
{
    static const struct envelope_source source = {"a", "", "", "", ""};

    (void)state;
    for (size_t depth = JSON_DEPTH_MAX - 2; depth <= JSON_DEPTH_MAX + 1; depth++) {
        char *line = nested(depth);
        char *want =
            xprintf(depth < JSON_DEPTH_MAX ? "{\"source\":{\"agent\":\"a\"},\"event\":%s}"
                                           : "{\"source\":{\"agent\":\"a\"},\"event\":\"%s\"}",
                    line);
        struct bytes *got;

        if (!envelope_new(&source, line, strlen(line), &got, NULL))
            fail_msg("%zu deep: refused", depth);
        assert_string_equal(got->data, want);
        assert_true(json_check(got->data, got->size, ENVELOPE_BYTES_MAX, NULL));
        bytes_unref(got);
        free(want);
        free(line);
    }
}

/* The envelope counts, not the line alone; and quoting makes lines longer. */
static void test_size(void **state)
{
    static const struct {
        const char *name;
        char fill;
        size_t size;
        bool want;
    } rows[] = {
        {"an envelope of exactly the limit", 'x',  ENVELOPE_BYTES_MAX - sizeof(BARE "\"\"}") + 1,
         true                                                                                                    },
        {"one byte more",                    'x',  ENVELOPE_BYTES_MAX - sizeof(BARE "\"\"}") + 2,           false},
        {"a line past the limit",            'x',  ENVELOPE_BYTES_MAX + 1,                                  false},
        {"bytes that take six each",         '\1', (ENVELOPE_BYTES_MAX - sizeof(BARE "\"\"}") + 1) / 6,
         true                                                                                                    },
        {"one more of those",                '\1', (ENVELOPE_BYTES_MAX - sizeof(BARE "\"\"}") + 1) / 6 + 1, false},
        {"no digit lost on the way",         '7',  ENVELOPE_BYTES_MAX - sizeof(BARE "\"\"}") + 2,           false},
    };
    static const struct envelope_source nobody = {NULL, NULL, NULL, NULL, NULL};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *line = xcalloc(rows[i].size, 1);
        struct error err = ERROR_INIT;
        struct bytes *got = NULL;

        memset(line, rows[i].fill, rows[i].size);
        if (envelope_new(&nobody, line, rows[i].size, &got, &err) != rows[i].want)
            fail_msg("%s: %s", rows[i].name, rows[i].want ? err.text : "taken");
        assert_int_equal(err.kind, rows[i].want ? ERROR_NONE : ERROR_TOO_LARGE);
        bytes_unref(got);
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_size),
    };

    return ROWS_RUN(events, check_event) + cmocka_run_group_tests(tests, NULL, NULL);
}
