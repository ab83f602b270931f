/* kube_http - what calls and watches share: how a request of ours looks on the wire, and how its
 * failure is put into words. Inside kube/ only. */
#ifndef CONTROLLER_KUBE_KUBE_HTTP_H
#define CONTROLLER_KUBE_KUBE_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/kube/kube.h"
#include "controller/runtime/runtime.h"

/** Largest URL; a continue token is the long part of one. */
#define KUBE_URL_BYTES_MAX (128 * 1024)
/** How much of a refusal's body is read; the rest is let go. */
#define KUBE_REFUSAL_BYTES_MAX ((size_t)1024 * 1024)

struct kube_call;
struct kube_watch;

struct kube {
    struct runtime *rt;
    struct kube_config *config;
    struct kube_options options;
    struct kube_call *calls;    /* under way, in the order they were sent */
    struct kube_watch *watches; /* likewise */
};

/** A request under way, with what its failure text needs. Part of a call or a watch. */
struct kube_wire {
    struct exchange *exchange;
    char *label; /* "GET /apis/...", without the query */
    char *token; /* what was sent, to be kept out of texts; or NULL */
    int64_t sent_elapsed_us;
    struct runtime *rt;
    unsigned status;        /* 0 until the head came */
    int64_t retry_after_us; /* what its header asked for; 0: nothing */
    struct buffer refusal;  /* the body when not 2xx */
};

/** Sends request; the timeouts and bounds are those of limits, whose other fields are filled here.
 */
void kube_wire_start(struct kube_wire *wire, struct kube *kube, const struct kube_request *request,
                     const struct http_request *limits, const struct exchange_events *events,
                     void *arg);
/** Notes the head. */
void kube_wire_head(struct kube_wire *wire, const struct response_head *head);
/** Keeps a piece of a refusal's body, up to the bound. */
void kube_wire_refusal(struct kube_wire *wire, const void *bytes, size_t size);
/** Frees what it holds, and cancels the exchange where it has not ended. */
void kube_wire_release(struct kube_wire *wire);

/** Whether the head said 2xx. */
bool kube_wire_accepted(const struct kube_wire *wire);

/** Reads what the server said into ret_refusal and sets err: "GET /...: 409 Conflict: ...". */
void kube_wire_explain_refusal(struct kube_wire *wire, struct kube_status *ret_refusal,
                               struct error *err);
/** How long the server asks to be left alone: of 429 and 5xx, by its header or the refusal it sent,
 * the longer; at most KUBE_RETRY_AFTER_MAX_US. 0: it does not. */
int64_t kube_wire_retry_after_us(const struct kube_wire *wire, const struct kube_status *refusal);
/** Sets err for an exchange that did not end complete: "GET /...: refused: ...". */
void kube_wire_explain_end(const struct kube_wire *wire, enum exchange_end end, const char *detail,
                           struct error *err);

/** Replaces each occurrence of secret in text by stars. secret may be NULL. */
void kube_redact(char *text, const char *secret);

#endif
