/* check_access - what roles and bindings must not say.
 *
 * Source: k8s.io/kubernetes/pkg/apis/rbac/validation, in its order. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/checking.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/metadata.h"

/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)

static const char group[] = "rbac.authorization.k8s.io";

static bool is_kind(const struct json_object *tree, const char *kind)
{
    return text_equal(json_get_text(tree, "kind"), kind);
}

static bool has_items(const struct json_object *object, const char *key)
{
    const struct json_object *list = json_get_array(object, key);

    return list != NULL && json_object_array_length(list) > 0;
}

/* --- roles --- */

static void add_invalid_urls(struct checking *c, const struct json_object *rule, const char *why)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    field_error_append_texts(&shown, json_get(rule, "nonResourceURLs"));
    checking_add(c, "nonResourceURLs", FIELD_INVALID, "Invalid value: %s: %s", buffer_text(&shown),
                 why);
    buffer_release(&shown);
}

/* arg: the role. */
static void check_rule(struct checking *c, const struct json_object *rule, const void *arg)
{
    bool groups = has_items(rule, "apiGroups");
    bool resources = has_items(rule, "resources");

    if (!has_items(rule, "verbs"))
        checking_required(c, "verbs", "verbs must contain at least one value");
    if (has_items(rule, "nonResourceURLs")) {
        if (is_kind(arg, "Role"))
            add_invalid_urls(c, rule, "namespaced rules cannot apply to non-resource URLs");
        if (groups || resources || has_items(rule, "resourceNames"))
            add_invalid_urls(c, rule,
                             "rules cannot apply to both regular resources and non-resource URLs");
        return;
    }
    if (!groups)
        checking_required(c, "apiGroups", "resource rules must supply at least one api group");
    if (!resources)
        checking_required(c, "resources", "resource rules must supply at least one resource");
}

void check_role(const struct json_object *tree, const struct json_object *old,
                struct field_errors *errors)
{
    struct checking c;

    (void)old;
    checking_init(&c, "", errors);
    checking_each(&c, tree, "rules", check_rule, tree);
}

/* --- bindings --- */

static void check_group(struct checking *c, const struct json_object *object, const char *want)
{
    const char *given = text_or(json_get_text(object, "apiGroup"), "");

    if (strcmp(given, want) != 0)
        checking_unsupported(c, "apiGroup", given, &want, 1);
}

/* arg: the binding. */
static void check_subject(struct checking *c, const struct json_object *subject, const void *arg)
{
    static const char *const kinds[] = {"ServiceAccount", "User", "Group"};
    const char *name = text_or(json_get_text(subject, "name"), "");
    const char *kind = text_or(json_get_text(subject, "kind"), "");

    (void)checking_is_there(c, subject, "name");
    if (strcmp(kind, "ServiceAccount") == 0) {
        if (name[0] != '\0' && !metadata_is_subdomain(name))
            checking_invalid_text(c, "name", name, metadata_subdomain_message);
        check_group(c, subject, "");
        if (is_kind(arg, "ClusterRoleBinding"))
            (void)checking_is_there(c, subject, "namespace");
    } else if (strcmp(kind, "User") == 0 || strcmp(kind, "Group") == 0) {
        check_group(c, subject, group);
    } else {
        checking_unsupported(c, "kind", kind, kinds, ARRAY_SIZE(kinds));
    }
}

/* arg: the binding. */
static void check_reference(struct checking *c, const struct json_object *role, const void *arg)
{
    static const char *const kinds[] = {"Role", "ClusterRole"};
    size_t first = is_kind(arg, "ClusterRoleBinding") ? 1 : 0;
    const char *kind = text_or(json_get_text(role, "kind"), "");

    check_group(c, role, group);
    if (strcmp(kind, kinds[first]) != 0 && strcmp(kind, kinds[1]) != 0)
        checking_unsupported(c, "kind", kind, kinds + first, ARRAY_SIZE(kinds) - first);
    (void)checking_is_there(c, role, "name");
}

static void append_go_member(struct buffer *shown, const char *name,
                             const struct json_object *value)
{
    const char *text = text_or(json_text(value), "");

    buffer_append_format(shown, "%s:", name);
    field_error_append_quoted(shown, text);
}

static void add_invalid_role(struct field_errors *errors, const struct json_object *role)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    buffer_append_text(&shown, "rbac.RoleRef{");
    append_go_member(&shown, "APIGroup", json_get(role, "apiGroup"));
    buffer_append_text(&shown, ", ");
    append_go_member(&shown, "Kind", json_get(role, "kind"));
    buffer_append_text(&shown, ", ");
    append_go_member(&shown, "Name", json_get(role, "name"));
    field_errors_add(errors, FIELD_INVALID, "roleRef", "Invalid value: %s}: cannot change roleRef",
                     buffer_text(&shown));
    buffer_release(&shown);
}

void check_role_binding(const struct json_object *tree, const struct json_object *old,
                        struct field_errors *errors)
{
    struct checking c;

    checking_init(&c, "", errors);
    checking_each(&c, tree, "roleRef", check_reference, tree);
    checking_each(&c, tree, "subjects", check_subject, tree);
    if (old != NULL && !json_equal(json_get(tree, "roleRef"), json_get(old, "roleRef")))
        add_invalid_role(errors, json_get(tree, "roleRef"));
}
