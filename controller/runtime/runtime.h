/* runtime - the one seam through which every program sees the outside.
 *
 * Two implementations: live.h (libuv, libcurl, libmicrohttpd) and scenarios/sim (virtual time).
 * tests/contract holds both to what is written here.
 *
 * Rules for all of it:
 * - One process, one runtime, one thread. Callbacks come from the loop, one at a time, never from
 *   inside the call that asked for them.
 * - Cancelling, resetting, closing and freeing never call back, and are allowed in any callback,
 *   also for the object whose callback is running.
 * - What a request, timer or listener points to is copied, unless it says otherwise.
 * - Ending a process frees all that its runtime still holds, without calling anybody. */
#ifndef CONTROLLER_RUNTIME_RUNTIME_H
#define CONTROLLER_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/bytes.h"
#include "controller/base/error.h"
#include "controller/base/log.h"
#include "controller/runtime/marks.h"

struct runtime_ops;

struct runtime { /* first member of live_runtime and of sim_runtime */
    const struct runtime_ops *ops;
};

/* Handles. Each implementation puts one of these first in its own struct. */
struct timer {
    struct runtime *rt;
};
struct exchange { /* an outgoing request */
    struct runtime *rt;
};
struct listener {
    struct runtime *rt;
};
struct request { /* an incoming request */
    struct runtime *rt;
};

/* --- clocks and randomness --- */

/** UTC in microseconds since 1970; may jump either way. */
static inline int64_t runtime_wall_us(struct runtime *rt);
/** Never goes back, counts suspended time; for timeouts and leases. Its zero means nothing. */
static inline int64_t runtime_elapsed_us(struct runtime *rt);
/** 64 random bits, fit for secrets in the live world, from the seed in the simulated one. */
static inline uint64_t runtime_random(struct runtime *rt);

/* --- timers --- */

/** Calls fn(arg) once, delay_us from now on the elapsed clock (0 or less: at the loop's next turn).
 * Timers due at the same instant fire in the order they were made. Once it fires the handle is
 * gone: forget it before anything else in fn. */
static inline struct timer *runtime_after(struct runtime *rt, int64_t delay_us,
                                          void (*fn)(void *arg), void *arg);
/** Frees a timer that has not fired. Takes NULL. */
static inline void timer_cancel(struct timer *timer);

/* --- HTTP, both sides --- */

struct http_header {
    const char *name;
    const char *value;
};

/** The first value of that name, ignoring case; NULL when there is none. */
const char *http_header_get(const struct http_header *headers, size_t count, const char *name);

/** Why it is no header that can be sent or received (RFC 9110, 5.5), a constant; NULL when it is
 * one. */
const char *http_header_fault(const struct http_header *header);

/** TLS of a client. PEM texts; NULL where there is none. */
struct tls_client {
    const char *ca_pem; /* NULL: the system's */
    const char *certificate_pem;
    const char *key_pem;
    const char *server_name; /* NULL: the URL's host */
    bool skip_verify;        /* a kubeconfig's insecure-skip-tls-verify */
};

/** TLS of a listener. */
struct tls_server {
    const char *certificate_pem; /* with its chain */
    const char *key_pem;
    const char *client_ca_pem; /* ask for client certificates and check those that come; or NULL */
};

/* --- outgoing HTTP --- */

/* Bounds for one response where a request names none. */
#define EXCHANGE_CONNECT_TIMEOUT_US (10 * INT64_C(1000000))
#define EXCHANGE_HEADER_BYTES_MAX (64 * 1024)

struct http_request {
    const char *method;
    const char *url;                   /* absolute, http or https */
    const char *unix_socket;           /* connect there instead of the URL's host; or NULL */
    const struct http_header *headers; /* Host, Content-Length, Transfer-Encoding and
                                        * Accept-Encoding are the runtime's, and refused */
    size_t header_count;
    const void *body; /* NULL: none */
    size_t body_size;
    const struct tls_client *tls;
    const char *pool; /* requests share connections only within a pool of this name; NULL: "" */
    int64_t connect_timeout_us; /* 0: EXCHANGE_CONNECT_TIMEOUT_US */
    int64_t total_timeout_us;   /* from now to the last byte; 0: none */
    int64_t idle_timeout_us;    /* between bytes once sent; 0: none */
    size_t response_bytes_max;  /* decoded; must be set; past it the exchange ends TOO_LARGE */
    bool gzip;                  /* offer gzip; pieces are delivered decoded */
    bool fresh; /* on a connection of its own, closed behind the answer: a kept one that its server
                 * closes at that moment would cost the request */
};

/** How an exchange ended. Cancelling is not an end: it calls nobody. */
enum exchange_end {
    EXCHANGE_COMPLETE,
    EXCHANGE_UNRESOLVED, /* no such host */
    EXCHANGE_REFUSED,    /* nobody listens there */
    EXCHANGE_RESET,      /* closed before the answer was whole */
    EXCHANGE_TIMED_OUT,
    EXCHANGE_TLS,       /* handshake or certificate */
    EXCHANGE_TOO_LARGE, /* past response_bytes_max or the header limit */
    EXCHANGE_MALFORMED, /* not HTTP/1.1, or undecodable */
};

struct response_head {
    unsigned status; /* 200 to 599: 1xx answers are not delivered */
    const struct http_header *headers;
    size_t header_count;
};

/** What comes of an exchange: on_head at most once, then on_body for each piece as it arrives,
 * then on_end exactly once; the exchange is freed when on_end returns. detail is a short text for
 * people ("" when complete), without secrets. on_head and on_body may be NULL. */
struct exchange_events {
    void (*on_head)(void *arg, const struct response_head *head);
    void (*on_body)(void *arg, const void *bytes, size_t size);
    void (*on_end)(void *arg, enum exchange_end end, const char *detail);
};

/** Starts a request; never NULL: what is wrong with it comes through on_end. No proxy from the
 * environment, no redirects, HTTP/1.1. events is kept by pointer and must outlive the exchange. */
static inline struct exchange *runtime_request(struct runtime *rt,
                                               const struct http_request *request,
                                               const struct exchange_events *events, void *arg);
/** Frees it, closing its connection unless the answer was whole. Takes NULL. */
static inline void exchange_cancel(struct exchange *exchange);
/** No more on_body until resumed: the peer feels it once the buffers on the way are full. */
static inline void exchange_pause(struct exchange *exchange);
static inline void exchange_resume(struct exchange *exchange);
/** Whether a byte of the request may have been written to a connection so far; false is certain.
 * Sound until on_end returns. For requests that must not arrive twice. */
static inline bool exchange_was_sent(const struct exchange *exchange);
/** What forbids sending a request, in its method or headers: "method with a forbidden character";
 * NULL when nothing does. For implementations. */
const char *http_request_fault(const struct http_request *request);
/** "refused"; never NULL. */
const char *exchange_end_name(enum exchange_end end);

/* --- incoming HTTP --- */

/* What the strict gate allows where listen_options says 0. */
#define LISTEN_CONNECTIONS_MAX 2048
#define LISTEN_HEADER_TIMEOUT_US (10 * INT64_C(1000000))
#define LISTEN_BODY_TIMEOUT_US (30 * INT64_C(1000000))
#define LISTEN_IDLE_TIMEOUT_US (75 * INT64_C(1000000))
#define LISTEN_HEADER_BYTES_MAX (16 * 1024)

struct listen_options {
    const char *address;   /* "127.0.0.1", "::", or NULL with unix_path */
    uint16_t port;         /* 0: any free one, see listener_port() */
    const char *unix_path; /* a socket file, made with mode 0600; a stale one is replaced, and no
                            * other file; or NULL */
    const struct tls_server *tls;
    unsigned connections_max;  /* one more takes the place of one that waits for a request; where
                                * none  does it is closed at once */
    int64_t header_timeout_us; /* from the first byte, or the connect, to the last header byte */
    int64_t body_timeout_us;   /* from there to the last body byte */
    int64_t idle_timeout_us; /* between requests, and for a peer that takes no byte of an answer */
    size_t header_bytes_max; /* of a request; an answer can have about as many */
};

/** Whom a client certificate that the listener's CA signed names. */
struct peer_certificate {
    const char *common_name; /* "" when absent */
    const char *const *organizations;
    size_t organization_count;
};

struct request_head {
    const char *method;
    const char *target; /* as sent: undecoded */
    const struct http_header *headers;
    size_t header_count;
    const char *peer; /* "127.0.0.1:40000", "[::1]:40000", "unix"; in simulation "ctl-0:40000" */
    const struct peer_certificate *certificate; /* NULL without one */
    bool tls;
};

/** What becomes of an accepted request. on_body for each piece of its body and on_body_end once it
 * is whole (at once after on_request without a body) - neither once an answer was given that did
 * not wait for it. on_closed is the last call: delivered when the answer was handed over whole,
 * else the peer is gone or too slow; the request is freed when it returns. */
struct request_events {
    void (*on_body)(void *arg, const void *bytes, size_t size);
    void (*on_body_end)(void *arg);
    void (*on_closed)(void *arg, bool delivered);
};

/** A listener's owner. In on_request, before the first piece of the body, call exactly one of
 * request_accept (and answer then or later) or request_reset. head lives until on_closed. */
struct http_service {
    void (*on_request)(void *arg, struct request *request, const struct request_head *head);
};

enum body_pull {
    BODY_BYTES, /* *ret_size of them, above 0 */
    BODY_WAIT,  /* nothing now: call request_wake() when there is */
    BODY_END,
    BODY_RESET, /* break the connection: the peer must not take this for the whole */
};

/** A body that is pulled when the peer can take more; never after on_closed. */
struct body_source {
    enum body_pull (*pull)(void *arg, char *room, size_t room_size, size_t *ret_size);
};

struct http_response {
    unsigned status;                   /* 200 to 599 */
    const struct http_header *headers; /* Content-Length, Date, Connection are the runtime's */
    size_t header_count;
    const void *body; /* whole; or */
    size_t body_size;
    struct bytes *shared;             /* whole, held by reference instead of copied; or */
    const struct body_source *source; /* chunked, headers sent at once; kept by pointer */
    void *source_arg;
    size_t gzip_size_min; /* compress a whole body of at least this, if the peer asked; 0: never */
    bool close;           /* the connection after it */
};

/** Listens. False with ERROR_IO ("address 127.0.0.1:6443: already in use") or ERROR_USAGE. */
static inline bool runtime_listen(struct runtime *rt, const struct listen_options *options,
                                  const struct http_service *service, void *arg,
                                  struct listener **ret_listener, struct error *err) MUST_CHECK;
/** The port really bound. */
static inline uint16_t listener_port(const struct listener *listener);
/** Stops accepting connections and closes idle ones; requests under way go on. */
static inline void listener_stop(struct listener *listener);
/** Frees it and resets its connections. Takes NULL. */
static inline void listener_close(struct listener *listener);

static inline void request_accept(struct request *request, const struct request_events *events,
                                  void *arg);
/** Answers; once only, any time after request_accept. Before the body was whole the rest of it is
 * not wanted and the connection is closed after the answer. */
static inline void request_respond(struct request *request, const struct http_response *response);
/** A source that said BODY_WAIT has more. Pulls at the loop's next turn. */
static inline void request_wake(struct request *request);
/** Breaks the connection and frees the request; no on_closed. */
static inline void request_reset(struct request *request);

/* --- files; small ones only: all of these block --- */

struct file_info {
    int64_t size;
    int64_t changed_at_us; /* wall time of the last change of its content */
    bool directory;
};

/** Appends the file to into. ERROR_NOT_FOUND, ERROR_DENIED, ERROR_TOO_LARGE, ERROR_IO. */
static inline bool runtime_read_file(struct runtime *rt, const char *path, struct buffer *into,
                                     struct error *err) MUST_CHECK;
/** Writes a new file beside path and renames it: the old content or the new, never half. A private
 * one is for its owner alone (0600). A device or a pipe is written to as it is, and a
 * link stays one. */
static inline bool runtime_write_file(struct runtime *rt, const char *path, const void *bytes,
                                      size_t size, bool private_file, struct error *err) MUST_CHECK;
/** Whether runtime_write_file() could put a file there now, disks that are full aside; nothing is
 * changed. For a place that is written to late only, when nobody can mend it any more. */
static inline bool runtime_try_file(struct runtime *rt, const char *path,
                                    struct error *err) MUST_CHECK;
/** Names in a directory without "." and "..", sorted; free() each and the array. */
static inline bool runtime_list_files(struct runtime *rt, const char *path, char ***ret_names,
                                      size_t *ret_count, struct error *err) MUST_CHECK;
static inline bool runtime_stat_file(struct runtime *rt, const char *path,
                                     struct file_info *ret_info, struct error *err) MUST_CHECK;
static inline bool runtime_remove_file(struct runtime *rt, const char *path,
                                       struct error *err) MUST_CHECK;

/* --- the process --- */

/** An environment variable; NULL when unset. Lives as long as the runtime. */
static inline const char *runtime_setting(struct runtime *rt, const char *name);
/** What the process takes of its machine now; -1 where that cannot be told. */
struct process_usage {
    int64_t started_at_us; /* wall time, as it was read then */
    int64_t cpu_us;        /* used by the program and for it; never goes back */
    int64_t resident_bytes;
    int64_t virtual_bytes;
    int64_t open_files;     /* descriptors: files, sockets and what else there is */
    int64_t open_files_max; /* -1 also where there is no limit */
};
static inline void runtime_usage(struct runtime *rt, struct process_usage *ret_usage);
/** Bytes for standard output; waits until they are taken. When they cannot be written that is said
 * on standard error, and the process does not end with status 0. */
static inline void runtime_print(struct runtime *rt, const void *bytes, size_t size);
/** Calls fn for each line of standard input without its end, and once with NULL at its end. */
static inline void runtime_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line),
                                      void *arg);
/** The least level that is written, and whether as JSON. Default: info, as text. */
static inline void runtime_log_configure(struct runtime *rt, enum log_level level, bool json);
/** Never waits: lines that nobody takes are dropped, and so are warnings and errors that repeat too
 * often (log_limit.h); both numbers are logged later. */
static inline void runtime_log(struct runtime *rt, const struct log_record *record);
/** Calls fn at the first TERM or INT; a second one ends the process at once with 128 + number.
 * Without a handler the first one stops the process with status 0. */
static inline void runtime_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg);
/** From now on the end of the process that started this one counts as a TERM to it (not a
 * second one). A simulated process has no parent. */
static inline void runtime_follow_parent(struct runtime *rt);
/** The program has come to a rare place. Means nothing in the live world; in the simulated one,
 * runs are asked which places they reached. */
static inline void runtime_mark(struct runtime *rt, enum mark mark);
/** Ends the process after the running callback: the loop returns and the program is freed. */
static inline void runtime_stop(struct runtime *rt, int exit_status);

/** A program as both worlds start it: parts built in order by start, all of it freed by free.
 * start parses argv[1..] and may finish at once by runtime_stop(). False: said as
 * "name: what: why"; exit status 2, for bad usage or environment, or what start gave to
 * runtime_stop() before. free does no I/O and calls nobody. */
struct program {
    const char *name;
    bool (*start)(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                  struct error *err);
    void (*free)(void *root);
};

/* --- the table behind all that --- */

struct runtime_ops {
    int64_t (*wall_us)(struct runtime *rt);
    int64_t (*elapsed_us)(struct runtime *rt);
    uint64_t (*random)(struct runtime *rt);
    struct timer *(*after)(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg);
    void (*timer_cancel)(struct timer *timer);
    struct exchange *(*request)(struct runtime *rt, const struct http_request *request,
                                const struct exchange_events *events, void *arg);
    void (*exchange_cancel)(struct exchange *exchange);
    void (*exchange_pause)(struct exchange *exchange);
    void (*exchange_resume)(struct exchange *exchange);
    bool (*exchange_was_sent)(const struct exchange *exchange);
    bool (*listen)(struct runtime *rt, const struct listen_options *options,
                   const struct http_service *service, void *arg, struct listener **ret_listener,
                   struct error *err);
    uint16_t (*listener_port)(const struct listener *listener);
    void (*listener_stop)(struct listener *listener);
    void (*listener_close)(struct listener *listener);
    void (*request_accept)(struct request *request, const struct request_events *events, void *arg);
    void (*request_respond)(struct request *request, const struct http_response *response);
    void (*request_wake)(struct request *request);
    void (*request_reset)(struct request *request);
    bool (*read_file)(struct runtime *rt, const char *path, struct buffer *into, struct error *err);
    bool (*write_file)(struct runtime *rt, const char *path, const void *bytes, size_t size,
                       bool private_file, struct error *err);
    bool (*try_file)(struct runtime *rt, const char *path, struct error *err);
    bool (*list_files)(struct runtime *rt, const char *path, char ***ret_names, size_t *ret_count,
                       struct error *err);
    bool (*stat_file)(struct runtime *rt, const char *path, struct file_info *ret_info,
                      struct error *err);
    bool (*remove_file)(struct runtime *rt, const char *path, struct error *err);
    const char *(*setting)(struct runtime *rt, const char *name);
    void (*usage)(struct runtime *rt, struct process_usage *ret_usage);
    void (*print)(struct runtime *rt, const void *bytes, size_t size);
    void (*read_lines)(struct runtime *rt, void (*fn)(void *arg, const char *line), void *arg);
    void (*log_configure)(struct runtime *rt, enum log_level level, bool json);
    void (*log)(struct runtime *rt, const struct log_record *record);
    void (*on_signal)(struct runtime *rt, void (*fn)(void *arg), void *arg);
    void (*follow_parent)(struct runtime *rt);
    void (*mark)(struct runtime *rt, enum mark mark);
    void (*stop)(struct runtime *rt, int exit_status);
};

static inline int64_t runtime_wall_us(struct runtime *rt)
{
    return rt->ops->wall_us(rt);
}

static inline int64_t runtime_elapsed_us(struct runtime *rt)
{
    return rt->ops->elapsed_us(rt);
}

static inline uint64_t runtime_random(struct runtime *rt)
{
    return rt->ops->random(rt);
}

static inline struct timer *runtime_after(struct runtime *rt, int64_t delay_us,
                                          void (*fn)(void *arg), void *arg)
{
    return rt->ops->after(rt, delay_us, fn, arg);
}

static inline void timer_cancel(struct timer *timer)
{
    if (timer != NULL)
        timer->rt->ops->timer_cancel(timer);
}

static inline struct exchange *runtime_request(struct runtime *rt,
                                               const struct http_request *request,
                                               const struct exchange_events *events, void *arg)
{
    return rt->ops->request(rt, request, events, arg);
}

static inline void exchange_cancel(struct exchange *exchange)
{
    if (exchange != NULL)
        exchange->rt->ops->exchange_cancel(exchange);
}

static inline void exchange_pause(struct exchange *exchange)
{
    exchange->rt->ops->exchange_pause(exchange);
}

static inline void exchange_resume(struct exchange *exchange)
{
    exchange->rt->ops->exchange_resume(exchange);
}

static inline bool exchange_was_sent(const struct exchange *exchange)
{
    return exchange->rt->ops->exchange_was_sent(exchange);
}

static inline bool runtime_listen(struct runtime *rt, const struct listen_options *options,
                                  const struct http_service *service, void *arg,
                                  struct listener **ret_listener, struct error *err)
{
    return rt->ops->listen(rt, options, service, arg, ret_listener, err);
}

static inline uint16_t listener_port(const struct listener *listener)
{
    return listener->rt->ops->listener_port(listener);
}

static inline void listener_stop(struct listener *listener)
{
    listener->rt->ops->listener_stop(listener);
}

static inline void listener_close(struct listener *listener)
{
    if (listener != NULL)
        listener->rt->ops->listener_close(listener);
}

static inline void request_accept(struct request *request, const struct request_events *events,
                                  void *arg)
{
    request->rt->ops->request_accept(request, events, arg);
}

static inline void request_respond(struct request *request, const struct http_response *response)
{
    request->rt->ops->request_respond(request, response);
}

static inline void request_wake(struct request *request)
{
    request->rt->ops->request_wake(request);
}

static inline void request_reset(struct request *request)
{
    request->rt->ops->request_reset(request);
}

static inline bool runtime_read_file(struct runtime *rt, const char *path, struct buffer *into,
                                     struct error *err)
{
    return rt->ops->read_file(rt, path, into, err);
}

static inline bool runtime_write_file(struct runtime *rt, const char *path, const void *bytes,
                                      size_t size, bool private_file, struct error *err)
{
    return rt->ops->write_file(rt, path, bytes, size, private_file, err);
}

static inline bool runtime_try_file(struct runtime *rt, const char *path, struct error *err)
{
    return rt->ops->try_file(rt, path, err);
}

static inline bool runtime_list_files(struct runtime *rt, const char *path, char ***ret_names,
                                      size_t *ret_count, struct error *err)
{
    return rt->ops->list_files(rt, path, ret_names, ret_count, err);
}

static inline bool runtime_stat_file(struct runtime *rt, const char *path,
                                     struct file_info *ret_info, struct error *err)
{
    return rt->ops->stat_file(rt, path, ret_info, err);
}

static inline bool runtime_remove_file(struct runtime *rt, const char *path, struct error *err)
{
    return rt->ops->remove_file(rt, path, err);
}

static inline const char *runtime_setting(struct runtime *rt, const char *name)
{
    return rt->ops->setting(rt, name);
}

static inline void runtime_usage(struct runtime *rt, struct process_usage *ret_usage)
{
    rt->ops->usage(rt, ret_usage);
}

static inline void runtime_print(struct runtime *rt, const void *bytes, size_t size)
{
    rt->ops->print(rt, bytes, size);
}

static inline void runtime_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line),
                                      void *arg)
{
    rt->ops->read_lines(rt, fn, arg);
}

static inline void runtime_log_configure(struct runtime *rt, enum log_level level, bool json)
{
    rt->ops->log_configure(rt, level, json);
}

static inline void runtime_log(struct runtime *rt, const struct log_record *record)
{
    rt->ops->log(rt, record);
}

static inline void runtime_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg)
{
    rt->ops->on_signal(rt, fn, arg);
}

static inline void runtime_follow_parent(struct runtime *rt)
{
    rt->ops->follow_parent(rt);
}

static inline void runtime_mark(struct runtime *rt, enum mark mark)
{
    rt->ops->mark(rt, mark);
}

static inline void runtime_stop(struct runtime *rt, int exit_status)
{
    rt->ops->stop(rt, exit_status);
}

#endif
