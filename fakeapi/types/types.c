/* types - finding kinds and fields. */
#include "fakeapi/types/types.h"

#include <string.h>

#include "fakeapi/types/table.h"

/* --- finding --- */

static int compare_kind(const struct type_kind *row, const char *api_version, const char *kind)
{
    int order = strcmp(kind, type_texts + row->kind);

    return order != 0 ? order : strcmp(api_version, type_texts + row->api_version);
}

const struct type_message *types_find(const char *api_version, const char *kind)
{
    size_t low = 0;
    size_t high = type_kind_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_kind(&type_kinds[middle], api_version, kind);

        if (order == 0)
            return &type_messages[type_kinds[middle].message];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static const struct type_field *find_own(const struct type_message *message, const char *key,
                                         size_t size)
{
    const struct type_field *fields = &type_fields[message->first];
    size_t low = 0;
    size_t high = message->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct type_field *field = &fields[middle];
        int order = size != field->name_size ? (size < field->name_size ? -1 : 1)
                                             : memcmp(key, type_texts + field->name, size);

        if (order == 0)
            return field;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct type_field *types_field(const struct type_message *message, const char *key)
{
    size_t size = strlen(key);
    const struct type_field *field = find_own(message, key, size);

    while (field == NULL && message->inlined != TYPE_NO_MESSAGE) {
        message = &type_messages[message->inlined];
        field = find_own(message, key, size);
    }
    return field;
}
