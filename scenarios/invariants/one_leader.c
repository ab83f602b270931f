/* one_leader - I-LEAD: a Lease is taken from its holder only once it has lapsed in true time.
 *
 * Who believes to lead cannot be asked, but the Lease tells: a holder may call itself the leader
 * until it has failed to renew for the Lease's duration, and nobody takes over before. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/invariants/rows.h"

/** controller/RULES.md 13.3: what an absent or unreadable duration counts as, and the most. */
#define LEASE_SECONDS_DEFAULT 15
#define LEASE_SECONDS_MAX 60
/** Longer than any duration counts. */
#define FOREVER_US (3600 * US_PER_SECOND)

struct state {
    int64_t renewed_us; /* when holder or renewTime changed last */
    bool set_back;      /* the store was, and nobody has renewed since */
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static int64_t duration_us(const struct json_object *lease)
{
    int64_t seconds = json_get_int64(json_get(lease, "spec"), "leaseDurationSeconds", 0);

    if (seconds < 1)
        seconds = LEASE_SECONDS_DEFAULT;
    if (seconds > LEASE_SECONDS_MAX)
        seconds = LEASE_SECONDS_MAX;
    return seconds * US_PER_SECOND;
}

static const char *spec_text(const struct json_object *lease, const char *key)
{
    return text_or(json_get_text(json_get(lease, "spec"), key), "");
}

/* What is there again may have stood still for long: who has seen that may take it. */
static void on_set_back(void *arg)
{
    ((struct state *)arg)->set_back = true;
}

static void on_change(struct judge *judge, const struct change *change)
{
    struct state *state = judge->state;
    const char *before;
    const char *after;

    if (strcmp(change->plural, "leases") != 0)
        return;
    if (change->kind != CHANGE_MODIFIED) {
        state->set_back = state->set_back && change->kind == CHANGE_PRESENT;
        state->renewed_us = change->at_us - (state->set_back ? FOREVER_US : 0);
        return;
    }
    before = spec_text(change->before, "holderIdentity");
    after = spec_text(change->after, "holderIdentity");
    if (*before != '\0' && *after != '\0' && strcmp(before, after) != 0 &&
        change->at_us - state->renewed_us < duration_us(change->before))
        judge_violation(judge, change->at_us,
                        "%s took the Lease from %s, who had renewed it %" PRId64 " ms before",
                        after, before, (change->at_us - state->renewed_us) / US_PER_MS);
    if (strcmp(before, after) != 0 || strcmp(spec_text(change->before, "renewTime"),
                                             spec_text(change->after, "renewTime")) != 0) {
        state->renewed_us = change->at_us;
        state->set_back = false;
    }
}

const struct invariant invariant_one_leader = {
    .id = "I-LEAD",
    .what = "the Lease is taken from its holder only once it has lapsed in true time",
    .on_set_back = on_set_back,
    .create = create,
    .destroy = free,
    .on_change = on_change,
};
