/* Keys that repeat: told with their paths, and the last value counts. */
#include "controller/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static const struct row {
    const char *name;
    const char *text;
    const char *paths; /* each with a space behind it */
    const char *tree;
} rows[] = {
    {"none",             "{\"a\":1,\"b\":[{\"a\":1},{\"a\":1}]}",             "",          "{\"a\":1,\"b\":[{\"a\":1},{\"a\":1}]}"},
    {"the last counts",  "{\"a\":1,\"b\":2,\"a\":3}",                         "a ",        "{\"a\":3,\"b\":2}"                    },
    {"null last",        "{\"a\":1,\"a\":null}",                              "a ",        "{\"a\":null}"                         },
    {"told once",        "{\"a\":1,\"a\":2,\"a\":3}",                         "a ",        "{\"a\":3}"                            },
    {"in a list",        "{\"l\":[{},{\"x\":1,\"x\":2}]}",                    "l[1].x ",   "{\"l\":[{},{\"x\":2}]}"               },
    {"list of lists",    "[[{\"x\":1,\"x\":2}]]",                             "[0][0].x ", "[[{\"x\":2}]]"                        },
    {"in order",         "{\"b\":{\"k\":1,\"k\":2},\"a\":1,\"b\":3,\"a\":2}", "b.k b a ",
     "{\"b\":3,\"a\":2}"                                                                                                          },
    {"by what it means", "{\"a\":1,\"\\u0061\":2}",                           "a ",        "{\"a\":2}"                            },
    {"an empty key",     "{\"x\":{\"\":1,\"\":2}}",                           "x. ",       "{\"x\":{\"\":2}}"                     },
    {"space around",     " { \"a\" : 1 , \"a\" : { } } ",                     "a ",        "{\"a\":{}}"                           },
};

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *tree = NULL;
        struct json_repeats repeats = {0};
        struct buffer paths = BUFFER_INIT(1024);
        struct error err = ERROR_INIT;
        char *text;
        size_t size;

        if (!json_parse_repeating(rows[i].text, strlen(rows[i].text), 1024, &tree, &repeats, &err))
            fail_msg("%s: %s", rows[i].name, err.text);
        for (size_t k = 0; k < repeats.count; k++)
            buffer_append_format(&paths, "%s ", repeats.paths[k]);
        text = json_to_text(tree, &size);
        if (strcmp(buffer_text(&paths), rows[i].paths) != 0 || strcmp(text, rows[i].tree) != 0)
            fail_msg("%s: %s: %s", rows[i].name, buffer_text(&paths), text);
        free(text);
        buffer_release(&paths);
        json_repeats_release(&repeats);
        json_object_put(tree);
    }
}

/* Texts of keys from 0 to count - 1, each twice. */
static struct buffer many(size_t count, size_t key_size)
{
    struct buffer text = BUFFER_INIT((size_t)16 * 1024 * 1024);

    buffer_append_char(&text, '{');
    for (size_t i = 0; i < 2 * count; i++)
        buffer_append_format(&text, "%s\"%0*zu\":1", i == 0 ? "" : ",", (int)key_size, i / 2);
    buffer_append_char(&text, '}');
    return text;
}

/* Both sides of how many are told, and of how long a path is told. */
static void test_limits(void **state)
{
    static const struct {
        size_t count;
        size_t key_size;
        size_t told;
        size_t path_size;
    } limits[] = {
        {JSON_REPEATS_MAX,     8,    JSON_REPEATS_MAX, 8   },
        {JSON_REPEATS_MAX + 1, 8,    JSON_REPEATS_MAX, 8   },
        {1,                    4096, 1,                4096},
        {1,                    4097, 1,                4096},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        struct buffer text = many(limits[i].count, limits[i].key_size);
        struct json_repeats repeats = {0};
        struct json_object *tree = NULL;
        struct error err = ERROR_INIT;

        assert_true(json_parse_repeating(text.bytes, text.size, SIZE_MAX, &tree, &repeats, &err));
        assert_int_equal(repeats.count, limits[i].told);
        assert_int_equal(strlen(repeats.paths[0]), limits[i].path_size);
        assert_int_equal(json_object_object_length(tree), limits[i].count);
        json_repeats_release(&repeats);
        json_object_put(tree);
        buffer_release(&text);
    }
}

/* What else the gate refuses stays refused. */
static void test_refused(void **state)
{
    static const char *const texts[] = {"", "{\"a\":1,\"a\":}", "{\"a\":1,\"a\":2", "[1 2]"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct json_repeats repeats = {0};
        struct json_object *tree = NULL;
        struct error err = ERROR_INIT;

        if (json_parse_repeating(texts[i], strlen(texts[i]), 1024, &tree, &repeats, &err))
            fail_msg("%s: is taken", texts[i]);
        assert_int_equal(repeats.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
