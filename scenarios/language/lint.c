/* lint - see lint.h. */
#include "scenarios/language/lint.h"

#include <fnmatch.h>
#include <string.h>

#include "controller/base/text.h"

/* --- what is asserted --- */

static bool asserts(int action)
{
    switch (action) {
    case STEP_WAIT:
    case STEP_ASSERT:
    case STEP_ERROR:
    case STEP_ALWAYS:
    case STEP_NEVER:
        return true;
    default:
        return false;
    }
}

static bool writes(const struct step *step)
{
    bool answered = step->answer.code > 0 || step->answer.shape != NULL; /* that is asserted */

    return !answered && (step->action == STEP_APPLY || step->action == STEP_PATCH ||
                         step->action == STEP_DELETE);
}

/** Invariants hold anyway; a scenario is written for something of its own. */
static void lint_assertions(const struct scenario *scenario, struct problems *warnings)
{
    const struct step *last = NULL; /* write behind which nothing is asserted */

    if (scenario->expect.count > 0)
        return;
    for (size_t i = 0; i < scenario->step_count; i++) {
        if (writes(&scenario->steps[i]) && scenario->steps[i].at_us < 0)
            last = &scenario->steps[i];
        else if (asserts(scenario->steps[i].action))
            last = NULL;
    }
    if (last != NULL)
        problems_add(warnings, last->place,
                     "nothing is asserted behind this step; add an 'assert', a 'wait' or an "
                     "'expect'");
}

/* --- who is spoken of --- */

static bool makes(const struct manifests *objects, const struct target *target)
{
    for (size_t i = 0; i < objects->count; i++) {
        const struct target *made = &objects->items[i].target;

        if (strcmp(made->kind, target->kind) == 0 && text_equal(made->name, target->name))
            return true;
    }
    return false;
}

static bool anybody_makes(const struct scenario *scenario, const struct target *target)
{
    bool made = makes(&scenario->objects, target);

    for (size_t i = 0; !made && i < scenario->step_count; i++)
        made = scenario->steps[i].node != NULL || makes(&scenario->steps[i].objects, target);
    return made;
}

#define NAMES_MAX 64

static size_t add_agents(const struct manifests *objects, const char **names, size_t count)
{
    for (size_t i = 0; i < objects->count && count < NAMES_MAX; i++) {
        if (strcmp(objects->items[i].target.kind, "Agent") == 0)
            names[count++] = objects->items[i].target.name;
    }
    return count;
}

/** NULL: none is like that. */
static const char *closest_agent(const struct scenario *scenario, const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = add_agents(&scenario->objects, names, 0);

    for (size_t i = 0; i < scenario->step_count; i++)
        count = add_agents(&scenario->steps[i].objects, names, count);
    return text_closest(name, names, count);
}

/** Only people make Agents of a scenario; what nobody makes is never there. */
static void lint_claims(const struct scenario *scenario, const struct claims *claims,
                        struct problems *warnings)
{
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];
        const char *closest;

        if (claim->absent || claim->target.name == NULL || claim->target.kind == NULL ||
            strcmp(claim->target.kind, "Agent") != 0 || strstr(claim->target.name, "${") != NULL ||
            anybody_makes(scenario, &claim->target))
            continue;
        closest = closest_agent(scenario, claim->target.name);
        problems_add(warnings, claim->place, "nobody makes an Agent '%s' here%s%s%s",
                     claim->target.name, closest == NULL ? "" : "; did you mean '",
                     text_or(closest, ""), closest == NULL ? "" : "'?");
    }
}

static bool has_spawners(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->objects.count; i++) {
        if (strcmp(scenario->objects.items[i].target.kind, "AgentSpawner") == 0)
            return true;
    }
    return false;
}

static void lint_all_claims(const struct scenario *scenario, struct problems *warnings)
{
    if (has_spawners(scenario))
        return;
    for (size_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].action == STEP_WAIT || scenario->steps[i].action == STEP_ASSERT)
            lint_claims(scenario, &scenario->steps[i].claims, warnings);
    }
    lint_claims(scenario, &scenario->expect, warnings);
}

/* --- pods --- */

static bool any_agent_is_like(const struct manifests *objects, const char *pattern)
{
    for (size_t i = 0; i < objects->count; i++) {
        if (strcmp(objects->items[i].target.kind, "Agent") == 0 &&
            fnmatch(pattern, objects->items[i].target.name, 0) == 0)
            return true;
    }
    return false;
}

static bool is_for_anybody(const struct scenario *scenario, const char *pattern)
{
    bool found = any_agent_is_like(&scenario->objects, pattern);

    for (size_t i = 0; !found && i < scenario->step_count; i++)
        found = scenario->steps[i].node != NULL ||
                any_agent_is_like(&scenario->steps[i].objects, pattern);
    return found;
}

static void lint_pods(const struct scenario *scenario, struct problems *warnings)
{
    for (size_t i = 0; i < scenario->pod_count; i++) {
        const struct pod_script *pod = &scenario->pods[i];

        if (strcmp(pod->agent, "*") != 0 && !has_spawners(scenario) &&
            !is_for_anybody(scenario, pod->agent))
            problems_add(warnings, pod->place, "there is no Agent like '%s' for this script",
                         pod->agent);
    }
}

/* --- faults --- */

static void lint_fault(const struct scenario *scenario, const struct fault *fault,
                       struct problems *warnings)
{
    const struct fault_rule *rule = &fault->rule;

    if (rule->from_us >= scenario->duration_us)
        problems_add(warnings, fault->place,
                     "this fault begins after the scenario's 'duration' has passed");
    if (rule->nth > 0 && rule->every > 1 && rule->nth % rule->every != 0)
        problems_add(warnings, fault->place, "'nth' and 'every' never meet");
}

static void lint_faults(const struct scenario *scenario, struct problems *warnings)
{
    for (size_t i = 0; i < scenario->faults.count; i++)
        lint_fault(scenario, &scenario->faults.items[i], warnings);
    for (size_t i = 0; i < scenario->step_count; i++) {
        for (size_t j = 0; j < scenario->steps[i].faults.count; j++)
            lint_fault(scenario, &scenario->steps[i].faults.items[j], warnings);
    }
}

void lint(const struct scenario *scenario, struct problems *warnings)
{
    lint_assertions(scenario, warnings);
    lint_all_claims(scenario, warnings);
    lint_pods(scenario, warnings);
    lint_faults(scenario, warnings);
    for (size_t i = 0; i < scenario->unused.count; i++)
        problems_add(warnings, scenario->unused.items[i].place, "%s",
                     scenario->unused.items[i].text);
}
