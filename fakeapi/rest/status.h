/* status - a failed request as Kubernetes says it: the Status object. Rules: WIRE.md T9 to T12. */
#ifndef FAKEAPI_REST_STATUS_H
#define FAKEAPI_REST_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

/** Why a request failed. Init with {0}; release when filled. */
struct rest_status {
    unsigned code;      /* 0: nothing failed */
    const char *reason; /* a constant; NULL: left out */
    char *message;
    bool has_details; /* details are there even when empty */
    char *name;       /* of details; NULL: left out */
    char *group;
    char *kind;
    struct json_object *causes;  /* array, or NULL */
    int64_t retry_after_seconds; /* 0: left out */
    char *continue_token;        /* of metadata; NULL: left out */
    bool denied;                 /* by who asks: the answer's headers say that it is no page */
};

void rest_status_release(struct rest_status *status);

/** What an answer is about: the words that its messages need. */
struct rest_subject {
    const char *group; /* "" for core */
    const char *plural;
    const char *kind;
    const char *name; /* "" for none */
};

/* Each fills an empty status and returns false, so that a check can end in it. */
bool rest_status_set(struct rest_status *status, unsigned code, const char *reason,
                     const char *format, ...) PRINTF_LIKE(4, 5);
bool rest_status_bad_request(struct rest_status *status, const char *format, ...) PRINTF_LIKE(2, 3);
bool rest_status_not_found(struct rest_status *status, const struct rest_subject *subject);
bool rest_status_exists(struct rest_status *status, const struct rest_subject *subject);
/** "Operation cannot be fulfilled on GR "name": why" */
bool rest_status_conflict(struct rest_status *status, const struct rest_subject *subject,
                          const char *format, ...) PRINTF_LIKE(3, 4);
bool rest_status_forbidden(struct rest_status *status, const struct rest_subject *subject,
                           const char *format, ...) PRINTF_LIKE(3, 4);
/** 422 from field errors, with a cause for each; details.kind is subject->kind. */
bool rest_status_invalid(struct rest_status *status, const struct rest_subject *subject,
                         const struct field_errors *errors);
/** 422 for one field of the request's own options, as in 'ListOptions.meta.k8s.io "" is invalid'.
 */
bool rest_status_invalid_options(struct rest_status *status, const char *kind,
                                 enum field_error_type type, const char *path, const char *format,
                                 ...) PRINTF_LIKE(5, 6);
/** 500 without a reason: an error that the real server never wrapped. */
bool rest_status_untyped(struct rest_status *status, const char *format, ...) PRINTF_LIKE(2, 3);
/** 404 or 405 inside a served group version (D4): empty details. */
bool rest_status_no_resource(struct rest_status *status);
bool rest_status_no_method(struct rest_status *status);
bool rest_status_too_large(struct rest_status *status);

/** Adds a cause; any of the texts may be NULL. */
void rest_status_cause(struct rest_status *status, const char *reason, const char *message,
                       const char *field);

/** "jobs.batch"; free() it. */
char *rest_group_resource(const struct rest_subject *subject) MUST_CHECK;

/** Appends the Status object as compact JSON without a newline. */
void rest_status_append(const struct rest_status *status, struct buffer *buffer);

/** The same failure for callers inside this process, in one line. */
bool rest_status_to_error(const struct rest_status *status, struct error *err);

#endif
