/* answer - giving answers: headers that all have, forms of JSON, and what faults do to them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/rest/call.h"

/* Compressed from here on, if the peer asked (O6). */
#define GZIP_BYTES_MIN 131072
/* Largest body that is made pretty or YAML; larger ones stay compact. */
#define PRETTY_BYTES_MAX ((size_t)256 * 1024 * 1024)
/* Headers of one answer: the server's own, the answer's, warnings. */
#define HEADERS_MAX (8 + 4 + WARNINGS_MAX)
/* Warnings that are longer together are cut to so much each (C5). */
#define WARNINGS_RUNES_MAX 4096
#define WARNING_RUNES_CUT 256

struct headers {
    struct http_header items[HEADERS_MAX];
    size_t count;
    char audit_id[37];
};

static void add_header(struct headers *headers, const char *name, const char *value)
{
    if (headers->count < HEADERS_MAX)
        headers->items[headers->count++] = (struct http_header){name, value};
}

static void begin_headers(struct call *call, struct headers *headers)
{
    const char *audit_id = call_header(call, "Audit-ID");

    headers->count = 0;
    if (text_is_empty(audit_id)) {
        write_new_uid(call->rest, headers->audit_id);
        audit_id = headers->audit_id;
    }
    add_header(headers, "Audit-Id", audit_id);
}

/* The bytes of the first runes of a text, at most as many; *ret_runes is how many there are. */
static size_t bytes_of_runes(const char *text, size_t runes_max, size_t *ret_runes)
{
    size_t runes = 0;
    size_t i = 0;

    for (; text[i] != '\0'; i++) {
        bool begins = ((unsigned char)text[i] & 0xc0) != 0x80;

        if (begins && runes == runes_max)
            break;
        runes += begins ? 1 : 0;
    }
    *ret_runes = runes;
    return i;
}

/* 299 - "text", with what would end the quotes escaped (C5). */
static char *warning_value(const char *text, size_t size)
{
    struct buffer value = BUFFER_INIT(2 * size + 16);

    buffer_append_text(&value, "299 - \"");
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\')
            buffer_append_char(&value, '\\');
        if ((unsigned char)text[i] >= ' ' && text[i] != 0x7f)
            buffer_append_char(&value, text[i]);
    }
    buffer_append_char(&value, '"');
    return buffer_take(&value, NULL);
}

/* The values of Warning headers; how many. All whole, or cut where they are too much together. */
static size_t warning_values(const struct write *write, char *values[WARNINGS_MAX])
{
    size_t total = 0;
    size_t runes;
    size_t runes_max = SIZE_MAX;
    size_t count = 0;

    for (size_t i = 0; i < write->warning_count; i++) {
        (void)bytes_of_runes(write->warnings[i], SIZE_MAX, &runes);
        total += runes;
    }
    if (total > WARNINGS_RUNES_MAX)
        runes_max = WARNING_RUNES_CUT;
    total = 0;
    for (size_t i = 0; i < write->warning_count; i++) {
        size_t size = bytes_of_runes(write->warnings[i], runes_max, &runes);

        total += runes;
        if (total > WARNINGS_RUNES_MAX)
            break;
        values[count++] = warning_value(write->warnings[i], size);
    }
    return count;
}

void call_answer_stream(struct call *call, const char *content_type, const char *warning,
                        const struct stream_ops *ops, void *stream)
{
    struct headers headers;
    struct http_response response = {
        .status = 200, .headers = headers.items, .source = &call_stream_source, .source_arg = call};
    char *value = warning == NULL ? NULL : warning_value(warning, strlen(warning));

    call->stream_ops = ops;
    call->stream = stream;
    begin_headers(call, &headers);
    add_header(&headers, "Cache-Control", "no-cache, private");
    add_header(&headers, "Content-Type", content_type);
    if (value != NULL)
        add_header(&headers, "Warning", value);
    response.header_count = headers.count;
    call_respond(call, &response);
    free(value);
}

void call_answer_bytes(struct call *call, unsigned code, const struct http_header *own,
                       size_t own_count, const void *bytes, size_t size)
{
    struct headers headers;
    struct http_response response = {.status = code,
                                     .headers = headers.items,
                                     .body = bytes,
                                     .body_size = size,
                                     .gzip_size_min = GZIP_BYTES_MIN};

    begin_headers(call, &headers);
    if (http_header_get(own, own_count, "Cache-Control") == NULL)
        add_header(&headers, "Cache-Control", "no-cache, private");
    for (size_t i = 0; i < own_count; i++)
        add_header(&headers, own[i].name, own[i].value);
    response.header_count = headers.count;
    call_respond(call, &response);
}

void call_answer_text(struct call *call, unsigned code, const char *content_type, const char *text)
{
    const struct http_header headers[] = {
        {"Content-Type",           content_type},
        {"X-Content-Type-Options", "nosniff"   },
    };

    call_answer_bytes(call, code, headers, ARRAY_SIZE(headers), text, strlen(text));
}

void call_answer_html(struct call *call, unsigned code)
{
    char *page = xprintf("<html>\n<head><title>%u</title></head>\n<body><h1>%u</h1><hr>gateway"
                         "</body>\n</html>\n",
                         code, code);
    const struct http_header headers[] = {
        {"Content-Type", "text/html"}
    };

    call_answer_bytes(call, code, headers, ARRAY_SIZE(headers), page, strlen(page));
    free(page);
}

void call_answer_no_path(struct call *call)
{
    call_answer_text(call, 404, "text/plain; charset=utf-8", "404 page not found\n");
}

bool call_wants_pretty(const struct call *call, const struct accept *accept)
{
    static const char *const browsers[] = {"curl", "Wget", "Mozilla/5.0"};
    const char *agent = text_or(call_header(call, "User-Agent"), "");
    char *asked = route_query(&call->route, "pretty");
    bool pretty = accept->pretty;

    if (asked != NULL)
        pretty = strcmp(asked, "true") == 0 || strcmp(asked, "1") == 0;
    else
        for (size_t i = 0; i < ARRAY_SIZE(browsers); i++)
            pretty = pretty || text_starts_with(agent, browsers[i]);
    free(asked);
    return pretty;
}

/* more is one header more, where it has a name. */
static void answer_formed(struct call *call, unsigned code, const char *content_type,
                          const struct http_header *more, const struct write *warnings,
                          const void *bytes, size_t size)
{
    struct http_header headers[2 + WARNINGS_MAX] = {
        {"Content-Type", content_type}
    };
    char *values[WARNINGS_MAX];
    size_t warned = warnings == NULL ? 0 : warning_values(warnings, values);
    size_t count = 1;

    if (more->name != NULL)
        headers[count++] = *more;
    for (size_t i = 0; i < warned; i++)
        headers[count++] = (struct http_header){"Warning", values[i]};
    call_answer_bytes(call, code, headers, count, bytes, size);
    for (size_t i = 0; i < warned; i++)
        free(values[i]);
}

/* Members in the order of their names, as the real server's YAML has them. */
static struct json_object *sorted_copy(const struct json_object *value)
{
    struct json_object *copy;
    struct sorted_keys keys;

    if (json_is(value, json_type_array)) {
        copy = json_object_new_array();
        for (size_t i = 0; i < json_object_array_length(value); i++)
            json_add(copy, sorted_copy(json_object_array_get_idx(value, i)));
        return copy;
    }
    if (!json_is(value, json_type_object))
        return json_copy(value);
    copy = json_object_new_object();
    keys = sorted_keys_of(value);
    for (size_t i = 0; i < keys.count; i++)
        json_set(copy, keys.items[i], sorted_copy(json_get(value, keys.items[i])));
    sorted_keys_release(&keys);
    return copy;
}

static void append_formed(struct buffer *buffer, const struct call *call,
                          const struct accept *accept, const struct json_object *tree)
{
    if (accept->yaml) {
        struct json_object *sorted = sorted_copy(tree);

        yaml_append(buffer, sorted);
        json_object_put(sorted);
        return;
    }
    if (call_wants_pretty(call, accept)) {
        json_append_pretty(buffer, tree); /* without a line end (T3) */
        return;
    }
    json_append(buffer, tree);
    buffer_append_char(buffer, '\n');
}

void call_answer_tree(struct call *call, unsigned code, const struct accept *accept,
                      const struct write *warnings, const struct json_object *tree)
{
    struct buffer body = BUFFER_INIT(PRETTY_BYTES_MAX);
    const struct http_header none = {0};

    append_formed(&body, call, accept, tree);
    answer_formed(call, code, accept->yaml ? "application/yaml" : "application/json", &none,
                  warnings, body.bytes, body.size);
    buffer_release(&body);
}

void call_answer_json(struct call *call, unsigned code, const struct accept *accept,
                      const struct write *warnings, const void *json, size_t size)
{
    const struct http_header none = {0};
    struct json_object *tree;
    struct error err = ERROR_INIT;

    if ((accept->yaml || call_wants_pretty(call, accept)) &&
        json_parse(json, size, PRETTY_BYTES_MAX, &tree, &err)) {
        call_answer_tree(call, code, accept, warnings, tree);
        json_object_put(tree);
        return;
    }
    answer_formed(call, code, "application/json", &none, warnings, json, size);
}

static void answer_status(struct call *call, const struct rest_status *status,
                          const struct write *warnings)
{
    const struct accept_offer offer = {0};
    struct buffer body = BUFFER_INIT(4 * REST_BODY_BYTES_MAX);
    struct json_object *tree;
    struct accept accept;
    struct http_header more = {0};
    char seconds[24];

    if (!accept_choose(call_header(call, "Accept"), &offer, &accept))
        accept = (struct accept){.form = FORM_PLAIN, .version = "", .pretty = true};
    rest_status_append(status, &body);
    if (accept.yaml || call_wants_pretty(call, &accept)) {
        tree = json_slice_parse((struct json_slice){body.bytes, body.size});
        buffer_clear(&body);
        append_formed(&body, call, &accept, tree);
        json_object_put(tree);
    } else {
        buffer_append_char(&body, '\n');
    }
    if (status->retry_after_seconds > 0) {
        snprintf(seconds, sizeof(seconds), "%" PRId64, status->retry_after_seconds);
        more = (struct http_header){"Retry-After", seconds};
    } else if (status->denied) {
        more = (struct http_header){"X-Content-Type-Options", "nosniff"};
    }
    answer_formed(call, status->code, accept.yaml ? "application/yaml" : "application/json", &more,
                  warnings, body.bytes, body.size);
    buffer_release(&body);
}

void call_answer_status(struct call *call, const struct rest_status *status)
{
    answer_status(call, status, NULL);
}

void call_answer_failure(struct call *call, const struct write *write)
{
    answer_status(call, &write->status, write);
}

void call_fail(struct call *call, struct rest_status *status)
{
    call_answer_status(call, status);
    rest_status_release(status);
}

bool call_accept(struct call *call, const struct accept_offer *offer, struct accept *ret_accept)
{
    const char *header = call_header(call, "Accept");
    struct rest_status status = {0};

    if (call->kind != NULL && call->kind->row != NULL && !accept_is_produced(header)) {
        status.has_details = true;
        rest_status_set(&status, 406, "NotAcceptable",
                        "406: Not Acceptable\n\nAvailable representations: application/json, "
                        "application/yaml, application/vnd.kubernetes.protobuf");
        call_fail(call, &status);
        return false;
    }
    if (accept_choose(header, offer, ret_accept))
        return true;
    rest_status_set(&status, 406, "NotAcceptable",
                    "only the following media types are accepted: application/json, "
                    "application/yaml, application/vnd.kubernetes.protobuf");
    call_fail(call, &status);
    return false;
}
