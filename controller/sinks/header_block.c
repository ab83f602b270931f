#include "controller/sinks/header_block.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* What lies between at and end without the space around it, as a text of its own. */
static char *trim(char *at, char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (end > at && is_blank(end[-1]))
        end--;
    *end = '\0';
    return at;
}

/* They frame the message, steer the connection, or are set by the runtime or by us. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {
        "Accept-Encoding",
        "Connection",
        "Content-Encoding",
        "Content-Length",
        "Content-Type",
        "Expect",
        "Host",
        "Keep-Alive",
        "Proxy-Connection",
        "Proxy-Authorization",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "User-Agent",
    };

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (text_equal_ignoring_case(name, names[i]))
            return true;
    return false;
}

/* Why it cannot be sent; NULL when it can. */
static const char *fault_of(const struct http_header *header)
{
    return is_ours(header->name) ? "header that is not for a sink to set"
                                 : http_header_fault(header);
}

static void add(struct header_block *block, const struct http_header *header, char *line,
                size_t size)
{
    if (block->headers == NULL) {
        block->headers = xcalloc(HEADER_BLOCK_COUNT_MAX, sizeof(*block->headers));
        block->lines = xcalloc(HEADER_BLOCK_COUNT_MAX, sizeof(*block->lines));
    }
    block->headers[block->count] = *header;
    block->lines[block->count++] = line;
    block->size += size;
}

/* Adds a line that is not blank; why not, else NULL. */
static const char *read_line(struct header_block *block, const char *at, const char *end)
{
    size_t size = (size_t)(end - at);
    struct http_header header;
    const char *fault;
    char *line;
    char *colon;

    if (block->count == HEADER_BLOCK_COUNT_MAX || size > HEADER_BLOCK_BYTES_MAX - block->size)
        return "more headers than are taken";
    if (memchr(at, '\0', size) != NULL)
        return "NUL in a header";
    if (memchr(at, ':', size) == NULL)
        return "line without a colon";
    line = xmemdup(at, size);
    colon = strchr(line, ':');
    header.name = trim(line, colon);
    header.value = trim(colon + 1, line + size);
    fault = fault_of(&header);
    if (fault == NULL)
        add(block, &header, line, size);
    else
        free(line);
    return fault;
}

static bool is_blank_line(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at == end;
}

void header_block_read(const char *bytes, size_t size, struct header_block *block)
{
    const char *at = bytes;
    const char *end = bytes + size;

    *block = (struct header_block){0};
    for (size_t number = 1; at < end; number++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = feed == NULL ? end : feed;
        const char *fault = NULL;

        if (line_end > at && line_end[-1] == '\r')
            line_end--;
        if (!is_blank_line(at, line_end))
            fault = read_line(block, at, line_end);
        if (fault != NULL && block->fault_count++ == 0) {
            block->fault_line = number;
            block->fault = fault;
        }
        at = feed == NULL ? end : feed + 1;
    }
}

void header_block_release(struct header_block *block)
{
    for (size_t i = 0; i < block->count; i++)
        free(block->lines[i]);
    free(block->lines);
    free(block->headers);
}
