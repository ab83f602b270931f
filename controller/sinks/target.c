#include "controller/sinks/target.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/url.h"

bool target_new(const char *url, const char *headers, size_t headers_size,
                struct target **ret_target, struct error *err)
{
    struct target *target;
    struct url parts;

    if (strnlen(url, TARGET_URL_BYTES_MAX + 1) > TARGET_URL_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "URL: more than %d bytes", TARGET_URL_BYTES_MAX);
    if (!url_parse(url, &parts, err))
        return error_prefix(err, "URL");
    target = xcalloc(1, sizeof(*target));
    target->references = 1;
    target->url = xstrdup(url);
    target->label = xprintf(strchr(parts.host, ':') == NULL ? "%s://%s:%u" : "%s://[%s]:%u",
                            parts.tls ? "https" : "http", parts.host, (unsigned)parts.port);
    header_block_read(headers, headers_size, &target->headers);
    target->size = sizeof(*target) + strlen(url) + strlen(target->label) + target->headers.size +
                   target->headers.count * sizeof(*target->headers.headers);
    url_release(&parts);
    *ret_target = target;
    return true;
}

struct target *target_ref(struct target *target)
{
    target->references++;
    return target;
}

void target_unref(struct target *target)
{
    if (target == NULL || --target->references > 0)
        return;
    header_block_release(&target->headers);
    free(target->url);
    free(target->label);
    free(target);
}
