#include "scenarios/sim/message.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* "name: value\r\n" and the words around a target. */
#define HEADER_EXTRA_BYTES 4
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

static void put_headers(struct message *copy, char **at, const struct http_header *headers,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct http_header *header = &copy->headers[copy->header_count];

        if (headers[i].value == NULL)
            continue;
        header->name = put_text(at, headers[i].name);
        header->value = put_text(at, headers[i].value);
        copy->header_count++;
    }
}

struct message *message_new(const struct message *message, const struct http_header *extra,
                            size_t extra_count)
{
    size_t slots = message->header_count + extra_count;
    size_t texts = text_size(message->method) + text_size(message->target) +
                   headers_size(message->headers, message->header_count) +
                   headers_size(extra, extra_count);
    struct message *copy = xrealloc(NULL, sizeof(*copy) + slots * sizeof(*copy->headers) + texts);
    char *at;

    *copy = *message;
    copy->headers = (struct http_header *)(copy + 1);
    copy->header_count = 0;
    at = (char *)(copy->headers + slots);
    copy->method = put_text(&at, message->method);
    copy->target = put_text(&at, message->target);
    put_headers(copy, &at, extra, extra_count);
    put_headers(copy, &at, message->headers, message->header_count);
    copy->head_bytes =
        texts + copy->header_count * (HEADER_EXTRA_BYTES - 2) + FIRST_LINE_EXTRA_BYTES;
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
