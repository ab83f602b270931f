/* runtime - what does not depend on the world: names and header look-up. */
#include "controller/runtime/runtime.h"

#include <string.h>

#include "controller/base/text.h"

const char *http_header_get(const struct http_header *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (text_equal_ignoring_case(headers[i].name, name))
            return headers[i].value;
    return NULL;
}

/* RFC 9110 5.6.2 */
static bool is_token(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || (unsigned char)*at > '~' ||
            strchr("()<>@,;:\\\"/[]?={}", *at) != NULL)
            return false;
    return *text != '\0';
}

static bool is_field_value(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            return false;
    return true;
}

const char *http_request_fault(const struct http_request *request)
{
    if (!is_token(request->method))
        return "method with a forbidden character";
    for (size_t i = 0; i < request->header_count; i++) {
        if (!is_token(request->headers[i].name))
            return "header name with a forbidden character";
        if (!is_field_value(request->headers[i].value))
            return "header value with a forbidden character";
    }
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
