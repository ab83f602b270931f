/* runtime - what does not depend on the world: names and header look-up. */
#include "controller/runtime/runtime.h"

#include "controller/base/text.h"

const char *http_header_get(const struct http_header *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal_ignoring_case(headers[i].name, name))
            return headers[i].value;
    return NULL;
}

const char *exchange_end_name(enum exchange_end end)
{
    static const char *const names[] = {
        [EXCHANGE_COMPLETE] = "complete",   [EXCHANGE_UNRESOLVED] = "unresolved",
        [EXCHANGE_REFUSED] = "refused",     [EXCHANGE_RESET] = "reset",
        [EXCHANGE_TIMED_OUT] = "timed out", [EXCHANGE_TLS] = "tls",
        [EXCHANGE_TOO_LARGE] = "too large", [EXCHANGE_MALFORMED] = "malformed",
    };

    return names[end];
}
