#include "fakeapi/admin/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rest_note note_named(const char *name)
{
    return (struct rest_note){.at_us = 1000000,
                              .took_us = 5,
                              .status = 200,
                              .user = "u",
                              .user_agent = "kubectl/1",
                              .peer = "p",
                              .verb = "get",
                              .resource = "pods",
                              .namespace = "ns",
                              .name = name,
                              .fault = "",
                              .fault_action = ""};
}

/* The names of what a filter lets through: "a,b". */
static char *names_of(const struct journal *journal, const struct journal_filter *filter)
{
    struct json_object *tree = journal_to_json(journal, filter);
    struct json_object *requests = json_get_array(tree, "requests");
    struct buffer names = BUFFER_INIT(1024);
    size_t size;

    for (size_t i = 0; i < json_object_array_length(requests); i++) {
        const char *name = json_get_text(json_object_array_get_idx(requests, i), "name");

        buffer_append_format(&names, "%s%s", i == 0 ? "" : ",", name == NULL ? "" : name);
    }
    json_object_put(tree);
    return buffer_take(&names, &size);
}

static void test_filters(void **state)
{
    static const struct {
        struct journal_filter filter;
        const char *want;
    } rows[] = {
        {{.count_max = 0},                        "a,b,c"},
        {{.count_max = 2},                        "b,c"  },
        {{.after = 1},                            "b,c"  },
        {{.after = 3},                            ""     },
        {{.after = UINT64_MAX},                   ""     },
        {{.name = "b"},                           "b"    },
        {{.name = "?"},                           "a,b,c"},
        {{.status = 404},                         "c"    },
        {{.status = 200, .count_max = 1},         "b"    },
        {{.verb = "li*"},                         "b"    },
        {{.user = "x"},                           ""     },
        {{.user_agent = "kubectl*"},              "a,b,c"},
        {{.resource = "pods", .namespace = "n*"}, "a,b,c"},
        {{.fault = "?*"},                         "c"    },
    };
    struct journal *journal = journal_new();
    struct rest_note notes[] = {note_named("a"), note_named("b"), note_named("c")};

    (void)state;
    notes[1].verb = "list";
    notes[2].status = 404;
    notes[2].fault = "rule 1";
    for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
        journal_add(journal, &notes[i]);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *got = names_of(journal, &rows[i].filter);

        if (strcmp(got, rows[i].want) != 0)
            fail_msg("row %zu: %s", i, got);
        free(got);
    }
    journal_free(journal);
}

/* It keeps the last ones, and says how many are gone. */
static void test_ring(void **state)
{
    const struct journal_filter all = {.count_max = 3};
    struct journal *journal = journal_new();
    struct json_object *tree;
    char *got;

    (void)state;
    for (int i = 0; i < JOURNAL_ENTRIES_MAX + 2; i++) {
        char name[16];
        struct rest_note note;

        snprintf(name, sizeof(name), "%d", i);
        note = note_named(name);
        journal_add(journal, &note);
    }
    got = names_of(journal, &all);
    assert_string_equal(got, "9999,10000,10001");
    free(got);
    tree = journal_to_json(journal, &(struct journal_filter){.count_max = 0});
    assert_int_equal(json_get_int64(tree, "total", 0), JOURNAL_ENTRIES_MAX + 2);
    assert_int_equal(json_get_int64(tree, "forgotten", 0), 2);
    assert_int_equal(json_object_array_length(json_get_array(tree, "requests")),
                     JOURNAL_ENTRIES_MAX);
    json_object_put(tree);
    journal_clear(journal);
    got = names_of(journal, &all);
    assert_string_equal(got, "");
    free(got);
    journal_free(journal);
}

/* Long texts are cut, absent ones left out. */
static void test_texts(void **state)
{
    char agent[JOURNAL_TEXT_MAX + 2];
    struct journal *journal = journal_new();
    struct rest_note note = note_named("");
    struct json_object *tree;
    struct json_object *request;

    (void)state;
    memset(agent, 'x', sizeof(agent) - 1);
    agent[sizeof(agent) - 1] = '\0';
    note.user_agent = agent;
    note.user = NULL;
    journal_add(journal, &note);
    tree = journal_to_json(journal, &(struct journal_filter){.count_max = 0});
    request = json_object_array_get_idx(json_get_array(tree, "requests"), 0);
    assert_int_equal(strlen(json_get_text(request, "userAgent")), JOURNAL_TEXT_MAX);
    assert_null(json_get(request, "user"));
    assert_null(json_get(request, "name"));
    assert_null(json_get(request, "fault"));
    assert_string_equal(json_get_text(request, "time"), "1970-01-01T00:00:01.000000Z");
    json_object_put(tree);
    journal_free(journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
