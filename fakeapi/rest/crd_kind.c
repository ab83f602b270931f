/* crd_kind - a row of the table of kinds made from a CustomResourceDefinition. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/crd.h"

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static char *member_text(const struct json_object *object, const char *key)
{
    return xstrdup(text_or(json_get_text(object, key), ""));
}

static char **read_texts(const struct json_object *list, size_t *ret_count)
{
    size_t count = list_count(list);
    char **texts = xcalloc(count, sizeof(*texts));

    for (size_t i = 0; i < count; i++)
        texts[i] = xstrdup(text_or(json_text(json_object_array_get_idx(list, i)), ""));
    *ret_count = count;
    return texts;
}

/* A column; the path has been checked with the CRD. */
static void set_column(struct served_column *column, const char *name, const char *type,
                       const char *path)
{
    struct error err = ERROR_INIT;

    column->name = xstrdup(name);
    column->type = xstrdup(type);
    if (!jsonpath_new(path, &column->path, &err))
        column->path = NULL;
}

static void set_name_column(struct served_column *column)
{
    set_column(column, "Name", "string", ".metadata.name");
    column->format = xstrdup("name");
    column->description = xstrdup("Name must be unique within a namespace.");
}

static void set_age_column(struct served_column *column)
{
    set_column(column, "Age", "date", ".metadata.creationTimestamp");
    column->format = xstrdup("");
    column->description =
        xstrdup("CreationTimestamp is the server time when this object was created.");
}

static void set_declared_column(struct served_column *column, const struct json_object *declared)
{
    const char *path = text_or(json_get_text(declared, "jsonPath"), "");
    const char *description = json_get_text(declared, "description");

    set_column(column, text_or(json_get_text(declared, "name"), ""),
               text_or(json_get_text(declared, "type"), "string"), path);
    column->format = member_text(declared, "format");
    column->priority = (int)json_get_int64(declared, "priority", 0);
    column->description =
        text_is_empty(description)
            ? xprintf("Custom resource definition column (in JSONPath format): %s", path)
            : xstrdup(description);
}

/* Name, then what is declared; Age when nothing is (L20). */
static void read_columns(const struct json_object *declared, struct kind_version *version)
{
    size_t count = list_count(declared);

    version->column_count = count == 0 ? 2 : count + 1;
    version->columns = xcalloc(version->column_count, sizeof(*version->columns));
    set_name_column(&version->columns[0]);
    if (count == 0)
        set_age_column(&version->columns[1]);
    for (size_t i = 0; i < count; i++)
        set_declared_column(&version->columns[i + 1], json_object_array_get_idx(declared, i));
}

/* The released version that a deprecated one should be left for; NULL when there is none. */
static const char *newer_version(const struct json_object *versions, const char *name)
{
    const char *best = NULL;

    for (size_t i = 0; i < list_count(versions); i++) {
        const struct json_object *other = json_object_array_get_idx(versions, i);
        const char *other_name = text_or(json_get_text(other, "name"), "");

        if (!json_get_bool(other, "served", false) || json_get_bool(other, "deprecated", false) ||
            kind_compare_versions(other_name, name) >= 0)
            continue;
        if (best == NULL || kind_compare_versions(other_name, best) < 0)
            best = other_name;
    }
    return best;
}

/* R6 */
static char *deprecation(const struct kind *kind, const struct json_object *versions,
                         const struct json_object *declared)
{
    const char *own = json_get_text(declared, "deprecationWarning");
    const char *name = text_or(json_get_text(declared, "name"), "");
    const char *newer;

    if (!json_get_bool(declared, "deprecated", false))
        return NULL;
    if (own != NULL)
        return xstrdup(own);
    newer = newer_version(versions, name);
    if (newer == NULL)
        return xprintf("%s/%s %s is deprecated", kind->group, name, kind->kind);
    return xprintf("%s/%s %s is deprecated; use %s/%s %s", kind->group, name, kind->kind,
                   kind->group, newer, kind->kind);
}

/* Versions often have the same schema: then they share it. */
static void read_schema(const struct kind *kind, struct json_object *openapi,
                        struct kind_version *version)
{
    struct field_errors errors = FIELD_ERRORS_INIT;

    for (const struct kind_version *other = kind->versions; other < version; other++) {
        if (other->schema == NULL || !json_equal(other->openapi, openapi))
            continue;
        version->openapi = json_object_get(other->openapi);
        version->schema = schema_ref(other->schema);
        return;
    }
    version->openapi = json_object_get(openapi); /* it never changes */
    if (!schema_compile(openapi, "schema", &version->schema, &errors))
        version->schema = NULL; /* not reached: checked with the CRD */
    field_errors_release(&errors);
}

static void read_scale(const struct json_object *declared, struct scale_paths *paths)
{
    const struct json_object *scale = json_walk(declared, "subresources", "scale", NULL);
    const char *selector = json_get_text(scale, "labelSelectorPath");

    if (scale == NULL)
        return;
    paths->spec_path = member_text(scale, "specReplicasPath");
    paths->status_path = member_text(scale, "statusReplicasPath");
    if (!text_is_empty(selector))
        paths->selector_path = xstrdup(selector);
}

static void read_version(struct kinds *kinds, const struct kind *kind,
                         const struct json_object *versions, const struct json_object *declared,
                         struct kind_version *version)
{
    version->name = member_text(declared, "name");
    version->served = json_get_bool(declared, "served", false);
    version->storage = json_get_bool(declared, "storage", false);
    version->status = json_walk(declared, "subresources", "status", NULL) != NULL;
    read_scale(declared, &version->scale);
    version->warning = deprecation(kind, versions, declared);
    read_schema(kind, json_walk(declared, "schema", "openAPIV3Schema", NULL), version);
    read_columns(json_get_array(declared, "additionalPrinterColumns"), version);
    kinds_finish_version(kinds, kind, version);
}

static int compare_versions(const void *a, const void *b)
{
    return kind_compare_versions(((const struct kind_version *)a)->name,
                                 ((const struct kind_version *)b)->name);
}

/* Those of the storage version; one list serves all versions, as there is one list of objects. */
static void read_fields(const struct json_object *versions, struct kind *kind)
{
    for (size_t i = 0; i < list_count(versions); i++) {
        const struct json_object *version = json_object_array_get_idx(versions, i);
        struct json_object *fields = json_get_array(version, "selectableFields");
        size_t count = list_count(fields);

        if (!json_get_bool(version, "storage", false))
            continue;
        kind->fields = xcalloc(count, sizeof(*kind->fields));
        kind->field_count = count;
        for (size_t k = 0; k < count; k++) {
            const char *path =
                text_or(json_get_text(json_object_array_get_idx(fields, k), "jsonPath"), "");
            char *label = xstrdup(path + (path[0] == '.' ? 1 : 0));

            kind->fields[k] = (struct kind_field){label, label, ""};
        }
    }
}

struct kind *crd_kind(struct kinds *kinds, const struct json_object *crd)
{
    const struct json_object *spec = json_get(crd, "spec");
    const struct json_object *names = json_get(spec, "names");
    const struct json_object *versions = json_get_array(spec, "versions");
    struct kind *kind = kind_new();

    kind->group = member_text(spec, "group");
    kind->kind = member_text(names, "kind");
    kind->list_kind = member_text(names, "listKind");
    kind->plural = member_text(names, "plural");
    kind->singular = member_text(names, "singular");
    kind->short_names = read_texts(json_get_array(names, "shortNames"), &kind->short_name_count);
    kind->categories = read_texts(json_get_array(names, "categories"), &kind->category_count);
    kind->namespaced = text_equal(json_get_text(spec, "scope"), "Namespaced");
    kind->flags = KIND_GENERATION | KIND_NEEDS_REVISION;
    if (!kind->namespaced)
        kind->flags |= KIND_NO_NAMESPACE_FIELD;
    kind->version_count = list_count(versions);
    kind->versions = xcalloc(kind->version_count, sizeof(*kind->versions));
    for (size_t i = 0; i < kind->version_count; i++)
        read_version(kinds, kind, versions, json_object_array_get_idx(versions, i),
                     &kind->versions[i]);
    qsort(kind->versions, kind->version_count, sizeof(*kind->versions), compare_versions);
    read_fields(versions, kind);
    return kind;
}
