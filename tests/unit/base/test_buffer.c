/* Buffers: growth, the limit on both sides of it, and moving bytes out. */
#include "controller/base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_appending(void **state)
{
    struct buffer buffer = BUFFER_INIT(1000);

    (void)state;
    assert_string_equal(buffer_text(&buffer), "");
    buffer_append(&buffer, NULL, 0);
    assert_string_equal(buffer_text(&buffer), "");
    buffer_append_text(&buffer, "a");
    buffer_append_char(&buffer, 'b');
    buffer_append_format(&buffer, "%d-%s", 7, "c");
    buffer_append(&buffer, "\0d", 2);
    assert_int_equal(buffer.size, 7);
    assert_memory_equal(buffer.bytes, "ab7-c\0d\0", 8);
    buffer_release(&buffer);
    assert_int_equal(buffer.size_max, 1000);
}

static const struct {
    const char *name;
    size_t first; /* bytes in the buffer before */
    size_t then;  /* bytes appended */
    bool fits;
} limit_rows[] = {
    {"nothing at all",         0,  0,        true },
    {"up to the limit",        0,  10,       true },
    {"one past the limit",     0,  11,       false},
    {"nothing more when full", 10, 0,        true },
    {"one more when full",     10, 1,        false},
    {"the rest",               4,  6,        true },
    {"one more than the rest", 4,  7,        false},
    {"as much as there is",    4,  SIZE_MAX, false},
};

static void test_limit(void **state)
{
    static const char bytes[16] = "0123456789abcdef";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(limit_rows); i++) {
        struct buffer buffer = BUFFER_INIT(10);
        struct error err = ERROR_INIT;
        size_t kept = limit_rows[i].first;

        buffer_append(&buffer, bytes, limit_rows[i].first);
        buffer_append(&buffer, bytes, limit_rows[i].then);
        if (limit_rows[i].fits)
            kept += limit_rows[i].then;
        if (buffer.overflowed == limit_rows[i].fits || buffer.size != kept)
            fail_msg("%s: %zu bytes, overflowed %d", limit_rows[i].name, buffer.size,
                     buffer.overflowed);
        if (buffer_check(&buffer, &err) != limit_rows[i].fits)
            fail_msg("%s: check says otherwise", limit_rows[i].name);
        if (!limit_rows[i].fits) {
            assert_int_equal(err.kind, ERROR_TOO_LARGE);
            assert_string_equal(err.text, "more than 10 bytes");
        }
        buffer_release(&buffer);
    }
}

static void test_stays_overflowed_until_cleared(void **state)
{
    struct buffer buffer = BUFFER_INIT(4);

    (void)state;
    buffer_append_format(&buffer, "%s", "12345");
    assert_true(buffer.overflowed);
    buffer_append_char(&buffer, 'x');
    assert_int_equal(buffer.size, 0);
    assert_null(buffer_reserve(&buffer, 1));
    buffer_clear(&buffer);
    buffer_append_format(&buffer, "%s", "1234");
    assert_string_equal(buffer_text(&buffer), "1234");
    buffer_clear(&buffer);
    assert_string_equal(buffer_text(&buffer), "");
    buffer_release(&buffer);
}

static void test_cut(void **state)
{
    struct buffer buffer = BUFFER_INIT(4);

    (void)state;
    buffer_cut(&buffer, 0);
    assert_string_equal(buffer_text(&buffer), "");
    buffer_append_text(&buffer, "1234");
    buffer_append_char(&buffer, '5');
    buffer_cut(&buffer, 3);
    assert_string_equal(buffer_text(&buffer), "123");
    buffer_append_char(&buffer, 'x');
    assert_string_equal(buffer_text(&buffer), "123x");
    buffer_cut(&buffer, 4);
    assert_string_equal(buffer_text(&buffer), "123x");
    buffer_release(&buffer);
}

static void test_reserving(void **state)
{
    struct buffer buffer = BUFFER_INIT(200);
    char *room;

    (void)state;
    buffer_append_text(&buffer, "ab");
    room = buffer_reserve(&buffer, 198);
    assert_non_null(room);
    memset(room, 'x', 198);
    buffer_extend(&buffer, 3);
    assert_string_equal(buffer_text(&buffer), "abxxx");
    buffer_extend(&buffer, 0);
    assert_null(buffer_reserve(&buffer, 196));
    assert_true(buffer.overflowed);
    buffer_release(&buffer);
}

static void test_dropping(void **state)
{
    struct buffer buffer = BUFFER_INIT(100);

    (void)state;
    buffer_drop(&buffer, 0);
    buffer_append_text(&buffer, "abcdef");
    buffer_drop(&buffer, 0);
    buffer_drop(&buffer, 2);
    assert_string_equal(buffer_text(&buffer), "cdef");
    buffer_drop(&buffer, 4);
    assert_string_equal(buffer_text(&buffer), "");
    buffer_release(&buffer);
}

static void test_taking(void **state)
{
    struct buffer buffer = BUFFER_INIT(100);
    size_t size = 99;
    char *bytes = buffer_take(&buffer, &size);

    (void)state;
    assert_string_equal(bytes, "");
    assert_int_equal(size, 0);
    free(bytes);
    buffer_append_text(&buffer, "abc");
    bytes = buffer_take(&buffer, NULL);
    assert_string_equal(bytes, "abc");
    free(bytes);
    assert_int_equal(buffer.size, 0);
    assert_null(buffer.bytes);
    buffer_append_text(&buffer, "more");
    assert_string_equal(buffer_text(&buffer), "more");
    buffer_release(&buffer);
}

static void test_large(void **state)
{
    struct buffer buffer = BUFFER_INIT(1 << 20);

    (void)state;
    for (int i = 0; i < 100000; i++)
        buffer_append_text(&buffer, "0123456789");
    assert_int_equal(buffer.size, 1000000);
    assert_memory_equal(buffer.bytes + 999990, "0123456789\0", 11);
    buffer_release(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appending),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_stays_overflowed_until_cleared),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_reserving),
        cmocka_unit_test(test_dropping),
        cmocka_unit_test(test_taking),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
