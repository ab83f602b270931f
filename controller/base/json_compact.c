#include <stdlib.h>

#include "controller/base/json.h"
#include "controller/base/json_gate.h"
#include "controller/base/memory.h"

/* The closing quote of the string whose inside begins at at; end when there is none. */
static const char *find_quote(const char *at, const char *end, bool *ret_escapes)
{
    *ret_escapes = false;
    while ((at = json_skip_plain(at, end)) < end && *at != '"') {
        bool escape = *at == '\\';

        *ret_escapes = *ret_escapes || escape;
        at += escape && end - at > 1 ? 2 : 1;
    }
    return at;
}

/* at is on the opening quote. Returns the byte behind the closing one. */
static const char *append_string(struct buffer *buffer, const char *at, const char *end)
{
    bool escapes;
    const char *quote = find_quote(at + 1, end, &escapes);
    const char *behind = quote < end ? quote + 1 : end;

    if (escapes) {
        size_t size = (size_t)(quote - at) - 1;
        char *text = xcalloc(size + 1, 1);

        json_append_quoted(buffer, text, json_unescape(at + 1, size, text));
        free(text);
    } else {
        buffer_append(buffer, at, (size_t)(behind - at));
    }
    return behind;
}

void json_append_compact(struct buffer *buffer, struct json_slice value)
{
    const char *end = value.bytes + value.size;
    const char *at = value.bytes;

    while ((at = json_skip_space(at, end)) < end) {
        const char *run = at;

        if (*at == '"') {
            at = append_string(buffer, at, end);
            continue;
        }
        do
            at++;
        while (at < end && *at != '"' && (unsigned char)*at > ' ');
        buffer_append(buffer, run, (size_t)(at - run));
    }
}
