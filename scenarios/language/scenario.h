/* scenario - one file of a suite, checked: what there is at the start, what happens, what must
 * hold.
 *
 * Everything belongs to the scenario and lives until scenario_free(). README.md in scenarios/ is
 * the same for people; the tables beside this header are where both come from. */
#ifndef SCENARIOS_LANGUAGE_SCENARIO_H
#define SCENARIOS_LANGUAGE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/json.h"
#include "controller/base/yaml.h"
#include "fakeapi/faults/faults.h"
#include "scenarios/language/actors.h"
#include "scenarios/language/arena.h"
#include "scenarios/language/expression.h"
#include "scenarios/language/problems.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/shape.h"

/** Largest scenario file. */
#define SCENARIO_BYTES_MAX (1024 * 1024)
/** Most objects that one generator makes, and most in all of one file. */
#define SCENARIO_OBJECTS_MAX 20000
/** Most controller replicas. */
#define SCENARIO_REPLICAS_MAX 9

/** Where objects live unless their file says otherwise. */
#define SCENARIO_NAMESPACE "ai-agents"

/** Most scenarios that the matrix of one file makes. */
#define SCENARIO_VARIANTS_MAX 256

/** Reads files that a scenario includes; the buffer has room for SCENARIO_BYTES_MAX. */
struct scenario_files {
    bool (*read)(void *arg, const char *path, struct buffer *bytes, struct error *err);
    void *arg;
    bool small; /* of 'sizes' the second value counts: for who runs it ten thousand times */
};

/** See schemas.h. */
struct schemas;

/** Which object, or of which kind. */
struct target {
    const char *kind;
    const char *group; /* "" for core */
    const char *version;
    const char *plural;
    const char *namespace; /* "" for cluster-scoped kinds */
    const char *name;      /* NULL: any */
};

/** An object to be made. */
struct manifest {
    struct place place;
    struct target target;
    struct json_object *tree; /* complete: apiVersion, kind, metadata, ... */
};

struct manifests {
    struct manifest *items;
    size_t count;
};

/** Which kinds of faults may change it, when a sweep puts one more into the run: it is not judged
 * then. */
struct may_change {
    bool any;
    const char **kinds; /* names, see fault_kinds.h */
    size_t kind_count;
};

/** Something that holds of the cluster's objects, or does not. */
struct claim {
    struct place place;
    struct target target;      /* of objects; not of requests */
    const char *server;        /* NULL: of objects; else of the requests that it got */
    const struct shape *name;  /* NULL: of any name */
    bool absent;               /* no object is like that */
    const struct shape *count; /* how many are; NULL: at least one, or none when absent */
    const struct shape *shape; /* a mapping: what the object has */
    struct may_change may_change;
};

struct claims {
    struct claim *items;
    size_t count;
};

/** Processes by name. Beside "api", "user" and "ctl-N" there are the roles "leader" and "standby",
 * which are looked up when the step is taken. */
struct process_names {
    char **items;
    size_t count;
};

enum fault_moment { MOMENT_SENT, MOMENT_APPLIED, MOMENT_ANSWERED };

enum fault_target {
    FAULT_AT_API = 1, /* and so is read by fakeapi/faults */
    /* a process */
    FAULT_CRASH,
    FAULT_PAUSE,
    FAULT_RESTART,
    FAULT_TERMINATE,
    FAULT_POWER_OFF,
    /* its clocks */
    FAULT_CLOCK_JUMP,
    FAULT_CLOCK_SKEW,
    FAULT_CLOCK_DRIFT,
    FAULT_CLOCK_FREEZE,
    FAULT_TIMERS_DRIFT,
    /* a link, from its first end to its second */
    FAULT_CUT_LINK,
    FAULT_PARTITION,
    FAULT_LATENCY,
    FAULT_JITTER,
    FAULT_BANDWIDTH,
    FAULT_PIECES,
    FAULT_REFUSE_CONNECT,
    FAULT_RESET_AFTER,
    FAULT_STRAND,
    FAULT_RESET_CONNECTIONS,
    /* the request itself, on its way */
    FAULT_LATE,
    FAULT_LOSE_REQUEST,
    FAULT_LOSE_ANSWER,
    FAULT_RESET_REQUEST,
    FAULT_RESET_ANSWER,
    FAULT_UNREACHABLE,
    /* the store */
    FAULT_REWIND, /* amount: revisions, or below 0 microseconds */
};

/** A fault and when it happens. */
struct fault {
    struct place place;
    const char *name;       /* NULL: none given */
    struct fault_rule rule; /* when; and what, if at the API */
    struct place peer_place;
    struct place resource_place;
    enum fault_target kind;
    const char *key;           /* of its "do": see fault_kind_of(); NULL after a mistake */
    const char *process;       /* whom it hits, where it is not at the API; may be a role */
    struct process_names link; /* its two ends, of a fault of a link */
    bool both;                 /* both ways */
    int64_t amount;            /* microseconds, bytes or parts per million: see its key */
    enum fault_moment moment;
    int64_t for_us;   /* how long it lasts; -1: until it is lifted */
    int64_t grace_us; /* of terminate: then it is killed; -1: never */
    bool timed;       /* it waits for no request: it happens when its time comes */
    bool optional;    /* no mistake if it never happens */
    bool at_timer;    /* not at calls, but when a timer of the rule's peer fires */
    bool at_event;    /* not at calls, but at events of watches */
    bool swept;       /* the one more fault of a sweep, see world/probe.h; at most one in a file */
};

/** Reads one fault as it may stand under 'faults', as text; NULL after a problem. It lives as long
 * as the arena. */
struct fault *fault_read(const char *text, struct arena *arena, struct problems *problems);

struct fault_list {
    struct fault *items;
    size_t count;
};

/** How wrong a process's clocks are. */
struct clock_setting {
    struct place place;
    char *of;
    int64_t skew_us;   /* of the wall clock; INT64_MIN: as it is */
    int64_t jump_us;   /* a step of the wall clock; INT64_MIN: none */
    int64_t drift_ppm; /* of the wall clock; INT64_MIN: as it is */
};

/** How slow a link is, both ways. */
struct link_setting {
    struct place place;
    struct process_names between; /* two of them */
    int64_t latency_us;           /* -1: as it is */
    int64_t jitter_us;
    int64_t bytes_per_second;
    int64_t piece_bytes;
};

struct patch_action {
    struct place place;
    char *kind;
    char *api_version;
    char *name;
    char *namespace;
    bool status;               /* the status subresource */
    struct json_object *merge; /* one of these */
    struct json_object *json;
    struct target target;
};

struct delete_action {
    struct place place;
    char *kind;
    char *api_version;
    char *name;
    char *namespace;
    int propagation; /* -1: none said; else REST_ order: Background, Foreground, Orphan */
    struct target target;
};

/** A death right after something that happened to a process. */
struct kill_action {
    struct place place;
    char *of;        /* may be a role */
    int64_t among;   /* one of the next so many things that happen to it */
    int64_t back_us; /* how long after it the process starts again; -1: not by itself */
};

/** What the API must answer; both absent: anything good. */
struct wanted_answer {
    int64_t code;              /* the HTTP status; 0: what shape says */
    const struct shape *shape; /* of code, reason, message, causes and body; NULL: code alone */
    struct binding *bindings;  /* of names to fields of its body */
    size_t binding_count;
};

/** A name for what an object has, or the body of an answer. */
struct binding {
    struct place place;
    char *name;
    struct target target; /* with a name; not of an answer */
    char *field;          /* "status.conditions[0].type"; NULL: value is it */
    struct expression_value value;
};

/** What people do at exactly the moment at which somebody's request has come so far. */
struct meddle_action {
    struct place place;
    struct fault_rule rule; /* which request; its effect means nothing */
    bool ruled;             /* that was read */
    int moment;             /* enum fault_moment */
    struct step *steps;
    size_t step_count;
    bool optional; /* no mistake if it never happens */
};

enum deny_voice { DENY_RBAC, DENY_WEBHOOK, DENY_WEBHOOK_DOWN };

/** Requests that are refused, in the words of who refuses them. */
struct deny_action {
    struct place place;
    struct fault_rule rule; /* which requests; its effect means nothing */
    bool ruled;             /* that was read */
    int by;                 /* enum deny_voice */
    char *user;             /* that it names, of RBAC */
    char *webhook;
    char *message; /* NULL: none */
    int64_t code;
    int64_t for_us; /* -1: until the last step */
    bool optional;
};

enum step_action {
    STEP_NONE,
    STEP_APPLY,
    STEP_PATCH,
    STEP_DELETE,
    STEP_WAIT,
    STEP_ASSERT,
    STEP_ERROR,
    STEP_ALWAYS,
    STEP_NEVER,
    STEP_ADVANCE,
    STEP_START,
    STEP_CRASH,
    STEP_KILL,
    STEP_PAUSE,
    STEP_RESUME,
    STEP_RESTART,
    STEP_TERMINATE,
    STEP_PARTITION,
    STEP_HALF_OPEN,
    STEP_STRAND,
    STEP_HEAL,
    STEP_SLOW,
    STEP_CLOCK,
    STEP_FAULT,
    STEP_LIFT,
    STEP_COMPACT,
    STEP_CHORES,
    STEP_SEND,
    STEP_INSTALL,
    STEP_UNINSTALL,
    STEP_BIND,
    STEP_MEDDLE,
    STEP_DENY,
};

struct step {
    struct place place;
    const struct yaml_node *node; /* of a step with values that come later; else NULL */
    const struct step *origin;    /* of one that was filled in: that step; else NULL */
    int action;                   /* enum step_action */
    char *note;
    int64_t at_us;     /* true time since the start; -1: after the step before it */
    int64_t within_us; /* of wait: how long it may take */
    int64_t for_us;    /* of always and never */
    struct wanted_answer answer;
    struct manifests objects;
    struct patch_action *patch;
    struct delete_action *deletion;
    struct claims claims;
    struct may_change may_change; /* all of the step */
    int64_t advance_us;
    struct process_names processes; /* also the two of a link; of heal: none means all */
    struct link_setting *link;
    struct clock_setting *clock;
    struct kill_action *kill;
    char *as; /* who does it, of apply, patch and delete */
    struct chores *chores;
    struct send_action *send;
    struct meddle_action *meddle;
    struct deny_action *deny;
    char *custom_kind; /* of ours */
    struct fault_list faults;
    struct texts lifted;
    struct binding *bindings;
    size_t binding_count;
    bool optional; /* no failure if it comes to nothing */
    bool flag;
};

/** A failure that is known, and shall not be forgotten. */
struct expected_failure {
    struct place place;
    char *reason;  /* why */
    char *failure; /* its identity: see struct outcome */
};

struct controllers {
    struct place place;
    int64_t replicas;
    int64_t stagger_us; /* between the starts of two replicas */
    struct settings settings;
    struct clock_setting *clocks;
    size_t clock_count;
};

struct scenario {
    struct place place;
    const struct yaml_node *root; /* its file with everything filled in */
    const char *path;
    char *name; /* "first/run-succeeds": the last folder and the file, without its ending; behind it
                   "[replicas=3]" where the file has a matrix */
    char *variant;                 /* "replicas=3"; NULL: no matrix */
    size_t variants;               /* scenarios of the file */
    struct problems unused;        /* templates and names that nothing uses: for lint() */
    struct expression_name *names; /* of the matrix, and what steps bind, without values yet */
    size_t name_count;
    char *description;
    struct texts tags;
    char *skip;                                /* why it is not run; NULL: it is */
    struct expected_failure *expected_failure; /* NULL: it must pass */
    int64_t seed;
    bool defaults; /* a Station "station" and a recipe "recipe", unless the file has its own */
    struct controllers *controllers; /* never NULL */
    struct manifests objects;        /* the defaults among them */
    struct pod_script *pods;
    size_t pod_count;
    struct chores *cluster; /* NULL: as a cluster is */
    struct server *servers;
    size_t server_count;
    struct rival *rivals;
    size_t rival_count;
    struct fault_list faults;
    struct link_setting *links;
    size_t link_count;
    struct step *steps;
    size_t step_count;
    struct step *cleanup; /* taken after all else, the last one first */
    size_t cleanup_count;
    struct claims expect;
    const struct yaml_node *expect_node; /* where it has values that come later; else NULL */
    int64_t duration_us;                 /* the steps take at most this long */
    int64_t settle_us;                   /* then every Agent ends within this */
    struct arena arena;
};

/** Reads a file without a matrix that includes none. NULL when there is any problem; every one that
 * is found is added. path is copied. */
struct scenario *scenario_read_with(const struct schemas *schemas, const char *path,
                                    const void *bytes, size_t size, struct problems *problems);
/** The same, for one who reads one. */
struct scenario *scenario_read(const char *path, const void *bytes, size_t size,
                               struct problems *problems);

/** Reads any file: a matrix makes several scenarios of it, named "leader/x[replicas=3]", in the
 * order of its values. schemas may be NULL: then they are read for this call. files may be NULL:
 * then it includes none. *ret_items is malloc()ed, and each item the caller's. False when there is
 * any problem. */
bool scenario_read_all(const struct schemas *schemas, const char *path, const void *bytes,
                       size_t size, const struct scenario_files *files, struct problems *problems,
                       struct scenario ***ret_items, size_t *ret_count) MUST_CHECK;
void scenario_free(struct scenario *scenario);

/** The step once the names have their values: it is read again, into arena. NULL after a problem.
 * step->node is not NULL. */
const struct step *scenario_fill_step(const struct step *step, const struct expression_names *names,
                                      struct arena *arena, struct problems *problems);

/** The same for what is expected at the end. scenario->expect_node is not NULL. */
bool scenario_fill_expect(const struct scenario *scenario, const struct expression_names *names,
                          struct arena *arena, struct problems *problems,
                          struct claims *ret_claims);

/** "wait"; never NULL. */
const char *step_action_name(int action);

#endif
