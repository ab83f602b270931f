/* webhook_decide - what becomes of a webhook delivery: RULES.md 8.5, steps 0 and 3 to 6a, alone.
 *
 * Pure. webhook.c takes it in, fetches the spawner and the key, asks here, and acts. */
#ifndef CONTROLLER_SPAWNER_WEBHOOK_DECIDE_H
#define CONTROLLER_SPAWNER_WEBHOOK_DECIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/jobs/naming.h"
#include "controller/kinds/spawner.h"
#include "controller/runtime/runtime.h"
#include "controller/spawner/webhook_payload.h"

/* Longest name of a spawner: a reference (RULES.md 1). */
#define WEBHOOK_SPAWNER_BYTES_MAX 253

/** Where a delivery goes. */
struct webhook_target {
    char namespace_name[64];
    char spawner[WEBHOOK_SPAWNER_BYTES_MAX + 1];
};

/** Reads a request's target, as sent; what is behind a '?' does not count. False for another path,
 * a namespace that is none and a name that is no reference. */
bool webhook_target_read(const char *target, struct webhook_target *ret_target) MUST_CHECK;

/** A delivery as it came, borrowed. */
struct webhook_delivery {
    const struct http_header *headers;
    size_t header_count;
    const void *body;
    size_t body_size;
};

enum webhook_verdict {
    WEBHOOK_UNSIGNED,    /* signature missing, malformed or wrong */
    WEBHOOK_UNSUPPORTED, /* form-encoded */
    WEBHOOK_MALFORMED,   /* headers or body */
    WEBHOOK_IGNORED,
    WEBHOOK_DUPLICATE, /* dealt with before */
    WEBHOOK_CREATE,
};

/** What to do, and with what. Init with {0}. */
struct webhook_decision {
    enum webhook_verdict verdict;
    const char *reason;         /* IGNORED, UNSUPPORTED and MALFORMED: a constant; else NULL */
    const char *id;             /* from IGNORED on: borrowed from the headers */
    char agent[SAFE_NAME_SIZE]; /* DUPLICATE, CREATE: the Agent's name */
    struct agent_parameter *parameters; /* CREATE */
    size_t parameter_count;
    char *target_repo; /* CREATE; "" when the payload names none */
};

/** Decides. spawner->github is not NULL; the key is not empty. The signature is checked over the
 * raw bytes, in constant time, before anything else is looked at. */
void webhook_decide(const struct webhook_delivery *delivery, const struct spawner *spawner,
                    const void *key, size_t key_size, struct webhook_decision *ret_decision);
void webhook_decision_release(struct webhook_decision *decision);

#endif
