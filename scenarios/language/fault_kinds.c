#include "scenarios/language/fault_kinds.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/text.h"

/** Largest "do". */
#define DEED_BYTES_MAX 4096

/** An action, with the help of its key. */
#define KIND(word, place, written, where, ...)                                                     \
    KIND_OF(word, word, place, NULL, written, where, __VA_ARGS__)
/** An action with a value of its own meaning. */
#define KIND_OF(word, of, place, text, written, where, ...)                                        \
    {                                                                                              \
        .name = (word), .key = (of), .area = FAULT_AREA_##place, .help = (text),                   \
        .example = (written), .sites = (where), __VA_ARGS__                                        \
    }

/* What a sweep tries, "swept", is less than what makes sense, "sites": of the kinds that nobody at
 * the other end of a call can tell apart one remains at it.
 * - A question that fails fails alike however it does: refuse stands for a connection that is reset
 *   or refused and for an answer that is dropped, 500 for 503 and pages of gateways, silent for a
 *   request that is lost and for hosts that are not there. cut_at and content_type are an answer in
 *   part and one of another kind; a large answer, a list, is also truncated, slow and in pieces.
 * - A write is carried out or not, and known to be or not: refuse and drop_answer, silent and
 *   lose_answer, late. Ways of the network to the same end are tried at creations and deletions.
 * - Lapses of a link at a write or a watch; partition, which nobody is told of, at all calls.
 * - Who dies between two writes, at any question, has left the same behind as at the event or the
 *   timer that woke him: crash is at writes, events and timers. power_off and restart differ in
 *   what remains on the other side, and so are at writes. pause is at questions, too: who stands
 *   still there acts on what is old. terminate finishes what is under way, and so is at all calls.
 * - Leases are asked for and renewed at every tick: there only what bears on who leads is tried,
 *   and clocks nowhere else; a clock that jumps also where a time is written. */
static const struct fault_kind kinds[] = {
    /* answers */
    KIND("refuse", ANSWER, "{refuse: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_READ | FAULT_SITE_WATCH | FAULT_SITES_WRITE | FAULT_SITE_OTHER),
    KIND("silent", ANSWER, "{silent: true}", FAULT_SITES_CALL, .costs_output = true,
         .swept = FAULT_SITES_CALL | FAULT_SITES_LEASE),
    KIND("delay", ANSWER, "{delay: 5s}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_CALL | FAULT_SITES_LEASE),
    KIND("status", ANSWER, "{status: 400, reason: BadRequest, message: no}", 0),
    KIND_OF("status-401", "status", ANSWER, "401 Unauthorized: the token has expired.",
            "{status: 401}", FAULT_SITES_CALL,
            .swept = FAULT_SITES_READ | FAULT_SITE_WATCH | FAULT_SITE_CREATE | FAULT_SITE_OTHER),
    KIND_OF("status-403", "status", ANSWER, "403 Forbidden: the right was taken away.",
            "{status: 403, message: not allowed}", FAULT_SITES_CALL, .final = true,
            .swept = FAULT_SITES_CALL | FAULT_SITES_LEASE),
    KIND_OF("status-409", "status", ANSWER, "409 Conflict: somebody else wrote meanwhile.",
            "{status: 409}",
            FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH | FAULT_SITE_DELETE,
            .swept = FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE),
    KIND_OF("status-422", "status", ANSWER, "422 Invalid: the object is refused.",
            "{status: 422, message: not like this}",
            FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH, .final = true,
            .swept = FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH),
    KIND_OF("status-429", "status", ANSWER, "429 TooManyRequests with a Retry-After.",
            "{status: 429, retry_after: 3}", FAULT_SITES_CALL, .swept = FAULT_SITES_CALL),
    KIND_OF("status-500", "status", ANSWER, "500 InternalError.", "{status: 500}", FAULT_SITES_CALL,
            .swept = FAULT_SITES_CALL | FAULT_SITES_LEASE),
    KIND_OF("status-503", "status", ANSWER, "503 ServiceUnavailable.", "{status: 503}",
            FAULT_SITES_CALL, .swept = FAULT_SITES_WRITE),
    KIND_OF("status-504", "status", ANSWER, "504 Timeout: nobody knows what was done.",
            "{status: 504}", FAULT_SITES_CALL, .swept = FAULT_SITES_WRITE | FAULT_SITE_LIST),
    KIND("drop_answer", ANSWER, "{drop_answer: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE),
    KIND("cut_at", ANSWER, "{cut_at: 100}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_READ | FAULT_SITE_WATCH),
    /* a get is answered by etcd's majority: only a list can be old */
    KIND("stale", ANSWER, "{stale: {age: 10s}}", FAULT_SITE_LIST, .costs_output = true,
         .swept = FAULT_SITE_LIST),
    KIND_OF("html-200", "html", ANSWER,
            "A gateway answers 200 with a page of HTML; nothing is carried out.", "{html: 200}",
            FAULT_SITES_CALL, .swept = FAULT_SITES_CALL | FAULT_SITES_LEASE),
    KIND_OF("html-502", "html", ANSWER,
            "A gateway answers 502 with a page of HTML; nothing is carried out.", "{html: 502}",
            FAULT_SITES_CALL, .swept = FAULT_SITE_LIST | FAULT_SITE_DELETE),
    KIND("html", ANSWER, "{html: 504}", 0),
    KIND("content_type", ANSWER, "{content_type: text/plain}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_READ | FAULT_SITE_CREATE),
    KIND("truncate", ANSWER, "{truncate: 100}", FAULT_SITES_CALL,
         .swept = FAULT_SITE_LIST | FAULT_SITES_WRITE),
    KIND("slow_body", ANSWER, "{slow_body: 1ms}", FAULT_SITES_WHOLE, .swept = FAULT_SITE_LIST),
    /* watches */
    KIND("close_watch", WATCH, "{close_watch: true}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("stall_watch", WATCH, "{stall_watch: true}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("swallow_event", WATCH, "{swallow_event: true}", FAULT_SITE_EVENT,
         .swept = FAULT_SITE_EVENT),
    KIND("delay_event", WATCH, "{delay_event: 5s}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("repeat_event", WATCH, "{repeat_event: true}", FAULT_SITE_EVENT,
         .swept = FAULT_SITE_EVENT),
    KIND("gap", WATCH, "{gap: 3}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND_OF("error_event-410", "error_event", WATCH,
            "An ERROR event 410 Expired comes instead, and the watch ends.", "{error_event: 410}",
            FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND_OF("error_event-410-bare", "error_event", WATCH, "The same without a reason.",
            "{error_event: 410, reason: \"\"}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("error_event", WATCH, "{error_event: 500}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("garbage_line", WATCH, "{garbage_line: true}", FAULT_SITE_EVENT,
         .swept = FAULT_SITE_EVENT),
    KIND("long_line", WATCH, "{long_line: 5000000}", 0),
    KIND("half_line", WATCH, "{half_line: true}", FAULT_SITE_EVENT, .swept = FAULT_SITE_EVENT),
    KIND("no_bookmark", WATCH, "{no_bookmark: true}", 0),
    /* the way */
    KIND("cut", NETWORK, "{cut: [\"{peer}\", api], for: 10s}", FAULT_SITES_CALL, .moments = true,
         .swept = FAULT_SITE_WATCH | FAULT_SITES_WRITE),
    KIND("partition", NETWORK, "{partition: [\"{peer}\", api], for: 10s}", FAULT_SITES_CALL,
         .moments = true, .swept = FAULT_SITES_CALL | FAULT_SITE_LEASE_WRITE),
    KIND("latency", NETWORK, "{latency: [\"{peer}\", api], by: 2s, both: true, for: 20s}",
         FAULT_SITES_CALL, .moments = true, .swept = FAULT_SITE_LIST | FAULT_SITES_WRITE),
    KIND("jitter", NETWORK, "{jitter: [api, \"{peer}\"], by: 500ms, for: 20s}",
         FAULT_SITES_READ | FAULT_SITE_WATCH, .moments = true,
         .swept = FAULT_SITE_LIST | FAULT_SITE_WATCH),
    KIND("bandwidth", NETWORK, "{bandwidth: [api, \"{peer}\"], bytes: 2000, for: 20s}",
         FAULT_SITES_READ | FAULT_SITE_WATCH, .moments = true, .swept = FAULT_SITE_LIST),
    KIND("pieces", NETWORK, "{pieces: [api, \"{peer}\"], bytes: 7, for: 20s}",
         FAULT_SITES_READ | FAULT_SITE_WATCH, .moments = true,
         .swept = FAULT_SITE_LIST | FAULT_SITE_WATCH),
    KIND("refuse_connect", NETWORK, "{refuse_connect: [\"{peer}\", api], for: 10s}",
         FAULT_SITES_WRITE, .moments = true, .swept = FAULT_SITE_CREATE | FAULT_SITE_DELETE),
    KIND("reset_after", NETWORK, "{reset_after: [api, \"{peer}\"], bytes: 100, for: 5s}",
         FAULT_SITES_READ | FAULT_SITE_WATCH, .moments = true,
         .swept = FAULT_SITE_LIST | FAULT_SITE_WATCH),
    KIND("strand", NETWORK, "{strand: [\"{peer}\", api]}", FAULT_SITES_CALL, .moments = true,
         .swept = FAULT_SITE_WATCH | FAULT_SITES_WRITE),
    KIND("reset_connections", NETWORK, "{reset_connections: [\"{peer}\", api]}", FAULT_SITES_CALL,
         .moments = true, .swept = FAULT_SITE_WATCH | FAULT_SITES_WRITE),
    KIND("late", NETWORK, "{late: 25s}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE),
    KIND("lose_request", NETWORK, "{lose_request: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITE_CREATE | FAULT_SITE_DELETE),
    KIND("lose_answer", NETWORK, "{lose_answer: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITES_WRITE),
    KIND("reset_request", NETWORK, "{reset_request: 10}", FAULT_SITES_WRITE,
         .swept = FAULT_SITE_CREATE | FAULT_SITE_DELETE),
    KIND("reset_answer", NETWORK, "{reset_answer: 10}", FAULT_SITES_CALL,
         .swept = FAULT_SITE_LIST | FAULT_SITE_CREATE),
    KIND("unreachable", NETWORK, "{unreachable: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITE_WATCH | FAULT_SITE_CREATE),
    /* processes */
    KIND("crash", PROCESS, "{crash: \"{peer}\", for: 30s}",
         FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER, .moments = true,
         .swept = FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE | FAULT_SITE_EVENT | FAULT_SITE_TIMER),
    KIND("restart", PROCESS, "{restart: \"{peer}\"}",
         FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER, .moments = true,
         .swept = FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE),
    KIND("terminate", PROCESS, "{terminate: \"{peer}\", grace: 30s, for: 40s}",
         FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER, .moments = true,
         .swept = FAULT_SITES_CALL | FAULT_SITE_TIMER),
    KIND("power_off", PROCESS, "{power_off: \"{peer}\", for: 30s}",
         FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER, .moments = true,
         .swept = FAULT_SITES_WRITE),
    KIND("pause", PROCESS, "{pause: \"{peer}\", for: 20s}",
         FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER, .moments = true,
         .swept = FAULT_SITES_READ | FAULT_SITES_WRITE | FAULT_SITE_LEASE_WRITE | FAULT_SITE_TIMER),
    /* clocks */
    KIND("clock_jump", CLOCK, "{clock_jump: \"{peer}\", by: -10m}", FAULT_SITES_WRITE,
         .moments = true, .swept = FAULT_SITE_CREATE | FAULT_SITE_PATCH | FAULT_SITE_LEASE_WRITE),
    KIND("clock_skew", CLOCK, "{clock_skew: \"{peer}\", by: 1h, for: 1m}", FAULT_SITES_WRITE,
         .moments = true, .swept = FAULT_SITE_LEASE_WRITE),
    KIND("clock_drift", CLOCK, "{clock_drift: \"{peer}\", ppm: 300000, for: 1m}", FAULT_SITES_WRITE,
         .moments = true, .swept = FAULT_SITE_LEASE_WRITE),
    KIND("clock_freeze", CLOCK, "{clock_freeze: \"{peer}\", for: 1m}", FAULT_SITES_WRITE,
         .moments = true, .swept = FAULT_SITE_LEASE_WRITE),
    KIND("timers_drift", CLOCK, "{timers_drift: \"{peer}\", ppm: -200000, for: 1m}",
         FAULT_SITES_WRITE, .moments = true, .swept = FAULT_SITE_LEASE_WRITE),
    /* the cluster */
    KIND_OF("crash-api", "crash", CLUSTER,
            "The API server is gone, and all connections with it; it comes back with what it "
            "stored and without its history.",
            "{crash: api, for: 5s}", FAULT_SITES_CALL, .moments = true,
            .swept = FAULT_SITE_WATCH | FAULT_SITES_WRITE),
    KIND_OF("restart-api", "restart", CLUSTER,
            "The API server starts anew: connections break and its history is gone.",
            "{restart: api}", FAULT_SITES_CALL, .moments = true,
            .swept = FAULT_SITE_LIST | FAULT_SITE_WATCH | FAULT_SITE_CREATE),
    KIND("rewind", CLUSTER, "{rewind: 30s}", 0, .moments = true, .final = true),
    KIND("compact", CLUSTER, "{compact: true}", FAULT_SITES_CALL,
         .swept = FAULT_SITE_LIST | FAULT_SITE_WATCH),
};

size_t fault_kind_count(void)
{
    return ARRAY_SIZE(kinds);
}

const struct fault_kind *fault_kind_at(size_t index)
{
    return &kinds[index];
}

const struct fault_kind *fault_kind_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    return NULL;
}

const struct fault_kind *fault_kind_of(const struct fault *fault)
{
    const struct fault_effect *effect = &fault->rule.effect;
    const struct fault_kind *kind;
    bool bare = effect->reason != NULL && *effect->reason == '\0';
    char name[64];

    if (fault->kind == FAULT_AT_API && effect->status != 0) {
        snprintf(name, sizeof(name), "%s-%u%s", fault->key, effect->status, bare ? "-bare" : "");
        kind = fault_kind_find(name);
        if (kind != NULL)
            return kind;
    }
    if (text_equal(fault->process, "api")) {
        snprintf(name, sizeof(name), "%s-api", fault->key);
        kind = fault_kind_find(name);
        if (kind != NULL)
            return kind;
    }
    return fault_kind_find(fault->key);
}

static const struct {
    const char *name;
    const char *what;
} areas[] = {
    [FAULT_AREA_ANSWER] = {"answer",  "Requests and their answers, at the API server:"},
    [FAULT_AREA_WATCH] = {"watch",   "Events of watches, at the API server:"         },
    [FAULT_AREA_NETWORK] = {"network", "The way between two processes:"                },
    [FAULT_AREA_PROCESS] = {"process", "Processes:"                                    },
    [FAULT_AREA_CLOCK] = {"clock",   "Clocks of a process:"                          },
    [FAULT_AREA_CLUSTER] = {"cluster", "The API server as a whole:"                    },
};

const char *fault_area_name(enum fault_area area)
{
    return areas[area].name;
}

const char *fault_area_what(enum fault_area area)
{
    return areas[area].what;
}

unsigned fault_site_of_verb(const char *verb)
{
    static const struct {
        const char *verb;
        unsigned site;
    } sites[] = {
        {"get",              FAULT_SITE_GET   },
        {"list",             FAULT_SITE_LIST  },
        {"watch",            FAULT_SITE_WATCH },
        {"create",           FAULT_SITE_CREATE},
        {"update",           FAULT_SITE_UPDATE},
        {"patch",            FAULT_SITE_PATCH },
        {"delete",           FAULT_SITE_DELETE},
        {"deletecollection", FAULT_SITE_DELETE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(sites); i++) {
        if (text_equal(sites[i].verb, verb))
            return sites[i].site;
    }
    return FAULT_SITE_OTHER;
}

bool fault_is_final(const struct fault *fault)
{
    const struct fault_kind *kind = fault_kind_of(fault);
    const struct fault_patterns *resources = &fault->rule.resource;

    return kind->final || (kind->costs_output && resources->count == 1 &&
                           (strcmp(resources->items[0], "pods") == 0 ||
                            strcmp(resources->items[0], "pods/log") == 0));
}

bool fault_kind_is_swept(const struct fault_kind *kind, unsigned site, const char *resource)
{
    unsigned lease =
        (site & FAULT_SITES_WRITE) != 0 ? FAULT_SITE_LEASE_WRITE : FAULT_SITE_LEASE_READ;
    bool event = site == FAULT_SITE_EVENT || site == FAULT_SITE_TIMER;

    return (kind->swept & (!event && text_equal(resource, "leases") ? lease : site)) != 0;
}

bool fault_kind_applies(const struct fault_kind *kind, unsigned site, const char *resource)
{
    (void)resource;
    return (kind->sites & site) != 0;
}

char *fault_kind_deed(const struct fault_kind *kind, const char *peer)
{
    static const char hole[] = "{peer}";
    struct buffer text = BUFFER_INIT(DEED_BYTES_MAX);
    const char *from = kind->example;
    const char *found;
    size_t size;

    while ((found = strstr(from, hole)) != NULL) {
        buffer_append(&text, from, (size_t)(found - from));
        buffer_append_text(&text, peer);
        from = found + strlen(hole);
    }
    buffer_append_text(&text, from);
    return buffer_take(&text, &size);
}
