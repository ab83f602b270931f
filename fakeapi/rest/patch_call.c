/* patch_call - PATCH requests: which form, is it one, and what strict decoding minds of it
 * (WIRE.md P1, P2, P7, P8, P12, P19). */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/decode.h"
#include "fakeapi/rest/go_error.h"
#include "fakeapi/rest/write_call.h"
#include "fakeapi/types/types.h"

/* --- which form --- */

/* Applies would be taken here; until then those who ask for one are not told that they may. */
static bool refuse_type(struct write *write, const char *type)
{
    bool apply = write_call_is_type(type, "application/apply-patch+yaml");

    if (write->kind->row != NULL && !apply) {
        write->status.has_details = true;
        return rest_status_set(&write->status, 415, "UnsupportedMediaType",
                               "415: Unsupported Media Type");
    }
    return rest_status_set(&write->status, 415, "UnsupportedMediaType",
                           "the body of the request was in an unknown format - accepted media "
                           "types include: application/json-patch+json, "
                           "application/merge-patch+json%s%s",
                           write->kind->row == NULL ? ""
                                                    : ", application/strategic-merge-patch+json",
                           apply ? "" : ", application/apply-patch+yaml");
}

static bool read_form(struct call *call, struct write *write, enum patch_form *ret_form)
{
    const char *type = text_or(call_header(call, "Content-Type"), "");

    if (write_call_is_type(type, "application/json-patch+json"))
        *ret_form = PATCH_OPERATIONS;
    else if (write_call_is_type(type, "application/merge-patch+json"))
        *ret_form = PATCH_MERGE;
    else if (write->kind->row != NULL &&
             write_call_is_type(type, "application/strategic-merge-patch+json"))
        *ret_form = PATCH_STRATEGIC;
    else
        return refuse_type(write, type);
    return true;
}

static bool read_options(struct call *call, struct write *write)
{
    char *force = route_query(&call->route, "force");
    bool given = force != NULL;

    free(force);
    if (given)
        return rest_status_invalid_options(&write->status, "PatchOptions", FIELD_FORBIDDEN, "force",
                                           "Forbidden: may not be specified for non-apply patch");
    return write_call_read_options(call, "PatchOptions", write);
}

/* --- is it one --- */

/* A patch that is none: because it is no JSON (err), or because it, or an item of it, is of the
 * wrong type. */
struct fault {
    enum patch_form form;
    const struct json_object *wrong;
    bool item;
    struct error err;
};

/* What the real server decodes a patch into, item or whole. */
static const char *go_target(const struct write *write, const struct fault *fault)
{
    if (fault->form != PATCH_OPERATIONS)
        return "map[string]interface {}";
    if (write->validation == VALIDATE_IGNORE)
        return fault->item ? "jsonpatch.Operation" : "jsonpatch.Patch";
    return fault->item ? "handlers.jsonPatchOp" : "[]handlers.jsonPatchOp";
}

static void append_why(struct buffer *text, const struct call *call, const struct write *write,
                       const struct fault *fault)
{
    if (fault->form == PATCH_MERGE && write->validation == VALIDATE_IGNORE) {
        buffer_append_text(text, "Invalid JSON Patch");
        return;
    }
    if (fault->form != PATCH_STRATEGIC && write->validation != VALIDATE_IGNORE)
        buffer_append_text(text, "error decoding patch: ");
    if (fault->err.text[0] == '\0')
        buffer_append_format(text, "json: cannot unmarshal %s into Go value of type %s",
                             types_word(fault->wrong), go_target(write, fault));
    else if (!go_error_syntax(text, buffer_text(&call->body), call->body.size))
        buffer_append_text(text, fault->err.text);
}

static bool refuse_patch(const struct call *call, struct write *write, const struct fault *fault)
{
    struct buffer why = BUFFER_INIT(1024);

    append_why(&why, call, write, fault);
    rest_status_bad_request(&write->status, "%s", buffer_text(&why));
    buffer_release(&why);
    return false;
}

/* --- JSON patches --- */

static bool is_known_member(const char *name)
{
    static const char *const known[] = {"op", "path", "from", "value"};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

/* The operation that a path like "[12].path" is in. */
static size_t index_of(const char *path)
{
    return (size_t)strtoull(path + 1, NULL, 10);
}

/* What repeats in an operation, then what nobody knows of it. *next is the first repeat that was
 * not told yet. */
static void note_operation(struct write *write, struct json_object *operation, size_t index,
                           const struct json_repeats *repeats, size_t *next)
{
    struct json_object_iter at;

    for (; *next < repeats->count && index_of(repeats->paths[*next]) == index; ++*next)
        decode_note_quoted(write, "json patch duplicate field ", repeats->paths[*next]);
    json_object_object_foreachC(operation, at)
    {
        char *path;

        if (is_known_member(at.key))
            continue;
        path = xprintf("[%zu].%s", index, at.key);
        decode_note_quoted(write, "json patch unknown field ", path);
        free(path);
    }
}

static bool read_operations(const struct call *call, struct write *write,
                            const struct json_object *patch, const struct json_repeats *repeats)
{
    struct fault fault = {.form = PATCH_OPERATIONS, .wrong = patch, .err = ERROR_INIT};
    size_t next = 0;

    if (!json_is(patch, json_type_array))
        return refuse_patch(call, write, &fault);
    for (size_t i = 0; i < json_object_array_length(patch); i++) {
        struct json_object *operation = json_object_array_get_idx(patch, i);

        if (!json_is(operation, json_type_object)) {
            fault.wrong = operation;
            fault.item = true;
            return refuse_patch(call, write, &fault);
        }
        note_operation(write, operation, i, repeats, &next);
    }
    return true;
}

static bool decode_operations(const struct call *call, struct write *write,
                              struct json_object **ret_patch)
{
    struct fault fault = {.form = PATCH_OPERATIONS, .err = ERROR_INIT};
    struct json_repeats repeats = {0};
    bool ok;

    if (!json_parse_repeating(call->body.bytes, call->body.size, REST_BODY_BYTES_MAX, ret_patch,
                              &repeats, &fault.err))
        return refuse_patch(call, write, &fault);
    ok = read_operations(call, write, *ret_patch, &repeats);
    json_repeats_release(&repeats);
    return ok;
}

/* --- the request --- */

static bool decode_patch(const struct call *call, struct write *write, enum patch_form form,
                         struct json_object **ret_patch)
{
    struct fault fault = {.form = form, .err = ERROR_INIT};

    if (form == PATCH_OPERATIONS)
        return decode_operations(call, write, ret_patch);
    if (decode_json(write, &call->body, ret_patch, &fault.err) &&
        json_is(*ret_patch, json_type_object))
        return true;
    fault.wrong = *ret_patch;
    return refuse_patch(call, write, &fault);
}

bool write_call_read_patch(struct call *call, struct write *write, enum patch_form *ret_form,
                           struct json_object **ret_patch)
{
    return read_form(call, write, ret_form) && read_options(call, write) &&
           decode_patch(call, write, *ret_form, ret_patch);
}

void call_patch(struct call *call)
{
    const struct accept_offer offer = {.partial = true};
    struct accept accept;
    struct write write;
    enum patch_form form = PATCH_MERGE;
    struct json_object *patch = NULL;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_call_begin(call);
    ok = write_call_read_patch(call, &write, &form, &patch) && write_patch(&write, form, patch);
    json_object_put(patch);
    write_call_finish(call, ok, &accept, &write);
}
