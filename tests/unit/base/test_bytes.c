/* Shared bytes: copied once, freed by the last who lets go. */
#include "controller/base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_life(void **state)
{
    char source[] = "a\0b";
    struct bytes *bytes = bytes_new(source, 3);

    (void)state;
    source[0] = 'x';
    assert_int_equal(bytes->size, 3);
    assert_memory_equal(bytes->data, "a\0b\0", 4);
    assert_int_equal(bytes->references, 1);
    assert_ptr_equal(bytes_ref(bytes), bytes);
    assert_int_equal(bytes->references, 2);
    bytes_unref(bytes);
    assert_int_equal(bytes->references, 1);
    bytes_unref(bytes); /* a leak or a double free is the memory checkers' to see */
    bytes_unref(NULL);
}

static void test_empty(void **state)
{
    struct bytes *bytes = bytes_new(NULL, 0);

    (void)state;
    assert_int_equal(bytes->size, 0);
    assert_string_equal(bytes->data, "");
    bytes_unref(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
