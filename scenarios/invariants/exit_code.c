/* exit_code - I-EXIT: Succeeded if and only if the exit code is 0 (controller/RULES.md 3.3). */
#include <inttypes.h>
#include <string.h>

#include "scenarios/invariants/rows.h"

static void on_change(struct judge *judge, const struct change *change)
{
    struct json_object *code;
    enum phase phase;

    if (strcmp(change->plural, "agents") != 0 || change->after == NULL ||
        change->kind == CHANGE_PRESENT)
        return;
    phase = agent_phase(change->after);
    code = json_walk(change->after, "status", "exitCode", NULL);
    if (!phase_is_terminal(phase)) {
        if (code != NULL)
            judge_violation(judge, change->at_us, "Agent %s is %s and has an exit code",
                            object_name(change->after), phase_name(phase));
        return;
    }
    if (!json_is(code, json_type_int))
        judge_violation(judge, change->at_us, "Agent %s is %s without an exit code",
                        object_name(change->after), phase_name(phase));
    else if ((phase == PHASE_SUCCEEDED) != (json_object_get_int64(code) == 0))
        judge_violation(judge, change->at_us, "Agent %s is %s with exit code %" PRId64,
                        object_name(change->after), phase_name(phase), json_object_get_int64(code));
}

const struct invariant invariant_exit_code = {
    .id = "I-EXIT",
    .what = "an Agent is Succeeded if and only if its exit code is 0",
    .on_change = on_change,
};
