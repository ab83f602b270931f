/* fence - I-FENCE: a replica writes, lists and watches only while it leads, and it leads only so
 * long as a renewal that succeeded is young (controller/RULES.md 13.2). Nobody else renews then. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/invariants/rows.h"

/** A replica is leader this long after it sent the last renewal that succeeded, on its own clock.
 * (True time is what counts for who else renews.) */
#define LEADER_AGE_US (10 * US_PER_SECOND)

/** Largest answer to a write of a Lease. */
#define ANSWER_BYTES_MAX ((size_t)1024 * 1024)

struct replica {
    char *name;
    bool leads;
    int64_t renewed_us;         /* when it meant to send its last good renewal */
    int64_t renewed_elapsed_us; /* that, on its own clock */
    int64_t lost_us;            /* when it led no more */
    bool knows;                 /* in this life, that there is or was a Lease */
    bool robbed;                /* since its last renewal, by one that could not know of it */
    uint64_t spoilt_id; /* its last write of the Lease whose answer shows no Lease; 0: none */
    UT_hash_handle hh;
};

struct state {
    struct replica *replicas;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->replicas != NULL) {
        struct replica *replica = state->replicas;

        HASH_DEL(state->replicas, replica);
        free(replica->name);
        free(replica);
    }
    free(state);
}

static struct replica *replica_of(struct state *state, const char *name)
{
    struct replica *replica;

    HASH_FIND_STR(state->replicas, name, replica);
    if (replica == NULL) {
        replica = xcalloc(1, sizeof(*replica));
        replica->name = xstrdup(name);
        replica->lost_us = INT64_MIN;
        HASH_ADD_KEYPTR(hh, state->replicas, replica->name, strlen(replica->name), replica);
    }
    return replica;
}

/** Its own shutdown empties the holder: that is no renewal. */
static bool gives_up(const struct call *call)
{
    return call->body != NULL && strstr(call->body, "\"holderIdentity\":\"\"") != NULL;
}

/** Two leaders at once. A process that has just begun makes the Lease that it finds missing: where
 * somebody has deleted it, the one who held it has yet to hear. */
static void check_alone(struct judge *judge, const struct replica *replica, const struct call *call)
{
    const struct state *state = judge->state;
    bool innocent = !replica->knows && strcmp(call->method, "POST") == 0;

    for (struct replica *other = state->replicas; other != NULL; other = other->hh.next) {
        if (other == replica)
            continue;
        other->robbed = other->robbed || innocent;
        if (other->leads && !other->robbed && call->at_us - other->renewed_us <= LEADER_AGE_US)
            judge_violation(judge, call->at_us,
                            "%s renewed the Lease while %s led, whose last good renewal was sent "
                            "%" PRId64 " ms before",
                            replica->name, other->name,
                            (call->at_us - other->renewed_us) / US_PER_MS);
    }
}

static void lose(struct replica *replica, int64_t at_us)
{
    if (replica->leads)
        replica->lost_us = at_us;
    replica->leads = false;
}

/** An answer that shows no Lease is no renewal, whatever its status (controller/RULES.md 5). */
static bool shows_lease(const struct call *call)
{
    struct json_object *tree;
    bool lease;

    if (call->answer == NULL)
        return true; /* it comes in parts */
    if (!json_parse(call->answer, call->answer_size, ANSWER_BYTES_MAX, &tree, NULL))
        return false;
    lease = text_equal(json_get_text(tree, "kind"), "Lease");
    (void)json_object_put(tree);
    return lease;
}

static void on_lease(struct judge *judge, struct replica *replica, const struct call *call)
{
    bool good = (call->status == 200 || call->status == 201) && replica->spoilt_id != call->id;

    if (call->stage == CALL_ANSWERED && call_is_write(call) && good && !shows_lease(call))
        replica->spoilt_id = call->id;
    else if (gives_up(call)) {
        lose(replica, call->at_us);
    } else if (call->stage == CALL_RECEIVED && call_is_write(call) && good) {
        replica->leads = call->at_us - call->asked_us <= LEADER_AGE_US;
        replica->renewed_us = call->asked_us;
        replica->renewed_elapsed_us = call->asked_elapsed_us;
        replica->robbed = false;
        if (replica->leads)
            check_alone(judge, replica, call);
    } else if (call->stage == CALL_RECEIVED && !good && call->status != 404) {
        lose(replica, call->at_us);
    } else if (call->stage == CALL_ENDED && call->status == 0) {
        lose(replica, call->at_us); /* no answer came */
    }
}

/** Whether the call tells the replica that there is a Lease: one that it reads, or that is in the
 * way of its own. */
static void note_knowledge(struct replica *replica, const struct call *call)
{
    bool made = strcmp(call->method, "POST") == 0 && call->status == 409;

    if (call->stage == CALL_RECEIVED && (call->status == 200 || call->status == 201 || made))
        replica->knows = true;
}

static bool says(const struct call *call, const char *words)
{
    return call->body != NULL && strstr(call->body, words) != NULL;
}

/** What the webhook receiver of any replica writes: an Agent of a delivery, and what was delivered.
 */
static bool is_of_webhooks(const struct call *call)
{
    if (strcmp(call->path->plural, "agents") == 0)
        return strcmp(call->method, "POST") == 0 &&
               says(call, "\"agents.re-cinq.com/github-delivery\":");
    return strcmp(call->path->plural, "agentspawners") == 0 &&
           says(call, "\"recentDeliveries\":") && !says(call, "\"lastScheduleTime\":");
}

/** What only a leader does. */
static bool is_of_leaders(const struct call *call)
{
    if (is_of_webhooks(call))
        return false;
    return call_is_write(call) ||
           (strcmp(call->path->plural, "agents") == 0 && call->path->name[0] == '\0');
}

static void on_call(struct judge *judge, const struct call *call)
{
    struct replica *replica;

    if (!call->by_controller || *call->path->plural == '\0')
        return;
    replica = replica_of(judge->state, call->client);
    if (strcmp(call->path->plural, "leases") == 0) {
        on_lease(judge, replica, call);
        note_knowledge(replica, call);
        return;
    }
    if (call->stage != CALL_SENT || !is_of_leaders(call))
        return;
    if (!replica->leads && call->asked_us <= replica->lost_us)
        return; /* it was on its way then */
    if (!replica->leads)
        judge_violation(judge, call->at_us, "%s sent %s %s and was not the leader", call->client,
                        call->method, call->target);
    else if (call->asked_elapsed_us - replica->renewed_elapsed_us > LEADER_AGE_US)
        judge_violation(judge, call->at_us,
                        "%s sent %s %s, %" PRId64 " ms after its last good renewal was sent",
                        call->client, call->method, call->target,
                        (call->asked_elapsed_us - replica->renewed_elapsed_us) / US_PER_MS);
}

/** A new process has led nothing. */
static void on_process(struct judge *judge, int64_t at_us, const char *process,
                       enum process_change change)
{
    struct replica *replica = replica_of(judge->state, process);

    (void)at_us;
    (void)change;
    replica->leads = false;
    replica->knows = false;
    replica->lost_us = INT64_MIN;
}

/* The Lease may name one of before, who cannot know of the one that leads, nor that one of it. */
static void on_set_back(void *arg)
{
    struct state *state = arg;

    for (struct replica *replica = state->replicas; replica != NULL; replica = replica->hh.next)
        replica->robbed = true;
}

const struct invariant invariant_fence = {
    .id = "I-FENCE",
    .what = "a replica writes, lists and watches only while a renewal that it sent within 10 s has "
            "succeeded, and only one has such a renewal",
    .create = create,
    .destroy = destroy,
    .on_call = on_call,
    .on_process = on_process,
    .on_set_back = on_set_back,
};
