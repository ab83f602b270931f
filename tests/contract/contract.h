/* contract - what every implementation of runtime.h must do: cases that know nothing of the world
 * they run in.
 *
 * A world gives a case a runtime for a server and one for a client (the same one, if it likes) and
 * runs them. What a world may lack is NULL or absent in struct contract_world, and the cases that
 * need it are skipped. No case sleeps, and none expects anything of the real clock but that it
 * goes on. */
#ifndef TESTS_CONTRACT_CONTRACT_H
#define TESTS_CONTRACT_CONTRACT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/runtime/runtime.h"

/* A time limit that is meant to pass, and one that is not. */
#define CONTRACT_SHORT_US (60 * INT64_C(1000))
#define CONTRACT_LONG_US (30 * INT64_C(1000000))

struct contract_raw; /* a peer that speaks bytes, not HTTP */

/** What becomes of the connection after a raw server has sent its bytes. */
enum contract_then { CONTRACT_THEN_CLOSE, CONTRACT_THEN_RESET, CONTRACT_THEN_SILENCE };

/** Who shows and trusts which certificate. PEM texts. */
struct contract_tls {
    struct tls_server server;      /* asks for no client certificate */
    struct tls_server asking;      /* asks for one of ca */
    struct tls_client trusting;    /* trusts the servers */
    struct tls_client known;       /* and shows a certificate of CN ctl-0, O system:masters
                                      and system:nodes */
    struct tls_client stranger;    /* and shows one that another authority signed */
    struct tls_client distrusting; /* trusts another authority alone */
};

struct contract_world {
    struct runtime *server;
    struct runtime *client;
    const char *listen_address;     /* where a server listens */
    const char *host;               /* how a client names that in a URL */
    const char *unknown_host;       /* a host that nobody knows */
    const char *directory;          /* an empty one, for files of the server's runtime */
    const char *unix_path;          /* where a server may listen and a client finds it; or NULL */
    const struct contract_tls *tls; /* or NULL */
    const char *black_hole;         /* a URL whose host never answers a connect; or NULL */
    bool gate; /* its listeners limit heads and refuse malformed ones before anybody sees them */
    const char *setting; /* a setting that is there with the value "contract"; or NULL */

    /** Runs until *done, or until nothing more can come of it. */
    void (*run)(struct contract_world *world, const bool *done);
    /** Whether the process of that runtime was stopped, and with which status. */
    bool (*stopped)(struct contract_world *world, struct runtime *rt, int *ret_status);

    /** Sends TERM to the server's process. Or NULL. */
    void (*terminate)(struct contract_world *world);
    /** The standard input of the server's process, whole. Or NULL. */
    void (*give_input)(struct contract_world *world, const char *text);

    /* A client of bytes; all four or none. It reads what comes by itself. */
    struct contract_raw *(*raw_connect)(struct contract_world *world, uint16_t port);
    void (*raw_send)(struct contract_raw *raw, const void *bytes, size_t size);
    void (*raw_half_close)(struct contract_raw *raw);
    /** What came so far as a text, and whether the server closed. */
    const char *(*raw_received)(struct contract_raw *raw, bool *ret_closed);

    /** A server of bytes: to the first request that comes it sends an answer as it stands, then
     * does as told. The world frees it. Or NULL. */
    void (*raw_serve)(struct contract_world *world, const char *answer, enum contract_then then,
                      uint16_t *ret_port);
};

struct contract_case {
    const char *name;
    void (*run)(struct contract_world *world);
};

/** The cases by file; the last one has no name. */
extern const struct contract_case contract_timers[];
extern const struct contract_case contract_exchanges[];
extern const struct contract_case contract_bodies[];
extern const struct contract_case contract_sources[];
extern const struct contract_case contract_early[];
extern const struct contract_case contract_cancels[];
extern const struct contract_case contract_closings[];
extern const struct contract_case contract_limits[];
extern const struct contract_case contract_listeners[];
extern const struct contract_case contract_tls[];
extern const struct contract_case contract_sent[];
extern const struct contract_case contract_bytes[];
extern const struct contract_case contract_files[];
extern const struct contract_case contract_processes[];

/** How a world is made and freed: once for each case. */
struct contract_maker {
    const char *name;
    struct contract_world *(*open)(void);
    void (*close)(struct contract_world *world);
};

/** Runs every case; an argument is a pattern of those to run ("*", "?"). main() returns it. */
int contract_run(const struct contract_maker *maker, int argc, char **argv);

/* --- what cases share --- */

/** A client's record of one exchange. Set on_end to do more at its end. */
struct contract_client {
    struct contract_world *world;
    struct exchange *exchange; /* NULL once ended or cancelled */
    char *url;                 /* of contract_get() */
    struct buffer trace;       /* "head|body|complete": a row of pieces is one "body" */
    struct buffer body;
    unsigned status;
    char *header; /* value of the header X-Test of the answer, or NULL */
    bool ended;
    enum exchange_end end;
    bool sent; /* by then, a byte of the request may have been */
    size_t piece_count;
    void (*on_head)(struct contract_client *client); /* more to do then; or NULL */
    void (*on_body)(struct contract_client *client);
    void (*on_end)(struct contract_client *client);
    void *arg; /* theirs */
};

/** What a server does with each request: set what differs; the rest is done as said. */
struct contract_server {
    struct contract_world *world;
    struct listener *listener;
    struct listen_options options; /* before contract_serve(); the address is there */
    struct http_response answer;   /* given when the body is whole, unless on_end is set */
    void (*on_request)(struct contract_server *server, const struct request_head *head);
    void (*on_body)(struct contract_server *server, const void *bytes, size_t size);
    void (*on_end)(struct contract_server *server);
    void (*on_closed)(struct contract_server *server, bool delivered);
    void *arg; /* theirs */

    struct request *request; /* the last one; NULL once closed */
    unsigned requests;       /* that came */
    unsigned closed;         /* that are over */
    unsigned delivered;      /* of those, with the whole answer handed over */
    unsigned ends;           /* whole bodies */
    struct buffer body;      /* of all of them */
    char *method;            /* of the last one */
    char *target;
    char *peer;
    bool is_closed; /* closed > 0, to run until then */
};

/** Ready to serve, answering 200 "hello" with X-Test: yes. */
void contract_server_init(struct contract_server *server, struct contract_world *world);
/** Listens. */
void contract_serve(struct contract_server *server);
/** Accepts the request that on_request got: on_request must do this, or reset it. */
void contract_accept(struct contract_server *server);
void contract_server_release(struct contract_server *server);

void contract_client_init(struct contract_client *client, struct contract_world *world);
/** A GET request for that path of the server; to be changed before contract_send(). Its URL
 * lives as long as the client. */
struct http_request contract_get(struct contract_client *client, struct contract_server *server,
                                 const char *path);
void contract_send(struct contract_client *client, const struct http_request *request);
/** Sends and runs until the end. */
void contract_fetch(struct contract_client *client, const struct http_request *request);
void contract_cancel(struct contract_client *client);
void contract_client_release(struct contract_client *client);

/** One of each: what most cases are made of. */
struct contract_pair {
    struct contract_client client;
    struct contract_server server;
    struct http_request request; /* GET /, once served */
};

void contract_pair_init(struct contract_pair *pair, struct contract_world *world);
/** Listens and makes the request. */
void contract_pair_serve(struct contract_pair *pair);
/** Sends the request and runs until both sides are done with it. */
void contract_pair_fetch(struct contract_pair *pair);
/** Fails unless the client saw that. */
void contract_pair_expect(struct contract_pair *pair, const char *trace);
void contract_pair_release(struct contract_pair *pair);

/** A body_source that says what a script tells it: one letter a pull. A digit d: a piece of so
 * many bytes; 'k' one of 1,000, 'w' WAIT, 'e' END, 'r' RESET, '+' wakes and then goes on with the
 * next, '*' stays: as many bytes as there is room, for ever. */
struct contract_source {
    struct contract_server *server;
    const char *script; /* where it stands */
    size_t pulled;      /* bytes */
    unsigned pulls;
    unsigned waits;
    bool waiting;
    void (*on_pull)(struct contract_source *source); /* more to do before each; or NULL */
};

/** Makes the server answer from it. */
void contract_source_init(struct contract_source *source, struct contract_server *server,
                          const char *script);

/** Runs until both the client and the server are done with their one exchange. */
void contract_run_both(struct contract_client *client, struct contract_server *server);

/** Runs for so long, on the client's elapsed clock: for what must not happen. */
void contract_pass(struct contract_world *world, int64_t time_us);

/** Runs until that holds; fails the case when it never does. */
void contract_wait(struct contract_world *world, bool (*holds)(void *arg), void *arg,
                   const char *what);
/** The same for an amount of body bytes at the client, and for its head. */
void contract_wait_bytes(struct contract_client *client, size_t size);
void contract_wait_head(struct contract_client *client);

/** Fails the case unless *done after running. */
void contract_until(struct contract_world *world, const bool *done, const char *what);

/** size bytes that differ along the way; free() them. */
char *contract_pattern(size_t size);

#endif
