/* node - a compiled schema as the files of this folder share it. */
#ifndef FAKEAPI_SCHEMA_NODE_H
#define FAKEAPI_SCHEMA_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "controller/base/json.h"
#include "controller/base/pattern.h"
#include "fakeapi/schema/cel.h"
#include "fakeapi/schema/field_error.h"
#include "fakeapi/schema/format.h"
#include "fakeapi/schema/schema.h"

enum schema_type {
    SCHEMA_ANY, /* no type: inside allOf and its kin, or unknown fields preserved */
    SCHEMA_OBJECT,
    SCHEMA_ARRAY,
    SCHEMA_STRING,
    SCHEMA_INTEGER,
    SCHEMA_NUMBER,
    SCHEMA_BOOLEAN,
    SCHEMA_INT_OR_STRING,
};

enum schema_list { SCHEMA_LIST_ATOMIC, SCHEMA_LIST_SET, SCHEMA_LIST_MAP };

struct schema_property {
    char *name;
    struct schema *schema;
    UT_hash_handle hh; /* by name; iterates in the order of the CRD */
};

/** A count that something may have, both ends included. */
struct schema_range {
    bool has_least;
    bool has_most;
    int64_t least;
    int64_t most;
};

struct schema_bound {
    bool set;
    bool exclusive;
    struct json_object *value; /* as written, for messages */
};

struct schema_list_of {
    struct schema **items;
    size_t count;
};

/** One x-kubernetes-validations entry. */
struct schema_rule {
    char *text;
    char *message;                    /* or NULL */
    struct cel_program *program;      /* gives a bool */
    struct cel_program *message_from; /* gives a string; or NULL */
    enum field_error_type reason;
    char *field_path; /* ".a.b", or "" */
};

struct schema {
    unsigned references;
    enum schema_type type;
    bool nullable;
    bool preserve; /* x-kubernetes-preserve-unknown-fields */
    bool embedded; /* x-kubernetes-embedded-resource */

    struct schema_property *properties;
    bool additional_allowed; /* additionalProperties: true */
    struct schema *additional;
    struct schema *items;
    struct json_object *required; /* array of texts; or NULL */

    bool has_default;
    struct json_object *default_value;
    size_t default_size; /* as JSON */

    struct json_object *enumeration; /* array; or NULL */
    char *pattern_text;
    struct pattern *pattern;
    enum format format;
    struct schema_bound minimum;
    struct schema_bound maximum;
    struct json_object *multiple_of;
    struct schema_range length;
    struct schema_range item_count;
    struct schema_range property_count;
    enum schema_list list;
    struct json_object *list_keys; /* array of texts; or NULL */

    struct schema_list_of all_of;
    struct schema_list_of any_of;
    struct schema_list_of one_of;
    struct schema *negated; /* not */

    struct schema_rule *rules;
    size_t rule_count;
    bool rules_within; /* here or anywhere below */
};

/** The schema of a member, also where additionalProperties gives it; NULL when unspecified. */
const struct schema *schema_member(const struct schema *schema, const char *name);

/** "string"; "" for SCHEMA_ANY. */
const char *schema_type_name(enum schema_type type);

/** Whether a value fits a schema. path is where it stands. */
void schema_validate_at(const struct schema *schema, const char *path,
                        const struct json_object *value, const struct json_object *old,
                        struct field_errors *errors);

/** Whether a schema's default fits it; path is the default's place. */
void schema_validate_default(const struct schema *schema, const char *path,
                             struct field_errors *errors);

/** As schema_prune(), of a value that is no whole object. */
void schema_prune_value(const struct schema *schema, struct json_object *value);

/** Runs the rules here and below (WIRE section 7, CEL). warnings, which may be NULL, get what fails
 * where nothing changed (R18). */
void schema_run_rules(const struct schema *schema, const char *path,
                      const struct json_object *value, const struct json_object *old,
                      struct field_errors *errors, struct field_errors *warnings);

/** The item of an older list that an item of a list by keys goes on; NULL when there is none. */
const struct json_object *schema_old_item(const struct schema *schema,
                                          const struct json_object *item,
                                          const struct json_object *old);

#endif
