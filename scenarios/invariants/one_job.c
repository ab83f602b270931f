/* one_job - I-JOB: for each Agent at most one Job is ever made, deleted ones included.
 *
 * Two second Jobs are not the controller's doing. One is made by a request that arrives when its
 * Agent is gone: the cluster collects it (controller/RULES.md 13.12). The other follows a Job that
 * somebody deleted while its Agent said nothing of it yet. */
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

static void forget(struct state *state, struct seen *seen)
{
    HASH_DEL(state->seen, seen);
    free(seen->agent_uid);
    free(seen->job);
    free(seen);
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->seen != NULL)
        forget(state, state->seen);
    free(state);
}

static const struct model_agent *agent_of(const struct judge *judge, const char *uid)
{
    const struct model_agent *agent = judge->model->agents;

    while (agent != NULL && strcmp(agent->uid, uid) != 0)
        agent = agent->hh.next;
    return agent;
}

static void on_delete(struct judge *judge, const char *agent_uid)
{
    struct state *state = judge->state;
    const struct model_agent *agent = agent_of(judge, agent_uid);
    struct seen *seen;

    HASH_FIND_STR(state->seen, agent_uid, seen);
    if (seen != NULL && agent != NULL && agent->phase == PHASE_PENDING && !agent->terminating)
        forget(state, seen);
}

static void on_change(struct judge *judge, const struct change *change)
{
    struct state *state = judge->state;
    const char *agent_uid;
    struct seen *seen;

    if (strcmp(change->plural, "jobs") != 0 || change->kind == CHANGE_MODIFIED)
        return;
    agent_uid = object_agent_uid(change->after == NULL ? change->before : change->after);
    if (*agent_uid == '\0')
        return;
    if (change->kind == CHANGE_DELETED) {
        on_delete(judge, agent_uid);
        return;
    }
    HASH_FIND_STR(state->seen, agent_uid, seen);
    if (seen != NULL && agent_of(judge, agent_uid) == NULL)
        return;
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
    .of_store = true,
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
};
