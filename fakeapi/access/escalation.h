/* escalation - nobody gives away what they do not hold (WIRE.md A11). */
#ifndef FAKEAPI_ACCESS_ESCALATION_H
#define FAKEAPI_ACCESS_ESCALATION_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/access/access.h"

/** A write of one of the four kinds of RBAC_GROUP. */
struct escalation {
    const struct access_user *user;
    const char *plural;             /* "roles" */
    const char *namespace;          /* "" for the cluster's */
    const char *name;               /* as the request's path says it: "" in a create */
    const struct json_object *tree; /* what is to be written; defaults filled in */
    const struct json_object *old;  /* what is there; NULL: nothing */
};

enum escalation_verdict {
    ESCALATION_NONE,
    ESCALATION_REFUSED, /* *ret_why says why */
    ESCALATION_NO_ROLE, /* a binding to a role that is not there, whose rules nobody knows */
};

/** Whether the write gives away more than its user holds. free() *ret_why. */
enum escalation_verdict escalation_check(struct access *access, const struct escalation *write,
                                         char **ret_why) MUST_CHECK;

#endif
