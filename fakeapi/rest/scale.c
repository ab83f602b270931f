/* scale - reading a Scale from an object, and a patch of the object from a Scale. */
#include "fakeapi/rest/scale.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/revise.h"
#include "fakeapi/rest/selector.h"
#include "fakeapi/rest/write_call.h"

#define API_VERSION "autoscaling/v1"

struct json_object *scale_value(const struct json_object *tree, const char *path)
{
    struct json_object *value = (struct json_object *)(uintptr_t)tree;

    while (value != NULL && *path == '.') {
        size_t size = strcspn(path + 1, ".");
        char *name = xmemdup(path + 1, size);

        value = json_get(value, name);
        path += 1 + size;
        free(name);
    }
    return value;
}

/* Puts value where path says; objects on the way are made. Takes value over. */
static void set_value(struct json_object *tree, const char *path, struct json_object *value)
{
    for (;;) {
        size_t size = strcspn(path + 1, ".");
        char *name = xmemdup(path + 1, size);

        path += 1 + size;
        if (*path == '\0')
            json_set(tree, name, value);
        else
            tree = json_ensure_object(tree, name);
        free(name);
        if (*path == '\0')
            return;
    }
}

/* --- the Scale of an object --- */

static void set_selector(struct json_object *status, const struct json_object *selector)
{
    char *text = json_is(selector, json_type_object) ? selector_text_of(selector)
                                                     : xstrdup(json_text(selector));

    if (!text_is_empty(text))
        json_set_text(status, "selector", text);
    free(text);
}

static struct json_object *scale_of(const struct call *call, const struct json_object *object)
{
    static const char *const kept[] = {"name", "namespace", "uid", "resourceVersion",
                                       "creationTimestamp"};
    const struct scale_paths *paths = &call->version->scale;
    struct json_object *scale = json_object_new_object();
    struct json_object *metadata = json_ensure_object(scale, "metadata");
    struct json_object *spec = json_ensure_object(scale, "spec");
    struct json_object *status = json_ensure_object(scale, "status");
    struct json_object *replicas = scale_value(object, paths->spec_path);
    struct json_object *running = scale_value(object, paths->status_path);

    json_set_text(scale, "kind", "Scale");
    json_set_text(scale, "apiVersion", API_VERSION);
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
        struct json_object *value = json_get(json_get(object, "metadata"), kept[i]);

        if (value != NULL)
            json_set(metadata, kept[i], json_copy(value));
    }
    if (json_is(replicas, json_type_int) && json_object_get_int64(replicas) != 0)
        json_set(spec, "replicas", json_copy(replicas));
    json_set_int64(status, "replicas",
                   json_is(running, json_type_int) ? json_object_get_int64(running) : 0);
    if (paths->selector_path != NULL)
        set_selector(status, scale_value(object, paths->selector_path));
    return scale;
}

static bool has_replicas(const struct call *call, const struct json_object *object)
{
    return json_is(scale_value(object, call->version->scale.spec_path), json_type_int);
}

static bool refuse_without(const struct call *call, struct rest_status *status)
{
    char *why =
        xprintf("the spec replicas field \"%s\" does not exist", call->version->scale.spec_path);

    rest_status_set(status, 500, "InternalError", "Internal error occurred: %s", why);
    rest_status_cause(status, NULL, why, NULL);
    free(why);
    return false;
}

/* --- a Scale as a write of its object --- */

static bool check_scale(struct call *call, struct write *write, const struct json_object *scale)
{
    const struct rest_subject subject = {
        .group = "autoscaling", .plural = "scales", .kind = "Scale", .name = call->route.name};
    const char *name = text_or(json_get_text(json_get(scale, "metadata"), "name"), "");
    int64_t replicas = json_get_int64(json_get(scale, "spec"), "replicas", 0);
    struct field_errors errors = FIELD_ERRORS_INIT;

    if (name[0] != '\0' && strcmp(name, call->route.name) != 0)
        return rest_status_bad_request(&write->status,
                                       "the name of the object (%s) does not match the name on the "
                                       "URL (%s)",
                                       name, call->route.name);
    if (replicas >= 0)
        return true;
    field_errors_add(&errors, FIELD_INVALID, "spec.replicas",
                     "Invalid value: %lld: must be greater than or equal to 0",
                     (long long)replicas);
    rest_status_invalid(&write->status, &subject, &errors);
    field_errors_release(&errors);
    return false;
}

/* Writes what a Scale says into its object. */
static bool write_scale(struct call *call, struct write *write, const struct json_object *scale)
{
    const char *revision = json_get_text(json_get(scale, "metadata"), "resourceVersion");
    int64_t replicas = json_get_int64(json_get(scale, "spec"), "replicas", 0);
    struct json_object *patch;
    bool ok;

    if (!check_scale(call, write, scale))
        return false;
    patch = json_object_new_object();
    if (!text_is_empty(revision))
        json_set_text(json_ensure_object(patch, "metadata"), "resourceVersion", revision);
    set_value(patch, call->version->scale.spec_path, json_object_new_int64(replicas));
    ok = write_patch(write, PATCH_MERGE, patch);
    json_object_put(patch);
    return ok;
}

/* Patches the Scale of object and writes it. */
static bool patch_scale(struct call *call, struct write *write, const struct json_object *object)
{
    struct json_object *before = scale_of(call, object);
    struct json_object *patch = NULL;
    struct json_object *scale = NULL;
    enum patch_form form;
    bool ok = write_call_read_patch(call, write, &form, &patch) &&
              write_apply_patch(write, form, before, patch, &scale);

    if (ok && !has_replicas(call, object) && json_get(json_get(scale, "spec"), "replicas") == NULL)
        ok = rest_status_bad_request(&write->status,
                                     "the spec replicas field \"%s\" cannot be empty",
                                     call->version->scale.spec_path);
    ok = ok && write_scale(call, write, scale);
    json_object_put(scale);
    json_object_put(patch);
    json_object_put(before);
    return ok;
}

static bool put_scale(struct call *call, struct write *write)
{
    struct json_object *scale = NULL;
    bool ok = write_call_read_body(call, write, &scale) && write_scale(call, write, scale);

    json_object_put(scale);
    return ok;
}

static bool carry_out(struct call *call, struct write *write, const struct json_object *object)
{
    if (call->verb == VERB_PATCH)
        return patch_scale(call, write, object);
    if (call->verb == VERB_UPDATE)
        return write_call_read_options(call, "UpdateOptions", write) && put_scale(call, write);
    return has_replicas(call, object) || refuse_without(call, &write->status);
}

/* The object as it is after the request. */
static struct json_object *object_after(const struct call *call, const struct write *write,
                                        const struct json_object *before)
{
    if (write->tree != NULL)
        return json_copy(write->tree);
    if (write->object != NULL)
        return revised_parse(call->kind, call->version, write->object);
    return json_copy(before);
}

void call_scale(struct call *call)
{
    const struct rest_subject subject = {.group = call->kind->group,
                                         .plural = call->kind->plural,
                                         .kind = call->kind->kind,
                                         .name = call->route.name};
    const struct store_object *stored =
        store_get(call->kind->objects, call->route.namespace, call->route.name);
    const struct accept_offer offer = {0};
    struct write write = write_call_begin(call);
    struct json_object *object;
    struct accept accept;

    if (!call_accept(call, &offer, &accept)) {
        write_release(&write);
        return;
    }
    if (stored == NULL) {
        rest_status_not_found(&write.status, &subject);
        write_call_finish(call, false, &accept, &write);
        return;
    }
    object = revised_parse(call->kind, call->version, stored);
    if (carry_out(call, &write, object)) {
        struct json_object *after = object_after(call, &write, object);
        struct json_object *scale = scale_of(call, after);

        call_answer_tree(call, 200, &accept, &write, scale);
        json_object_put(scale);
        json_object_put(after);
        write_release(&write);
    } else {
        write_call_finish(call, false, &accept, &write);
    }
    json_object_put(object);
}
