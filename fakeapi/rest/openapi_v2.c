#include "fakeapi/rest/openapi_v2.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* Longest description of one kind: its names are bounded by what a CRD may say. */
#define MESSAGE_BYTES_MAX ((size_t)64 * 1024)

/* Fields of gnostic's openapi_v2 messages, by number. */
enum {
    DOCUMENT_SWAGGER = 1,
    DOCUMENT_PATHS = 8,
    PATHS_PATH = 2,
    NAMED_NAME = 1,
    NAMED_VALUE = 2,
    PATH_ITEM_PATCH = 8,
    OPERATION_PARAMETERS = 8,
    OPERATION_VENDOR_EXTENSION = 13,
    PARAMETERS_ITEM_PARAMETER = 1,
    PARAMETER_NON_BODY = 2,
    NON_BODY_QUERY = 3,
    QUERY_IN = 2,
    QUERY_NAME = 4,
    ANY_YAML = 2,
};

static void append_varint(struct buffer *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buffer_append_char(message, (char)(0x80 | (value & 0x7f)));
    buffer_append_char(message, (char)value);
}

static void append_bytes(struct buffer *message, unsigned field, const void *bytes, size_t size)
{
    append_varint(message, field << 3 | 2); /* a field with a length */
    append_varint(message, size);
    buffer_append(message, bytes, size);
}

static void append_text(struct buffer *message, unsigned field, const char *text)
{
    append_bytes(message, field, text, strlen(text));
}

/* Puts what inner holds into outer as that field; inner is empty then. */
static void wrap(struct buffer *outer, unsigned field, struct buffer *inner)
{
    append_bytes(outer, field, inner->bytes, inner->size);
    buffer_clear(inner);
}

/* The query parameter dryRun, in all its shells. */
static void append_parameter(struct buffer *operation)
{
    struct buffer a = BUFFER_INIT(MESSAGE_BYTES_MAX);
    struct buffer b = BUFFER_INIT(MESSAGE_BYTES_MAX);

    append_text(&a, QUERY_IN, "query");
    append_text(&a, QUERY_NAME, "dryRun");
    wrap(&b, NON_BODY_QUERY, &a);
    wrap(&a, PARAMETER_NON_BODY, &b);
    wrap(&b, PARAMETERS_ITEM_PARAMETER, &a);
    wrap(operation, OPERATION_PARAMETERS, &b);
    buffer_release(&a);
    buffer_release(&b);
}

/* Which kind the operation is about. */
static void append_kind(struct buffer *operation, const struct group_entry *entry)
{
    struct buffer any = BUFFER_INIT(MESSAGE_BYTES_MAX);
    struct buffer extension = BUFFER_INIT(MESSAGE_BYTES_MAX);
    char *yaml = xprintf("group: \"%s\"\nkind: %s\nversion: %s\n", entry->kind->group,
                         entry->kind->kind, entry->version->name);

    append_text(&any, ANY_YAML, yaml);
    append_text(&extension, NAMED_NAME, "x-kubernetes-group-version-kind");
    wrap(&extension, NAMED_VALUE, &any);
    wrap(operation, OPERATION_VENDOR_EXTENSION, &extension);
    buffer_release(&extension);
    buffer_release(&any);
    free(yaml);
}

static void append_path(struct buffer *paths, const struct group_entry *entry)
{
    struct buffer a = BUFFER_INIT(MESSAGE_BYTES_MAX);
    struct buffer b = BUFFER_INIT(MESSAGE_BYTES_MAX);
    const struct kind *kind = entry->kind;
    char *path = xprintf("/%s/%s%s/%s/{name}", kind->group[0] == '\0' ? "api" : "apis",
                         entry->version->api_version,
                         kind->namespaced ? "/namespaces/{namespace}" : "", kind->plural);

    append_parameter(&a);
    append_kind(&a, entry);
    wrap(&b, PATH_ITEM_PATCH, &a);
    append_text(&a, NAMED_NAME, path);
    wrap(&a, NAMED_VALUE, &b);
    wrap(paths, PATHS_PATH, &a);
    buffer_release(&a);
    buffer_release(&b);
    free(path);
}

void openapi_v2_append(struct buffer *document, const struct group_entry *entries, size_t count)
{
    struct buffer paths = BUFFER_INIT(document->size_max);

    append_text(document, DOCUMENT_SWAGGER, "2.0");
    for (size_t i = 0; i < count; i++)
        append_path(&paths, &entries[i]);
    wrap(document, DOCUMENT_PATHS, &paths);
    buffer_release(&paths);
}
