/* admit - before a request is looked at: who asks, for whom, and whether they may (WIRE.md A1 to
 * A10, A13). What it says no to is answered without a look at the store or the body. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "fakeapi/access/impersonate.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/selector.h"
#include "fakeapi/schema/field_error.h"

/* Longest message of a denial: words of the target, a user's name. */
#define MESSAGE_BYTES_MAX ((size_t)256 * 1024)

/* --- denials (A5) --- */

/* A browser that shows the message must not take a part of it for a page. */
static void append_harmless(struct buffer *message, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            buffer_append_text(message, "&amp;");
        else if (*text == '<')
            buffer_append_text(message, "&lt;");
        else if (*text == '>')
            buffer_append_text(message, "&gt;");
        else
            buffer_append_char(message, *text);
    }
}

static void append_resource(struct buffer *text, const struct attributes *attributes)
{
    const char *slash = attributes->subresource[0] == '\0' ? "" : "/";
    char *resource = xprintf("%s%s%s", attributes->resource, slash, attributes->subresource);

    buffer_append_format(text, "%s resource ", attributes->verb);
    field_error_append_quoted(text, resource);
    buffer_append_text(text, " in API group ");
    field_error_append_quoted(text, attributes->group);
    if (attributes->namespace[0] == '\0') {
        buffer_append_text(text, " at the cluster scope");
    } else {
        buffer_append_text(text, " in the namespace ");
        field_error_append_quoted(text, attributes->namespace);
    }
    free(resource);
}

bool call_deny(struct rest_status *status, const struct attributes *attributes, const char *reason)
{
    const struct rest_subject subject = {
        .group = attributes->resource_request ? attributes->group : "",
        .plural = attributes->resource_request ? attributes->resource : "",
        .kind = "",
        .name = attributes->resource_request ? attributes->name : ""};
    struct buffer text = BUFFER_INIT(MESSAGE_BYTES_MAX);
    struct buffer message = BUFFER_INIT(6 * MESSAGE_BYTES_MAX);

    buffer_append_text(&text, "User ");
    field_error_append_quoted(&text, access_user_name(attributes->user));
    buffer_append_text(&text, " cannot ");
    if (attributes->resource_request) {
        append_resource(&text, attributes);
    } else {
        buffer_append_format(&text, "%s path ", attributes->verb);
        field_error_append_quoted(&text, attributes->path);
    }
    append_harmless(&message, buffer_text(&text));
    if (reason != NULL)
        buffer_append_format(&message, ": %s", reason);
    rest_status_forbidden(status, &subject, "%s", buffer_text(&message));
    status->denied = true;
    buffer_release(&text);
    buffer_release(&message);
    return false;
}

/* --- what is asked for (A7) --- */

static const char *resource_verb(const struct call *call)
{
    const char *method = call->head->method;

    if (call->verb != VERB_OTHER)
        return call_verb_name(call);
    if (strcmp(method, "PUT") == 0)
        return "update";
    return strcmp(method, "PATCH") == 0 ? "patch" : "";
}

/* Whether it may stand in a path: others name nothing. */
static bool is_segment(const char *name)
{
    return name != NULL && strpbrk(name, "/%") == NULL && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* The one name that a list or watch can show, by its field selector; NULL when there is none. It is
 * read as the list itself reads it, so that it shows no other. free() it. */
static char *selected_name(const struct call *call)
{
    const struct route *route = &call->route;
    const struct kind *kind = kinds_find(call->rest->kinds, route->group, route->plural);
    struct selector selector = {0};
    struct rest_status status = {0};
    char *text;
    char *name = NULL;

    if (kind == NULL || route->watch_prefix || route->name[0] != '\0' ||
        (call->verb != VERB_LIST && call->verb != VERB_WATCH))
        return NULL;
    text = route_query(route, "fieldSelector");
    if (selector_parse_fields(text, kind, &selector, &status) &&
        is_segment(selector_name(&selector)))
        name = xstrdup(selector_name(&selector));
    selector_release(&selector);
    rest_status_release(&status);
    free(text);
    return name;
}

/* The namespace of a request; for a Namespace itself, that one. */
static const char *asked_namespace(const struct route *route)
{
    if (route->namespace[0] == '\0' && strcmp(route->plural, "namespaces") == 0)
        return route->name;
    return route->namespace;
}

static void ask(struct call *call)
{
    const struct route *route = &call->route;
    struct attributes attributes = {.user = &call->user, .resource_request = route->resource};
    char *name = NULL;
    char *path = NULL;
    char *reason;

    if (route->resource) {
        name = selected_name(call);
        attributes.verb = resource_verb(call);
        attributes.group = route->group;
        attributes.resource = route->plural;
        attributes.subresource = route->subresource;
        attributes.namespace = asked_namespace(route);
        attributes.name = name == NULL ? route->name : name;
    } else {
        path = url_decode(route->path, strlen(route->path), false);
        attributes.verb = call_verb_name(call);
        attributes.path = text_or(path, "/"); /* the route has decoded it before */
    }
    if (!access_allows(call->rest->access, &attributes, &reason))
        call_deny(&call->refusal, &attributes, reason);
    free(reason);
    free(name);
    free(path);
}

/* --- one request --- */

static void deny_impersonation(struct call *call, struct impersonate_refusal *refusal)
{
    const struct attributes attributes = {.user = &call->user,
                                          .verb = "impersonate",
                                          .resource_request = true,
                                          .group = refusal->group,
                                          .resource = refusal->resource,
                                          .subresource = refusal->subresource,
                                          .namespace = refusal->namespace,
                                          .name = refusal->name};

    if (refusal->error != NULL) {
        rest_status_set(&call->refusal, 500, "InternalError", "Internal error occurred: %s",
                        refusal->error);
        rest_status_cause(&call->refusal, NULL, refusal->error, NULL);
    } else {
        call_deny(&call->refusal, &attributes, refusal->reason);
    }
    impersonate_refusal_release(refusal);
}

void call_admit(struct call *call)
{
    const struct request_head *head = call->head;
    struct access *access = call->rest->access;
    struct impersonate_refusal refusal = {0};

    if (!access_authenticate(access, head->certificate, call_header(call, "Authorization"),
                             &call->user))
        rest_status_set(&call->refusal, 401, "Unauthorized", "Unauthorized");
    else if (!impersonate(access, head->headers, head->header_count, &call->user, &refusal))
        deny_impersonation(call, &refusal);
    else if (access_mode(access) == ACCESS_RBAC)
        ask(call);
}
