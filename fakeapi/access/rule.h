/* rule - one rule of a role: what it allows, and what it covers of another rule.
 *
 * Pure. Rules: WIRE.md A8, A11. */
#ifndef FAKEAPI_ACCESS_RULE_H
#define FAKEAPI_ACCESS_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "fakeapi/access/user.h"
#include "fakeapi/access/words.h"

/** What somebody wants to do. Texts are borrowed; absent ones are "". */
struct attributes {
    const struct access_user *user;
    const char *verb;
    bool resource_request; /* the following counts; else path alone */
    const char *group;     /* "" for core */
    const char *resource;
    const char *subresource;
    const char *namespace; /* "": the cluster's */
    const char *name;      /* "": none is known */
    const char *path;
};

struct rule { /* init with {0} */
    struct words verbs;
    struct words groups;
    struct words resources;
    struct words names; /* resourceNames */
    struct words urls;  /* nonResourceURLs */
};

void rule_release(struct rule *rule);

struct rules { /* init with {0} */
    struct rule *items;
    size_t count;
};

/** From the rules of a Role or ClusterRole; what is no rule is left out. */
struct rules rules_parse(const struct json_object *array);
void rules_release(struct rules *rules);
/** Adds a copy of a rule. */
void rules_add(struct rules *rules, const struct rule *rule);

bool rule_allows(const struct rule *rule, const struct attributes *attributes);

/** Most single permissions (a verb on a resource of a group, perhaps a name of it) that one role
 * may hold for rules_missing(), and most that it tells, so that no role is dear to check. */
#define RULES_GRANTS_MAX 10000
#define RULES_MISSING_MAX 500

/** What wanted grants and held does not, as single permissions joined again by verb; empty when
 * held covers it all. It stops at RULES_MISSING_MAX. False when wanted has more than
 * RULES_GRANTS_MAX permissions. */
bool rules_missing(const struct rules *held, const struct rules *wanted, struct rules *ret_missing);

/** {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]} */
void rule_append_compact(struct buffer *buffer, const struct rule *rule);
/** As in SelfSubjectRulesReview: {"verbs":[..],"apiGroups":[..],"resources":[..]} or
 * {"verbs":[..],"nonResourceURLs":[..]}. */
struct json_object *rule_resource_json(const struct rule *rule);
struct json_object *rule_url_json(const struct rule *rule);

#endif
