/* live_client - an outgoing request while it lasts; shared by the files of the client alone.
 *
 * live_client.c owns exchanges and calls their owners; live_curl.c sets up libcurl for one of
 * them; live_head.c reads the head of its answer; live_pool.c drives libcurl's sockets and
 * connections. */
#ifndef CONTROLLER_RUNTIME_LIVE_CLIENT_H
#define CONTROLLER_RUNTIME_LIVE_CLIENT_H

#include <curl/curl.h>

#include "controller/runtime/live_internal.h"

struct live_exchange {
    struct exchange base;
    struct live_exchange *prev;
    struct live_exchange *next;
    struct live_runtime *live;
    const struct exchange_events *events;
    void *arg;
    struct live_task task;
    bool busy; /* its owner is being called: freeing waits */
    bool dead;

    CURL *easy; /* NULL once libcurl is done with it */
    struct live_pool *pool;
    struct curl_slist *header_lines;
    struct curl_slist *connect_to;
    char *body; /* what is sent */
    size_t body_size;
    char curl_detail[CURL_ERROR_SIZE];
    unsigned sent_count; /* times that the request went out */
    bool stale;          /* the kept connection that it was about to go out on is of no use */
    bool resend;         /* may go out again when a kept connection turns out to be dead */

    struct buffer head_bytes; /* name NUL value NUL, again and again */
    size_t header_count;
    size_t head_total; /* bytes of all heads, those of 1xx too */
    unsigned status;
    bool head_begun;  /* a status line came, and its last line has not */
    bool old_version; /* HTTP/1.0 */
    bool has_length;
    bool has_coding;
    bool head_ready;
    bool head_delivered;

    struct buffer pending; /* arrived, not delivered yet */
    size_t received;
    size_t received_max;
    bool paused;
    bool curl_paused;

    struct timer *total_timer;
    struct timer *idle_timer;
    int64_t idle_timeout_us;
    bool idle_seen;      /* past the limit; sockets are looked at once more */
    int64_t active_us;   /* when the last byte came or went */
    curl_off_t uploaded; /* by then */

    bool ended;
    enum exchange_end end;
    char *detail;
};

/* live_client.c, for libcurl's side */

/** Something is there to be delivered. */
void live_exchange_notify(struct live_exchange *exchange);
/** The transfer is over; the first reason stays. */
void live_exchange_end(struct live_exchange *exchange, enum exchange_end end, const char *detail);

/* live_curl.c */

/** Makes exchange->easy from the request. False when the request itself is wrong. */
bool live_curl_setup(struct live_exchange *exchange, const struct http_request *request,
                     struct error *err) MUST_CHECK;
/** What libcurl's result means. */
enum exchange_end live_curl_end(const struct live_exchange *exchange, CURLcode code);
/** Whether the transfer ended for the sake of a stale connection: it is to be added again then, and
 * will make a new one. */
bool live_curl_renew(struct live_exchange *exchange) MUST_CHECK;
void live_curl_release(struct live_exchange *exchange);

/* live_head.c */

/** Takes the next line of the head, with its end. False when no head has such a line. The last one
 * of an answer's head sets head_ready, that of an interim one does not. */
bool live_head_line(struct live_exchange *exchange, const char *line, size_t size) MUST_CHECK;

/* live_pool.c */

/** The pool of that name; it stays as long as the runtime. */
struct live_pool *live_pool_get(struct live_runtime *live, const char *name);
/** False with a text when libcurl does not take it. */
bool live_pool_add(struct live_pool *pool, struct live_exchange *exchange,
                   struct error *err) MUST_CHECK;
void live_pool_remove(struct live_pool *pool, struct live_exchange *exchange);
/** Whether something lies unread on the connection between those ports: an answer that nobody asked
 * for, the word of TLS that it is closed, or the close itself. */
bool live_pool_has_unread(const struct live_pool *pool, int local_port, int peer_port);
/** After the last exchange. */
void live_pools_free(struct live_runtime *live);

#endif
