#include "controller/election/lease.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/log.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/election/lease_decide.h"
#include "controller/election/lease_wire.h"

static const struct kube_resource leases = {"coordination.k8s.io", "v1", "leases"};

enum election_state {
    ELECTION_WAITING, /* for the next tick */
    ELECTION_READING,
    ELECTION_WRITING,
    ELECTION_RELEASING,
    ELECTION_STOPPED, /* or about to say so */
};

struct election {
    struct runtime *rt;
    struct kube *kube;
    struct election_options options;
    char *namespace_name;
    char *identity;

    enum election_state state;
    struct kube_call *call;    /* while reading, writing or releasing */
    struct timer *timer;       /* while waiting, and to say that it stopped */
    struct timer *lapse_timer; /* while leading: when the age runs out */
    int64_t tick_started_us;
    bool api_reachable;

    /* The Lease as last read, or as the answer to our own write showed it. */
    bool observed;
    bool vanished; /* it was there and is gone; duration_s of the record is what it said last */
    struct lease_record record;
    int64_t changed_us; /* since when it is as it is: see lease_decide.h */

    bool leading;            /* the last renewal succeeded, and nothing has refuted it since */
    bool after_a_lapse;      /* of another, when it began */
    int64_t renewed_us;      /* when that one was sent, on the elapsed clock */
    int64_t last_written_us; /* the last renewTime that we wrote, on the wall clock */

    bool stopping;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

static void log_with(const struct election *election, enum log_level level, const char *message,
                     const char *key, const char *value)
{
    const struct log_field fields[] = {
        LOG_TEXT("identity", election->identity), {.key = key, .text = text_or(value, "")}
    };

    runtime_log(election->rt, &(struct log_record){.level = level,
                                                   .message = message,
                                                   .fields = fields,
                                                   .field_count = ARRAY_SIZE(fields)});
}

static void set_state(struct election *election, enum election_state state)
{
    static const unsigned allowed[] = {
        [ELECTION_WAITING] =
            1u << ELECTION_READING | 1u << ELECTION_RELEASING | 1u << ELECTION_STOPPED,
        [ELECTION_READING] = 1u << ELECTION_WAITING | 1u << ELECTION_WRITING |
                             1u << ELECTION_RELEASING | 1u << ELECTION_STOPPED,
        [ELECTION_WRITING] =
            1u << ELECTION_WAITING | 1u << ELECTION_RELEASING | 1u << ELECTION_STOPPED,
        [ELECTION_RELEASING] = 1u << ELECTION_STOPPED,
        [ELECTION_STOPPED] = 0,
    };

    assert(allowed[election->state] >> state & 1u);
    election->state = state;
}

/* --- leading and not leading; both may call the owner, who may free us: last in each path --- */

static void lose(struct election *election, const char *why)
{
    if (!election->leading)
        return;
    election->leading = false;
    timer_cancel(election->lapse_timer);
    election->lapse_timer = NULL;
    log_with(election, LOG_WARN, "leadership lost", "why", why);
    if (election->options.on_lose != NULL)
        election->options.on_lose(election->options.arg);
}

static void on_lapse(void *arg)
{
    struct election *election = arg;

    runtime_mark(election->rt, MARK_LEASE_LAPSED);
    election->lapse_timer = NULL;
    lose(election, "no renewal for 10 s");
}

static void gain(struct election *election, int64_t sent_us, int64_t now_us)
{
    bool was_leading = election->leading;

    election->leading = true;
    election->renewed_us = sent_us;
    timer_cancel(election->lapse_timer);
    election->lapse_timer = runtime_after(
        election->rt, sent_us + LEASE_LEADER_AGE_MAX_US + 1 - now_us, on_lapse, election);
    if (was_leading)
        return;
    runtime_mark(election->rt, MARK_LEADS);
    log_with(election, LOG_INFO, "leadership gained", "lease", ELECTION_LEASE_NAME);
    if (election->options.on_gain != NULL)
        election->options.on_gain(election->options.arg);
}

/* --- requests --- */

static void send_request(struct election *election, enum kube_verb verb, const char *body,
                         void (*done)(void *arg, const struct kube_result *result))
{
    const struct kube_request request = {
        .verb = verb,
        .resource = &leases,
        .namespace_name = election->namespace_name,
        .name = verb == KUBE_CREATE ? NULL : ELECTION_LEASE_NAME,
        .body = body,
        .body_size = body == NULL ? 0 : strlen(body),
        .lease = true,
    };

    election->call = kube_send(election->kube, &request, done, election);
}

/* --- leaving --- */

static void say_stopped(void *arg)
{
    struct election *election = arg;

    election->timer = NULL;
    election->stopped(election->stopped_arg);
}

static void on_released(void *arg, const struct kube_result *result)
{
    struct election *election = arg;

    election->call = NULL;
    runtime_mark(election->rt,
                 result->status == 200 ? MARK_LEASE_RELEASED : MARK_LEASE_RELEASE_FAILED);
    set_state(election, ELECTION_STOPPED);
    if (result->status == 200)
        log_with(election, LOG_INFO, "lease released", "name", ELECTION_LEASE_NAME);
    else
        log_with(election, LOG_WARN, "lease not released", "error", result->error.text);
    election->stopped(election->stopped_arg);
}

static void leave(struct election *election)
{
    char *body;

    if (!election->observed || !text_equal(election->record.holder, election->identity)) {
        set_state(election, ELECTION_STOPPED);
        election->timer = runtime_after(election->rt, 0, say_stopped, election);
        return;
    }
    set_state(election, ELECTION_RELEASING);
    body = lease_body_release(election->record.resource_version);
    send_request(election, KUBE_MERGE_PATCH, body, on_released);
    free(body);
}

/* --- a tick --- */

static void start_tick(void *arg);

static void wait_for_next_tick(struct election *election, int64_t now_us)
{
    set_state(election, ELECTION_WAITING);
    election->timer = runtime_after(
        election->rt, lease_tick_delay_us(election->tick_started_us, now_us), start_tick, election);
}

/* Takes ownership of what record holds. A changed resourceVersion alone does not restart the
 * observation (RULES 13.4). */
static void observe(struct election *election, struct lease_record *record, int64_t now_us)
{
    if (!election->observed || !text_equal(record->holder, election->record.holder) ||
        !text_equal(record->renew_time, election->record.renew_time))
        election->changed_us = now_us;
    lease_record_release(&election->record);
    election->record = *record;
    election->observed = true;
    election->vanished = false;
}

static void forget(struct election *election)
{
    lease_record_release(&election->record);
    election->observed = false;
}

/* There is no Lease. */
static void miss(struct election *election, int64_t now_us)
{
    int64_t duration_s = election->record.duration_s;

    if (election->observed && election->record.holder[0] != '\0') {
        runtime_mark(election->rt, MARK_LEASE_VANISHED);
        election->vanished = true;
        election->changed_us = now_us;
    }
    forget(election);
    election->record.duration_s = duration_s;
}

/* There was one when ours was to be made: if it is gone again, its holder may not have heard. */
static void refused_to_make(struct election *election, int64_t now_us)
{
    election->vanished = true;
    election->changed_us = now_us;
}

static enum lease_holder holder_of(const struct election *election)
{
    if (!election->observed)
        return election->vanished ? LEASE_VANISHED : LEASE_ABSENT;
    if (election->record.holder[0] == '\0')
        return LEASE_UNHELD;
    return text_equal(election->record.holder, election->identity) ? LEASE_OURS : LEASE_THEIRS;
}

/* Whether the Lease just observed holds what write_lease() wrote last (RULES 5). */
static bool shows_our_write(const struct election *election)
{
    int64_t renew_us;

    return holder_of(election) == LEASE_OURS &&
           time_parse(election->record.renew_time, &renew_us) &&
           renew_us == election->last_written_us;
}

static void mark_written(struct election *election, const struct kube_result *result, bool young)
{
    if (result->status == 409)
        runtime_mark(election->rt,
                     election->observed ? MARK_LEASE_CONFLICT : MARK_LEASE_CREATE_RACE);
    else if (result->status == 0)
        runtime_mark(election->rt, MARK_LEASE_UNANSWERED);
    else if (!young)
        runtime_mark(election->rt, MARK_LEASE_TOO_SLOW);
}

static void on_written(void *arg, const struct kube_result *result)
{
    struct election *election = arg;
    bool landed = result->status == 200 || result->status == 201;
    bool shown;
    struct lease_record record;
    int64_t now_us = runtime_elapsed_us(election->rt);

    election->call = NULL;
    mark_written(election, result, lease_is_young(result->sent_elapsed_us, now_us));
    if (landed && lease_record_read(result->body, &record))
        observe(election, &record, now_us);
    else if (landed)
        miss(election, now_us); /* what we hold is older than our own write */
    else if (result->status == 409 && !election->observed)
        refused_to_make(election, now_us);
    shown = landed && shows_our_write(election);
    if (election->stopping) {
        leave(election);
        return;
    }
    wait_for_next_tick(election, now_us);
    if (!landed)
        log_with(election, LOG_WARN, "lease not written", "error", result->error.text);
    else if (!shown)
        log_with(election, LOG_WARN, "lease accepted, but the answer does not show our write",
                 "holder", election->observed ? election->record.holder : "");
    if (shown && lease_is_young(result->sent_elapsed_us, now_us))
        gain(election, result->sent_elapsed_us, now_us);
    else
        lose(election, shown ? "the renewal took too long" : "the renewal failed");
}

static void mark_action(struct election *election, enum lease_action action)
{
    enum lease_holder holder = holder_of(election);

    if (action == LEASE_CREATE)
        runtime_mark(election->rt, holder != LEASE_VANISHED ? MARK_LEASE_CREATED
                                   : election->leading      ? MARK_LEASE_MADE_AGAIN
                                                            : MARK_LEASE_MISSED_LONG);
    else if (action == LEASE_TAKE_OVER)
        runtime_mark(election->rt,
                     holder == LEASE_UNHELD ? MARK_LEASE_TAKEN_UNHELD : MARK_LEASE_TAKEN_OVER);
}

static void write_lease(struct election *election, enum lease_action action)
{
    const struct lease_record *record = &election->record;
    int64_t wall_us = runtime_wall_us(election->rt);
    int64_t renew_us = lease_renew_time_us(wall_us, election->last_written_us);
    char *body;

    if (action == LEASE_CREATE)
        body = lease_body_create(election->namespace_name, election->identity, renew_us);
    else if (action == LEASE_RENEW)
        body = lease_body_renew(record, renew_us);
    else
        body = lease_body_take_over(record, election->identity, renew_us);
    election->last_written_us = renew_us;
    mark_action(election, action);
    set_state(election, ELECTION_WRITING);
    send_request(election, action == LEASE_CREATE ? KUBE_CREATE : KUBE_MERGE_PATCH, body,
                 on_written);
    free(body);
}

/* Folds an answer into the observation. False when it tells nothing. */
static bool read_answer(struct election *election, const struct kube_result *result, int64_t now_us)
{
    struct lease_record record;

    if (kube_result_is_missing(result)) {
        miss(election, now_us);
        return true;
    }
    if (!result->ok || !lease_record_read(result->body, &record))
        return false;
    observe(election, &record, now_us);
    return true;
}

static void on_read(void *arg, const struct kube_result *result)
{
    struct election *election = arg;
    int64_t now_us = runtime_elapsed_us(election->rt);
    struct lease_view view;
    enum lease_action action;

    election->call = NULL;
    election->api_reachable = read_answer(election, result, now_us);
    if (!election->api_reachable) {
        if (election->leading)
            runtime_mark(election->rt, MARK_LEASE_UNREADABLE);
        wait_for_next_tick(election, now_us);
        log_with(election, LOG_WARN, "lease not read", "error",
                 result->ok ? "not a Lease" : result->error.text);
        lose(election, "the Lease could not be read");
        return;
    }
    view = (struct lease_view){
        .holder = holder_of(election),
        .leading = election_is_leader(election, now_us),
        .changed_us = election->changed_us,
        .duration_us = lease_duration_us(election->record.duration_s),
    };
    action = lease_decide(&view, now_us);
    if (action != LEASE_STAND_BY) {
        if (action != LEASE_RENEW)
            election->after_a_lapse = lease_is_after_a_lapse(&view);
        write_lease(election, action);
        return;
    }
    wait_for_next_tick(election, now_us);
    lose(election, view.holder == LEASE_VANISHED ? "the Lease has vanished"
                                                 : "another replica holds the Lease");
}

static void start_tick(void *arg)
{
    struct election *election = arg;

    election->timer = NULL;
    election->tick_started_us = runtime_elapsed_us(election->rt);
    set_state(election, ELECTION_READING);
    send_request(election, KUBE_GET, NULL, on_read);
}

/* --- public --- */

struct election *election_new(struct runtime *rt, struct kube *kube,
                              const struct election_options *options)
{
    struct election *election = xcalloc(1, sizeof(*election));
    uint64_t random = runtime_random(rt);

    election->rt = rt;
    election->kube = kube;
    election->options = *options;
    election->namespace_name = xstrdup(options->namespace_name);
    election->options.namespace_name = election->namespace_name;
    election->identity =
        xprintf("%s_%08x", text_or(options->host_name, "agent-controller"), (unsigned)random);
    election->options.host_name = NULL;
    election->last_written_us = INT64_MIN;
    election->state = ELECTION_WAITING;
    election->timer = runtime_after(rt, 0, start_tick, election);
    return election;
}

void election_free(struct election *election)
{
    if (election == NULL)
        return;
    kube_call_cancel(election->call);
    timer_cancel(election->timer);
    timer_cancel(election->lapse_timer);
    forget(election);
    free(election->namespace_name);
    free(election->identity);
    free(election);
}

bool election_is_leader(const struct election *election, int64_t now_us)
{
    return election->leading && !election->stopping && lease_is_young(election->renewed_us, now_us);
}

bool election_is_after_a_lapse(const struct election *election)
{
    return election->after_a_lapse;
}

bool election_holds(const struct election *election)
{
    return holder_of(election) == LEASE_OURS;
}

const char *election_version(const struct election *election)
{
    return election->observed ? election->record.resource_version : "";
}

bool election_api_reachable(const struct election *election)
{
    return election->api_reachable;
}

const char *election_identity(const struct election *election)
{
    return election->identity;
}

void election_stop(struct election *election, void (*done)(void *arg), void *arg)
{
    assert(!election->stopping);
    election->stopping = true;
    election->stopped = done;
    election->stopped_arg = arg;
    timer_cancel(election->timer);
    election->timer = NULL;
    timer_cancel(election->lapse_timer);
    election->lapse_timer = NULL;
    if (election->state == ELECTION_WRITING)
        return; /* on_written() leaves */
    kube_call_cancel(election->call);
    election->call = NULL;
    leave(election);
}
