/* call - the life of a request: head, faults, body, delay, dispatch, end. */
#include "fakeapi/rest/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/gate.h"

const char *call_header(const struct call *call, const char *name)
{
    return http_header_get(call->head->headers, call->head->header_count, name);
}

const char *call_verb_name(const struct call *call)
{
    static const char *const names[] = {
        [VERB_GET] = "get",       [VERB_LIST] = "list",
        [VERB_WATCH] = "watch",   [VERB_CREATE] = "create",
        [VERB_UPDATE] = "update", [VERB_PATCH] = "patch",
        [VERB_DELETE] = "delete", [VERB_DELETE_COLLECTION] = "deletecollection",
    };
    static const char *const methods[][2] = {
        {"GET",     "get"    },
        {"POST",    "post"   },
        {"PUT",     "put"    },
        {"PATCH",   "patch"  },
        {"DELETE",  "delete" },
        {"HEAD",    "head"   },
        {"OPTIONS", "options"}
    };

    if (call->verb != VERB_OTHER)
        return names[call->verb];
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (strcmp(methods[i][0], call->head->method) == 0)
            return methods[i][1];
    return call->head->method;
}

/* A7 */
static enum verb find_verb(const struct call *call)
{
    const struct route *route = &call->route;
    const char *method = call->head->method;
    bool named = route->name[0] != '\0';

    if (!route->resource)
        return VERB_OTHER;
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) {
        if (route->watch_prefix || (!named && route_query_flag(route, "watch")))
            return VERB_WATCH;
        return named ? VERB_GET : VERB_LIST;
    }
    if (strcmp(method, "POST") == 0)
        return VERB_CREATE;
    if (strcmp(method, "PUT") == 0 && named)
        return VERB_UPDATE;
    if (strcmp(method, "PATCH") == 0 && named)
        return VERB_PATCH;
    if (strcmp(method, "DELETE") == 0)
        return named ? VERB_DELETE : VERB_DELETE_COLLECTION;
    return VERB_OTHER;
}

/* The host of a peer, without its port. */
static char *peer_host(const char *peer)
{
    const char *colon = strrchr(peer, ':');
    char *host = colon == NULL ? xstrdup(peer) : xmemdup(peer, (size_t)(colon - peer));
    size_t size = strlen(host);

    if (size >= 2 && host[0] == '[' && host[size - 1] == ']') {
        memmove(host, host + 1, size - 2);
        host[size - 2] = '\0';
    }
    return host;
}

struct fault_call call_fault_view(const struct call *call, char *resource, size_t resource_size)
{
    const struct route *route = &call->route;
    int64_t now_us = runtime_elapsed_us(call->rest->rt);
    bool sub = route->subresource[0] != '\0';

    if (route->resource)
        snprintf(resource, resource_size, "%s%s%s", route->plural, sub ? "/" : "",
                 route->subresource);
    else
        snprintf(resource, resource_size, "%s", route->path);
    return (struct fault_call){
        .user_agent = text_or(call_header(call, "User-Agent"), ""),
        .peer = call->peer,
        .user = access_user_name(&call->user),
        .verb = call_verb_name(call),
        .resource = resource,
        .namespace = route->namespace,
        .name = route->name,
        .since_start_us = now_us - call->rest->started_us,
    };
}

static void decide_fault(struct call *call)
{
    char resource[512];
    struct fault_call view;

    if (call->rest->faults == NULL || !faults_are_asked(call->rest->faults))
        return;
    view = call_fault_view(call, resource, sizeof(resource));
    view.random = faults_draw(call->rest->faults) ? runtime_random(call->rest->rt) : 0;
    faults_decide(call->rest->faults, &view, &call->effect);
    call->effect_name = xstrdup(call->effect.rule);
    call->effect_reason = xstrdup(call->effect.reason);
    call->effect_message = xstrdup(call->effect.message);
    call->effect_type = xstrdup(call->effect.content_type);
}

static void mark_event(struct runtime *rt, const struct fault_effect *effect)
{
    if (effect->action == FAULT_WATCH_CLOSE)
        runtime_mark(rt, MARK_API_WATCH_CLOSED);
    else if (effect->action == FAULT_WATCH_STALL)
        runtime_mark(rt, MARK_API_WATCH_STALLED);
    else if (effect->action == FAULT_WATCH_SWALLOW)
        runtime_mark(rt, MARK_API_EVENT_SWALLOWED);
    else if (effect->action == FAULT_WATCH_DELAY)
        runtime_mark(rt, MARK_API_EVENT_DELAYED);
}

void call_decide_event(struct call *call, const struct store_object *object,
                       struct fault_effect *ret_effect)
{
    struct rest *rest = call->rest;
    struct fault_call view;
    char resource[512];

    *ret_effect = (struct fault_effect){.action = FAULT_NONE};
    if (rest->faults == NULL || !faults_are_asked(rest->faults))
        return;
    view = call_fault_view(call, resource, sizeof(resource));
    view.namespace = object->namespace;
    view.name = object->name;
    view.random = faults_draw(rest->faults) ? runtime_random(rest->rt) : 0;
    faults_decide_event(rest->faults, &view, ret_effect);
    mark_event(rest->rt, ret_effect);
}

/* --- carrying it out --- */

static void answer_fault_status(struct call *call)
{
    struct rest_status status = {0};

    rest_status_set(&status, call->effect.status,
                    fault_reason(call->effect.status, call->effect_reason), "%s",
                    text_or(call->effect_message, "injected fault"));
    status.retry_after_seconds = call->effect.retry_after_seconds;
    call_fail(call, &status);
}

static void carry_out(struct call *call)
{
    struct rest_status status = {0};

    if (call->effect.action == FAULT_SILENT)
        return;
    if (call->effect.action == FAULT_STATUS) {
        answer_fault_status(call);
        return;
    }
    if (call->effect.action == FAULT_HTML) {
        call_answer_html(call, call->effect.status);
        return;
    }
    if (call_is_gated(call))
        return;
    if (call->late) {
        status.retry_after_seconds = 1;
        rest_status_set(&status, 503, "ServiceUnavailable", "apiserver is shutting down");
        call_fail(call, &status);
        return;
    }
    if (call->refusal.code != 0) {
        call_answer_status(call, &call->refusal);
        return;
    }
    if (call->route.query_broken) {
        rest_status_set(&status, 400, "BadRequest",
                        "the query of the request has a broken %%-escape or a NUL in it");
        call_fail(call, &status);
        return;
    }
    if (!call_check_timeout(call))
        return;
    call_dispatch(call);
}

static void continue_when_ready(struct call *call)
{
    if (call->body_whole && !call->delayed && !call->answered)
        carry_out(call);
}

static void on_delay_over(void *arg)
{
    struct call *call = arg;

    call->delay = NULL;
    call->delayed = false;
    continue_when_ready(call);
}

static void refuse_large(struct call *call)
{
    struct rest_status status = {0};

    if (call->refusal.code != 0) {
        call_answer_status(call, &call->refusal);
        return;
    }
    rest_status_too_large(&status);
    call_fail(call, &status);
}

static void refuse_too_many(struct call *call)
{
    static const char text[] = "Too many requests, please try again later.\n";
    const struct http_header headers[] = {
        {"Content-Type",           "text/plain; charset=utf-8"},
        {"X-Content-Type-Options", "nosniff"                  },
        {"Retry-After",            "1"                        },
    };

    call_answer_bytes(call, 429, headers, ARRAY_SIZE(headers), text, sizeof(text) - 1);
}

/* Reads have no use for a body, and a watch would hold it for an hour. */
static bool ignores_body(const struct call *call)
{
    return call->answered || call->refusal.code != 0 || call->verb == VERB_GET ||
           call->verb == VERB_LIST || call->verb == VERB_WATCH;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct call *call = arg;
    struct rest *rest = call->rest;

    if (ignores_body(call))
        return; /* nobody fills memory with what is not read */
    if (rest->body_bytes + size > REST_BODIES_BYTES_MAX) {
        refuse_too_many(call);
        return;
    }
    rest->body_bytes -= call->body.size;
    buffer_append(&call->body, bytes, size);
    rest->body_bytes += call->body.size;
    if (call->body.overflowed)
        refuse_large(call);
}

static void on_body_end(void *arg)
{
    struct call *call = arg;

    call->body_whole = true;
    continue_when_ready(call);
}

static void on_closed(void *arg, bool delivered)
{
    (void)delivered;
    call_free(arg);
}

const struct request_events call_events = {on_body, on_body_end, on_closed};

static struct call *call_new(struct rest *rest, struct request *request,
                             const struct request_head *head)
{
    struct call *call = xcalloc(1, sizeof(*call));

    call->rest = rest;
    call->request = request;
    call->head = head;
    call->late = rest->stopping;
    call->came_at_us = runtime_wall_us(rest->rt);
    call->came_us = runtime_elapsed_us(rest->rt);
    call->peer = peer_host(text_or(head->peer, ""));
    call->body = BUFFER_INIT(REST_BODY_BYTES_MAX);
    DL_APPEND(rest->calls, call);
    rest->call_count++;
    return call;
}

void call_free(struct call *call)
{
    call_note(call, 0);
    call->rest->inflight -= call->inflight;
    DL_DELETE(call->rest->calls, call);
    call->rest->call_count--;
    if (call->awaited != 0)
        call->rest->awaiting_count--;
    timer_cancel(call->delay);
    timer_cancel(call->pace);
    if (call->stream_ops != NULL)
        call->stream_ops->free(call->stream);
    kind_unref(call->kind);
    bytes_unref(call->whole);
    free(call->peer);
    free(call->effect_name);
    free(call->effect_reason);
    free(call->effect_message);
    free(call->effect_type);
    access_user_release(&call->user);
    rest_status_release(&call->refusal);
    call->rest->body_bytes -= call->body.size;
    buffer_release(&call->body);
    route_release(&call->route);
    free(call);
}

void call_reset(struct call *call)
{
    call_note(call, 0); /* while there is a head to tell of */
    request_reset(call->request);
    call_free(call);
}

/* O1: watches and logs that are followed hold no place, and health is always told. */
static bool holds_place(const struct call *call)
{
    return call->route.resource && call->verb != VERB_WATCH &&
           strcmp(call->route.subresource, "log") != 0;
}

static bool is_too_many(struct call *call)
{
    struct rest *rest = call->rest;

    if (rest->inflight_max == 0 || !holds_place(call))
        return false;
    if (rest->inflight == rest->inflight_max)
        return true;
    rest->inflight++;
    call->inflight = true;
    return false;
}

/* Whether the announced body is too large already (O5). */
static bool announces_too_much(const struct call *call)
{
    const char *length = call_header(call, "Content-Length");
    uint64_t size;

    return length != NULL && text_to_uint64(length, &size) && size > REST_BODY_BYTES_MAX;
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    struct rest *rest = arg;
    struct call *call = call_new(rest, request, head);
    bool parsed = route_parse(head->target, &call->route);

    if (parsed) {
        call->verb = find_verb(call);
        call_admit(call);
        decide_fault(call);
    }
    if (call->effect.action == FAULT_REFUSE) {
        call_reset(call);
        return;
    }
    request_accept(request, &call_events, call);
    if (!parsed) {
        call_answer_text(call, 400, "text/plain; charset=utf-8", "400 Bad Request\n");
        return;
    }
    if (is_too_many(call)) {
        refuse_too_many(call);
        return;
    }
    if (call->effect.compact)
        store_compact(rest->store, store_revision(rest->store));
    if (call->effect.delay_us > 0) {
        call->delayed = true;
        call->delay = runtime_after(rest->rt, call->effect.delay_us, on_delay_over, call);
    }
    if (announces_too_much(call))
        refuse_large(call);
}

static const struct http_service service = {on_request};

const struct http_service *rest_service(void)
{
    return &service;
}
