#include "controller/kube/kube_http.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "controller/kube/kube_backoff.h"

/* Longest part of a refusal without a Status that is quoted. */
#define PLAIN_REFUSAL_SIZE 200

/* --- the request --- */

static void append_segment(struct buffer *into, const char *segment)
{
    buffer_append_char(into, '/');
    url_append_encoded(into, segment);
}

static void append_object_path(struct buffer *into, const struct kube_request *request)
{
    const struct kube_resource *resource = request->resource;

    buffer_append_text(into, resource->group[0] == '\0' ? "/api" : "/apis");
    if (resource->group[0] != '\0')
        append_segment(into, resource->group);
    append_segment(into, resource->version);
    if (request->namespace_name != NULL) {
        append_segment(into, "namespaces");
        append_segment(into, request->namespace_name);
    }
    append_segment(into, resource->plural);
    if (request->name != NULL)
        append_segment(into, request->name);
    if (request->subresource != NULL)
        append_segment(into, request->subresource);
}

/* "/apis/batch/v1/namespaces/ns/jobs/a?query" */
static void append_path(struct buffer *into, const struct kube_request *request)
{
    append_object_path(into, request);
    if (!text_is_empty(request->query))
        buffer_append_format(into, "?%s", request->query);
}

static const char *method_of(enum kube_verb verb)
{
    static const char *const methods[] = {
        [KUBE_GET] = "GET",           [KUBE_LIST] = "GET",         [KUBE_CREATE] = "POST",
        [KUBE_MERGE_PATCH] = "PATCH", [KUBE_JSON_PATCH] = "PATCH", [KUBE_DELETE] = "DELETE",
    };

    return methods[verb];
}

static const char *content_type_of(enum kube_verb verb)
{
    switch (verb) {
    case KUBE_MERGE_PATCH:
        return "application/merge-patch+json";
    case KUBE_JSON_PATCH:
        return "application/json-patch+json";
    case KUBE_GET:
    case KUBE_LIST:
    case KUBE_CREATE:
    case KUBE_DELETE:
        break;
    }
    return "application/json";
}

static char *make_label(const struct kube_request *request)
{
    struct buffer label = BUFFER_INIT(KUBE_URL_BYTES_MAX);

    buffer_append_format(&label, "%s ", method_of(request->verb));
    append_object_path(&label, request);
    return buffer_take(&label, NULL);
}

static char *make_url(const struct kube *kube, const struct kube_request *request)
{
    struct buffer url = BUFFER_INIT(KUBE_URL_BYTES_MAX);

    buffer_append_text(&url, kube_config_server(kube->config));
    append_path(&url, request);
    /* A URL past its limit must not go out cut: an empty one is refused by the runtime. */
    if (url.overflowed)
        buffer_clear(&url);
    return buffer_take(&url, NULL);
}

void kube_wire_start(struct kube_wire *wire, struct kube *kube, const struct kube_request *request,
                     const struct http_request *limits, const struct exchange_events *events,
                     void *arg)
{
    struct http_request http = *limits;
    struct kube_credentials credentials;
    struct http_header headers[4] = {
        {"Accept", text_or(request->accept, "application/json")},
        {"User-Agent",        "agent-controller/" PROGRAM_VERSION                   },
    };
    size_t header_count = 2;
    char *url = make_url(kube, request);
    char *authorization = NULL;

    kube_config_refresh(kube->config, kube->rt, &credentials);
    if (credentials.token != NULL) {
        authorization = xprintf("Bearer %s", credentials.token);
        headers[header_count++] = (struct http_header){"Authorization", authorization};
    }
    if (request->body != NULL)
        headers[header_count++] =
            (struct http_header){"Content-Type", content_type_of(request->verb)};
    http.method = method_of(request->verb);
    http.url = url;
    http.headers = headers;
    http.header_count = header_count;
    http.body = request->body;
    http.body_size = request->body_size;
    http.tls = &credentials.tls;
    http.gzip = credentials.gzip;
    *wire = (struct kube_wire){
        .label = make_label(request),
        .token = xstrdup(credentials.token),
        .rt = kube->rt,
        .refusal = BUFFER_INIT(KUBE_REFUSAL_BYTES_MAX),
    };
    wire->sent_elapsed_us = runtime_elapsed_us(kube->rt);
    wire->exchange = runtime_request(kube->rt, &http, events, arg);
    free(url);
    free(authorization);
}

/* --- the answer --- */

void kube_wire_head(struct kube_wire *wire, const struct response_head *head)
{
    const char *retry_after = http_header_get(head->headers, head->header_count, "Retry-After");
    int64_t wall_us = runtime_wall_us(wire->rt);

    wire->status = head->status;
    wire->retry_after_us = kube_retry_after_us(retry_after, wall_us);
}

void kube_wire_refusal(struct kube_wire *wire, const void *bytes, size_t size)
{
    size_t room = wire->refusal.size_max - wire->refusal.size;

    buffer_append(&wire->refusal, bytes, size < room ? size : room);
}

void kube_wire_release(struct kube_wire *wire)
{
    exchange_cancel(wire->exchange);
    wire->exchange = NULL;
    free(wire->label);
    free(wire->token);
    buffer_release(&wire->refusal);
}

bool kube_wire_accepted(const struct kube_wire *wire)
{
    return wire->status >= 200 && wire->status < 300;
}

/* --- failures in words --- */

void kube_redact(char *text, const char *secret)
{
    size_t size = secret == NULL ? 0 : strlen(secret);

    if (text == NULL || size == 0)
        return;
    for (char *at = strstr(text, secret); at != NULL; at = strstr(at + size, secret))
        memset(at, '*', size);
}

/* The first line of a body that is no Status, as proxies and the flow control send it. */
static void explain_plain(const struct kube_wire *wire, struct error *err)
{
    const char *text = buffer_text(&wire->refusal);
    size_t size = strcspn(text, "\r\n");

    if (size > PLAIN_REFUSAL_SIZE)
        size = PLAIN_REFUSAL_SIZE;
    error_set(err, kube_status_kind(wire->status, &KUBE_STATUS_INIT), "%s: %u%s%.*s", wire->label,
              wire->status, size > 0 ? ": " : "", (int)size, text);
}

void kube_wire_explain_refusal(struct kube_wire *wire, struct kube_status *ret_refusal,
                               struct error *err)
{
    struct json_slice body = {buffer_text(&wire->refusal), wire->refusal.size};

    /* Before texts are cut: a cut one would show a part of it. */
    kube_redact(wire->refusal.bytes, wire->token);
    *ret_refusal = KUBE_STATUS_INIT;
    if (json_check(body.bytes, body.size, KUBE_REFUSAL_BYTES_MAX, NULL))
        kube_status_read(body, ret_refusal);
    kube_redact(ret_refusal->reason, wire->token);
    kube_redact(ret_refusal->message, wire->token);
    if (ret_refusal->reason != NULL || ret_refusal->message != NULL)
        error_set(err, kube_status_kind(wire->status, ret_refusal), "%s: %u %s: %s", wire->label,
                  wire->status, text_or(ret_refusal->reason, "(no reason)"),
                  text_or(ret_refusal->message, "(no message)"));
    else
        explain_plain(wire, err);
    kube_redact(err->text, wire->token);
}

int64_t kube_wire_retry_after_us(const struct kube_wire *wire, const struct kube_status *refusal)
{
    int64_t said_s = refusal->retry_after_s;
    int64_t said_us =
        said_s < KUBE_BACKOFF_CEILING_S ? said_s * US_PER_SECOND : KUBE_RETRY_AFTER_MAX_US;

    if (wire->status != 429 && wire->status < 500)
        return 0;
    return said_us > wire->retry_after_us ? said_us : wire->retry_after_us;
}

static enum error_kind kind_of_end(enum exchange_end end)
{
    switch (end) {
    case EXCHANGE_TIMED_OUT:
        return ERROR_TIMED_OUT;
    case EXCHANGE_TOO_LARGE:
        return ERROR_TOO_LARGE;
    case EXCHANGE_MALFORMED:
        return ERROR_MALFORMED;
    case EXCHANGE_COMPLETE:
    case EXCHANGE_UNRESOLVED:
    case EXCHANGE_REFUSED:
    case EXCHANGE_RESET:
    case EXCHANGE_TLS:
        break;
    }
    return ERROR_UNAVAILABLE;
}

void kube_wire_explain_end(const struct kube_wire *wire, enum exchange_end end, const char *detail,
                           struct error *err)
{
    error_set(err, kind_of_end(end), "%s: %s%s%s", wire->label, exchange_end_name(end),
              detail[0] == '\0' ? "" : ": ", detail);
    kube_redact(err->text, wire->token);
}
