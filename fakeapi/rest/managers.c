/* managers - metadata.managedFields. */
#include "fakeapi/rest/managers.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/metadata.h"

/* Kubernetes' limits. */
#define MANAGER_MAX ((size_t)128)
#define SUBRESOURCE_MAX ((size_t)256)

static const char key[] = "managedFields";

static bool is_reset(const struct json_object *list)
{
    size_t count = json_is(list, json_type_array) ? json_object_array_length(list) : 0;
    const struct json_object *first = count == 1 ? json_object_array_get_idx(list, 0) : NULL;

    return count == 0 ? json_is(list, json_type_array)
                      : json_is(first, json_type_object) && json_object_object_length(first) == 0;
}

bool managers_are_reset(const struct json_object *body)
{
    return is_reset(json_get(json_get(body, "metadata"), key));
}

void managers_note_reset(struct json_object *metadata, bool reset)
{
    if (reset)
        json_set(metadata, key, json_object_new_array());
}

void managers_settle(struct json_object *metadata, const struct json_object *old)
{
    const struct json_object *before = json_get(old, key);

    if (is_reset(json_get(metadata, key)))
        json_object_object_del(metadata, key);
    else if (json_get(metadata, key) == NULL && before != NULL)
        json_set(metadata, key, json_copy(before));
}

static void check_size(const struct json_object *entry, const char *path, const char *member,
                       size_t size_max, struct field_errors *errors)
{
    const char *text = text_or(json_get_text(entry, member), "");
    char *field;

    if (strlen(text) <= size_max)
        return;
    field = xprintf("%s.%s", path, member);
    field_errors_add(errors, FIELD_TOO_LONG, field, "Too long: may not be more than %zu bytes",
                     size_max);
    free(field);
}

static void check_entry(const struct json_object *entry, const char *path,
                        struct field_errors *errors)
{
    const char *operation = text_or(json_get_text(entry, "operation"), "");
    const char *type = text_or(json_get_text(entry, "fieldsType"), "");
    char *field;

    if (strcmp(operation, "Apply") != 0 && strcmp(operation, "Update") != 0) {
        field = xprintf("%s.operation", path);
        metadata_add_invalid(errors, field, operation, "must be `Apply` or `Update`");
        free(field);
    }
    if (type[0] != '\0' && strcmp(type, "FieldsV1") != 0) {
        field = xprintf("%s.fieldsType", path);
        metadata_add_invalid(errors, field, type, "must be `FieldsV1`");
        free(field);
    }
    check_size(entry, path, "manager", MANAGER_MAX, errors);
    check_size(entry, path, "subresource", SUBRESOURCE_MAX, errors);
}

void managers_check(const struct json_object *metadata, struct field_errors *errors)
{
    const struct json_object *list = json_get_array(metadata, key);

    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++) {
        char *path = xprintf("metadata.managedFields[%zu]", i);

        check_entry(json_object_array_get_idx(list, i), path, errors);
        free(path);
    }
}
