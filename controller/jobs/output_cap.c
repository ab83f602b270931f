#include "controller/jobs/output_cap.h"

#include <assert.h>

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void output_cap(const char *tail, size_t tail_size, size_t total, size_t cap, struct buffer *into)
{
    size_t at;
    size_t cut;

    if (total <= cap) {
        assert(tail_size == total);
        buffer_append(into, tail, tail_size);
        return;
    }
    assert(tail_size >= cap);
    at = tail_size - cap;
    cut = total - cap;
    while (at < tail_size && is_continuation(tail[at])) {
        at++;
        cut++;
    }
    buffer_append_format(into, "...[truncated %zu bytes]...\n", cut);
    buffer_append(into, tail + at, tail_size - at);
}
