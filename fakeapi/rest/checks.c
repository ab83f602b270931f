/* checks - the rules of built-in kinds that clients notice. */
#include "fakeapi/rest/checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/access/account_secrets.h"
#include "fakeapi/rest/metadata.h"
#include "fakeapi/schema/sorted_keys.h"

/* Kubernetes' limits. */
#define DATA_BYTES_MAX ((size_t)1048576)
#define ADDRESSES_MAX 2
/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)
#define CRON_JOB_NAME_MAX 52

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

void check_not_negative(const struct json_object *spec, const char *prefix, const char *key,
                        struct field_errors *errors)
{
    char *path;

    if (json_get_int64(spec, key, 0) >= 0)
        return;
    path = xprintf("%s.%s", prefix, key);
    metadata_add_invalid_value(errors, path, json_get(spec, key),
                               "must be greater than or equal to 0");
    free(path);
}

/* --- pods and pod templates --- */

static void check_container(const struct json_object *container, const char *path,
                            struct field_errors *errors)
{
    char *field = xprintf("%s.name", path);
    const char *name = json_get_text(container, "name");

    if (text_is_empty(name))
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
    else if (!metadata_is_label(name))
        metadata_add_invalid(errors, field, name, metadata_label_message);
    free(field);
    if (text_is_empty(json_get_text(container, "image"))) {
        field = xprintf("%s.image", path);
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
        free(field);
    }
}

static void check_unique_names(const struct json_object *containers, size_t index, const char *path,
                               struct field_errors *errors)
{
    const char *name = json_get_text(json_object_array_get_idx(containers, index), "name");
    char *field;

    for (size_t i = 0; i < index && !text_is_empty(name); i++) {
        if (!text_equal(json_get_text(json_object_array_get_idx(containers, i), "name"), name))
            continue;
        field = xprintf("%s.name", path);
        field_errors_add(errors, FIELD_DUPLICATE, field, "Duplicate value: \"%s\"", name);
        free(field);
        return;
    }
}

/* Most containers that are compared with each other, so that no body makes that slow. */
#define UNIQUE_CONTAINERS_MAX 1000

void check_pod_spec(const struct json_object *spec, const char *path, struct field_errors *errors)
{
    struct json_object *containers = json_get_array(spec, "containers");
    char *field = xprintf("%s.containers", path);

    if (list_count(containers) == 0)
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
    for (size_t i = 0; i < list_count(containers); i++) {
        char *item = xprintf("%s[%zu]", field, i);

        check_container(json_object_array_get_idx(containers, i), item, errors);
        if (i < UNIQUE_CONTAINERS_MAX)
            check_unique_names(containers, i, item, errors);
        free(item);
    }
    free(field);
}

static const char pod_update_message[] =
    "Forbidden: pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

static void copy_images(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *containers = json_get_array(to, key);
    struct json_object *others = json_get_array(from, key);

    for (size_t i = 0; i < list_count(containers) && i < list_count(others); i++) {
        struct json_object *container = json_object_array_get_idx(containers, i);
        const char *image = json_get_text(json_object_array_get_idx(others, i), "image");

        if (json_is(container, json_type_object) && image != NULL)
            json_set_text(container, "image", image);
    }
}

static void copy_member(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *value = json_get(from, key);

    if (value == NULL)
        json_object_object_del(to, key);
    else
        json_set(to, key, json_copy(value));
}

/* Members that differ, before and after; the real server's form is that of its Go types. */
static void append_difference(struct buffer *text, const struct json_object *before,
                              const struct json_object *after)
{
    static const char marks[] = "-+";
    const struct json_object *sides[] = {before, after};

    buffer_append_text(text, "  core.PodSpec{\n");
    for (size_t side = 0; side < ARRAY_SIZE(sides); side++) {
        struct sorted_keys keys = sorted_keys_of(sides[side]);

        for (size_t i = 0; i < keys.count; i++) {
            const struct json_object *value = json_get(sides[side], keys.items[i]);

            if (json_equal(value, json_get(sides[1 - side], keys.items[i])))
                continue;
            buffer_append_format(text, "%c \t%s: ", marks[side], keys.items[i]);
            json_append(text, value);
            buffer_append_text(text, ",\n");
        }
        sorted_keys_release(&keys);
    }
    buffer_append_text(text, "  }\n");
}

/* What may change is made equal; what differs then must not. The node is set once, by a scheduler
 * in this process. */
static void check_pod_update(const struct json_object *spec, const struct json_object *before,
                             struct field_errors *errors)
{
    struct json_object *allowed = json_copy(before);

    copy_images(allowed, spec, "containers");
    copy_images(allowed, spec, "initContainers");
    copy_member(allowed, spec, "activeDeadlineSeconds");
    copy_member(allowed, spec, "tolerations");
    if (json_get_int64(before, "terminationGracePeriodSeconds", 0) < 0)
        copy_member(allowed, spec, "terminationGracePeriodSeconds");
    if (text_is_empty(json_get_text(before, "nodeName")))
        copy_member(allowed, spec, "nodeName");
    if (!json_equal(allowed, spec)) {
        struct buffer difference = BUFFER_INIT(SHOWN_BYTES_MAX);

        append_difference(&difference, allowed, spec);
        field_errors_add(errors, FIELD_FORBIDDEN, "spec", "%s\n%s", pod_update_message,
                         buffer_text(&difference));
        buffer_release(&difference);
    }
    json_object_put(allowed);
}

void check_pod(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");

    check_pod_spec(spec, "spec", errors);
    if (old != NULL && !json_equal(spec, json_get(old, "spec")))
        check_pod_update(spec, json_get(old, "spec"), errors);
}

/* --- secrets and config maps --- */

static size_t member_bytes(struct json_object *map)
{
    struct json_object_iterator at;
    struct json_object_iterator end;
    size_t total = 0;

    if (!json_is(map, json_type_object))
        return 0;
    at = json_object_iter_begin(map);
    end = json_object_iter_end(map);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *value = json_object_iter_peek_value(&at);

        if (json_is(value, json_type_string))
            total += (size_t)json_object_get_string_len(value);
    }
    return total;
}

static void check_immutable(const struct json_object *tree, const struct json_object *old,
                            const char *const *keys, size_t key_count, struct field_errors *errors)
{
    if (!json_get_bool(old, "immutable", false))
        return;
    if (!json_get_bool(tree, "immutable", false))
        field_errors_add(errors, FIELD_FORBIDDEN, "immutable",
                         "Forbidden: field is immutable when `immutable` is set");
    for (size_t i = 0; i < key_count; i++)
        if (!json_equal(json_get(tree, keys[i]), json_get(old, keys[i])))
            field_errors_add(errors, FIELD_FORBIDDEN, keys[i],
                             "Forbidden: field is immutable when `immutable` is set");
}

/* Base64 and its decoded size (S11). */
static void check_encoded(struct json_object *data, struct field_errors *errors)
{
    struct json_object_iterator at;
    struct json_object_iterator end;
    size_t total = 0;

    if (data == NULL)
        return;
    at = json_object_iter_begin(data);
    end = json_object_iter_end(data);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        char *path = xprintf("data[%s]", name);
        const char *text = json_text(json_object_iter_peek_value(&at));
        size_t size = 0;
        char *decoded = text == NULL ? NULL : base64_decode(text, false, &size);

        if (decoded == NULL)
            metadata_add_invalid(errors, path, "<redacted>", "must be base64");
        total += size;
        free(decoded);
        free(path);
    }
    if (total > DATA_BYTES_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "data", "Too long: may not be more than %zu bytes",
                         DATA_BYTES_MAX);
}

/* The token of a ServiceAccount is one of somebody. */
static void check_account_name(const struct json_object *secret, struct field_errors *errors)
{
    const struct json_object *annotations = json_walk(secret, "metadata", "annotations", NULL);

    if (text_equal(json_get_text(secret, "type"), ACCOUNT_SECRET_TYPE) &&
        text_is_empty(json_get_text(annotations, ACCOUNT_SECRET_NAME)))
        field_errors_add(errors, FIELD_REQUIRED, "metadata.annotations[" ACCOUNT_SECRET_NAME "]",
                         "Required value");
}

void check_secret(const struct json_object *tree, const struct json_object *old,
                  struct field_errors *errors)
{
    static const char *const keys[] = {"data"};

    check_encoded(json_get_object(tree, "data"), errors);
    check_account_name(tree, errors);
    if (old == NULL)
        return;
    if (!json_equal(json_get(tree, "type"), json_get(old, "type")))
        metadata_add_invalid_value(errors, "type", json_get(tree, "type"), "field is immutable");
    check_immutable(tree, old, keys, ARRAY_SIZE(keys), errors);
}

void check_config_map(const struct json_object *tree, const struct json_object *old,
                      struct field_errors *errors)
{
    static const char *const keys[] = {"data", "binaryData"};
    size_t total = member_bytes(json_get(tree, "data"));

    total += member_bytes(json_get(tree, "binaryData")) / 4 * 3;
    if (total > DATA_BYTES_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "", "Too long: may not be more than %zu bytes",
                         DATA_BYTES_MAX);
    if (old != NULL)
        check_immutable(tree, old, keys, ARRAY_SIZE(keys), errors);
}

/* --- cron jobs --- */

void check_cron_job(const struct json_object *tree, const struct json_object *old,
                    struct field_errors *errors)
{
    static const char path[] = "spec.jobTemplate.spec.template.spec";
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *pod =
        json_walk(spec, "jobTemplate", "spec", "template", "spec", NULL);
    const char *name = text_or(json_get_text(json_get(tree, "metadata"), "name"), "");

    if (old == NULL && strlen(name) > CRON_JOB_NAME_MAX)
        metadata_add_invalid(errors, "metadata.name", name, "must be no more than 52 characters");
    if (text_is_empty(json_get_text(spec, "schedule")))
        field_errors_add(errors, FIELD_REQUIRED, "spec.schedule", "Required value");
    check_pod_spec(pod, path, errors);
    check_job_restart_policy(pod, "spec.jobTemplate.spec.template.spec.restartPolicy", errors);
}

/* --- leases and bindings --- */

/* Clients parse MicroTime strictly, so nothing else may get in (S7). */
static void check_micro_time(const struct json_object *spec, const char *key, const char *path,
                             struct field_errors *errors)
{
    const char *text = json_get_text(spec, key);
    int64_t at_us;

    if (text != NULL && !time_parse(text, &at_us))
        metadata_add_invalid(errors, path, text, "must be an RFC 3339 time");
}

void check_lease(const struct json_object *tree, const struct json_object *old,
                 struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");

    (void)old;
    if (json_get(spec, "leaseDurationSeconds") != NULL &&
        json_get_int64(spec, "leaseDurationSeconds", 0) <= 0)
        metadata_add_invalid_value(errors, "spec.leaseDurationSeconds",
                                   json_get(spec, "leaseDurationSeconds"),
                                   "must be greater than 0");
    check_not_negative(spec, "spec", "leaseTransitions", errors);
    check_micro_time(spec, "acquireTime", "spec.acquireTime", errors);
    check_micro_time(spec, "renewTime", "spec.renewTime", errors);
}

static void append_go_member(struct buffer *shown, const char *name,
                             const struct json_object *value)
{
    const char *text = text_or(json_text(value), "");

    buffer_append_format(shown, "%s:", name);
    field_error_append_quoted(shown, text, strlen(text));
}

static void add_invalid_role(struct field_errors *errors, const struct json_object *role)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    buffer_append_text(&shown, "rbac.RoleRef{");
    append_go_member(&shown, "APIGroup", json_get(role, "apiGroup"));
    buffer_append_text(&shown, ", ");
    append_go_member(&shown, "Kind", json_get(role, "kind"));
    buffer_append_text(&shown, ", ");
    append_go_member(&shown, "Name", json_get(role, "name"));
    field_errors_add(errors, FIELD_INVALID, "roleRef", "Invalid value: %s}: cannot change roleRef",
                     buffer_text(&shown));
    buffer_release(&shown);
}

void check_role_binding(const struct json_object *tree, const struct json_object *old,
                        struct field_errors *errors)
{
    if (old != NULL && !json_equal(json_get(tree, "roleRef"), json_get(old, "roleRef")))
        add_invalid_role(errors, json_get(tree, "roleRef"));
}

/* --- services --- */

static bool is_type(const struct json_object *spec, const char *type)
{
    return text_equal(json_get_text(spec, "type"), type);
}

static void add_fixed_address(struct field_errors *errors, const struct json_object *addresses,
                              size_t index)
{
    struct buffer shown = BUFFER_INIT(4096);
    char *path = xprintf("spec.clusterIPs[%zu]", index);

    field_error_append_texts(&shown, addresses);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %s: may not change once set",
                     buffer_text(&shown));
    buffer_release(&shown);
    free(path);
}

/* Addresses stay as they are, unless the service is or becomes an alias (U9). */
void check_service(const struct json_object *tree, const struct json_object *old,
                   struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *before = json_get(old, "spec");
    const struct json_object *now = json_get_array(spec, "clusterIPs");
    const struct json_object *was = json_get_array(before, "clusterIPs");

    if (old == NULL || is_type(spec, "ExternalName") || is_type(before, "ExternalName"))
        return;
    for (size_t i = 0; i < list_count(was) && i < list_count(now) && i < ADDRESSES_MAX; i++)
        if (!json_equal(json_object_array_get_idx(was, i), json_object_array_get_idx(now, i)))
            add_fixed_address(errors, now, i);
}
