/* faults - which requests go wrong, and how: decided from rules, over plain structs.
 *
 * The same rules serve real sockets and simulation; whoever asks carries out the answer. Nothing
 * here reads a clock or draws a number: times and randomness are handed in. */
#ifndef FAKEAPI_FAULTS_FAULTS_H
#define FAKEAPI_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/base/yaml.h"

/** Most rules at one time, and most bytes of a rules file. */
#define FAULT_RULES_MAX 10000
#define FAULT_FILE_BYTES_MAX (1024 * 1024)

/** Longest line that a fault makes a watch send. */
#define FAULT_LINE_BYTES_MAX (64 * 1024 * 1024)

/** Most values of one matcher that takes a list. */
#define FAULT_PATTERNS_MAX 32

/** What a rule looks at. Texts may be NULL, which is as good as "". */
struct fault_call {
    const char *user_agent;
    const char *peer; /* the caller's host, without its port */
    const char *user; /* who the credentials name */
    const char *verb; /* get list watch create update patch delete deletecollection; for paths that
                         are no resource the HTTP method in lower case */
    const char *resource;  /* "pods", "pods/log"; a path such as "/version" where there is none */
    const char *namespace; /* "" for a cluster-wide request */
    const char *name;      /* "" for collections */
    int64_t since_start_us;
    uint64_t random; /* one number per call; each rule mixes its own from it */
};

/** What a matching rule does. */
enum fault_action {
    FAULT_NONE,
    FAULT_REFUSE,      /* close the connection before reading the request's body */
    FAULT_SILENT,      /* never answer, keep the connection */
    FAULT_STATUS,      /* answer with status, reason, message; the request is not carried out */
    FAULT_DROP_ANSWER, /* carry it out, then break the connection instead of answering */
    FAULT_CUT,         /* carry it out, answer, break the connection behind cut_at bytes of body */
    FAULT_STALE,       /* serve a get or list from the state at an older revision */
    FAULT_DELAY,       /* only delay_us counts */
    FAULT_COMPACT,     /* only compact counts */
    FAULT_WATCH_CLOSE, /* end the stream cleanly, before the event at hand */
    FAULT_WATCH_STALL, /* send nothing more, keep the connection */
    FAULT_WATCH_SWALLOW, /* leave out this one event */
    FAULT_HTML,          /* answer with status and a page of HTML; it is not carried out */
    FAULT_CONTENT_TYPE,  /* carry it out, answer with another Content-Type */
    FAULT_TRUNCATE,      /* carry it out, end the answer's body in order after amount bytes */
    FAULT_SLOW_BODY,     /* carry it out, send the answer's body a byte each wait_us */
    FAULT_WATCH_DELAY,   /* this event and those behind it come wait_us later */
    FAULT_WATCH_REPEAT,  /* this event comes twice */
    FAULT_WATCH_GAP,     /* leave out amount events, beginning with this one */
    FAULT_WATCH_ERROR,   /* an ERROR event with status and reason instead, and the end */
    FAULT_WATCH_GARBAGE, /* a line that is no JSON instead of the event */
    FAULT_WATCH_LONG,    /* a line of amount bytes instead of the event */
    FAULT_WATCH_HALF,    /* the first half of the event's line, and the end */
    FAULT_WATCH_NO_MARK, /* leave out a bookmark */
    FAULT_ACTION_COUNT,
};

/** An action with its values. Texts belong to the rule, and live until rules change. */
struct fault_effect {
    enum fault_action action;
    int64_t delay_us;            /* before anything else is done; adds up over rules */
    bool compact;                /* forget the store's history first */
    unsigned status;             /* of STATUS and WATCH_ERROR: 400 to 599; of HTML: 200 to 599 */
    const char *reason;          /* or NULL: what the status usually says; "": none */
    const char *message;         /* or NULL */
    int64_t retry_after_seconds; /* 0: no Retry-After */
    uint64_t cut_at;             /* of FAULT_CUT: bytes of the body that still go out */
    uint64_t stale_revision;     /* of FAULT_STALE, or 0 and */
    int64_t stale_age_us;        /* how old it shall be */
    uint64_t amount;             /* of bytes or events: see the action */
    int64_t wait_us;             /* see the action */
    const char *content_type;    /* of FAULT_CONTENT_TYPE */
    const char *rule;            /* name of the rule that gave the action; NULL without one */
};

/** A rule: all that is set must match. Patterns are globs: '*' any text, '?' one character. */
struct fault_patterns {
    const char *items[FAULT_PATTERNS_MAX];
    size_t count; /* 0: anything */
};

struct fault_rule {
    const char *name;             /* for logs; NULL: "rule N" */
    struct fault_patterns caller; /* user agent */
    struct fault_patterns peer;
    struct fault_patterns user;
    struct fault_patterns account; /* "namespace/name" of a user that is a service account */
    struct fault_patterns verb;
    struct fault_patterns resource; /* "pods", "pods/log", "pods*" */
    struct fault_patterns namespace;
    struct fault_patterns object; /* name of the object */
    uint64_t nth;                 /* only the n-th that matches, from 1; 0: any */
    uint64_t every;               /* every k-th that matches; 0: any */
    double probability;           /* 0 to 1; used when has_probability */
    bool has_probability;
    uint64_t seed; /* of the chances: the same for every n-th match in every run; 0: not the same */
    int64_t from_us;  /* since the start; inclusive */
    int64_t until_us; /* exclusive; 0: for ever */
    uint64_t count;   /* acts at most so often; 0: without limit */
    struct fault_effect effect;
};

struct faults;

struct faults *faults_new(void);
void faults_free(struct faults *faults);

/** Adds a rule behind the others; all of it is copied. *ret_id is its number, never 0 and never
 * used again. ERROR_INVALID for values that contradict each other, ERROR_TOO_LARGE past the
 * limit. */
bool faults_add(struct faults *faults, const struct fault_rule *rule, uint64_t *ret_id,
                struct error *err) MUST_CHECK;
/** As faults_add(), but in front of the others and outside of their numbering, so that whatever
 * they do is done without it: their luck, too. One at a time; its number is FAULT_FIRST_ID. */
#define FAULT_FIRST_ID UINT64_MAX
bool faults_add_first(struct faults *faults, const struct fault_rule *rule,
                      struct error *err) MUST_CHECK;
/** False when there is no rule of that number. */
bool faults_remove(struct faults *faults, uint64_t id);
void faults_clear(struct faults *faults);
size_t faults_count(const struct faults *faults);

/** A rule at work. All of it is borrowed. */
struct fault_entry {
    uint64_t id;
    const struct fault_rule *rule;
    uint64_t matched; /* calls and events that it matched so far */
    uint64_t acted;   /* and of those, on how many it acted */
};

/** Tells of every rule, in the order of their adding. fn may not change them. */
void faults_each(const struct faults *faults, void (*fn)(void *arg, const struct fault_entry *),
                 void *arg);
/** False when there is no rule of that number. */
bool faults_find(const struct faults *faults, uint64_t id, struct fault_entry *ret_entry);

/** The rule as faults_load() reads it. json_object_put() it. */
struct json_object *fault_rule_to_json(const struct fault_rule *rule) MUST_CHECK;

/** How often a rule acted so far; 0 when it is gone. */
uint64_t faults_acted(const struct faults *faults, uint64_t id);

/** Whether there is anybody to ask about calls: a rule, or an observer. */
bool faults_are_asked(const struct faults *faults);
/** Whether a rule depends on the random number of a call; else 0 will do. */
bool faults_draw(const struct faults *faults);

/** From now on fn sees each call, and each event of a watch, right before the rules decide on it;
 * it may change them. fn may be NULL. */
typedef void fault_observer_fn(void *arg, const struct fault_call *call, bool event);
void faults_observe(struct faults *faults, fault_observer_fn *fn, void *arg);

/** What becomes of a request. Every rule that matches counts it; delays add up; of the other
 * actions the first rule's wins, and the later ones count as not having acted. Rules with an action
 * on watch events are left to faults_decide_event(). */
void faults_decide(struct faults *faults, const struct fault_call *call,
                   struct fault_effect *ret_effect);

/** Whether a bookmark that is due is left out: NONE or FAULT_WATCH_NO_MARK. verb is "watch"; there
 * is no object. */
void faults_decide_bookmark(struct faults *faults, const struct fault_call *call,
                            struct fault_effect *ret_effect);

/** What becomes of one event on a watch: NONE, or a FAULT_WATCH action. verb is "watch"; name and
 * namespace are the event's object's, caller and resource those of the watch. delay_us counts. */
void faults_decide_event(struct faults *faults, const struct fault_call *call,
                         struct fault_effect *ret_effect);

/** What becomes of an open watch without an event, at an edge: NONE, CLOSE or STALL. Only rules
 * that ask neither for an n-th nor an every-k-th event nor an object nor a probability act. */
void faults_decide_idle(struct faults *faults, const struct fault_call *call,
                        struct fault_effect *ret_effect);

/** The next time after since_start_us at which a rule on watches begins to hold: ask
 * faults_decide_idle() for every open watch then. INT64_MAX when there is none. */
int64_t faults_next_edge_us(const struct faults *faults, int64_t since_start_us);

/** Adds the rules of a YAML file, all or none. An error has all that is wrong with all of them,
 * each as of fault_rule_parse(), with "; " between. */
bool faults_load(struct faults *faults, const void *bytes, size_t size,
                 struct error *err) MUST_CHECK;

/** Reads one rule of a YAML list:
 *
 *     - name: lists break now and then
 *       match: {caller: agent-controller*, peer: ctl-0, user: "*",
 *               service_account: ai-agents/default, verb: [list, get], resource: agents,
 *               namespace: ai-agents, name: run-*}
 *       when: {nth: 3, every: 5, probability: 0.1, seed: 7, from: 10s, until: 1m, count: 2}
 *       do: {delay: 2s, cut_at: 100}
 *
 * "do" holds at most one action (fault_action_key() of each); reason and message go with a status
 * and an error_event, retry_after with a status; besides delay and compact. "match" and "when" may
 * be left out; a seed goes with a probability. A rule none of whose verbs its action can happen to
 * is a mistake. Texts are
 * borrowed from the node. A verb must be like one that a fault_call can have. Resources are not
 * checked, for kinds come and go.
 *
 * Errors are ERROR_INVALID: "line L, column C: what", with the closest known key where one is
 * close; *ret_line and *ret_column (may be NULL) get the position. */
bool fault_rule_parse(const struct yaml_node *node, struct fault_rule *ret_rule, unsigned *ret_line,
                      unsigned *ret_column, struct error *err) MUST_CHECK;

/** As fault_rule_parse(), but tells of every mistake in the rule instead of the first alone. what
 * has no position in it, and lives as long as the call. */
typedef void fault_mistake_fn(void *arg, unsigned line, unsigned column, const char *what);
bool fault_rule_parse_all(const struct yaml_node *node, struct fault_rule *ret_rule,
                          fault_mistake_fn *mistake, void *arg) MUST_CHECK;

/** "cut"; never NULL. */
const char *fault_action_name(enum fault_action action);
/** The key of "do" that asks for it: "cut_at"; NULL for FAULT_NONE. */
const char *fault_action_key(enum fault_action action);
/** What an injected status says for its reason: written, where a rule says it ("": none, as NULL);
 * else what the code usually says. */
const char *fault_reason(unsigned status, const char *written);
/** Whether it happens to events or bookmarks of a watch; else to requests. */
bool fault_action_is_of_watch(enum fault_action action);
/** Whether it can happen to a request of that verb; any verb where it is no pattern's business. */
bool fault_action_suits(enum fault_action action, const char *verb);

#endif
