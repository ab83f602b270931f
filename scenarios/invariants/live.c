/* live - I-LIVE: once faults have stopped, every Agent ends. The world waits for as long as the
 * scenario allows; what has not ended then never will. */
#include "scenarios/invariants/rows.h"

static void on_end(struct judge *judge, int64_t at_us)
{
    const struct model *model = judge->model;

    for (const struct model_agent *agent = model->agents; agent != NULL; agent = agent->hh.next) {
        if (!phase_is_terminal(agent->phase) && !agent->terminating)
            judge_violation(judge, at_us, "Agent %s is still %s, long after the last fault",
                            agent->name, phase_name(agent->phase));
    }
}

const struct invariant invariant_live = {
    .id = "I-LIVE",
    .what = "once faults have stopped, every Agent ends",
    .on_end = on_end,
};
