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
/* Longest deprecation warning, and list of stored versions that is shown. */
#define WARNING_BYTES_MAX 256
#define STORED_BYTES_MAX ((size_t)64 * 1024)

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

static void add_not_dns1035(struct field_errors *errors, const char *path, const char *text,
                            const char *before)
{
    char *message = xprintf("%s%s", before, metadata_dns1035_message);

    metadata_add_invalid(errors, path, text, message);
    free(message);
}

static void check_name(const struct json_object *names, const char *key, bool fold_case,
                       struct field_errors *errors)
{
    char *path = xprintf("spec.names.%s", key);
    const char *text = text_or(json_get_text(names, key), "");
    char *folded = xstrdup(text);

    for (char *at = folded; fold_case && *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + ('a' - 'A'));
    if (text[0] != '\0' && !metadata_is_dns1035(folded))
        add_not_dns1035(errors, path, text,
                        fold_case ? "may have mixed case, but should otherwise match: " : "");
    free(folded);
    free(path);
}

static void check_name_list(const struct json_object *names, const char *key,
                            struct field_errors *errors)
{
    struct json_object *list = json_get_array(names, key);

    for (size_t i = 0; i < list_count(list); i++) {
        const char *text = text_or(json_text(json_object_array_get_idx(list, i)), "");
        char *path;

        if (metadata_is_dns1035(text))
            continue;
        path = xprintf("spec.names.%s[%zu]", key, i);
        add_not_dns1035(errors, path, text, "");
        free(path);
    }
}

static void check_names(const struct json_object *names, struct field_errors *errors)
{
    static const char *const required[] = {"plural", "singular", "kind", "listKind"};
    const char *list_kind = json_get_text(names, "listKind");

    for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
        char *path;

        if (!text_is_empty(json_get_text(names, required[i])))
            continue;
        path = xprintf("spec.names.%s", required[i]);
        field_errors_add(errors, FIELD_REQUIRED, path, "Required value");
        free(path);
    }
    check_name(names, "plural", false, errors);
    check_name(names, "singular", false, errors);
    check_name(names, "kind", true, errors);
    check_name(names, "listKind", true, errors);
    check_name_list(names, "shortNames", errors);
    if (!text_is_empty(list_kind) && text_equal(json_get_text(names, "kind"), list_kind))
        metadata_add_invalid(errors, "spec.names.listKind", list_kind,
                             "kind and listKind may not be the same");
    check_name_list(names, "categories", errors);
}

/* Only new ones: the name of an object never changes, nor does what it follows from. */
static void check_object_name(const struct json_object *tree, struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const char *name = text_or(json_get_text(json_get(tree, "metadata"), "name"), "");
    char *want = xprintf("%s.%s", text_or(json_get_text(json_get(spec, "names"), "plural"), ""),
                         text_or(json_get_text(spec, "group"), ""));

    if (strcmp(name, want) != 0)
        metadata_add_invalid(errors, "metadata.name", name,
                             "must be spec.names.plural+\".\"+spec.group");
    free(want);
}

static void check_group(const char *group, struct field_errors *errors)
{
    if (group[0] == '\0')
        field_errors_add(errors, FIELD_REQUIRED, "spec.group", "Required value");
    else if (!metadata_is_subdomain(group))
        metadata_add_invalid(errors, "spec.group", group, metadata_subdomain_message);
    else if (strchr(group, '.') == NULL)
        metadata_add_invalid(errors, "spec.group", group,
                             "should be a domain with at least one dot");
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
    field = xprintf("%s.additionalPrinterColumns[%zu].JSONPath", path, index);
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

static void check_schema(const struct json_object *openapi, const char *path,
                         struct field_errors *errors)
{
    size_t before = errors->count;
    struct schema *schema = NULL;

    schema_check(openapi, path, errors);
    if (errors->count == before && schema_compile(openapi, path, &schema, errors))
        schema_unref(schema);
}

static void check_warning(const struct json_object *version, const char *path,
                          struct field_errors *errors)
{
    const char *warning = json_get_text(version, "deprecationWarning");
    const char *why = NULL;
    char *field;

    if (warning == NULL)
        return;
    if (!json_get_bool(version, "deprecated", false))
        why = "can only be set for deprecated versions";
    else if (strlen(warning) > WARNING_BYTES_MAX)
        why = "must be <= 256 characters long";
    else if (warning[0] == '\0')
        why = "must not be an empty string";
    if (why == NULL)
        return;
    field = xprintf("%s.deprecationWarning", path);
    metadata_add_invalid(errors, field, warning, why);
    free(field);
}

/* R22 */
static void check_scale_path(const struct json_object *scale, const char *path, const char *key,
                             bool required, const char *root, struct field_errors *errors)
{
    const char *text = text_or(json_get_text(scale, key), "");
    char *field = xprintf("%s.subresources.scale.%s", path, key);
    char *detail = xprintf("should be a json path under %.*s", (int)strlen(root) - 1, root);

    if (text[0] == '\0' && required)
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value");
    else if (text[0] != '\0' && text[0] != '.')
        metadata_add_invalid(errors, field, text, "must be a simple json path starting with .");
    else if (text[0] != '\0' && !text_starts_with(text, root) &&
             (required || !text_starts_with(text, ".spec.")))
        metadata_add_invalid(errors, field, text,
                             required ? detail
                                      : "should be a json path under either .spec or .status");
    free(detail);
    free(field);
}

/* A member that all versions say alike is the definition's own, and told as that (R13). */
static bool is_shared(const struct json_object *versions, const char *key)
{
    const struct json_object *first = json_get(json_object_array_get_idx(versions, 0), key);

    for (size_t i = 1; i < list_count(versions); i++)
        if (!json_equal(json_get(json_object_array_get_idx(versions, i), key), first))
            return false;
    return true;
}

static void check_version_schema(const struct json_object *versions, size_t index, const char *path,
                                 struct field_errors *errors)
{
    struct json_object *openapi = schema_of(versions, index);
    bool known_good = errors->count == 0 && repeats_schema(versions, index);

    if (openapi != NULL && !known_good)
        check_schema(openapi, path, errors);
}

static void check_scale(const struct json_object *version, const char *path,
                        struct field_errors *errors)
{
    const struct json_object *scale = json_walk(version, "subresources", "scale", NULL);

    if (scale == NULL)
        return;
    check_scale_path(scale, path, "specReplicasPath", true, ".spec.", errors);
    check_scale_path(scale, path, "statusReplicasPath", true, ".status.", errors);
    check_scale_path(scale, path, "labelSelectorPath", false, ".status.", errors);
}

/* What is the version's own. */
static void check_version(const struct json_object *versions, size_t index,
                          struct field_errors *errors)
{
    const struct json_object *version = json_object_array_get_idx(versions, index);
    const char *name = text_or(json_get_text(version, "name"), "");
    char *path = xprintf("spec.versions[%zu]", index);
    char *field = xprintf("%s.name", path);

    if (!metadata_is_dns1035(name))
        metadata_add_invalid(errors, field, name, metadata_dns1035_message);
    free(field);
    check_warning(version, path, errors);
    field = xprintf("%s.schema.openAPIV3Schema", path);
    if (!is_shared(versions, "schema"))
        check_version_schema(versions, index, field, errors);
    free(field);
    if (!is_shared(versions, "subresources"))
        check_scale(version, path, errors);
    if (!is_shared(versions, "additionalPrinterColumns"))
        check_columns(version, path, errors);
    free(path);
}

/* What all versions have in common. */
static void check_shared(const struct json_object *spec, struct field_errors *errors)
{
    const struct json_object *versions = json_get_array(spec, "versions");
    const struct json_object *first;

    if (list_count(versions) == 0 || list_count(versions) > VERSIONS_MAX)
        return;
    first = json_object_array_get_idx(versions, 0);
    if (is_shared(versions, "schema"))
        check_version_schema(versions, 0, "spec.validation.openAPIV3Schema", errors);
    if (is_shared(versions, "subresources"))
        check_scale(first, "spec", errors);
    if (is_shared(versions, "additionalPrinterColumns"))
        check_columns(first, "spec", errors);
}

/* The first version is also told as the only one that there once was. */
static void check_old_version(const struct json_object *versions, struct field_errors *errors)
{
    const char *name = json_get_text(json_object_array_get_idx(versions, 0), "name");

    if (!text_is_empty(name) && !metadata_is_dns1035(name))
        metadata_add_invalid(errors, "spec.version", name, metadata_dns1035_message);
}

static void check_schemas_given(const struct json_object *versions, struct field_errors *errors)
{
    for (size_t i = 0; i < list_count(versions); i++) {
        char *field;

        if (schema_of(versions, i) != NULL)
            continue;
        field = xprintf("spec.versions[%zu].schema.openAPIV3Schema", i);
        field_errors_add(errors, FIELD_REQUIRED, field, "Required value: schemas are required");
        free(field);
    }
}

static bool has_unique_names(const struct json_object *versions)
{
    for (size_t i = 0; i < list_count(versions); i++)
        for (size_t k = 0; k < i; k++)
            if (text_equal(json_get_text(json_object_array_get_idx(versions, i), "name"),
                           json_get_text(json_object_array_get_idx(versions, k), "name")))
                return false;
    return true;
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
    check_schemas_given(versions, errors);
    for (size_t i = 0; i < count; i++) {
        const struct json_object *version = json_object_array_get_idx(versions, i);

        storage_count += json_get_bool(version, "storage", false) ? 1 : 0;
        check_version(versions, i, errors);
    }
    if (!has_unique_names(versions))
        metadata_add_invalid_value(errors, "spec.versions", versions,
                                   "must contain unique version names");
    if (storage_count != 1)
        metadata_add_invalid_value(errors, "spec.versions", versions,
                                   "must have exactly one version marked as storage version");
    if (count > 0)
        check_old_version(versions, errors);
}

static bool is_stored(const struct json_object *stored, const char *name)
{
    for (size_t i = 0; i < list_count(stored); i++)
        if (text_equal(json_text(json_object_array_get_idx(stored, i)), name))
            return true;
    return false;
}

/* []string{"v1"} */
static void add_not_stored(const struct json_object *stored, const char *name,
                           struct field_errors *errors)
{
    struct buffer shown = BUFFER_INIT(STORED_BYTES_MAX);

    for (size_t i = 0; i < list_count(stored); i++) {
        if (i > 0)
            buffer_append_text(&shown, ", ");
        field_error_append_value(&shown, json_object_array_get_idx(stored, i));
    }
    field_errors_add(errors, FIELD_INVALID, "status.storedVersions",
                     "Invalid value: []string{%s}: must have the storage version %s",
                     buffer_text(&shown), name);
    buffer_release(&shown);
}

/* R6: what objects may be stored in must stay readable. */
static void check_stored_versions(const struct json_object *tree, struct field_errors *errors)
{
    struct json_object *stored = json_get_array(json_get(tree, "status"), "storedVersions");
    struct json_object *versions = json_get_array(json_get(tree, "spec"), "versions");

    if (list_count(stored) == 0)
        field_errors_add(errors, FIELD_INVALID, "status.storedVersions",
                         "Invalid value: []string(nil): must have at least one stored version");
    for (size_t i = 0; i < list_count(versions) && list_count(stored) > 0; i++) {
        const struct json_object *version = json_object_array_get_idx(versions, i);
        const char *name = text_or(json_get_text(version, "name"), "");

        if (json_get_bool(version, "storage", false) && !is_stored(stored, name))
            add_not_stored(stored, name, errors);
    }
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

    if (is_established(old)) {
        check_unchanged(spec, before, "scope", "spec.scope", errors);
        check_unchanged(names, names_before, "kind", "spec.names.kind", errors);
    }
    check_unchanged(spec, before, "group", "spec.group", errors);
    check_unchanged(names, names_before, "plural", "spec.names.plural", errors);
}

/* In the order of the real server. */
void check_crd(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const char *group = text_or(json_get_text(spec, "group"), "");

    if (old == NULL)
        check_object_name(tree, errors);
    check_group(group, errors);
    check_scope(spec, errors);
    check_versions(spec, errors);
    check_names(json_get(spec, "names"), errors);
    check_shared(spec, errors);
    if (old != NULL)
        check_update(tree, old, errors);
    check_stored_versions(tree, errors);
    check_protected_group(tree, group, errors);
    if (json_get_bool(spec, "preserveUnknownFields", false))
        metadata_add_invalid_value(errors, "spec.preserveUnknownFields",
                                   json_get(spec, "preserveUnknownFields"),
                                   "cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                   "to true in spec.versions[*].schema instead");
}
