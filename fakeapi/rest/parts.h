/* parts - what the files of rest share: the server itself. */
#ifndef FAKEAPI_REST_PARTS_H
#define FAKEAPI_REST_PARTS_H

#include "controller/base/time.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/rest/rest.h"

struct call;
struct rest_gate;

/** When which revision was the last: for answers that are stale by age. */
struct revision_mark {
    int64_t at_us; /* elapsed clock */
    uint64_t revision;
};

/** Most of those marks that are kept. */
#define REVISION_MARKS_MAX 20000

/** How long a kind is new, and its creates wait (R5): until other servers know it as well. */
#define ESTABLISHMENT_HOLD_US (2 * US_PER_SECOND)

struct rest {
    struct runtime *rt;
    struct store *store;
    struct faults *faults;
    struct kinds *kinds;
    struct store_resource *namespaces; /* looked at by every write; never replaced */
    struct store_resource *definitions;
    struct access *access;
    struct kind *token_requests; /* what bodies of a token subresource are */
    int64_t started_us;          /* elapsed clock */
    bool stopping;
    bool loading;       /* objects from before: not new */
    struct call *calls; /* requests that were accepted and are not closed */
    size_t call_count;
    size_t awaiting_count; /* those that wait for a revision (future.c) */
    const struct rest_log_source *logs;
    void *logs_arg;
    const struct rest_admission *admission; /* NULL: none */
    void *admission_arg;
    const struct rest_gate *gate; /* NULL: none */
    void *gate_arg;
    struct revision_mark *marks; /* a ring */
    size_t mark_count;
    size_t mark_next;
    size_t inflight_max;
    size_t body_bytes; /* of all calls, against REST_BODIES_BYTES_MAX */
    size_t inflight;   /* calls that count as such */
    rest_note_fn *journal;
    void *journal_arg;
    struct timer *fault_edge; /* the next time at which a rule on watches begins to hold */
};

extern const struct kind_row token_request_row;
/** CRDs made, changed and deleted: rows come and go, conditions are set (crd.c). */
extern const struct store_observer crd_observer;
/** Notes the times of revisions (stale.c). */
extern const struct store_observer stale_observer;
/** Resumes reads whose revision has come (future.c). */
extern const struct store_observer future_observer;
/** Answers those that still wait, for the server ends. */
void future_give_up(struct rest *rest);
/** The revision that was the last one age_us ago. */
uint64_t stale_revision(const struct rest *rest, int64_t age_us);

#endif
