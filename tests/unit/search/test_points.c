/* What is tried where, and that each point can be read as a file has it. */
#include "scenarios/search/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rows.h"

static const struct row {
    const char *name;
    const char *kind;
    struct site site; /* stage, peer, verb, resource, name */
    bool tried;
} rows[] = {
    {"a write is refused as the server decides",
     "status-409",                                                   {SITE_ARRIVED, "ctl-0", "create", "jobs", ""},
     true                                                                                                                         },
    {"... and at no other moment",                  "status-409",    {SITE_SENT, "ctl-0", "create", "jobs", ""},             false},
    {"a list conflicts with nothing",
     "status-409",                                                   {SITE_ARRIVED, "ctl-0", "list", "jobs", ""},
     false                                                                                                                        },
    {"who dies before its write arrives",
     "crash",                                                        {SITE_SENT, "ctl-0", "create", "jobs", ""},
     true                                                                                                                         },
    {"who dies before its answer arrives",
     "crash",                                                        {SITE_APPLIED, "ctl-0", "create", "jobs", ""},
     true                                                                                                                         },
    {"who dies after its answer is as dead",
     "crash",                                                        {SITE_ANSWERED, "ctl-0", "create", "jobs", ""},
     false                                                                                                                        },
    {"who dies after a question has asked nothing",
     "crash",                                                        {SITE_APPLIED, "ctl-0", "get", "jobs", "x"},
     false                                                                                                                        },
    {"who is asked to end goes on from there",
     "terminate",                                                    {SITE_ANSWERED, "ctl-0", "get", "jobs", "x"},
     true                                                                                                                         },
    {"who dies as a timer fires",                   "crash",         {SITE_TIMER, "ctl-0", "", "", ""},                      true },
    {"who dies as an event is sent",                "crash",         {SITE_EVENT, "ctl-0", "watch", "agents", "x"},          true },
    {"an event is lost",                            "swallow_event", {SITE_EVENT, "ctl-0", "watch", "agents", "x"},          true },
    {"a call has no event",                         "swallow_event", {SITE_ARRIVED, "ctl-0", "watch", "agents", ""},         false},
    {"a request is late on its way",
     "late",                                                         {SITE_WAY, "ctl-0", "patch", "agents/status", "x"},
     true                                                                                                                         },
    {"... and nowhere else",                        "late",          {SITE_ARRIVED, "ctl-0", "patch", "agents/status", "x"}, false},
};

static void test_tried(void **state)
{
    const struct row *row = *state;
    const struct fault_kind *kinds[POINTS_KINDS_MAX];
    size_t count = points_at(&row->site, kinds);
    bool tried = false;

    for (size_t i = 0; i < count; i++)
        tried = tried || strcmp(kinds[i]->name, row->kind) == 0;
    assert_int_equal(tried, row->tried);
}

/** Every point of a place at every stage is a fault that a file may hold, of the same kind. */
static void test_each_is_read_again(void **state)
{
    static const char *const verbs[] = {"get",    "list",  "watch", "create",
                                        "update", "patch", "delete"};
    struct arena arena = {0};
    struct problems problems = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(verbs) * SITE_STAGE_COUNT; i++) {
        const struct site site = {(enum site_stage)(i % SITE_STAGE_COUNT),
                                  "ctl-0",
                                  verbs[i / SITE_STAGE_COUNT],
                                  "agents/status",
                                  "x",
                                  0,
                                  0};
        const struct fault_kind *kinds[POINTS_KINDS_MAX];
        bool possible = site.stage != SITE_EVENT || strcmp(site.verb, "watch") == 0;
        size_t count = possible ? points_at(&site, kinds) : 0;

        for (size_t j = 0; j < count; j++) {
            struct json_object *tree = point_fault(&site, kinds[j], 7);
            char *text = json_to_text(tree, NULL);
            const struct fault *fault = fault_read(text, &arena, &problems);

            if (fault == NULL)
                fail_msg("%s: %s", text, problems.items[0].text);
            if (fault_kind_of(fault) != kinds[j] || !fault->swept || fault->rule.nth != 7)
                fail_msg("%s is not %s", text, kinds[j]->name);
            free(text);
            (void)json_object_put(tree);
        }
    }
    problems_release(&problems);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_read_again),
    };

    return ROWS_RUN(rows, test_tried) + cmocka_run_group_tests(tests, NULL, NULL);
}
