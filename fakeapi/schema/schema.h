/* schema - structural schemas of custom resources: compiled once, then prune, default, validate.
 *
 * On a write, in this order (fakeapi/WIRE.md R10): schema_prune, schema_default, schema_validate.
 * On a read: prune and default again, so that defaults added later show on old objects.
 *
 * The root's apiVersion, kind and metadata are kept by pruning and otherwise left to the caller:
 * metadata's own rules are those of every kind (C13 to C16). */
#ifndef FAKEAPI_SCHEMA_SCHEMA_H
#define FAKEAPI_SCHEMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

/** Most nodes (schemas within schemas) of one openAPIV3Schema. */
#define SCHEMA_NODES_MAX 20000

/** Most unknown fields that pruning names; the rest are removed unnamed. */
#define SCHEMA_UNKNOWN_MAX 200

struct schema;

/** Adds what is wrong with an openAPIV3Schema as a document: not structural, not supported, list
 * types that do not fit (R13, R20). path is its place in the CRD, and begins every error's path:
 * "spec.versions[0].schema.openAPIV3Schema". */
void schema_check(const struct json_object *openapi, const char *path, struct field_errors *errors);

/** Compiles an openAPIV3Schema in which schema_check() finds nothing. False when errors were added:
 * a value of the wrong type, a bad default (R12), a rule (x-kubernetes-validations) that is not
 * understood (R19). */
bool schema_compile(const struct json_object *openapi, const char *path, struct schema **ret_schema,
                    struct field_errors *errors) MUST_CHECK;
/** A schema never changes: whoever has the same openAPIV3Schema may share it. */
struct schema *schema_ref(struct schema *schema);
/** Frees it with the last hold. Takes NULL. */
void schema_unref(struct schema *schema);

/** Whether there are rules (x-kubernetes-validations) anywhere in it: they see whole objects. */
bool schema_has_rules(const struct schema *schema);

/** Paths of fields that a schema does not know: "spec.foo", "spec.list[0].x". */
struct schema_unknown {
    char **paths; /* in document order */
    size_t count;
};

#define SCHEMA_UNKNOWN_INIT                                                                        \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/** Removes what the schema does not specify (R11), naming it in unknown, which may be NULL. */
void schema_prune(const struct schema *schema, struct json_object *object,
                  struct schema_unknown *unknown);
/** Adds a path, if there is room; unknown may be NULL. */
void schema_unknown_add(struct schema_unknown *unknown, const char *path);
void schema_unknown_release(struct schema_unknown *unknown);

/** Drops nulls that are not allowed, and fills in defaults, parents first (R12, R14). */
void schema_default(const struct schema *schema, struct json_object *object);

enum schema_part {
    SCHEMA_WHOLE,
    SCHEMA_STATUS, /* a write through /status: only status is checked, rules see all (R21) */
};

/** Adds what is wrong with a pruned and defaulted object: schema, list types, CEL (WIRE section 7).
 * old is the stored object on an update, else NULL: what did not change is not complained about
 * again (R18), and rules about oldSelf run only with it. warnings, which may be NULL, get the rules
 * that do not hold of what did not change. */
void schema_validate(const struct schema *schema, enum schema_part part,
                     const struct json_object *object, const struct json_object *old,
                     struct field_errors *errors, struct field_errors *warnings);

#endif
