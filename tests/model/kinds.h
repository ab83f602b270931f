/* kinds - the kinds of the model: what the API server is told, or known, to do with each.
 *
 * Two of them are custom: gadgets have a schema, two versions and a status of their own; plains are
 * cluster-scoped and have none of that. */
#ifndef TESTS_MODEL_KINDS_H
#define TESTS_MODEL_KINDS_H

#include <stdbool.h>

#include "tests/model/value.h"

#define KIND_FIELDS_MAX 3

struct kind {
    const char *group;         /* "" for the core group */
    const char *version;       /* the one that is stored */
    const char *other_version; /* NULL: there is none */
    const char *plural;
    const char *kind;
    const char *etcd; /* the directory of its keys, as error texts show it */
    bool namespaced;
    bool custom;
    bool status;                         /* has a status subresource */
    bool counted;                        /* has a generation */
    bool needs_revision;                 /* no update without resourceVersion (U4) */
    bool update_creates;                 /* U2 */
    bool delete_shows;                   /* X3: answers with the object */
    bool graceful;                       /* X8 */
    bool is_namespace;                   /* X10 */
    bool lists_fields;                   /* L9: which of two texts refuses a field */
    const char *fields[KIND_FIELDS_MAX]; /* besides metadata.name and metadata.namespace */
    /* What a decoded body becomes, before it is checked. old is NULL for a create. */
    void (*complete)(struct json_object *object, const struct json_object *old);
    /* Adds to causes (see refusals.h) what is wrong with it, metadata apart. */
    void (*check)(struct json_object *object, const struct json_object *old,
                  struct json_object *causes);
};

enum { CONFIGMAP, SECRET, LEASE, POD, NAMESPACE, GADGET, PLAIN, KIND_COUNT };

extern const struct kind kinds[KIND_COUNT];

/** Bodies to create CustomResourceDefinitions from, ' for "; the last is NULL. */
extern const char *const definitions[];

/** The apiVersion of a kind: of its other version, if that is asked for. Static or in room. */
const char *api_version(const struct kind *kind, bool other, char room[64]);
/** "gadgets.model.example" and "Gadget.model.example"; "configmaps" and "ConfigMap" in the core. */
const char *group_resource(const struct kind *kind, char room[96]);
const char *group_kind(const struct kind *kind, char room[96]);
/** Whether a field selector may name the field. */
bool has_field(const struct kind *kind, const char *name);

#endif
