/* write - accepting bodies, and creates. */
#include "fakeapi/rest/write.h"

#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/decode.h"
#include "fakeapi/rest/grants.h"
#include "fakeapi/rest/managers.h"
#include "fakeapi/rest/metadata.h"
#include "fakeapi/rest/revise.h"
#include "fakeapi/rest/scale.h"
#include "fakeapi/rest/write_steps.h"

/* Longest warning: it may name a field of the body. */
#define WARNING_BYTES_MAX ((size_t)REST_BODY_BYTES_MAX + 1024)

/* Names from generateName (C11). */
#define GENERATED_BASE_MAX 58
#define GENERATED_SUFFIX 5
#define GENERATED_ATTEMPTS 8

void write_release(struct write *write)
{
    rest_status_release(&write->status);
    store_object_unref(write->object);
    json_object_put(write->tree);
    for (size_t i = 0; i < write->warning_count; i++)
        free(write->warnings[i]);
    buffer_release(&write->strict);
    write->object = NULL;
    write->tree = NULL;
    write->warning_count = 0;
}

void write_warn(struct write *write, const char *format, ...)
{
    struct buffer text = BUFFER_INIT(WARNING_BYTES_MAX);
    size_t size;
    char *warning;
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    warning = buffer_take(&text, &size);
    for (size_t i = 0; i < write->warning_count; i++)
        if (strcmp(write->warnings[i], warning) == 0)
            warning[0] = '\0'; /* once is enough (C5) */
    if (warning[0] == '\0' || write->warning_count == WARNINGS_MAX)
        free(warning);
    else
        write->warnings[write->warning_count++] = warning;
}

struct rest_subject write_subject(const struct write *write, const char *name)
{
    return (struct rest_subject){.group = write->kind->group,
                                 .plural = write->kind->plural,
                                 .kind = write->kind->kind,
                                 .name = name};
}

bool write_fix_namespace(struct write *write, struct json_object *metadata)
{
    const char *namespace = json_get_text(metadata, "namespace");

    if (!write->kind->namespaced) {
        json_object_object_del(metadata, "namespace");
        return true;
    }
    if (text_is_empty(namespace)) {
        json_set_text(metadata, "namespace", write->namespace);
        return true;
    }
    if (strcmp(namespace, write->namespace) != 0)
        return rest_status_bad_request(&write->status,
                                       "the namespace of the provided object does not match the "
                                       "namespace sent on the request");
    return true;
}

static bool refuse_terminating(struct write *write, const char *name)
{
    struct rest_subject subject = write_subject(write, name);
    char *message = xprintf("namespace %s is being terminated", write->namespace);

    rest_status_forbidden(&write->status, &subject,
                          "unable to create new content in namespace %s because it is being "
                          "terminated",
                          write->namespace);
    rest_status_cause(&write->status, "NamespaceTerminating", message, "metadata.namespace");
    free(message);
    return false;
}

bool write_check_namespace(struct write *write, const char *name, bool create)
{
    struct rest_subject subject = {
        .group = "", .plural = "namespaces", .kind = "Namespace", .name = write->namespace};
    const struct store_object *namespace;

    if (!write->kind->namespaced)
        return true;
    namespace = store_get(write->rest->namespaces, NULL, write->namespace);
    if (namespace == NULL) {
        /* Only the name is in the real server's details here. */
        return rest_status_not_found(&write->status, &subject);
    }
    if (create && namespace->deleting && !write->loaded)
        return refuse_terminating(write, name);
    return true;
}

void write_set_now(struct write *write, struct json_object *object, const char *key)
{
    char text[TIME_TEXT_SIZE];

    time_format(runtime_wall_us(write->rest->rt), text);
    json_set_text(object, key, text);
}

void write_set_stored_version(const struct write *write, struct json_object *tree)
{
    json_set_text(tree, "apiVersion", kind_storage_version(write->kind)->api_version);
    json_set_text(tree, "kind", write->kind->kind);
}

struct json_object *write_share_members(const struct json_object *tree)
{
    struct json_object *copy = json_object_new_object();
    struct json_object_iter at;

    json_object_object_foreachC(tree, at)
    {
        json_set(copy, at.key, json_object_get(at.val));
    }
    return copy;
}

void write_complete(const struct write *write, const struct store_object *old,
                    struct json_object *tree)
{
    struct json_object *whole = revised_parse(write->kind, write->version, old);
    struct json_object_iter at;

    json_object_object_foreachC(whole, at)
    {
        if (!json_object_object_get_ex(tree, at.key, NULL))
            json_set(tree, at.key, json_object_get(at.val));
    }
    json_object_put(whole);
    if (write->spec_key != NULL)
        json_set_text(json_ensure_object(tree, "spec"), write->spec_key, write->spec_text);
}

void write_answer_tree(struct write *write, const struct store_object *old,
                       struct json_object *tree)
{
    if (write->by_parts && !write->unanswered)
        write_complete(write, old, tree);
    json_object_put(write->tree);
    write->tree = json_object_get(tree);
}

void write_answer_object(struct write *write, const struct store_object *object)
{
    store_object_ref(object);
    store_object_unref(write->object);
    write->object = object;
}

bool write_store_failed(struct write *write, const char *name, const struct error *err)
{
    struct rest_subject subject = write_subject(write, name);

    switch (err->kind) {
    case ERROR_EXISTS:
        return rest_status_exists(&write->status, &subject);
    case ERROR_NOT_FOUND:
        return rest_status_not_found(&write->status, &subject);
    case ERROR_CONFLICT:
        return rest_status_conflict(&write->status, &subject,
                                    "the object has been modified; please apply your changes to "
                                    "the latest version and try again");
    case ERROR_TOO_LARGE:
        return rest_status_untyped(&write->status, "etcdserver: request is too large");
    default:
        return rest_status_untyped(&write->status, "%s", err->text);
    }
}

/* An owner twice is an owner once (C15). */
static void drop_repeated_owners(struct write *write, struct json_object *metadata)
{
    struct buffer uids = BUFFER_INIT(2048);

    metadata_drop_repeated_owners(metadata, &uids);
    if (uids.size > 0)
        write_warn(write,
                   ".metadata.ownerReferences contains duplicate entries; API server dedups owner "
                   "references in 1.20+, and may reject such requests as early as 1.24; please fix "
                   "your requests; duplicate UID(s) observed: %s",
                   buffer_text(&uids));
    buffer_release(&uids);
}

static bool list_holds(const struct json_object *list, const char *text)
{
    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), text))
            return true;
    return false;
}

/* New finalizers of custom resources should name a domain (C16). */
static void warn_of_finalizers(struct write *write, const struct json_object *metadata,
                               const struct json_object *old_metadata)
{
    static const char *const standard[] = {"orphan", "foregroundDeletion", "kubernetes"};
    const struct json_object *list = json_get_array(metadata, "finalizers");
    const struct json_object *before = json_get_array(old_metadata, "finalizers");

    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++) {
        const char *name = text_or(json_text(json_object_array_get_idx(list, i)), "/");
        bool known = strchr(name, '/') != NULL || write->warning_count == WARNINGS_MAX;

        for (size_t k = 0; k < ARRAY_SIZE(standard); k++)
            known = known || strcmp(name, standard[k]) == 0;
        if (!known && !list_holds(before, name))
            write_warn(write,
                       "metadata.finalizers: \"%s\": prefer a domain-qualified finalizer name to "
                       "avoid accidental conflicts with other finalizer writers",
                       name);
    }
}

/* R22: what a scale may be. */
static void check_replicas(const struct write *write, const struct json_object *tree,
                           struct field_errors *errors)
{
    struct json_object *replicas;

    if (write->version->scale.spec_path == NULL || write->kind->row != NULL)
        return; /* built-in kinds check it by themselves */
    replicas = scale_value(tree, write->version->scale.spec_path);
    if (json_is(replicas, json_type_int) && json_object_get_int64(replicas) < 0)
        field_errors_add(errors, FIELD_INVALID, write->version->scale.spec_path,
                         "Invalid value: %lld: should be a non-negative integer",
                         (long long)json_object_get_int64(replicas));
}

static void check_custom(struct write *write, const struct json_object *tree,
                         const struct json_object *old, struct field_errors *errors)
{
    enum schema_part part = write->subresource == SUB_STATUS ? SCHEMA_STATUS : SCHEMA_WHOLE;
    struct field_errors warnings = FIELD_ERRORS_INIT;

    schema_validate(write->version->schema, part, tree, old, errors, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        write_warn(write, "%s: %s", warnings.items[i].path, warnings.items[i].body);
    field_errors_release(&warnings);
    check_replicas(write, tree, errors);
}

bool write_default_and_check(struct write *write, struct json_object *tree,
                             const struct json_object *old)
{
    const struct kind_row *row = write->kind->row;
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct rest_subject subject =
        write_subject(write, text_or(json_get_text(metadata, "name"), ""));
    bool ok;

    if (row != NULL && row->set_defaults != NULL && !write->by_parts)
        row->set_defaults(tree, old);
    drop_repeated_owners(write, metadata);
    metadata_check(metadata, write->kind, &errors);
    managers_check(metadata, &errors);
    if (old != NULL)
        metadata_check_update(metadata, json_get(old, "metadata"),
                              text_equal(write->kind->kind, "Event") ? 1 : 2, &errors);
    if (row != NULL && row->check != NULL && !write->by_parts)
        row->check(tree, old, &errors);
    if (write->version->schema != NULL)
        check_custom(write, tree, old, &errors);
    ok = errors.count == 0;
    if (!ok)
        rest_status_invalid(&write->status, &subject, &errors);
    else if (row == NULL)
        warn_of_finalizers(write, metadata, json_get(old, "metadata"));
    field_errors_release(&errors);
    return ok;
}

/* --- create --- */

void write_new_uid(struct rest *rest, char uid[37])
{
    uint64_t high = runtime_random(rest->rt);
    uint64_t low = runtime_random(rest->rt);

    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    low = (low & (UINT64_MAX >> 2)) | (UINT64_C(1) << 63);
    for (size_t i = 0, digit = 0; i < 36; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            uid[i] = '-';
            continue;
        }
        uid[i] = "0123456789abcdef"[(digit < 16 ? high : low) >> (60 - 4 * (digit % 16)) & 0xf];
        digit++;
    }
    uid[36] = '\0';
}

/* What clients cannot set, and what the server sets instead (C6). */
static void set_system_fields(struct write *write, struct json_object *metadata)
{
    static const char *const cleared[] = {"deletionTimestamp", "deletionGracePeriodSeconds",
                                          "selfLink", "resourceVersion"};
    char uid[37];

    for (size_t i = 0; i < ARRAY_SIZE(cleared); i++)
        json_object_object_del(metadata, cleared[i]);
    if (!write->loaded || text_is_empty(json_get_text(metadata, "uid"))) {
        write_new_uid(write->rest, uid);
        json_set_text(metadata, "uid", uid);
    }
    write_set_now(write, metadata, "creationTimestamp");
    if (write->kind->flags & KIND_GENERATION)
        json_set_int64(metadata, "generation", 1);
    managers_settle(metadata, NULL);
}

/* base-xxxxx (C11) */
static void generate_name(struct write *write, struct json_object *metadata)
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    const char *base = json_get_text(metadata, "generateName");
    char suffix[GENERATED_SUFFIX + 1] = "";
    uint64_t random = runtime_random(write->rest->rt);
    char *name;

    for (size_t i = 0; i < GENERATED_SUFFIX; i++) {
        suffix[i] = alphabet[random % (sizeof(alphabet) - 1)];
        random /= sizeof(alphabet) - 1;
    }
    name = xprintf("%.*s%s", GENERATED_BASE_MAX, base, suffix);
    json_set_text(metadata, "name", name);
    free(name);
}

static const struct store_object *stored(const struct write *write,
                                         const struct json_object *metadata)
{
    return store_get(write->kind->objects, write->namespace,
                     text_or(json_get_text(metadata, "name"), ""));
}

/* Finds a free name. False when none was free in all attempts. */
static bool choose_name(struct write *write, struct json_object *metadata)
{
    struct rest_subject subject;
    char *resource;

    for (unsigned attempt = 0; attempt < GENERATED_ATTEMPTS; attempt++) {
        generate_name(write, metadata);
        if (stored(write, metadata) == NULL)
            return true;
    }
    subject = write_subject(write, json_get_text(metadata, "name"));
    rest_status_exists(&write->status, &subject);
    resource = rest_group_resource(&subject);
    free(write->status.message);
    write->status.message = xprintf("%s \"%s\" already exists, the server was not able to "
                                    "generate a unique name for the object",
                                    resource, subject.name);
    free(resource);
    write->status.retry_after_seconds = 1;
    return false;
}

/* The 409, which tells an object that is on its way out apart (C19). */
static bool check_absent(struct write *write, const struct json_object *metadata)
{
    const struct store_object *there = stored(write, metadata);
    struct rest_subject subject;
    char *resource;

    if (there == NULL)
        return true;
    subject = write_subject(write, there->name);
    rest_status_exists(&write->status, &subject);
    runtime_mark(write->rest->rt,
                 there->deleting ? MARK_API_EXISTS_DELETING : MARK_API_ALREADY_EXISTS);
    if (!there->deleting)
        return false;
    resource = rest_group_resource(&subject);
    free(write->status.message);
    write->status.message =
        xprintf("object is being deleted: %s \"%s\" already exists", resource, there->name);
    free(resource);
    return false;
}

static bool store_new_object(struct write *write, struct json_object *tree)
{
    const char *name = json_get_text(json_get(tree, "metadata"), "name");
    const struct store_object *object;
    struct error err = ERROR_INIT;

    write->code = 201;
    write_set_stored_version(write, tree);
    if (write->dry_run) {
        write_answer_tree(write, NULL, tree);
        return true;
    }
    revise_for_storage(write->kind, write->version, tree);
    if (!store_create(write->kind->objects, tree, &object, &err))
        return write_store_failed(write, name, &err);
    write_answer_object(write, object);
    return true;
}

/* Whether the body says a revision, which new objects do not have (C7). */
static bool says_revision(const struct json_object *metadata)
{
    const char *revision = json_get_text(metadata, "resourceVersion");

    return !text_is_empty(revision) && strcmp(revision, "0") != 0;
}

/* R8 */
static bool refuse_new(struct write *write)
{
    rest_status_set(&write->status, 405, "MethodNotAllowed",
                    "create not allowed while custom resource definition is terminating");
    write->status.has_details = true;
    write->status.group = xstrdup(write->kind->group);
    write->status.kind = xstrdup(write->kind->plural);
    return false;
}

/* Whether there is room for it, by those who keep count. */
static bool admit(struct write *write, const struct json_object *metadata,
                  const struct json_object *tree)
{
    const struct rest_admission *admission = write->rest->admission;
    struct rest_subject subject = write_subject(write, json_get_text(metadata, "name"));
    bool will_fail = stored(write, metadata) != NULL;
    char *why = NULL;

    if (admission == NULL || write->loaded ||
        admission->create(write->rest->admission_arg, write->kind->objects, write->namespace, tree,
                          write->dry_run || will_fail, &why))
        return true;
    runtime_mark(write->rest->rt, MARK_API_QUOTA_REFUSED);
    rest_status_forbidden(&write->status, &subject, "%s", why);
    free(why);
    return false;
}

bool write_create(struct write *write, struct json_object *tree)
{
    struct json_object *metadata;
    bool revision;
    bool generated;
    const char *wanted;

    if (!write_accept_body(write, tree))
        return false;
    metadata = json_get_object(tree, "metadata");
    revision = says_revision(metadata);
    generated = text_is_empty(json_get_text(metadata, "name")) &&
                !text_is_empty(json_get_text(metadata, "generateName"));
    wanted = json_get_text(metadata, generated ? "generateName" : "name");
    if (!write_fix_namespace(write, metadata) ||
        !write_check_namespace(write, text_or(wanted, "Unknown"), true))
        return false;
    if (write->kind->terminating)
        return refuse_new(write);
    if (!write_may_grant(write, tree, NULL))
        return false;
    set_system_fields(write, metadata);
    if (write->version->status && !(write->kind->flags & KIND_KEEPS_STATUS))
        json_object_object_del(tree, "status"); /* C17 */
    if (generated && !choose_name(write, metadata))
        return false;
    if (!write_default_and_check(write, tree, NULL))
        return false;
    if (revision)
        return rest_status_untyped(&write->status,
                                   "resourceVersion should not be set on objects to be created");
    return admit(write, metadata, tree) && check_absent(write, metadata) &&
           store_new_object(write, tree);
}
