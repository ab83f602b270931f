/* write_call - the writes of requests: options and bodies in, objects and Status out. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/patch/patch.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/decode.h"
#include "fakeapi/rest/emit.h"
#include "fakeapi/rest/go_error.h"
#include "fakeapi/rest/selector.h"

/* Longest name of a field manager (P2). */
#define REST_MANAGER_BYTES_MAX 128

/* --- options of the query (C1, P2) --- */

static bool read_validation(const char *text, const char *options_kind, struct write *write)
{
    if (text_is_empty(text) || strcmp(text, "Warn") == 0)
        write->validation = VALIDATE_WARN;
    else if (strcmp(text, "Strict") == 0)
        write->validation = VALIDATE_STRICT;
    else if (strcmp(text, "Ignore") == 0)
        write->validation = VALIDATE_IGNORE;
    else
        return rest_status_invalid_options(
            &write->status, options_kind, FIELD_NOT_SUPPORTED, "fieldValidation",
            "Unsupported value: \"%s\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
            text);
    return true;
}

static bool read_dry_run(const char *text, const char *options_kind, struct write *write)
{
    if (text_is_empty(text))
        return true;
    if (strcmp(text, "All") != 0)
        return rest_status_invalid_options(
            &write->status, options_kind, FIELD_NOT_SUPPORTED, "dryRun",
            "Unsupported value: []string{\"%s\"}: supported values: \"All\"", text);
    write->dry_run = true;
    return true;
}

/* C1, P2. */
static bool check_manager(const char *manager, const char *options_kind, struct write *write)
{
    struct buffer quoted = BUFFER_INIT((size_t)5 * REST_MANAGER_BYTES_MAX);
    size_t size = strlen(text_or(manager, ""));
    bool ok = true;

    if (size > REST_MANAGER_BYTES_MAX)
        return rest_status_invalid_options(
            &write->status, options_kind, FIELD_TOO_LONG, "fieldManager",
            "Too long: may not be more than %d bytes", REST_MANAGER_BYTES_MAX);
    for (size_t i = 0; ok && i < size; i++) {
        unsigned char byte = (unsigned char)manager[i];

        if (byte >= ' ' && byte != 0x7f)
            continue;
        field_error_append_quoted(&quoted, manager, size);
        ok = rest_status_invalid_options(
            &write->status, options_kind, FIELD_INVALID, "fieldManager",
            "Invalid value: %s: invalid character U+%04X (at position %zu)", buffer_text(&quoted),
            byte, i);
    }
    buffer_release(&quoted);
    return ok;
}

static struct write write_begin(struct call *call)
{
    struct write write = {
        .rest = call->rest,
        .kind = call->kind,
        .version = call->version,
        .namespace = call->route.namespace,
        .name = call->route.name,
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

static bool read_options(struct call *call, const char *options_kind, struct write *write)
{
    char *validation = route_query(&call->route, "fieldValidation");
    char *dry_run = route_query(&call->route, "dryRun");
    char *manager = route_query(&call->route, "fieldManager");
    bool ok = check_manager(manager, options_kind, write) &&
              read_dry_run(dry_run, options_kind, write) &&
              read_validation(validation, options_kind, write);

    free(validation);
    free(dry_run);
    free(manager);
    return ok;
}

/* --- bodies (T8) --- */

/* Whether the content type is this one, parameters aside. */
static bool is_type(const char *header, const char *type)
{
    size_t size = strlen(type);

    return strncmp(header, type, size) == 0 &&
           (header[size] == '\0' || header[size] == ';' || header[size] == ' ');
}

static bool read_body(struct call *call, struct write *write, struct json_object **ret_tree)
{
    const char *type = text_or(call_header(call, "Content-Type"), "application/json");
    enum body_form form = BODY_JSON;

    if (is_type(type, "application/yaml"))
        form = BODY_YAML;
    else if (!is_type(type, "application/json"))
        /* Protobuf bodies (T7) would be decoded here. */
        return rest_status_set(&write->status, 415, "UnsupportedMediaType",
                               "the body of the request was in an unknown format - accepted media "
                               "types include: application/json, application/yaml, "
                               "application/vnd.kubernetes.protobuf");
    return decode_body(write, &call->body, form, ret_tree);
}

/* --- answers --- */

static void append_stored(struct buffer *body, const struct call *call,
                          const struct store_object *object)
{
    (void)buffer_reserve(body, call->version->prefix_size + object->bytes->size + 1);
    buffer_append(body, call->version->prefix, call->version->prefix_size);
    buffer_append(body, object->bytes->data + object->at.members_offset,
                  object->bytes->size - object->at.members_offset);
    buffer_append_char(body, '\n');
}

/* The object or the tree that came of the write. */
static void answer_write(struct call *call, const struct accept *accept, struct write *write)
{
    struct buffer body = BUFFER_INIT(8 * REST_BODY_BYTES_MAX);

    if (write->tree != NULL) {
        json_set_text(write->tree, "apiVersion", call->version->api_version);
        call_answer_tree(call, write->code, accept, write, write->tree);
    } else {
        append_stored(&body, call, write->object);
        call_answer_json(call, write->code, accept, write, body.bytes, body.size);
    }
    buffer_release(&body);
}

static void finish(struct call *call, bool ok, const struct accept *accept, struct write *write)
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
    const struct accept_offer offer = {0};
    struct accept accept;
    struct write write;
    struct json_object *tree = NULL;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_begin(call);
    ok = read_options(call, options_kind, &write) && read_body(call, &write, &tree) &&
         perform(&write, tree);
    json_object_put(tree);
    finish(call, ok, &accept, &write);
}

void call_create(struct call *call)
{
    create_or_update(call, "CreateOptions", write_create);
}

void call_update(struct call *call)
{
    create_or_update(call, "UpdateOptions", write_update);
}

/* --- patches (P1, P2) --- */

/* What custom resources are not patched by, and nobody by an apply. */
static bool refuse_patch_type(struct write *write)
{
    return rest_status_set(&write->status, 415, "UnsupportedMediaType",
                           "the body of the request was in an unknown format - accepted media "
                           "types include: application/json-patch+json, "
                           "application/merge-patch+json%s",
                           write->kind->row == NULL ? ""
                                                    : ", application/strategic-merge-patch+json");
}

/* A patch that is no JSON, or not the kind of value that it must be. */
static bool refuse_patch(struct call *call, struct write *write, enum patch_form form,
                         const struct json_object *patch, const struct error *err)
{
    const char *want =
        form == PATCH_OPERATIONS ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
    struct buffer why = BUFFER_INIT(1024);

    if (err->text[0] == '\0')
        buffer_append_format(&why, "json: cannot unmarshal %s into Go value of type %s",
                             types_word(patch), want);
    else if (!go_error_syntax(&why, buffer_text(&call->body), call->body.size))
        buffer_append_text(&why, err->text);
    rest_status_bad_request(&write->status, "error decoding patch: %s", buffer_text(&why));
    buffer_release(&why);
    return false;
}

static bool read_patch(struct call *call, struct write *write, enum patch_form *ret_form,
                       struct json_object **ret_patch)
{
    const char *type = text_or(call_header(call, "Content-Type"), "");
    struct error err = ERROR_INIT;

    if (is_type(type, "application/json-patch+json"))
        *ret_form = PATCH_OPERATIONS;
    else if (is_type(type, "application/merge-patch+json"))
        *ret_form = PATCH_MERGE;
    else if (write->kind->row != NULL && is_type(type, "application/strategic-merge-patch+json"))
        *ret_form = PATCH_STRATEGIC;
    else
        return refuse_patch_type(write);
    if (route_query_flag(&call->route, "force"))
        return rest_status_invalid_options(&write->status, "PatchOptions", FIELD_FORBIDDEN, "force",
                                           "Forbidden: may not be specified for non-apply patch");
    if (decode_json(write, &call->body, *ret_form == PATCH_OPERATIONS ? "json patch " : "",
                    ret_patch, &err) &&
        json_is(*ret_patch, *ret_form == PATCH_OPERATIONS ? json_type_array : json_type_object))
        return true;
    return refuse_patch(call, write, *ret_form, *ret_patch, &err);
}

void call_patch(struct call *call)
{
    const struct accept_offer offer = {0};
    struct accept accept;
    struct write write;
    enum patch_form form = PATCH_MERGE;
    struct json_object *patch = NULL;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_begin(call);
    ok = read_options(call, "PatchOptions", &write) && read_patch(call, &write, &form, &patch) &&
         write_patch(&write, form, patch);
    json_object_put(patch);
    finish(call, ok, &accept, &write);
}

/* --- deletes (X1) --- */

static bool refuse_delete_options(struct write *write, enum field_error_type type, const char *path,
                                  const char *body)
{
    return rest_status_invalid_options(&write->status, "DeleteOptions", type, path, "%s", body);
}

static bool read_policy(struct write *write, const char *policy, const char *orphan,
                        struct delete_request *request)
{
    if (!text_is_empty(policy) && orphan != NULL)
        return refuse_delete_options(write, FIELD_INVALID, "propagationPolicy",
                                     "Invalid value: \"object\": orphanDependents and "
                                     "deletionPropagation cannot be both set");
    if (orphan != NULL) {
        bool keep = strcmp(orphan, "true") == 0 || strcmp(orphan, "1") == 0;

        request->options.propagation = keep ? REST_ORPHAN : REST_BACKGROUND;
        request->orphan_dependents_false = !keep;
        return true;
    }
    if (text_is_empty(policy))
        return true;
    if (strcmp(policy, "Background") == 0)
        request->options.propagation = REST_BACKGROUND;
    else if (strcmp(policy, "Foreground") == 0)
        request->options.propagation = REST_FOREGROUND;
    else if (strcmp(policy, "Orphan") == 0)
        request->options.propagation = REST_ORPHAN;
    else
        return rest_status_invalid_options(
            &write->status, "DeleteOptions", FIELD_NOT_SUPPORTED, "propagationPolicy",
            "Unsupported value: \"%s\": supported values: \"Foreground\", \"Background\", "
            "\"Orphan\", \"nil\"",
            policy);
    return true;
}

static bool read_query_options(struct call *call, struct write *write,
                               struct delete_request *request)
{
    char *policy = route_query(&call->route, "propagationPolicy");
    char *orphan = route_query(&call->route, "orphanDependents");
    char *grace = route_query(&call->route, "gracePeriodSeconds");
    char *dry_run = route_query(&call->route, "dryRun");
    bool ok = read_policy(write, policy, orphan, request) &&
              read_dry_run(dry_run, "DeleteOptions", write);

    request->options.grace_given = !text_is_empty(grace);
    if (ok && request->options.grace_given &&
        !text_to_int64(grace, &request->options.grace_seconds))
        ok = rest_status_bad_request(&write->status,
                                     "strconv.ParseInt: parsing \"%s\": invalid syntax", grace);
    free(policy);
    free(orphan);
    free(grace);
    free(dry_run);
    return ok;
}

/* The texts of body are the request's: it must live as long. */
static bool read_body_options(struct write *write, const struct json_object *body,
                              struct delete_request *request)
{
    struct json_object *preconditions = json_get_object(body, "preconditions");
    struct json_object *orphan = json_get(body, "orphanDependents");
    struct json_object *dry_run = json_get_array(body, "dryRun");
    const char *revision = json_get_text(preconditions, "resourceVersion");
    const char *keep = NULL;

    request->options.uid = json_get_text(preconditions, "uid");
    if (!text_is_empty(revision) && !text_to_uint64(revision, &request->options.revision))
        request->options.revision = UINT64_MAX; /* none is so: a conflict */
    if (json_get(body, "gracePeriodSeconds") != NULL) {
        request->options.grace_given = true;
        request->options.grace_seconds = json_get_int64(body, "gracePeriodSeconds", 0);
    }
    if (json_is(orphan, json_type_boolean))
        keep = json_object_get_boolean(orphan) ? "true" : "false";
    if (!read_policy(write, json_get_text(body, "propagationPolicy"), keep, request))
        return false;
    if (dry_run == NULL || json_object_array_length(dry_run) == 0)
        return true;
    return read_dry_run(text_or(json_text(json_object_array_get_idx(dry_run, 0)), " "),
                        "DeleteOptions", write);
}

static bool check_options_type(const struct call *call, struct write *write,
                               const struct json_object *body)
{
    const char *kind = text_or(json_get_text(body, "kind"), "DeleteOptions");
    const char *version = text_or(json_get_text(body, "apiVersion"), "v1");

    if (strcmp(kind, "DeleteOptions") == 0 &&
        (strcmp(version, "v1") == 0 || strcmp(version, "meta.k8s.io/v1") == 0 ||
         strcmp(version, call->version->api_version) == 0))
        return true;
    return rest_status_bad_request(&write->status,
                                   "%s in version \"%s\" cannot be handled as DeleteOptions: no "
                                   "kind \"%s\" is registered for version \"%s\"",
                                   kind, version, kind, version);
}

/* Body or query, never both. *ret_body is to be put after. */
static bool read_delete(struct call *call, struct write *write, struct delete_request *request,
                        struct json_object **ret_body)
{
    if (call->body.size == 0)
        return read_query_options(call, write, request);
    return read_body(call, write, ret_body) && check_options_type(call, write, *ret_body) &&
           read_body_options(write, *ret_body, request);
}

/* Success, with what is gone (X3). */
static void answer_gone(struct call *call, const struct accept *accept, struct write *write)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *details = json_object_new_object();

    json_set_text(details, "name", write->name);
    if (call->kind->group[0] != '\0')
        json_set_text(details, "group", call->kind->group);
    json_set_text(details, "kind", call->kind->plural);
    json_set_text(details, "uid", write->object->uid);
    json_set_text(tree, "kind", "Status");
    json_set_text(tree, "apiVersion", "v1");
    json_set(tree, "metadata", json_object_new_object());
    json_set_text(tree, "status", "Success");
    json_set(tree, "details", details);
    call_answer_tree(call, write->code, accept, write, tree);
    json_object_put(tree);
}

void call_delete(struct call *call)
{
    const struct accept_offer offer = {0};
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    enum delete_outcome outcome = DELETE_GONE;
    struct json_object *body = NULL;
    struct accept accept;
    struct write write;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_begin(call);
    ok = read_delete(call, &write, &request, &body) && write_delete(&write, &request, &outcome);
    json_object_put(body);
    if (ok && outcome == DELETE_GONE && !(call->kind->flags & KIND_DELETE_SHOWS)) {
        answer_gone(call, &accept, &write);
        write_release(&write);
    } else {
        finish(call, ok, &accept, &write);
    }
}

/* --- deletecollection (X11) --- */

static void append_item(struct buffer *items, const struct call *call,
                        const struct store_object *object)
{
    struct emit emit = {.kind = call->kind, .version = call->version, .list_item = true};

    if (items->size > 0)
        buffer_append_char(items, ',');
    emit_begin(&emit);
    emit_object(&emit, object, 0);
    emit_append(&emit, items);
    emit_release(&emit);
}

/* Deletes what matches; the items as they were listed. */
static bool delete_matching(struct call *call, struct write *outer,
                            const struct delete_request *request, const struct selector *selector,
                            struct buffer *items)
{
    struct store_snapshot *snapshot = store_snapshot_new(call->kind->objects);
    size_t index;
    size_t end;
    bool ok = true;

    store_snapshot_range(snapshot, call->route.namespace, &index, &end);
    for (; ok && index < end; index++) {
        const struct store_object *object = store_snapshot_object(snapshot, index);
        struct write write = write_begin(call);
        enum delete_outcome outcome;

        write.namespace = object->namespace;
        write.name = object->name;
        write.dry_run = outer->dry_run;
        if (selector_matches(selector, object)) {
            append_item(items, call, object);
            ok = write_delete(&write, request, &outcome);
            if (!ok && write.status.code == 404)
                ok = true; /* gone meanwhile: as wanted */
            if (!ok) {
                outer->status = write.status;
                write.status = (struct rest_status){0};
            }
        }
        write_release(&write);
    }
    store_snapshot_free(snapshot);
    return ok;
}

static bool read_selectors(struct call *call, struct selector *selector, struct write *write)
{
    char *labels = route_query(&call->route, "labelSelector");
    char *fields = route_query(&call->route, "fieldSelector");
    bool ok = selector_parse_labels(labels, selector, &write->status) &&
              selector_parse_fields(fields, call->kind, selector, &write->status);

    free(labels);
    free(fields);
    return ok;
}

static void answer_collection(struct call *call, const struct accept *accept, struct write *write,
                              uint64_t revision, const struct buffer *items)
{
    struct buffer body = BUFFER_INIT(items->size + 4096);

    buffer_append_format(&body,
                         "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{"
                         "\"resourceVersion\":\"%llu\"},\"items\":[",
                         call->kind->list_kind, call->version->api_version,
                         (unsigned long long)revision);
    buffer_append(&body, items->bytes, items->size);
    buffer_append_text(&body, "]}\n");
    call_answer_json(call, 200, accept, write, body.bytes, body.size);
    buffer_release(&body);
}

void call_delete_collection(struct call *call)
{
    const struct accept_offer offer = {0};
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    struct buffer items = BUFFER_INIT((size_t)512 * 1024 * 1024);
    struct selector selector = {0};
    uint64_t revision = store_revision(call->rest->store);
    struct json_object *body = NULL;
    struct accept accept;
    struct write write;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_begin(call);
    if (read_delete(call, &write, &request, &body) && read_selectors(call, &selector, &write) &&
        delete_matching(call, &write, &request, &selector, &items))
        answer_collection(call, &accept, &write, revision, &items);
    else
        call_answer_status(call, &write.status);
    json_object_put(body);
    selector_release(&selector);
    buffer_release(&items);
    write_release(&write);
}
