/* one_job - I-JOB: for each Agent at most one Job is ever made, deleted ones included. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/invariants/rows.h"

struct seen { /* never forgotten: a deleted Job counts */
    char *agent_uid;
    char *job;
    UT_hash_handle hh;
};

struct state {
    struct seen *seen;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->seen != NULL) {
        struct seen *seen = state->seen;

        HASH_DEL(state->seen, seen);
        free(seen->agent_uid);
        free(seen->job);
        free(seen);
    }
    free(state);
}

static void on_change(struct judge *judge, const struct change *change)
{
    struct state *state = judge->state;
    const char *agent_uid;
    struct seen *seen;

    if (strcmp(change->plural, "jobs") != 0 ||
        (change->kind != CHANGE_ADDED && change->kind != CHANGE_PRESENT))
        return;
    agent_uid = object_agent_uid(change->after);
    if (*agent_uid == '\0')
        return;
    HASH_FIND_STR(state->seen, agent_uid, seen);
    if (seen != NULL) {
        judge_violation(judge, change->at_us, "a second Job was made for one Agent: %s after %s",
                        object_name(change->after), seen->job);
        return;
    }
    seen = xcalloc(1, sizeof(*seen));
    seen->agent_uid = xstrdup(agent_uid);
    seen->job = xstrdup(object_name(change->after));
    HASH_ADD_KEYPTR(hh, state->seen, seen->agent_uid, strlen(seen->agent_uid), seen);
}

const struct invariant invariant_one_job = {
    .id = "I-JOB",
    .what = "for each Agent at most one Job is ever made, deleted ones included",
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
};
