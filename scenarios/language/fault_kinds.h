/* fault_kinds - all that can go wrong in a scenario: what "do" of a fault may say.
 *
 * The one table of it: the parser reads "do" by it, `scenario faults` prints it, searches draw
 * from it. A kind is an action (a key of "do"), or an action with a value that has a meaning of
 * its own: "status-409". */
#ifndef SCENARIOS_LANGUAGE_FAULT_KINDS_H
#define SCENARIOS_LANGUAGE_FAULT_KINDS_H

#include "scenarios/language/scenario.h"

/** Where a kind acts. */
enum fault_area {
    FAULT_AREA_ANSWER,  /* at the API server, on a request */
    FAULT_AREA_WATCH,   /* at the API server, on an event of a watch */
    FAULT_AREA_NETWORK, /* between two processes */
    FAULT_AREA_PROCESS, /* at a process */
    FAULT_AREA_CLOCK,   /* at the clocks of a process */
    FAULT_AREA_CLUSTER, /* at the API server as a whole, and what is stored there */
    FAULT_AREA_COUNT,
};

/** Where in a run a fault can be put: bits, a site is one of them. */
enum {
    FAULT_SITE_GET = 1 << 0,
    FAULT_SITE_LIST = 1 << 1,
    FAULT_SITE_WATCH = 1 << 2,
    FAULT_SITE_CREATE = 1 << 3,
    FAULT_SITE_UPDATE = 1 << 4,
    FAULT_SITE_PATCH = 1 << 5,
    FAULT_SITE_DELETE = 1 << 6, /* and deletecollection */
    FAULT_SITE_OTHER = 1 << 7,  /* a path that is no resource */
    FAULT_SITE_EVENT = 1 << 8,  /* an event of a watch, about to be sent */
    FAULT_SITE_TIMER = 1 << 9,  /* a timer of a process fires */
    /* of a sweep: calls about Leases are sites of their own */
    FAULT_SITE_LEASE_READ = 1 << 10,
    FAULT_SITE_LEASE_WRITE = 1 << 11,
};
#define FAULT_SITES_LEASE (FAULT_SITE_LEASE_READ | FAULT_SITE_LEASE_WRITE)
#define FAULT_SITES_READ (FAULT_SITE_GET | FAULT_SITE_LIST)
#define FAULT_SITES_WRITE                                                                          \
    (FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH | FAULT_SITE_DELETE)
#define FAULT_SITES_WHOLE (FAULT_SITES_READ | FAULT_SITES_WRITE | FAULT_SITE_OTHER)
#define FAULT_SITES_CALL (FAULT_SITES_WHOLE | FAULT_SITE_WATCH)

struct fault_kind {
    const char *name; /* unique: "drop_answer", "status-409" */
    const char *key;  /* of "do": "drop_answer", "status" */
    enum fault_area area;
    const char *help; /* one sentence; NULL: that of the key */
    /* "do" as it may be written, as a flow mapping; "{peer}" in it stands for the process that
     * made the call, or whose timer or watch it is */
    const char *example;
    /* Where a search puts it; 0: nowhere, another kind is the same or it needs a person's eye. A
     * person may aim it elsewhere, too. */
    unsigned sites;
    unsigned swept;    /* where a sweep does, which tries one kind of each class at a place */
    bool moments;      /* "do" takes a moment: sent, applied or answered */
    bool costs_output; /* at a call about pods: final there */
    bool final;        /* the cluster's last word: what a scenario asserts may change with it. All
                        * others are transient: the final state is as without it. */
};

size_t fault_kind_count(void);
const struct fault_kind *fault_kind_at(size_t index);
/** NULL: there is none. */
const struct fault_kind *fault_kind_find(const char *name);
/** What a fault that was read does; never NULL. A status without a row of its own is "status". */
const struct fault_kind *fault_kind_of(const struct fault *fault);

/** "answer", "watch", "network", ...; never NULL. */
const char *fault_area_name(enum fault_area area);
/** "Answers of the API server:"; never NULL. */
const char *fault_area_what(enum fault_area area);

/** The site of a call by its verb, of fault_call: "get", "list", ...; OTHER for the rest. */
unsigned fault_site_of_verb(const char *verb);

/** A fault that search tries at such a site of that resource ("jobs", "agents/status"). */
bool fault_kind_applies(const struct fault_kind *kind, unsigned site, const char *resource);

/** A fault that a sweep tries there. */
bool fault_kind_is_swept(const struct fault_kind *kind, unsigned site, const char *resource);

/** Final as that fault has it: "silent" is at a call about pods, for a run whose pods or log do not
 * answer in time has no output (controller/RULES.md 2.8). */
bool fault_is_final(const struct fault *fault);

/** The example with "{peer}" filled in. free() it. */
char *fault_kind_deed(const struct fault_kind *kind, const char *peer) MUST_CHECK;

/** What may stand in "do" beside the kind's key: keys of fault_deed_table, with what they mean and
 * what holds without them. *ret_count of them; borrowed. */
const char *const *fault_kind_parameters(const struct fault_kind *kind, size_t *ret_count);

/** What "do" holds. */
struct fault_deed {
    struct place place;
    int target; /* enum fault_target */
    char *process;
    struct process_names link;
    bool both;
    int64_t amount;
    int moment; /* enum fault_moment, or -1 */
    int64_t for_us;
    int64_t grace_us;
    int64_t ignored_number; /* what fakeapi/faults reads */
    char *ignored_text;
};

/** Whether it happens to a request on its way, and so needs one. */
bool fault_target_is_request(enum fault_target target);
/** Whether it is over at once: it cannot last. */
bool fault_target_is_sudden(enum fault_target target);

/** Keys of "do". Those of the API server are read by fakeapi/faults, and described here. */
extern const struct key_table fault_deed_table;

/** Reads "do" and checks that its keys go together. Its action: a key of the table; NULL after a
 * problem. */
const char *fault_deed_read(struct reader *reader, const struct yaml_node *node,
                            struct fault_deed *ret_deed);

#endif
