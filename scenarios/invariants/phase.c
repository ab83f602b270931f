/* phase - I-PHASE: phases move forward only, and an Agent starts once and ends once. */
#include <string.h>

#include "scenarios/invariants/rows.h"

/** What the end of an Agent wrote, and nobody of ours writes again. */
static const char *const final_fields[] = {"phase",         "exitCode", "completedAt", "output",
                                           "failureReason", "jobName",  "startedAt"};

/** What the start of an Agent wrote. */
static const char *const start_fields[] = {"jobName", "startedAt"};

static unsigned rank(enum phase phase)
{
    return phase_is_terminal(phase) ? 2 : (unsigned)phase;
}

static void check_end(struct judge *judge, const struct change *change)
{
    struct json_object *before = json_get(change->before, "status");
    struct json_object *after = json_get(change->after, "status");

    for (size_t i = 0; i < ARRAY_SIZE(final_fields); i++) {
        if (!json_equal(json_get(before, final_fields[i]), json_get(after, final_fields[i])))
            judge_violation(judge, change->at_us,
                            "Agent %s had ended %s; then its status.%s was written again",
                            object_name(change->after), phase_name(agent_phase(change->before)),
                            final_fields[i]);
    }
}

/** Neither another start nor the end writes over the start. */
static void check_start(struct judge *judge, const struct change *change)
{
    struct json_object *before = json_get(change->before, "status");
    struct json_object *after = json_get(change->after, "status");

    for (size_t i = 0; i < ARRAY_SIZE(start_fields); i++) {
        struct json_object *written = json_get(before, start_fields[i]);

        if (written != NULL && !json_equal(written, json_get(after, start_fields[i])))
            judge_violation(judge, change->at_us,
                            "Agent %s was Running; then its status.%s was written again",
                            object_name(change->after), start_fields[i]);
    }
}

static void on_change(struct judge *judge, const struct change *change)
{
    enum phase before;
    enum phase after;

    if (strcmp(change->plural, "agents") != 0 || change->kind != CHANGE_MODIFIED)
        return;
    before = agent_phase(change->before);
    after = agent_phase(change->after);
    if (rank(after) < rank(before))
        judge_violation(judge, change->at_us, "Agent %s went back from %s to %s",
                        object_name(change->after), phase_name(before), phase_name(after));
    else if (phase_is_terminal(before))
        check_end(judge, change);
    else if (before == PHASE_RUNNING)
        check_start(judge, change);
}

const struct invariant invariant_phase = {
    .id = "I-PHASE",
    .what = "phases only move forward, and an Agent starts once and ends once",
    .on_change = on_change,
};
