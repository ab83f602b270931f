/* Writing YAML: the form, and that it reads back equal. */
#include "controller/base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *json;
    const char *want; /* NULL: it only has to read back */
} rows[] = {
    {"null",                                                                                "null\n"                                   },
    {"12",                                                                                  "12\n"                                     },
    {"1.50",                                                                                "1.50\n"                                   },
    {"\"a\"",                                                                               "a\n"                                      },
    {"{}",                                                                                  "{}\n"                                     },
    {"[]",                                                                                  "[]\n"                                     },
    {"{\"a\":1,\"b\":[1,\"x\",null,true]}",                                                 "a: 1\nb:\n- 1\n- x\n- null\n- true\n"     },
    {"{\"a\":{\"b\":{\"c\":{}}},\"d\":[]}",                                                 "a:\n  b:\n    c: {}\nd: []\n"             },
    {"[{\"a\":1,\"b\":{\"c\":2}},{\"d\":[3]}]",                                             "- a: 1\n  b:\n    c: 2\n- d:\n  - 3\n"    },
    {"[[1,[2]],[]]",                                                                        "- - 1\n  - - 2\n- []\n"                   },
    {"\"\"",                                                                                "\"\"\n"                                   },
    {"[\"true\",\"null\",\"~\",\"12\",\"1.5\"]",
     "- \"true\"\n- \"null\"\n- \"~\"\n- \"12\"\n- \"1.5\"\n"                                                                          },
    {"[\"yes\",\"No\",\"on\",\"y\"]",                                                       "- \"yes\"\n- \"No\"\n- \"on\"\n- \"y\"\n" },
    {"[\"2024-02-29\",\"0x1f\",\"1e3\"]",                                                   "- \"2024-02-29\"\n- \"0x1f\"\n- \"1e3\"\n"},
    {"[\"a b\",\"v1.2\",\"/x/y\",\"a:b\",\"a@b\"]",                                         "- a b\n- v1.2\n- /x/y\n- a:b\n- a@b\n"    },
    {"[\"a: b\",\"a #b\",\" a\",\"a \",\"a:\"]",
     "- \"a: b\"\n- \"a #b\"\n- \" a\"\n- \"a \"\n- \"a:\"\n"                                                                          },
    {"[\"-\",\"- a\",\"?\",\"? a\",\"%a\",\"---\",\"&a\",\"*a\",\"!a\",\"#\",\"@\",\"`\"]", NULL                                       },
    {"[\"[\",\"]\",\"{\",\"}\",\",\",\"|\",\">\",\"'\",\"\\\"\",\"\\\\\",\"<<\"]",          NULL                                       },
    {"{\"\":1,\"true\":2,\"a: b\":3,\"<<\":4,\"1\":5,\"? x\":6}",                           NULL                                       },
    {"{\"t\":\"a\\nb\\n\"}",                                                                "t: |\n  a\n  b\n"                         },
    {"{\"t\":\"a\\nb\"}",                                                                   "t: |-\n  a\n  b\n"                        },
    {"{\"t\":\"a\\n\\n  b\\n\\tc\"}",                                                       NULL                                       },
    {"{\"t\":{\"u\":\"a\\n? b\\n\"},\"v\":[\"x\\ny\\n\"]}",
     "t:\n  u: |\n    a\n    ? b\nv:\n- |\n  x\n  y\n"                                                                                 },
    {"{\"t\":\"a\\n? b\\n\",\"u\":\"\\u001f\"}",                                            NULL                                       },
    {"{\"t\":\"a\\n  \\nb\"}",                                                              "t: \"a\\n  \\nb\"\n"                      },
    {"{\"t\":\" a\\nb\",\"u\":\"\\na\",\"v\":\"a\\n\\n\",\"w\":\"\\n\"}",                   NULL                                       },
    {"{\"t\":\"a\\r\\nb\",\"u\":\"a\\tb\",\"v\":\"\\u0001\\u007f\\u0085\"}",                NULL                                       },
    {"{\"t\":\"a \\nb \\n\"}",                                                              NULL                                       },
    {"[\"\\u00e9\",\"\\ufeff\",\"\\u2028\",\"\\ud83d\\ude00\",\"\\uffff\",\"\\ue000\"]",    NULL                                       },
    {"{\"a\":\"--- x\\n...\\n\"}",                                                          NULL                                       },
    {"\"a\\n--- b\\nc\"",                                                                   NULL                                       },
    {"[\"a\\n#b\\n\",\"x\\n%y\\n\"]",                                                       NULL                                       },
    {"[\"\\u001f\\u001e\\u001d\\u001c\\u001b\\u001a\\u0019\\u0018\\u0017\\u0016\\u0015\\u0014"
     "\\u0013\\u0012\\u0011\\u0010\\u000f\\u000e\\u000d\\u000c\\u000b\\u0008\\u0007\\u0006\\u0005"
     "\\u0004\\u0003\\u0002\\u0001 ? \",\"x? \\n? y\\n\",{\"? \":\"?\"}]",             NULL                                       },
    {"[0.1,1e22,-0.0,18446744073709551615,-9223372036854775808]",                           NULL                                       },
};

static void check_reads_back(const struct json_object *value, const char *name,
                             const struct buffer *text)
{
    struct json_object *again;
    struct yaml_document *document;
    struct error err = ERROR_INIT;

    if (!yaml_parse(text->bytes, text->size, SIZE_MAX, &document, NULL, NULL, &err))
        fail_msg("%s: %s in %s", name, err.text, buffer_text(text));
    again = yaml_to_json(yaml_root(document));
    if (!json_equal(value, again))
        fail_msg("%s: reads back otherwise from %s", name, buffer_text(text));
    json_object_put(again);
    yaml_free(document);
}

/* The same in one line, by itself and under a key. */
static void check_flow(const struct json_object *value, const char *name)
{
    struct json_object *holder = json_object_new_object();
    struct buffer text = BUFFER_INIT(100000);

    yaml_append_flow(&text, value);
    assert_null(strchr(buffer_text(&text), '\n'));
    check_reads_back(value, name, &text);
    buffer_clear(&text);
    json_set(holder, name, json_copy(value));
    yaml_append_key(&text, name);
    buffer_append_char(&text, ' ');
    yaml_append_flow(&text, value);
    check_reads_back(holder, name, &text);
    json_object_put(holder);
    buffer_release(&text);
}

static void check_row(size_t i)
{
    struct json_object *value = NULL;
    struct buffer text = BUFFER_INIT(100000);
    struct error err = ERROR_INIT;

    if (!json_parse(rows[i].json, strlen(rows[i].json), SIZE_MAX, &value, &err))
        fail_msg("%s: %s", rows[i].json, err.text);
    yaml_append(&text, value);
    if (rows[i].want != NULL && strcmp(buffer_text(&text), rows[i].want) != 0)
        fail_msg("%s: got %s", rows[i].json, buffer_text(&text));
    check_reads_back(value, rows[i].json, &text);
    check_flow(value, rows[i].json);
    json_object_put(value);
    buffer_release(&text);
}

static const struct {
    const char *json;
    const char *want;
} lines[] = {
    {"null",                                             "null"                             },
    {"{}",                                               "{}"                               },
    {"[]",                                               "[]"                               },
    {"{\"a\":1,\"b\":[1,\"x\",null,true,{}]}",           "{a: 1, b: [1, x, null, true, {}]}"},
    {"{\"a b\":\"30s\",\"c,d\":\"e, f\",\"g\":\"h:1\"}",
     "{a b: 30s, \"c,d\": \"e, f\", g: \"h:1\"}"                                            },
    {"[\"one\\ntwo\\n\",\"12\",\"/^a.*$/\",\"ctl-*\"]",
     "[\"one\\ntwo\\n\", \"12\", /^a.*$/, ctl-*]"                                           },
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct json_object *value = NULL;
        struct buffer text = BUFFER_INIT(1000);
        struct error err = ERROR_INIT;

        assert_true(json_parse(lines[i].json, strlen(lines[i].json), SIZE_MAX, &value, &err));
        yaml_append_flow(&text, value);
        if (strcmp(buffer_text(&text), lines[i].want) != 0)
            fail_msg("%s: got %s", lines[i].json, buffer_text(&text));
        json_object_put(value);
        buffer_release(&text);
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(i);
}

/* Each ASCII character but NUL: alone, first, last, twice, and in the middle of lines. */
static void test_every_character(void **state)
{
    static const char *const frames[] = {"%c", "%cx", "x%c", "%c%c", "x\n%cy", "x%c y", "x\ny%c\n"};

    (void)state;
    for (int character = 1; character < 128; character++) {
        struct json_object *array = json_object_new_array();
        struct json_object *again;
        struct yaml_document *document;
        struct buffer text = BUFFER_INIT(100000);
        struct error err = ERROR_INIT;

        for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
            char string[16] = "";
            size_t size = 0;

            for (const char *at = frames[i]; *at != '\0'; at++) {
                if (*at == '%')
                    string[size++] = (char)character;
                else if (at == frames[i] || at[-1] != '%')
                    string[size++] = *at;
            }
            json_add(array, json_object_new_string(string));
        }
        yaml_append(&text, array);
        if (!yaml_parse(text.bytes, text.size, SIZE_MAX, &document, NULL, NULL, &err))
            fail_msg("character %d: %s", character, err.text);
        again = yaml_to_json(yaml_root(document));
        if (!json_equal(array, again))
            fail_msg("character %d: reads back otherwise from %s", character, buffer_text(&text));
        buffer_clear(&text);
        yaml_append_flow(&text, array);
        check_reads_back(array, "in one line", &text);
        json_object_put(again);
        json_object_put(array);
        yaml_free(document);
        buffer_release(&text);
    }
}

/* A string as an item, a key and a value: each reads back. */
static void check_string(const char *string)
{
    struct json_object *value = json_object_new_array();
    struct json_object *again;
    struct yaml_document *document;
    struct buffer text = BUFFER_INIT(100000);
    struct error err = ERROR_INIT;

    json_add(value, json_object_new_string(string));
    json_add(value, json_object_new_object());
    json_set_text(json_object_array_get_idx(value, 1), string, string);
    yaml_append(&text, value);
    if (!yaml_parse(text.bytes, text.size, SIZE_MAX, &document, NULL, NULL, &err))
        fail_msg("%zu bytes: %s", strlen(string), err.text);
    again = yaml_to_json(yaml_root(document));
    assert_true(json_equal(value, again));
    json_object_put(again);
    json_object_put(value);
    yaml_free(document);
    buffer_release(&text);
}

static void test_many_blanks(void **state)
{
    static const char *const behinds[] = {"b", "\nb", "", ": b", "\n"};
    char string[4 * YAML_BLANKS_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(behinds); i++) {
        for (unsigned count = YAML_BLANKS_MAX - 2; count <= YAML_BLANKS_MAX + 2; count++) {
            memset(string, ' ', sizeof(string));
            string[0] = 'a';
            strcpy(string + 1 + count, behinds[i]);
            check_string(string);
            memset(string + 1, '\t', count);
            check_string(string);
        }
        memset(string, ' ', sizeof(string));
        strcpy(string + 3 * YAML_BLANKS_MAX + 1, behinds[i]);
        check_string(string);
    }
}

static void test_many_blank_lines(void **state)
{
    char string[YAML_BLANK_LINES_MAX + 8];

    (void)state;
    for (unsigned count = YAML_BLANK_LINES_MAX - 1; count <= YAML_BLANK_LINES_MAX + 3; count++) {
        memset(string, '\n', sizeof(string));
        string[0] = 'a';
        strcpy(string + 1 + count, "b");
        check_string(string);
    }
}

static void test_deepest(void **state)
{
    struct json_object *value = json_object_new_string("x");
    struct yaml_document *document;
    struct buffer text = BUFFER_INIT(1000000);
    struct error err = ERROR_INIT;

    (void)state;
    for (int i = 0; i < YAML_DEPTH_MAX; i++) {
        struct json_object *outer = i % 2 == 0 ? json_object_new_array() : json_object_new_object();

        if (i % 2 == 0)
            json_add(outer, value);
        else
            json_set(outer, "k", value);
        value = outer;
    }
    yaml_append(&text, value);
    if (!yaml_parse(text.bytes, text.size, SIZE_MAX, &document, NULL, NULL, &err))
        fail_msg("%s", err.text);
    yaml_free(document);
    json_object_put(value);
    buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_many_blanks),
        cmocka_unit_test(test_many_blank_lines),
        cmocka_unit_test(test_deepest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
