#include "controller/jobs/vendor.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static enum vendor route(const char *lower)
{
    if (text_equal(lower, "exec"))
        return VENDOR_EXEC;
    if (strstr(lower, "opencode") != NULL)
        return VENDOR_OPENCODE;
    if (strstr(lower, "codex") != NULL || text_starts_with(lower, "gpt") ||
        text_starts_with(lower, "o1") || text_starts_with(lower, "o3") ||
        text_starts_with(lower, "o4"))
        return VENDOR_CODEX;
    if (text_starts_with(lower, "gemini"))
        return VENDOR_GEMINI;
    return VENDOR_CLAUDE;
}

enum vendor vendor_of_model(const char *model)
{
    char *lower = xstrdup(model);
    enum vendor vendor;

    for (char *at = lower; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    }
    vendor = route(lower);
    free(lower);
    return vendor;
}
