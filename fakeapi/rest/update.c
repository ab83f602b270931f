/* update - replacing an object: preconditions, what clients cannot change, generations, and the
 * end of an object that only its finalizers held (WIRE.md U1 to U12, X6, P4 to P9). */
#include <inttypes.h>
#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/patch/patch.h"
#include "fakeapi/patch/strategic.h"
#include "fakeapi/rest/grants.h"
#include "fakeapi/rest/managers.h"
#include "fakeapi/rest/revise.h"
#include "fakeapi/rest/write_steps.h"

static const char modified_message[] =
    "the object has been modified; please apply your changes to the latest version and try again";

/* --- preconditions --- */

static bool check_name(struct write *write, const struct json_object *metadata)
{
    const char *name = json_get_text(metadata, "name");

    if (text_is_empty(name))
        return rest_status_bad_request(&write->status,
                                       "the name of the object (%s based on URL) was "
                                       "undeterminable: name must be provided",
                                       write->name);
    if (strcmp(name, write->name) != 0)
        return rest_status_bad_request(&write->status,
                                       "the name of the object (%s) does not match the name on "
                                       "the URL (%s)",
                                       name, write->name);
    return true;
}

/* 422 whose details.kind is the resource, as the real server says it here (U4). */
static bool refuse_without_revision(struct write *write)
{
    struct rest_subject subject = write_subject(write, write->name);
    char *resource = rest_group_resource(&subject);

    rest_status_set(&write->status, 422, "Invalid",
                    "%s \"%s\" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be "
                    "specified for an update",
                    resource, write->name);
    write->status.has_details = true;
    write->status.name = xstrdup(write->name);
    write->status.group = xstrdup(subject.group);
    write->status.kind = xstrdup(subject.plural);
    rest_status_cause(&write->status, "FieldValueInvalid",
                      "Invalid value: 0x0: must be specified for an update",
                      "metadata.resourceVersion");
    free(resource);
    return false;
}

static bool check_revision(struct write *write, const struct json_object *metadata,
                           const struct store_object *old)
{
    struct rest_subject subject = write_subject(write, write->name);
    const char *text = json_get_text(metadata, "resourceVersion");
    uint64_t revision;

    if (text_is_empty(text)) {
        if (write->kind->flags & KIND_NEEDS_REVISION)
            return refuse_without_revision(write);
        return true;
    }
    if (!text_to_uint64(text, &revision))
        return rest_status_bad_request(&write->status,
                                       "invalid resource version \"%s\": strconv.ParseUint: "
                                       "parsing \"%s\": invalid syntax",
                                       text, text);
    if (revision == old->revision)
        return true;
    runtime_mark(write->rest->rt, MARK_API_CONFLICT);
    return rest_status_conflict(&write->status, &subject, "%s", modified_message);
}

/* old is NULL for an object that is not there: it has no uid that a precondition could name (U5).
 */
static bool check_uid(struct write *write, const struct json_object *metadata,
                      const struct store_object *old)
{
    struct rest_subject subject = write_subject(write, write->name);
    const char *uid = json_get_text(metadata, "uid");
    const char *have = old == NULL ? "" : old->uid;
    bool custom = write->kind->row == NULL;

    if (text_is_empty(uid) || strcmp(uid, have) == 0)
        return true;
    return rest_status_conflict(&write->status, &subject,
                                "StorageError: invalid object, Code: 4, Key: /registry/"
                                "%s%s%s/%s%s%s, ResourceVersion: 0, AdditionalErrorMsg: "
                                "Precondition failed: UID in precondition: %s, UID in object "
                                "meta: %s",
                                custom ? write->kind->group : "", custom ? "/" : "",
                                write->kind->plural,
                                write->kind->namespaced ? write->namespace : "",
                                write->kind->namespaced ? "/" : "", write->name, uid, have);
}

/* --- what a write keeps of the stored object --- */

static void keep_member(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *value = json_get(from, key);

    if (value == NULL)
        json_object_object_del(to, key);
    else
        json_set(to, key, json_copy(value));
}

/* Fields that are the server's are restored, not complained about (U6). */
static void restore_system_fields(struct json_object *metadata, const struct json_object *old)
{
    bool deleting = json_get(old, "deletionTimestamp") != NULL;

    keep_member(metadata, old, "creationTimestamp");
    keep_member(metadata, old, "generation");
    managers_settle(metadata, old);
    json_object_object_del(metadata, "selfLink");
    if (json_get(metadata, "uid") == NULL)
        keep_member(metadata, old, "uid");
    if (deleting)
        keep_member(metadata, old, "deletionTimestamp");
    if (deleting && json_get(metadata, "deletionGracePeriodSeconds") == NULL)
        keep_member(metadata, old, "deletionGracePeriodSeconds");
}

/* A subresource write changes its own part of the stored object alone (U11). */
static struct json_object *confine(const struct write *write, struct json_object *tree,
                                   const struct json_object *old)
{
    struct json_object *result;

    if (write->subresource == SUB_NONE) {
        if (write->version->status)
            keep_member(tree, old, "status");
        if (write->kind->flags & KIND_FINALIZE) {
            struct json_object *spec = json_ensure_object(tree, "spec");

            keep_member(spec, json_get(old, "spec"), "finalizers");
        }
        return json_object_get(tree);
    }
    result = write->subresource == SUB_STATUS ? write_share_members(old) : json_copy(old);
    json_set_text(result, "apiVersion", write->version->api_version);
    if (write->subresource == SUB_STATUS)
        keep_member(result, tree, "status");
    else
        keep_member(json_ensure_object(result, "spec"), json_get(tree, "spec"), "finalizers");
    return result;
}

/* Members that no generation counts: metadata, and status where that is a subresource. */
static bool is_uncounted(const struct write *write, const char *name)
{
    return strcmp(name, "metadata") == 0 || strcmp(name, "apiVersion") == 0 ||
           (write->version->status && strcmp(name, "status") == 0);
}

static bool differs_for_generation(const struct write *write, const struct json_object *tree,
                                   const struct json_object *old)
{
    struct json_object_iter at;
    struct json_object *before;
    size_t found = 0;

    if (write->kind->row != NULL)
        return !json_equal(json_get(tree, "spec"), json_get(old, "spec"));
    json_object_object_foreachC(tree, at)
    {
        if (is_uncounted(write, at.key))
            continue;
        if (!json_object_object_get_ex(old, at.key, &before) || !json_equal(at.val, before))
            return true;
        found++;
    }
    json_object_object_foreachC(old, at) if (!is_uncounted(write, at.key)) found--;
    return found != 0;
}

static void count_generation(const struct write *write, struct json_object *tree,
                             const struct json_object *old)
{
    struct json_object *metadata = json_get_object(tree, "metadata");

    if ((write->kind->flags & KIND_GENERATION) == 0 || write->subresource == SUB_STATUS ||
        !differs_for_generation(write, tree, old))
        return;
    json_set_int64(metadata, "generation", json_get_int64(metadata, "generation", 0) + 1);
}

/* --- committing --- */

static bool list_is_empty(const struct json_object *list)
{
    return !json_is(list, json_type_array) || json_object_array_length(list) == 0;
}

bool write_is_unheld(const struct write *write, const struct json_object *tree)
{
    const struct json_object *metadata = json_get(tree, "metadata");

    return list_is_empty(json_get(metadata, "finalizers")) &&
           (!(write->kind->flags & KIND_FINALIZE) ||
            list_is_empty(json_get(json_get(tree, "spec"), "finalizers")));
}

/* Whether this write takes away the last that held a deleted object (X6). */
static bool ends_object(const struct write *write, const struct json_object *tree)
{
    const struct json_object *metadata = json_get(tree, "metadata");

    return json_get(metadata, "deletionTimestamp") != NULL &&
           json_get_int64(metadata, "deletionGracePeriodSeconds", 0) == 0 &&
           write_is_unheld(write, tree);
}

static bool commit_parts(struct write *write, const struct store_object *old,
                         const struct json_object *tree)
{
    bool metadata = write->subresource != SUB_STATUS; /* else confined to the status */
    const struct store_parts parts = {.metadata = metadata ? json_get(tree, "metadata") : NULL,
                                      .status = json_get(tree, "status"),
                                      .spec_key = write->spec_key,
                                      .spec_text = write->spec_text};
    const struct store_object *object;
    struct error err = ERROR_INIT;

    if (!store_update_parts(write->kind->objects, old, &parts, &object, &err))
        return write_store_failed(write, old->name, &err);
    write_answer_object(write, object);
    return true;
}

bool write_commit(struct write *write, const struct store_object *old, struct json_object *tree)
{
    const struct store_object *object;
    struct error err = ERROR_INIT;

    if (write->by_parts)
        return commit_parts(write, old, tree);
    revise_for_storage(write->kind, write->version, tree);
    write_set_stored_version(write, tree);
    if (!store_update(write->kind->objects, old, tree, &object, &err))
        return write_store_failed(write, old->name, &err);
    write_answer_object(write, object);
    return true;
}

static bool finish_update(struct write *write, const struct store_object *old,
                          struct json_object *tree)
{
    struct error err = ERROR_INIT;
    char revision[24];

    write->code = 200;
    if (write->dry_run || ends_object(write, tree)) {
        snprintf(revision, sizeof(revision), "%" PRIu64, old->revision);
        json_set_text(json_get_object(tree, "metadata"), "resourceVersion", revision);
        write_answer_tree(write, old, tree);
        if (write->dry_run)
            return true;
        if (!store_delete(write->kind->objects, old, NULL, &err))
            return write_store_failed(write, old->name, &err);
        return true;
    }
    return write_commit(write, old, tree);
}

/* tree replaces what old_tree, parsed from old, says. */
static bool replace(struct write *write, const struct store_object *old,
                    const struct json_object *old_tree, struct json_object *tree)
{
    struct json_object *result;
    bool ok;

    restore_system_fields(json_get_object(tree, "metadata"), json_get(old_tree, "metadata"));
    result = confine(write, tree, old_tree);
    count_generation(write, result, old_tree);
    ok = write_may_grant(write, result, old_tree) &&
         write_default_and_check(write, result, old_tree) && finish_update(write, old, result);
    json_object_put(result);
    return ok;
}

/* A missing object: 404, or a create where the kind allows that (U2). */
static bool update_missing(struct write *write, struct json_object *tree)
{
    struct rest_subject subject = write_subject(write, write->name);
    struct json_object *metadata = json_get_object(tree, "metadata");

    if (!(write->kind->flags & KIND_CREATE_ON_UPDATE) || write->subresource != SUB_NONE)
        return rest_status_not_found(&write->status, &subject);
    json_object_object_del(metadata, "resourceVersion");
    return write_may_create(write) && write_create(write, tree);
}

/* Whether a write of a status is looked at: those of actors in this process are good. */
static bool is_checked(const struct write *write)
{
    return (write->kind->flags & KIND_STATUS_CHECKED) != 0 && write->subresource == SUB_STATUS &&
           !write->unanswered;
}

/* Whether a write comes to no more than a new status in the place of the old one. */
static bool is_status_alone(const struct write *write, const struct json_object *tree,
                            const struct store_object *old)
{
    return (write->kind->flags & KIND_APART) != 0 && write->subresource == SUB_STATUS &&
           !write->dry_run && !is_checked(write) && json_get(tree, "status") != NULL &&
           (!old->deleting || old->finalizer_count > 0);
}

static bool update_status_alone(struct write *write, const struct json_object *tree,
                                const struct store_object *old)
{
    struct json_object *parts = json_object_new_object();
    bool ok;

    write->by_parts = true;
    json_set(parts, "status", json_object_get(json_get(tree, "status")));
    ok = commit_parts(write, old, parts);
    json_object_put(parts);
    return ok;
}

bool write_update(struct write *write, struct json_object *tree)
{
    struct json_object *metadata;
    const struct store_object *old;
    struct json_object *old_tree;
    bool ok;

    if (!write_accept_body(write, tree))
        return false;
    metadata = json_get_object(tree, "metadata");
    if (!write_fix_namespace(write, metadata) || !check_name(write, metadata))
        return false;
    old = store_get(write->kind->objects, write->namespace, write->name);
    if (!check_uid(write, metadata, old))
        return false;
    if (old == NULL)
        return update_missing(write, tree);
    if (!write_check_namespace(write, write->name, false) || !check_revision(write, metadata, old))
        return false;
    if (is_status_alone(write, tree, old))
        return update_status_alone(write, tree, old);
    old_tree = revised_parse(write->kind, write->version, old);
    ok = replace(write, old, old_tree, tree);
    json_object_put(old_tree);
    return ok;
}

/* --- patches --- */

static bool patch_failed(struct write *write, const struct error *err)
{
    switch (err->kind) {
    case ERROR_MALFORMED:
        return rest_status_bad_request(&write->status, "%s", err->text);
    case ERROR_TOO_LARGE:
        return rest_status_set(&write->status, 413, "RequestEntityTooLarge",
                               "Request entity too large: %s", err->text);
    case ERROR_INTERNAL: /* P19 */
        return rest_status_untyped(&write->status, "%s", err->text);
    default:
        write->status.has_details = true;
        return rest_status_set(&write->status, 422, "Invalid",
                               "the server rejected our request due to an error in our request");
    }
}

bool write_apply_patch(struct write *write, enum patch_form form,
                       const struct json_object *document, const struct json_object *patch,
                       struct json_object **ret_tree)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;
    bool ok = false;

    switch (form) {
    case PATCH_OPERATIONS:
        ok = patch_apply_operations(document, patch, &tree, &err);
        break;
    case PATCH_MERGE:
        ok = patch_apply_merge(document, patch, &tree, &err);
        break;
    case PATCH_STRATEGIC:
        ok = patch_apply_strategic(document, patch, write->kind->kind, &tree, &err);
        break;
    }
    if (!ok)
        return patch_failed(write, &err);
    if (!json_is(tree, json_type_object)) {
        error_set(&err, ERROR_INVALID, "the result is no object");
        json_object_put(tree);
        return patch_failed(write, &err);
    }
    *ret_tree = tree;
    return true;
}

/* A patched body that does not decode is told with the whole of it (P7), as it was before decoding
 * took it apart. */
static void retell_decode_error(struct write *write, enum patch_form form,
                                const struct store_object *old, const struct json_object *old_tree,
                                const struct json_object *patch)
{
    struct rest_subject nothing = {.group = "", .kind = "", .name = ""};
    struct buffer quoted = BUFFER_INIT(2 * REST_BODY_BYTES_MAX);
    struct field_errors errors = FIELD_ERRORS_INIT;
    const char *why = strstr(write->status.message, ": ");
    struct json_object *tree = NULL;
    size_t size;
    char *text;

    if (!write_apply_patch(write, form, old_tree, patch, &tree))
        return; /* cannot be: it did before */
    if (write->by_parts)
        write_complete(write, old, tree);
    text = json_to_text(tree, &size);
    field_error_append_quoted_bytes(&quoted, text, size);
    field_errors_add(&errors, FIELD_INVALID, "patch", "Invalid value: %s: %s", buffer_text(&quoted),
                     why == NULL ? write->status.message : why + 2);
    rest_status_release(&write->status);
    rest_status_invalid(&write->status, &nothing, &errors);
    field_errors_release(&errors);
    buffer_release(&quoted);
    json_object_put(tree);
    free(text);
}

static bool update_patched(struct write *write, const struct store_object *old,
                           const struct json_object *old_tree, struct json_object *tree)
{
    struct json_object *metadata = json_get_object(tree, "metadata");

    return write_fix_namespace(write, metadata) && check_name(write, metadata) &&
           write_check_namespace(write, write->name, false) &&
           check_revision(write, metadata, old) && replace(write, old, old_tree, tree);
}

/* The node that a patch binds a pod to which has none yet, when that is all it does to its spec. */
static const char *binds_to(const struct json_object *spec, const struct store_object *old)
{
    const char *node = json_get_text(spec, "nodeName");

    if (text_is_empty(node) || json_object_object_length(spec) != 1 ||
        json_slice_get(store_object_spec(old), "nodeName").bytes != NULL)
        return NULL;
    return node;
}

/* Whether metadata and status can be written without a look at the rest: in a built-in kind that
 * says so, or through /status of a custom kind without rules, whose spec is stored as it would be
 * written now. */
static bool is_apart(const struct write *write, const struct store_object *old)
{
    const struct kind_version *stored;

    if (write->kind->row != NULL)
        return (write->kind->flags & KIND_APART) != 0;
    if (write->subresource != SUB_STATUS || write->version->schema == NULL ||
        write->kind->revises || schema_has_rules(write->version->schema))
        return false;
    stored = kind_storage_version(write->kind);
    return old->at.members_offset == stored->prefix_size &&
           memcmp(old->bytes->data, stored->prefix, stored->prefix_size) == 0;
}

/* Whether a patch leaves all but metadata and status alone, or does no more to the spec than
 * write->spec_key says. */
static bool keeps_rest(struct write *write, enum patch_form form, const struct json_object *patch,
                       const struct store_object *old)
{
    struct json_object_iter at;

    if (!is_apart(write, old) || form != PATCH_MERGE || is_checked(write) ||
        !json_is(patch, json_type_object))
        return false;
    json_object_object_foreachC(patch, at)
    {
        bool spec = strcmp(at.key, "spec") == 0 && (write->kind->flags & KIND_GRACEFUL) != 0 &&
                    write->subresource == SUB_NONE;

        if (spec && (write->spec_text = binds_to(at.val, old)) != NULL)
            write->spec_key = "nodeName";
        else if (at.val == NULL ||
                 (strcmp(at.key, "metadata") != 0 && strcmp(at.key, "status") != 0))
            return false;
    }
    return true;
}

/* The patch without its spec. */
static struct json_object *rest_of_patch(const struct json_object *patch)
{
    struct json_object *rest = json_object_new_object();
    struct json_object_iter at;

    json_object_object_foreachC(patch, at) if (strcmp(at.key, "spec") != 0)
        json_set(rest, at.key, json_object_get(at.val));
    return rest;
}

static bool patch_stored(struct write *write, enum patch_form form, const struct json_object *patch,
                         const struct store_object *old, struct json_object *old_tree)
{
    struct json_object *tree = NULL;
    bool ok;

    json_set_text(old_tree, "apiVersion", write->version->api_version);
    if (!write_apply_patch(write, form, old_tree, patch, &tree))
        return false;
    ok = write_accept_body(write, tree);
    if (ok)
        ok = update_patched(write, old, old_tree, tree);
    else
        retell_decode_error(write, form, old, old_tree, patch);
    json_object_put(tree);
    return ok;
}

static bool patch_parts(struct write *write, const struct json_object *patch,
                        const struct store_object *old)
{
    bool with_status = write->subresource == SUB_STATUS;
    struct json_object *old_tree = store_object_parse_parts(old, with_status);
    struct json_object *rest = rest_of_patch(patch);
    bool ok;

    write->by_parts = true;
    ok = patch_stored(write, PATCH_MERGE, rest, old, old_tree);
    json_object_put(rest);
    json_object_put(old_tree);
    return ok;
}

bool write_patch(struct write *write, enum patch_form form, const struct json_object *patch)
{
    struct rest_subject subject = write_subject(write, write->name);
    struct json_object *old_tree;
    const struct store_object *old;
    bool ok;

    old = store_get(write->kind->objects, write->namespace, write->name);
    if (old == NULL)
        return rest_status_not_found(&write->status, &subject);
    if (keeps_rest(write, form, patch, old))
        return patch_parts(write, patch, old);
    write->spec_key = NULL;
    old_tree = revised_parse(write->kind, write->version, old);
    ok = patch_stored(write, form, patch, old, old_tree);
    json_object_put(old_tree);
    return ok;
}
