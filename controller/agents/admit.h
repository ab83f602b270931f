/* admit - asks whether the reconcile of an Agent may begin now (admission_decide.h). */
#ifndef CONTROLLER_AGENTS_ADMIT_H
#define CONTROLLER_AGENTS_ADMIT_H

#include "controller/agents/context.h"
#include "controller/agents/queue.h"
#include "controller/kinds/agent.h"

/** What the reconcile of an Agent as it is now is to its Station. agent may be NULL. */
enum admission_part admit_part(const struct agent *agent);

/** item was taken from the queue, and is the key of agent, which may be NULL. */
enum admission admit(const struct agent_context *context, const struct work_queue *queue,
                     const struct work_item *item, const struct agent *agent);

#endif
