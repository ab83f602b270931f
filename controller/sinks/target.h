/* target - an http sink of a run: its URL and headers, checked once, shared by what waits for it.
 */
#ifndef CONTROLLER_SINKS_TARGET_H
#define CONTROLLER_SINKS_TARGET_H

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/sinks/header_block.h"

/** Longest URL. */
#define TARGET_URL_BYTES_MAX 4096
/** Largest target. */
#define TARGET_BYTES_MAX ((size_t)16 * 1024)

struct target {
    unsigned references;
    char *url;
    char *label; /* "https://hooks.example:443": paths and queries of hooks are secrets */
    struct header_block headers;
    size_t size; /* of all that, about */
};

/** Held once. headers: the secret's block, or NULL. ERROR_MALFORMED or ERROR_TOO_LARGE when the
 * URL is none that can be sent to: http and https alone, and no user info. The text has no part
 * of it. */
bool target_new(const char *url, const char *headers, size_t headers_size,
                struct target **ret_target, struct error *err) MUST_CHECK;
/** Holds it once more; returns it. */
struct target *target_ref(struct target *target);
/** Lets go; the last one frees. Takes NULL. */
void target_unref(struct target *target);

#endif
