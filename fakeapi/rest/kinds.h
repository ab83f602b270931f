/* kinds - the table of resources: built-in rows and, at run time, those of CRDs. One code path
 * serves both; what is special about a kind is a flag, a table or a hook in its row. */
#ifndef FAKEAPI_REST_KINDS_H
#define FAKEAPI_REST_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/json.h"
#include "fakeapi/rest/jsonpath.h"
#include "fakeapi/schema/field_error.h"
#include "fakeapi/schema/schema.h"
#include "fakeapi/store/store.h"
#include "fakeapi/types/types.h"

/* What is special about a kind; see the rules named. */
enum kind_flag {
    KIND_NAMESPACED = 1 << 0,
    KIND_STATUS = 1 << 1,              /* has a status subresource (U11) */
    KIND_GENERATION = 1 << 2,          /* counts generations (U10) */
    KIND_NEEDS_REVISION = 1 << 3,      /* an update must name its resourceVersion (U4) */
    KIND_CREATE_ON_UPDATE = 1 << 4,    /* U2 */
    KIND_DELETE_SHOWS = 1 << 5,        /* a deletion answers with the object (X3) */
    KIND_GRACEFUL = 1 << 6,            /* X8 */
    KIND_ORPHANS = 1 << 7,             /* the default policy is Orphan (X7) */
    KIND_LOG = 1 << 8,                 /* has a log subresource */
    KIND_FINALIZE = 1 << 9,            /* has a finalize subresource, and spec.finalizers (X10) */
    KIND_NO_COLLECTION = 1 << 10,      /* no deletecollection (D8) */
    KIND_NO_NAMESPACE_FIELD = 1 << 11, /* no metadata.namespace field selector (L9) */
    KIND_STRICT_FIELDS = 1 << 12,      /* the other text for unknown field labels (L9) */
    KIND_KEEPS_STATUS = 1 << 13,       /* is created with its status (C17) */
    KIND_APART = 1 << 14, /* metadata, spec and status are checked each by itself once it is made:
                             a write that leaves one alone need not look at it */
    KIND_STATUS_CHECKED = 1 << 15,  /* clients' statuses are checked too (K20) */
    KIND_TOKEN = 1 << 16,           /* has a token subresource (A4) */
    KIND_SCALE = 1 << 17,           /* has a scale subresource (R22) */
    KIND_FREE_FINALIZERS = 1 << 18, /* those without a domain are taken (C16) */
};

/** Which names a kind takes (C13). */
enum name_rule { NAME_SUBDOMAIN, NAME_LABEL, NAME_DNS1035, NAME_PATH_SEGMENT };

/** A field selector beyond metadata.name and metadata.namespace. */
struct kind_field {
    const char *label;   /* as selected: "spec.nodeName" */
    const char *path;    /* where it is: "spec.nodeName" */
    const char *missing; /* its value where there is none */
};

struct kind_column {
    const char *name;
    const char *type;
    const char *format;
    const char *description;
    int priority;
};

struct cells;
struct call;
struct write;

/** A built-in kind. */
struct kind_row {
    const char *group;
    const char *version;
    const char *kind;
    const char *plural;
    const char *singular;
    const char *short_names; /* parted by spaces */
    const char *categories;
    unsigned flags; /* of enum kind_flag */
    enum name_rule name_rule;
    const struct kind_field *fields;
    size_t field_count;
    const char *selected_as; /* its name in the text for unknown field labels; NULL: not in it */
    const struct kind_column *columns;
    size_t column_count;
    /* Adds a cell for each column. */
    void (*cells)(struct cells *cells, const struct json_object *tree);
    /* Fills in defaults, on create (old NULL) and update. NULL: none. */
    void (*set_defaults)(struct json_object *tree, const struct json_object *old);
    /* Adds what is wrong with the object, against old (NULL: none) too. NULL: nothing is. */
    void (*check)(const struct json_object *tree, const struct json_object *old,
                  struct field_errors *errors);
    /* Answers a question that is not stored (A14), a decoded tree; false with write's status. NULL:
     * objects of the kind are stored. */
    bool (*review)(struct call *call, struct write *write, struct json_object *tree);
    /* Answers a create, of which nothing is stored. NULL: objects are, or review answers. */
    void (*serve)(struct call *call);
    /* Another row, whose objects these are, under other names: its fields are in the order of this
     * one's. Trees are stored as that row has them and shown as this one. NULL: none. */
    const struct kind_row *twin;
    void (*show)(struct json_object *tree);
    void (*store)(struct json_object *tree);
};

/** Whether there are objects of the kind; else it is for creates alone. row NULL: custom. */
static inline bool kind_row_is_stored(const struct kind_row *row)
{
    return row == NULL || (row->review == NULL && row->serve == NULL);
}

/** The built-in rows, in discovery order. */
extern const struct kind_row *const kind_rows[];
extern const size_t kind_row_count;

/** A printer column as served. */
struct served_column {
    char *name;
    char *type;
    char *format;
    char *description;
    int priority;
    struct jsonpath *path; /* NULL for a built-in kind's */
};

/** Where the numbers of a scale subresource are, as ".spec.replicas"; NULL: it has none. */
struct scale_paths {
    char *spec_path;
    char *status_path;
    char *selector_path; /* NULL: it has none; what is there is a text or a label selector */
};

/** One version of a kind. */
struct kind_version {
    char *name;        /* "v1" */
    char *api_version; /* "batch/v1" */
    char *prefix;      /* {"apiVersion":"batch/v1","kind":"Job", */
    size_t prefix_size;
    bool served;
    bool storage;
    bool status;                     /* has a status subresource */
    struct scale_paths scale;        /* of its scale subresource */
    char *warning;                   /* of a deprecated version; or NULL */
    const struct type_message *type; /* NULL: custom */
    struct schema *schema;           /* NULL: built-in */
    struct json_object *openapi;     /* the schema as published; NULL: built-in */
    struct served_column *columns;
    size_t column_count;
    unsigned epoch; /* of these columns, unlike any other's: see store_object.cells_epoch */
};

/** A kind as served. Counted: an answer under way holds it. */
struct kind {
    unsigned references;
    const struct kind_row *row; /* NULL: custom */
    char *group;
    char *kind;
    char *list_kind;
    char *plural;
    char *singular;
    char **short_names;
    size_t short_name_count;
    char **categories;
    size_t category_count;
    bool namespaced;
    unsigned flags;
    enum name_rule name_rule;
    struct kind_field *fields; /* selectable; index as in store_object.fields */
    size_t field_count;
    struct kind_version *versions; /* the preferred first */
    size_t version_count;
    struct store_resource *objects;
    bool terminating;      /* its CRD is being deleted: no creates */
    int64_t hold_until_us; /* elapsed clock: creates that come before are held a while (R5) */
    bool revises;          /* its objects may be read otherwise than they are stored: revise.h */
};

struct kinds;

/** A table with the built-in rows, whose objects are in store. */
struct kinds *kinds_new(struct store *store) MUST_CHECK;
void kinds_free(struct kinds *kinds);

size_t kinds_count(const struct kinds *kinds);
/** In discovery order. */
struct kind *kinds_at(const struct kinds *kinds, size_t index);
struct kind *kinds_find(const struct kinds *kinds, const char *group, const char *plural);
struct kind *kinds_find_kind(const struct kinds *kinds, const char *group, const char *kind);
/** The served version of that name; NULL when there is none. */
struct kind_version *kind_find_version(const struct kind *kind, const char *name);
/** The version in which it is stored. */
const struct kind_version *kind_storage_version(const struct kind *kind);
/** Whether a built-in kind is served in that group (D3, D4). */
bool kinds_is_builtin(const struct kinds *kinds, const char *group);

/** A kind that is decoded by, and not served: held once. */
struct kind *kinds_make(struct kinds *kinds, const struct kind_row *row) MUST_CHECK;
/** A new, empty kind, held once; the caller fills it. */
struct kind *kind_new(void) MUST_CHECK;
/** Takes over the caller's hold on kind; its objects are made when the store has none of
 * that name yet. A row of that name before it is replaced, its objects stay. */
struct kind *kinds_put(struct kinds *kinds, struct kind *kind);
/** Takes a custom kind out; its objects are gone already. */
void kinds_remove(struct kinds *kinds, struct kind *kind);
struct kind *kind_ref(struct kind *kind);
/** Takes NULL. */
void kind_unref(struct kind *kind);

/** A version's texts that follow from its names; a number for its columns. */
void kinds_finish_version(struct kinds *kinds, const struct kind *kind,
                          struct kind_version *version);

/** By Kubernetes' order of versions: v2, v1, v2beta1, v1alpha1, others by name. Below 0: a first.
 */
int kind_compare_versions(const char *a, const char *b);

#endif
