/* sim - a simulated world: processes, their clocks and files, and the network between them.
 *
 * The second implementation of controller/runtime/runtime.h. Nothing in it is real: time goes on
 * only by running the next event, and all that is random comes from one seed. So the same program
 * with the same seed makes the same run, byte for byte: sim_trace_hash() says whether it did.
 *
 * Rules:
 * - True time counts microseconds from 0 at sim_new(). Events run in order of time, and at one
 *   instant in the order they were made.
 * - Taps and the fault hook are called while the world moves. They may call anything here but
 *   sim_free(), sim_step() and its kin. What they do to a process holds from there on.
 * - Every process lives on a host of its own, of the same name. In URLs "localhost", "127.0.0.1"
 *   and "[::1]" are the process itself. */
#ifndef SCENARIOS_SIM_SIM_H
#define SCENARIOS_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/digest.h"
#include "controller/base/error.h"
#include "controller/base/log.h"
#include "controller/runtime/runtime.h"

struct sim;
struct sim_process;

/* --- the world --- */

struct sim_options {
    uint64_t seed;
    int64_t start_wall_us; /* UTC at true time 0 */
};

struct sim *sim_new(const struct sim_options *options) MUST_CHECK;
/** Frees the world and all its processes, whatever they are doing. Calls nobody but
 * program->free. Takes NULL. */
void sim_free(struct sim *sim);

/** True time; what it is in UTC; and when the next event is due (INT64_MAX: there is none). */
int64_t sim_now_us(const struct sim *sim);
int64_t sim_wall_us(const struct sim *sim);
int64_t sim_next_us(const struct sim *sim);
uint64_t sim_event_count(const struct sim *sim);

/** 64 bits from the scenario's own stream: faults and choices, never seen by programs. */
uint64_t sim_random(struct sim *sim);

/** More events than this at one instant, and the world is stuck: somebody spins. */
#define SIM_EVENTS_PER_INSTANT_MAX 1000000

/** Runs the next event. False when there is none, or when the world is stuck. */
bool sim_step(struct sim *sim);
/** Runs all events due at until_us or before, and then stands at until_us, unless stuck (false). */
bool sim_run_until(struct sim *sim, int64_t until_us);
/** Runs while more(arg) says so, asked before each event; ends at limit_us like sim_run_until().
 * True when more() ended it. */
bool sim_run_while(struct sim *sim, int64_t limit_us, bool (*more)(void *arg), void *arg);
bool sim_is_stuck(const struct sim *sim);

/** The scenario's own timer: calls fn(arg) at a true time (a past one: now). Gone once it fires. */
struct sim_alarm;
struct sim_alarm *sim_at(struct sim *sim, int64_t at_us, void (*fn)(void *arg), void *arg);
/** Takes NULL. */
void sim_alarm_cancel(struct sim_alarm *alarm);

/* --- processes --- */

struct sim_setting {
    const char *name;
    const char *value;
};

/** What a process is. All of it is copied but program, which must outlive the world. */
struct sim_process_options {
    const char *name;              /* unique; also its host's name */
    const struct program *program; /* NULL: a bare runtime for tests and actors of the scenario */
    const char *const *arguments;  /* without argv[0], which is program->name */
    size_t argument_count;
    const struct sim_setting *settings; /* the environment */
    size_t setting_count;
};

struct sim_process *sim_process_new(struct sim *sim,
                                    const struct sim_process_options *options) MUST_CHECK;
/** By name or by another name of its host; NULL when there is none. */
struct sim_process *sim_process_find(const struct sim *sim, const char *name);
size_t sim_process_count(const struct sim *sim);
struct sim_process *sim_process_at(const struct sim *sim, size_t index); /* as made */

const char *sim_process_name(const struct sim_process *process);
size_t sim_process_index(const struct sim_process *process);
struct sim *sim_process_world(const struct sim_process *process);

/** Another name under which its host is found: "api.vendor.example". */
void sim_process_add_host(struct sim_process *process, const char *name);

/** Changes what the next start sees. NULL as the value unsets it. */
void sim_process_set_setting(struct sim_process *process, const char *name, const char *value);
void sim_process_set_arguments(struct sim_process *process, const char *const *arguments,
                               size_t count);

enum sim_process_state {
    SIM_PROCESS_NEW,
    SIM_PROCESS_RUNNING,
    SIM_PROCESS_PAUSED,
    SIM_PROCESS_ENDING, /* dead to the world; freed before the next event */
    SIM_PROCESS_ENDED,
};

enum sim_process_state sim_process_state(const struct sim_process *process);
/** Running or paused. */
bool sim_process_is_alive(const struct sim_process *process);
/** Of its last end: what it gave runtime_stop(), 2 when start refused, 128 + number after a
 * signal. 0 before. */
int sim_process_exit_status(const struct sim_process *process);
/** Starts so far. */
unsigned sim_process_incarnation(const struct sim_process *process);

/** Its runtime, while it is alive; else NULL. Each start makes a new one. */
struct runtime *sim_process_runtime(const struct sim_process *process);
/** What program->start returned, while it is alive; else NULL. */
void *sim_process_root(const struct sim_process *process);

/** Starts it, if it is not alive: the program's start runs as an event of this instant. Files,
 * clocks and the host's names are kept from before; nothing else is. */
void sim_process_start(struct sim_process *process);
/** kill -9: from now on every call of its runtime does nothing; before the next event all it
 * owns is freed. What it had sent goes on its way; then peers see their connections reset. */
void sim_process_crash(struct sim_process *process);
/** The machine's power fails: as a crash, but peers are told nothing. A machine that is up again
 * answers bytes of old connections with a reset. */
void sim_process_power_off(struct sim_process *process);
/** Closed, as if the part of it that listens had crashed: connections to it break, new ones are
 * refused; its program only sees that its callers are gone. */
void sim_process_close_ports(struct sim_process *process, bool closed);
/** A crash, if it is alive, and a start. */
void sim_process_restart(struct sim_process *process);
/** SIGSTOP and SIGCONT. While paused its clocks go on, its timers come late but in order, its
 * kernel accepts connections and buffers bytes, and nobody else notices anything but silence. */
void sim_process_pause(struct sim_process *process);
void sim_process_resume(struct sim_process *process);
/** SIM_TERM or SIM_INT, as an event of this instant; a paused process gets it when it resumes. */
#define SIM_INT 2
#define SIM_TERM 15
void sim_process_signal(struct sim_process *process, int number);

/** All it wrote to standard output since it was made, SIM_OUTPUT_BYTES_MAX at most. */
#define SIM_OUTPUT_BYTES_MAX (1024 * 1024)
const struct buffer *sim_process_output(const struct sim_process *process);
/** What standard input holds: at each start from now on, and for a life that has not begun to read
 * it. Without it, nothing. */
void sim_process_set_input(struct sim_process *process, const char *text);

/* --- clocks of a process --- */

/** How wrong its clocks are. Drifts are parts per million of true time, -500,000 to 500,000. */
struct sim_clock {
    int64_t wall_offset_us;
    int64_t wall_drift_ppm;
    int64_t elapsed_drift_ppm; /* timers follow the elapsed clock */
};

/** From now on. The wall clock jumps to true time plus the offset; the elapsed one never jumps. */
void sim_process_set_clock(struct sim_process *process, const struct sim_clock *clock);
/** Its wall clock stands, until it is set. */
void sim_process_freeze_clock(struct sim_process *process);
/** A step of the wall clock, either way. */
void sim_process_step_clock(struct sim_process *process, int64_t step_us);
/** Its clocks as its program would read them now; leaves no trace. */
int64_t sim_process_wall_us(const struct sim_process *process);
int64_t sim_process_elapsed_us(const struct sim_process *process);

/* --- files of a process: in memory; they outlive it --- */

/** Makes or replaces a file, and the directories above it. */
void sim_file_put(struct sim_process *process, const char *path, const void *bytes, size_t size);
void sim_file_make_directory(struct sim_process *process, const char *path);
/** Its bytes, NUL behind them, until it changes; NULL when there is none. */
const char *sim_file_get(const struct sim_process *process, const char *path, size_t *ret_size);
/** False when there was none. */
bool sim_file_remove(struct sim_process *process, const char *path);
void sim_files_remove_all(struct sim_process *process);
/** What the program meets there: ERROR_DENIED or ERROR_IO; ERROR_NONE mends it. The path need not
 * exist. */
void sim_file_break(struct sim_process *process, const char *path, enum error_kind kind);
/** Room on its disk; writing more is ERROR_IO. 64 MiB at first. */
void sim_process_set_disk_size(struct sim_process *process, size_t bytes_max);

/* --- the network --- */

/** Bytes that one delivery holds at most where a link says 0. */
#define SIM_PIECE_BYTES (64 * 1024)
/** Bytes of a body under way that nobody has taken yet: the buffers of both kernels. */
#define SIM_WINDOW_BYTES (256 * 1024)

/** One way from a host to another (also to itself). */
struct sim_link {
    int64_t latency_us;
    int64_t jitter_us;        /* 0 to this is added to each delivery; order is kept */
    int64_t bytes_per_second; /* 0: no limit */
    size_t piece_bytes;       /* the most that one delivery holds; 0: SIM_PIECE_BYTES */
    bool cut;    /* packets vanish; as TCP does, senders try again and get through once healed */
    bool refuse; /* connecting is answered with a reset */
    int64_t reset_after_bytes; /* break a connection once that many bytes of a message's body went
                                * this way; 0: behind its head; -1: never */
};

/** 200 us and up to 100 us of jitter, all else off. */
extern const struct sim_link sim_link_default;

/** For all pairs that were not set on their own. */
void sim_set_default_link(struct sim *sim, const struct sim_link *link);
void sim_set_link(struct sim *sim, struct sim_process *from, struct sim_process *to,
                  const struct sim_link *link);
struct sim_link sim_get_link(const struct sim *sim, const struct sim_process *from,
                             const struct sim_process *to);
/** Sets .cut of one way: half-open; or of both: a partition. */
void sim_cut(struct sim *sim, struct sim_process *from, struct sim_process *to, bool cut);
void sim_partition(struct sim *sim, struct sim_process *a, struct sim_process *b, bool cut);
/** Connections between the two that exist now carry nothing any more, without a word to either
 * end, as when a middlebox forgets them. New ones work. */
void sim_strand(struct sim *sim, struct sim_process *a, struct sim_process *b);
/** Breaks all connections between the two: both ends see a reset. */
void sim_reset_connections(struct sim *sim, struct sim_process *a, struct sim_process *b);

/** The authority that every process trusts where a tls_client has no ca_pem; NULL: none. */
void sim_set_system_authority(struct sim *sim, const char *ca_pem);

/* --- faults on the way --- */

enum sim_fault_kind {
    SIM_FAULT_NONE,
    SIM_FAULT_REFUSE,         /* as if nobody listened */
    SIM_FAULT_LOSE,           /* the request is never seen; silence */
    SIM_FAULT_RESET,          /* the request is never seen; a reset */
    SIM_FAULT_RESET_REQUEST,  /* a reset after after_bytes of its body reached the server */
    SIM_FAULT_RESET_RESPONSE, /* a reset after after_bytes of the answer's body reached the client
                               */
    SIM_FAULT_LOSE_ANSWER,    /* the server handles it; the client hears nothing */
    SIM_FAULT_RESET_ANSWER,   /* the server handles it; the client sees a reset instead */
};

struct sim_fault {
    enum sim_fault_kind kind;
    int64_t delay_us; /* the request waits this long on the way; with any kind */
    size_t after_bytes;
};

/** A request about to be sent. All borrowed for the call. */
struct sim_request_view {
    uint64_t id; /* pairs it with its answer in the trace */
    struct sim_process *from;
    struct sim_process *to; /* NULL: no such host */
    const char *method;
    const char *target;
    const struct http_header *headers;
    size_t header_count;
    const void *body;
    size_t body_size;
};

/** Asked once for each request; *fault comes as "none". NULL takes the hook away. */
void sim_set_network_fault(struct sim *sim,
                           void (*fn)(void *arg, const struct sim_request_view *request,
                                      struct sim_fault *fault),
                           void *arg);

/* --- the trace --- */

enum sim_event_kind {
    SIM_EVENT_STARTED,        /* process */
    SIM_EVENT_EXITED,         /* number: status; text: why start refused, or "" */
    SIM_EVENT_CRASHED,        /* process */
    SIM_EVENT_PAUSED,         /* process */
    SIM_EVENT_RESUMED,        /* process */
    SIM_EVENT_SIGNALLED,      /* process */
    SIM_EVENT_TIMER,          /* a timer fires; number: how late, in us */
    SIM_EVENT_REQUEST_SENT,   /* process: client; exchange fields; bytes: the whole body */
    SIM_EVENT_REQUEST,        /* process: server; the same, as its program is about to see it */
    SIM_EVENT_RESPONSE_SENT,  /* process: server; status; bytes: the body if whole */
    SIM_EVENT_BODY_SENT,      /* process: server; bytes: a piece of a streamed body */
    SIM_EVENT_REQUEST_CLOSED, /* process: server; number: 1 when delivered */
    SIM_EVENT_RESPONSE,       /* process: client; status */
    SIM_EVENT_BODY,           /* process: client; bytes: a piece of the answer's body */
    SIM_EVENT_END,            /* process: client; number: enum exchange_end; text: detail */
    SIM_EVENT_CANCELLED,      /* process: client */
    SIM_EVENT_LOG,            /* number: enum log_level; text: the line */
    SIM_EVENT_PRINT,          /* bytes */
    SIM_EVENT_FILE,           /* text: a path the program wrote or removed; bytes: content */
    SIM_EVENT_CLOCK,          /* number: what the program read */
    SIM_EVENT_RANDOM,         /* number */
    SIM_EVENT_NOTE,           /* text: sim_note() */
    SIM_EVENT_MARK,           /* number: enum mark; text: its name; not in the hash */
    SIM_EVENT_KIND_COUNT,
};

/** "request sent"; never NULL. */
const char *sim_event_kind_name(enum sim_event_kind kind);

/** One thing that happened. Borrowed for the call; fields that do not apply are zero. */
struct sim_event {
    enum sim_event_kind kind;
    int64_t at_us;                     /* true time */
    const struct sim_process *process; /* whom it happened to; NULL: the world */
    const struct sim_process *peer;    /* the other end */
    uint64_t exchange_id;              /* from 1; 0: none */
    const char *method;
    const char *target;
    unsigned status;
    const struct http_header *headers;
    size_t header_count;
    const void *bytes;
    size_t size;
    int64_t number;
    int64_t asked_us; /* REQUEST_SENT: when the program asked for it, before a pause perhaps */
    int64_t asked_elapsed_us; /* ... on its own elapsed clock; neither is hashed */
    uintptr_t origin; /* TIMER: the same for timers that call the same function; not hashed */
    const char *text;
};

#define SIM_EVENT_BIT(kind) (UINT64_C(1) << (kind))
#define SIM_EVENTS_ALL (SIM_EVENT_BIT(SIM_EVENT_KIND_COUNT) - 1)
#define SIM_TAPS_MAX 8

/** Shows fn all events of those kinds (SIM_EVENT_BIT()s), in order; at most SIM_TAPS_MAX. */
void sim_add_tap(struct sim *sim, uint64_t kinds,
                 void (*fn)(void *arg, const struct sim_event *event), void *arg);

/** Puts a line of the scenario's own into the trace. */
void sim_note(struct sim *sim, const char *text);

/** SHA-256 over every event so far but marks, bodies included. */
void sim_trace_hash(struct sim *sim, uint8_t digest[SHA256_SIZE]);
/** Nobody will ask for it: it takes a tenth of the time. It is all zeros from here on. */
void sim_leave_hash(struct sim *sim);

#endif
