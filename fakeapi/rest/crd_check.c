/* crd_check - what a CustomResourceDefinition must be (WIRE.md R1 to R3, R6, R13). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/jsonpath.h"
#include "fakeapi/rest/metadata.h"
#include "fakeapi/schema/schema.h"

/* Most versions and printer columns of one CRD. */
#define VERSIONS_MAX 50
#define COLUMNS_MAX 100

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool is_established(const struct json_object *tree)
{
    struct json_object *conditions = json_get_array(json_get(tree, "status"), "conditions");

    for (size_t i = 0; i < list_count(conditions); i++) {
        struct json_object *item = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(item, "type"), "Established"))
            return text_equal(json_get_text(item, "status"), "True");
    }
    return false;
}

static void check_dns1035(const struct json_object *names, const char *key, bool fold_case,
                          struct field_errors *errors)
{
    char *path = xprintf("spec.names.%s", key);
    const char *text = json_get_text(names, key);
    char *folded = xstrdup(text_or(text, ""));

    for (char *at = folded; fold_case && *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + ('a' - 'A'));
    if (text_is_empty(text))
        field_errors_add(errors, FIELD_REQUIRED, path, "Required value");
    else if (!metadata_is_dns1035(folded))
        metadata_add_invalid(errors, path, text, metadata_dns1035_message);
    free(folded);
    free(path);
}

static void check_names(const struct json_object *tree, const struct json_object *spec,
                        struct field_errors *errors)
{
    const struct json_object *names = json_get(spec, "names");
    const char *plural = text_or(json_get_text(names, "plural"), "");
    const char *group = text_or(json_get_text(spec, "group"), "");
    const char *name = text_or(json_get_text(json_get(tree, "metadata"), "name"), "");
    char *want = xprintf("%s.%s", plural, group);

    if (strcmp(name, want) != 0)
        metadata_add_invalid(errors, "metadata.name", name,
                             "must be spec.names.plural+\".\"+spec.group");
    free(want);
    if (group[0] == '\0')
        field_errors_add(errors, FIELD_REQUIRED, "spec.group", "Required value");
    else if (!metadata_is_subdomain(group))
        metadata_add_invalid(errors, "spec.group", group, metadata_subdomain_message);
    else if (strchr(group, '.') == NULL)
        metadata_add_invalid(errors, "spec.group", group,
                             "should be a domain with at least one dot");
    check_dns1035(names, "plural", false, errors);
    check_dns1035(names, "singular", false, errors);
    check_dns1035(names, "kind", true, errors);
    check_dns1035(names, "listKind", true, errors);
    if (text_equal(json_get_text(names, "kind"), json_get_text(names, "listKind")))
        metadata_add_invalid(errors, "spec.names.listKind",
                             text_or(json_get_text(names, "listKind"), ""),
                             "kind and listKind may not be the same");
}

static void check_scope(const struct json_object *spec, struct field_errors *errors)
{
    const char *scope = json_get_text(spec, "scope");

    if (text_is_empty(scope))
        field_errors_add(errors, FIELD_REQUIRED, "spec.scope", "Required value");
    else if (strcmp(scope, "Namespaced") != 0 && strcmp(scope, "Cluster") != 0)
        field_errors_add(errors, FIELD_NOT_SUPPORTED, "spec.scope",
                         "Unsupported value: \"%s\": supported values: \"Cluster\", \"Namespaced\"",
                         scope);
}

/* R3: groups that are Kubernetes' own need an approval. */
static void check_protected_group(const struct json_object *tree, const char *group,
                                  struct field_errors *errors)
{
    static const char annotation[] = "api-approved.kubernetes.io";
    struct json_object *annotations = json_walk(tree, "metadata", "annotations", NULL);

    if (!text_ends_with(group, ".k8s.io") && !text_ends_with(group, ".kubernetes.io"))
        return;
    if (json_get(annotations, annotation) == NULL)
        field_errors_add(errors, FIELD_REQUIRED, "metadata.annotations[api-approved.kubernetes.io]",
                         "Required value: protected groups must have approval annotation \"%s\", "
                         "see https://github.com/kubernetes/enhancements/pull/1111",
                         annotation);
}

static bool is_column_type(const char *type)
{
    static const char *const types[] = {"integer", "number", "string", "boolean", "date"};

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

static void check_column(const struct json_object *column, const char *path, size_t index,
                         struct field_errors *errors)
{
    const char *text = text_or(json_get_text(column, "jsonPath"), "");
    const char *type = text_or(json_get_text(column, "type"), "");
    bool named = !text_is_empty(json_get_text(column, "name"));
    struct jsonpath *compiled = NULL;
    struct error err = ERROR_INIT;
    char *field;

    if (text[0] != '\0' && jsonpath_new(text, &compiled, &err) && named && is_column_type(type)) {
        jsonpath_free(compiled);
        return;
    }
    field = xprintf("%s.additionalPrinterColumns[%zu].name", path, index);
    if (!named)
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
    free(field);
    field = xprintf("%s.additionalPrinterColumns[%zu].type", path, index);
    if (!is_column_type(type))
        metadata_add_invalid(errors, field, type,
                             "must be one of boolean,date,integer,number,string");
    free(field);
    field = xprintf("%s.additionalPrinterColumns[%zu].jsonPath", path, index);
    if (text[0] == '\0')
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
    else if (compiled == NULL)
        metadata_add_invalid(errors, field, text, err.text);
    free(field);
    jsonpath_free(compiled);
}

static void check_columns(const struct json_object *version, const char *path,
                          struct field_errors *errors)
{
    struct json_object *columns = json_get_array(version, "additionalPrinterColumns");
    size_t count = list_count(columns);

    if (count > COLUMNS_MAX) {
        field_errors_add(errors, FIELD_TOO_MANY, path, "Too many: %zu: must have at most %d items",
                         count, COLUMNS_MAX);
        return;
    }
    for (size_t i = 0; i < count; i++)
        check_column(json_object_array_get_idx(columns, i), path, i, errors);
}

static struct json_object *schema_of(const struct json_object *versions, size_t index)
{
    return json_walk(json_object_array_get_idx(versions, index), "schema", "openAPIV3Schema", NULL);
}

/* Whether a version before it has the same schema. */
static bool repeats_schema(const struct json_object *versions, size_t index)
{
    const struct json_object *openapi = schema_of(versions, index);

    for (size_t i = 0; i < index; i++)
        if (json_equal(schema_of(versions, i), openapi))
            return true;
    return false;
}

static void check_version(const struct json_object *versions, size_t index, const char *path,
                          struct field_errors *errors)
{
    const struct json_object *version = json_object_array_get_idx(versions, index);
    const char *name = text_or(json_get_text(version, "name"), "");
    struct json_object *openapi = schema_of(versions, index);
    bool known_good = errors->count == 0 && repeats_schema(versions, index);
    char *field = xprintf("%s.name", path);
    struct schema *schema = NULL;

    if (!metadata_is_dns1035(name))
        metadata_add_invalid(errors, field, name, metadata_dns1035_message);
    free(field);
    field = xprintf("%s.schema.openAPIV3Schema", path);
    if (openapi == NULL)
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value: schemas are required");
    else if (!known_good && schema_compile(openapi, field, &schema, errors))
        schema_unref(schema);
    free(field);
    check_columns(version, path, errors);
}

static void check_versions(const struct json_object *spec, struct field_errors *errors)
{
    struct json_object *versions = json_get_array(spec, "versions");
    size_t count = list_count(versions);
    size_t storage_count = 0;

    if (count > VERSIONS_MAX) {
        field_errors_add(errors, FIELD_TOO_MANY, "spec.versions",
                         "Too many: %zu: must have at most %d items", count, VERSIONS_MAX);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct json_object *version = json_object_array_get_idx(versions, i);
        char *path = xprintf("spec.versions[%zu]", i);

        storage_count += json_get_bool(version, "storage", false) ? 1 : 0;
        for (size_t k = 0; k < i; k++)
            if (text_equal(json_get_text(version, "name"),
                           json_get_text(json_object_array_get_idx(versions, k), "name")))
                metadata_add_invalid_value(errors, "spec.versions", versions,
                                           "must contain unique version names");
        check_version(versions, i, path, errors);
        free(path);
    }
    if (storage_count != 1)
        metadata_add_invalid_value(errors, "spec.versions", versions,
                                   "must have exactly one version marked as storage version");
}

/* R6: what objects may be stored in must stay readable. */
static void check_stored_versions(const struct json_object *tree, struct field_errors *errors)
{
    struct json_object *stored = json_get_array(json_get(tree, "status"), "storedVersions");
    struct json_object *versions = json_get_array(json_get(tree, "spec"), "versions");

    for (size_t i = 0; i < list_count(stored); i++) {
        const char *name = text_or(json_text(json_object_array_get_idx(stored, i)), "");
        char *path = xprintf("status.storedVersions[%zu]", i);
        bool found = false;

        for (size_t k = 0; k < list_count(versions); k++)
            found = found ||
                    text_equal(json_get_text(json_object_array_get_idx(versions, k), "name"), name);
        if (!found)
            metadata_add_invalid(errors, path, name, "must appear in spec.versions");
        free(path);
    }
}

static void check_unchanged(const struct json_object *now, const struct json_object *before,
                            const char *key, const char *path, struct field_errors *errors)
{
    if (!json_equal(json_get(now, key), json_get(before, key)))
        metadata_add_invalid_value(errors, path, json_get(now, key), "field is immutable");
}

static void check_update(const struct json_object *tree, const struct json_object *old,
                         struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *before = json_get(old, "spec");
    const struct json_object *names = json_get(spec, "names");
    const struct json_object *names_before = json_get(before, "names");

    check_unchanged(spec, before, "group", "spec.group", errors);
    check_unchanged(names, names_before, "plural", "spec.names.plural", errors);
    if (!is_established(old))
        return;
    check_unchanged(spec, before, "scope", "spec.scope", errors);
    check_unchanged(names, names_before, "kind", "spec.names.kind", errors);
}

void check_crd(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");

    check_names(tree, spec, errors);
    check_scope(spec, errors);
    check_protected_group(tree, text_or(json_get_text(spec, "group"), ""), errors);
    check_versions(spec, errors);
    check_stored_versions(tree, errors);
    if (json_get_bool(spec, "preserveUnknownFields", false))
        metadata_add_invalid_value(errors, "spec.preserveUnknownFields",
                                   json_get(spec, "preserveUnknownFields"),
                                   "cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                   "to true in spec.versions[*].schema instead");
    if (old != NULL)
        check_update(tree, old, errors);
}
