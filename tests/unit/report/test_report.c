/* Results: on their way between processes, and as people and machines read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/report/escape.h"
#include "scenarios/report/github.h"
#include "scenarios/report/junit.h"
#include "scenarios/report/seeds.h"
#include "scenarios/report/summary.h"
#include "scenarios/report/tap.h"
#include "tests/unit/rows.h"

#define BYTES_MAX 65536

static char good_name[] = "first/good";
static char good_path[] = "suites/first/good.yaml";
static char bad_name[] = "first/bad";
static char bad_path[] = "suites/first/bad.yaml";
static char skipped_name[] = "watch/later";
static char reason[] = "at the end it is <not> as \"expected\"";
static char details[] = "  one\n  two\n";
static char kills[] = "timer\n";
static char story[] = "  1.000 ctl-0 leads\n";
static char why[] = "not built yet";

static char failure[] = "wait: Agent hello";
static char first_check[] = "01 apply: Agent hello";
static char second_check[] = "02 wait: \"hello\" # 1";
static char third_check[] = "expect: Agent hello";
static struct check bad_checks[] = {
    {CHECK_PASSED,      first_check,  3, 0,               500 * US_PER_MS,  200},
    {CHECK_FAILED,      second_check, 5, 500 * US_PER_MS, 1500 * US_PER_MS, 300},
    {CHECK_NOT_REACHED, third_check,  9, -1,              -1,               0  },
};

static const struct result good = {.kind = RESULT_PASSED,
                                   .name = good_name,
                                   .path = good_path,
                                   .seed = 1,
                                   .virtual_us = 83 * US_PER_SECOND + 5,
                                   .real_us = 4200,
                                   .events = 17,
                                   .hash = "abc"};
static const struct result bad = {
    .kind = RESULT_FAILED,
    .name = bad_name,
    .path = bad_path,
    .seed = 7,
    .virtual_us = 1500 * US_PER_MS,
    .real_us = 1000,
    .hash = "c0ffee",
    .failure = failure,
    .reason = reason,
    .details = details,
    .story = story,
    .kills = kills,
    .checks = {bad_checks, 3, 0}
};
static const struct result skipped = {
    .kind = RESULT_SKIPPED, .name = skipped_name, .path = good_path, .reason = why};

static void check_text(struct buffer *buffer, const char *want)
{
    assert_string_equal(buffer_text(buffer), want);
    buffer_release(buffer);
}

static void test_results_travel(void **state)
{
    struct buffer bytes = BUFFER_INIT(BYTES_MAX);
    struct result read;
    struct error err = ERROR_INIT;

    (void)state;
    result_append(&bad, &bytes);
    assert_true(result_parse(bytes.bytes, bytes.size, &read, &err));
    assert_int_equal(read.kind, RESULT_FAILED);
    assert_string_equal(read.name, bad.name);
    assert_string_equal(read.path, bad.path);
    assert_int_equal(read.seed, 7);
    assert_int_equal(read.virtual_us, bad.virtual_us);
    assert_string_equal(read.hash, "c0ffee");
    assert_string_equal(read.failure, bad.failure);
    assert_int_equal(read.checks.count, 3);
    assert_int_equal(read.checks.items[1].verdict, CHECK_FAILED);
    assert_string_equal(read.checks.items[1].name, second_check);
    assert_int_equal(read.checks.items[1].line, 5);
    assert_int_equal(read.checks.items[1].begun_us, 500 * US_PER_MS);
    assert_int_equal(read.checks.items[1].ended_us, 1500 * US_PER_MS);
    assert_int_equal(read.checks.items[1].real_us, 300);
    assert_int_equal(read.checks.items[2].begun_us, -1);
    assert_string_equal(read.reason, bad.reason);
    assert_string_equal(read.details, bad.details);
    assert_string_equal(read.story, bad.story);
    assert_null(read.trace);
    result_release(&read);
    buffer_release(&bytes);
}

static void test_half_an_answer_is_an_error(void **state)
{
    struct buffer bytes = BUFFER_INIT(BYTES_MAX);
    struct result read;
    struct error err = ERROR_INIT;

    (void)state;
    result_append(&good, &bytes);
    assert_false(result_parse(bytes.bytes, bytes.size / 2, &read, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    buffer_release(&bytes);
}

static void test_summary_of_a_pass(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    summary_append(&good, "scenario", &text);
    check_text(&text, "ok      first/good                                          "
                      "      1m23s       4.2 ms\n");
}

/* What is missing or of another type in one of these is a mistake of its own. */
#define RESULT_WITH(rest) "{\"scenario\":\"a\",\"path\":\"a.yaml\",\"verdict\":\"passed\"," rest "}"
#define CHECK_WITH(rest) "{\"name\":\"01 wait\",\"verdict\":\"passed\"," rest "}"

static void test_lines_that_are_results(void **state)
{
    static const char *const lines[] = {
        RESULT_WITH("\"virtual_us\":0,\"real_us\":0,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":[" CHECK_WITH(
            "\"line\":4294967295,\"begun_us\":-1") "]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"seed\":-1,\"checks\":[]"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct error err = ERROR_INIT;
        struct result read;

        if (!result_parse(lines[i], strlen(lines[i]), &read, &err))
            fail_msg("%s: %s", lines[i], err.text);
        result_release(&read);
    }
}

static void test_lines_that_are_no_results(void **state)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{}",
        "{\"scenario\":\"a\",\"path\":\"a.yaml\",\"verdict\":\"good\"}",
        "{\"scenario\":\"a\",\"verdict\":\"passed\"}",
        "{\"path\":\"a\",\"verdict\":\"passed\"}",
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":{}"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":[1]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":[{}]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":[],\"checks_left_out\":-1"),
        RESULT_WITH("\"virtual_us\":\"1\",\"real_us\":1,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":-1,\"real_us\":1,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1.5,\"real_us\":1,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":-1,\"checks\":[]"),
        RESULT_WITH("\"real_us\":1,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"events\":\"many\",\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"seed\":\"x\",\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"reason\":7,\"checks\":[]"),
        RESULT_WITH("\"virtual_us\":1,\"real_us\":1,\"checks\":[" CHECK_WITH("\"line\":-1") "]"),
        RESULT_WITH(
            "\"virtual_us\":1,\"real_us\":1,\"checks\":[" CHECK_WITH("\"line\":4294967296") "]"),
        RESULT_WITH(
            "\"virtual_us\":1,\"real_us\":1,\"checks\":[" CHECK_WITH("\"begun_us\":-2") "]"),
        RESULT_WITH(
            "\"virtual_us\":1,\"real_us\":1,\"checks\":[" CHECK_WITH("\"real_us\":\"1\"") "]"),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct error err = ERROR_INIT;
        struct result read;

        if (result_parse(lines[i], strlen(lines[i]), &read, &err))
            fail_msg("taken: %s", lines[i]);
        if (err.kind != ERROR_MALFORMED)
            fail_msg("%s: %s", lines[i], err.text);
    }
}

static void test_summary_of_a_failure(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    summary_append(&bad, "build/bin/scenario", &text);
    check_text(&text, "FAILED  first/bad                                           "
                      "       1.5s       1.0 ms\n"
                      "  at 1.5s: at the end it is <not> as \"expected\"\n"
                      "  suites/first/bad.yaml:5: 02 wait: \"hello\" # 1\n"
                      "    one\n"
                      "    two\n"
                      "  the last of what happened (seconds, who, what):\n"
                      "      1.000 ctl-0 leads\n"
                      "  seed 7, trace hash c0ffee; to repeat it:\n"
                      "    build/bin/scenario run suites/first/bad.yaml --seed 7\n");
}

/* Real processes have no seed, no hash and no time of their own. */
static void test_summary_of_a_live_failure(void **state)
{
    struct totals totals = {0};
    struct buffer text = BUFFER_INIT(BYTES_MAX);
    struct result live = bad;

    (void)state;
    live.live = true;
    live.hash[0] = '\0';
    summary_append(&live, "build/bin/scenario", &text);
    assert_non_null(strstr(buffer_text(&text),
                           "\n  to repeat it:\n"
                           "    build/bin/scenario run suites/first/bad.yaml --live\n"));
    buffer_release(&text);
    totals_add(&totals, &live);
    totals_append(&totals, 2 * US_PER_SECOND, &text);
    check_text(&text, "1 scenario: 0 passed, 1 FAILED; 1 step or assertion passed; 2.00 s of real "
                      "time\n");
}

/* What a log line holds reaches neither the reader's terminal nor the structure of a report. */
static const struct escape {
    const char *name;
    const char *text;
    const char *plain;
    const char *line;
    const char *xml;
    const char *attribute;
    const char *property;
    const char *message;
} escapes[] = {
    {"as it is",             "a b",                    "a b",                    "a b",                "a b",                    "a b",                    "a b",                "a b"                   },
    {"markup",               "<&>\"'",                 "<&>\"'",                 "<&>\"'",             "&lt;&amp;&gt;\"'",       "&lt;&amp;&gt;&quot;'",   "<&>\"'",
     "<&>\"'"                                                                                                                                                                                            },
    {"lines",                "a\n\tb",                 "a\n\tb",                 "a  b",               "a\n\tb",                 "a&#10;&#9;b",            "a%0A\tb",            "a%0A\tb"               },
    {"a runner's command",   "100%,a:b",               "100%,a:b",               "100%,a:b",           "100%,a:b",               "100%,a:b",
     "100%25%2Ca%3Ab",                                                                                                                                                           "100%25,a:b"            },
    {"a terminal's command", "\x1b[2J\r\x7f",          "\\x1b[2J\\x0d\\x7f",     "\\x1b[2J\\x0d\\x7f",
     "\\x1b[2J\\x0d\\x7f",                                                                                                       "\\x1b[2J\\x0d\\x7f",     "\\x1b[2J\\x0d\\x7f", "\\x1b[2J\\x0d\\x7f"    },
    {"text turned around",   "a\u202eb",               "a\\u202eb",              "a\\u202eb",          "a\\u202eb",              "a\\u202eb",
     "a\\u202eb",                                                                                                                                                                "a\\u202eb"             },
    {"no character of XML",  "\xef\xbf\xbe",           "\\ufffe",                "\\ufffe",            "\\ufffe",                "\\ufffe",                "\\ufffe",
     "\\ufffe"                                                                                                                                                                                           },
    {"no UTF-8",             "a\xc3(\xff",             "a\ufffd(\ufffd",         "a\ufffd(\ufffd",     "a\ufffd(\ufffd",
     "a\ufffd(\ufffd",                                                                                                                                     "a\ufffd(\ufffd",     "a\ufffd(\ufffd"        },
    {"other alphabets",      "\u00e9\u4e2d\U0001f600", "\u00e9\u4e2d\U0001f600",
     "\u00e9\u4e2d\U0001f600",                                                                         "\u00e9\u4e2d\U0001f600", "\u00e9\u4e2d\U0001f600",
     "\u00e9\u4e2d\U0001f600",                                                                                                                                                   "\u00e9\u4e2d\U0001f600"},
};

static void check_escape(void **state)
{
    const struct escape *row = *state;
    struct buffer text = BUFFER_INIT(BYTES_MAX);
    char *attribute = xprintf(" a=\"%s\"", row->attribute);

    plain_append(&text, row->text);
    check_text(&text, row->plain);
    plain_append_line(&text, row->text);
    check_text(&text, row->line);
    xml_append(&text, row->text);
    check_text(&text, row->xml);
    xml_append_attribute(&text, "a", row->text);
    check_text(&text, attribute);
    github_append_property(&text, row->text);
    check_text(&text, row->property);
    github_append_message(&text, row->text);
    check_text(&text, row->message);
    free(attribute);
}

static void test_words_of_a_shell(void **state)
{
    static const char *const words[][2] = {
        {"suites/a-b_1.yaml", "suites/a-b_1.yaml"},
        {"",                  "''"               },
        {"a b",               "'a b'"            },
        {"it's",              "'it'\\''s'"       },
        {"$(x)",              "'$(x)'"           },
        {"a\nb",              "'a\nb'"           },
    };
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        shell_append(&text, words[i][0]);
        check_text(&text, words[i][1]);
    }
}

static void test_github(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    github_append(&good, "scenario", &text);
    check_text(&text, "");
    github_append(&bad, "scenario", &text);
    check_text(&text, "::error file=suites/first/bad.yaml,line=5,title=first/bad::"
                      "02 wait: \"hello\" # 1%0Aat the end it is <not> as \"expected\"%0A"
                      "  one%0A  two%0Ascenario run suites/first/bad.yaml --seed 7\n");
}

static void test_slowest(void **state)
{
    struct result results[12];
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
        results[i] = good;
        results[i].real_us = (int64_t)(i * 7 % 12) * US_PER_MS;
    }
    slowest_append(results, 9, &text);
    check_text(&text, "");
    slowest_append(results, 12, &text);
    assert_non_null(strstr(buffer_text(&text), "the slowest:\n"));
    for (int ms = 11; ms >= 0; ms--) {
        char *want = xprintf(" %d.0 ms\n", ms);

        assert_true((strstr(buffer_text(&text), want) != NULL) == (ms >= 7));
        free(want);
    }
    assert_true(strstr(buffer_text(&text), " 11.0 ms") < strstr(buffer_text(&text), " 7.0 ms"));
    buffer_release(&text);
}

static void test_summary_of_a_skip(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    summary_append(&skipped, "scenario", &text);
    check_text(&text, "skipped watch/later                                          "
                      "not built yet\n");
}

static void test_totals(void **state)
{
    struct totals totals = {0};
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    totals_add(&totals, &good);
    totals_append(&totals, 1000, &text);
    check_text(&text, "1 scenario: 1 passed; 1m23s of virtual time in 0.00 s of real time, 83000 "
                      "times as fast\n");
    totals_add(&totals, &bad);
    totals_add(&totals, &skipped);
    totals_append(&totals, 10 * US_PER_MS, &text);
    check_text(&text, "3 scenarios: 1 passed, 1 FAILED, 1 skipped; 1 step or assertion passed; "
                      "1m24s of virtual time in 0.01 s of real time, 8450 times as fast\n");
}

/* Where nothing is known of a place, nothing is told of it. */
static void test_a_check_without_a_line(void **state)
{
    static char rest[] = "rest: all";
    struct check check = {CHECK_FAILED, rest, 0, 0, US_PER_SECOND, 0, false};
    struct result result = bad;
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    result.checks = (struct checks){.items = &check, .count = 1, .left_out = 0};
    tap_append(&result, 1, &text);
    assert_null(strstr(buffer_text(&text), "line:"));
    buffer_clear(&text);
    github_append(&result, "scenario", &text);
    assert_non_null(
        strstr(buffer_text(&text), "::error file=suites/first/bad.yaml,title=first/bad"));
    buffer_release(&text);
}

/* What happened most stands first, and of equals what sorts first. */
static void test_seeds(void **state)
{
    static char some[] = "timer\nend\nlog\n";
    static char others[] = "log\nbody";
    struct seeds seeds = {0};
    struct result result = good;
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    result.kills = some;
    seeds_add(&seeds, &result);
    result.kills = others;
    seeds_add(&seeds, &result);
    seeds_append(&seeds, "first/good", &text);
    check_text(&text,
               "ok      first/good                                   2 seeds       2m46s      "
               " 8.4 ms\n"
               "  5 kills, right after\n"
               "        2  log\n        1  body\n        1  end\n        1  timer\n");
    seeds_release(&seeds);
    seeds_add(&seeds, &bad);
    seeds_append(&seeds, "first/bad", &text);
    check_text(&text, "FAILED  first/bad                                    1 seed, 1 FAILED       "
                      "   1s       1.0 ms\n  1 kill, right after\n        1  timer\n");
    seeds_release(&seeds);
}

static void test_tap(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    tap_append_head(3, &text);
    tap_append(&good, 1, &text);
    tap_append(&bad, 2, &text);
    tap_append(&skipped, 3, &text);
    check_text(&text, "TAP version 14\n1..3\n"
                      "ok 1 - first/good\n"
                      "  ---\n  virtual: 1m23.000005s\n  duration_ms: 4.200\n  seed: 1\n  ...\n"
                      "# Subtest: first/bad\n"
                      "    1..3\n"
                      "    ok 1 - 01 apply: Agent hello\n"
                      "      ---\n      line: 3\n      virtual: 0s to 500ms\n"
                      "      duration_ms: 0.200\n      ...\n"
                      "    not ok 2 - 02 wait: \"hello\" \\# 1\n"
                      "      ---\n      line: 5\n      virtual: 500ms to 1.5s\n"
                      "      duration_ms: 0.300\n      ...\n"
                      "    ok 3 - expect: Agent hello # SKIP not reached\n"
                      "not ok 2 - first/bad\n"
                      "  ---\n  virtual: 1.5s\n  duration_ms: 1.000\n  seed: 7\n"
                      "  message: |2\n    at the end it is <not> as \"expected\"\n"
                      "  difference: |2\n      one\n      two\n"
                      "  story: |2\n      1.000 ctl-0 leads\n"
                      "  ...\n"
                      "ok 3 - watch/later # SKIP not built yet\n");
}

#define CASE_OF_BAD " classname=\"first.bad\" file=\"suites/first/bad.yaml\" "

static void test_junit(void **state)
{
    const struct result results[] = {bad, skipped};
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    junit_append(results, 2, "scenario", &text);
    check_text(
        &text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"scenarios\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\" "
        "time=\"0.001000\">\n"
        "  <testsuite name=\"first/bad\" id=\"0\" tests=\"3\" failures=\"1\" errors=\"0\" "
        "skipped=\"1\" time=\"0.001000\">\n"
        "    <properties>\n"
        "      <property name=\"seed\" value=\"7\"/>\n"
        "      <property name=\"virtual.seconds\" value=\"1.500000\"/>\n"
        "      <property name=\"trace.hash\" value=\"c0ffee\"/>\n"
        "      <property name=\"repeat\" value=\"scenario run suites/first/bad.yaml --seed 7\"/>\n"
        "    </properties>\n"
        "    <testcase name=\"01 apply: Agent hello\"" CASE_OF_BAD "line=\"3\" time=\"0.000200\">\n"
        "      <system-out>virtual time: 0s to 500ms</system-out>\n"
        "    </testcase>\n"
        "    <testcase name=\"02 wait: &quot;hello&quot; # 1\"" CASE_OF_BAD
        "line=\"5\" time=\"0.000300\">\n"
        "      <failure message=\"at the end it is &lt;not&gt; as &quot;expected&quot;\" "
        "type=\"wait: Agent hello\">  one\n"
        "  two\n"
        "  1.000 ctl-0 leads\n"
        "to repeat it: scenario run suites/first/bad.yaml --seed 7\n"
        "</failure>\n"
        "      <system-out>virtual time: 500ms to 1.5s</system-out>\n"
        "    </testcase>\n"
        "    <testcase name=\"expect: Agent hello\"" CASE_OF_BAD "line=\"9\" time=\"0.000000\">\n"
        "      <skipped message=\"the run ended before it\"/>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"watch/later\" id=\"1\" tests=\"1\" failures=\"0\" errors=\"0\" "
        "skipped=\"1\" time=\"0.000000\">\n"
        "    <properties>\n"
        "      <property name=\"seed\" value=\"0\"/>\n"
        "      <property name=\"virtual.seconds\" value=\"0.000000\"/>\n"
        "      <property name=\"repeat\" value=\"scenario run suites/first/good.yaml --seed 0\"/>\n"
        "    </properties>\n"
        "    <testcase name=\"whole\" classname=\"watch.later\" file=\"suites/first/good.yaml\" "
        "time=\"0.000000\">\n"
        "      <skipped message=\"not built yet\"/>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

/* Where no check failed, as when a process died, the failure is a case of its own. */
static void test_junit_of_a_death(void **state)
{
    struct result dead = bad;
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    dead.checks = (struct checks){0};
    junit_append(&dead, 1, "scenario", &text);
    assert_non_null(strstr(buffer_text(&text), " tests=\"1\" failures=\"1\""));
    assert_non_null(strstr(buffer_text(&text), "<testcase name=\"whole\""));
    assert_non_null(strstr(buffer_text(&text), "<failure message="));
    buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_travel),
        cmocka_unit_test(test_half_an_answer_is_an_error),
        cmocka_unit_test(test_summary_of_a_pass),
        cmocka_unit_test(test_summary_of_a_failure),
        cmocka_unit_test(test_summary_of_a_live_failure),
        cmocka_unit_test(test_summary_of_a_skip),
        cmocka_unit_test(test_lines_that_are_results),
        cmocka_unit_test(test_lines_that_are_no_results),
        cmocka_unit_test(test_words_of_a_shell),
        cmocka_unit_test(test_github),
        cmocka_unit_test(test_slowest),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_a_check_without_a_line),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_tap),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_junit_of_a_death),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) + ROWS_RUN(escapes, check_escape);
}
