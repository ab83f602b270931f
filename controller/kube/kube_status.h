/* kube_status - what a Kubernetes API server says when it refuses: the Status object. */
#ifndef CONTROLLER_KUBE_KUBE_STATUS_H
#define CONTROLLER_KUBE_KUBE_STATUS_H

#include <stdint.h>

#include "controller/base/error.h"
#include "controller/base/json.h"

/** Longest message or name that is kept of a Status; longer ones end in "...". */
#define KUBE_STATUS_TEXT_SIZE 2048

/** A refusal. Texts are NULL when absent, and owned by the struct. */
struct kube_status {
    int64_t code;          /* 0 when absent */
    char *reason;          /* "NotFound", "AlreadyExists" */
    char *message;         /* for people; never holds our token */
    char *details_name;    /* details.name */
    char *details_kind;    /* details.kind */
    int64_t retry_after_s; /* details.retryAfterSeconds; 0 when absent */
};

#define KUBE_STATUS_INIT ((struct kube_status){0})

/** Reads a Status from checked JSON. Lenient: what is absent or of a wrong type stays empty. */
void kube_status_read(struct json_slice object, struct kube_status *ret_status);
void kube_status_release(struct kube_status *status);

/** What an HTTP status means for the program: 404 NOT_FOUND, 409 CONFLICT (EXISTS when the reason
 * is AlreadyExists), 410 GONE, 400 and 422 INVALID, 401 and 403 DENIED, 413 TOO_LARGE, 408, 429 and
 * 5xx UNAVAILABLE, other 4xx INVALID, 2xx NONE, anything else MALFORMED. */
enum error_kind kube_status_kind(unsigned http_status, const struct kube_status *status);

#endif
