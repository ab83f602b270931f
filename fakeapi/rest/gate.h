/* gate - requests that somebody beside the API server's own rules refuses: a right that was taken
 * away for a while, an admission webhook (WIRE.md A5, C30). */
#ifndef FAKEAPI_REST_GATE_H
#define FAKEAPI_REST_GATE_H

#include <stdbool.h>

#include "fakeapi/faults/faults.h"

struct rest;
struct call;

enum rest_refusal {
    REST_REFUSAL_NONE,
    REST_REFUSAL_ACCESS,       /* as RBAC does */
    REST_REFUSAL_WEBHOOK,      /* an admission webhook denies it */
    REST_REFUSAL_WEBHOOK_DOWN, /* one that must be asked does not answer */
};

/** What the answer says. Texts are borrowed for the call of ask. */
struct rest_refused {
    const char *user;    /* of ACCESS; NULL: who the credentials name */
    const char *webhook; /* of the others: its name */
    const char *message; /* of WEBHOOK; NULL: it denies without explanation */
    unsigned code;       /* of WEBHOOK; 400 at least */
};

struct rest_gate {
    /** Asked of every request for a resource that comes over HTTP and that no fault has answered.
     * Webhooks count for writes alone. */
    enum rest_refusal (*ask)(void *arg, const struct fault_call *request,
                             struct rest_refused *ret_refused);
};

/** gate is kept by pointer; NULL: nobody is asked. */
void rest_set_gate(struct rest *rest, const struct rest_gate *gate, void *arg);

/** Whether it is refused; it is answered then. */
bool call_is_gated(struct call *call);

#endif
