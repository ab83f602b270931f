/* kube - calls to a Kubernetes API server, asynchronous and typed.
 *
 * A call ends exactly once, by its callback from the loop, unless it is cancelled first. Nothing
 * is retried here and nothing is cached: that is for those who know what the call is for.
 * Longer listings: kube_list.h. Streams of changes: kube_watch.h. */
#ifndef CONTROLLER_KUBE_KUBE_H
#define CONTROLLER_KUBE_KUBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/base/time.h"
#include "controller/kube/kube_config.h"
#include "controller/kube/kube_status.h"
#include "controller/runtime/runtime.h"

/* RULES 4.1 */
#define KUBE_CONNECT_TIMEOUT_US (10 * US_PER_SECOND)
#define KUBE_READ_TIMEOUT_US (30 * US_PER_SECOND)
#define KUBE_RESPONSE_BYTES_MAX ((size_t)64 * 1024 * 1024)
/** An answer of one object, or of few: etcd stores none of 2 MiB, and a watch brings none of 4.
 * Many such answers are held at a time. */
#define KUBE_OBJECT_BYTES_MAX ((size_t)4 * 1024 * 1024)
/** An ordinary call as a whole: a server that drips must not hold its caller for ever. */
#define KUBE_TOTAL_TIMEOUT_US (120 * US_PER_SECOND)
/** RULES 13.2: a Lease request must end well inside the lease. */
#define KUBE_LEASE_TIMEOUT_US (4 * US_PER_SECOND)

/** Asks for a Table (RULES 4.3). */
#define KUBE_ACCEPT_TABLE "application/json;as=Table;g=meta.k8s.io;v=v1"

struct kube;
struct kube_call;

/** Where a kind lives: {"batch", "v1", "jobs"}; group "" is the core group. */
struct kube_resource {
    const char *group;
    const char *version;
    const char *plural;
};

enum kube_verb {
    KUBE_GET,
    KUBE_LIST,
    KUBE_CREATE,
    KUBE_MERGE_PATCH, /* RFC 7386 */
    KUBE_JSON_PATCH,  /* RFC 6902 */
    KUBE_DELETE,
};

/** One request; all of it is copied. Names are encoded into the URL here. */
struct kube_request {
    enum kube_verb verb;
    const struct kube_resource *resource;
    const char *namespace_name; /* NULL: all, or a kind without namespaces */
    const char *name;           /* NULL with KUBE_LIST and KUBE_CREATE */
    const char *subresource;    /* "status", "log"; or NULL */
    const char *query;          /* "container=agent&tailLines=10", values encoded; or NULL */
    const char *accept;         /* NULL: application/json */
    const void *body;           /* JSON; NULL: none */
    size_t body_size;
    bool few;          /* a list that is small: bounded as one object is */
    bool lease;        /* on the Lease pool, cut off after KUBE_LEASE_TIMEOUT_US */
    size_t text_bytes; /* above 0: the answer is no JSON; keep this many of its last bytes */
};

/** How a call ended; all of it is borrowed for the callback. */
struct kube_result {
    bool ok; /* a whole 2xx answer, its body as asked for: with a name, the object of that name */
    enum exchange_end end;  /* of the exchange */
    unsigned status;        /* HTTP; 0 when no head arrived */
    int64_t retry_after_us; /* how long the server asks to be left alone (kube_backoff.h); or 0 */
    struct kube_status refusal; /* what the server said; empty with 2xx */
    struct error error;       /* why not ok, for log lines: "GET /api/v1/...: 404 NotFound: ..." */
    struct json_slice body;   /* checked JSON of a 2xx answer; bytes NULL when there is none */
    const char *text;         /* with text_bytes: the kept tail (with a NUL), else NULL */
    size_t text_size;         /* of the kept tail */
    size_t text_total;        /* of the whole text */
    int64_t sent_elapsed_us;  /* when the request was handed to the runtime */
    int64_t ended_elapsed_us; /* when the callback came */
};

/** Whether the API server says that the object is not there: a 404 of another kind (of a gateway,
 * or for a kind that is not served) says nothing of it. */
bool kube_result_is_missing(const struct kube_result *result);

/** Whether a write was carried out: the API server said so with a 2xx, even if the rest of its
 * answer never came. What came whole under a 2xx and is no object of that name is not its word: the
 * page of a gateway, say. */
bool kube_result_landed(const struct kube_result *result);

struct kube_options {
    /* Told of each ended ordinary call, for metrics; may be NULL. Streams are left out. */
    void (*on_call)(void *arg, enum kube_verb verb, int64_t duration_us);
    void *arg;
};

/** A client. Takes ownership of config; options may be NULL and is copied. */
struct kube *kube_new(struct runtime *rt, struct kube_config *config,
                      const struct kube_options *options) MUST_CHECK;
/** Frees it with all calls, listings and watches still under way, calling nobody. Takes NULL. */
void kube_free(struct kube *kube);
const struct kube_config *kube_get_config(const struct kube *kube);

/** Sends a request. The handle is for kube_call_cancel() alone and is gone when done is called. */
struct kube_call *kube_send(struct kube *kube, const struct kube_request *request,
                            void (*done)(void *arg, const struct kube_result *result), void *arg);
/** Frees a call that has not ended; a write may have landed all the same. Takes NULL. */
void kube_call_cancel(struct kube_call *call);

/** "get", "list", "create", "patch", "patch", "delete": for metrics and log lines. */
const char *kube_verb_name(enum kube_verb verb);

#endif
