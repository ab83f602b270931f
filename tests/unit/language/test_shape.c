/* Partial matches, and what is said when one fails. */
#include "scenarios/language/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

#define BYTES_MAX 65536

struct world {
    struct arena arena;
    struct problems problems;
    struct yaml_document *document;
    struct json_object *value;
    const struct shape *shape;
};

static void set_up(struct world *world, const char *shape, const char *json)
{
    struct reader reader = {.arena = &world->arena, .problems = &world->problems};
    struct error err = ERROR_INIT;
    char *text = xstrdup(json);

    for (char *at = text; *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    if (!yaml_parse(shape, strlen(shape), BYTES_MAX, &world->document, NULL, NULL, &err) ||
        !json_parse(text, strlen(text), BYTES_MAX, &world->value, &err))
        fail_msg("%s or %s: %s", shape, json, err.text);
    world->shape = shape_read(&reader, yaml_root(world->document));
    free(text);
}

static void tear_down(struct world *world)
{
    (void)json_object_put(world->value);
    yaml_free(world->document);
    problems_release(&world->problems);
    arena_release(&world->arena);
}

static const struct match_row {
    const char *shape;
    const char *json;
    const char *difference; /* "path: expected, got"; NULL: it matches */
} match_rows[] = {
  /* scalars */
    {"a: Succeeded",                         "{'a':'Succeeded','b':1}",                             NULL                                     },
    {"a: Succeeded",                         "{'a':'Failed'}",                                      "a: \"Succeeded\", \"Failed\""           },
    {"a: Succeeded",                         "{}",                                                  "a: \"Succeeded\", nothing"              },
    {"a: 3",                                 "{'a':3}",                                             NULL                                     },
    {"a: 3",                                 "{'a':3.0}",                                           NULL                                     },
    {"a: 3",                                 "{'a':'3'}",                                           "a: 3, \"3\""                            },
    {"a: '3'",                               "{'a':'3'}",                                           NULL                                     },
    {"a: '3'",                               "{'a':3}",                                             "a: \"3\", 3"                            },
    {"a: true",                              "{'a':true}",                                          NULL                                     },
    {"a: true",                              "{'a':'true'}",                                        "a: true, \"true\""                      },
    {"a: null",                              "{}",                                                  NULL                                     },
    {"a: null",                              "{'a':null}",                                          NULL                                     },
    {"a: null",                              "{'a':0}",                                             "a: nothing, 0"                          },
 /* comparisons */
    {"a: '>= 3'",                            "{'a':3}",                                             NULL                                     },
    {"a: '>= 3'",                            "{'a':2.9}",                                           "a: >= 3, 2.9"                           },
    {"a: '> 3'",                             "{'a':3}",                                             "a: > 3, 3"                              },
    {"a: '<= 3'",                            "{'a':3}",                                             NULL                                     },
    {"a: '<3'",                              "{'a':2}",                                             NULL                                     },
    {"a: '< 3'",                             "{'a':3}",                                             "a: < 3, 3"                              },
    {"a: '>= 3'",                            "{}",                                                  "a: >= 3, nothing"                       },
    {"a: '>= 3'",                            "{'a':'5'}",                                           "a: >= 3, \"5\""                         },
    {"a: '> 2024-01-01T00:00:00Z'",          "{'a':'2024-01-01T00:00:01Z'}",                        NULL                                     },
    {"a: '> 2024-01-01T00:00:00Z'",          "{'a':'2024-01-01T00:00:00Z'}",
     "a: > 2024-01-01T00:00:00Z, \"2024-01-01T00:00:00Z\""                                                                                   },
    {"a: '!= Running'",                      "{'a':'Failed'}",                                      NULL                                     },
    {"a: '!= Running'",                      "{}",                                                  NULL                                     },
    {"a: '!= Running'",                      "{'a':'Running'}",                                     "a: != Running, \"Running\""             },
    {"a: '!= 0'",                            "{'a':0}",                                             "a: != 0, 0"                             },
    {"a: '!= 0'",                            "{'a':1}",                                             NULL                                     },
    {"a: <none>",                            "{'a':'<none>'}",                                      NULL                                     },
 /* texts */
    {"a: /^done$/",                          "{'a':'done'}",                                        NULL                                     },
    {"a: /^done$/",                          "{'a':'undone'}",                                      "a: /^done$/, \"undone\""                },
    {"a: /[0-9]+/",                          "{'a':17}",                                            NULL                                     },
    {"a: /x/",                               "{}",                                                  "a: /x/, nothing"                        },
    {"a: = /x/",                             "{'a':'/x/'}",                                         NULL                                     },
    {"a: = /x/",                             "{'a':'x'}",                                           "a: \"/x/\", \"x\""                      },
 /* mappings */
    {"a: {b: {c: 1}}",                       "{'a':{'b':{'c':1,'d':2}}}",                           NULL                                     },
    {"a: {b: {c: 1}}",                       "{'a':{}}",                                            "a.b.c: 1, nothing"                      },
    {"a: {b: {c: 1}}",                       "{'a':5}",                                             "a: a mapping, 5"                        },
    {"a: {b: null}",                         "{}",                                                  NULL                                     },
 /* lists */
    {"a: [1, 2]",                            "{'a':[3,2,1]}",                                       NULL                                     },
    {"a: [1, 1]",                            "{'a':[1,2]}",                                         "a: 1 among its items, [1,2]"            },
    {"a: [1, 2, 3]",                         "{'a':[1,2]}",                                         "a: one more item, 2 items"              },
    {"a: [x]",                               "{'a':'x'}",                                           "a: a list, \"x\""                       },
    {"a: [{t: A}, {t: B, s: 1}]",            "{'a':[{'t':'B','s':2},{'t':'A'}]}",                   "a[0].s: 1, 2"                           },
    {"a: [/./, x]",                          "{'a':['x','y']}",                                     NULL                                     },
    {"a: []",                                "{}",                                                  NULL                                     },
    {"a: {count: 2}",                        "{'a':[1,2]}",                                         NULL                                     },
    {"a: {count: '>= 2'}",                   "{'a':[1]}",                                           "a: >= 2 items, 1 item"                  },
    {"a: {count: 0}",                        "{}",                                                  NULL                                     },
    {"a: {count: 1, has: [{t: A}]}",         "{'a':[{'t':'A'}]}",                                   NULL                                     },
    {"a: {ordered: [1, 3]}",                 "{'a':[1,2,3]}",                                       NULL                                     },
    {"a: {ordered: [3, 1]}",                 "{'a':[1,2,3]}",                                       "a: item 2 of 2 in this order, [1,2,3]"  },
    {"a: {exactly: [1, 2]}",                 "{'a':[1,2]}",                                         NULL                                     },
    {"a: {count: 1}",                        "{'a':[1,2]}",                                         "a: 1 item, 2 items"                     },
    {"a: [x, y]",                            "{'a':['y','z']}",                                     "a: \"x\" among its items, [\"y\",\"z\"]"},
 /* the item that is meant is found by its key */
    {"a: [{type: B, s: 1}]",                 "{'a':[{'type':'A','s':1},{'type':'B','s':2,'r':3}]}",
     "a[type=B].s: 1, 2"                                                                                                                     },
    {"a: [{type: C, s: 1}]",                 "{'a':[{'type':'A','s':1},{'type':'B','s':1}]}",
     "a[type=C]: an item, only A, B"                                                                                                         },
    {"a: [{type: C}]",                       "{'a':[]}",                                            "a[type=C]: an item, an empty list"      },
    {"a: [{name: b, value: x}]",             "{'a':[{'name':'a','value':'x'},{'name':'b'}]}",
     "a[name=b].value: \"x\", nothing"                                                                                                       },
    {"a: [{kind: K, name: b, uid: u}]",
     "{'a':[{'uid':'v','name':'b','kind':'K'},{'uid':'u','name':'c','kind':'K'}]}",                 "a[uid=u].name: \"b\", \"c\""            },
    {"a: [{name: b, l: [{name: c, v: 1}]}]",
     "{'a':[{'name':'b','l':[{'name':'d','v':1},{'name':'c','v':2}]}]}",                            "a[name=b].l[name=c].v: 1, 2"            },
    {"a: [{name: /b/, v: 1}]",               "{'a':[{'name':'b','v':2}]}",                          "a[0].v: 1, 2"                           },
    {"a: {ordered: [{type: B}, {type: A}]}", "{'a':[{'type':'A'},{'type':'B'},{'s':1}]}",
     "a: item 2 of 2 in this order, A, B, ?"                                                                                                 },
    {"a: {exactly: [{type: A}]}",            "{'a':[{'type':'A'},{'type':'B'}]}",                   "a: 1 item, 2 items: A, B"               },
    {"a: {exactly: [1, 2]}",                 "{'a':[2,1]}",                                         "a[0]: 1, 2"                             },
    {"a: {exactly: [1, 2]}",                 "{'a':[1,2,3]}",                                       "a: 2 items, 3 items: [1,2,3]"           },
    {"a: {exactly: []}",                     "{'a':[]}",                                            NULL                                     },
};

static void check_match(const struct match_row *row)
{
    struct world world = {0};
    struct differences differences = {0};
    bool matches;

    set_up(&world, row->shape, row->json);
    assert_int_equal(world.problems.count, 0);
    matches = shape_match(world.shape, world.value, &differences);
    if (matches != shape_match(world.shape, world.value, NULL))
        fail_msg("%s: the answer depends on whether differences are wanted", row->shape);
    if (matches != (row->difference == NULL) || matches != (differences.count == 0))
        fail_msg("%s against %s: %s, with %zu differences", row->shape, row->json,
                 matches ? "matches" : "does not match", differences.count);
    if (row->difference != NULL) {
        const struct difference *first = &differences.items[0];
        char *text = xprintf("%s: %s, %s", first->path, first->expected, first->got);

        assert_string_equal(text, row->difference);
        assert_int_equal(first->place.line, 1);
        assert_true(first->place.column > 1);
        free(text);
    }
    differences_release(&differences);
    tear_down(&world);
}

static void test_matches(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(match_rows); i++)
        check_match(&match_rows[i]);
}

static const struct problem_row {
    const char *shape;
    const char *problem;
} problem_rows[] = {
    {"a: '>= many'",                "'>= many' compares with neither a number nor an RFC 3339 time"},
    {"a: /(/",                      "'/(/' is no regular expression"                               },
    {"a: {count: many}",            "a count must be a number"                                     },
    {"a: {has: 3}",                 "expected a list of items, found '3'"                          },
    {"a: {has: [1], exactly: [1]}", "one of 'has', 'ordered' and 'exactly' is enough"              },
};

static void test_problems(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(problem_rows); i++) {
        struct world world = {0};

        set_up(&world, problem_rows[i].shape, "{}");
        if (world.problems.count != 1 ||
            strstr(world.problems.items[0].text, problem_rows[i].problem) == NULL)
            fail_msg("%s: %zu problems, %s", problem_rows[i].shape, world.problems.count,
                     world.problems.count == 0 ? "" : world.problems.items[0].text);
        tear_down(&world);
    }
}

static void test_long_values_are_cut(void **state)
{
    struct world world = {0};
    struct differences differences = {0};
    char json[512];

    (void)state;
    (void)snprintf(json, sizeof(json), "{'a':'%0300d'}", 7);
    set_up(&world, "a: b", json);
    assert_false(shape_match(world.shape, world.value, &differences));
    assert_int_equal(strlen(differences.items[0].got), 200);
    assert_true(strcmp(differences.items[0].got + 197, "...") == 0);
    differences_release(&differences);
    tear_down(&world);
}

static void test_differences_are_bounded(void **state)
{
    struct world world = {0};
    struct differences differences = {0};
    char shape[4096] = "";

    (void)state;
    for (int i = 0; i < DIFFERENCES_MAX + 3; i++)
        (void)snprintf(shape + strlen(shape), sizeof(shape) - strlen(shape), "a%d: 1\n", i);
    set_up(&world, shape, "{}");
    assert_false(shape_match(world.shape, world.value, &differences));
    assert_int_equal(differences.count, DIFFERENCES_MAX);
    assert_int_equal(differences.left_out, 3);
    differences_release(&differences);
    tear_down(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_long_values_are_cut),
        cmocka_unit_test(test_differences_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
