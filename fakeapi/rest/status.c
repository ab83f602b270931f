/* status - the constructors of WIRE.md T10 and the Status object's JSON. */
#include "fakeapi/rest/status.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Longest message; a 422 of a hopeless object is the longest there is. */
#define MESSAGE_BYTES_MAX ((size_t)1024 * 1024)

void rest_status_release(struct rest_status *status)
{
    free(status->message);
    free(status->name);
    free(status->group);
    free(status->kind);
    free(status->continue_token);
    json_object_put(status->causes);
    *status = (struct rest_status){0};
}

static void set_message(struct rest_status *status, unsigned code, const char *reason,
                        const char *format, va_list values) PRINTF_LIKE(4, 0);

static void set_message(struct rest_status *status, unsigned code, const char *reason,
                        const char *format, va_list values)
{
    struct buffer text = BUFFER_INIT(MESSAGE_BYTES_MAX);
    size_t size;

    assert(status->code == 0);
    buffer_append_format_list(&text, format, values);
    status->code = code;
    status->reason = reason;
    status->message = buffer_take(&text, &size);
}

bool rest_status_set(struct rest_status *status, unsigned code, const char *reason,
                     const char *format, ...)
{
    va_list values;

    va_start(values, format);
    set_message(status, code, reason, format, values);
    va_end(values);
    return false;
}

bool rest_status_bad_request(struct rest_status *status, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    set_message(status, 400, "BadRequest", format, values);
    va_end(values);
    return false;
}

bool rest_status_untyped(struct rest_status *status, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    set_message(status, 500, NULL, format, values);
    va_end(values);
    return false;
}

char *rest_group_resource(const struct rest_subject *subject)
{
    if (text_is_empty(subject->group))
        return xstrdup(subject->plural);
    return xprintf("%s.%s", subject->plural, subject->group);
}

/* As Go's %q shows it; free() it. */
static char *quoted(const char *text)
{
    struct buffer shown = BUFFER_INIT(MESSAGE_BYTES_MAX);

    text = text_or(text, "");
    field_error_append_quoted(&shown, text);
    return buffer_take(&shown, NULL);
}

static void set_details(struct rest_status *status, const struct rest_subject *subject,
                        const char *kind)
{
    status->has_details = true;
    status->name = xstrdup(subject->name);
    status->group = xstrdup(subject->group);
    status->kind = xstrdup(kind);
}

/* "{start}{GR} {name}{end}", with details. */
static bool set_about(struct rest_status *status, const struct rest_subject *subject, unsigned code,
                      const char *reason, const char *start, const char *end)
{
    char *resource = rest_group_resource(subject);
    char *name = quoted(subject->name);

    rest_status_set(status, code, reason, "%s%s %s%s", start, resource, name, end);
    set_details(status, subject, subject->plural);
    free(name);
    free(resource);
    return false;
}

bool rest_status_not_found(struct rest_status *status, const struct rest_subject *subject)
{
    return set_about(status, subject, 404, "NotFound", "", " not found");
}

bool rest_status_exists(struct rest_status *status, const struct rest_subject *subject)
{
    return set_about(status, subject, 409, "AlreadyExists", "", " already exists");
}

/* "{start}{why}"; free() it. */
static char *format_why(const char *start, const char *format, va_list values) PRINTF_LIKE(2, 0);

static char *format_why(const char *start, const char *format, va_list values)
{
    struct buffer text = BUFFER_INIT(MESSAGE_BYTES_MAX);

    buffer_append_text(&text, start);
    buffer_append_format_list(&text, format, values);
    return buffer_take(&text, NULL);
}

bool rest_status_conflict(struct rest_status *status, const struct rest_subject *subject,
                          const char *format, ...)
{
    char *why;
    va_list values;

    va_start(values, format);
    why = format_why(": ", format, values);
    va_end(values);
    set_about(status, subject, 409, "Conflict", "Operation cannot be fulfilled on ", why);
    free(why);
    return false;
}

bool rest_status_forbidden(struct rest_status *status, const struct rest_subject *subject,
                           const char *format, ...)
{
    char *resource = rest_group_resource(subject);
    char *why;
    va_list values;

    va_start(values, format);
    why = format_why(" is forbidden: ", format, values);
    va_end(values);
    if (resource[0] != '\0' && !text_is_empty(subject->name)) {
        set_about(status, subject, 403, "Forbidden", "", why);
    } else {
        rest_status_set(status, 403, "Forbidden", "%s%s", resource,
                        resource[0] == '\0' ? why + strlen(" is ") : why);
        set_details(status, subject, subject->plural);
    }
    free(resource);
    free(why);
    return false;
}

bool rest_status_invalid(struct rest_status *status, const struct rest_subject *subject,
                         const struct field_errors *errors)
{
    struct buffer text = BUFFER_INIT(MESSAGE_BYTES_MAX);
    const char *dot = text_is_empty(subject->group) ? "" : ".";
    char *name = quoted(subject->name);

    field_errors_append_message(errors, &text);
    rest_status_set(status, 422, "Invalid", "%s%s%s %s is invalid: %s", subject->kind, dot,
                    subject->group, name, buffer_text(&text));
    set_details(status, subject, subject->kind);
    for (size_t i = 0; i < errors->count; i++)
        rest_status_cause(status, field_error_reason(errors->items[i].type), errors->items[i].body,
                          errors->items[i].path);
    free(name);
    buffer_release(&text);
    return false;
}

bool rest_status_invalid_options(struct rest_status *status, const char *kind,
                                 enum field_error_type type, const char *path, const char *format,
                                 ...)
{
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct rest_subject subject = {.group = "meta.k8s.io", .kind = kind, .name = ""};
    char *body;
    va_list values;

    va_start(values, format);
    body = format_why("", format, values);
    va_end(values);
    field_errors_add(&errors, type, path, "%s", body);
    rest_status_invalid(status, &subject, &errors);
    field_errors_release(&errors);
    free(body);
    return false;
}

bool rest_status_no_resource(struct rest_status *status)
{
    status->has_details = true;
    return rest_status_set(status, 404, "NotFound",
                           "the server could not find the requested resource");
}

bool rest_status_no_method(struct rest_status *status)
{
    status->has_details = true;
    return rest_status_set(status, 405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
}

bool rest_status_too_large(struct rest_status *status)
{
    return rest_status_set(status, 413, "RequestEntityTooLarge",
                           "Request entity too large: limit is 3145728");
}

void rest_status_cause(struct rest_status *status, const char *reason, const char *message,
                       const char *field)
{
    struct json_object *cause = json_object_new_object();

    if (status->causes == NULL)
        status->causes = json_object_new_array();
    if (!text_is_empty(reason))
        json_set_text(cause, "reason", reason);
    if (!text_is_empty(message))
        json_set_text(cause, "message", message);
    if (!text_is_empty(field))
        json_set_text(cause, "field", field);
    json_add(status->causes, cause);
    status->has_details = true;
}

static struct json_object *details_tree(const struct rest_status *status)
{
    struct json_object *details = json_object_new_object();

    if (!text_is_empty(status->name))
        json_set_text(details, "name", status->name);
    if (!text_is_empty(status->group))
        json_set_text(details, "group", status->group);
    if (!text_is_empty(status->kind))
        json_set_text(details, "kind", status->kind);
    if (status->causes != NULL)
        json_set(details, "causes", json_object_get(status->causes));
    if (status->retry_after_seconds > 0)
        json_set_int64(details, "retryAfterSeconds", status->retry_after_seconds);
    return details;
}

void rest_status_append(const struct rest_status *status, struct buffer *buffer)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *metadata = json_object_new_object();

    json_set_text(tree, "kind", "Status");
    json_set_text(tree, "apiVersion", "v1");
    if (status->continue_token != NULL)
        json_set_text(metadata, "continue", status->continue_token);
    json_set(tree, "metadata", metadata);
    json_set_text(tree, "status", "Failure");
    if (!text_is_empty(status->message))
        json_set_text(tree, "message", status->message);
    if (status->reason != NULL)
        json_set_text(tree, "reason", status->reason);
    if (status->has_details || status->retry_after_seconds > 0)
        json_set(tree, "details", details_tree(status));
    json_set_int64(tree, "code", status->code);
    json_append(buffer, tree);
    json_object_put(tree);
}

static enum error_kind error_kind_of(const struct rest_status *status)
{
    if (text_equal(status->reason, "AlreadyExists"))
        return ERROR_EXISTS;
    switch (status->code) {
    case 400:
        return ERROR_MALFORMED;
    case 401:
    case 403:
        return ERROR_DENIED;
    case 404:
        return ERROR_NOT_FOUND;
    case 409:
        return ERROR_CONFLICT;
    case 410:
        return ERROR_GONE;
    case 413:
        return ERROR_TOO_LARGE;
    default:
        return ERROR_INVALID;
    }
}

bool rest_status_to_error(const struct rest_status *status, struct error *err)
{
    char *line = xstrdup(text_or(status->message, "failed"));

    for (char *at = line; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    error_set(err, error_kind_of(status), "%s", line);
    free(line);
    return false;
}
