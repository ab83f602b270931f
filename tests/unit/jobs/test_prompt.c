/* Prompt rendering (RULES 2.6). */
#include "tests/unit/rows.h"

#include "controller/base/attributes.h"
#include "controller/jobs/prompt.h"

static char a_name[] = "a", a_value[] = "1";
static char dotted_name[] = "x.y-Z_9", dotted_value[] = "{a}";
static char empty_name[] = "empty", empty_value[] = "";

static char euro_name[] = "euro", euro_value[] = "\u20ac{a}";

static struct agent_parameter parameters[] = {
    {a_name, a_value},
    {dotted_name, dotted_value},
    {empty_name, empty_value},
    {euro_name, euro_value},
};

static const struct agent_spec spec = {.parameters = parameters,
                                       .parameter_count = ARRAY_SIZE(parameters)};

static const struct prompt_row {
    const char *name;
    const char *template_text;
    const char *want;
} rows[] = {
    {"empty template", "", ""},
    {"no token", "plain", "plain"},
    {"a known name", "x {a} y", "x 1 y"},
    {"twice, back to back", "{a}{a}", "11"},
    {"all characters of a name", "{x.y-Z_9}", "{a}"},
    {"values are not re-scanned", "{x.y-Z_9}{a}", "{a}1"},
    {"an empty value", "[{empty}]", "[]"},
    {"unknown is left", "{b}", "{b}"},
    {"empty braces", "{}", "{}"},
    {"unclosed at the end", "x{a", "x{a"},
    {"a lone brace at the end", "x{", "x{"},
    {"a space inside", "{a b}{a}", "{a b}1"},
    {"a brace before a token", "{{a}}", "{1}"},
    {"closing braces alone", "}a}", "}a}"},
    {"an unclosed brace, then a token", "{a{a}", "{a1"},
    {"a brace of other characters", "{a\u20ac}{a}", "{a\u20ac}1"},
    {"the name is taken whole", "{aa}{A}", "{aa}{A}"},
    {"a value of many bytes", "\u20ac{euro}", "\u20ac\u20ac{a}"},
    {"JSON is copied", "{\"k\": \"{a}\"}", "{\"k\": \"1\"}"},
};

static void test_render(void **state)
{
    const struct prompt_row *row = *state;
    struct error err = ERROR_INIT;
    char *got = NULL;

    if (!prompt_render(row->template_text, &spec, &got, &err))
        fail_msg("2.6 %s: %s", row->name, err.text);
    if (strcmp(got, row->want) != 0)
        fail_msg("2.6 %s: got %s", row->name, got);
    free(got);
}

/* Both sides of the limit: a template of n single-character values. */
static bool render_repeated(size_t count, struct error *err)
{
    struct buffer whole = BUFFER_INIT(4 * PROMPT_BYTES_MAX);
    char *got = NULL;
    bool ok;

    for (size_t i = 0; i < count; i++)
        buffer_append_text(&whole, "{a}");
    ok = prompt_render(buffer_text(&whole), &spec, &got, err);
    if (ok)
        assert_int_equal(strlen(got), count);
    free(got);
    buffer_release(&whole);
    return ok;
}

static void test_limit(void **state)
{
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(render_repeated(PROMPT_BYTES_MAX, &err));
    assert_false(render_repeated(PROMPT_BYTES_MAX + 1, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_string_equal(err.text, "rendered prompt: more than 1048576 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),
    };

    return ROWS_RUN(rows, test_render) + cmocka_run_group_tests(tests, NULL, NULL);
}
