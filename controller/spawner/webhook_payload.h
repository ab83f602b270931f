/* webhook_payload - what is read of a GitHub payload (RULES.md 8.5, 8.6): found in its text, which
 * no tree is ever made of. Pure.
 *
 * The gate refuses duplicate keys, NULs, invalid UTF-8 and more depth than anybody needs. Half of a
 * surrogate pair and an escaped NUL become U+FFFD: a run could not be told them. */
#ifndef CONTROLLER_SPAWNER_WEBHOOK_PAYLOAD_H
#define CONTROLLER_SPAWNER_WEBHOOK_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/kinds/parameter.h"

/** Largest body, as GitHub sends none that is larger. */
#define WEBHOOK_BODY_BYTES_MAX ((size_t)25 * 1024 * 1024)

/** Longest text that is read of it, as it is written: an object of the API holds no more, and
 * GitHub ends a comment at 64 KiB. */
#define WEBHOOK_TEXT_BYTES_MAX ((size_t)1024 * 1024)

/** Parts of a body, borrowed from it; what is absent, null or of another type has no bytes. */
struct webhook_payload {
    struct json_slice action;     /* a string */
    struct json_slice issue;      /* an object */
    struct json_slice repository; /* an object */
    struct json_slice label;      /* an object: the one just added */
};

/** ERROR_MALFORMED, ERROR_TOO_LARGE (a text, too), or ERROR_INVALID when it is no object. */
bool webhook_payload_read(const void *body, size_t size, struct webhook_payload *ret_payload,
                          struct error *err) MUST_CHECK;

/** A string member of an object's text, mended as said above; "" for none. free() it. */
char *webhook_payload_text(struct json_slice object, const char *key) MUST_CHECK;

/** Whether the issue has that label; just_added: whether it was given it now. False without an
 * issue. */
bool webhook_payload_has_label(const struct webhook_payload *payload, bool just_added,
                               const char *label);

/** What the Agent is told: own, without the git credentials, overlaid with the payload's.
 * parameters_free() it. */
void webhook_payload_parameters(const struct webhook_payload *payload,
                                const struct agent_parameter *own, size_t own_count,
                                struct agent_parameter **ret_items, size_t *ret_count);

#endif
