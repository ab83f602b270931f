/* decode - bodies into trees, and the checks of their shape. */
#include "fakeapi/rest/decode.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/rest/go_error.h"
#include "fakeapi/rest/parts.h"

/* How much of an unreadable body its message shows. */
#define SHOWN_BYTES 30
/* Longest of what strict decoding finds, and of all together: names are as long as bodies. */
#define NOTE_BYTES_MAX ((size_t)REST_BODY_BYTES_MAX + 1024)
#define NOTES_BYTES_MAX (2 * NOTE_BYTES_MAX)

/* As Go's decoder would say it; where it would take what the gate refuses, in the gate's words. */
static void append_why(struct buffer *text, const struct buffer *body,
                       const struct json_object *tree, const struct error *err)
{
    static const char wanted[] =
        "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }";

    if (err->text[0] == '\0')
        buffer_append_format(text, "json: cannot unmarshal %s into Go value of type %s",
                             go_error_type(tree), wanted);
    else if (!go_error_syntax(text, buffer_text(body), body->size))
        buffer_append_text(text, err->text);
}

/* The first bytes: as they are where they look like JSON. */
static void append_summary(struct buffer *text, const struct buffer *body)
{
    const unsigned char *bytes = (const unsigned char *)buffer_text(body);
    size_t size = body->size < SHOWN_BYTES ? body->size : SHOWN_BYTES;

    if (size == 0)
        buffer_append_text(text, "<empty>");
    else if (bytes[0] == '{')
        buffer_append(text, bytes, size);
    else
        for (size_t i = 0; i < size; i++)
            buffer_append_format(text, "%02x", bytes[i]);
    if (body->size > SHOWN_BYTES)
        buffer_append_text(text, " ...");
}

static bool refuse_unrecognized(struct write *write, const struct buffer *body,
                                const struct json_object *tree, const struct error *err)
{
    struct buffer why = BUFFER_INIT(1024);
    struct buffer shown = BUFFER_INIT(8 * SHOWN_BYTES);

    append_why(&why, body, tree, err);
    append_summary(&shown, body);
    rest_status_bad_request(&write->status,
                            "the object provided is unrecognized (must be of type %s): couldn't "
                            "get version/kind; json parse error: %s (%s)",
                            write->kind->kind, buffer_text(&why), buffer_text(&shown));
    buffer_release(&shown);
    buffer_release(&why);
    return false;
}

void decode_note(struct write *write, const char *format, ...)
{
    struct buffer text = BUFFER_INIT(NOTE_BYTES_MAX);
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    if (write->validation == VALIDATE_WARN)
        write_warn(write, "%s", buffer_text(&text));
    if (write->strict.size_max == 0)
        write->strict = BUFFER_INIT(NOTES_BYTES_MAX);
    if (write->strict.size > 0)
        buffer_append_text(&write->strict, ", ");
    buffer_append_text(&write->strict, buffer_text(&text));
    buffer_release(&text);
}

bool decode_json(struct write *write, const struct buffer *body, const char *whose,
                 struct json_object **ret_tree, struct error *err)
{
    struct json_repeats repeats = {0};

    if (!json_parse_repeating(body->bytes, body->size, REST_BODY_BYTES_MAX, ret_tree, &repeats,
                              err))
        return false;
    for (size_t i = 0; i < repeats.count; i++)
        decode_note(write, "%sduplicate field \"%s\"", whose, repeats.paths[i]);
    json_repeats_release(&repeats);
    return true;
}

static bool decode_yaml(const struct buffer *body, struct json_object **ret_tree, struct error *err)
{
    struct yaml_document *document = NULL;
    bool ok = yaml_parse(body->bytes, body->size, REST_BODY_BYTES_MAX, &document, NULL, NULL, err);

    if (ok && yaml_root(document) != NULL)
        *ret_tree = yaml_to_json(yaml_root(document));
    yaml_free(document);
    return ok;
}

bool decode_body(struct write *write, const struct buffer *body, enum body_form form,
                 struct json_object **ret_tree)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;
    bool ok = form == BODY_YAML ? decode_yaml(body, &tree, &err)
                                : decode_json(write, body, "", &tree, &err);

    if (ok && json_is(tree, json_type_object)) {
        *ret_tree = tree;
        return true;
    }
    refuse_unrecognized(write, body, tree, &err);
    json_object_put(tree);
    return false;
}

/* --- apiVersion and kind (C2) --- */

static bool refuse_body(struct write *write, const char *kind, const char *version, const char *why)
{
    return rest_status_bad_request(&write->status,
                                   "%s in version \"%s\" cannot be handled as a %s: %s", kind,
                                   version, write->kind->kind, why);
}

/* As refuse_body(), of a body of the right type. */
static bool refuse_content(struct write *write, const char *why)
{
    return refuse_body(write, write->kind->kind, write->version->name, why);
}

/* The Go package of a group's internal types. */
static void append_package(struct buffer *text, const char *group)
{
    if (group[0] == '\0' || strcmp(group, "events.k8s.io") == 0)
        buffer_append_text(text, "core");
    else
        buffer_append(text, group, strcspn(group, "."));
}

/* A kind of this version that is not the endpoint's, or none at all. */
static bool refuse_kind(struct write *write, const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/');
    char *group = slash == NULL ? xstrdup("") : xmemdup(api_version, (size_t)(slash - api_version));
    struct buffer why = BUFFER_INIT(REST_BODY_BYTES_MAX);
    const struct kind *known = kinds_find_kind(write->rest->kinds, group, kind);

    if (known == NULL || known->row == NULL) {
        buffer_append_format(&why,
                             "no kind \"%s\" is registered for version \"%s\" in scheme "
                             "\"pkg/api/legacyscheme/scheme.go:30\"",
                             kind, api_version);
    } else {
        buffer_append_format(&why, "converting (%s.%s) to (", known->row->version, kind);
        append_package(&why, write->kind->group);
        buffer_append_format(&why, ".%s): unknown conversion", write->kind->kind);
    }
    refuse_body(write, kind, slash == NULL ? api_version : slash + 1, buffer_text(&why));
    buffer_release(&why);
    free(group);
    return false;
}

static bool check_type(struct write *write, struct json_object *tree)
{
    const char *api_version = json_get_text(tree, "apiVersion");
    const char *kind = json_get_text(tree, "kind");

    if (text_is_empty(api_version))
        api_version = write->version->api_version;
    if (!text_is_empty(kind) && strcmp(kind, write->kind->kind) != 0)
        return refuse_kind(write, api_version, kind);
    if (strcmp(api_version, write->version->api_version) != 0)
        return rest_status_bad_request(&write->status,
                                       "the API version in the data (%s) does not match the "
                                       "expected API version (%s)",
                                       api_version, write->version->api_version);
    json_set_text(tree, "apiVersion", write->version->api_version);
    json_set_text(tree, "kind", write->kind->kind);
    return true;
}

/* --- types of what every kind has (C3) --- */

static bool refuse_type(struct write *write, const char *field, const struct json_object *value,
                        const char *want)
{
    char *why = xprintf("json: cannot unmarshal %s into Go struct field %s of type %s",
                        go_error_type(value), field, want);

    refuse_content(write, why);
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
    refuse_content(write, why);
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

static void drop_unknown_metadata(struct write *write, struct json_object *metadata)
{
    json_object_object_foreach(metadata, name, value)
    {
        (void)value;
        if (is_known_metadata(name))
            continue;
        decode_note(write, "unknown field \"metadata.%s\"", name);
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

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void prune(struct write *write, struct json_object *tree)
{
    struct schema_unknown fields = SCHEMA_UNKNOWN_INIT;

    schema_prune(write->version->schema, tree, &fields);
    if (fields.count > 1)
        qsort(fields.paths, fields.count, sizeof(char *), compare_paths);
    for (size_t i = 0; i < fields.count; i++)
        decode_note(write, "unknown field \"%s\"", fields.paths[i]);
    schema_unknown_release(&fields);
    schema_default(write->version->schema, tree);
}

static bool refuse_strictly(struct write *write)
{
    char *why = xprintf("strict decoding error: %s", buffer_text(&write->strict));

    refuse_content(write, why);
    free(why);
    return false;
}

bool write_accept_body(struct write *write, struct json_object *tree)
{
    struct json_object *metadata = json_ensure_object(tree, "metadata");

    if (!check_type(write, tree))
        return false;
    drop_nulls(metadata);
    if (!check_metadata_types(write, metadata))
        return false;
    if (write->kind->row != NULL) {
        drop_nulls(tree);
        if (!check_builtin_types(write, tree))
            return false;
    }
    drop_unknown_metadata(write, metadata);
    if (write->version->schema != NULL)
        prune(write, tree);
    if (write->strict.size > 0 && write->validation == VALIDATE_STRICT)
        return refuse_strictly(write);
    return true;
}
