/* What becomes of a Lease: the rules of RULES.md 5 and 13.2 to 13.4, each a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"
#include "tests/unit/election/lease_world.h"
#include "tests/unit/rows.h"

#define HELD(holder, rest) "{\"holderIdentity\":" holder rest ",\"leaseTransitions\":2}"
#define RENEWED(renew) HELD("\"x\"", ",\"renewTime\":" renew ",\"leaseDurationSeconds\":15")
#define LASTS(duration) HELD("\"x\"", ",\"renewTime\":\"a\",\"leaseDurationSeconds\":" duration)
#define NOBODY(holder) HELD(holder, "")
#define UNDATED(holder) HELD("\"" holder "\"", "")
#define AT_A RENEWED("\"a\"")
#define AT_B RENEWED("\"b\"")
#define AT_A_ACQUIRED HELD("\"x\"", ",\"renewTime\":\"a\",\"acquireTime\":\"b\"")
#define MOVED(transitions) "{\"leaseTransitions\":" transitions "}"
#define NOON "\"2024-02-29T12:00:00Z\""
#define NOON_TOO "\"2024-02-29T12:00:00.0Z\""
#define FAR_AWAY "\"2999-01-01T00:00:00Z\""

static struct lease_world *new_world(void)
{
    void *own;

    lease_world_set_up(&own);
    return own;
}

static void free_world(struct lease_world *world)
{
    void *own = world;

    lease_world_tear_down(&own);
}

/* The first line of the story with that word begins what is wanted; NULL: there is none. */
static void check_first(struct lease_world *world, const char *word, const char *want,
                        const char *name)
{
    const char *story = buffer_text(&world->script.told);
    const char *line = strstr(story, word);

    while (line != NULL && line > story && line[-1] != '\n')
        line--;
    if (want == NULL ? line != NULL : line == NULL || !text_starts_with(line, want))
        fail_msg("%s: want %sgot\n%s", name, want == NULL ? "nothing\n" : want, story);
}

/* A Lease at the start, another one from 12 s on (NULL: the same); when it is taken over by this
 * replica, whose ticks are at 0 s, 5 s, 10 s ..., and the transitions that are then written. */
static const struct lapse {
    const char *name;
    const char *spec;
    const char *at_12_s;
    int want_s;
    long long want_moves;
} lapses[] = {
    {"5, row 3: lapsed",               LASTS("15"),         NULL,              15, 3         },
    {"5, row 3: nobody's: at once",    NOBODY("\"\""),      NULL,              0,  3         },
    {"5, row 3: no holder: at once",   MOVED("2"),          NULL,              0,  3         },
    {"5, row 3: a null holder",        NOBODY("null"),      NULL,              0,  3         },
    {"5, row 3: a number holds it",    NOBODY("7"),         NULL,              0,  3         },
    {"5, row 3: a list holds it",      NOBODY("[]"),        NULL,              0,  3         },
    {"5, row 3: the last transition",  MOVED("2147483647"), NULL,              0,  2147483647},
    {"5, row 3: too many transitions", MOVED("2147483648"), NULL,              0,  2147483647},
    {"5, row 3: transitions below 0",  MOVED("-7"),         NULL,              0,  1         },
    {"5, row 3: transitions a text",   MOVED("\"many\""),   NULL,              0,  1         },
    {"5, row 3: no transitions",       "{}",                NULL,              0,  1         },
    {"5, row 4: renewed meanwhile",    AT_A,                AT_B,              30, 3         },
    {"13.3: 20 s are recorded",        LASTS("20"),         NULL,              20, 3         },
    {"13.3: 16 s: at the tick after",  LASTS("16"),         NULL,              20, 3         },
    {"13.3: 5 s are recorded",         LASTS("5"),          NULL,              5,  3         },
    {"13.3: 1 s: at the tick after",   LASTS("1"),          NULL,              5,  3         },
    {"13.3: 60 s are recorded",        LASTS("60"),         NULL,              60, 3         },
    {"13.3: 61 s count as 60",         LASTS("61"),         NULL,              60, 3         },
    {"13.3: ages count as 60",         LASTS("1000000000"), NULL,              60, 3         },
    {"13.3: 0 s count as 15",          LASTS("0"),          NULL,              15, 3         },
    {"13.3: -1 s count as 15",         LASTS("-1"),         NULL,              15, 3         },
    {"13.3: a text counts as 15",      LASTS("\"9\""),      NULL,              15, 3         },
    {"13.3: null counts as 15",        LASTS("null"),       NULL,              15, 3         },
    {"13.3: nothing counts as 15",     UNDATED("x"),        NULL,              15, 3         },
    {"13.3: the last one recorded",    LASTS("15"),         LASTS("40"),       40, 3         },
    {"13.4: another renewTime",        AT_A,                AT_B,              30, 3         },
    {"13.4: one in other words",       RENEWED(NOON),       RENEWED(NOON_TOO), 30, 3         },
    {"13.4: none any more",            AT_A,                UNDATED("x"),      30, 3         },
    {"13.4: an empty one after one",   AT_A,                RENEWED("\"\""),   30, 3         },
    {"13.4: an unreadable one stays",  AT_A,                NULL,              15, 3         },
    {"13.4: one that is a number",     RENEWED("1"),        RENEWED("2"),      30, 3         },
    {"13.4: one that lies far ahead",  RENEWED(FAR_AWAY),   NULL,              15, 3         },
    {"13.4: another holder",           UNDATED("x"),        UNDATED("y"),      30, 3         },
    {"13.4: another field",            AT_A,                AT_A_ACQUIRED,     15, 3         },
    {"13.4: another version",          AT_A,                AT_A,              15, 3         },
    {"13.5: our name, other digits",   UNDATED("ctl-0"),    NULL,              15, 3         },
};

static void check_lapse(void **state)
{
    const struct lapse *lapse = *state;
    struct lease_world *world = new_world();
    char want[100];

    lease_world_put(world, lapse->spec);
    lease_world_start(world);
    script_run(&world->script, 12);
    if (lapse->at_12_s != NULL)
        lease_world_put(world, lapse->at_12_s);
    script_run(&world->script, 64);
    snprintf(want, sizeof(want), "%d.000 PATCH 200 ours, %lld transitions\n%d.000 gain\n",
             lapse->want_s, lapse->want_moves, lapse->want_s);
    check_first(world, "PATCH", want, lapse->name);
    free_world(world);
}

/* The Lease is held by this replica (NULL) or as it says, and is deleted; when the replica makes it
 * again. */
static const struct vanishing {
    const char *name;
    const char *spec;
    double deleted_s;
    double put_back_s; /* as it was; 0: never */
    int want_s;        /* -1: not in 64 s */
} vanishings[] = {
    {"13.2: vanished: its leader makes it again",  NULL,        4,  0,  5 },
    {"13.2: vanished: others wait for its holder", LASTS("15"), 12, 0,  30},
    {"13.2: vanished: as long as was recorded",    LASTS("20"), 2,  0,  25},
    {"13.2: vanished: at most 60 s",               LASTS("99"), 2,  0,  65},
    {"13.2: vanished, and there again",            LASTS("15"), 12, 22, -1},
    {"13.2: vanished before it was seen: at once", LASTS("15"), -1, 0,  0 },
};

static void delete_lease(struct lease_world *world)
{
    json_object_put(world->lease);
    world->lease = NULL;
}

static void check_vanishing(void **state)
{
    const struct vanishing *vanishing = *state;
    struct lease_world *world = new_world();
    char want[100];

    if (vanishing->spec != NULL)
        lease_world_put(world, vanishing->spec);
    if (vanishing->deleted_s < 0)
        delete_lease(world);
    lease_world_start(world);
    if (vanishing->deleted_s >= 0) {
        script_run(&world->script, vanishing->deleted_s);
        buffer_clear(&world->script.told);
        delete_lease(world);
    }
    if (vanishing->put_back_s > 0) {
        script_run(&world->script, vanishing->put_back_s);
        lease_world_put(world, vanishing->spec);
    }
    script_run(&world->script, 66);
    snprintf(want, sizeof(want), "%d.000 POST 201 ours, 0 transitions\n", vanishing->want_s);
    check_first(world, "POST", vanishing->want_s < 0 ? NULL : want, vanishing->name);
    free_world(world);
}

/* The Lease was made by another first, and is gone before this replica has read it. */
static void test_made_by_another_and_gone(void **state)
{
    struct lease_world *world = new_world();

    (void)state;
    world->fault_method = "POST";
    world->fault_status = 409;
    lease_world_start(world);
    script_run(&world->script, 1);
    world->fault_method = NULL;
    buffer_clear(&world->script.told);
    script_run(&world->script, 66);
    check_first(world, "POST", "15.000 POST 201 ours, 0 transitions\n", "refused, then gone");
    free_world(world);
}

/* A leader whose requests go wrong from 4 s to 8 s, between two ticks; when it learns of it. */
static const struct loss {
    const char *name;
    const char *method;
    unsigned status; /* 0: silence */
    int want_s;
    bool reachable; /* afterwards, as /readyz tells */
} losses[] = {
    {"5: 409 on renew",            "PATCH", 409, 5, true },
    {"5: 403 on renew",            "PATCH", 403, 5, true },
    {"5: 404 on renew",            "PATCH", 404, 5, true },
    {"5: 429 on renew",            "PATCH", 429, 5, true },
    {"5: 500 on renew",            "PATCH", 500, 5, true },
    {"5: no answer to a renewal",  "PATCH", 0,   9, true },
    {"5: 500 on a read",           "GET",   500, 5, false},
    {"5: 403 on a read",           "GET",   403, 5, false},
    {"5: 404 of a gateway",        "GET",   404, 5, false},
    {"5: no answer to a read",     "GET",   0,   9, false},
    {"5: a read that is no Lease", "GET",   200, 5, false},
};

static void check_loss(void **state)
{
    const struct loss *loss = *state;
    struct lease_world *world = new_world();
    char want[100];

    lease_world_start(world);
    script_run(&world->script, 4);
    assert_true(lease_world_leads(world));
    world->fault_method = loss->method;
    world->fault_status = loss->status;
    script_run(&world->script, 8);
    world->fault_method = NULL;
    script_run(&world->script, 9.5);
    if (lease_world_leads(world) || election_api_reachable(world->election) != loss->reachable)
        fail_msg("%s: leads %d, reachable %d", loss->name, lease_world_leads(world),
                 election_api_reachable(world->election));
    script_run(&world->script, 11);
    snprintf(want, sizeof(want),
             "%d.000 lose\n10.000 GET 200 ours, 0 transitions\n"
             "10.000 PATCH 200 ours, 0 transitions\n10.000 gain\n",
             loss->want_s);
    check_first(world, "lose", want, loss->name);
    free_world(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"13.2: made by another, and gone before it was seen", test_made_by_another_and_gone, NULL,
         NULL, NULL}
    };
    int failed = ROWS_RUN(lapses, check_lapse);

    failed += cmocka_run_group_tests_name("refused", tests, NULL, NULL);

    failed += ROWS_RUN(vanishings, check_vanishing);
    return failed + ROWS_RUN(losses, check_loss);
}
