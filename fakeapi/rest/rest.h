/* rest - the Kubernetes API over HTTP: routes, verbs, watches, discovery; all rules of the wire.
 *
 * Rules: fakeapi/WIRE.md, by their ids. Writes for actors inside this process: verbs.h. */
#ifndef FAKEAPI_REST_REST_H
#define FAKEAPI_REST_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/access.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/rest/verbs.h"
#include "fakeapi/store/store.h"

/** Largest request body (O5). */
#define REST_BODY_BYTES_MAX ((size_t)3145728)
/** Most bytes of all bodies that are here at a time; what comes beyond is told 429. */
#define REST_BODIES_BYTES_MAX ((size_t)256 * 1024 * 1024)

struct rest_options {
    struct runtime *rt;
    struct store *store;   /* empty; kept by pointer, freed after the rest */
    struct faults *faults; /* kept by pointer; NULL: none */
    struct access *access; /* who may what; kept by pointer, freed after */
    size_t inflight_max;   /* requests under way before 429 (O1), watches not among them; 0: any */
    bool restored;         /* without the objects of a new cluster: rest_restore() brings all */
};

/** The API over an empty store, with the namespaces and what else a new cluster has (C22). */
struct rest *rest_new(const struct rest_options *options) MUST_CHECK;
/** Frees it, and all that it knows of open requests; the runtime's side of those is its own. The
 * listener must be closed, or closed right after. Takes NULL. */
void rest_free(struct rest *rest);

/** What a listener needs: runtime_listen(rt, options, rest_service(), rest, ...). */
const struct http_service *rest_service(void);

/** Ends all watches and log streams cleanly and refuses new requests (W15). */
void rest_stop(struct rest *rest);
/** Requests whose answer is not over yet. */
size_t rest_open_requests(const struct rest *rest);
/** Breaks the connections of all requests that are not over. */
void rest_reset_requests(struct rest *rest);

/** A request as it is told of. Texts are borrowed for the call; absent ones are "". */
struct rest_note {
    int64_t at_us;   /* wall time at which it came */
    int64_t took_us; /* until its answer began, or its connection broke; of a watch until now */
    unsigned status; /* of the answer; 0: none was given */
    const char *user;
    const char *user_agent;
    const char *peer;
    const char *verb;
    const char
        *resource; /* "pods/log"; of a path that is no resource the path, without its query */
    const char *namespace;
    const char *name;
    const char *fault;        /* name of the rule that acted on it */
    const char *fault_action; /* "status" */
};

typedef void rest_note_fn(void *arg, const struct rest_note *note);

/** Calls fn once for every request from now on, when its answer begins or it ends without one. fn
 * may only take note. NULL ends it. */
void rest_set_journal(struct rest *rest, rest_note_fn *fn, void *arg);
/** Calls fn for every watch and log stream that is open, in the order of their coming. */
void rest_each_stream(const struct rest *rest, rest_note_fn *fn, void *arg);

/** Fault rules were added or removed: open watches ask again what becomes of them. */
void rest_faults_changed(struct rest *rest);

/** Stores an object of a file as it is, system fields of its own kept where it has them, in its
 * apiVersion and kind. ERROR_INVALID when no such kind is served, or the object breaks a rule. */
bool rest_load(struct rest *rest, const struct json_object *tree, struct error *err) MUST_CHECK;
/** The same, and tells of fields that were dropped because the kind does not know them (C4). */
bool rest_load_warning(struct rest *rest, const struct json_object *tree,
                       void (*warn)(void *arg, const char *text), void *arg,
                       struct error *err) MUST_CHECK;

/** As rest_load(), with the resourceVersion that it has, into a rest that was made for it
 * (restored). ERROR_EXISTS when the object is there already. */
bool rest_restore(struct rest *rest, const struct json_object *tree, struct error *err) MUST_CHECK;

/** The last revision so long ago, as far as that is known. */
uint64_t rest_revision_at(const struct rest *rest, int64_t age_us);

#endif
