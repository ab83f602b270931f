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

const char *http_header_fault(const struct http_header *header)
{
    if (!is_token(header->name))
        return "header name with a forbidden character";
    if (!is_field_value(header->value))
        return "header value with a forbidden character";
    return NULL;
}

/* They say where the request goes and where it ends: one answer to that, the runtime's. */
static bool is_of_runtime(const char *name)
{
    static const char *const names[] = {"Accept-Encoding", "Content-Length", "Host",
                                        "Transfer-Encoding"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (text_equal_ignoring_case(name, names[i]))
            return true;
    return false;
}

const char *http_request_fault(const struct http_request *request)
{
    if (!is_token(request->method))
        return "method with a forbidden character";
    for (size_t i = 0; i < request->header_count; i++) {
        const char *fault = http_header_fault(&request->headers[i]);

        if (fault != NULL)
            return fault;
        if (is_of_runtime(request->headers[i].name))
            return "header that is not the caller's to set";
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
