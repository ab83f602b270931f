/* quiet - I-QUIET: in a world at rest nothing is written but Lease renewals, reads come at the rate
 * of the polls, and the watch stays open. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/invariants/rows.h"

/** Reads of all replicas in a minute at rest, for each replica: 12 of the Lease, 4 polls, one
 * watch and what a page more costs; twice that is allowed. */
#define READS_PER_MINUTE_MAX 40
/** Watches opened in a minute at rest: one lasts 300 s (controller/RULES.md 4.1), and one may wait
 * for its turn after an error when the rest begins. */
#define WATCHES_PER_MINUTE_MAX 2
/** A full house is read in pages of this many. */
#define PAGE_AGENTS 500

struct state {
    bool resting;
    int64_t since_us;
    uint64_t reads;
    uint64_t watches;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void on_rest(struct judge *judge, int64_t at_us)
{
    struct state *state = judge->state;

    *state = (struct state){.resting = true, .since_us = at_us};
}

static void on_call(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;

    if (!state->resting || !call->by_controller || call->stage != CALL_SENT)
        return;
    state->watches += call->path->watch;
    if (!call_is_write(call))
        state->reads++;
    else if (strcmp(call->path->plural, "leases") != 0)
        judge_violation(judge, call->at_us, "%s sent %s %s in a world at rest", call->client,
                        call->method, call->target);
}

static void on_end(struct judge *judge, int64_t at_us)
{
    struct state *state = judge->state;
    uint64_t minutes = (uint64_t)((at_us - state->since_us) / US_PER_MINUTE) + 1;
    uint64_t pages = HASH_COUNT(judge->model->agents) / PAGE_AGENTS + 1;
    uint64_t allowed = minutes * READS_PER_MINUTE_MAX * 2 * pages;

    if (state->resting && state->reads > allowed)
        judge_violation(judge, at_us, "%" PRIu64 " reads in %" PRIu64 " minutes at rest",
                        state->reads, minutes);
    if (state->resting && state->watches > minutes * WATCHES_PER_MINUTE_MAX)
        judge_violation(judge, at_us, "%" PRIu64 " watches opened in %" PRIu64 " minutes at rest",
                        state->watches, minutes);
}

const struct invariant invariant_quiet = {
    .id = "I-QUIET",
    .what = "at rest nothing is written but Lease renewals, reads come at the rate of polls, and "
            "the watch stays open",
    .create = create,
    .destroy = free,
    .on_call = on_call,
    .on_rest = on_rest,
    .on_end = on_end,
};
