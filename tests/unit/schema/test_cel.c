#include "fakeapi/schema/cel.h"

#include "tests/unit/schema/quoted.h"

static const char self_schema[] =
    "{'type':'object','properties':{"
    "'n':{'type':'integer'},'d':{'type':'number'},'s':{'type':'string'},'b':{'type':'boolean'},"
    "'l':{'type':'array','items':{'type':'string'}},"
    "'m':{'type':'object','additionalProperties':{'type':'integer'}},"
    "'o':{'type':'object','properties':{'x':{'type':'string'},'a-b.c/d__e':{'type':'integer'},"
    "'in':{'type':'integer'}}},"
    "'any':{'x-kubernetes-preserve-unknown-fields':true},"
    "'port':{'x-kubernetes-int-or-string':true}}}";

static const char self_value[] =
    "{'n':3,'d':1.5,'s':'h\xc3\xa9llo','b':true,'l':['a','b','c'],'m':{'k':1,'j':2},"
    "'o':{'a-b.c/d__e':7,'in':8},'any':{'deep':[1]},'port':'http',"
    "'kind':'K','metadata':{'name':'w'}}";

/* clang-format off */
static const struct row {
    const char *text;
    const char *want; /* "true", "false", or an error's text */
} rows[] = {
    {"true", "true"},
    {"!true", "false"},
    {"!!self.b", "true"},
    {"self.n == 3 && self.s == 'h\xc3\xa9llo'", "true"},
    {"self.n == 4 || self.b", "true"},
    {"self.n != 3", "false"},
    {"self.n < 4 && self.n <= 3 && self.n > 2 && self.n >= 3", "true"},
    {"self.d > self.n", "false"},
    {"self.d == 1.5", "true"},
    {"'a' < 'b' && 'a' < 'aa' && !('b' < 'aa')", "true"},
    {"1 + 2 * 3 == 7", "true"},
    {"(1 + 2) * 3 == 9", "true"},
    {"10 - 3 - 2 == 5", "true"},
    {"7 / 2 == 3 && -7 % 3 == -1", "true"},
    {"-self.n == -3", "true"},
    {"'a' + 'b' == 'ab'", "true"},
    {"true || false && false", "true"},
    {"self.b ? self.n == 3 : self.n == 4", "true"},
    {"false ? true : false ? true : false", "false"},
    {"has(self.n) && !has(self.o.x)", "true"},
    {"size(self.s) == 5 && self.l.size() == 3 && size(self.m) == 2", "true"},
    {"self.s in ['x', 'h\xc3\xa9llo']", "true"},
    {"'a' in self.l && !('z' in self.l) && 'k' in self.m", "true"},
    {"self.l[0] == 'a' && self.m['j'] == 2 && self.m.k == 1", "true"},
    {"[1, 2][1] == 2 && [] == []", "true"},
    {"self.s.startsWith('h') && self.s.endsWith('lo') && self.s.contains('ll')", "true"},
    {"'ab'.startsWith('abc') || 'ab'.endsWith('cab')", "false"},
    {"self.s.matches('^h.l+o$')", "true"},
    {"self.s.matches(r'^\\\\w$')", "false"},
    {"self.l.all(x, size(x) == 1)", "true"},
    {"self.l.all(x, x != 'b')", "false"},
    {"self.l.exists(x, x == 'b')", "true"},
    {"self.l.exists_one(x, x < 'c')", "false"},
    {"self.m.all(k, self.m[k] > 0)", "true"},
    {"self.l.all(x, self.l.exists(y, x == y))", "true"},
    {"self.o.a__dash__b__dot__c__slash__d__underscores__e == 7 && self.o.__in__ == 8", "true"},
    {"self.kind == 'K' && self.metadata.name == 'w'", "true"},
    {"self.any.deep[0] == 1", "true"},
    {"self.port == 'http' || self.port > 5", "true"},
    {"null == null", "true"},
    {"\"a'b\" != 'a'", "true"},
    {"'a\\\\'b' == \"a'b\"", "true"},
    /* an error matters only where the other side does not decide */
    {"self.o.x == 'y' || true", "true"},
    {"true || self.o.x == 'y'", "true"},
    {"self.o.x == 'y' && false", "false"},
    {"self.o.x == 'y' || false", "no such key: x"},
    {"self.l.exists(x, self.m[x] == 1 || x == 'c')", "true"},
    {"self.o.x == 'y'", "no such key: x"},
    {"self.l[3] == 'a'", "index out of bounds: 3"},
    {"self.m['z'] == 1", "no such key: z"},
    {"1 / (self.n - 3) == 1", "division by zero"},
    {"1 % (self.n - 3) == 1", "modulus by zero"},
    {"9223372036854775807 + self.n == 1", "integer overflow"},
    {"self.any && true", "no such overload"},
    {"self.port < 5", "no such overload"},
    /* what cannot be compiled */
    {"", "ERROR: <input>:1:1: Syntax error: mismatched input '<EOF>'"},
    {"self.n ==", "ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>'"},
    {"(self.b", "ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting ')'"},
    {"self.b self.b", "ERROR: <input>:1:8: Syntax error: extraneous input"},
    {"self.nope", "ERROR: <input>:1:5: undefined field 'nope'"},
    {"self.o.nope == 1", "ERROR: <input>:1:7: undefined field 'nope'"},
    {"has(self.nope)", "ERROR: <input>:1:9: undefined field 'nope'"},
    {"has(self)", "ERROR: <input>:1:1: invalid argument to has() macro"},
    {"self.n.x == 1", "ERROR: <input>:1:7: type 'int' does not support field selection"},
    {"self.n == 'x'", "ERROR: <input>:1:8: found no matching overload for '_==_' applied to "
                      "'(int, string)'"},
    {"self.n && true", "ERROR: <input>:1:8: found no matching overload for '_&&_' applied to "
                       "'(int, bool)'"},
    {"!self.n", "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'"},
    {"self.s + 1 == 'a'", "ERROR: <input>:1:8: found no matching overload for '_+_' applied to "
                          "'(string, int)'"},
    {"self.n.startsWith('a')", "ERROR: <input>:1:7: found no matching overload for 'startsWith' "
                               "applied to '(int, string)'"},
    {"self.n in 5", "ERROR: <input>:1:8: found no matching overload for '@in' applied to "
                    "'(int, int)'"},
    {"x == 1", "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')"},
    {"self.l.all(x, true) && x == 1",
     "ERROR: <input>:1:24: undeclared reference to 'x' (in container '')"},
    {"self.n.all(x, true)",
     "ERROR: <input>:1:7: expression of type 'int' cannot be range of a comprehension"},
    {"duration('1s') == duration('1s')",
     "ERROR: <input>:1:1: undeclared reference to 'duration' (in container '')"},
    {"self.l.map(x, x) == []", "ERROR: <input>:1:7: undeclared reference to 'map' (in container "
                               "'')"},
    {"self.s.matches(self.s)", "ERROR: <input>:1:7: matches() takes a literal here"},
    {"self.s == 'x", "ERROR: <input>:1:11: Syntax error: unterminated string"},
    {"self.n == 12x", "ERROR: <input>:1:11: Syntax error: not a decimal number"},
    {"self.n == 99999999999999999999", "ERROR: <input>:1:11: invalid int literal"},
    {"self.n @ 1", "ERROR: <input>:1:8: Syntax error: token recognition error at: '@'"},
    {"self.n", "must evaluate to a bool"},
};
/* clang-format on */

/* The result of an expression as rows[].want has it; free() it. */
static char *result_of(const struct schema *schema, const char *text, uint64_t steps)
{
    struct json_object *self = quoted(self_value);
    struct json_object *value = NULL;
    struct cel_program *program = NULL;
    struct error err = ERROR_INIT;
    char *result;

    if (cel_compile(text, schema, true, CEL_GIVES_BOOL, &program, &err) &&
        cel_evaluate(program, self, NULL, &steps, &value, &err))
        result = xstrdup(json_object_get_boolean(value) ? "true" : "false");
    else
        result = xstrdup(err.text);
    json_object_put(value);
    cel_free(program);
    json_object_put(self);
    return result;
}

/* Takes "\\\\" for one backslash, as quoted() would. */
static char *unescaped(const char *text)
{
    char *copy = xstrdup(text);
    char *to = copy;

    for (const char *from = copy; *from != '\0'; from++) {
        if (from[0] == '\\' && from[1] == '\\')
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return copy;
}

static void test_rows(void **state)
{
    struct schema *schema = schema_of(self_schema);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *text = unescaped(rows[i].text);
        char *result = result_of(schema, text, CEL_STEPS_MAX);

        if (strcmp(result, rows[i].want) != 0)
            fail_msg("%s: got %s", text, result);
        free(result);
        free(text);
    }
    schema_unref(schema);
}

static void test_old_self(void **state)
{
    struct schema *schema = schema_of("{'type':'object'}");
    struct cel_program *program = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(cel_compile("self == oldSelf", schema, false, CEL_GIVES_BOOL, &program, &err));
    assert_true(cel_uses_old_self(program));
    cel_free(program);
    assert_true(cel_compile("self == self", schema, false, CEL_GIVES_BOOL, &program, &err));
    assert_false(cel_uses_old_self(program));
    cel_free(program);
    assert_false(cel_compile("self.kind == ''", schema, false, CEL_GIVES_BOOL, &program, &err));
    schema_unref(schema);
}

static void test_steps(void **state)
{
    struct schema *schema = schema_of(self_schema);
    char *enough = result_of(schema, "self.n == 3", 4);
    char *few = result_of(schema, "self.n == 3", 3);

    (void)state;
    assert_string_equal(enough, "true");
    assert_string_equal(few, "validation failed due to running out of cost budget, no further "
                             "validation rules will be run");
    free(few);
    free(enough);
    schema_unref(schema);
}

static bool compiles_nested(const struct schema *schema, const char *open, const char *close,
                            size_t depth)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct cel_program *program = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    for (size_t i = 0; i < depth; i++)
        buffer_append_text(&text, open);
    buffer_append_text(&text, "true");
    for (size_t i = 0; i < depth; i++)
        buffer_append_text(&text, close);
    ok = cel_compile(buffer_text(&text), schema, true, CEL_GIVES_BOOL, &program, &err);
    cel_free(ok ? program : NULL);
    buffer_release(&text);
    return ok;
}

static void test_limits(void **state)
{
    struct schema *schema = schema_of(self_schema);

    (void)state;
    assert_true(compiles_nested(schema, "(", ")", 20));
    assert_false(compiles_nested(schema, "(", ")", CEL_DEPTH_MAX));
    assert_true(compiles_nested(schema, "!", "", CEL_DEPTH_MAX - 2));
    assert_false(compiles_nested(schema, "!", "", CEL_DEPTH_MAX));
    assert_true(compiles_nested(schema, "true||", "", 200));
    assert_false(compiles_nested(schema, "true||", "", 201));
    assert_true(compiles_nested(schema, " ", "", CEL_BYTES_MAX - 4));
    assert_false(compiles_nested(schema, " ", "", CEL_BYTES_MAX - 3));
    schema_unref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_old_self),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
