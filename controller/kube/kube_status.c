#include "controller/kube/kube_status.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* A text of at most KUBE_STATUS_TEXT_SIZE with its NUL; never cut inside a UTF-8 character. */
static char *bounded_text(struct json_slice value)
{
    char *text = value.bytes == NULL ? NULL : json_slice_text(value);
    size_t end = KUBE_STATUS_TEXT_SIZE - sizeof("...");

    if (text == NULL || strlen(text) < KUBE_STATUS_TEXT_SIZE)
        return text;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, "...", sizeof("..."));
    return text;
}

static int64_t whole_number(struct json_slice value)
{
    char digits[24];
    int64_t number = 0;

    if (value.bytes == NULL || value.size >= sizeof(digits))
        return 0;
    memcpy(digits, value.bytes, value.size);
    digits[value.size] = '\0';
    return text_to_int64(digits, &number) && number > 0 ? number : 0;
}

void kube_status_read(struct json_slice object, struct kube_status *ret_status)
{
    struct json_slice details;

    *ret_status = KUBE_STATUS_INIT;
    if (!json_slice_begins(object, '{'))
        return;
    ret_status->code = whole_number(json_slice_get(object, "code"));
    ret_status->reason = bounded_text(json_slice_get(object, "reason"));
    ret_status->message = bounded_text(json_slice_get(object, "message"));
    details = json_slice_get(object, "details");
    if (!json_slice_begins(details, '{'))
        return;
    ret_status->details_name = bounded_text(json_slice_get(details, "name"));
    ret_status->details_kind = bounded_text(json_slice_get(details, "kind"));
    ret_status->retry_after_s = whole_number(json_slice_get(details, "retryAfterSeconds"));
}

void kube_status_release(struct kube_status *status)
{
    free(status->reason);
    free(status->message);
    free(status->details_name);
    free(status->details_kind);
    *status = KUBE_STATUS_INIT;
}

enum error_kind kube_status_kind(unsigned http_status, const struct kube_status *status)
{
    if (http_status >= 200 && http_status < 300)
        return ERROR_NONE;
    switch (http_status) {
    case 401:
    case 403:
        return ERROR_DENIED;
    case 404:
        return ERROR_NOT_FOUND;
    case 408:
    case 429:
        return ERROR_UNAVAILABLE;
    case 409:
        return text_equal(status->reason, "AlreadyExists") ? ERROR_EXISTS : ERROR_CONFLICT;
    case 410:
        return ERROR_GONE;
    case 413:
        return ERROR_TOO_LARGE;
    default:
        break;
    }
    if (http_status >= 500)
        return ERROR_UNAVAILABLE;
    return http_status >= 400 ? ERROR_INVALID : ERROR_MALFORMED;
}
