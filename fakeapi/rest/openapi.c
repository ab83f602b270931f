/* openapi - the least that kubectl's validation and explain live on (WIRE.md D17 to D21). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/groups.h"
#include "fakeapi/rest/openapi_v2.h"

/* Largest document: schemas of CRDs are bounded by their own size. */
#define DOCUMENT_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define HASH_SIZE 65

static struct json_object *kind_words(const struct group_entry *entry)
{
    struct json_object *words = json_object_new_object();

    json_set_text(words, "group", entry->kind->group);
    json_set_text(words, "kind", entry->kind->kind);
    json_set_text(words, "version", entry->version->name);
    return words;
}

static struct json_object *operation(const struct group_entry *entry, const char *action,
                                     bool validates)
{
    struct json_object *object = json_object_new_object();

    json_set_text(object, "x-kubernetes-action", action);
    json_set(object, "x-kubernetes-group-version-kind", kind_words(entry));
    if (validates) {
        struct json_object *parameters = json_object_new_array();
        struct json_object *parameter = json_object_new_object();

        json_set_text(parameter, "name", "fieldValidation");
        json_set_text(parameter, "in", "query");
        json_add(parameters, parameter);
        json_set(object, "parameters", parameters);
    }
    return object;
}

static void add_paths(struct json_object *paths, const struct group_entry *entry)
{
    struct json_object *item = json_object_new_object();
    const char *root = entry->kind->group[0] == '\0' ? "api" : "apis";
    char *path =
        xprintf("/%s/%s/%s%s/{name}", root, entry->version->api_version,
                entry->kind->namespaced ? "namespaces/{namespace}/" : "", entry->kind->plural);

    json_set(item, "get", operation(entry, "get", false));
    json_set(item, "put", operation(entry, "put", true));
    json_set(item, "patch", operation(entry, "patch", true));
    json_set(item, "delete", operation(entry, "delete", false));
    json_set(paths, path, item);
    free(path);
}

static void set_typed(struct json_object *properties, const char *name, const char *type,
                      const char *description)
{
    struct json_object *property = json_object_new_object();

    json_set_text(property, "type", type);
    json_set_text(property, "description", description);
    json_set(properties, name, property);
}

/* A kind's schema: a CRD's own, or that it is an object. */
static struct json_object *schema_of(const struct group_entry *entry)
{
    struct json_object *schema = entry->version->openapi == NULL
                                     ? json_object_new_object()
                                     : json_copy(entry->version->openapi);
    struct json_object *properties = json_ensure_object(schema, "properties");
    struct json_object *kinds = json_object_new_array();

    json_set_text(schema, "type", "object");
    set_typed(properties, "apiVersion", "string",
              "APIVersion defines the versioned schema of this representation of an object.");
    set_typed(properties, "kind", "string",
              "Kind is a string value representing the REST resource this object represents.");
    set_typed(properties, "metadata", "object", "Standard object's metadata.");
    json_add(kinds, kind_words(entry));
    json_set(schema, "x-kubernetes-group-version-kind", kinds);
    return schema;
}

/* The document of one group and version, as text. */
static char *document_of(const struct group_entry *entries, size_t first, size_t end,
                         size_t *ret_size)
{
    struct buffer text = BUFFER_INIT(DOCUMENT_BYTES_MAX);
    struct json_object *document = json_object_new_object();
    struct json_object *info = json_ensure_object(document, "info");
    struct json_object *paths = json_ensure_object(document, "paths");
    struct json_object *schemas =
        json_ensure_object(json_ensure_object(document, "components"), "schemas");

    json_set_text(document, "openapi", "3.0.0");
    json_set_text(info, "title", "Kubernetes");
    json_set_text(info, "version", "v1.32.4");
    for (size_t i = first; i < end; i++) {
        char *name = xprintf("%s.%s.%s", entries[i].kind->group, entries[i].version->name,
                             entries[i].kind->kind);

        add_paths(paths, &entries[i]);
        json_set(schemas, name, schema_of(&entries[i]));
        free(name);
    }
    json_append(&text, document);
    json_object_put(document);
    return buffer_take(&text, ret_size);
}

static void hash_of(const char *text, size_t size, char hash[HASH_SIZE])
{
    uint8_t digest[SHA256_SIZE];

    digest_sha256(text, size, digest);
    digest_hex(digest, sizeof(digest), hash);
}

/* "api/v1" or "apis/batch/v1" */
static char *path_of(const struct group_entry *entry)
{
    return xprintf("%s/%s", entry->kind->group[0] == '\0' ? "api" : "apis",
                   entry->version->api_version);
}

static char *url_of(const struct group_entry *entries, size_t first, size_t end)
{
    char *path = path_of(&entries[first]);
    size_t size;
    char *text = document_of(entries, first, end, &size);
    char hash[HASH_SIZE];
    char *url;

    hash_of(text, size, hash);
    url = xprintf("/openapi/v3/%s?hash=%s", path, hash);
    free(text);
    free(path);
    return url;
}

static void answer_index(struct call *call, const struct group_entry *entries, size_t count)
{
    struct accept accept = {.form = FORM_PLAIN, .version = ""};
    struct json_object *document = json_object_new_object();
    struct json_object *paths = json_ensure_object(document, "paths");

    for (size_t i = 0; i < count; i = groups_version_end(entries, count, i)) {
        struct json_object *item = json_object_new_object();
        char *path = path_of(&entries[i]);
        char *url = url_of(entries, i, groups_version_end(entries, count, i));

        json_set_text(item, "serverRelativeURL", url);
        json_set(paths, path, item);
        free(url);
        free(path);
    }
    call_answer_tree(call, 200, &accept, NULL, document);
    json_object_put(document);
}

static void answer_document(struct call *call, const struct group_entry *entries, size_t first,
                            size_t end)
{
    size_t size;
    char *text = document_of(entries, first, end, &size);
    char *asked = route_query(&call->route, "hash");
    char hash[HASH_SIZE];
    char etag[HASH_SIZE + 2];
    const struct http_header headers[] = {
        {"Content-Type",  "application/json" },
        {"ETag",          etag               },
        {"Cache-Control", "public, immutable"}
    };

    hash_of(text, size, hash);
    snprintf(etag, sizeof(etag), "\"%s\"", hash);
    if (text_is_empty(asked)) {
        call_answer_bytes(call, 200, headers, 2, text, size);
    } else if (strcmp(asked, hash) == 0) {
        call_answer_bytes(call, 200, headers, 3, text, size);
    } else {
        char *url = url_of(entries, first, end);
        const struct http_header moved[] = {
            {"Location", url}
        };

        call_answer_bytes(call, 301, moved, ARRAY_SIZE(moved), NULL, 0);
        free(url);
    }
    free(asked);
    free(text);
}

static void answer_v3(struct call *call)
{
    char *const *words = call->route.segments + 2;
    size_t word_count = call->route.segment_count - 2;
    size_t count;
    struct group_entry *entries = groups_list(call->rest->kinds, &count);
    bool found = false;

    if (word_count == 0) {
        answer_index(call, entries, count);
        free(entries);
        return;
    }
    for (size_t i = 0; !found && i < count; i = groups_version_end(entries, count, i)) {
        const char *group = entries[i].kind->group;
        const char *version = entries[i].version->name;

        found =
            group[0] == '\0'
                ? word_count == 2 && strcmp(words[0], "api") == 0 && strcmp(words[1], version) == 0
                : word_count == 3 && strcmp(words[0], "apis") == 0 &&
                      strcmp(words[1], group) == 0 && strcmp(words[2], version) == 0;
        if (found)
            answer_document(call, entries, i, groups_version_end(entries, count, i));
    }
    if (!found)
        call_answer_no_path(call);
    free(entries);
}

static void answer_v2(struct call *call)
{
    static const struct http_header headers[] = {
        {"Content-Type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}
    };
    struct buffer document = BUFFER_INIT(DOCUMENT_BYTES_MAX);
    size_t count;
    struct group_entry *entries = groups_list(call->rest->kinds, &count);

    openapi_v2_append(&document, entries, count);
    call_answer_bytes(call, 200, headers, ARRAY_SIZE(headers), document.bytes, document.size);
    buffer_release(&document);
    free(entries);
}

bool call_openapi(struct call *call)
{
    char *const *words = call->route.segments;

    if (call->route.segment_count < 2 || strcmp(words[0], "openapi") != 0)
        return false;
    if (strcmp(words[1], "v2") == 0 && call->route.segment_count == 2)
        answer_v2(call);
    else if (strcmp(words[1], "v3") == 0)
        answer_v3(call);
    else
        return false;
    return true;
}
