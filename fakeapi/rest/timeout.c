/* timeout - the deadline that a request names: read, and refused when it is none (WIRE.md O3).
 *
 * Nothing here takes long enough to miss one. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/call.h"

static bool is_unit(const char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h"};

    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strlen(units[i]) == size && strncmp(text, units[i], size) == 0)
            return true;
    return false;
}

/* Adds what Go's time.ParseDuration says of a text; nothing when it is a duration. */
static void append_fault(struct buffer *fault, const char *text)
{
    const char *at = text + (text[0] == '+' || text[0] == '-' ? 1 : 0);
    bool valid = at[0] != '\0';

    if (strcmp(at, "0") == 0)
        return;
    while (valid && *at != '\0') {
        size_t number = strspn(at, "0123456789.");
        size_t unit = strcspn(at + number, "0123456789.");

        valid = number > 0 && strspn(at, ".") < number;
        if (valid && unit == 0) {
            buffer_append_format(fault, "time: missing unit in duration \"%s\"", text);
            return;
        }
        if (valid && !is_unit(at + number, unit)) {
            buffer_append_format(fault, "time: unknown unit \"%.*s\" in duration \"%s\"", (int)unit,
                                 at + number, text);
            return;
        }
        at += number + unit;
    }
    if (!valid)
        buffer_append_format(fault, "time: invalid duration \"%s\"", text);
}

bool call_check_timeout(struct call *call)
{
    bool long_running =
        call->verb == VERB_WATCH || strcmp(text_or(call->route.subresource, ""), "log") == 0;
    char *text = long_running ? NULL : route_query(&call->route, "timeout");
    struct buffer fault = BUFFER_INIT(64 * 1024);
    struct rest_status status = {0};
    bool ok;

    if (!text_is_empty(text))
        append_fault(&fault, text);
    ok = fault.size == 0;
    if (!ok) {
        rest_status_bad_request(&status, "invalid timeout specified in the request URL - %s",
                                buffer_text(&fault));
        call_fail(call, &status);
    }
    buffer_release(&fault);
    free(text);
    return ok;
}
