/* rest - the server as a whole: built, stopped, freed; what a new cluster holds. */
#include "fakeapi/rest/rest.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/write_steps.h"

static void create_namespaces(struct rest *rest)
{
    static const char *const names[] = {"default", "kube-node-lease", "kube-public", "kube-system"};
    const struct rest_target target = {.group = "", .plural = "namespaces"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct json_object *tree = json_object_new_object();
        struct error err = ERROR_INIT;

        json_set_text(json_ensure_object(tree, "metadata"), "name", names[i]);
        if (!rest_create(rest, &target, tree, NULL, &err))
            error_clear(&err); /* not reached: the store was empty */
        json_object_put(tree);
    }
}

struct rest *rest_new(const struct rest_options *options)
{
    struct rest *rest = xcalloc(1, sizeof(*rest));

    rest->rt = options->rt;
    rest->store = options->store;
    rest->faults = options->faults;
    rest->access = options->access;
    rest->started_us = runtime_elapsed_us(rest->rt);
    rest->kinds = kinds_new(rest->store);
    rest->token_requests = kinds_make(rest->kinds, &token_request_row);
    rest->namespaces = store_find_resource(rest->store, "", "namespaces");
    rest->definitions =
        store_find_resource(rest->store, "apiextensions.k8s.io", "customresourcedefinitions");
    store_observe(rest->store, &stale_observer, rest);
    store_observe(rest->store, &crd_observer, rest);
    store_observe(rest->store, &future_observer, rest);
    rest->inflight_max = options->inflight_max;
    if (!options->restored)
        create_namespaces(rest);
    rest_faults_changed(rest);
    return rest;
}

void rest_free(struct rest *rest)
{
    if (rest == NULL)
        return;
    rest->journal = NULL;
    while (rest->calls != NULL)
        call_free(rest->calls);
    timer_cancel(rest->fault_edge);
    store_unobserve(rest->store, &future_observer, rest);
    store_unobserve(rest->store, &crd_observer, rest);
    store_unobserve(rest->store, &stale_observer, rest);
    kind_unref(rest->token_requests);
    kinds_free(rest->kinds);
    free(rest->marks);
    free(rest);
}

void rest_stop(struct rest *rest)
{
    struct call *next;

    rest->stopping = true;
    future_give_up(rest);
    for (struct call *call = rest->calls; call != NULL; call = next) {
        next = call->next;
        if (call->stream_ops != NULL && call->stream_ops->stop != NULL)
            call->stream_ops->stop(call->stream);
    }
}

void rest_reset_requests(struct rest *rest)
{
    while (rest->calls != NULL)
        call_reset(rest->calls);
}

size_t rest_open_requests(const struct rest *rest)
{
    return rest->call_count;
}

/* --- rules on watches begin to hold at times of their own --- */

static void on_fault_edge(void *arg)
{
    struct rest *rest = arg;

    rest->fault_edge = NULL;
    rest_faults_changed(rest);
}

void rest_faults_changed(struct rest *rest)
{
    int64_t now_us;
    int64_t since_us;
    int64_t edge_us;

    if (rest->faults == NULL)
        return;
    timer_cancel(rest->fault_edge);
    rest->fault_edge = NULL;
    for (struct call *call = rest->calls; call != NULL; call = call->next)
        if (call->stream_ops != NULL && call->stream_ops->faults_changed != NULL)
            call->stream_ops->faults_changed(call->stream);
    now_us = runtime_elapsed_us(rest->rt);
    since_us = now_us - rest->started_us;
    edge_us = faults_next_edge_us(rest->faults, since_us);
    if (edge_us != INT64_MAX)
        rest->fault_edge = runtime_after(rest->rt, edge_us - since_us, on_fault_edge, rest);
}

/* --- loading --- */

/* "batch/v1" into "batch" and "v1"; "v1" into "" and "v1". group has room for size bytes. */
static const char *split_api_version(const char *api_version, char *group, size_t size)
{
    const char *slash = strchr(api_version, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - api_version);

    if (length >= size)
        length = 0;
    memcpy(group, api_version, length);
    group[length] = '\0';
    return slash == NULL ? api_version : slash + 1;
}

/* Its kind and version; *ret_version is NULL when it is not served. */
static struct kind *find_loaded_kind(const struct rest *rest, const struct json_object *tree,
                                     const struct kind_version **ret_version, struct error *err)
{
    const char *api_version = text_or(json_get_text(tree, "apiVersion"), "");
    const char *kind_name = text_or(json_get_text(tree, "kind"), "");
    char group[256];
    const char *version_name = split_api_version(api_version, group, sizeof(group));
    struct kind *kind = kinds_find_kind(rest->kinds, group, kind_name);

    *ret_version = kind == NULL ? NULL : kind_find_version(kind, version_name);
    if (*ret_version == NULL)
        (void)error_set(err, ERROR_INVALID, "no kind \"%s\" in version \"%s\"", kind_name,
                        api_version);
    return kind;
}

/* What a dump says about an object's past is kept where the kinds' rules would set it anew. */
static void keep_loaded(struct json_object *tree, const struct json_object *loaded)
{
    static const char *const kept[] = {"uid", "creationTimestamp", "generation",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"};
    struct json_object *metadata = json_get_object(tree, "metadata");
    const struct json_object *from = json_get(loaded, "metadata");

    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        if (json_get(from, kept[i]) != NULL)
            json_set(metadata, kept[i], json_copy(json_get(from, kept[i])));
    if (json_get(loaded, "status") != NULL)
        json_set(tree, "status", json_copy(json_get(loaded, "status")));
}

static bool has_finalizers(const struct json_object *tree, const char *in)
{
    const struct json_object *list = json_get_array(json_get(tree, in), "finalizers");

    return list != NULL && json_object_array_length(list) > 0;
}

/* An object that is being deleted is held by a finalizer, or is a Pod in its grace period: no
 * server would have kept any other. */
static bool stays_while_deleted(const struct kind *kind, const struct json_object *tree)
{
    return json_get(json_get(tree, "metadata"), "deletionTimestamp") == NULL ||
           (kind->flags & KIND_GRACEFUL) != 0 || has_finalizers(tree, "metadata") ||
           has_finalizers(tree, "spec");
}

/* write says of what kind and namespace. revision 0: the next one, in the place of what is there.
 */
static bool store_loaded(struct write *write, const struct json_object *tree, uint64_t revision,
                         struct error *err)
{
    struct store_resource *objects = write->kind->objects;
    struct json_object *copy = json_copy(tree);
    struct json_object *metadata = json_ensure_object(copy, "metadata");
    const struct store_object *old;
    bool ok;

    json_object_object_del(metadata, "resourceVersion");
    old = store_get(objects, write->namespace, text_or(json_get_text(metadata, "name"), ""));
    if (old != NULL && revision != 0) {
        ok = error_set(err, ERROR_EXISTS, "it is there already");
    } else if (old != NULL && !store_delete(objects, old, NULL, err)) {
        ok = false; /* not reached: it was just read */
    } else {
        write->loaded = true;
        ok = write_create(write, copy);
        if (ok) {
            keep_loaded(write->tree, tree);
            ok = revision == 0 ? store_create(objects, write->tree, NULL, err)
                               : store_restore(objects, write->tree, revision, err);
        } else {
            rest_status_to_error(&write->status, err);
        }
    }
    json_object_put(copy);
    return ok;
}

static bool load(struct rest *rest, const struct json_object *tree, uint64_t revision,
                 void (*warn)(void *arg, const char *text), void *arg, struct error *err)
{
    struct write write = {.rest = rest, .name = "", .dry_run = true};
    struct kind *kind = find_loaded_kind(rest, tree, &write.version, err);
    bool ok;

    if (write.version == NULL)
        return false;
    write.kind = kind;
    if (!stays_while_deleted(kind, tree))
        return error_set(err, ERROR_INVALID,
                         "%s \"%s\": it has a metadata.deletionTimestamp but no finalizer that "
                         "would hold it: take the one out, or add the other",
                         kind->kind,
                         text_or(json_get_text(json_get(tree, "metadata"), "name"), ""));
    write.namespace = "";
    if (kind->namespaced)
        write.namespace =
            text_or(json_get_text(json_get(tree, "metadata"), "namespace"), "default");
    write.validation = warn == NULL ? VALIDATE_IGNORE : VALIDATE_WARN;
    ok = store_loaded(&write, tree, revision, err);
    for (size_t i = 0; ok && i < write.warning_count && warn != NULL; i++)
        warn(arg, write.warnings[i]);
    write_release(&write);
    rest->loading = true;
    if (ok)
        store_deliver(rest->store); /* a definition serves its kind for what follows */
    rest->loading = false;
    return ok;
}

bool rest_load_warning(struct rest *rest, const struct json_object *tree,
                       void (*warn)(void *arg, const char *text), void *arg, struct error *err)
{
    return load(rest, tree, 0, warn, arg, err);
}

bool rest_load(struct rest *rest, const struct json_object *tree, struct error *err)
{
    return load(rest, tree, 0, NULL, NULL, err);
}

bool rest_restore(struct rest *rest, const struct json_object *tree, struct error *err)
{
    const struct json_object *metadata = json_get(tree, "metadata");
    uint64_t revision = 0;

    if (text_is_empty(json_get_text(metadata, "uid")) ||
        !text_to_uint64(text_or(json_get_text(metadata, "resourceVersion"), ""), &revision) ||
        revision == 0)
        return error_set(err, ERROR_INVALID,
                         "want metadata with a uid and a resourceVersion, as dumps have them");
    return load(rest, tree, revision, NULL, NULL, err);
}
