/* admin - the door for those who run a test: faults, time, state, and who asked what.
 *
 * A small HTTP API of its own beside the Kubernetes one; fakeapi/README.md tells of it. Without a
 * token it is only for this machine: what a browser sends on behalf of a page is refused, and so is
 * a Host that is not this machine's. Bodies are bounded, a wrong one is 400 and changes nothing. */
#ifndef FAKEAPI_ADMIN_ADMIN_H
#define FAKEAPI_ADMIN_ADMIN_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/admin/clock.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/rest/rest.h"
#include "fakeapi/store/store.h"

/** Largest state that is loaded, and largest other body. */
#define ADMIN_STATE_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define ADMIN_BODY_BYTES_MAX ((size_t)FAULT_FILE_BYTES_MAX)
/** Most connections at one time. */
#define ADMIN_CONNECTIONS_MAX 64

/** What the program does for it. Each either does all of it or changes nothing. */
struct admin_host {
    /** All objects as they were at a revision (0: now) as YAML. ERROR_GONE, ERROR_INVALID. */
    bool (*dump)(void *arg, uint64_t revision, struct buffer *into, struct error *err);
    /** Adds objects, or puts them in the place of those there, as --load does. An error may leave
     * those before the one it is about. */
    bool (*load)(void *arg, const char *text, size_t size, struct error *err);
    /** Puts a dump in the place of all there is: another store, all connections broken. */
    bool (*restore)(void *arg, const char *text, size_t size, struct error *err);
    /** As just started: objects, rules, clock. */
    bool (*reset)(void *arg, struct error *err);
    /** A list of what the cluster's actors wait for, the next first. */
    struct json_object *(*waiting)(void *arg);
    /** Adds scripts of pods to come, see pod_scripts.h. ERROR_INVALID, ERROR_TOO_LARGE. */
    bool (*script_pods)(void *arg, const char *text, size_t size, struct error *err);
};

struct admin_options {
    struct runtime *rt; /* the real one */
    struct clock *clock;
    struct faults *faults;
    const char *token; /* NULL: none is asked for */
    const struct admin_host *host;
    void *host_arg;
};

struct admin;

/** What options point to must outlive it, but for the token. Call admin_set_parts() next. */
struct admin *admin_new(const struct admin_options *options) MUST_CHECK;
/** Its listener must be closed. Takes NULL. */
void admin_free(struct admin *admin);
/** The parts it works on, after they were made (anew). Both are kept by pointer. */
void admin_set_parts(struct admin *admin, struct store *store, struct rest *rest);

/** For runtime_listen(), with the admin as its arg. */
const struct http_service *admin_service(void);

/** Logs a warning for every pattern of a rule that names a resource which is not served; a kind
 * that comes later may make it right. */
void admin_warn_of_resources(struct runtime *rt, const struct faults *faults,
                             const struct store *store);
/** Logs a warning for every rule that never acted. */
void admin_warn_of_idle_rules(struct runtime *rt, const struct faults *faults);

#endif
