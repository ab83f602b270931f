/* escalation - what roles and bindings give, against what their writers hold. */
#include "fakeapi/access/escalation.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* A message names up to RULES_MISSING_MAX rules. */
#define WHY_BYTES_MAX ((size_t)256 * 1024)

static bool may(struct access *access, const struct escalation *write, const char *verb,
                const char *resource, const char *name)
{
    const struct attributes attributes = {.user = write->user,
                                          .verb = verb,
                                          .resource_request = true,
                                          .group = RBAC_GROUP,
                                          .resource = resource,
                                          .subresource = "",
                                          .namespace = write->namespace,
                                          .name = name,
                                          .path = ""};

    return access_allows(access, &attributes, NULL);
}

static struct words describe(const struct rules *missing)
{
    struct words lines = {0};

    for (size_t i = 0; i < missing->count; i++) {
        struct buffer line = BUFFER_INIT(WHY_BYTES_MAX);

        rule_append_compact(&line, &missing->items[i]);
        words_add_new(&lines, buffer_text(&line));
        buffer_release(&line);
    }
    if (lines.count > 1)
        qsort(lines.items, lines.count, sizeof(*lines.items), text_compare_items);
    return lines;
}

static char *say_missing(const struct access_user *user, const struct rules *missing,
                         const char *problem)
{
    struct buffer why = BUFFER_INIT(WHY_BYTES_MAX);
    struct words lines = describe(missing);
    size_t size;

    buffer_append_text(&why, "user ");
    json_append_quoted(&why, access_user_name(user), strlen(access_user_name(user)));
    buffer_append_text(&why, " (groups=");
    words_append_quoted(&why, &user->groups);
    buffer_append_text(&why, ") is attempting to grant RBAC permissions not currently held:");
    for (size_t i = 0; i < lines.count; i++)
        buffer_append_format(&why, "\n%s", lines.items[i]);
    if (problem != NULL)
        buffer_append_format(&why, "; resolution errors: [%s]", problem);
    words_release(&lines);
    return buffer_take(&why, &size);
}

/* Whether the user holds all of wanted; else *ret_why. */
static bool holds(struct access *access, const struct escalation *write, const struct rules *wanted,
                  char **ret_why)
{
    char *problem = NULL;
    struct rules held = access_rules_for(access, write->user, write->namespace, &problem);
    struct rules missing = {0};
    bool held_all = false;

    if (!rules_missing(&held, wanted, &missing))
        *ret_why = xprintf("the role has more than %d permissions, too many to compare with those "
                           "of its writer",
                           RULES_GRANTS_MAX);
    else if (missing.count > 0)
        *ret_why = say_missing(write->user, &missing, problem);
    else
        held_all = true;
    rules_release(&missing);
    rules_release(&held);
    free(problem);
    return held_all;
}

/* --- roles --- */

static bool holds_everything(struct access *access, const struct escalation *write)
{
    struct rules everything = {0};
    struct rule resources = {0};
    struct rule urls = {0};
    char *why = NULL;
    bool all;

    words_add(&resources.verbs, "*");
    words_add(&resources.groups, "*");
    words_add(&resources.resources, "*");
    words_add(&urls.verbs, "*");
    words_add(&urls.urls, "*");
    rules_add(&everything, &resources);
    rules_add(&everything, &urls);
    all = holds(access, write, &everything, &why);
    free(why);
    rule_release(&resources);
    rule_release(&urls);
    rules_release(&everything);
    return all;
}

static enum escalation_verdict check_role(struct access *access, const struct escalation *write,
                                          char **ret_why)
{
    struct rules wanted;
    bool held;

    if (may(access, write, "escalate", write->plural, write->name))
        return ESCALATION_NONE;
    wanted = rules_parse(json_get(write->tree, "rules"));
    held = holds(access, write, &wanted, ret_why);
    rules_release(&wanted);
    if (!held)
        return ESCALATION_REFUSED;
    if ((json_get(write->tree, "aggregationRule") != NULL ||
         json_get(write->old, "aggregationRule") != NULL) &&
        !holds_everything(access, write)) {
        *ret_why = xstrdup("must have cluster-admin privileges to use the aggregationRule");
        return ESCALATION_REFUSED;
    }
    return ESCALATION_NONE;
}

/* --- bindings --- */

static enum escalation_verdict check_binding(struct access *access, const struct escalation *write,
                                             char **ret_why)
{
    const struct json_object *ref = json_get_object(write->tree, "roleRef");
    const char *kind = text_or(json_get_text(ref, "kind"), "");
    const char *name = text_or(json_get_text(ref, "name"), "");
    bool cluster = strcmp(kind, "ClusterRole") == 0;
    const struct rules *rules;
    struct rules wanted = {0};
    bool held;

    if (!cluster && strcmp(kind, "Role") != 0)
        return ESCALATION_NONE; /* refused as invalid after */
    if (may(access, write, "bind", cluster ? "clusterroles" : "roles", name))
        return ESCALATION_NONE;
    rules = access_role(access, kind, write->namespace, name);
    if (rules == NULL)
        return ESCALATION_NO_ROLE;
    for (size_t i = 0; i < rules->count; i++)
        rules_add(&wanted, &rules->items[i]);
    held = holds(access, write, &wanted, ret_why);
    rules_release(&wanted);
    return held ? ESCALATION_NONE : ESCALATION_REFUSED;
}

/* --- both --- */

/* Whether a write does no more than let the object be collected, which anybody may who may write.
 */
static bool frees_alone(const struct escalation *write)
{
    static const char *const freed[] = {"ownerReferences", "finalizers", "resourceVersion",
                                        "managedFields"};
    struct json_object *now;
    struct json_object *before;
    bool same;

    if (write->old == NULL)
        return false;
    now = json_copy(write->tree);
    before = json_copy(write->old);
    for (size_t i = 0; i < ARRAY_SIZE(freed); i++) {
        json_object_object_del(json_ensure_object(now, "metadata"), freed[i]);
        json_object_object_del(json_ensure_object(before, "metadata"), freed[i]);
    }
    same = json_equal(now, before);
    json_object_put(now);
    json_object_put(before);
    return same;
}

enum escalation_verdict escalation_check(struct access *access, const struct escalation *write,
                                         char **ret_why)
{
    bool binding = text_ends_with(write->plural, "bindings");

    if (access_mode(access) != ACCESS_RBAC || access_user_is_master(write->user) ||
        frees_alone(write))
        return ESCALATION_NONE;
    return binding ? check_binding(access, write, ret_why) : check_role(access, write, ret_why);
}
