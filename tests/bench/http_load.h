/* http_load - an HTTP client that costs little, for measuring servers: raw sockets of loopback, one
 * epoll, answers read and counted but not kept. Whatever goes wrong ends the program. */
#ifndef TESTS_BENCH_HTTP_LOAD_H
#define TESTS_BENCH_HTTP_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"

/** Ends the program with that text on standard error unless ok. */
void bench_check(bool ok, const char *what);
/** Seconds of the monotonic clock. */
double bench_seconds(void);

/** Many requests, one under way on each connection. */
struct load {
    uint16_t port; /* of 127.0.0.1 */
    size_t connections;
    size_t count;    /* requests in all */
    unsigned status; /* that every answer must have */
    /* appends the whole request number index, head and body */
    void (*make)(void *arg, size_t index, struct buffer *out);
    /* gets the last bytes read of each answer, NUL behind them: all of a small one; may be NULL */
    void (*answered)(void *arg, size_t index, const char *bytes);
    void *arg;
};

/** Sends all and reads every answer to its end. Returns the seconds from the first request to the
 * last answer; connections are made before. *ret_bytes (may be NULL): body bytes of all answers. */
double load_run(const struct load *load, uint64_t *ret_bytes);

/** Appends "GET path" or the like with a body (may be NULL) and more header lines ("" or "A:
 * b\r\n").
 */
void load_append_request(struct buffer *out, const char *method, const char *path,
                         const char *headers, const char *body, size_t body_size);

/** Asks for a path over and over until the server listens and answers 200. */
void load_await_answer(uint16_t port, const char *path);

/** Watches, each on a connection of its own. */
struct watchers;

/** Starts count watches of a path; back when each has the head of its answer. */
struct watchers *watchers_new(uint16_t port, size_t count, const char *path);
/** Waits until every one has read one more event: a line of JSON. */
void watchers_await_event(struct watchers *watchers);
void watchers_free(struct watchers *watchers);

#endif
