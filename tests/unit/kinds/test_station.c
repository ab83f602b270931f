/* Stations: defaults, clamps, and what makes one unusable (RULES 0, 1.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/kinds/station.h"

static bool read_spec(const char *spec, struct station **ret_station, struct error *err)
{
    struct buffer text = BUFFER_INIT(4096);
    struct json_object *ignored = NULL;
    bool ok;

    buffer_append_format(&text, "{\"metadata\":{\"name\":\"s\"},\"spec\":%s}", spec);
    assert_true(json_parse(text.bytes, text.size, 4096, &ignored, err));
    json_object_put(ignored);
    ok = station_read((struct json_slice){text.bytes, text.size}, ret_station, err);
    buffer_release(&text);
    return ok;
}

static const struct row {
    const char *name;
    const char *spec;
    int64_t deadline;
    int64_t succeeded;
    int64_t failed;
    int64_t runs;
    enum concurrency_policy policy;
} rows[] = {
    {"1.2: defaults",              "{}",                                                              30,         3, 3, 0, CONCURRENCY_ALLOW  },
    {"1.2: no spec",               "null",                                                            30,         3, 3, 0, CONCURRENCY_ALLOW  },
    {"1.2: deadline 0 is 1",       "{\"deadlineMinutes\":0}",                                         1,          3, 3, 0, CONCURRENCY_ALLOW  },
    {"1.2: deadline below 0 is 1", "{\"deadlineMinutes\":-5}",                                        1,          3, 3, 0, CONCURRENCY_ALLOW  },
    {"1.2: deadline 1",            "{\"deadlineMinutes\":1}",                                         1,          3, 3, 0, CONCURRENCY_ALLOW  },
    {"1.2: integers may be 2.0",   "{\"deadlineMinutes\":2.0}",                                       2,          3, 3, 0, CONCURRENCY_ALLOW  },
    {"2.2: INT32_MAX minutes",     "{\"deadlineMinutes\":2147483647}",                                2147483647, 3, 3, 0,
     CONCURRENCY_ALLOW                                                                                                                        },
    {"2.2: what would overflow",   "{\"deadlineMinutes\":9223372036854775807}",
     STATION_DEADLINE_MINUTES_MAX,                                                                                3, 3, 0, CONCURRENCY_ALLOW  },
    {"3.5: limits of 0",           "{\"successfulRunsHistoryLimit\":0,\"failedRunsHistoryLimit\":0}", 30,         0,
     0,                                                                                                                 0, CONCURRENCY_ALLOW  },
    {"3.5: negative limits are 0",
     "{\"successfulRunsHistoryLimit\":-1,\"failedRunsHistoryLimit\":-9}",                             30,         0, 0, 0,
     CONCURRENCY_ALLOW                                                                                                                        },
    {"1.2: maxConcurrentRuns",     "{\"maxConcurrentRuns\":4}",                                       30,         3, 3, 4, CONCURRENCY_ALLOW  },
    {"1.2: Forbid",                "{\"concurrencyPolicy\":\"Forbid\"}",                              30,         3, 3, 0, CONCURRENCY_FORBID },
    {"1.2: Replace",               "{\"concurrencyPolicy\":\"Replace\"}",                             30,         3, 3, 0, CONCURRENCY_REPLACE},
    {"1.2: unknown policy",        "{\"concurrencyPolicy\":\"forbid\"}",                              30,         3, 3, 0, CONCURRENCY_ALLOW  },
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        struct station *got = NULL;
        struct error err = ERROR_INIT;

        if (!read_spec(row->spec, &got, &err))
            fail_msg("%s: %s", row->name, err.text);
        if (got->deadline_minutes != row->deadline || got->succeeded_max != row->succeeded ||
            got->failed_max != row->failed || got->runs_max != row->runs ||
            got->policy != row->policy)
            fail_msg("%s: differs", row->name);
        station_free(got);
    }
}

static void test_template(void **state)
{
    static const struct {
        const char *spec;
        const char *want;
    } templates[] = {
        {"{\"template\":{\"spec\":{\"x\":[1,null]}}}", "{\"spec\":{\"x\":[1,null]}}"},
        {"{\"template\":\"text\"}",                    "\"text\""                   },
        {"{\"template\":null}",                        NULL                         },
        {"{}",                                         NULL                         },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(templates); i++) {
        struct station *got = NULL;
        struct error err = ERROR_INIT;

        assert_true(read_spec(templates[i].spec, &got, &err));
        if (templates[i].want == NULL)
            assert_null(got->template_json);
        else
            assert_string_equal(got->template_json, templates[i].want);
        station_free(got);
    }
}

static void test_unusable(void **state)
{
    static const char *const specs[] = {
        "[]",
        "{\"deadlineMinutes\":\"30\"}",
        "{\"deadlineMinutes\":1.5}",
        "{\"maxConcurrentRuns\":true}",
        "{\"successfulRunsHistoryLimit\":{}}",
        "{\"agentDefRef\":5}",
        "{\"concurrencyPolicy\":1}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct station *got = NULL;
        struct error err = ERROR_INIT;

        if (read_spec(specs[i], &got, &err))
            fail_msg("%s was taken", specs[i]);
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_unusable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
