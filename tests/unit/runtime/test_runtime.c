#include "controller/runtime/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

static void test_header_get(void **state)
{
    static const struct http_header headers[] = {
        {"Accept",       "first" },
        {"accept",       "second"},
        {"Content-Type", ""      },
    };

    (void)state;
    assert_string_equal(http_header_get(headers, ARRAY_SIZE(headers), "ACCEPT"), "first");
    assert_string_equal(http_header_get(headers, ARRAY_SIZE(headers), "content-type"), "");
    assert_null(http_header_get(headers, ARRAY_SIZE(headers), "Content"));
    assert_null(http_header_get(NULL, 0, "Accept"));
}

static void test_end_names(void **state)
{
    (void)state;
    for (int end = EXCHANGE_COMPLETE; end <= EXCHANGE_MALFORMED; end++)
        assert_non_null(exchange_end_name((enum exchange_end)end));
    assert_string_equal(exchange_end_name(EXCHANGE_TIMED_OUT), "timed out");
}

static const struct row {
    const char *method;
    const char *name;
    const char *value;
    bool fine;
} rows[] = {
    {"GET",    "Accept", "text/plain",     true },
    {"M-X_1!", "X-~Y",   "\ta \xc3\xa4 b", true },
    {"GET",    "X",      "",               true },
    {"",       "X",      "a",              false},
    {"G T",    "X",      "a",              false},
    {"GET\r",  "X",      "a",              false},
    {"GET",    "",       "a",              false},
    {"GET",    "X Y",    "a",              false},
    {"GET",    "X:",     "a",              false},
    {"GET",    "X\xc3",  "a",              false},
    {"GET",    "X",      "a\nb",           false},
    {"GET",    "X",      "a\rb",           false},
    {"GET",    "X",      "a\x7f",          false},
    {"GET",    "X",      "\x01",           false},
};

static void test_request_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct http_header header = {rows[i].name, rows[i].value};
        const struct http_request request = {
            .method = rows[i].method, .headers = &header, .header_count = 1};

        if ((http_request_fault(&request) == NULL) != rows[i].fine)
            fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header_get),
        cmocka_unit_test(test_end_names),
        cmocka_unit_test(test_request_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
