#include "tests/model/refusals.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_SIZE 8192

void cause(struct json_object *causes, const char *reason, const char *field, const char *body, ...)
{
    struct json_object *item = json_object_new_object();
    char message[MESSAGE_SIZE];
    va_list values;

    va_start(values, body);
    (void)vsnprintf(message, sizeof(message), body, values);
    va_end(values);
    value_put_text(item, "reason", reason);
    value_put_text(item, "message", message);
    if (field[0] != '\0')
        value_put_text(item, "field", field);
    value_add(causes, item);
}

static struct json_object *status_of(int code, const char *reason, const char *message)
{
    struct json_object *status = value_of("{'kind':'Status','apiVersion':'v1','metadata':{},"
                                          "'status':'Failure'}");

    value_put_int(status, "code", code);
    value_put_text(status, "message", message);
    if (reason != NULL)
        value_put_text(status, "reason", reason);
    return status;
}

#define FORMAT_MESSAGE                                                                             \
    char message_text[MESSAGE_SIZE];                                                               \
    va_list values;                                                                                \
                                                                                                   \
    va_start(values, message);                                                                     \
    (void)vsnprintf(message_text, sizeof(message_text), message, values);                          \
    va_end(values)

struct json_object *refuse(int code, const char *reason, const char *message, ...)
{
    FORMAT_MESSAGE;

    return status_of(code, reason, message_text);
}

struct json_object *refuse_bad(const char *message, ...)
{
    FORMAT_MESSAGE;

    return status_of(400, "BadRequest", message_text);
}

void add_details(struct json_object *status, const struct kind *kind, const char *name)
{
    struct json_object *details = value_within(status, "details");

    if (name[0] != '\0')
        value_put_text(details, "name", name);
    if (kind->group[0] != '\0')
        value_put_text(details, "group", kind->group);
    value_put_text(details, "kind", kind->plural);
}

struct json_object *refuse_conflict(const struct kind *kind, const char *name, const char *message,
                                    ...)
{
    struct json_object *status;
    char room[96];
    FORMAT_MESSAGE;

    status = refuse(409, "Conflict", "Operation cannot be fulfilled on %s \"%s\": %s",
                    group_resource(kind, room), name, message_text);
    add_details(status, kind, name);
    return status;
}

struct json_object *refuse_missing(const struct kind *kind, const char *name)
{
    char room[96];
    struct json_object *status =
        refuse(404, "NotFound", "%s \"%s\" not found", group_resource(kind, room), name);

    add_details(status, kind, name);
    return status;
}

struct json_object *refuse_existing(const struct kind *kind, const char *name, bool ending)
{
    char room[96];
    struct json_object *status =
        refuse(409, "AlreadyExists", "%s%s \"%s\" already exists",
               ending ? "object is being deleted: " : "", group_resource(kind, room), name);

    add_details(status, kind, name);
    return status;
}

struct json_object *refuse_namespace_missing(const char *namespace)
{
    return refuse_missing(&kinds[NAMESPACE], namespace);
}

struct json_object *refuse_forbidden(const struct kind *kind, const char *name, const char *why)
{
    char room[96];
    struct json_object *status = refuse(403, "Forbidden", "%s \"%s\" is forbidden: %s",
                                        group_resource(kind, room), name, why);

    add_details(status, kind, name);
    return status;
}

struct json_object *refuse_namespace_ending(const struct kind *kind, const char *name,
                                            const char *namespace)
{
    struct json_object *causes = json_object_new_array();
    struct json_object *status;
    char why[MESSAGE_SIZE];

    (void)snprintf(why, sizeof(why),
                   "unable to create new content in namespace %s because it is being terminated",
                   namespace);
    status = refuse_forbidden(kind, name, why);
    cause(causes, "NamespaceTerminating", "metadata.namespace", "namespace %s is being terminated",
          namespace);
    value_put(value_get(status, "details"), "causes", causes);
    return status;
}

/* "f: m" of each, once; several in brackets (T11). */
char *joined_causes(const struct json_object *causes)
{
    char text[MESSAGE_SIZE];
    char one[MESSAGE_SIZE];
    size_t count = 0;
    size_t size = 0;

    text[size++] = '[';
    for (size_t i = 0; i < value_length(causes); i++) {
        const struct json_object *item = value_item(causes, i);
        int length;

        (void)snprintf(one, sizeof(one), "%s: %s", value_text(item, "field"),
                       value_text(item, "message"));
        text[size] = '\0';
        if (strstr(text, one) != NULL)
            continue;
        length = snprintf(text + size, MESSAGE_SIZE - size, "%s%s", count > 0 ? ", " : "", one);
        size += (size_t)length;
        count++;
    }
    (void)snprintf(text + size, MESSAGE_SIZE - size, "%s", count > 1 ? "]" : "");
    return format("%s", count > 1 ? text : text + 1);
}

struct json_object *refuse_invalid(const struct kind *kind, const char *name,
                                   struct json_object *causes)
{
    char room[96];
    struct json_object *details;
    struct json_object *status =
        refuse(422, "Invalid", "%s \"%s\" is invalid: <causes>", group_kind(kind, room), name);

    details = value_within(status, "details");
    if (name[0] != '\0')
        value_put_text(details, "name", name);
    if (kind->group[0] != '\0')
        value_put_text(details, "group", kind->group);
    value_put_text(details, "kind", kind->kind);
    value_put(details, "causes", causes);
    return status;
}

struct json_object *refuse_options(const char *options, struct json_object *causes)
{
    const struct kind kind = {.group = "meta.k8s.io", .kind = options};

    return refuse_invalid(&kind, "", causes);
}

struct json_object *refuse_future(uint64_t revision, uint64_t current)
{
    struct json_object *causes = json_object_new_array();
    struct json_object *status = refuse(
        504, "Timeout", "Timeout: Too large resource version: %" PRIu64 ", current: %" PRIu64,
        revision, current);
    struct json_object *details = value_within(status, "details");

    cause(causes, "ResourceVersionTooLarge", "", "Too large resource version");
    value_put(details, "causes", causes);
    value_put_int(details, "retryAfterSeconds", 1);
    return status;
}
