/* validation - one check of an object, as the files that carry it out share it. */
#ifndef FAKEAPI_SCHEMA_VALIDATION_H
#define FAKEAPI_SCHEMA_VALIDATION_H

#include "fakeapi/schema/node.h"
#include "fakeapi/schema/path.h"

/** Steps of one check: values by the schemas they are checked against, values of enumerations, and
 * steps of patterns. An object of 1.5 MiB takes hundreds of thousands. */
#define VALIDATION_STEPS_MAX 4000000

struct validation {
    uint64_t steps; /* left; at 0 nothing more is looked at */
    struct field_errors *errors;
    struct path path; /* of the value at hand */
    size_t base;      /* of path, what "P in body" leaves out: where the check began */
};

/** Takes off steps; false when none are left. */
bool validation_spend(struct validation *v, uint64_t steps) MUST_CHECK;

/** A value as messages show it; free() it. */
char *validation_shown(const struct json_object *value) MUST_CHECK;

/** "Invalid value: "string": P in body must be of type integer: "string"" */
void validation_say_not_of_type(struct validation *v, const char *got, const char *want);

/** Each adds what is wrong with a value of that type. */
void validation_check_string(struct validation *v, const struct schema *schema,
                             const struct json_object *value);
void validation_check_number(struct validation *v, const struct schema *schema,
                             const struct json_object *value);
void validation_check_enumeration(struct validation *v, const struct schema *schema,
                                  const struct json_object *value);
/** How many there are of what ("items", "properties"); false when that is wrong. */
bool validation_check_count(struct validation *v, const struct schema_range *range, size_t count,
                            const char *of_what);

#endif
