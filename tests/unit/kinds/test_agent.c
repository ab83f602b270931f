/* Agents from whole objects and from Table rows, and the status patch (RULES 0, 1.1, 3.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"
#include "controller/kinds/agent.h"

#define META "\"metadata\":{\"name\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"7\"}"

static struct json_slice slice(const char *text)
{
    struct error err = ERROR_INIT;

    if (!json_check(text, strlen(text), 1 << 20, &err))
        fail_msg("bad JSON in a test: %s: %s", err.text, text);
    return (struct json_slice){text, strlen(text)};
}

static const struct phase_row {
    const char *name;
    const char *text;
    enum agent_phase want;
} phase_rows[] = {
    {"1.1: no status is Pending",     "{" META "}",                                      AGENT_PENDING  },
    {"1.1: null status is Pending",   "{" META ",\"status\":null}",                      AGENT_PENDING  },
    {"1.1: absent phase is Pending",  "{" META ",\"status\":{}}",                        AGENT_PENDING  },
    {"1.1: empty phase is Pending",   "{" META ",\"status\":{\"phase\":\"\"}}",          AGENT_PENDING  },
    {"1.1: unknown phase is Pending", "{" META ",\"status\":{\"phase\":\"Odd\"}}",       AGENT_PENDING  },
    {"1.1: case counts",              "{" META ",\"status\":{\"phase\":\"running\"}}",   AGENT_PENDING  },
    {"1.1: Pending",                  "{" META ",\"status\":{\"phase\":\"Pending\"}}",   AGENT_PENDING  },
    {"1.1: Running",                  "{" META ",\"status\":{\"phase\":\"Running\"}}",   AGENT_RUNNING  },
    {"1.1: Succeeded",                "{" META ",\"status\":{\"phase\":\"Succeeded\"}}", AGENT_SUCCEEDED},
    {"1.1: Failed",                   "{" META ",\"status\":{\"phase\":\"Failed\"}}",    AGENT_FAILED   },
};

static void test_phase(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(phase_rows); i++) {
        struct agent *agent = NULL;
        struct error err = ERROR_INIT;

        if (!agent_read(slice(phase_rows[i].text), &agent, &err))
            fail_msg("%s: %s", phase_rows[i].name, err.text);
        if (agent->phase != phase_rows[i].want)
            fail_msg("%s: got %d", phase_rows[i].name, agent->phase);
        agent_free(agent);
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *want; /* the error */
} unusable_rows[] = {
    {"0: no metadata",             "{\"spec\":{}}",                                                       "metadata is missing"         },
    {"0: metadata is a text",      "{\"metadata\":\"x\"}",                                                "metadata is not an object"   },
    {"0: no name",                 "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"1\"}}",
     "metadata.name is missing"                                                                                                         },
    {"0: no uid",                  "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}",
     "metadata.uid is missing"                                                                                                          },
    {"0: no version",              "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}",
     "metadata.resourceVersion is missing"                                                                                              },
    {"0: name is a number",        "{\"metadata\":{\"name\":1,\"uid\":\"u\",\"resourceVersion\":\"1\"}}",
     "name is not a string"                                                                                                             },
    {"0: spec is a list",          "{" META ",\"spec\":[]}",                                              "spec is not an object"       },
    {"0: status is a text",        "{" META ",\"status\":\"x\"}",                                         "status is not an object"     },
    {"0: phase is a number",       "{" META ",\"status\":{\"phase\":1}}",                                 "status.phase is not a string"},
    {"0: stationRef is a list",    "{" META ",\"spec\":{\"stationRef\":[]}}",
     "spec.stationRef is not a string"                                                                                                  },
    {"0: startedAt is a number",   "{" META ",\"status\":{\"startedAt\":5}}",
     "status.startedAt is not a string"                                                                                                 },
    {"0: batchFallback is a text", "{" META ",\"status\":{\"batchFallback\":\"true\"}}",
     "status.batchFallback is not a boolean"                                                                                            },
};

static void test_unusable(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(unusable_rows); i++) {
        struct agent *agent = NULL;
        struct error err = ERROR_INIT;

        if (agent_read(slice(unusable_rows[i].text), &agent, &err))
            fail_msg("%s: was taken", unusable_rows[i].name);
        assert_int_equal(err.kind, ERROR_INVALID);
        if (strcmp(err.text, unusable_rows[i].want) != 0)
            fail_msg("%s: got %s", unusable_rows[i].name, err.text);
    }
}

static void test_whole_object(void **state)
{
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(agent_read(
        slice("{\"metadata\":{\"name\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"7\","
              "\"creationTimestamp\":\"1970-01-01T00:00:02Z\","
              "\"deletionTimestamp\":\"1970-01-01T00:01:00Z\"},"
              "\"spec\":{\"stationRef\":\"s\",\"resumeSession\":\"sess\"},"
              "\"status\":{\"output\":\"\\\"phase\\\":\\\"Failed\\\"\",\"phase\":\"Running\","
              "\"jobName\":\"j\",\"startedAt\":\"1970-01-01T00:00:03.5Z\","
              "\"completedAt\":\"yesterday\",\"batchId\":\"b\",\"batchFallback\":true}}"),
        &agent, &err));
    assert_string_equal(agent->name, "a");
    assert_string_equal(agent->uid, "u1");
    assert_string_equal(agent->resource_version, "7");
    assert_int_equal(agent->created_at_us, 2 * US_PER_SECOND);
    assert_true(agent->deleting);
    assert_int_equal(agent->phase, AGENT_RUNNING);
    assert_string_equal(agent->station, "s");
    assert_string_equal(agent->job, "j");
    assert_string_equal(agent->batch_id, "b");
    assert_string_equal(agent->resume_session, "sess");
    assert_true(agent->batch_fallback);
    assert_int_equal(agent->started_at_us, 3500 * US_PER_MS); /* 3.6: fractions are read */
    assert_true(agent->completed_at_us == AGENT_NO_TIME);     /* 3.5: unparsable is oldest */
    agent_free(agent);
}

static void test_row(void **state)
{
    struct json_slice cells[AGENT_COLUMN_COUNT] = {
        [AGENT_COLUMN_PHASE] = slice("\"Succeeded\""),
        [AGENT_COLUMN_STATION] = slice("\"s\""),
        [AGENT_COLUMN_JOB] = slice("null"),
        [AGENT_COLUMN_STARTED] = slice("\"1970-01-01T00:00:03Z\""),
        [AGENT_COLUMN_COMPLETED] = slice("\"1970-01-01T00:00:04Z\""),
        [AGENT_COLUMN_BATCH] = slice("null"),
        [AGENT_COLUMN_PROVIDER] = slice("null"),
        [AGENT_COLUMN_FALLBACK] = slice("null"),
        [AGENT_COLUMN_CLEANUPS] = slice("null"),
        [AGENT_COLUMN_MODEL] = slice("null"),
        [AGENT_COLUMN_RESUME] = slice("null"),
    };
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(agent_row_read(slice("{\"name\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"7\"}"),
                               cells, &agent, &err));
    assert_int_equal(agent->phase, AGENT_SUCCEEDED);
    assert_string_equal(agent->station, "s");
    assert_null(agent->job);
    assert_false(agent->deleting);
    assert_false(agent->batch_fallback);
    assert_int_equal(agent->completed_at_us, 4 * US_PER_SECOND);
    agent_free(agent);

    cells[AGENT_COLUMN_PHASE] = slice("5");
    assert_false(agent_row_read(slice("{\"name\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"7\"}"),
                                cells, &agent, &err));
}

static void test_name_of_the_malformed(void **state)
{
    char *name = agent_read_name(slice("{\"name\":\"a\",\"uid\":5}"));

    (void)state;
    assert_string_equal(name, "a"); /* 4.4: a DELETED is evicted by name */
    free(name);
    assert_null(agent_read_name(slice("{\"name\":5}")));
    assert_null(agent_read_name(slice("{}")));
    assert_null(agent_read_name(slice("\"name\"")));
}

static void test_spec(void **state)
{
    struct agent_spec *spec = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(agent_spec_read(
        slice("{\"spec\":{\"taskId\":\"t\",\"targetRepo\":\"o/r\",\"branch\":\"b\",\"model\":\"m\","
              "\"parameters\":{\"x\":\"1\",\"xy\":\"2\"},"
              "\"files\":[{\"path\":\"p\",\"url\":\"http://h\"},{\"headers_secret\":\"k\"}]}}"),
        &spec, &err));
    assert_string_equal(spec->task_id, "t");
    assert_string_equal(spec->target_repo, "o/r");
    assert_string_equal(spec->branch, "b");
    assert_string_equal(spec->model, "m");
    assert_string_equal(spec->resume_session, "");
    assert_int_equal(spec->parameter_count, 2);
    assert_string_equal(agent_spec_parameter(spec, "xyz", 2), "2");
    assert_string_equal(agent_spec_parameter(spec, "xyz", 1), "1");
    assert_null(agent_spec_parameter(spec, "xyz", 3));
    assert_int_equal(spec->file_count, 2);
    assert_string_equal(spec->files[0].headers_secret, "");
    assert_string_equal(spec->files[1].headers_secret, "k");
    agent_spec_free(spec);

    assert_true(agent_spec_read(slice("{}"), &spec, &err));
    assert_string_equal(spec->model, "");
    agent_spec_free(spec);
    assert_false(agent_spec_read(slice("{\"spec\":{\"parameters\":{\"x\":1}}}"), &spec, &err));
    assert_string_equal(err.text, "parameters.x is not a string");
    assert_false(agent_spec_read(slice("{\"spec\":{\"files\":[{\"path\":\"p\"},{\"url\":2}]}}"),
                                 &spec, &err));
    assert_false(agent_spec_read(slice("{\"spec\":{\"files\":[\"p\"]}}"), &spec, &err));
}

static const struct {
    const char *name;
    struct agent_change change;
    const char *want;
} change_rows[] = {
    {"3.2: started",
     {.phase = AGENT_RUNNING,
      .job = "agent-job-a",
      .started_at_us = 1700000000999999,
      .completed_at_us = AGENT_NO_TIME},
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"status\":{\"phase\":\"Running\","
     "\"jobName\":\"agent-job-a\",\"startedAt\":\"2023-11-14T22:13:20Z\"}}"},
    {"3.3: failed",
     {.phase = AGENT_FAILED,
      .job = "j",
      .started_at_us = AGENT_NO_TIME,
      .completed_at_us = 0,
      .has_exit_code = true,
      .exit_code = 137,
      .output = "a\"\n\xff",
      .output_size = 4,
      .failure_reason = "x: \"y\""},
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"status\":{\"phase\":\"Failed\",\"jobName\":\"j\","
     "\"completedAt\":\"1970-01-01T00:00:00Z\",\"exitCode\":137,\"output\":"
     "\"a\\\"\\n\xef\xbf\xbd\","
     "\"failureReason\":\"x: \\\"y\\\"\"}}"                                },
    {"2.9: bytes that are not UTF-8",
     {.phase = AGENT_SUCCEEDED,
      .started_at_us = AGENT_NO_TIME,
      .completed_at_us = AGENT_NO_TIME,
      .output = "\x80\xe2\x82|\xe2\x82\xac",
      .output_size = 7},
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"status\":{\"phase\":\"Succeeded\",\"output\":"
     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xe2\x82\xac\"}}"             },
    {"3.3: an empty output is written",
     {.phase = AGENT_SUCCEEDED,
      .started_at_us = AGENT_NO_TIME,
      .completed_at_us = AGENT_NO_TIME,
      .has_exit_code = true,
      .output = ""},
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"status\":{\"phase\":\"Succeeded\",\"exitCode\":0,"
     "\"output\":\"\"}}"                                                   },
};

static void test_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(change_rows); i++) {
        struct buffer bytes = BUFFER_INIT(4096);

        agent_change_write(&change_rows[i].change, "7", &bytes);
        if (strcmp(buffer_text(&bytes), change_rows[i].want) != 0)
            fail_msg("%s: got %s", change_rows[i].name, buffer_text(&bytes));
        buffer_release(&bytes);
    }
}

/* 3.6: an answer that was cut off leaves us with what we sent, and that is whole seconds. */
static void test_applied_as_written(void **state)
{
    const struct agent_change change = {.phase = AGENT_FAILED,
                                        .started_at_us = 5 * US_PER_SECOND + 999999,
                                        .completed_at_us = 7 * US_PER_SECOND + 1};
    struct agent *agent = NULL;

    (void)state;
    assert_true(agent_read(slice("{" META "}"), &agent, NULL));
    agent_apply(agent, &change);
    assert_int_equal(agent->phase, AGENT_FAILED);
    assert_int_equal(agent->started_at_us, 5 * US_PER_SECOND);
    assert_int_equal(agent->completed_at_us, 7 * US_PER_SECOND);
    agent_free(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_unusable),
        cmocka_unit_test(test_whole_object),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_name_of_the_malformed),
        cmocka_unit_test(test_spec),
        cmocka_unit_test(test_change),
        cmocka_unit_test(test_applied_as_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
