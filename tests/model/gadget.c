#include "tests/model/gadget.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"

#define SCHEMA                                                                                     \
    "{'openAPIV3Schema':{'type':'object','required':['spec'],'properties':{"                       \
    "'spec':{'type':'object','required':['color'],'properties':{"                                  \
    "'color':{'type':'string','enum':['blue','green','red']},"                                     \
    "'size':{'type':'integer','minimum':0,'maximum':10,'default':1},"                              \
    "'note':{'type':'string','maxLength':8},"                                                      \
    "'tags':{'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'set',"             \
    "'maxItems':4},"                                                                               \
    "'port':{'x-kubernetes-int-or-string':true},"                                                  \
    "'inner':{'type':'object','properties':{'a':{'type':'string','default':'x'},"                  \
    "'b':{'type':'boolean'}}},"                                                                    \
    "'free':{'type':'object','x-kubernetes-preserve-unknown-fields':true},"                        \
    "'maybe':{'type':'string','nullable':true}}},"                                                 \
    "'status':{'type':'object','properties':{"                                                     \
    "'phase':{'type':'string','enum':['Done','New']},'count':{'type':'integer'}}}}}}"
#define VERSION(name, stored)                                                                      \
    "{'name':'" name "','served':true,'storage':" stored ",'subresources':{'status':{}},"          \
    "'selectableFields':[{'jsonPath':'.spec.color'},{'jsonPath':'.spec.size'}],"                   \
    "'schema':" SCHEMA "}"

const char gadget_definition[] =
    "{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',"
    "'metadata':{'name':'gadgets.model.example'},'spec':{'group':'model.example',"
    "'scope':'Namespaced','names':{'plural':'gadgets','singular':'gadget','kind':'Gadget',"
    "'listKind':'GadgetList'},'versions':[" VERSION("v1", "true") "," VERSION("v1beta1",
                                                                              "false") "]}}";

/* --- unknown fields (R11) --- */

static const char *const of_root[] = {"apiVersion", "kind", "metadata", "spec", "status", NULL};
static const char *const of_spec[] = {"color", "size",  "note", "tags", "port",
                                      "inner", "maybe", "free", NULL};
static const char *const of_inner[] = {"a", "b", NULL};
static const char *const of_status[] = {"phase", "count", NULL};

static bool is_known(const char *const *names, const char *name)
{
    for (; *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static void prune(struct json_object *object, const char *path, const char *const *names,
                  struct json_object *unknown)
{
    struct json_object *gone = json_object_new_array();

    if (value_is(object, json_type_object)) {
        json_object_object_foreach(object, name, value)
        {
            (void)value;
            if (!is_known(names, name))
                value_add_text(gone, name);
        }
    }
    for (size_t i = 0; i < value_length(gone); i++) {
        const char *name = json_object_get_string(value_item(gone, i));
        char *whole = format("%s%s", path, name);

        if (unknown != NULL)
            value_add_text(unknown, whole);
        free(whole);
        value_drop(object, name);
    }
    json_object_put(gone);
}

void gadget_prune(struct json_object *object, struct json_object *unknown)
{
    prune(object, "", of_root, unknown);
    prune(value_get(object, "spec"), "spec.", of_spec, unknown);
    prune(value_at(object, "spec.inner"), "spec.inner.", of_inner, unknown);
    prune(value_get(object, "status"), "status.", of_status, unknown);
}

/* --- nulls and defaults (R12, R14) --- */

/* Members that are null, but those that may be. */
static void drop_nulls(struct json_object *object, const char *nullable)
{
    struct json_object *gone = json_object_new_array();

    if (value_is(object, json_type_object)) {
        json_object_object_foreach(object, name, value)
        {
            if (value == NULL && strcmp(name, nullable) != 0)
                value_add_text(gone, name);
        }
    }
    for (size_t i = 0; i < value_length(gone); i++)
        value_drop(object, json_object_get_string(value_item(gone, i)));
    json_object_put(gone);
}

void gadget_complete(struct json_object *object, const struct json_object *old)
{
    struct json_object *spec = value_get(object, "spec");
    struct json_object *inner = value_get(spec, "inner");

    (void)old;
    gadget_prune(object, NULL);
    drop_nulls(object, "");
    drop_nulls(spec, "maybe");
    drop_nulls(inner, "");
    drop_nulls(value_get(object, "status"), "");
    if (value_is(spec, json_type_object) && value_get(spec, "size") == NULL)
        value_put_int(spec, "size", 1);
    if (value_is(inner, json_type_object) && value_get(inner, "a") == NULL)
        value_put_text(inner, "a", "x");
}

/* --- what is wrong --- */

static const char *type_name(const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return "boolean";
    case json_type_int:
        return "integer";
    case json_type_double:
        return "number";
    case json_type_string:
        return "string";
    case json_type_array:
        return "array";
    case json_type_object:
        return "object";
    case json_type_null:
        break;
    }
    return "null";
}

/* Whether value, if there is one, has the type. */
static bool check_type(const struct json_object *value, enum json_type type, const char *path,
                       const char *want, struct json_object *causes)
{
    if (value == NULL)
        return false;
    if (value_is(value, type))
        return true;
    cause(causes, "FieldValueTypeInvalid", path,
          "Invalid value: \"%s\": %s in body must be of type %s: \"%s\"", type_name(value), path,
          want, type_name(value));
    return false;
}

static void check_enum(struct json_object *value, const char *path, const char *const *names,
                       const char *listed, struct json_object *causes)
{
    if (check_type(value, json_type_string, path, "string", causes) &&
        !is_known(names, json_object_get_string(value)))
        cause(causes, "FieldValueNotSupported", path,
              "Unsupported value: \"%s\": supported values: %s", json_object_get_string(value),
              listed);
}

static void check_size(struct json_object *value, struct json_object *causes)
{
    int64_t size;

    if (!check_type(value, json_type_int, "spec.size", "integer", causes))
        return;
    size = json_object_get_int64(value);
    if (size < 0)
        cause(causes, "FieldValueInvalid", "spec.size",
              "Invalid value: %lld: spec.size in body should be greater than or equal to 0",
              (long long)size);
    if (size > 10)
        cause(causes, "FieldValueInvalid", "spec.size",
              "Invalid value: %lld: spec.size in body should be less than or equal to 10",
              (long long)size);
}

static void check_tags(struct json_object *tags, struct json_object *causes)
{
    size_t length = value_length(tags);

    if (!check_type(tags, json_type_array, "spec.tags", "array", causes))
        return;
    if (length > 4)
        cause(causes, "FieldValueTooMany", "spec.tags", "Too many: %zu: must have at most 4 items",
              length);
    for (size_t i = 0; i < length; i++) {
        for (size_t k = 0; k < i; k++) {
            char *path = format("spec.tags[%zu]", i);
            bool same = value_equal(value_item(tags, i), value_item(tags, k));

            if (same)
                cause(causes, "FieldValueDuplicate", path, "Duplicate value: \"%s\"",
                      json_object_get_string(value_item(tags, i)));
            free(path);
            if (same)
                break;
        }
    }
}

static void check_spec(struct json_object *spec, struct json_object *causes)
{
    static const char *const colors[] = {"blue", "green", "red", NULL};
    struct json_object *note = value_get(spec, "note");
    struct json_object *port = value_get(spec, "port");

    if (!check_type(spec, json_type_object, "spec", "object", causes))
        return;
    if (value_get(spec, "color") == NULL)
        cause(causes, "FieldValueRequired", "spec.color", "Required value");
    check_enum(value_get(spec, "color"), "spec.color", colors, "\"blue\", \"green\", \"red\"",
               causes);
    check_size(value_get(spec, "size"), causes);
    if (check_type(note, json_type_string, "spec.note", "string", causes) &&
        json_object_get_string_len(note) > 8)
        cause(causes, "FieldValueTooLong", "spec.note", "Too long: may not be more than 8 bytes");
    if (!value_is(port, json_type_int))
        (void)check_type(port, json_type_string, "spec.port", "integer,string", causes);
    (void)check_type(value_get(spec, "maybe"), json_type_string, "spec.maybe", "string", causes);
    (void)check_type(value_get(spec, "inner"), json_type_object, "spec.inner", "object", causes);
    (void)check_type(value_at(spec, "inner.b"), json_type_boolean, "spec.inner.b", "boolean",
                     causes);
    check_tags(value_get(spec, "tags"), causes);
}

void gadget_check(struct json_object *object, const struct json_object *old,
                  struct json_object *causes)
{
    static const char *const phases[] = {"Done", "New", NULL};

    (void)old;
    if (value_get(object, "spec") == NULL)
        cause(causes, "FieldValueRequired", "spec", "Required value");
    check_spec(value_get(object, "spec"), causes);
    check_enum(value_at(object, "status.phase"), "status.phase", phases, "\"Done\", \"New\"",
               causes);
    (void)check_type(value_at(object, "status.count"), json_type_int, "status.count", "integer",
                     causes);
}
