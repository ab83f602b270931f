/* Slices: values found in a text without a tree. */
#include "controller/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/prng.h"
#include "controller/base/text.h"

static struct json_slice slice(const char *text)
{
    return (struct json_slice){.bytes = text, .size = strlen(text)};
}

static const struct {
    const char *object;
    const char *key;
    const char *want; /* NULL: no such value */
} get_rows[] = {
    {"{\"a\":1}",                               "a",                "1"           },
    {"{\"a\":1}",                               "b",                NULL          },
    {" { \"a\" : 1 , \"b\" : [ 1, 2 ] } ",      "a",                "1"           },
    {" { \"a\" : 1 , \"b\" : [ 1, 2 ] } ",      "b",                "[ 1, 2 ]"    },
    {"{\"a\":null}",                            "a",                "null"        },
    {"{\"a\":{\"b\":1},\"b\":2}",               "b",                "2"           },
    {"{\"x\":\"\\\"b\\\":1\",\"b\":2}",         "b",                "2"           },
    {"{\"x\":[{\"b\":1},\"}\",\"]\"],\"b\":2}", "b",                "2"           },
    {"{\"x\":\"\\\\\",\"b\":\"\\\\\\\"\"}",     "b",                "\"\\\\\\\"\""},
    {"{\"\\u0061\":1}",                         "a",                "1"           },
    {"{\"\\ud83d\\ude00\":1}",                  "\xf0\x9f\x98\x80", "1"           },
    {"{\"a\\\\b\":1}",                          "a\\b",             "1"           },
    {"{\"ab\":1,\"a\":2}",                      "a",                "2"           },
    {"{\"\":1}",                                "",                 "1"           },
    {"{\"a\":-1.5e3,\"b\":true}",               "a",                "-1.5e3"      },
    {"{}",                                      "a",                NULL          },
    {"[\"a\",1]",                               "a",                NULL          },
    {"\"a\"",                                   "a",                NULL          },
    {"1",                                       "a",                NULL          },
};

static void test_get(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(get_rows); i++) {
        struct json_slice got = json_slice_get(slice(get_rows[i].object), get_rows[i].key);
        char *text = got.bytes == NULL ? NULL : xmemdup(got.bytes, got.size);

        if (!text_equal(text, get_rows[i].want))
            fail_msg("%s of %s: got %s", get_rows[i].key, get_rows[i].object,
                     text_or(text, "none"));
        free(text);
    }
    assert_null(json_slice_get((struct json_slice){0}, "a").bytes);
}

static const struct {
    const char *text;
    const char *want; /* the items, each in angle brackets */
} items_rows[] = {
    {"[]",                                 ""                                      },
    {" [ ] ",                              ""                                      },
    {"[1]",                                "<1>"                                   },
    {"[1,\"a,b\",[2,3],{\"c\":[4]},null]", "<1><\"a,b\"><[2,3]><{\"c\":[4]}><null>"},
    {" [ 1 , 2 , [ ] ] ",                  "<1><2><[ ]>"                           },
    {"[[[]],[]]",                          "<[[]]><[]>"                            },
    {"[\"]\",\"\\\"]\"]",                  "<\"]\"><\"\\\"]\">"                    },
    {"{\"a\":1}",                          ""                                      },
    {"\"[1]\"",                            ""                                      },
    {"null",                               ""                                      },
};

static void test_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(items_rows); i++) {
        struct buffer got = BUFFER_INIT(1000);
        struct json_slice item;
        size_t next = 0;

        while (json_slice_next(slice(items_rows[i].text), &next, &item))
            buffer_append_format(&got, "<%.*s>", (int)item.size, item.bytes);
        if (strcmp(buffer_text(&got), items_rows[i].want) != 0)
            fail_msg("%s: got %s", items_rows[i].text, buffer_text(&got));
        assert_false(json_slice_next(slice(items_rows[i].text), &next, &item));
        buffer_release(&got);
    }
}

static void test_members(void **state)
{
    struct json_slice object = slice(" { \"a\" : 1 , \"b\\n\":{\"x\":[]},\"c\":\"}\" } ");
    struct buffer got = BUFFER_INIT(1000);
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;

    (void)state;
    while (json_slice_next_member(object, &next, &key, &value))
        buffer_append_format(&got, "<%.*s=%.*s>", (int)key.size, key.bytes, (int)value.size,
                             value.bytes);
    assert_string_equal(buffer_text(&got), "<\"a\"=1><\"b\\n\"={\"x\":[]}><\"c\"=\"}\">");
    buffer_release(&got);
    next = 0;
    assert_false(json_slice_next_member(slice("{}"), &next, &key, &value));
    assert_false(json_slice_next_member(slice("[1]"), &next, &key, &value));
}

static const struct {
    const char *value;
    const char *want;
} text_rows[] = {
    {"\"\"",                ""             },
    {"\"abc\"",             "abc"          },
    {"\"a\\n\\u00e9\\\\\"", "a\n\xc3\xa9\\"},
    {"\"a\\u0000b\"",       NULL           },
    {"1",                   NULL           },
    {"null",                NULL           },
    {"[]",                  NULL           },
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(text_rows); i++) {
        char *text = json_slice_text(slice(text_rows[i].value));

        if (!text_equal(text, text_rows[i].want))
            fail_msg("%s: got %s", text_rows[i].value, text_or(text, "none"));
        free(text);
    }
    assert_null(json_slice_text((struct json_slice){0}));
}

static void test_parsing(void **state)
{
    struct json_slice list = slice("{\"items\":[{\"a\":1},2,\"x\"]}");
    struct json_slice items = json_slice_get(list, "items");
    struct json_slice item;
    struct json_object *value;
    size_t next = 0;

    (void)state;
    assert_true(json_slice_next(items, &next, &item));
    value = json_slice_parse(item);
    assert_int_equal(json_get_int64(value, "a", 0), 1);
    json_object_put(value);
    assert_true(json_slice_next(items, &next, &item));
    value = json_slice_parse(item);
    assert_int_equal(json_object_get_int64(value), 2);
    json_object_put(value);
    assert_null(json_slice_parse(slice(" null ")));
}

static void test_parsing_without(void **state)
{
    static const char *const names[] = {"env", "managedFields"};
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"{\"a\":1,\"env\":[{\"name\":\"A\"},\"]\"],\"z\":2}", "{\"a\":1,\"z\":2}"                    },
        {"{\"env\" : [1] }",                                   "{}"                                   },
        {"[{\"s\":{\"managedFields\":[],\"env\":[[]]}}]",      "[{\"s\":{}}]"                         },
 /* only lists, and only those */
        {"{\"labels\":{\"env\":\"prod\"},\"env\":{\"a\":1}}",
         "{\"labels\":{\"env\":\"prod\"},\"env\":{\"a\":1}}"                                          },
        {"{\"envs\":[1],\"en\":[2],\"en\\u0076\":[3]}",        "{\"envs\":[1],\"en\":[2],\"env\":[3]}"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *got =
            json_slice_parse_without(slice(rows[i].text), names, ARRAY_SIZE(names));
        size_t size;
        char *text = json_to_text(got, &size);

        assert_string_equal(text, rows[i].want);
        free(text);
        json_object_put(got);
    }
}

/* Not for such texts, but reading past their end would be worse than a wrong answer. */
static void test_unchecked_texts(void **state)
{
    static const char *const texts[] = {
        "{",        "[",  "{\"",    "{\"a",     "{\"a\"",     "{\"a\":",
        "{\"a\":1", "[1", "[1,",    "[\"a\\",   "{\"a\":\"x", "[[",
        "{\"a\":[", "]",  "{\"a\\", "{\"a\"\"", "[\"\\\"",    "{\"\\u",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        size_t size = strlen(texts[i]);
        char *copy = xcalloc(size, 1);
        struct json_slice whole = {.bytes = copy, .size = size};
        struct json_slice value;
        struct json_slice key;
        size_t next = 0;
        int steps = 0;

        memcpy(copy, texts[i], size);
        while (json_slice_next(whole, &next, &value) && steps < 10)
            steps++;
        next = 0;
        while (json_slice_next_member(whole, &next, &key, &value) && steps < 20)
            steps++;
        assert_true(steps < 10);
        free(copy);
    }
}

/* A random value, full of what could be taken for its end. */
static void append_random(struct buffer *buffer, struct prng *prng, unsigned depth)
{
    static const char *const scalars[] = {"1",
                                          "null",
                                          "\"\"",
                                          "\"]}\"",
                                          "\"{[\"",
                                          "\"\\\"}\"",
                                          "\"\\\\\"",
                                          "\"a,b:c\"",
                                          "\"a rather long text, so that whole blocks of bytes are "
                                          "inside of it, with \\n and ] and } "
                                          "and \xc3\xa9\""};
    bool object = prng_below(prng, 2) == 0;
    uint64_t count = prng_below(prng, 4);

    if (depth == 0) {
        buffer_append_text(buffer, scalars[prng_below(prng, ARRAY_SIZE(scalars))]);
        return;
    }
    buffer_append_char(buffer, object ? '{' : '[');
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ',');
        if (object)
            buffer_append_format(buffer, "\"]%d\":", (int)i);
        append_random(buffer, prng, depth - 1);
    }
    buffer_append_char(buffer, object ? '}' : ']');
}

static void test_random(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    for (unsigned round = 0; round < 3000; round++) {
        struct buffer value = BUFFER_INIT(100000);
        struct buffer text = BUFFER_INIT(200000);
        struct json_slice got;

        append_random(&value, &prng, (unsigned)prng_below(&prng, 5));
        buffer_append_format(&text, "{%*s\"x\":%s,\"tail\":[]}", (int)prng_below(&prng, 80), "",
                             buffer_text(&value));
        assert_true(json_check(text.bytes, text.size, text.size, NULL));
        got = json_slice_get((struct json_slice){text.bytes, text.size}, "x");
        if (got.size != value.size || memcmp(got.bytes, value.bytes, value.size) != 0)
            fail_msg("round %u: %s: got %.*s", round, text.bytes, (int)got.size, got.bytes);
        got = json_slice_get((struct json_slice){text.bytes, text.size}, "tail");
        assert_int_equal(got.size, 2);
        buffer_release(&text);
        buffer_release(&value);
    }
}

/* A text that ends too early ends there: no byte behind it is read. */
static void test_cut_short(void **state)
{
    static const char text[] = "{\"a\":[{\"b\":\"c\\\"}]\"},2],\"d\":{\"e\":\"a text of many "
                               "bytes, so many that they fill more than a block\\\\\"}}";

    (void)state;
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        char *copy = xrealloc(NULL, size == 0 ? 1 : size);
        struct json_slice got;

        memcpy(copy, text, size);
        got = json_slice_get((struct json_slice){copy, size}, "zzz");
        assert_null(got.bytes);
        free(copy);
    }
}

static const struct {
    const char *value;
    const char *want;
} compact_rows[] = {
    {" 1 ",                                   "1"                                      },
    {"{ \"a\" : [ 1 ,\t2\r\n] , \"b\":{ } }", "{\"a\":[1,2],\"b\":{}}"                 },
    {"[ true , false , null ]",               "[true,false,null]"                      },
    {"[1.0, -0, 1E3, 0.10]",                  "[1.0,-0,1E3,0.10]"                      },
    {"\" a  b \"",                            "\" a  b \""                             },
    {"[\"\\\\\", \"\\\"\", \"\" ]",           "[\"\\\\\",\"\\\"\",\"\"]"               },
    {"{ \"\\u0061 b\" : \"\\/\" }",           "{\"a b\":\"/\"}"                        },
    {"\"\\ud83d\\ude00\\ud83d\\u0000\"",      "\"\xf0\x9f\x98\x80\xef\xbf\xbd\\u0000\""},
    {"\"\xc3\xa9\"",                          "\"\xc3\xa9\""                           },
};

static void test_compact(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(compact_rows); i++) {
        struct buffer got = BUFFER_INIT(SIZE_MAX / 2);

        json_append_compact(&got, slice(compact_rows[i].value));
        if (!text_equal(buffer_text(&got), compact_rows[i].want))
            fail_msg("%s: got %s", compact_rows[i].value, buffer_text(&got));
        buffer_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_parsing),
        cmocka_unit_test(test_parsing_without),
        cmocka_unit_test(test_unchecked_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
