/* list_options - what a GET or LIST asks for in its query, read and checked (WIRE.md L3 to L6,
 * L12).
 */
#ifndef FAKEAPI_REST_LIST_OPTIONS_H
#define FAKEAPI_REST_LIST_OPTIONS_H

#include "fakeapi/rest/call.h"
#include "fakeapi/rest/emit.h"
#include "fakeapi/rest/selector.h"

/** Init with {0}; release after. */
struct list_request {
    struct accept accept;
    enum emit_object object;
    struct selector selector;
    uint64_t limit;    /* 0: all */
    uint64_t revision; /* counts when revision_given */
    bool revision_given;
    bool exact;             /* the state at revision */
    char *start;            /* first key, from a continue token; NULL: the first of all */
    int64_t token_revision; /* of that token; -1: as it is now */
};

/** A list's. False with a 400, 422 or 500. */
bool list_options_read(struct call *call, struct list_request *list,
                       struct rest_status *status) MUST_CHECK;
/** A single object's, which may ask for a revision and a form alone. */
bool list_options_read_get(struct call *call, struct list_request *get,
                           struct rest_status *status) MUST_CHECK;
void list_options_release(struct list_request *list);

/** The 504 of a revision that is not there yet (G1, L3). Returns false. */
bool list_options_refuse_future(struct rest_status *status, uint64_t revision, uint64_t current);

#endif
