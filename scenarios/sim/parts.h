/* parts - what the parts of the simulator share: the world, a process, and one life of it. */
#ifndef SCENARIOS_SIM_PARTS_H
#define SCENARIOS_SIM_PARTS_H

#include "controller/base/log_limit.h"
#include "controller/base/prng.h"
#include "controller/runtime/runtime.h"
#include "scenarios/sim/drift.h"
#include "scenarios/sim/queue.h"
#include "scenarios/sim/sim.h"

struct connection;
struct sim_exchange;
struct sim_file;
struct sim_link_entry;
struct sim_listener;
struct sim_request;
struct sim_timer;
struct trust;

/* Where the port numbers of clients begin, on each host. */
#define FIRST_CLIENT_PORT 40000
#define TRACE_BUFFER_BYTES (64 * 1024)

struct tap {
    uint64_t kinds;
    void (*fn)(void *arg, const struct sim_event *event);
    void *arg;
};

struct trace {
    struct sha256 *hash;
    uint8_t *pending; /* bytes that the hash has not seen yet, TRACE_BUFFER_BYTES at most */
    size_t pending_size;
    bool left; /* no hash any more */
    struct tap taps[SIM_TAPS_MAX];
    size_t tap_count;
};

struct sim {
    uint64_t seed;
    int64_t start_wall_us;
    int64_t now_us;
    struct queue queue;
    uint64_t event_count;
    unsigned instant_count; /* events run at now_us so far */
    bool stuck;
    bool running;       /* an event's callbacks are on the stack */
    bool some_end;      /* a process is SIM_PROCESS_ENDING */
    struct prng random; /* the scenario's own */
    struct prng network;
    struct sim_process **processes;
    size_t process_count;
    struct sim_alarm *alarms;
    struct connection *connections;
    struct sim_link default_link;
    uint64_t next_exchange_id;
    void (*fault)(void *arg, const struct sim_request_view *request, struct sim_fault *fault);
    void *fault_arg;
    struct trust *trust;
    struct trace trace;
    char *scratch; /* SIM_PIECE_BYTES for a body source to write into */
};

struct sim_process {
    struct sim *sim;
    size_t index;
    char *name;
    const struct program *program;
    char **arguments; /* from argv[1] on */
    size_t argument_count;
    struct setting *settings;
    size_t setting_count;
    char **host_names; /* further ones */
    size_t host_name_count;
    enum sim_process_state state;
    bool start_wanted; /* once it has ended */
    bool ports_closed; /* its program goes on, and nobody reaches it */
    bool power_lost;   /* its host is silent until the next start */
    int exit_status;
    unsigned incarnation;
    struct sim_runtime *runtime; /* NULL when not alive */
    struct event *held;          /* its events that came while it was paused */
    struct drift wall;
    struct drift elapsed;
    struct sim_link_entry *links; /* from here to others */
    uint16_t next_client_port;
    uint16_t next_listen_port;
    struct sim_file *files; /* sorted by path */
    size_t disk_bytes_max;
    size_t disk_bytes;
    struct buffer output;
    char *input;
};

struct setting {
    char *name;
    char *value;
};

/** One life of a process: all that a crash takes away. */
struct sim_runtime {
    struct runtime base;
    struct sim_process *process;
    bool dead;    /* every call does nothing any more */
    bool started; /* program->start succeeded: root is to be freed */
    void *root;
    int64_t started_at_us; /* its own wall clock */
    struct event start;
    struct prng random;
    struct sim_timer *timers;
    struct sim_exchange *exchanges;
    struct sim_listener *listeners;
    struct sim_request *requests;
    struct connection *idle; /* kept connections of its own, the one used last first */
    struct setting *settings;
    size_t setting_count;
    const char **argv; /* argv[argc] is NULL */
    char **argv_texts;
    int argc;
    enum log_level level;
    bool json;
    struct buffer line; /* the log line being rendered */
    struct log_limit log_limit;
    void (*on_signal)(void *arg);
    void *signal_arg;
    struct event signal;
    int signals[2]; /* numbers not delivered yet */
    size_t signal_count;
    bool signalled; /* once already */
    void (*on_line)(void *arg, const char *line);
    void *line_arg;
    char *input;
    size_t input_at;
    struct event input_event;
};

static inline struct sim_runtime *sim_runtime_of(struct runtime *rt)
{
    return (struct sim_runtime *)rt;
}

/** Whether its program may be called next. */
static inline bool process_can_run(const struct sim_process *process)
{
    return process->state == SIM_PROCESS_RUNNING;
}

/** Whether a tap or the program itself has just ended it: then the call that is due is not made,
 * and what it is about stays until the process is reaped, for the program may still name it. */
static inline bool process_has_ended(const struct sim_process *process)
{
    return process->state == SIM_PROCESS_ENDING;
}

#endif
