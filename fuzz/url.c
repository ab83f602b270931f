/* Properties of base/url: what is taken apart and put together again is the same; what is encoded
 * decodes to itself; a query is found by what it was made of. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/url.h"
#include "fuzz/harness.h"

static void check_url(const char *text)
{
    struct url url;
    struct url again;
    struct error err = ERROR_INIT;
    char *whole;

    if (!url_parse(text, &url, &err)) {
        assert(err.text[0] != '\0');
        return;
    }
    assert(url.host[0] != '\0' && url.port != 0 && url.target[0] == '/');
    assert(strpbrk(url.target, " #\r\n") == NULL && strpbrk(url.host, "/@?#") == NULL);
    whole = xprintf(strchr(url.host, ':') == NULL ? "%s://%s:%u%s" : "%s://[%s]:%u%s",
                    url.tls ? "https" : "http", url.host, (unsigned)url.port, url.target);
    if (!url_parse(whole, &again, &err))
        abort();
    assert(url.tls == again.tls && url.port == again.port);
    assert(strcmp(url.host, again.host) == 0 && strcmp(url.target, again.target) == 0);
    url_release(&again);
    url_release(&url);
    free(whole);
}

static void check_encoding(const char *text)
{
    struct buffer query = BUFFER_INIT(SIZE_MAX / 2);
    char *decoded;
    char *value;

    url_append_encoded(&query, text);
    decoded = url_decode(buffer_text(&query), query.size, true);
    assert(decoded != NULL && strcmp(decoded, text) == 0);
    free(decoded);
    buffer_clear(&query);
    buffer_append_text(&query, "a=1&");
    url_append_encoded(&query, text);
    buffer_append_text(&query, "x=");
    url_append_encoded(&query, text);
    decoded = xprintf("%sx", text);
    if (!url_query_get(buffer_text(&query), decoded, &value))
        abort();
    assert(value != NULL && strcmp(value, text) == 0);
    free(value);
    free(decoded);
    buffer_release(&query);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    char *text = xmemdup(bytes, size);
    char *value;

    check_url(text);
    check_encoding(text);
    if (url_query_get(text, "a", &value))
        free(value);
    free(text);
    return 0;
}
