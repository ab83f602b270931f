/* Properties of runtime/live_head: a head that is taken has a status that a program can be told,
 * headers that are some, and one way at most to tell where its body ends.
 *
 * The input is what a server sends, cut at its line feeds as libcurl does it. */
#include <assert.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/runtime/live_client.h"
#include "fuzz/harness.h"

static void check_headers(const struct live_exchange *exchange)
{
    const char *at = buffer_text(&exchange->head_bytes);
    const char *end = at + exchange->head_bytes.size;
    unsigned framings = 0;
    size_t count = 0;

    for (; at < end; count++) {
        struct http_header header = {.name = at};

        header.value = at + strlen(at) + 1;
        at = header.value + strlen(header.value) + 1;
        assert(at <= end);
        assert(http_header_fault(&header) == NULL);
        if (text_equal_ignoring_case(header.name, "Content-Length")) {
            assert(strspn(header.value, "0123456789") == strlen(header.value));
            framings++;
        }
        framings += text_equal_ignoring_case(header.name, "Transfer-Encoding");
    }
    assert(count == exchange->header_count);
    assert(framings <= 1);
    assert(framings == (unsigned)exchange->has_length + (unsigned)exchange->has_coding);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct live_exchange exchange = {.head_bytes = BUFFER_INIT(EXCHANGE_HEADER_BYTES_MAX)};
    const char *at = (const char *)bytes;
    const char *end = at + size;
    bool taken = true;

    while (at < end && taken && !exchange.head_ready && !exchange.head_bytes.overflowed) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *next = feed == NULL ? end : feed + 1;

        taken = live_head_line(&exchange, at, (size_t)(next - at));
        if (taken && !exchange.head_bytes.overflowed)
            check_headers(&exchange);
        at = next;
    }
    if (exchange.head_ready)
        assert(taken && exchange.status >= 200 && exchange.status <= 599);
    buffer_release(&exchange.head_bytes);
    return 0;
}
