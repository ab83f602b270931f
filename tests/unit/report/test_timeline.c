/* The page's data: what stands in a run cannot leave its place, and failed runs have it first. */
#include "scenarios/report/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

static char name[] = "first/one";
static char path[] = "a/<b>.yaml";

static struct result make(enum result_kind kind, const char *trace)
{
    return (struct result){.kind = kind, .name = name, .path = path, .trace = xstrdup(trace)};
}

static char *page_of(struct result *results, size_t count)
{
    struct timeline timeline = timeline_new();
    struct buffer page = BUFFER_INIT(2 * TIMELINE_BYTES_MAX);
    size_t size;

    for (size_t i = 0; i < count; i++) {
        timeline_add(&timeline, &results[i], "build/bin/scenario");
        free(results[i].trace);
    }
    timeline_append(&timeline, &page);
    timeline_release(&timeline);
    return buffer_take(&page, &size);
}

/** How often a text stands in another. */
static size_t times(const char *in, const char *text)
{
    size_t found = 0;

    for (in = strstr(in, text); in != NULL; in = strstr(in + 1, text))
        found++;
    return found;
}

static void test_texts_stay_in_their_place(void **state)
{
    struct result result =
        make(RESULT_FAILED, "{\"at_us\":0,\"event\":\"log\",\"text\":\"</script><!--<script>\"}\n");
    struct result nothing = make(RESULT_PASSED, "");
    char *page = page_of(&result, 1);
    char *plain = page_of(&nothing, 1);

    (void)state;
    assert_non_null(strstr(page, "\"text\":\"\\u003c/script>\\u003c!--\\u003cscript>\""));
    assert_non_null(strstr(page, "a/\\u003cb>.yaml"));
    assert_int_equal(times(page, "<script"), times(plain, "<script"));
    assert_int_equal(times(page, "</script"), times(plain, "</script"));
    assert_int_equal(times(page, "<!--"), times(plain, "<!--"));
    free(page);
    free(plain);
}

static void test_policy(void **state)
{
    struct result result = make(RESULT_PASSED, "");
    char *page = page_of(&result, 1);
    const char *policy = strstr(page, "content=\"default-src 'none'");

    (void)state;
    assert_non_null(policy);
    assert_non_null(strstr(policy, "; style-src 'sha256-"));
    assert_non_null(strstr(policy, "; script-src 'sha256-"));
    assert_null(strstr(page, "unsafe-inline"));
    assert_null(strstr(page, "@policy@"));
    assert_null(strstr(page, "@data@"));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    free(page);
}

static void test_what_is_drawn(void **state)
{
    struct result result =
        make(RESULT_PASSED, "{\"at_us\":1,\"event\":\"clock\",\"number\":11}\n"
                            "{\"at_us\":2,\"event\":\"body sent\",\"bytes\":22}\n"
                            "{\"at_us\":3,\"event\":\"request\",\"exchange\":33}\n"
                            "{\"at_us\":4,\"event\":\"random\",\"number\":44}");
    char *page = page_of(&result, 1);

    (void)state;
    assert_null(strstr(page, "\"number\":11"));
    assert_null(strstr(page, "\"bytes\":22"));
    assert_non_null(strstr(page, "\n{\"at_us\":3,\"event\":\"request\",\"exchange\":33}\n"));
    assert_null(strstr(page, "\"number\":44"));
    free(page);
}

static void test_failed_runs_first(void **state)
{
    struct result results[] = {make(RESULT_PASSED, ""), make(RESULT_FAILED, ""),
                               make(RESULT_SKIPPED, "")};
    char *page = page_of(results, 3);
    const char *failed = strstr(page, "\"verdict\":\"failed\"");
    const char *passed = strstr(page, "\"verdict\":\"passed\"");

    (void)state;
    assert_non_null(strstr(page, "{\"format\":1,\"left_out\":0}\n{\"run\":"));
    assert_true(failed != NULL && passed != NULL && failed < passed);
    assert_null(strstr(page, "\"verdict\":\"skipped\""));
    free(page);
}

/** A trace of one line that takes so many bytes. */
static struct result large(enum result_kind kind, size_t size)
{
    struct result result = make(kind, "");

    result.trace = xrealloc(result.trace, size + 1);
    memset(result.trace, ' ', size);
    result.trace[size] = '\0';
    return result;
}

static void test_what_does_not_fit_is_counted(void **state)
{
    struct result too_large = large(RESULT_FAILED, TIMELINE_BYTES_MAX);
    struct result results[] = {large(RESULT_PASSED, TIMELINE_BYTES_MAX / 3 * 2),
                               large(RESULT_FAILED, TIMELINE_BYTES_MAX / 3 * 2)};
    char *page = page_of(&too_large, 1);

    (void)state;
    assert_non_null(strstr(page, "{\"format\":1,\"left_out\":1}\n"));
    assert_null(strstr(page, "{\"run\":{"));
    free(page);
    page = page_of(results, 2);
    assert_non_null(strstr(page, "{\"format\":1,\"left_out\":1}\n{\"run\":{"));
    assert_int_equal(times(page, "\"verdict\":\"failed\""), 1);
    assert_int_equal(times(page, "\"verdict\":\"passed\""), 0);
    assert_true(strlen(page) <= TIMELINE_BYTES_MAX);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_stay_in_their_place),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_what_is_drawn),
        cmocka_unit_test(test_failed_runs_first),
        cmocka_unit_test(test_what_does_not_fit_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
