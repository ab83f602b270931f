/* checks - the rules of built-in kinds that clients notice. */
#include "fakeapi/rest/checks.h"

#include <inttypes.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/access/account_secrets.h"
#include "fakeapi/rest/event_form.h"
#include "fakeapi/rest/metadata.h"

/* Kubernetes' limits. */
#define DATA_BYTES_MAX ((size_t)1048576)
#define CRON_JOB_NAME_MAX 52
#define CONFIG_KEY_MAX 253

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

/* --- secrets and config maps --- */

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

static const char config_key_message[] =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

static bool has_key_form(const char *key)
{
    static const char alphabet[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

    return key[0] != '\0' && key[strspn(key, alphabet)] == '\0';
}

static void check_key(const char *path, const char *key, struct field_errors *errors)
{
    if (strlen(key) > CONFIG_KEY_MAX)
        metadata_add_invalid(errors, path, key, "must be no more than 253 characters");
    if (!has_key_form(key))
        metadata_add_invalid(errors, path, key, config_key_message);
    if (strcmp(key, ".") == 0)
        metadata_add_invalid(errors, path, key, "must not be '.'");
    else if (strcmp(key, "..") == 0)
        metadata_add_invalid(errors, path, key, "must not be '..'");
    else if (text_starts_with(key, ".."))
        metadata_add_invalid(errors, path, key, "must not start with '..'");
}

/* The keys of one map; none of them is in the other, which may be NULL. */
static void check_keys(const struct json_object *tree, const char *member,
                       const struct json_object *other, struct field_errors *errors)
{
    struct json_object *map = json_get_object(tree, member);

    if (map == NULL)
        return;
    json_object_object_foreach(map, key, value)
    {
        char *path;

        (void)value;
        if (has_key_form(key) && key[0] != '.' && strlen(key) <= CONFIG_KEY_MAX &&
            json_get(other, key) == NULL)
            continue;
        path = xprintf("%s[%s]", member, key);
        check_key(path, key, errors);
        if (json_get(other, key) != NULL)
            metadata_add_invalid(errors, path, key, "duplicate of key present in binaryData");
        free(path);
    }
}

/* Decoded sizes (S11). That it is base64 was found when it was decoded. */
static size_t decoded_bytes(const struct json_object *text)
{
    const char *encoded = text_or(json_text(text), "");
    size_t size = strlen(encoded);
    size_t padding = 0;

    while (padding < size && encoded[size - padding - 1] == '=')
        padding++;
    return size / 4 * 3 - padding;
}

static size_t member_bytes(const struct json_object *tree, const char *member, bool encoded)
{
    struct json_object *map = json_get_object(tree, member);
    size_t total = 0;

    if (map == NULL)
        return 0;
    json_object_object_foreach(map, key, value)
    {
        (void)key;
        total += encoded ? decoded_bytes(value) : (size_t)json_object_get_string_len(value);
    }
    return total;
}

/* What a secret of a type that others know must hold. */
static void check_secret_type(const struct json_object *tree, struct field_errors *errors)
{
    static const struct {
        const char *type;
        const char *keys[2]; /* NULL: no more */
    } types[] = {
        {"kubernetes.io/dockercfg",        {".dockercfg", NULL}       },
        {"kubernetes.io/dockerconfigjson", {".dockerconfigjson", NULL}},
        {"kubernetes.io/ssh-auth",         {"ssh-privatekey", NULL}   },
        {"kubernetes.io/tls",              {"tls.crt", "tls.key"}     },
    };
    const char *type = json_get_text(tree, "type");
    const struct json_object *data = json_get(tree, "data");

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        for (size_t k = 0; text_equal(type, types[i].type) && k < 2; k++) {
            char *path;

            if (types[i].keys[k] == NULL || json_get(data, types[i].keys[k]) != NULL)
                continue;
            path = xprintf("data[%s]", types[i].keys[k]);
            field_errors_add(errors, FIELD_REQUIRED, path, "Required value");
            free(path);
        }
    if (text_equal(type, "kubernetes.io/basic-auth") && json_get(data, "username") == NULL &&
        json_get(data, "password") == NULL) {
        field_errors_add(errors, FIELD_REQUIRED, "data[username]", "Required value");
        field_errors_add(errors, FIELD_REQUIRED, "data[password]", "Required value");
    }
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

    check_keys(tree, "data", NULL, errors);
    if (member_bytes(tree, "data", true) > DATA_BYTES_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "data", "Too long: may not be more than %zu bytes",
                         DATA_BYTES_MAX);
    check_secret_type(tree, errors);
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
    size_t total = member_bytes(tree, "data", false);

    check_keys(tree, "data", json_get(tree, "binaryData"), errors);
    check_keys(tree, "binaryData", NULL, errors);
    total += member_bytes(tree, "binaryData", true);
    if (total > DATA_BYTES_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "[]", "Too long: may not be more than %zu bytes",
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

/* --- leases --- */

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
}

/* --- events --- */

/* An event is where its object is; without a time of its own it is of the old kind, as recorders
 * make it (S9). */
static void check_event_as(const struct json_object *tree, const char *component,
                           struct field_errors *errors)
{
    const char *own = text_or(json_get_text(json_get(tree, "metadata"), "namespace"), "");
    const char *namespace =
        text_or(json_get_text(json_get(tree, "involvedObject"), "namespace"), "");
    bool timed = json_get(tree, "eventTime") != NULL;
    bool right = strcmp(own, namespace) == 0;

    if (namespace[0] == '\0')
        right = strcmp(own, "default") == 0 || (timed && strcmp(own, "kube-system") == 0);
    else if (timed)
        right = true;
    if (!right)
        metadata_add_invalid(errors, "involvedObject.namespace", namespace,
                             "does not match event.namespace");
    if (timed && text_is_empty(json_get_text(tree, "reportingComponent")))
        field_errors_add(errors, FIELD_REQUIRED, component, "Required value");
    if (timed && text_is_empty(json_get_text(tree, "reportingInstance")))
        field_errors_add(errors, FIELD_REQUIRED, "reportingInstance", "Required value");
    if (timed && text_is_empty(json_get_text(tree, "action")))
        field_errors_add(errors, FIELD_REQUIRED, "action", "Required value");
}

void check_event(const struct json_object *tree, const struct json_object *old,
                 struct field_errors *errors)
{
    (void)old;
    check_event_as(tree, "reportingComponent", errors);
}

void check_new_event(const struct json_object *tree, const struct json_object *old,
                     struct field_errors *errors)
{
    struct json_object *copy = json_copy(tree);
    const char *type = text_or(json_get_text(tree, "type"), "");

    event_form_store(copy);
    check_event_as(copy, "reportingController", errors);
    json_object_put(copy);
    if (old != NULL)
        return;
    if (json_get(tree, "eventTime") == NULL)
        field_errors_add(errors, FIELD_REQUIRED, "eventTime", "Required value");
    if (strcmp(type, "Normal") != 0 && strcmp(type, "Warning") != 0)
        field_errors_add(errors, FIELD_INVALID, "type",
                         "Invalid value: \"\": has invalid value: %s", type);
}
