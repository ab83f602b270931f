/* fit - see fit.h. */
#include "scenarios/live/fit.h"

#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Steps that real processes can be put through. */
static const enum step_action actions[] = {
    STEP_APPLY,  STEP_PATCH,   STEP_DELETE,    STEP_WAIT,  STEP_ASSERT,  STEP_ERROR,
    STEP_ALWAYS, STEP_NEVER,   STEP_ADVANCE,   STEP_START, STEP_CRASH,   STEP_PAUSE,
    STEP_RESUME, STEP_RESTART, STEP_TERMINATE, STEP_FAULT, STEP_COMPACT, STEP_BIND,
};

static bool is_playable(int action)
{
    for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
        if ((int)actions[i] == action)
            return true;
    }
    return false;
}

static bool is_role(const char *name)
{
    return strcmp(name, "leader") == 0 || strcmp(name, "standby") == 0;
}

static char *unfit_fault(const struct fault *fault)
{
    if (fault->kind != FAULT_AT_API)
        return xprintf("line %u: only faults of the API server happen live", fault->place.line);
    for (size_t i = 0; i < fault->rule.peer.count; i++) {
        if (is_role(fault->rule.peer.items[i]))
            return xprintf("line %u: nobody knows who the %s is, live", fault->place.line,
                           fault->rule.peer.items[i]);
    }
    return NULL;
}

static char *unfit_step(const struct step *step)
{
    char *why = NULL;

    if (!is_playable(step->action))
        return xprintf("line %u: '%s' is for the simulation only", step->place.line,
                       step_action_name(step->action));
    for (size_t i = 0; i < step->processes.count; i++) {
        const char *name = step->processes.items[i];

        if (strncmp(name, "ctl-", strlen("ctl-")) != 0)
            return xprintf("line %u: live, '%s' is for replicas by their names, not for '%s'",
                           step->place.line, step_action_name(step->action), name);
    }
    for (size_t i = 0; i < step->faults.count && why == NULL; i++)
        why = unfit_fault(&step->faults.items[i]);
    return why;
}

char *live_unfit(const struct scenario *scenario)
{
    char *why = NULL;

    if (scenario->link_count > 0)
        return xstrdup("slow links are for the simulation only");
    if (scenario->controllers->clock_count > 0)
        return xstrdup("wrong clocks are for the simulation only");
    if (scenario->cluster != NULL)
        return xstrdup("what a cluster leaves undone is for the simulation only");
    if (scenario->server_count > 0 || scenario->rival_count > 0)
        return xstrdup("servers and rivals are for the simulation only");
    for (size_t i = 0; i < scenario->faults.count && why == NULL; i++)
        why = unfit_fault(&scenario->faults.items[i]);
    for (size_t i = 0; i < scenario->step_count && why == NULL; i++)
        why = unfit_step(&scenario->steps[i]);
    for (size_t i = 0; i < scenario->cleanup_count && why == NULL; i++)
        why = unfit_step(&scenario->cleanup[i]);
    return why;
}
