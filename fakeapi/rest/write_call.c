/* write_call - the writes of requests: options and bodies in, objects and Status out. */
#include "fakeapi/rest/write_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/rest/decode.h"
#include "fakeapi/rest/revise.h"
#include "fakeapi/rest/write_steps.h"

/* Longest name of a field manager (P2). */
#define REST_MANAGER_BYTES_MAX 128

/* --- options of the query (C1, P2) --- */

static void check_validation(const char *text, struct write *write, struct field_errors *errors)
{
    if (text_is_empty(text) || strcmp(text, "Warn") == 0)
        write->validation = VALIDATE_WARN;
    else if (strcmp(text, "Strict") == 0)
        write->validation = VALIDATE_STRICT;
    else if (strcmp(text, "Ignore") == 0)
        write->validation = VALIDATE_IGNORE;
    else
        field_errors_add(
            errors, FIELD_NOT_SUPPORTED, "fieldValidation",
            "Unsupported value: \"%s\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
            text);
}

static void check_dry_run(const char *text, struct write *write, struct field_errors *errors)
{
    write->dry_run = !text_is_empty(text);
    if (write->dry_run && strcmp(text, "All") != 0)
        field_errors_add(errors, FIELD_NOT_SUPPORTED, "dryRun",
                         "Unsupported value: []string{\"%s\"}: supported values: \"All\"", text);
}

static void check_manager(const char *manager, struct field_errors *errors)
{
    struct buffer quoted = BUFFER_INIT((size_t)5 * REST_MANAGER_BYTES_MAX);
    size_t size = strlen(text_or(manager, ""));
    size_t plain = 0;

    if (size > REST_MANAGER_BYTES_MAX) {
        field_errors_add(errors, FIELD_TOO_LONG, "fieldManager",
                         "Too long: may not be more than %d bytes", REST_MANAGER_BYTES_MAX);
        return;
    }
    while (plain < size && (unsigned char)manager[plain] >= ' ' && manager[plain] != 0x7f)
        plain++;
    if (plain < size) {
        field_error_append_quoted_bytes(&quoted, manager, size);
        field_errors_add(errors, FIELD_INVALID, "fieldManager",
                         "Invalid value: %s: invalid character U+%04X (at position %zu)",
                         buffer_text(&quoted), (unsigned)(unsigned char)manager[plain], plain);
    }
    buffer_release(&quoted);
}

/* All that is wrong with the options at once. Releases errors. */
static bool check_found(struct write *write, const char *options_kind, struct field_errors *errors)
{
    const struct rest_subject subject = {.group = "meta.k8s.io", .kind = options_kind, .name = ""};
    bool ok = errors->count == 0 || rest_status_invalid(&write->status, &subject, errors);

    field_errors_release(errors);
    return ok;
}

bool write_call_read_dry_run(const char *text, const char *options_kind, struct write *write)
{
    struct field_errors errors = FIELD_ERRORS_INIT;

    check_dry_run(text, write, &errors);
    return check_found(write, options_kind, &errors);
}

struct write write_call_begin(struct call *call)
{
    struct write write = {
        .rest = call->rest,
        .kind = call->kind,
        .version = call->version,
        .namespace = call->route.namespace,
        .name = call->route.name,
        .user = &call->user,
        .code = 200,
    };

    if (strcmp(call->route.subresource, "status") == 0)
        write.subresource = SUB_STATUS;
    else if (strcmp(call->route.subresource, "finalize") == 0)
        write.subresource = SUB_FINALIZE;
    if (call->version->warning != NULL)
        write_warn(&write, "%s", call->version->warning);
    return write;
}

bool write_call_read_options(struct call *call, const char *options_kind, struct write *write)
{
    char *validation = route_query(&call->route, "fieldValidation");
    char *dry_run = route_query(&call->route, "dryRun");
    char *manager = route_query(&call->route, "fieldManager");
    struct field_errors errors = FIELD_ERRORS_INIT;

    check_manager(manager, &errors);
    check_dry_run(dry_run, write, &errors);
    check_validation(validation, write, &errors);
    free(validation);
    free(dry_run);
    free(manager);
    return check_found(write, options_kind, &errors);
}

/* --- bodies (T8) --- */

/* Whether the content type is this one, parameters aside. */
bool write_call_is_type(const char *header, const char *type)
{
    size_t size = strlen(type);

    return strncmp(header, type, size) == 0 &&
           (header[size] == '\0' || header[size] == ';' || header[size] == ' ');
}

bool write_call_read_body(struct call *call, struct write *write, struct json_object **ret_tree)
{
    const char *type = text_or(call_header(call, "Content-Type"), "application/json");
    enum body_form form = BODY_JSON;

    if (write_call_is_type(type, "application/yaml"))
        form = BODY_YAML;
    else if (!write_call_is_type(type, "application/json"))
        /* Protobuf bodies (T7) would be decoded here. */
        return rest_status_set(&write->status, 415, "UnsupportedMediaType",
                               "the body of the request was in an unknown format - accepted media "
                               "types include: application/json, application/yaml, "
                               "application/vnd.kubernetes.protobuf");
    return decode_body(write, &call->body, form, ret_tree);
}

bool write_call_read_create(struct call *call, struct write *write, struct json_object **ret_tree)
{
    return write_call_read_options(call, "CreateOptions", write) &&
           write_call_read_body(call, write, ret_tree) && write_accept_body(write, *ret_tree) &&
           write_fix_namespace(write, json_ensure_object(*ret_tree, "metadata"));
}

/* --- answers --- */

/* One that is gone has the revision of its deletion. */
static void append_stored(struct buffer *body, const struct call *call, const struct write *write)
{
    const struct store_object *object = revised(call->kind, call->version, write->object);
    size_t from = object->at.members_offset;

    (void)buffer_reserve(body, call->version->prefix_size + object->bytes->size + 1);
    buffer_append(body, call->version->prefix, call->version->prefix_size);
    if (write->gone_revision > 0) {
        buffer_append(body, object->bytes->data + from, object->at.revision_offset - from);
        buffer_append_format(body, "%" PRIu64, write->gone_revision);
        from = object->at.revision_offset + object->at.revision_size;
    }
    buffer_append(body, object->bytes->data + from, object->bytes->size - from);
    buffer_append_char(body, '\n');
}

/* The object or the tree that came of the write. */
/* Its metadata alone, for clients that read no more (L21). */
static void answer_partial(struct call *call, const struct accept *accept, struct write *write)
{
    struct json_object *partial = json_object_new_object();
    struct json_object *tree =
        write->tree != NULL ? json_object_get(write->tree) : store_object_parse(write->object);

    json_set_text(partial, "kind", "PartialObjectMetadata");
    json_set_text(partial, "apiVersion", "meta.k8s.io/v1");
    json_set(partial, "metadata", json_object_get(json_get(tree, "metadata")));
    call_answer_tree(call, write->code, accept, write, partial);
    json_object_put(tree);
    json_object_put(partial);
}

static void answer_write(struct call *call, const struct accept *accept, struct write *write)
{
    struct buffer body = BUFFER_INIT(8 * REST_BODY_BYTES_MAX);

    if (accept->form != FORM_PLAIN) {
        answer_partial(call, accept, write);
    } else if (write->tree != NULL) {
        json_set_text(write->tree, "apiVersion", call->version->api_version);
        call_answer_tree(call, write->code, accept, write, write->tree);
    } else {
        append_stored(&body, call, write);
        call_answer_json(call, write->code, accept, write, body.bytes, body.size);
    }
    buffer_release(&body);
}

void write_call_finish(struct call *call, bool ok, const struct accept *accept, struct write *write)
{
    if (ok)
        answer_write(call, accept, write);
    else
        call_answer_failure(call, write);
    write_release(write);
}

static void create_or_update(struct call *call, const char *options_kind,
                             bool (*perform)(struct write *write, struct json_object *tree))
{
    const struct accept_offer offer = {.partial = true};
    struct accept accept;
    struct write write;
    struct json_object *tree = NULL;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_call_begin(call);
    ok = write_call_read_options(call, options_kind, &write) &&
         write_call_read_body(call, &write, &tree) && perform(&write, tree);
    json_object_put(tree);
    write_call_finish(call, ok, &accept, &write);
}

void call_create(struct call *call)
{
    create_or_update(call, "CreateOptions", write_create);
}

void call_update(struct call *call)
{
    create_or_update(call, "UpdateOptions", write_update);
}
