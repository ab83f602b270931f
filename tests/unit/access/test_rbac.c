/* Who may what by the Roles and bindings of a store, as it changes (WIRE.md A5, A8, A9, A15). */
#include "fakeapi/access/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

struct fixture {
    struct store *store;
    struct rbac *rbac;
};

static void setup(struct fixture *fixture)
{
    static const struct {
        const char *plural;
        bool namespaced;
    } rows[] = {
        {"roles",               true },
        {"clusterroles",        false},
        {"rolebindings",        true },
        {"clusterrolebindings", false}
    };
    const struct store_options options = {.history_events_max = 4};

    fixture->store = store_new(&options);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct store_resource_options resource = {
            .group = RBAC_GROUP, .plural = rows[i].plural, .namespaced = rows[i].namespaced};

        store_add_resource(fixture->store, &resource);
    }
    fixture->rbac = rbac_new(fixture->store);
}

static void teardown(struct fixture *fixture)
{
    rbac_free(fixture->rbac);
    store_free(fixture->store);
}

static struct store_resource *resource(struct fixture *fixture, const char *plural)
{
    return store_find_resource(fixture->store, RBAC_GROUP, plural);
}

/* Creates or replaces. */
static void put(struct fixture *fixture, const char *plural, const char *namespace,
                const char *name, const char *members)
{
    char *text =
        xprintf("{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"%s\"%s%s%s},%s}",
                name, namespace == NULL ? "" : ",\"namespace\":\"",
                namespace == NULL ? "" : namespace, namespace == NULL ? "" : "\"", members);
    const struct store_object *old = store_get(resource(fixture, plural), namespace, name);
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    assert_true(json_parse(text, strlen(text), strlen(text), &tree, &err));
    if (old == NULL)
        assert_true(store_create(resource(fixture, plural), tree, NULL, &err));
    else
        assert_true(store_update(resource(fixture, plural), old, tree, NULL, &err));
    json_object_put(tree);
    free(text);
}

static void drop(struct fixture *fixture, const char *plural, const char *namespace,
                 const char *name)
{
    struct store_resource *objects = resource(fixture, plural);
    struct error err = ERROR_INIT;

    assert_true(store_delete(objects, store_get(objects, namespace, name), NULL, &err));
}

static bool may(struct fixture *fixture, const struct access_user *user, const char *namespace,
                const char *verb, const char *plural, char **ret_reason)
{
    const struct attributes attributes = {.user = user,
                                          .verb = verb,
                                          .resource_request = true,
                                          .group = "",
                                          .resource = plural,
                                          .subresource = "",
                                          .namespace = namespace,
                                          .name = "",
                                          .path = ""};

    rbac_follow(fixture->rbac);
    return rbac_allows(fixture->rbac, &attributes, ret_reason);
}

#define POD_RULES "\"rules\":[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}]"
#define TO(kind, name) "\"roleRef\":{\"kind\":\"" kind "\",\"name\":\"" name "\"},\"subjects\":"
#define BOB "[{\"kind\":\"User\",\"name\":\"bob\"}]"

static void test_scopes(void **state)
{
    static const struct {
        const char *name;
        const char *group;
        const char *namespace;
        const char *plural;
        const char *reason; /* NULL: denied without one */
    } rows[] = {
        {"bob",                       NULL,   "n", "pods",
         "RBAC: allowed by RoleBinding \"b/n\" of Role \"r\" to User \"bob\""                  },
        {"bob",                       NULL,   "m", "pods",    NULL                             },
        {"bob",                       NULL,   "",  "pods",    NULL                             },
        {"bob",                       NULL,   "n", "secrets", NULL                             },
        {"eve",                       NULL,   "n", "pods",    NULL                             },
        {"eve",                       "devs", "m", "pods",
         "RBAC: allowed by RoleBinding \"c/m\" of ClusterRole \"cr\" to Group \"devs\""        },
        {"eve",                       "devs", "n", "pods",    NULL                             },
        {"eve",                       "devs", "",  "pods",    NULL                             },
        {"carol",                     NULL,   "",  "pods",
         "RBAC: allowed by ClusterRoleBinding \"d\" of ClusterRole \"cr\" to User \"carol\""   },
        {"carol",                     NULL,   "q", "pods",
         "RBAC: allowed by ClusterRoleBinding \"d\" of ClusterRole \"cr\" to User \"carol\""   },
        {"system:serviceaccount:m:s", NULL,   "m", "pods",
         "RBAC: allowed by RoleBinding \"c/m\" of ClusterRole \"cr\" to ServiceAccount \"s/m\""},
        {"system:serviceaccount:m:s", NULL,   "",  "pods",    NULL                             },
        {"system:serviceaccount:x:s", NULL,   "",  "pods",
         "RBAC: allowed by ClusterRoleBinding \"d\" of ClusterRole \"cr\" to ServiceAccount "
         "\"s/x\""                                                                             },
        {"",                          NULL,   "n", "pods",    NULL                             },
    };
    struct fixture fixture;

    (void)state;
    setup(&fixture);
    put(&fixture, "roles", "n", "r", POD_RULES);
    put(&fixture, "clusterroles", NULL, "cr", POD_RULES);
    put(&fixture, "rolebindings", "n", "b", TO("Role", "r") BOB);
    put(&fixture, "rolebindings", "m", "c",
        TO("ClusterRole", "cr") "[{\"kind\":\"Group\",\"name\":\"devs\"},{\"kind\":"
                                "\"ServiceAccount\",\"name\":\"s\"}]");
    put(&fixture, "clusterrolebindings", NULL, "d",
        TO("ClusterRole",
           "cr") "[{\"kind\":\"User\",\"name\":\"carol\"},"
                 "{\"kind\":\"ServiceAccount\",\"name\":\"s\"},"
                 "{\"kind\":\"ServiceAccount\",\"name\":\"s\",\"namespace\":\"x\"}]");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct access_user user = access_user_named(rows[i].name, rows[i].group);
        char *reason = NULL;
        bool got = may(&fixture, &user, rows[i].namespace, "get", rows[i].plural, &reason);

        if (got != (rows[i].reason != NULL) ||
            strcmp(reason == NULL ? "" : reason, rows[i].reason == NULL ? "" : rows[i].reason) != 0)
            fail_msg("%s in '%s': got %d: %s", rows[i].name, rows[i].namespace, got, reason);
        free(reason);
        access_user_release(&user);
    }
    teardown(&fixture);
}

static void expect(struct fixture *fixture, bool want, const char *reason)
{
    struct access_user bob = access_user_named("bob", NULL);
    char *got = NULL;
    bool allowed = may(fixture, &bob, "n", "get", "pods", &got);

    if (allowed != want || (reason != NULL && strcmp(got == NULL ? "" : got, reason) != 0))
        fail_msg("got %d: %s", allowed, got);
    free(got);
    access_user_release(&bob);
}

/* Each change holds from the next question on, also when history was forgotten in between. */
static void test_changes(void **state)
{
    struct fixture fixture;

    (void)state;
    setup(&fixture);
    expect(&fixture, false, "");
    put(&fixture, "rolebindings", "n", "b", TO("Role", "r") BOB);
    expect(&fixture, false, "RBAC: role.rbac.authorization.k8s.io \"r\" not found");
    put(&fixture, "rolebindings", "n", "a", TO("ClusterRole", "q") BOB);
    expect(&fixture, false,
           "RBAC: [clusterrole.rbac.authorization.k8s.io \"q\" not found, "
           "role.rbac.authorization.k8s.io \"r\" not found]");
    put(&fixture, "roles", "n", "r", POD_RULES);
    expect(&fixture, true, "RBAC: allowed by RoleBinding \"b/n\" of Role \"r\" to User \"bob\"");
    put(&fixture, "roles", "n", "r", "\"rules\":[]");
    expect(&fixture, false, NULL);
    put(&fixture, "clusterroles", NULL, "q", POD_RULES);
    expect(&fixture, true, NULL);
    put(&fixture, "rolebindings", "n", "a", TO("ClusterRole", "q") "[]");
    expect(&fixture, false, "");
    put(&fixture, "roles", "n", "r", POD_RULES);
    for (size_t i = 0; i < 20; i++) /* far more than history holds */
        put(&fixture, "clusterroles", NULL, "q", i % 2 == 0 ? "\"rules\":[]" : POD_RULES);
    expect(&fixture, true, NULL);
    store_compact(fixture.store, store_revision(fixture.store));
    drop(&fixture, "roles", "n", "r");
    store_compact(fixture.store, store_revision(fixture.store));
    expect(&fixture, false, NULL);
    put(&fixture, "roles", "n", "r", POD_RULES);
    expect(&fixture, true, NULL);
    drop(&fixture, "rolebindings", "n", "b");
    expect(&fixture, false, "");
    teardown(&fixture);
}

/* Names that hold what parts a key are nobody else's. */
static void test_odd_names(void **state)
{
    struct access_user odd = access_user_named("user bob", NULL);
    struct fixture fixture;

    (void)state;
    setup(&fixture);
    put(&fixture, "clusterroles", NULL, "cr", POD_RULES);
    put(&fixture, "rolebindings", "n", "b", TO("ClusterRole", "cr") BOB);
    expect(&fixture, true, NULL);
    assert_false(may(&fixture, &odd, "n", "get", "pods", NULL));
    assert_false(may(&fixture, &odd, "n user", "get", "pods", NULL));
    access_user_release(&odd);
    odd = access_user_named("x", "bob");
    assert_false(may(&fixture, &odd, "n", "get", "pods", NULL));
    access_user_release(&odd);
    teardown(&fixture);
}

static void test_unknown_kind(void **state)
{
    struct fixture fixture;

    (void)state;
    setup(&fixture);
    put(&fixture, "rolebindings", "n", "b", TO("Thing", "cr") BOB);
    expect(&fixture, false, "RBAC: unsupported role reference kind: \"Thing\"");
    teardown(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_unknown_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
