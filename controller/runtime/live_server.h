/* live_server - listeners, their connections and incoming requests; shared by the server's files.
 *
 * live_listener.c accepts and closes, live_connection.c limits the time of each connection,
 * live_server.c is what libmicrohttpd calls and what the request's owner is told, live_gate.c
 * refuses, live_answer.c answers, live_early_answer.c answers before the body was whole,
 * live_tls.c looks at certificates. */
#ifndef CONTROLLER_RUNTIME_LIVE_SERVER_H
#define CONTROLLER_RUNTIME_LIVE_SERVER_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>

#include "controller/runtime/live_internal.h"
#include "controller/runtime/live_tcp.h"

/* Room for "[v6 address]:port". */
#define PEER_TEXT_SIZE 64

struct live_early;
struct live_request;

/** Who is at the other end; requests outlive their connections. */
struct live_peer {
    unsigned references;
    char text[PEER_TEXT_SIZE];
    bool has_certificate;
    struct peer_certificate certificate;
};

struct live_listener {
    struct listener base;
    struct live_listener *prev;
    struct live_listener *next;
    struct live_runtime *live;
    const struct http_service *service;
    void *arg;
    struct listen_options options; /* numbers alone: its pointers are NULL */
    bool tls;
    bool asks_certificate;
    gnutls_x509_trust_list_t client_cas;
    char *unix_path;
    ino_t unix_inode; /* of the socket file that is ours */
    uint16_t port;
    int fd; /* -1 once stopped */
    struct live_poll *accept_poll;
    struct timer *accept_timer; /* out of descriptors: again a little later */
    struct MHD_Daemon *daemon;
    struct live_poll *daemon_poll;
    bool wants_run;
    bool closing;
    struct live_connection *connections;
    size_t connection_count;
    size_t cut_count; /* of these, such as are about to be closed */
};

struct live_connection {
    struct live_connection *prev;
    struct live_connection *next;
    struct live_listener *listener;
    struct MHD_Connection *mhd;
    int fd;
    struct live_peer *peer;
    struct live_request *request; /* the one under way; NULL when libmicrohttpd alone reads */
    struct live_poll *watch;      /* has the peer gone? */
    struct live_early *early;
    struct timer *deadline;
    bool suspended;
    bool cut;                     /* closed as soon as libmicrohttpd looks */
    struct tcp_progress progress; /* of an answer, when last looked at */
    unsigned still;               /* looks in a row without any */
    int64_t idle_until_us;
    uint64_t idle_received; /* bytes from the peer when the connection became idle */
};

struct live_request {
    struct request base;
    struct live_runtime *live;
    struct live_connection *connection; /* NULL once libmicrohttpd is done with it */
    const struct request_events *events;
    void *arg;
    struct live_task task;
    bool busy;
    bool dead;

    struct live_peer *peer;
    char *method;
    char *target;
    const char *target_at; /* where it was read, and how long it was there: for the gate */
    size_t target_size;
    char *header_bytes;
    struct http_header *headers;
    struct request_head head;
    bool has_body;
    bool gzip_accepted;
    bool http_10;

    bool gated;     /* the gate let it in */
    bool announced; /* on_request was called */
    bool accepted;
    bool started; /* libmicrohttpd may read the body */
    bool body_whole;
    bool body_end_told;
    bool answered;
    bool closed; /* on_closed is due */
    bool delivered;
    struct buffer body; /* arrived, not delivered yet */

    /* the answer */
    struct MHD_Response *response;
    unsigned status;
    const struct body_source *source;
    void *source_arg;
    struct buffer chunk; /* pulled, not taken by libmicrohttpd yet */
    size_t chunk_taken;
    bool hungry;   /* the peer can take more than was pulled */
    bool pull_due; /* and the source may be asked */
    bool asleep;   /* the source said BODY_WAIT */
    bool woken;
    bool source_ended;
    bool source_reset;
};

/* live_listener.c */

/** The daemon has something to do before the loop waits. */
void live_listener_poke(struct live_listener *listener);

/* live_connection.c */

struct live_connection *live_connection_new(struct live_listener *listener,
                                            struct MHD_Connection *mhd);
/** Before libmicrohttpd closes its socket. */
void live_connection_free(struct live_connection *connection);
/** Closes it, with a reset when the peer must not take what it got for the whole. */
void live_connection_cut(struct live_connection *connection, bool reset);
void live_connection_suspend(struct live_connection *connection);
void live_connection_resume(struct live_connection *connection);
/* Which time limit holds from now on. */
void live_connection_expect_body(struct live_connection *connection);
void live_connection_expect_nothing(struct live_connection *connection);
void live_connection_expect_progress(struct live_connection *connection);
void live_connection_expect_request(struct live_connection *connection);

struct live_peer *live_peer_ref(struct live_peer *peer);
void live_peer_unref(struct live_peer *peer);

/* live_server.c */

enum MHD_Result live_server_handle(void *arg, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *upload,
                                   size_t *upload_size, void **context);
void *live_server_start_request(void *arg, const char *uri, struct MHD_Connection *mhd);
void live_server_complete(void *arg, struct MHD_Connection *mhd, void **context,
                          enum MHD_RequestTerminationCode code);
/** Takes it away from its connection without a word to its owner. */
void live_request_free(struct live_request *request);
/** The request is over for libmicrohttpd; its owner is told. */
void live_request_close(struct live_request *request, bool delivered);
void live_request_notify(struct live_request *request);

/* live_gate.c */

/** 0 when the head of the request may pass; else the status to refuse it with. version_at is
 * libmicrohttpd's pointer. Fills request's head. */
unsigned live_gate_check(struct live_request *request, struct MHD_Connection *mhd,
                         const char *method_at, const char *version_at);

/* live_answer.c */

/** Builds what goes out; request->response and what belongs to it. */
void live_answer_build(struct live_request *request, const struct http_response *response);
/** Pulls from the source until the buffer is full or there is no more now. */
void live_answer_pull(struct live_request *request);
void live_answer_release(struct live_request *request);

/* live_early_answer.c */

/** Answers although the body is not whole: libmicrohttpd cannot, so this writes it. */
void live_early_start(struct live_request *request, const struct http_response *response);
/** Something happened on the socket. */
void live_early_event(struct live_connection *connection, int events);
/** The source was pulled: sends what it gave. */
void live_early_pulled(struct live_connection *connection);
void live_early_free(struct live_early *early);

/* live_tls.c */

/** False with ERROR_USAGE when the texts are not usable. */
bool live_tls_listen(struct live_listener *listener, const struct tls_server *tls,
                     struct error *err) MUST_CHECK;
void live_tls_release(struct live_listener *listener);
/** Makes the handshake refuse a client certificate that the CA did not sign. */
void live_tls_connect(struct live_connection *connection, gnutls_session_t session);
/** Reads whom the checked certificate names into the peer. */
void live_tls_identify(struct live_connection *connection, gnutls_session_t session);

#endif
