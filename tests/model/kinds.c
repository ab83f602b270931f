#include "tests/model/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/gadget.h"
#include "tests/model/names.h"
#include "tests/model/refusals.h"

const char *const definitions[] = {
    gadget_definition,
    "{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',"
    "'metadata':{'name':'plains.model.example'},'spec':{'group':'model.example',"
    "'scope':'Cluster','names':{'plural':'plains','singular':'plain','kind':'Plain',"
    "'listKind':'PlainList'},'versions':[{'name':'v1','served':true,'storage':true,"
    "'schema':{'openAPIV3Schema':{'type':'object',"
    "'x-kubernetes-preserve-unknown-fields':true}}}]}}",
    NULL,
};

/* --- ConfigMaps --- */

static void check_keys(const struct json_object *data, struct json_object *causes)
{
    if (!value_is(data, json_type_object))
        return;
    json_object_object_foreach(data, key, value)
    {
        char *path = format("data[%s]", key);

        (void)value;
        if (!is_config_key(key))
            cause(causes, "FieldValueInvalid", path, "Invalid value: \"%s\": %s", key,
                  config_key_words);
        free(path);
    }
}

/* U9 */
static void check_immutable(const struct json_object *object, const struct json_object *old,
                            struct json_object *causes)
{
    static const char words[] = "Forbidden: field is immutable when `immutable` is set";

    if (old == NULL || !json_object_get_boolean(value_get(old, "immutable")))
        return;
    if (!json_object_get_boolean(value_get(object, "immutable")))
        cause(causes, "FieldValueForbidden", "immutable", "%s", words);
    if (!value_equal(value_get(object, "data"), value_get(old, "data")))
        cause(causes, "FieldValueForbidden", "data", "%s", words);
}

static void complete_configmap(struct json_object *object, const struct json_object *old)
{
    (void)old;
    value_drop_if_empty(object, "data");
}

static void check_configmap(struct json_object *object, const struct json_object *old,
                            struct json_object *causes)
{
    check_immutable(object, old, causes);
    check_keys(value_get(object, "data"), causes);
}

/* --- Secrets --- */

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const char *text, char *room)
{
    size_t size = strlen(text);

    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)(unsigned char)text[i] << 16;

        if (i + 1 < size)
            bits |= (unsigned)(unsigned char)text[i + 1] << 8;
        if (i + 2 < size)
            bits |= (unsigned)(unsigned char)text[i + 2];
        *room++ = base64_digits[bits >> 18];
        *room++ = base64_digits[(bits >> 12) & 63];
        *room++ = i + 1 < size ? base64_digits[(bits >> 6) & 63] : '=';
        *room++ = i + 2 < size ? base64_digits[bits & 63] : '=';
    }
    *room = '\0';
}

/* C21: stringData is folded into data. */
static void complete_secret(struct json_object *object, const struct json_object *old)
{
    struct json_object *texts = value_get(object, "stringData");
    char coded[256];

    (void)old;
    if (value_is(texts, json_type_object)) {
        json_object_object_foreach(texts, key, value)
        {
            encode(json_object_get_string(value), coded);
            value_put_text(value_within(object, "data"), key, coded);
        }
    }
    value_drop(object, "stringData");
    value_drop_if_empty(object, "data");
    if (value_text(object, "type")[0] == '\0')
        value_put_text(object, "type", "Opaque");
}

static void check_secret(struct json_object *object, const struct json_object *old,
                         struct json_object *causes)
{
    const char *type = value_text(object, "type");

    if (old != NULL && strcmp(type, value_text(old, "type")) != 0)
        cause(causes, "FieldValueInvalid", "type", "Invalid value: \"%s\": field is immutable",
              type);
    check_immutable(object, old, causes);
    check_keys(value_get(object, "data"), causes);
}

/* --- Leases --- */

static void complete_lease(struct json_object *object, const struct json_object *old)
{
    (void)old;
    (void)value_within(object, "spec");
}

static void check_lease(struct json_object *object, const struct json_object *old,
                        struct json_object *causes)
{
    int64_t seconds = value_int(object, "spec.leaseDurationSeconds", 1);
    int64_t transitions = value_int(object, "spec.leaseTransitions", 0);

    (void)old;
    if (seconds <= 0)
        cause(causes, "FieldValueInvalid", "spec.leaseDurationSeconds",
              "Invalid value: %lld: must be greater than 0", (long long)seconds);
    if (transitions < 0)
        cause(causes, "FieldValueInvalid", "spec.leaseTransitions",
              "Invalid value: %lld: must be greater than or equal to 0", (long long)transitions);
}

/* --- Pods: made with all that would be filled in --- */

static void complete_pod(struct json_object *object, const struct json_object *old)
{
    if (old != NULL)
        return;
    value_put(object, "status", value_of("{'phase':'Pending','qosClass':'BestEffort'}"));
}

/* --- Namespaces (C17, C21) --- */

static void complete_namespace(struct json_object *object, const struct json_object *old)
{
    struct json_object *metadata = value_within(object, "metadata");
    const char *name = value_text(metadata, "name");

    if (name[0] != '\0')
        value_put_text(value_within(metadata, "labels"), "kubernetes.io/metadata.name", name);
    value_drop_if_empty(value_within(object, "spec"), "finalizers");
    if (old != NULL)
        return;
    value_put(object, "spec", value_of("{'finalizers':['kubernetes']}"));
    value_put(object, "status", value_of("{'phase':'Active'}"));
}

/* --- the table --- */

const struct kind kinds[KIND_COUNT] = {
    [CONFIGMAP] = {.group = "",
                   .version = "v1",
                   .plural = "configmaps",
                   .kind = "ConfigMap",
                   .etcd = "/registry/configmaps",
                   .namespaced = true,
                   .lists_fields = true,
                   .complete = complete_configmap,
                   .check = check_configmap},
    [SECRET] = {.group = "",
                   .version = "v1",
                   .plural = "secrets",
                   .kind = "Secret",
                   .etcd = "/registry/secrets",
                   .namespaced = true,
                   .fields = {"type"},
                   .complete = complete_secret,
                   .check = check_secret},
    [LEASE] = {.group = "coordination.k8s.io",
                   .version = "v1",
                   .plural = "leases",
                   .kind = "Lease",
                   .etcd = "/registry/leases",
                   .namespaced = true,
                   .needs_revision = true,
                   .update_creates = true,
                   .lists_fields = true,
                   .complete = complete_lease,
                   .check = check_lease},
    [POD] = {.group = "",
                   .version = "v1",
                   .plural = "pods",
                   .kind = "Pod",
                   .etcd = "/registry/pods",
                   .namespaced = true,
                   .status = true,
                   .delete_shows = true,
                   .graceful = true,
                   .fields = {"spec.nodeName", "status.phase"},
                   .complete = complete_pod},
    [NAMESPACE] = {.group = "",
                   .version = "v1",
                   .plural = "namespaces",
                   .kind = "Namespace",
                   .etcd = "/registry/namespaces",
                   .status = true,
                   .is_namespace = true,
                   .fields = {"status.phase"},
                   .complete = complete_namespace},
    [GADGET] = {.group = "model.example",
                   .version = "v1",
                   .other_version = "v1beta1",
                   .plural = "gadgets",
                   .kind = "Gadget",
                   .etcd = "/registry/model.example/gadgets",
                   .namespaced = true,
                   .custom = true,
                   .status = true,
                   .counted = true,
                   .needs_revision = true,
                   .fields = {"spec.color", "spec.size"},
                   .complete = gadget_complete,
                   .check = gadget_check},
    [PLAIN] = {.group = "model.example",
                   .version = "v1",
                   .plural = "plains",
                   .kind = "Plain",
                   .etcd = "/registry/model.example/plains",
                   .custom = true,
                   .counted = true,
                   .needs_revision = true                },
};

const char *api_version(const struct kind *kind, bool other, char room[64])
{
    const char *version = other ? kind->other_version : kind->version;

    (void)snprintf(room, 64, "%s%s%s", kind->group, kind->group[0] == '\0' ? "" : "/", version);
    return room;
}

static const char *in_group(const char *what, const struct kind *kind, char room[96])
{
    (void)snprintf(room, 96, "%s%s%s", what, kind->group[0] == '\0' ? "" : ".", kind->group);
    return room;
}

const char *group_resource(const struct kind *kind, char room[96])
{
    return in_group(kind->plural, kind, room);
}

const char *group_kind(const struct kind *kind, char room[96])
{
    return in_group(kind->kind, kind, room);
}

bool has_field(const struct kind *kind, const char *name)
{
    if (strcmp(name, "metadata.name") == 0 ||
        (strcmp(name, "metadata.namespace") == 0 && kind->namespaced))
        return true;
    for (size_t i = 0; i < KIND_FIELDS_MAX && kind->fields[i] != NULL; i++)
        if (strcmp(kind->fields[i], name) == 0)
            return true;
    return false;
}
