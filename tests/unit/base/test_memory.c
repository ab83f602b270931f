/* Allocation: zeroed, copied, never NULL. */
#include "controller/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_zeroed(void **state)
{
    char *memory = xcalloc(3, 5);

    (void)state;
    for (size_t i = 0; i < 15; i++)
        assert_int_equal(memory[i], 0);
    free(memory);
    memory = xcalloc(0, 8);
    assert_non_null(memory);
    free(memory);
    memory = xcalloc(8, 0);
    assert_non_null(memory);
    free(memory);
}

static void test_grown(void **state)
{
    char *memory = xrealloc(NULL, 2);

    (void)state;
    memcpy(memory, "ab", 2);
    memory = xrealloc(memory, 2000);
    assert_memory_equal(memory, "ab", 2);
    memory = xrealloc(memory, 0);
    assert_non_null(memory);
    free(memory);
}

static void test_copied(void **state)
{
    char *copy = xstrdup("text");

    (void)state;
    assert_string_equal(copy, "text");
    free(copy);
    assert_null(xstrdup(NULL));
    copy = xmemdup("a\0b", 3);
    assert_memory_equal(copy, "a\0b\0", 4);
    free(copy);
    copy = xmemdup(NULL, 0);
    assert_string_equal(copy, "");
    free(copy);
}

static void test_formatted(void **state)
{
    char *text = xprintf("%s is %d", "it", 42);
    char *long_text;

    (void)state;
    assert_string_equal(text, "it is 42");
    long_text = xprintf("%*s|", 5000, text);
    assert_int_equal(strlen(long_text), 5001);
    assert_string_equal(long_text + 4992, "it is 42|");
    free(text);
    free(long_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed),
        cmocka_unit_test(test_grown),
        cmocka_unit_test(test_copied),
        cmocka_unit_test(test_formatted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
