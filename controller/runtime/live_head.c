/* live_head - the head of an answer, line by line.
 *
 * Strict where libcurl is not: who reads an answer's end elsewhere than others do can be given an
 * answer that is not his (RFC 9112, 6.3). */
#include <string.h>

#include "controller/base/text.h"
#include "controller/runtime/live_client.h"

/* More are no length of anything. */
#define LENGTH_DIGITS_MAX 18

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* "HTTP/1.1 200 OK", "HTTP/1.1 200" */
static bool is_status_line(const char *line, size_t size)
{
    return size >= 12 && memcmp(line, "HTTP/1.", 7) == 0 && is_digit(line[7]) && line[8] == ' ' &&
           is_digit(line[9]) && is_digit(line[10]) && is_digit(line[11]) &&
           (size == 12 || line[12] == ' ');
}

static bool start_head(struct live_exchange *exchange, const char *line, size_t size)
{
    if (!is_status_line(line, size))
        return false;
    exchange->head_begun = true;
    exchange->status = (unsigned)(line[9] - '0') * 100 + (unsigned)(line[10] - '0') * 10 +
                       (unsigned)(line[11] - '0');
    exchange->old_version = line[7] == '0';
    exchange->has_length = false;
    exchange->has_coding = false;
    exchange->header_count = 0;
    buffer_clear(&exchange->head_bytes);
    /* 101: nobody asked for another protocol */
    return exchange->status >= 100 && exchange->status <= 599 && exchange->status != 101;
}

static bool is_length(const char *value)
{
    size_t size = strlen(value);

    return size > 0 && size <= LENGTH_DIGITS_MAX && strspn(value, "0123456789") == size;
}

/* One length, or chunks, or neither. */
static bool note_framing(struct live_exchange *exchange, const struct http_header *header)
{
    bool length = text_equal_ignoring_case(header->name, "Content-Length");
    bool coding = text_equal_ignoring_case(header->name, "Transfer-Encoding");

    if (!length && !coding)
        return true;
    if (exchange->has_length || exchange->has_coding)
        return false;
    exchange->has_length = length;
    exchange->has_coding = coding;
    return length ? is_length(header->value)
                  : text_equal_ignoring_case(header->value, "chunked") && !exchange->old_version;
}

static bool check_header(struct live_exchange *exchange, size_t name_at, size_t value_at)
{
    const char *bytes = buffer_text(&exchange->head_bytes);
    const struct http_header header = {bytes + name_at, bytes + value_at};

    return http_header_fault(&header) == NULL && note_framing(exchange, &header);
}

/* Name NUL value NUL. */
static bool add_header(struct live_exchange *exchange, const char *line, size_t size)
{
    struct buffer *into = &exchange->head_bytes;
    const char *colon = memchr(line, ':', size);
    const char *end = line + size;
    const char *value;
    size_t name_at = into->size;
    size_t value_at;

    if (colon == NULL || memchr(line, '\0', size) != NULL)
        return false;
    value = colon + 1;
    while (value < end && is_blank(*value))
        value++;
    while (end > value && is_blank(end[-1]))
        end--;
    buffer_append(into, line, (size_t)(colon - line));
    buffer_append_char(into, '\0');
    value_at = into->size;
    buffer_append(into, value, (size_t)(end - value));
    buffer_append_char(into, '\0');
    exchange->header_count++;
    return into->overflowed || check_header(exchange, name_at, value_at);
}

bool live_head_line(struct live_exchange *exchange, const char *line, size_t size)
{
    if (size > 0 && line[size - 1] == '\n')
        size--;
    if (size > 0 && line[size - 1] == '\r')
        size--;
    if (!exchange->head_begun)
        return start_head(exchange, line, size);
    if (size > 0)
        return add_header(exchange, line, size);
    exchange->head_begun = false;
    exchange->head_ready = exchange->status >= 200;
    return true;
}
