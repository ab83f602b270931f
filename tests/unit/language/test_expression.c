/* What stands between "${" and "}". */
#include "scenarios/language/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

/* clang-format off */
static const struct expression_name some[] = {
    {.name = "n", .value = {EXPRESSION_NUMBER, 3, NULL}},
    {.name = "word", .value = {EXPRESSION_TEXT, 0, "a ${b} c"}},
    {.name = "yes", .value = {EXPRESSION_FLAG, 1, NULL}},
    {.name = "uid", .later = true},
    {.name = "own", .value = {EXPRESSION_NUMBER, 9, NULL}, .local = true},
};

static const struct row {
    const char *text;
    enum filling want;
    const char *filled; /* the text, the value as a text, or the error */
    size_t offset;      /* of an error */
} rows[] = {
    {"no dollar", FILLING_NONE, NULL, 0},
    {"$ {n}", FILLING_NONE, NULL, 0},
    {"${n}", FILLING_VALUE, "3", 0},
    {"${ n }", FILLING_VALUE, "3", 0},
    {"a${n}b${n}", FILLING_DONE, "a3b3", 0},
    {"${n}${n}", FILLING_DONE, "33", 0},
    {"${word}", FILLING_VALUE, "a ${b} c", 0},
    {"$${n}", FILLING_DONE, "${n}", 0},
    {"$$${n}", FILLING_DONE, "$${n}", 0},
    {"${1 + 2 * 3}", FILLING_VALUE, "7", 0},
    {"${(1 + 2) * 3}", FILLING_VALUE, "9", 0},
    {"${7 / 2} ${-7 / 2} ${7 % 4}", FILLING_DONE, "3 -3 3", 0},
    {"${2 - 3 - 4}", FILLING_VALUE, "-5", 0},
    {"${n == 3 && yes || false}", FILLING_VALUE, "true", 0},
    {"${!(n <= 2) && n >= 3 && n < 4 && n > 2 && n != 4}", FILLING_VALUE, "true", 0},
    {"${n > 2 ? 'many' : 'few'}", FILLING_VALUE, "many", 0},
    {"${n > 3 ? 1 / 0 : n > 2 ? 'two' : 'one'}", FILLING_VALUE, "two", 0},
    {"${'x' == 'x'}", FILLING_VALUE, "true", 0},
    {"${9223372036854775807}", FILLING_VALUE, "9223372036854775807", 0},
    /* what comes later is kept, and what is filled in now is not read again */
    {"${uid}", FILLING_LATER, "${uid}", 0},
    {"${n} ${uid} ${word} $${x}", FILLING_LATER, "3 ${uid} a $${b} c $${x}", 0},
    {"${uid + n}", FILLING_LATER, "${uid + n}", 0},
    {"${uid + own}", FILLING_WRONG, "a value that comes later cannot stand with one of a template",
     12},
    /* mistakes */
    {"${m}", FILLING_WRONG,
     "nothing is named 'm': neither matrix nor bind nor 'with' has it (write $${ for ${)", 2},
    {"a ${wrod}", FILLING_WRONG, "nothing is named 'wrod'; did you mean 'word'?", 4},
    {"${n", FILLING_WRONG, "a '}' is missing here", 3},
    {"${}", FILLING_WRONG, "a name, a number or a 'text' is missing here", 2},
    {"${n +}", FILLING_WRONG, "a name, a number or a 'text' is missing here", 5},
    {"${(n}", FILLING_WRONG, "a ')' is missing here", 4},
    {"${n m}", FILLING_WRONG, "a '}' is missing here", 4},
    {"${yes ? 1}", FILLING_WRONG, "a ':' is missing here", 9},
    {"${'x}", FILLING_WRONG, "the text that begins here has no second '", 2},
    {"${n / 0}", FILLING_WRONG, "a division by 0", 7},
    {"${9223372036854775808}", FILLING_WRONG, "this number is too large", 2},
    {"${9223372036854775807 + 1}", FILLING_WRONG, "the number becomes too large", 25},
    {"${yes + 1}", FILLING_WRONG, "'+' needs numbers, not 'true'", 9},
    {"${!n}", FILLING_WRONG, "'!' needs true or false, not '3'", 4},
    {"${n ? 1 : 2}", FILLING_WRONG, "'?' needs true or false, not '3'", 5},
    {"${n == word}", FILLING_WRONG, "'3' and 'a ${b} c' are of different types and never equal", 11},
};

/* clang-format on */
static void check(const struct row *row)
{
    const struct expression_names names = {some, ARRAY_SIZE(some), false};
    struct arena arena = {0};
    struct expression_value value;
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t offset = 0;
    enum filling got = expression_fill(&arena, row->text, &names, &text, &value, &offset, &err);
    const char *filled = text;

    if (got != row->want)
        fail_msg("%s: got %d, want %d: %s", row->text, (int)got, (int)row->want, err.text);
    if (got == FILLING_VALUE)
        filled = expression_text(&arena, &value);
    if (got == FILLING_WRONG)
        filled = err.text;
    if (row->filled != NULL && strcmp(filled, row->filled) != 0)
        fail_msg("%s: got '%s', want '%s'", row->text, filled, row->filled);
    if (offset != row->offset)
        fail_msg("%s: wrong at %zu, want %zu", row->text, offset, row->offset);
    arena_release(&arena);
}

static void test_texts_are_filled_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

/** Wrong, or not, at so many of them. */
static void check_depth(const char *open, const char *inner, const char *close, size_t count,
                        enum filling want)
{
    const struct expression_names names = {some, ARRAY_SIZE(some), false};
    struct arena arena = {0};
    struct buffer text = BUFFER_INIT(EXPRESSION_BYTES_MAX);
    struct expression_value value;
    struct error err = ERROR_INIT;
    char *filled;
    size_t offset;

    buffer_append_text(&text, "${");
    for (size_t i = 0; i < count; i++)
        buffer_append_text(&text, open);
    buffer_append_text(&text, inner);
    for (size_t i = 0; i < count; i++)
        buffer_append_text(&text, close);
    buffer_append_text(&text, "}");
    assert_int_equal(
        expression_fill(&arena, buffer_text(&text), &names, &filled, &value, &offset, &err), want);
    if (want == FILLING_WRONG)
        assert_string_equal(err.text, "nested too deeply");
    buffer_release(&text);
    arena_release(&arena);
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    check_depth("(", "1", ")", 15, FILLING_VALUE);
    check_depth("(", "1", ")", 20000, FILLING_WRONG);
    check_depth("!", "yes", "", 30, FILLING_VALUE);
    check_depth("-", "1", "", 60000, FILLING_WRONG);
    check_depth("yes ? ", "1", " : 2", 10, FILLING_VALUE);
    check_depth("yes ? ", "1", " : 2", 5000, FILLING_WRONG);
}

static void test_what_comes_out_is_bounded(void **state)
{
    static char large[EXPRESSION_BYTES_MAX];
    const struct expression_name name = {
        .name = "x", .value = {EXPRESSION_TEXT, 0, large}
    };
    const struct expression_names names = {&name, 1, false};
    struct arena arena = {0};
    struct expression_value value;
    struct error err = ERROR_INIT;
    char *text;
    size_t offset;

    (void)state;
    memset(large, 'x', sizeof(large) - 1);
    assert_int_equal(expression_fill(&arena, "${x}${x}${x}", &names, &text, &value, &offset, &err),
                     FILLING_WRONG);
    assert_string_equal(err.text, "the text becomes too long");
    arena_release(&arena);
}

static void test_names(void **state)
{
    (void)state;
    assert_true(expression_is_name("replicas"));
    assert_true(expression_is_name("_a9"));
    assert_false(expression_is_name(""));
    assert_false(expression_is_name("9a"));
    assert_false(expression_is_name("a-b"));
    assert_false(
        expression_is_name("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_are_filled_in),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_what_comes_out_is_bounded),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
