/* rbac - what the bindings of somebody allow, and how that is said. */
#include "fakeapi/access/rbac.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/access/rbac_index.h"

/* Longest reason; each name in it may be long. */
#define REASON_BYTES_MAX ((size_t)64 * 1024)

struct rbac {
    struct rbac_index *index;
};

struct rbac *rbac_new(struct store *store)
{
    struct rbac *rbac = xcalloc(1, sizeof(*rbac));

    rbac->index = rbac_index_new(store);
    return rbac;
}

void rbac_free(struct rbac *rbac)
{
    if (rbac == NULL)
        return;
    rbac_index_free(rbac->index);
    free(rbac);
}

bool rbac_follow(struct rbac *rbac)
{
    return rbac_index_follow(rbac->index);
}

const struct rules *rbac_role(struct rbac *rbac, const char *kind, const char *namespace,
                              const char *name)
{
    return rbac_index_role(rbac->index, kind, namespace, name);
}

/* --- words --- */

static void append_quoted(struct buffer *text, const char *word)
{
    json_append_quoted(text, word, strlen(word));
}

static bool applies(const struct binding *binding, const struct subject *subject,
                    const struct access_user *user)
{
    char *name;
    bool same;

    if (strcmp(subject->kind, "Group") == 0)
        return words_has(&user->groups, subject->name);
    name = binding_subject_user(binding, subject);
    same = text_equal(name, access_user_name(user));
    free(name);
    return same;
}

static void append_subject(struct buffer *text, const struct binding *binding,
                           const struct access_user *user)
{
    const struct subject *subject = binding->subjects;
    char *name;

    while (!applies(binding, subject, user))
        subject++; /* one does: that is how the binding was found */
    if (strcmp(subject->kind, "ServiceAccount") == 0)
        name = xprintf("%s/%s", subject->name, binding_account_namespace(binding, subject));
    else
        name = xstrdup(subject->name);
    buffer_append_format(text, " to %s ", subject->kind);
    append_quoted(text, name);
    free(name);
}

/* RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "s/ns" */
static char *say_allowed(const struct binding *binding, const struct access_user *user)
{
    bool cluster = binding->namespace[0] == '\0';
    char *name =
        cluster ? xstrdup(binding->name) : xprintf("%s/%s", binding->name, binding->namespace);
    struct buffer text = BUFFER_INIT(REASON_BYTES_MAX);
    size_t size;

    buffer_append_format(&text, "RBAC: allowed by %sRoleBinding ", cluster ? "Cluster" : "");
    append_quoted(&text, name);
    buffer_append_format(&text, " of %s ", binding->role_kind);
    append_quoted(&text, binding->role_name);
    append_subject(&text, binding, user);
    free(name);
    return buffer_take(&text, &size);
}

/* What a binding names is not there. Each is said once. */
static void note_missing(struct words *problems, const struct binding *binding)
{
    const char *kind = binding->role_kind;
    struct buffer text = BUFFER_INIT(REASON_BYTES_MAX);

    if (strcmp(kind, "Role") == 0 || strcmp(kind, "ClusterRole") == 0) {
        buffer_append_format(&text, "%srole." RBAC_GROUP " ",
                             strcmp(kind, "Role") == 0 ? "" : "cluster");
        append_quoted(&text, binding->role_name);
        buffer_append_text(&text, " not found");
    } else {
        buffer_append_text(&text, "unsupported role reference kind: ");
        append_quoted(&text, kind);
    }
    words_add_new(problems, buffer_text(&text));
    buffer_release(&text);
}

/* "RBAC: x", or "RBAC: [x, y]"; NULL when there is none. Releases the problems. */
static char *say_problems(const char *prefix, struct words *problems)
{
    struct buffer text = BUFFER_INIT(REASON_BYTES_MAX);
    size_t size;
    char *said = NULL;

    if (problems->count > 0) {
        buffer_append_format(&text, "%s%s", prefix, problems->count > 1 ? "[" : "");
        for (size_t i = 0; i < problems->count; i++)
            buffer_append_format(&text, "%s%s", i > 0 ? ", " : "", problems->items[i]);
        if (problems->count > 1)
            buffer_append_char(&text, ']');
        said = buffer_take(&text, &size);
    }
    words_release(problems);
    return said;
}

/* --- questions --- */

static bool rules_allow(const struct rules *rules, const struct attributes *attributes)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rule_allows(&rules->items[i], attributes))
            return true;
    return false;
}

/* The binding of a namespace ("": the cluster) that allows it; NULL when none does. */
static const struct binding *find_allowing(struct rbac *rbac, const struct attributes *attributes,
                                           const char *namespace, struct words *problems)
{
    size_t count;
    struct binding *const *bindings =
        rbac_index_bindings(rbac->index, attributes->user, namespace, &count);

    for (size_t i = 0; i < count; i++) {
        const struct binding *binding = bindings[i];
        const struct rules *rules =
            rbac_index_role(rbac->index, binding->role_kind, namespace, binding->role_name);

        if (rules == NULL)
            note_missing(problems, binding);
        else if (rules_allow(rules, attributes))
            return binding;
    }
    return NULL;
}

bool rbac_allows(struct rbac *rbac, const struct attributes *attributes, char **ret_reason)
{
    struct words problems = {0};
    const struct binding *binding;
    char *reason;

    binding = find_allowing(rbac, attributes, "", &problems);
    if (binding == NULL && attributes->resource_request && attributes->namespace[0] != '\0')
        binding = find_allowing(rbac, attributes, attributes->namespace, &problems);
    if (ret_reason == NULL) {
        words_release(&problems);
        return binding != NULL;
    }
    reason = say_problems("RBAC: ", &problems);
    if (binding != NULL) {
        free(reason);
        reason = say_allowed(binding, attributes->user);
    }
    *ret_reason = reason;
    return binding != NULL;
}

static void collect_rules(struct rbac *rbac, const struct access_user *user, const char *namespace,
                          struct rules *rules, struct words *problems)
{
    size_t count;
    struct binding *const *bindings = rbac_index_bindings(rbac->index, user, namespace, &count);

    for (size_t i = 0; i < count; i++) {
        const struct binding *binding = bindings[i];
        const struct rules *held =
            rbac_index_role(rbac->index, binding->role_kind, namespace, binding->role_name);

        if (held == NULL)
            note_missing(problems, binding);
        for (size_t j = 0; held != NULL && j < held->count; j++)
            rules_add(rules, &held->items[j]);
    }
}

struct rules rbac_rules_for(struct rbac *rbac, const struct access_user *user,
                            const char *namespace, char **ret_problem)
{
    struct rules rules = {0};
    struct words problems = {0};

    collect_rules(rbac, user, "", &rules, &problems);
    if (namespace[0] != '\0')
        collect_rules(rbac, user, namespace, &rules, &problems);
    if (ret_problem == NULL)
        words_release(&problems);
    else
        *ret_problem = say_problems("", &problems);
    return rules;
}
