/* pod_call - what is asked of a pod beside its own reads and writes: to be bound to a node, and to
 * be evicted from one (fakeapi/WIRE.md K24, K31). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/budget.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/decode.h"
#include "fakeapi/rest/write_steps.h"

static struct write begin(struct call *call)
{
    return (struct write){
        .rest = call->rest,
        .kind = call->kind,
        .version = call->version,
        .namespace = call->route.namespace,
        .name = call->route.name,
        .code = 201,
    };
}

/* A body of a kind that is not the pod's: kind and apiVersion may be missing. */
static bool read_body(struct call *call, struct write *write, const char *kind,
                      struct json_object **ret_body)
{
    struct json_object *body = NULL;
    struct error err = ERROR_INIT;
    const char *said;

    if (!decode_json(write, &call->body, &body, &err))
        return rest_status_bad_request(&write->status,
                                       "the object provided is unrecognized (must be of type %s): "
                                       "%s",
                                       kind, err.text);
    said = text_or(json_get_text(body, "kind"), kind);
    if (json_is(body, json_type_object) && strcmp(said, kind) == 0) {
        *ret_body = body;
        return true;
    }
    rest_status_bad_request(&write->status,
                            "the object provided is unrecognized (must be of type "
                            "%s)",
                            kind);
    json_object_put(body);
    return false;
}

/* The name of the body, where it has one, is the pod's. */
static bool check_name(struct write *write, const struct json_object *body, const char *kind)
{
    const char *name = text_or(json_get_text(json_get(body, "metadata"), "name"), "");

    if (name[0] == '\0' || strcmp(name, write->name) == 0)
        return true;
    return rest_status_bad_request(&write->status, "name in URL does not match name in %s object",
                                   kind);
}

static void set_dry_run(struct call *call, struct write *write)
{
    char *dry_run = route_query(&call->route, "dryRun");

    write->dry_run = write->dry_run || text_equal(dry_run, "All");
    free(dry_run);
}

static void answer(struct call *call, struct write *write, bool ok)
{
    struct json_object *tree;
    const struct accept_offer offer = {0};
    struct accept accept;

    if (!ok) {
        call_answer_failure(call, write);
    } else if (call_accept(call, &offer, &accept)) {
        tree = json_object_new_object();
        json_set_text(tree, "kind", "Status");
        json_set_text(tree, "apiVersion", "v1");
        json_set(tree, "metadata", json_object_new_object());
        json_set_text(tree, "status", "Success");
        json_set_int64(tree, "code", 201);
        call_answer_tree(call, 201, &accept, write, tree);
        json_object_put(tree);
    }
    write_release(write);
}

static struct json_object *find_condition(struct json_object *list, const char *type)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);

        if (text_equal(json_get_text(item, "type"), type))
            return item;
    }
    return NULL;
}

/* A condition of a pod that is True from now on. */
static void set_condition(struct write *write, struct json_object *tree, const char *type,
                          const char *reason, const char *message)
{
    struct json_object *status = json_ensure_object(tree, "status");
    struct json_object *list = json_get_array(status, "conditions");
    struct json_object *condition;

    if (list == NULL) {
        list = json_object_new_array();
        json_set(status, "conditions", list);
    }
    condition = find_condition(list, type);
    if (condition == NULL) {
        condition = json_object_new_object();
        json_add(list, condition);
    }
    json_set_text(condition, "type", type);
    if (!text_equal(json_get_text(condition, "status"), "True"))
        write_set_now(write, condition, "lastTransitionTime");
    json_set_text(condition, "status", "True");
    json_object_object_del(condition, "reason");
    json_object_object_del(condition, "message");
    if (reason != NULL)
        json_set_text(condition, "reason", reason);
    if (message != NULL)
        json_set_text(condition, "message", message);
}

/* --- binding --- */

/* Conflicts of bindings speak of a resource of their own. */
static bool refuse_binding(struct write *write, const char *why)
{
    struct rest_subject subject = {
        .group = "", .plural = "pods/binding", .kind = "Binding", .name = write->name};

    return rest_status_conflict(&write->status, &subject, "pod %s %s", write->name, why);
}

static bool refuse_bound(struct write *write, const char *node)
{
    char *why = xprintf("is already assigned to node \"%s\"", node);

    refuse_binding(write, why);
    free(why);
    return false;
}

static bool check_target(struct write *write, const struct json_object *body)
{
    const char *kind = text_or(json_get_text(json_get(body, "target"), "kind"), "Node");

    if (strcmp(kind, "Node") != 0)
        return rest_status_untyped(&write->status,
                                   "target.kind: Unsupported value: \"%s\": supported values: "
                                   "\"Node\", \"<empty>\"",
                                   kind);
    if (text_is_empty(json_get_text(json_get(body, "target"), "name")))
        return rest_status_untyped(&write->status, "target.name: Required value");
    return true;
}

static bool check_unbound(struct write *write, const struct store_object *pod,
                          const struct json_object *spec)
{
    const char *node = json_get_text(spec, "nodeName");
    const struct json_object *gates = json_get_array(spec, "schedulingGates");

    if (pod->deleting)
        return refuse_binding(write, "is being deleted, cannot be assigned to a host");
    if (!text_is_empty(node))
        return refuse_bound(write, node);
    if (gates != NULL && json_object_array_length(gates) > 0)
        return refuse_binding(write, "has non-empty .spec.schedulingGates");
    return true;
}

/* The binding's annotations and labels go over to the pod. */
static void merge(struct json_object *metadata, const struct json_object *from, const char *key)
{
    struct json_object *map = json_get_object(from, key);
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (map == NULL)
        return;
    at = json_object_iter_begin(map);
    end = json_object_iter_end(map);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(json_ensure_object(metadata, key), json_object_iter_peek_name(&at),
                 json_copy(json_object_iter_peek_value(&at)));
}

static bool bind_pod(struct write *write, const struct json_object *body)
{
    const struct store_object *pod = store_get(write->kind->objects, write->namespace, write->name);
    const char *uid = json_get_text(json_get(body, "metadata"), "uid");
    struct rest_subject subject = write_subject(write, write->name);
    struct json_object *tree;
    bool ok;

    if (pod == NULL)
        return rest_status_not_found(&write->status, &subject);
    if (!text_is_empty(uid) && strcmp(uid, pod->uid) != 0)
        return refuse_binding(write, "has another UID than the binding says");
    tree = store_object_parse(pod);
    ok = check_unbound(write, pod, json_get(tree, "spec"));
    if (ok) {
        json_set_text(json_ensure_object(tree, "spec"), "nodeName",
                      json_get_text(json_get(body, "target"), "name"));
        merge(json_get(tree, "metadata"), json_get(body, "metadata"), "annotations");
        set_condition(write, tree, "PodScheduled", NULL, NULL);
        ok = write->dry_run || write_commit(write, pod, tree);
    }
    json_object_put(tree);
    return ok;
}

static void bind_by(struct call *call, struct write *write)
{
    struct json_object *body = NULL;
    bool ok = read_body(call, write, "Binding", &body);

    set_dry_run(call, write);
    if (ok && write->name[0] == '\0')
        write->name = text_or(json_get_text(json_get(body, "metadata"), "name"), "");
    ok = ok && check_name(write, body, "Binding") && check_target(write, body) &&
         bind_pod(write, body);
    answer(call, write, ok);
    json_object_put(body);
}

void call_bind(struct call *call)
{
    struct write write = begin(call);

    bind_by(call, &write);
}

void call_bind_named(struct call *call)
{
    struct write write = begin(call);

    write.kind = kinds_find(call->rest->kinds, "", "pods");
    write.version = kind_storage_version(write.kind);
    bind_by(call, &write);
}

/* --- eviction --- */

/* Whether the pod was at work, so that the eviction is said in its status first. */
static bool is_at_work(const struct store_object *pod)
{
    char *phase = json_slice_text(json_slice_get(store_object_status(pod), "phase"));
    bool at_work = !pod->deleting && text_equal(phase, "Running");

    free(phase);
    return at_work;
}

static bool mark_evicted(struct write *write, const struct store_object *pod)
{
    struct json_object *tree = store_object_parse(pod);
    bool ok;

    set_condition(write, tree, "DisruptionTarget", "EvictionByEvictionAPI",
                  "Eviction API: evicting");
    ok = write_commit(write, pod, tree);
    json_object_put(tree);
    return ok;
}

static bool evict(struct write *write, const struct delete_request *request)
{
    const struct store_object *pod = store_get(write->kind->objects, write->namespace, write->name);
    struct rest_subject subject = write_subject(write, write->name);
    enum delete_outcome outcome;

    if (pod == NULL)
        return rest_status_not_found(&write->status, &subject);
    if (request->options.uid != NULL && strcmp(request->options.uid, pod->uid) != 0)
        return write_delete(write, request, &outcome); /* which says so */
    if (!budget_take(write, pod))
        return false;
    if (!write->dry_run && is_at_work(pod) && !mark_evicted(write, pod))
        return false;
    return write_delete(write, request, &outcome);
}

void call_evict(struct call *call)
{
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    struct write write = begin(call);
    struct json_object *body = NULL;
    bool ok = read_body(call, &write, "Eviction", &body) && check_name(&write, body, "Eviction");
    const struct json_object *options = json_get_object(body, "deleteOptions");

    set_dry_run(call, &write);
    if (ok && options != NULL)
        ok = call_read_delete_options(&write, options, &request);
    ok = ok && evict(&write, &request);
    answer(call, &write, ok);
    json_object_put(body);
}
