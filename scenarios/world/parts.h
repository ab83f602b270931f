/* parts - the world itself, as the files of this folder share it. */
#ifndef SCENARIOS_WORLD_PARTS_H
#define SCENARIOS_WORLD_PARTS_H

#include "fakeapi/store/store.h"
#include "scenarios/invariants/invariants.h"
#include "scenarios/language/bound.h"
#include "scenarios/sim/sim.h"
#include "scenarios/world/exchanges.h"
#include "scenarios/world/story.h"
#include "scenarios/world/world.h"

/** Longest details and story of a failure. */
#define WORLD_TEXT_BYTES_MAX ((size_t)1024 * 1024)

/** Events that tell what happened: not what only a machine compares. */
#define TRACE_OUTLINE                                                                              \
    (SIM_EVENTS_ALL & ~(SIM_EVENT_BIT(SIM_EVENT_TIMER) | SIM_EVENT_BIT(SIM_EVENT_BODY_SENT) |      \
                        SIM_EVENT_BIT(SIM_EVENT_BODY) | SIM_EVENT_BIT(SIM_EVENT_PRINT) |           \
                        SIM_EVENT_BIT(SIM_EVENT_FILE) | SIM_EVENT_BIT(SIM_EVENT_CLOCK) |           \
                        SIM_EVENT_BIT(SIM_EVENT_RANDOM)))

struct user_task;
struct armed_kill;
struct check_book;
struct world_actors;
struct happening;
struct world_clock;
struct world_link;

/** A fault of the scenario while it may act. */
struct armed_fault {
    struct world *world;
    const struct fault *fault;
    struct faults *trigger;       /* of a process's fault: its rule alone; else NULL */
    uint64_t rule_id;             /* in its trigger, or in the API server's rules; 0: lifted */
    uint64_t acted;               /* how often, once lifted; without a request, how often so far */
    bool waits_for_role;          /* it is armed once there is a leader, or a standby */
    struct sim_alarm *begin;      /* of one that waits for its time */
    struct happening *happenings; /* what lasts of it now: see deeds.c */
    uint64_t traced;              /* how often the trace says so */
    struct armed_fault *next;
};

struct world {
    const struct scenario *scenario;
    struct sim *sim;
    struct sim_process *api;
    struct sim_process *user;
    struct sim_process *replicas[SCENARIO_REPLICAS_MAX];
    size_t replica_count;
    struct store *store; /* the API server's; NULL while it is down */
    struct invariants *invariants;
    struct exchanges exchanges;
    struct story story;
    struct buffer trace;
    uint64_t traced;           /* SIM_EVENT_BIT()s of the events that trace gets; 0: no trace */
    uint64_t trace_left_out;   /* lines that did not fit */
    struct check_book *checks; /* NULL: nobody wants them */
    struct armed_fault *faults;
    struct world_link *links;   /* without faults: see links.c */
    struct world_clock *clocks; /* without faults: see deeds.c */
    bool api_is_down;
    int64_t api_crashed_us; /* last; far back: never */
    struct armed_kill *armed_kills;
    struct buffer kills;          /* after what each kill happened, a line each */
    struct user_task *tasks;      /* of people with kubectl */
    struct world_actors *actors;  /* see actors.h */
    const struct claims *watched; /* what a step waits for or watches; NULL: nothing */
    bool changed;                 /* an object that watched speaks of, since it was looked at */
    struct seen_object *seen;     /* objects as they were last, see observe.c */
    int64_t written_us;           /* when a replica last sent a write that is no Lease's */
    char *written;                /* which: "patch agents/status"; NULL: none */
    int64_t progressed_us;        /* see liveness.h */
    int64_t term_us;              /* when a replica began to lead last */
    int64_t failed_us;            /* when a request of a replica failed last, or got no answer */
    uint64_t calls;               /* requests sent so far */
    uint64_t marks[MARK_WORDS];   /* reached so far */
    int64_t led_us;               /* when a replica last wrote a Lease; -1: never */
    bool asked_to_end[SCENARIO_REPLICAS_MAX];  /* by a signal, in its present life */
    int64_t started_us[SCENARIO_REPLICAS_MAX]; /* its present life */
    struct bound bound;                        /* names with the values that are there */
    size_t timed_steps_left;
    void *timed_steps;
    int64_t limit_us; /* true time that steps may take */
    /* of a sweep */
    const struct world_probe *probe; /* NULL: nobody looks */
    bool sweeps;                     /* this is a run of a sweep, and settles as one */
    struct armed_fault *swept;       /* its one more fault; NULL: none yet */
    bool swept_happened;
    bool disturbed;             /* it did so since this was looked at */
    int64_t disturbed_until_us; /* no rest before that is over */
    bool stopped;               /* nothing more matters */
    bool calmed;                /* see steps_calm() */
    bool cleaning;              /* it has been judged: only what the step at hand comes to counts */
    uint64_t turn;              /* see struct site */
    struct call_habit *habits;  /* how calls went, see sweep.c */
    char *identity;             /* of the first failure, as in struct outcome */
    char *reason;               /* the first thing that does not hold; NULL: all well */
    struct buffer details;
};

/** The first failure ends the run. A message that begins with "line %u: " blames the step of that
 * line. identity is what outcome.failure becomes; details may be NULL,
 * it is whole lines. */
void world_fail(struct world *world, const char *identity, const char *details, const char *format,
                ...) PRINTF_LIKE(4, 5);
/** The last of what happened, and what is still to come; NULL: nothing. free() it. */
char *world_story(struct world *world);
/** A failure was said, or an invariant does not hold; while cleaning, the step at hand failed. */
bool world_has_failed(const struct world *world);

/* --- api.c: the inside of the API server --- */

/** Starts it and fills its store. */
void api_start(struct world *world, const struct world_kit *kit);
/** Adds and takes away rules of faults. */
uint64_t api_add_fault(struct world *world, const struct fault_rule *rule);
uint64_t api_remove_fault(struct world *world, uint64_t id);
/** How often a rule that is there has acted. */
uint64_t api_fault_acted(const struct world *world, uint64_t id);
/** A rule in front of the others, see faults_add_first(). */
uint64_t api_add_first_fault(struct world *world, const struct fault_rule *rule);
/** From now on calls and events that the API server decides on are shown to faults_on_event() and
 * sweep_on_api(). */
void api_watch_faults(struct world *world);
void api_compact(struct world *world);
/** Its store is as so many revisions ago, or as so long ago where amount is below 0 (microseconds).
 * Not from within a call of the server. */
void api_rewind(struct world *world, int64_t amount);
/** All its objects as YAML that fakeapi --load reads; NULL when it is down. */
char *api_keep(struct world *world);
/** Everything it must let go of before the world ends. */
void api_stop(struct world *world);

/* --- checks.c: what each step and claim comes to; nothing where world->checks is NULL --- */

void checks_start(struct world *world, int64_t (*real_us)(void));
/** step: NULL for what is expected at the end. The second end of a step changes nothing. */
void checks_begin(struct world *world, const struct step *step);
void checks_end(struct world *world, const struct step *step);
/** The world is judged: so is each of them, but those of the cleanup. */
void checks_judge(struct world *world);
/** A step of the cleanup has failed. */
void checks_fail(struct world *world, const struct step *step);
/** "cleanup 2 delete: Agent hello", of a step of the scenario's cleanup. free() it. */
char *checks_cleanup_name(const struct world *world, const struct step *step);
/** Moves them out. */
void checks_take(struct world *world, struct checks *ret_checks);
void checks_free(struct world *world);

/* --- trace.c: what happens as JSON lines; nothing where world->traced is 0 --- */

void trace_start(struct world *world);
void trace_change(struct world *world, const struct change *change);
/** Moves it out; NULL where there is none. */
char *trace_end(struct world *world);

/* --- observe.c: what happens is shown to the invariants and told in the story --- */

void observe_start(struct world *world);
/** The line of a log as reports may have it: the one that ends a run by a secret in it stays out of
 * them. The invariants have seen it. */
const char *observe_shown(const struct world *world, const char *line);
void observe_present(struct world *world);
/** The store is another: what is there is told anew. */
void observe_set_back(struct world *world);
void observe_release(struct world *world);
extern const struct store_observer observe_store;

/* --- triggers.c: faults --- */

/** Roles among its peers are who they are now; where nobody is, it waits until somebody is. */
void faults_arm(struct world *world, const struct fault *fault);
/** All that are armed: the swept one, then the scenario's own. NULL: no more. */
struct armed_fault *faults_first(const struct world *world);
struct armed_fault *faults_next(const struct world *world, const struct armed_fault *armed);
/** That of a sweep, in front of the others; nth takes the place of its own. */
void faults_arm_first(struct world *world, const struct fault *fault, uint64_t nth);
/** Roles among the peers are who they are now. */
void faults_resolve_peers(struct world *world, struct fault_rule *rule);
/** Those of this name. */
void faults_lift(struct world *world, const char *name);
void faults_lift_all(struct world *world);
/** A call has reached a moment at which faults of processes may happen. */
void faults_on_call(struct world *world, const struct exchange_info *info,
                    enum fault_moment moment);
/** The API server is about to send an event of a watch; a timer of a process fires. */
void faults_on_event(struct world *world, const struct fault_call *event);
void faults_on_timer(struct world *world, const struct sim_event *event);
/** Asks at every request that is sent. */
void faults_watch_the_way(struct world *world);
/** A fault that never happened is a mistake in the scenario. */
void faults_check(struct world *world);
void faults_release(struct world *world);

/* --- deeds.c: what faults do to processes, clocks and links --- */

/** It happens now. */
void deeds_begin(struct armed_fault *armed);
/** What lasts of it ends. */
void deeds_end(struct armed_fault *armed);
/** A step ends the process: no fault brings it back. */
void deeds_overtake(struct world *world, const struct sim_process *process);
/** Without ending it. */
void deeds_release(struct armed_fault *armed);
/** Adds what lasts of it on that way. */
void deeds_change_link(const struct armed_fault *armed, const struct sim_process *from,
                       const struct sim_process *to, struct sim_link *link);
/** The API server loses its connections and its history, never what it stored: that is kept
 * elsewhere, and the machinery of the cluster goes on. */
void process_crash(struct world *world, struct sim_process *process);
void process_start(struct world *world, struct sim_process *process);
void clock_apply(struct world *world, const struct clock_setting *setting);
void clocks_release(struct world *world);

/* --- links.c --- */

/** As at the start: the default, and what the scenario says of links. */
void links_apply(struct world *world);
void links_slow(struct world *world, const struct link_setting *setting);
/** A partition, halfOpen, strand or heal. */
void links_step(struct world *world, const struct step *step);
/** Something that changes this way has begun or ended. */
void links_refresh(struct world *world, struct sim_process *from, struct sim_process *to);
void links_release(struct world *world);

/* --- kills.c: deaths at moments drawn from the seed --- */

void kills_arm(struct world *world, const struct step *step);
/** From here on nobody dies. A kill whose moment never came is a mistake in the scenario. */
void kills_end(struct world *world);
void kills_release(struct world *world);

/* --- roles.c --- */

/** By name or role; NULL when nobody has the role now. */
struct sim_process *role_find(struct world *world, const char *name);
bool role_is_replica(const struct world *world, const char *name);

/* --- lookup.c: claims over the store --- */

/** The target's name, or where that is a pattern with '*' the first object's that is like it, as a
 * person would look it up; NULL: there is none. Borrowed until the next write. */
const char *lookup_name(const struct world *world, const struct target *target);

/** Claims that a swept fault spares are not judged. */
bool claims_hold(struct world *world, const struct claims *claims, struct buffer *why);
/** Fails the run over claims of which some do not hold, or where hold is false some do; "wait:
 * Agent hello" is its identity, after the first of these. */
void claims_complain(struct world *world, const char *what, const struct claims *claims, bool hold,
                     const char *details, const char *format, ...) PRINTF_LIKE(6, 7);
/** Every claim is looked at. */
bool claims_hold_all(struct world *world, const struct claims *claims);
/** None of them holds. */
bool claims_fail(struct world *world, const struct claims *claims, struct buffer *why);

/* --- bindings.c: names and their values --- */

void bindings_take(struct world *world, const struct step *step);
/** What the step wants of the answer; where that is not there, the world has failed. */
void bindings_take_answer(struct world *world, const struct step *step,
                          const struct answer *answer);
/** The step with every value in it; NULL, and the world has failed, where that cannot be. */
const struct step *bindings_fill(struct world *world, const struct step *step);
/** What is expected at the end, likewise. */
const struct claims *bindings_fill_expect(struct world *world);

/* --- user.c: the person with kubectl --- */

/** Begins the step's writes, one after another. */
struct user_task *user_begin(struct world *world, const struct step *step);
bool user_is_done(const struct user_task *task);
/** Asks a replica for its metrics and shows them to the invariants. */
struct user_task *user_read_metrics(struct world *world, struct sim_process *replica);
void user_release(struct world *world);

/* --- steps.c --- */

void steps_run(struct world *world);
/** Takes one in its turn. */
void steps_take(struct world *world, const struct step *step);
/** Takes a step that takes no time. False for one that does. */
bool steps_take_at_once(struct world *world, const struct step *step);
/** Restores links, processes and the API server: nothing goes wrong from here on. Once is enough.
 */
void steps_calm(struct world *world);

/* --- cleanup.c --- */

/** Takes the steps of the scenario's cleanup, the last one first; the world has been judged. What
 * fails is told in outcome->cleanup, and is the outcome's failure where it had none. A sweep, which
 * is about the run itself, goes without. */
void cleanup_run(struct world *world, struct outcome *outcome);

/** Runs the world until *at_us or until more(arg) is false; false when the world has failed. */
bool world_advance(struct world *world, int64_t until_us,
                   bool (*more)(struct world *, const void *), const void *arg);

#endif
