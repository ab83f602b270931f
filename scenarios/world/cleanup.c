/* cleanup - what is taken away again once the run has been judged.
 *
 * The outcome is there already: nothing that happens here changes what failed before, and the
 * invariants are not asked any more. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

/** What one step came to is no matter to the next. */
static void forget_failure(struct world *world)
{
    free(world->reason);
    free(world->identity);
    world->reason = NULL;
    world->identity = NULL;
    buffer_clear(&world->details);
}

static void tell(struct world *world, const struct step *step, struct buffer *report)
{
    char *name = checks_cleanup_name(world, step);

    buffer_append_format(report, "%s: %s\n%s", name, world->reason, buffer_text(&world->details));
    free(name);
}

/** A run that had passed until here fails by its cleanup. */
static void fail_by_cleanup(struct world *world, struct outcome *outcome)
{
    outcome->passed = false;
    outcome->virtual_us = sim_now_us(world->sim);
    outcome->failure = xprintf("cleanup: %s", world->identity);
    outcome->reason = xprintf("in the cleanup: %s", world->reason);
    outcome->story = world_story(world);
}

static void take(struct world *world, const struct step *step, struct outcome *outcome,
                 struct buffer *report)
{
    steps_take(world, step);
    if (world->reason == NULL)
        return;
    checks_fail(world, step);
    tell(world, step, report);
    if (outcome->passed)
        fail_by_cleanup(world, outcome);
    forget_failure(world);
}

void cleanup_run(struct world *world, struct outcome *outcome)
{
    const struct scenario *scenario = world->scenario;
    struct buffer report = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    size_t size;

    /* time does not go on where somebody spins */
    if (scenario->cleanup_count == 0 || world->sweeps || sim_is_stuck(world->sim))
        return;
    world->cleaning = true;
    kills_end(world);
    steps_calm(world);
    world_stir(world);
    sim_note(world->sim, "cleanup");
    world->limit_us = sim_now_us(world->sim) + scenario->duration_us;
    for (size_t i = scenario->cleanup_count; i > 0; i--) {
        forget_failure(world);
        take(world, &scenario->cleanup[i - 1], outcome, &report);
    }
    if (report.size > 0)
        outcome->cleanup = buffer_take(&report, &size);
    buffer_release(&report);
}
