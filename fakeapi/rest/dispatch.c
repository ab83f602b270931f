/* dispatch - from a route to what serves it, or the right kind of "no" (WIRE.md D3 to D5, U12). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/scale.h"

/* --- the noes --- */

static void refuse_unknown(struct call *call)
{
    struct rest_status status = {0};

    if (!kinds_is_builtin(call->rest->kinds, call->route.group)) {
        call_answer_no_path(call);
        return;
    }
    rest_status_no_resource(&status);
    call_fail(call, &status);
}

static void refuse_subresource(struct call *call)
{
    struct rest_status status = {0};
    struct rest_subject subject = {.group = call->kind->group,
                                   .plural = call->kind->plural,
                                   .kind = call->kind->kind,
                                   .name = call->route.name};

    if (call->kind->row != NULL)
        rest_status_no_resource(&status);
    else
        rest_status_not_found(&status, &subject);
    call_fail(call, &status);
}

static void refuse_method(struct call *call)
{
    struct rest_status status = {0};
    struct rest_subject subject = {.group = call->kind->group, .plural = call->kind->plural};
    char *resource;

    if (call->kind->row != NULL) {
        rest_status_no_method(&status);
    } else {
        resource = rest_group_resource(&subject);
        rest_status_set(&status, 405, "MethodNotAllowed",
                        "%s is not supported on resources of kind \"%s\"", call_verb_name(call),
                        resource);
        status.has_details = true;
        status.group = xstrdup(subject.group);
        status.kind = xstrdup(subject.plural);
        free(resource);
    }
    call_fail(call, &status);
}

/* --- finding --- */

/* Holds the kind. False when there is no such resource at that path. */
static bool find_kind(struct call *call)
{
    struct route *route = &call->route;
    struct kind *kind = kinds_find(call->rest->kinds, route->group, route->plural);
    const struct kind_version *version =
        kind == NULL ? NULL : kind_find_version(kind, route->version);
    bool in_namespace = route->namespace[0] != '\0';

    if (version == NULL || route->deeper || (in_namespace && !kind->namespaced))
        return false;
    if (kind->namespaced && !in_namespace && route->name[0] != '\0')
        return false;
    call->kind = kind_ref(kind);
    call->version = version;
    return true;
}

/* What pods alone are asked for. */
static bool is_of_pods(const char *subresource)
{
    return strcmp(subresource, "binding") == 0 || strcmp(subresource, "eviction") == 0;
}

static bool has_subresource(const struct call *call)
{
    const char *name = call->route.subresource;

    if (strcmp(name, "status") == 0)
        return call->version->status;
    if (strcmp(name, "scale") == 0)
        return call->version->scale.spec_path != NULL;
    if (strcmp(name, "log") == 0 || is_of_pods(name))
        return (call->kind->flags & KIND_LOG) != 0;
    if (strcmp(name, "finalize") == 0)
        return (call->kind->flags & KIND_FINALIZE) != 0;
    if (strcmp(name, "token") == 0)
        return (call->kind->flags & KIND_TOKEN) != 0;
    return false;
}

static bool allows_verb(const struct call *call)
{
    const char *sub = call->route.subresource;
    bool needs_namespace = call->kind->namespaced && call->route.namespace[0] == '\0';

    if (strcmp(sub, "token") == 0)
        return call->verb == VERB_CREATE;
    if (!kind_row_is_stored(call->kind->row) && call->verb != VERB_CREATE)
        return false;
    switch (call->verb) {
    case VERB_GET:
        return strcmp(sub, "finalize") != 0 && !is_of_pods(sub);
    case VERB_LIST:
    case VERB_WATCH:
        return sub[0] == '\0';
    case VERB_CREATE:
        return !needs_namespace && (call->route.name[0] == '\0' || is_of_pods(sub));
    case VERB_UPDATE:
        return strcmp(sub, "log") != 0 && !is_of_pods(sub);
    case VERB_PATCH:
        return sub[0] == '\0' || strcmp(sub, "status") == 0 || strcmp(sub, "scale") == 0;
    case VERB_DELETE:
        return sub[0] == '\0';
    case VERB_DELETE_COLLECTION:
        return !needs_namespace && !(call->kind->flags & KIND_NO_COLLECTION);
    case VERB_OTHER:
        break;
    }
    return false;
}

void call_serve(struct call *call)
{
    static void (*const serving[])(struct call *) = {
        [VERB_GET] = call_get,       [VERB_LIST] = call_list,
        [VERB_WATCH] = call_watch,   [VERB_CREATE] = call_create,
        [VERB_UPDATE] = call_update, [VERB_PATCH] = call_patch,
        [VERB_DELETE] = call_delete, [VERB_DELETE_COLLECTION] = call_delete_collection,
    };

    bool reads = call->verb == VERB_GET || call->verb == VERB_LIST;

    if (strcmp(call->route.subresource, "log") == 0)
        call_log(call);
    else if (strcmp(call->route.subresource, "scale") == 0)
        call_scale(call);
    else if (strcmp(call->route.subresource, "token") == 0)
        call_token_request(call);
    else if (call->kind->row != NULL && call->kind->row->serve != NULL)
        call->kind->row->serve(call);
    else if (!kind_row_is_stored(call->kind->row))
        call_review(call);
    else if (strcmp(call->route.subresource, "binding") == 0)
        call_bind(call);
    else if (strcmp(call->route.subresource, "eviction") == 0)
        call_evict(call);
    else if (!(reads ? call_awaits_revision(call) : call_is_held(call)))
        serving[call->verb](call);
}

void call_dispatch_again(struct call *call)
{
    kind_unref(call->kind);
    call->kind = NULL;
    call->version = NULL;
    call_dispatch(call);
}

void call_dispatch(struct call *call)
{
    if (!call->route.resource)
        call_path(call);
    else if (!find_kind(call))
        refuse_unknown(call);
    else if (call->route.subresource[0] != '\0' && !has_subresource(call))
        refuse_subresource(call);
    else if (!allows_verb(call))
        refuse_method(call);
    else
        call_serve(call);
}
