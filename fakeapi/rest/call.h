/* call - one request on its way through the server, and how it is answered. */
#ifndef FAKEAPI_REST_CALL_H
#define FAKEAPI_REST_CALL_H

#include "controller/runtime/runtime.h"
#include "fakeapi/access/access.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/rest/accept.h"
#include "fakeapi/rest/parts.h"
#include "fakeapi/rest/route.h"
#include "fakeapi/rest/status.h"
#include "fakeapi/rest/write.h"

enum verb {
    VERB_GET,
    VERB_LIST,
    VERB_WATCH,
    VERB_CREATE,
    VERB_UPDATE,
    VERB_PATCH,
    VERB_DELETE,
    VERB_DELETE_COLLECTION,
    VERB_OTHER, /* a path that is no resource, or a method that is no verb */
};

/** A body that comes over time. */
struct stream_ops {
    enum body_pull (*pull)(void *stream, char *room, size_t room_size, size_t *ret_size);
    void (*free)(void *stream);
    void (*stop)(void *stream);           /* the server ends: end cleanly; or NULL */
    void (*faults_changed)(void *stream); /* ask faults_decide_idle() again; or NULL */
};

struct call {
    struct rest *rest;
    struct call *prev;
    struct call *next;
    struct request *request;
    const struct request_head *head;
    char *peer; /* its host, without the port */
    struct route route;
    enum verb verb;
    struct access_user user;    /* who asks; nobody when that is refused */
    struct rest_status refusal; /* why it is not carried out, whatever it says; code 0: it is */
    struct buffer body;         /* empty when it is refused */
    bool body_whole;
    bool delayed; /* waits for delay */
    struct timer *delay;
    bool answered;
    uint64_t awaited;   /* revision that it waits for with delay; 0: none */
    bool waited;        /* it has: no more */
    bool late;          /* it came when the server was stopping already */
    bool inflight;      /* counts against the server's most */
    bool noted;         /* the journal has it */
    int64_t came_at_us; /* wall time; when it came */
    int64_t came_us;    /* elapsed clock */
    struct fault_effect effect;
    char *effect_name;
    char *effect_reason; /* copies: rules may change while the call waits */
    char *effect_message;
    char *effect_type;

    /* filled in when it is carried out */
    struct kind *kind; /* held; NULL for paths that are no resource */
    const struct kind_version *version;

    const struct stream_ops *stream_ops;
    void *stream;
    bool waiting;        /* the stream said BODY_WAIT */
    uint64_t sent;       /* bytes of the body, for a cut */
    struct bytes *whole; /* a whole body that is sent in parts */
    struct timer *pace;  /* of a slow body: the next byte waits for it */
};

/* --- words --- */

const char *call_header(const struct call *call, const char *name);
/** "list"; for a path that is no resource the method in lower case. */
const char *call_verb_name(const struct call *call);
/** What fault rules look at; texts are borrowed. resource is room for "pods/log". */
struct fault_call call_fault_view(const struct call *call, char *resource, size_t resource_size);
/** What becomes of a watch's event about the object. */
void call_decide_event(struct call *call, const struct store_object *object,
                       struct fault_effect *ret_effect);
/** The form of the answer; false after a 406 was given. */
bool call_accept(struct call *call, const struct accept_offer *offer,
                 struct accept *ret_accept) MUST_CHECK;
bool call_wants_pretty(const struct call *call, const struct accept *accept);

/** Tells the journal, once. status 0: no answer. */
void call_note(struct call *call, unsigned status);
/* --- may it? --- */

/** Finds out who asks, and for whom, into user; refusal says it where they may not. */
void call_admit(struct call *call);
/** The 403 for what somebody may not; reason may be NULL (A5). Returns false. */
bool call_deny(struct rest_status *status, const struct attributes *attributes, const char *reason);

/* --- answers; each is given once --- */

/** A header of the answer's own. */
void call_answer_text(struct call *call, unsigned code, const char *content_type, const char *text);
void call_answer_bytes(struct call *call, unsigned code, const struct http_header *headers,
                       size_t header_count, const void *bytes, size_t size);
void call_answer_status(struct call *call, const struct rest_status *status);
/** The status of a write that failed, with its warnings. */
void call_answer_failure(struct call *call, const struct write *write);
/** Releases the status. */
void call_fail(struct call *call, struct rest_status *status);
/** A JSON body as bytes, in the form asked for (pretty, YAML). warnings may be NULL. */
void call_answer_json(struct call *call, unsigned code, const struct accept *accept,
                      const struct write *warnings, const void *json, size_t size);
void call_answer_tree(struct call *call, unsigned code, const struct accept *accept,
                      const struct write *warnings, const struct json_object *tree);
/** A page as a gateway gives it. */
void call_answer_html(struct call *call, unsigned code);
/** A body that is pulled from stream; takes the stream over. */
void call_answer_stream(struct call *call, const char *content_type, const char *warning,
                        const struct stream_ops *ops, void *stream);
/** Sends the response, or does to it what the call's fault says (respond.c). */
void call_respond(struct call *call, struct http_response *response);
extern const struct body_source call_stream_source;
/** A waiting stream has more. */
void call_wake(struct call *call);
/** Ends a call without an answer: breaks its connection. */
void call_reset(struct call *call);

/* --- what requests are --- */

/** Carries it out: the body is whole, delays are over. */
void call_dispatch(struct call *call);
/** Once more, after a wait: its kind may be another by now, or none. */
void call_dispatch_again(struct call *call);
/** The last step of it: what it asks for is known and served, and has that verb. */
void call_serve(struct call *call);
/** Whether a read asks for a revision that is not there yet. It is served later then. */
bool call_awaits_revision(struct call *call);
/** Whether the timeout of the query is one (O3); false after a 400. */
bool call_check_timeout(struct call *call);
/** Whether a create came so soon behind its kind's establishment that it waits a while (R5). */
bool call_is_held(struct call *call);

void call_get(struct call *call);
void call_list(struct call *call);
void call_watch(struct call *call);
void call_create(struct call *call);
void call_update(struct call *call);
void call_patch(struct call *call);
void call_delete(struct call *call);
void call_delete_collection(struct call *call);
void call_log(struct call *call);
/** A kind that is asked and not stored. */
void call_review(struct call *call);
void call_token_request(struct call *call);
/** The answer to a create that stores nothing. */
void call_answer_question(struct call *call, const struct accept *accept,
                          const struct write *warnings, const struct json_object *tree);
void call_bind(struct call *call);
/** The same for the pod that the body names (bindings). */
void call_bind_named(struct call *call);
void call_evict(struct call *call);
/** DeleteOptions as decoded. The texts of body are the request's: it must live as long. */
bool call_read_delete_options(struct write *write, const struct json_object *body,
                              struct delete_request *request) MUST_CHECK;
/** A path that is no resource. */
void call_path(struct call *call);
/** Discovery and OpenAPI; false when the path is none of theirs. */
bool call_discovery(struct call *call);
bool call_openapi(struct call *call);

/** The 404 in text of D3. */
void call_answer_no_path(struct call *call);

extern const struct request_events call_events;
void call_free(struct call *call);

#endif
