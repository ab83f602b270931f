#include "scenarios/sim/message.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* What "name: value\r\n" has more than two texts with their NULs; the words around a target. */
#define HEADER_EXTRA_BYTES 2
#define FIRST_LINE_EXTRA_BYTES 12

static size_t text_size(const char *text)
{
    return text == NULL ? 0 : strlen(text) + 1;
}

static size_t headers_size(const struct http_header *headers, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        if (headers[i].value != NULL)
            size += text_size(headers[i].name) + text_size(headers[i].value);
    return size;
}

static const char *put_text(char **at, const char *text)
{
    size_t size = text_size(text);
    char *copy = *at;

    if (text == NULL)
        return NULL;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

/* Returns how many it put. */
static size_t put_headers(struct http_header *slots, char **at, const struct http_header *headers,
                          size_t count)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (headers[i].value == NULL)
            continue;
        slots[used].name = put_text(at, headers[i].name);
        slots[used].value = put_text(at, headers[i].value);
        used++;
    }
    return used;
}

struct message *message_new(const struct message *message, const struct http_header *extra,
                            size_t extra_count)
{
    size_t slot_count = message->header_count + extra_count;
    size_t texts = text_size(message->method) + text_size(message->target) +
                   headers_size(message->headers, message->header_count) +
                   headers_size(extra, extra_count);
    struct message *copy =
        xrealloc(NULL, sizeof(*copy) + slot_count * sizeof(*copy->headers) + texts);
    struct http_header *slots = (struct http_header *)(copy + 1);
    char *at = (char *)(slots + slot_count);
    size_t used;

    *copy = *message;
    copy->method = put_text(&at, message->method);
    copy->target = put_text(&at, message->target);
    used = put_headers(slots, &at, extra, extra_count);
    used += put_headers(slots + used, &at, message->headers, message->header_count);
    copy->headers = slots;
    copy->header_count = used;
    copy->head_bytes = texts + used * HEADER_EXTRA_BYTES + FIRST_LINE_EXTRA_BYTES;
    return copy;
}

void message_free(struct message *message)
{
    if (message == NULL)
        return;
    bytes_unref(message->body);
    free(message);
}

size_t message_body_size(const struct message *message)
{
    return message->body == NULL ? 0 : message->body->size;
}
