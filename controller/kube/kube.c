#include "controller/kube/kube.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_http.h"
#include "controller/kube/kube_watch.h"

struct kube_call {
    struct kube *kube;
    struct kube_call *prev, *next; /* in kube->calls */
    struct kube_wire wire;
    enum kube_verb verb;
    char *name; /* of the object that the answer must be; NULL: of none */
    size_t text_bytes;
    bool page; /* the answer says that it is HTML: a gateway's, whatever was asked for */
    struct buffer body;
    size_t body_total; /* of a text, which is kept in part */
    void (*done)(void *arg, const struct kube_result *result);
    void *arg;
};

/* --- the client --- */

struct kube *kube_new(struct runtime *rt, struct kube_config *config,
                      const struct kube_options *options)
{
    struct kube *kube = xcalloc(1, sizeof(*kube));

    kube->rt = rt;
    kube->config = config;
    if (options != NULL)
        kube->options = *options;
    return kube;
}

void kube_free(struct kube *kube)
{
    if (kube == NULL)
        return;
    while (kube->calls != NULL)
        kube_call_cancel(kube->calls);
    while (kube->watches != NULL)
        kube_watch_stop(kube->watches);
    kube_config_free(kube->config);
    free(kube);
}

const struct kube_config *kube_get_config(const struct kube *kube)
{
    return kube->config;
}

bool kube_result_is_missing(const struct kube_result *result)
{
    return result->status == 404 && text_equal(result->refusal.reason, "NotFound");
}

bool kube_result_landed(const struct kube_result *result)
{
    bool accepted = result->status >= 200 && result->status <= 299;

    return accepted && (result->ok || result->end != EXCHANGE_COMPLETE);
}

const char *kube_verb_name(enum kube_verb verb)
{
    static const char *const names[] = {
        [KUBE_GET] = "get",           [KUBE_LIST] = "list",        [KUBE_CREATE] = "create",
        [KUBE_MERGE_PATCH] = "patch", [KUBE_JSON_PATCH] = "patch", [KUBE_DELETE] = "delete",
    };

    return names[verb];
}

/* --- the answer arrives --- */

static void on_head(void *arg, const struct response_head *head)
{
    struct kube_call *call = arg;

    kube_wire_head(&call->wire, head);
    call->page = text_starts_with(
        text_or(http_header_get(head->headers, head->header_count, "Content-Type"), ""),
        "text/html");
}

/* Keeps the last text_bytes: drops from the front in steps of that size, so each byte moves once.
 */
static void keep_tail(struct kube_call *call, const char *bytes, size_t size)
{
    call->body_total += size;
    if (size > call->text_bytes) {
        bytes += size - call->text_bytes;
        size = call->text_bytes;
    }
    if (call->body.size + size > 2 * call->text_bytes)
        buffer_drop(&call->body, call->body.size + size - call->text_bytes);
    buffer_append(&call->body, bytes, size);
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct kube_call *call = arg;

    if (!kube_wire_accepted(&call->wire))
        kube_wire_refusal(&call->wire, bytes, size);
    else if (call->text_bytes > 0)
        keep_tail(call, bytes, size);
    else
        buffer_append(&call->body, bytes, size);
}

/* --- and ends --- */

static void finish_text(struct kube_call *call, struct kube_result *result)
{
    if (call->page) {
        error_set(&result->error, ERROR_MALFORMED, "%s: answer: a page of HTML", call->wire.label);
        return;
    }
    if (call->body.size > call->text_bytes)
        buffer_drop(&call->body, call->body.size - call->text_bytes);
    result->text = buffer_text(&call->body);
    result->text_size = call->body.size;
    result->text_total = call->body_total;
    result->ok = true;
}

/* Whether that is the object that was asked for: not a Status under 200, or what a proxy or a cache
 * has of another. */
static bool is_asked_for(const struct kube_call *call, struct json_slice body, struct error *err)
{
    struct json_slice metadata = json_slice_get(body, "metadata");
    char *name = metadata.bytes != NULL && metadata.bytes[0] == '{'
                     ? json_slice_text(json_slice_get(metadata, "name"))
                     : NULL;
    bool same = call->name == NULL || text_equal(name, call->name);

    free(name);
    return same || error_set(err, ERROR_MALFORMED, "%s: answer: not an object of that name",
                             call->wire.label);
}

/* An object, or nothing at all where an answer without one is good enough. */
static void finish_json(struct kube_call *call, struct kube_result *result)
{
    struct json_slice body = {call->body.bytes, call->body.size};

    if (body.size == 0 && call->verb == KUBE_DELETE) {
        result->ok = true;
        return;
    }
    if (!json_check(body.bytes, body.size, KUBE_RESPONSE_BYTES_MAX, &result->error)) {
        error_prefix(&result->error, "%s: answer", call->wire.label);
        return;
    }
    while (body.size > 0 && strchr(" \t\r\n", body.bytes[0]) != NULL) {
        body.bytes++;
        body.size--;
    }
    if (body.bytes[0] != '{') {
        error_set(&result->error, ERROR_MALFORMED, "%s: answer: not an object", call->wire.label);
        return;
    }
    if (!is_asked_for(call, body, &result->error))
        return;
    result->body = body;
    result->ok = true;
}

static void explain(struct kube_call *call, struct kube_result *result)
{
    kube_wire_explain_refusal(&call->wire, &result->refusal, &result->error);
    result->retry_after_us = kube_wire_retry_after_us(&call->wire, &result->refusal);
}

static void call_free(struct kube_call *call)
{
    kube_wire_release(&call->wire);
    buffer_release(&call->body);
    free(call->name);
    free(call);
}

static void mark_end(struct kube *kube, const struct kube_result *result)
{
    if (result->end == EXCHANGE_TIMED_OUT)
        runtime_mark(kube->rt, MARK_CALL_TIMED_OUT);
    else if (result->end == EXCHANGE_RESET)
        runtime_mark(kube->rt, result->status == 0 ? MARK_CALL_BROKE : MARK_CALL_CUT_BEHIND_STATUS);
    if (result->retry_after_us > 0)
        runtime_mark(kube->rt, MARK_CALL_ASKED_TO_WAIT);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct kube_call *call = arg;
    struct kube *kube = call->kube;
    struct kube_result result = {
        .end = end, .status = call->wire.status, .sent_elapsed_us = call->wire.sent_elapsed_us};

    call->wire.exchange = NULL;
    DL_DELETE(kube->calls, call);
    result.ended_elapsed_us = runtime_elapsed_us(kube->rt);
    if (end != EXCHANGE_COMPLETE)
        kube_wire_explain_end(&call->wire, end, detail, &result.error);
    else if (!kube_wire_accepted(&call->wire))
        explain(call, &result);
    else if (call->text_bytes > 0)
        finish_text(call, &result);
    else
        finish_json(call, &result);
    mark_end(kube, &result);
    if (kube->options.on_call != NULL)
        kube->options.on_call(kube->options.arg, call->verb,
                              result.ended_elapsed_us - result.sent_elapsed_us);
    call->done(call->arg, &result); /* may free the client */
    kube_status_release(&result.refusal);
    call_free(call);
}

/* --- public --- */

static size_t answer_bytes_max(const struct kube_request *request)
{
    bool large = request->text_bytes > 0 || (request->verb == KUBE_LIST && !request->few);

    return large ? KUBE_RESPONSE_BYTES_MAX : KUBE_OBJECT_BYTES_MAX;
}

struct kube_call *kube_send(struct kube *kube, const struct kube_request *request,
                            void (*done)(void *arg, const struct kube_result *result), void *arg)
{
    static const struct exchange_events events = {on_head, on_body, on_end};
    static const struct http_request ordinary = {
        .connect_timeout_us = KUBE_CONNECT_TIMEOUT_US,
        .idle_timeout_us = KUBE_READ_TIMEOUT_US,
        .total_timeout_us = KUBE_TOTAL_TIMEOUT_US,
    };
    static const struct http_request lease = {
        .pool = "lease",
        .connect_timeout_us = KUBE_LEASE_TIMEOUT_US,
        .total_timeout_us = KUBE_LEASE_TIMEOUT_US,
    };
    struct kube_call *call = xcalloc(1, sizeof(*call));
    struct http_request limits = request->lease ? lease : ordinary;

    limits.response_bytes_max = answer_bytes_max(request);
    call->kube = kube;
    call->verb = request->verb;
    if (request->verb != KUBE_DELETE) /* which is answered with a Status as well */
        call->name = xstrdup(request->name);
    call->text_bytes = request->text_bytes;
    call->body = BUFFER_INIT(limits.response_bytes_max);
    call->done = done;
    call->arg = arg;
    DL_APPEND(kube->calls, call);
    kube_wire_start(&call->wire, kube, request, &limits, &events, call);
    return call;
}

void kube_call_cancel(struct kube_call *call)
{
    if (call == NULL)
        return;
    DL_DELETE(call->kube->calls, call);
    call_free(call);
}
