/* Results: on their way between processes, and as people and machines read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/report/junit.h"
#include "scenarios/report/seeds.h"
#include "scenarios/report/summary.h"
#include "scenarios/report/tap.h"

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

static const struct result good = {.kind = RESULT_PASSED,
                                   .name = good_name,
                                   .path = good_path,
                                   .seed = 1,
                                   .virtual_us = 83 * US_PER_SECOND + 5,
                                   .real_us = 4200,
                                   .events = 17,
                                   .hash = "abc"};
static const struct result bad = {.kind = RESULT_FAILED,
                                  .name = bad_name,
                                  .path = bad_path,
                                  .seed = 7,
                                  .virtual_us = 1500 * US_PER_MS,
                                  .real_us = 1000,
                                  .reason = reason,
                                  .details = details,
                                  .story = story,
                                  .kills = kills};
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
    assert_string_equal(read.hash, "");
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

static void test_summary_of_a_failure(void **state)
{
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    summary_append(&bad, "build/bin/scenario", &text);
    check_text(&text, "FAILED  first/bad                                           "
                      "       1.5s       1.0 ms\n"
                      "  at 1.5s: at the end it is <not> as \"expected\"\n"
                      "    one\n"
                      "    two\n"
                      "  the last of what happened (seconds, who, what):\n"
                      "      1.000 ctl-0 leads\n"
                      "  seed 7; to repeat it:\n"
                      "    build/bin/scenario run suites/first/bad.yaml --seed 7\n");
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
    check_text(&text, "3 scenarios: 1 passed, 1 FAILED, 1 skipped; 1m24s of virtual time in 0.01 s "
                      "of real time, 8450 times as fast\n");
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
    check_text(&text,
               "FAILED  first/bad                                    1 seeds, 1 FAILED       "
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
    check_text(&text, "TAP version 13\n1..3\n"
                      "ok 1 - first/good\n"
                      "  ---\n  virtual: 1m23.000005s\n  duration_ms: 4.200\n  seed: 1\n  ...\n"
                      "not ok 2 - first/bad\n"
                      "  ---\n  virtual: 1.5s\n  duration_ms: 1.000\n  seed: 7\n"
                      "  message: |\n    at the end it is <not> as \"expected\"\n"
                      "  difference: |\n      one\n      two\n"
                      "  story: |\n      1.000 ctl-0 leads\n"
                      "  ...\n"
                      "ok 3 - watch/later # SKIP not built yet\n");
}

static void test_junit(void **state)
{
    const struct result results[] = {good, bad, skipped};
    struct buffer text = BUFFER_INIT(BYTES_MAX);

    (void)state;
    junit_append(results, 3, &text);
    check_text(
        &text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0.005200\">\n"
        "  <testsuite name=\"first\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" "
        "time=\"0.005200\">\n"
        "    <testcase name=\"good\" classname=\"first\" file=\"suites/first/good.yaml\" "
        "time=\"0.004200\">\n"
        "      <system-out>seed 1, 1m23.000005s of virtual time</system-out>\n"
        "    </testcase>\n"
        "    <testcase name=\"bad\" classname=\"first\" file=\"suites/first/bad.yaml\" "
        "time=\"0.001000\">\n"
        "      <failure message=\"at the end it is &lt;not&gt; as &quot;expected&quot;\">  one\n"
        "  two\n"
        "  1.000 ctl-0 leads\n"
        "</failure>\n"
        "      <system-out>seed 7, 1.5s of virtual time</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"watch\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\" "
        "time=\"0.000000\">\n"
        "    <testcase name=\"later\" classname=\"watch\" file=\"suites/first/good.yaml\" "
        "time=\"0.000000\">\n"
        "      <skipped message=\"not built yet\"/>\n"
        "      <system-out>seed 0, 0s of virtual time</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_travel),
        cmocka_unit_test(test_half_an_answer_is_an_error),
        cmocka_unit_test(test_summary_of_a_pass),
        cmocka_unit_test(test_summary_of_a_failure),
        cmocka_unit_test(test_summary_of_a_skip),
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_tap),
        cmocka_unit_test(test_junit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
