/* decode - bodies into trees, and the checks of their shape. */
#include "fakeapi/rest/decode.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/rest/go_error.h"
#include "fakeapi/rest/managers.h"
#include "fakeapi/rest/parts.h"
#include "fakeapi/types/types.h"

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
                             types_word(tree), wanted);
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

void decode_note_quoted(struct write *write, const char *what, const char *path)
{
    struct buffer quoted = BUFFER_INIT(NOTE_BYTES_MAX);

    field_error_append_quoted(&quoted, path);
    decode_note(write, "%s%s", what, buffer_text(&quoted));
    buffer_release(&quoted);
}

bool decode_json(struct write *write, const struct buffer *body, struct json_object **ret_tree,
                 struct error *err)
{
    struct json_repeats repeats = {0};

    if (!json_parse_repeating(body->bytes, body->size, REST_BODY_BYTES_MAX, ret_tree, &repeats,
                              err))
        return false;
    for (size_t i = 0; i < repeats.count; i++)
        decode_note_quoted(write, "duplicate field ", repeats.paths[i]);
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
    bool ok =
        form == BODY_YAML ? decode_yaml(body, &tree, &err) : decode_json(write, body, &tree, &err);

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

/* Whether the real server's scheme has it: a built-in kind, in a version that it has. */
static bool is_registered(const struct kind *kind, const char *api_version)
{
    if (kind == NULL || kind->row == NULL)
        return false;
    for (size_t i = 0; i < kind->version_count; i++)
        if (strcmp(kind->versions[i].api_version, api_version) == 0)
            return true;
    return false;
}

static const struct kind *find_kind(const struct write *write, const char *api_version,
                                    const char *kind)
{
    const char *slash = strchr(api_version, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - api_version);
    char *group = xmemdup(api_version, size);
    const struct kind *found = kinds_find_kind(write->rest->kinds, group, kind);

    free(group);
    return found;
}

/* A kind of this version that is not the endpoint's, or none at all. */
static bool refuse_kind(struct write *write, const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/');
    struct buffer why = BUFFER_INIT(REST_BODY_BYTES_MAX);
    const struct kind *known = find_kind(write, api_version, kind);

    if (!is_registered(known, api_version)) {
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
    return false;
}

static bool check_type(struct write *write, struct json_object *tree)
{
    const char *api_version = json_get_text(tree, "apiVersion");
    const char *kind = json_get_text(tree, "kind");

    bool same_version;

    if (text_is_empty(api_version))
        api_version = write->version->api_version;
    if (text_is_empty(kind))
        kind = write->kind->kind;
    same_version = strcmp(api_version, write->version->api_version) == 0;
    if (strcmp(kind, write->kind->kind) != 0 ||
        (!same_version && write->kind->row != NULL &&
         !is_registered(find_kind(write, api_version, kind), api_version)))
        return refuse_kind(write, api_version, kind);
    if (!same_version)
        return rest_status_bad_request(&write->status,
                                       "the API version in the data (%s) does not match the "
                                       "expected API version (%s)",
                                       api_version, write->version->api_version);
    json_set_text(tree, "apiVersion", write->version->api_version);
    json_set_text(tree, "kind", write->kind->kind);
    return true;
}

/* --- its type, and what nobody knows (C3, C4) --- */

/* Go's decoder quotes what it tells, that of custom resources only puts it in quotes. */
static void note_unknown(struct write *write, const struct schema_unknown *unknown)
{
    for (size_t i = 0; i < unknown->count; i++)
        if (write->version->type == NULL)
            decode_note(write, "unknown field \"%s\"", unknown->paths[i]);
        else
            decode_note_quoted(write, "unknown field ", unknown->paths[i]);
}

/* Built-in kinds by their types; of custom ones the metadata has a type too (R10). */
static bool decode_types(struct write *write, struct json_object *tree)
{
    const struct type_message *type = write->version->type;
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct schema_unknown *told = write->validation == VALIDATE_IGNORE ? NULL : &unknown;
    struct buffer why = BUFFER_INIT(2 * REST_BODY_BYTES_MAX);
    bool ok = type == NULL ? types_decode_metadata(tree, told, &why)
                           : types_decode(type, tree, told, &why);

    if (ok)
        note_unknown(write, &unknown);
    else
        refuse_content(write, buffer_text(&why));
    schema_unknown_release(&unknown);
    buffer_release(&why);
    return ok;
}

static void prune(struct write *write, struct json_object *tree)
{
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;

    schema_prune(write->version->schema, tree,
                 write->validation == VALIDATE_IGNORE ? NULL : &unknown);
    if (unknown.count > 1)
        qsort(unknown.paths, unknown.count, sizeof(char *), text_compare_items);
    note_unknown(write, &unknown);
    schema_unknown_release(&unknown);
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
    bool reset = managers_are_reset(tree);

    if (!check_type(write, tree) || !decode_types(write, tree))
        return false;
    managers_note_reset(json_ensure_object(tree, "metadata"), reset);
    if (write->version->schema != NULL)
        prune(write, tree);
    if (write->strict.size > 0 && write->validation == VALIDATE_STRICT)
        return refuse_strictly(write);
    return true;
}
