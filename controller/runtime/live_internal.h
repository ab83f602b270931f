/* live_internal - what the files of the live runtime share; nobody else includes it.
 *
 * Libraries call back only to note what happened. Programs are called by tasks and timers, which
 * run in live_step() when no library is on the stack. */
#ifndef CONTROLLER_RUNTIME_LIVE_INTERNAL_H
#define CONTROLLER_RUNTIME_LIVE_INTERNAL_H

#include <uv.h>

#include "controller/base/log_limit.h"
#include "controller/runtime/live.h"

struct live_poll;
struct live_pool;
struct live_exchange;
struct live_listener;
struct live_lines;

/** Something to do at the loop's next turn; part of the object that it is about. */
struct live_task {
    struct live_task *prev;
    struct live_task *next;
    void (*run)(struct live_task *task);
    uint64_t turn; /* the first one in which it may run */
    bool queued;
};

struct live_timer {
    struct timer base;
    void (*fn)(void *arg);
    void *arg;
    int64_t due_us;
    uint64_t number; /* order of creation */
    size_t index;    /* in the heap */
};

/** A binary heap by due_us, then number. */
struct live_timers {
    struct live_timer **heap;
    size_t count;
    size_t capacity;
    uint64_t made; /* number of the next one */
    int alarm;     /* timerfd of CLOCK_BOOTTIME: libuv's own timers stand still in suspend */
    int64_t alarm_us;
    struct live_poll *alarm_poll;
};

struct live_signals {
    uv_signal_t *handles[2];
    void (*fn)(void *arg);
    void *arg;
    struct live_task task;
    int seen;
    int parent; /* pidfd of the process that is followed; 0: none */
    struct live_poll *parent_poll;
};

/** Random numbers that wait to be asked for: the first count of values. */
struct live_randoms {
    uint64_t values[32];
    size_t count;
};

/** The sending side, where there is one. */
struct live_client {
    void (*start)(struct runtime_ops *ops);     /* sets those of exchanges */
    void (*release)(struct live_runtime *live); /* frees every exchange and every pool */
    void (*end)(void);                          /* once the loop is gone */
};

struct live_runtime {
    struct runtime base;
    struct runtime_ops ops;
    const struct live_client *client; /* NULL: none */
    struct live_randoms randoms;
    uv_loop_t loop;
    struct live_timers timers;
    struct live_task *tasks;
    uint64_t turn;
    bool stopped;
    int exit_status;
    int64_t started_at_us;
    const char *name; /* of the program; NULL: none */
    bool print_failed;
    enum log_level log_level;
    bool log_json;
    int64_t lines_dropped; /* of the log, since the last line that was written */
    bool line_broken;      /* the last one has no end */
    struct log_limit log_limit;
    struct live_signals signals;
    struct live_lines *lines;
    struct live_pool *pools;
    struct live_exchange *exchanges;
    struct live_listener *listeners;
};

static inline struct live_runtime *live_of(struct runtime *rt)
{
    return (struct live_runtime *)rt; /* its first member */
}

/** For libraries whose headers lack a const: they do not write there. */
static inline void *live_without_const(const void *pointer)
{
    union {
        const void *from;
        void *to;
    } cast = {.from = pointer};

    return cast.to;
}

/* live_loop.c: tasks, timers and watched sockets. */

void live_loop_init(struct live_runtime *live);
/** Closes all handles of the loop; what they belonged to is gone before. */
void live_loop_release(struct live_runtime *live);
/** Queues it unless it is queued. */
void live_task_add(struct live_runtime *live, struct live_task *task);
/** Takes it out if it is queued. */
void live_task_drop(struct live_runtime *live, struct live_task *task);
/** Runs what is due: timers, then tasks. */
void live_loop_turn(struct live_runtime *live);
/** Before the loop waits: it wakes when the next timer is due. */
void live_loop_set_alarm(struct live_runtime *live);
int64_t live_elapsed_us(void);
struct timer *live_after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg);
void live_timer_cancel(struct timer *timer);

/** A socket that somebody else owns, watched for events (UV_READABLE, UV_WRITABLE,
 * UV_DISCONNECT). fn runs inside the loop's poll: it may only note what happened. */
struct live_poll {
    uv_poll_t handle;
    void (*fn)(void *arg, int events);
    void *arg;
    int events;
};

/** NULL when the kernel cannot watch such a file (a regular one). */
struct live_poll *live_poll_new(struct live_runtime *live, int fd,
                                void (*fn)(void *arg, int events), void *arg) MUST_CHECK;
/** Which events from now on; 0: none. */
void live_poll_watch(struct live_poll *poll, int events);
/** Before the socket is closed. Takes NULL. */
void live_poll_free(struct live_poll *poll);

/* live_process.c: settings, signals, standard input and output, log, randomness. */

/** Makes descriptors 0 to 2 what they have to be, before anything else is opened. */
void live_open_standard_streams(void);
/** "name: text" on standard error. */
void live_complain(struct live_runtime *live, const char *text);
void live_process_release(struct live_runtime *live);
uint64_t live_random(struct runtime *rt);
const char *live_setting(struct runtime *rt, const char *name);
void live_usage(struct runtime *rt, struct process_usage *ret_usage); /* live_usage.c */
void live_print(struct runtime *rt, const void *bytes, size_t size);
void live_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line), void *arg);
void live_log_configure(struct runtime *rt, enum log_level level, bool json);
void live_log(struct runtime *rt, const struct log_record *record);
void live_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg);
void live_follow_parent(struct runtime *rt);
void live_signals_start(struct live_runtime *live);

/* live_files.c */

bool live_read_file(struct runtime *rt, const char *path, struct buffer *into, struct error *err);
bool live_write_file(struct runtime *rt, const char *path, const void *bytes, size_t size,
                     bool private_file, struct error *err);
bool live_try_file(struct runtime *rt, const char *path, struct error *err);
bool live_list_files(struct runtime *rt, const char *path, char ***ret_names, size_t *ret_count,
                     struct error *err);
bool live_stat_file(struct runtime *rt, const char *path, struct file_info *ret_info,
                    struct error *err);
bool live_remove_file(struct runtime *rt, const char *path, struct error *err);

/* live_listener.c, live_server.c, live_answer.c */

bool live_listen(struct runtime *rt, const struct listen_options *options,
                 const struct http_service *service, void *arg, struct listener **ret_listener,
                 struct error *err);
uint16_t live_listener_port(const struct listener *listener);
void live_listener_stop(struct listener *listener);
void live_listener_close(struct listener *listener);
void live_request_accept(struct request *request, const struct request_events *events, void *arg);
void live_request_respond(struct request *request, const struct http_response *response);
void live_request_wake(struct request *request);
void live_request_reset(struct request *request);
/** Lets every daemon that asked for it do its work once. True when one wants to go on at once. */
bool live_servers_run(struct live_runtime *live);
void live_servers_release(struct live_runtime *live);

#endif
