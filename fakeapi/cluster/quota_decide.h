/* quota_decide - what a quota says to one more object: the rule alone. */
#ifndef FAKEAPI_CLUSTER_QUOTA_DECIDE_H
#define FAKEAPI_CLUSTER_QUOTA_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** Most names that one object counts under. */
#define QUOTA_CHARGES_MAX 4

/** Under which names an object counts, and how much. */
struct quota_charge {
    char name[320];
    int64_t count;
};
struct quota_charges {
    struct quota_charge items[QUOTA_CHARGES_MAX];
    size_t count;
};

/** Those of an object that is created: "count/jobs.batch", "pods". */
struct quota_charges quota_charges_of(const char *group, const char *plural,
                                      const struct json_object *tree);

/** A whole number of things as a quantity: "3", "1k"; false when it is none. */
bool quota_parse(const char *text, int64_t *ret_count) MUST_CHECK;

/** Whether the charges fit under hard on top of used; where not, what the refusal says of that, to
 * be freed: "requested: pods=1, used: pods=3, limited: pods=3". NULL: they fit. */
char *quota_excess(const struct json_object *hard, const struct json_object *used,
                   const struct quota_charges *charges) MUST_CHECK;

#endif
