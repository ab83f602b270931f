/* decode - bodies into trees, and the checks of their shape. */
#include "fakeapi/rest/decode.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/rest/parts.h"

/* How much of an unreadable body its message shows. */
#define SHOWN_BYTES 30

static bool refuse_unrecognized(const void *bytes, size_t size, const struct kind *kind,
                                const char *why, struct rest_status *status)
{
    struct buffer shown = BUFFER_INIT(8 * SHOWN_BYTES);

    if (size == 0)
        return rest_status_bad_request(status,
                                       "the object provided is unrecognized (must be of type %s): "
                                       "couldn't get version/kind; json parse error: unexpected "
                                       "end of JSON input (<empty>)",
                                       kind->kind);
    for (size_t i = 0; i < size && i < SHOWN_BYTES; i++)
        buffer_append_format(&shown, "%02x", ((const unsigned char *)bytes)[i]);
    rest_status_bad_request(status,
                            "the object provided is unrecognized (must be of type %s): couldn't "
                            "get version/kind; json parse error: %s (%s%s)",
                            kind->kind, why, buffer_text(&shown), size > SHOWN_BYTES ? " ..." : "");
    buffer_release(&shown);
    return false;
}

bool decode_body(const void *bytes, size_t size, enum body_form form, const struct kind *kind,
                 const struct kind_version *version, struct json_object **ret_tree,
                 struct rest_status *status)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    (void)version;
    if (form == BODY_YAML) {
        struct yaml_document *document = NULL;

        ok = yaml_parse(bytes, size, REST_BODY_BYTES_MAX, &document, NULL, NULL, &err);
        if (ok && yaml_root(document) != NULL)
            tree = yaml_to_json(yaml_root(document));
        yaml_free(document);
    } else {
        ok = json_parse(bytes, size, REST_BODY_BYTES_MAX, &tree, &err);
    }
    if (ok && json_is(tree, json_type_object)) {
        *ret_tree = tree;
        return true;
    }
    json_object_put(tree);
    return refuse_unrecognized(bytes, size, kind, ok ? "it is no object" : err.text, status);
}

/* --- apiVersion and kind (C2) --- */

static bool refuse_body(struct write *write, const char *kind, const char *why)
{
    return rest_status_bad_request(&write->status,
                                   "%s in version \"%s\" cannot be handled as a %s: %s", kind,
                                   write->version->name, write->kind->kind, why);
}

static bool check_type(struct write *write, struct json_object *tree)
{
    const char *api_version = json_get_text(tree, "apiVersion");
    const char *kind = json_get_text(tree, "kind");

    if (!text_is_empty(kind) && strcmp(kind, write->kind->kind) != 0)
        return refuse_body(write, kind, "unknown conversion");
    if (!text_is_empty(api_version) && strcmp(api_version, write->version->api_version) != 0)
        return rest_status_bad_request(&write->status,
                                       "the API version in the data (%s) does not match the "
                                       "expected API version (%s)",
                                       api_version, write->version->api_version);
    json_set_text(tree, "apiVersion", write->version->api_version);
    json_set_text(tree, "kind", write->kind->kind);
    return true;
}

/* --- types of what every kind has (C3) --- */

static const char *go_type(const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return "bool";
    case json_type_int:
    case json_type_double:
        return "number";
    case json_type_string:
        return "string";
    case json_type_array:
        return "array";
    case json_type_object:
        return "object";
    case json_type_null:
        break;
    }
    return "null";
}

static bool refuse_type(struct write *write, const char *field, const struct json_object *value,
                        const char *want)
{
    char *why = xprintf("json: cannot unmarshal %s into Go struct field %s of type %s",
                        go_type(value), field, want);

    refuse_body(write, write->kind->kind, why);
    free(why);
    return false;
}

static bool check_member(struct write *write, struct json_object *object, const char *prefix,
                         const char *key, enum json_type type, const char *want)
{
    struct json_object *value = json_get(object, key);
    char *field;

    if (value == NULL || json_is(value, type))
        return true;
    field = xprintf("%s.%s", prefix, key);
    refuse_type(write, field, value, want);
    free(field);
    return false;
}

/* A map of texts, such as labels. */
static bool check_text_map(struct write *write, struct json_object *object, const char *prefix,
                           const char *key)
{
    struct json_object *map = json_get(object, key);
    struct json_object_iterator at;
    struct json_object_iterator end;
    char *field;
    bool ok = true;

    if (!check_member(write, object, prefix, key, json_type_object, "map[string]string"))
        return false;
    if (map == NULL)
        return true;
    field = xprintf("%s.%s", prefix, key);
    at = json_object_iter_begin(map);
    end = json_object_iter_end(map);
    for (; ok && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *value = json_object_iter_peek_value(&at);

        if (value != NULL && !json_is(value, json_type_string))
            ok = refuse_type(write, field, value, "string");
    }
    free(field);
    return ok;
}

static bool check_list(struct write *write, struct json_object *object, const char *prefix,
                       const char *key, enum json_type item_type, const char *item_want)
{
    struct json_object *list = json_get(object, key);
    char *field;
    bool ok = check_member(write, object, prefix, key, json_type_array, item_want);

    if (list == NULL)
        return ok;
    field = xprintf("%s.%s", prefix, key);
    for (size_t i = 0; ok && i < json_object_array_length(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);

        if (!json_is(item, item_type))
            ok = refuse_type(write, field, item, item_want);
    }
    free(field);
    return ok;
}

static bool check_metadata_types(struct write *write, struct json_object *metadata)
{
    static const char prefix[] = "ObjectMeta.metadata";
    static const char *const texts[] = {"name",
                                        "generateName",
                                        "namespace",
                                        "uid",
                                        "resourceVersion",
                                        "creationTimestamp",
                                        "deletionTimestamp",
                                        "selfLink"};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (!check_member(write, metadata, prefix, texts[i], json_type_string, "string"))
            return false;
    return check_text_map(write, metadata, prefix, "labels") &&
           check_text_map(write, metadata, prefix, "annotations") &&
           check_list(write, metadata, prefix, "finalizers", json_type_string, "string") &&
           check_list(write, metadata, prefix, "ownerReferences", json_type_object,
                      "v1.OwnerReference");
}

/* 2006-01-02T15:04:05.000000Z07:00, as Go parses a MicroTime: six digits, no more or less (S7). */
static bool is_micro_time(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddddd";
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (form[i] == 'd' ? !digit : text[i] != form[i])
            return false;
    }
    return strcmp(text + i, "Z") == 0 || text[i] == '+' || text[i] == '-';
}

static bool check_micro_time(struct write *write, struct json_object *object, const char *key)
{
    const char *text = json_get_text(object, key);
    char *why;

    if (text == NULL || is_micro_time(text))
        return true;
    why = xprintf("parsing time \"\\\"%s\\\"\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot "
                  "parse \"%s\" as \".000000\"",
                  text, strlen(text) > 19 ? text + 19 : "");
    refuse_body(write, write->kind->kind, why);
    free(why);
    return false;
}

static bool check_builtin_types(struct write *write, struct json_object *tree)
{
    const char *kind = write->kind->kind;
    bool map = strcmp(kind, "ConfigMap") == 0 || strcmp(kind, "Secret") == 0;

    if (map)
        return check_text_map(write, tree, kind, "data") &&
               check_text_map(write, tree, kind, "stringData") &&
               check_text_map(write, tree, kind, "binaryData");
    if (!check_member(write, tree, kind, "spec", json_type_object, "v1 spec") ||
        !check_member(write, tree, kind, "status", json_type_object, "v1 status"))
        return false;
    if (strcmp(kind, "Lease") != 0)
        return true;
    return check_micro_time(write, json_get_object(tree, "spec"), "renewTime") &&
           check_micro_time(write, json_get_object(tree, "spec"), "acquireTime");
}

/* --- unknown fields and nulls --- */

static bool is_known_metadata(const char *name)
{
    static const char *const known[] = {"annotations",
                                        "creationTimestamp",
                                        "deletionGracePeriodSeconds",
                                        "deletionTimestamp",
                                        "finalizers",
                                        "generateName",
                                        "generation",
                                        "labels",
                                        "managedFields",
                                        "name",
                                        "namespace",
                                        "ownerReferences",
                                        "resourceVersion",
                                        "selfLink",
                                        "uid"};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

/* Keeps what is wrong as one text: 'unknown field "a", unknown field "b"'; warns of it too. */
static void note_unknown(struct write *write, struct buffer *unknown, const char *prefix,
                         const char *path)
{
    if (write->validation == VALIDATE_WARN)
        write_warn(write, "unknown field \"%s%s\"", prefix, path);
    buffer_append_format(unknown, "%sunknown field \"%s%s\"", unknown->size > 0 ? ", " : "", prefix,
                         path);
}

static void drop_unknown_metadata(struct write *write, struct json_object *metadata,
                                  struct buffer *unknown)
{
    json_object_object_foreach(metadata, name, value)
    {
        (void)value;
        if (is_known_metadata(name))
            continue;
        note_unknown(write, unknown, "metadata.", name);
        json_object_object_del(metadata, name);
    }
}

/* Null members are as good as none to Go's decoder. */
static void drop_nulls(struct json_object *value)
{
    if (json_is(value, json_type_array))
        for (size_t i = 0; i < json_object_array_length(value); i++)
            drop_nulls(json_object_array_get_idx(value, i));
    if (!json_is(value, json_type_object))
        return;
    json_object_object_foreach(value, name, member)
    {
        if (member == NULL)
            json_object_object_del(value, name);
        else
            drop_nulls(member);
    }
}

static void prune(struct write *write, struct json_object *tree, struct buffer *unknown)
{
    struct schema_unknown fields = SCHEMA_UNKNOWN_INIT;

    schema_prune(write->version->schema, tree, &fields);
    for (size_t i = 0; i < fields.count; i++)
        note_unknown(write, unknown, "", fields.paths[i]);
    schema_unknown_release(&fields);
    schema_default(write->version->schema, tree);
}

static bool refuse_unknown(struct write *write, const struct buffer *unknown)
{
    char *why = xprintf("strict decoding error: %s", buffer_text(unknown));

    refuse_body(write, write->kind->kind, why);
    free(why);
    return false;
}

bool write_accept_body(struct write *write, struct json_object *tree)
{
    struct buffer unknown = BUFFER_INIT(64 * 1024);
    struct json_object *metadata = json_ensure_object(tree, "metadata");
    bool ok = check_type(write, tree);

    if (ok) {
        drop_nulls(metadata);
        ok = check_metadata_types(write, metadata);
    }
    if (ok && write->kind->row != NULL) {
        drop_nulls(tree);
        ok = check_builtin_types(write, tree);
    }
    if (ok) {
        drop_unknown_metadata(write, metadata, &unknown);
        if (write->version->schema != NULL)
            prune(write, tree, &unknown);
        if (unknown.size > 0 && write->validation == VALIDATE_STRICT)
            ok = refuse_unknown(write, &unknown);
    }
    buffer_release(&unknown);
    return ok;
}
