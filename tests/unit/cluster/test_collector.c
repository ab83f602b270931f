/* What goes with its owner, and what stays. */
#include "tests/unit/cluster/cluster_world.h"

#include "controller/base/text.h"

/* Makes a ConfigMap that names owners: "name" (a ConfigMap of the namespace) or "name!" (blocking),
 * parted by spaces. */
static void make(struct cluster_world *world, const char *name, const char *owners)
{
    struct buffer json = BUFFER_INIT(10000);
    char *list = xstrdup(owners);
    char *next = list;

    buffer_append_format(&json, "{'metadata':{'name':'%s','ownerReferences':[", name);
    while (*next != '\0') {
        size_t size = strcspn(next, " ");
        bool blocking = size > 0 && next[size - 1] == '!';
        char *owner = xmemdup(next, blocking ? size - 1 : size);
        const struct store_object *object = cluster_world_get(world, "configmaps", owner);

        buffer_append_format(&json,
                             "%s{'apiVersion':'v1','kind':'ConfigMap','name':'%s','uid':'%s',"
                             "'blockOwnerDeletion':%s}",
                             next == list ? "" : ",", owner,
                             object == NULL ? "no-such-uid" : object->uid,
                             blocking ? "true" : "false");
        free(owner);
        next += size + strspn(next + size, " ");
    }
    buffer_append_text(&json, "]}}");
    cluster_world_create(world, "configmaps", buffer_text(&json));
    buffer_release(&json);
    free(list);
}

static const struct store_object *get(struct cluster_world *world, const char *name)
{
    return cluster_world_get(world, "configmaps", name);
}

static void test_background(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "a");
    make(world, "c", "b");
    make(world, "other", "");
    cluster_world_run(world, 60 * SECOND);
    assert_non_null(get(world, "c"));
    cluster_world_delete(world, "configmaps", "a", REST_BACKGROUND);
    assert_null(get(world, "a"));
    assert_non_null(get(world, "b"));
    cluster_world_run(world, SECOND / 4);
    assert_non_null(get(world, "b"));
    cluster_world_run(world, SECOND / 2);
    assert_null(get(world, "b"));
    cluster_world_run(world, SECOND);
    assert_null(get(world, "c"));
    assert_non_null(get(world, "other"));
}

static void test_delay(void **state)
{
    struct cluster_world *world = *state;

    cluster_set_collector_delay(world->cluster, 60 * SECOND);
    make(world, "a", "");
    make(world, "b", "a");
    cluster_world_delete(world, "configmaps", "a", REST_BACKGROUND);
    cluster_world_run(world, 59 * SECOND);
    assert_non_null(get(world, "b"));
    cluster_world_run(world, 2 * SECOND);
    assert_null(get(world, "b"));
}

/* The owner goes last, and does not wait for what does not block. */
static void test_foreground(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "a!");
    make(world, "c", "b!");
    cluster_world_patch(world, "configmaps", "c", "{'metadata':{'finalizers':['x.y/hold']}}");
    cluster_world_delete(world, "configmaps", "a", REST_FOREGROUND);
    cluster_world_expect(get(world, "a"), "'foregroundDeletion'|'deletionTimestamp'");
    cluster_world_run(world, 60 * SECOND);
    cluster_world_expect(get(world, "a"), "'foregroundDeletion'");
    cluster_world_expect(get(world, "b"), "'foregroundDeletion'|'deletionTimestamp'");
    cluster_world_expect(get(world, "c"), "'deletionTimestamp'");
    cluster_world_patch(world, "configmaps", "c", "{'metadata':{'finalizers':null}}");
    cluster_world_run(world, 5 * SECOND);
    assert_null(get(world, "c"));
    assert_null(get(world, "b"));
    assert_null(get(world, "a"));
}

static void test_foreground_not_blocking(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "a");
    cluster_world_patch(world, "configmaps", "b", "{'metadata':{'finalizers':['x.y/hold']}}");
    cluster_world_delete(world, "configmaps", "a", REST_FOREGROUND);
    cluster_world_run(world, SECOND);
    assert_null(get(world, "a"));
    cluster_world_run(world, SECOND);
    cluster_world_expect(get(world, "b"), "'deletionTimestamp'");
}

static void test_orphan(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "a!");
    cluster_world_delete(world, "configmaps", "a", REST_ORPHAN);
    cluster_world_expect(get(world, "a"), "'orphan'");
    cluster_world_run(world, 5 * SECOND);
    assert_null(get(world, "a"));
    assert_non_null(get(world, "b"));
    assert_int_equal(get(world, "b")->owner_count, 0);
}

static void test_several_owners(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "");
    make(world, "c", "a b");
    cluster_world_delete(world, "configmaps", "a", REST_BACKGROUND);
    cluster_world_run(world, 5 * SECOND);
    assert_int_equal(get(world, "c")->owner_count, 1);
    assert_string_equal(get(world, "c")->owners[0].name, "b");
    cluster_world_delete(world, "configmaps", "b", REST_BACKGROUND);
    cluster_world_run(world, 5 * SECOND);
    assert_null(get(world, "c"));
}

/* An owner of the same name is not the same owner (K1). */
static void test_uid_mismatch(void **state)
{
    struct cluster_world *world = *state;

    make(world, "b", "a");
    make(world, "a", "");
    cluster_world_run(world, 5 * SECOND);
    assert_null(get(world, "b"));
    assert_non_null(get(world, "a"));
}

static void make_with_owner(struct cluster_world *world, const char *api_version, const char *kind,
                            const char *name, const char *uid)
{
    char *json = xprintf("{'metadata':{'name':'x','ownerReferences':[{'apiVersion':'%s','kind':"
                         "'%s','name':'%s','uid':'%s'}]}}",
                         api_version, kind, name, uid);

    cluster_world_create(world, "configmaps", json);
    free(json);
    cluster_world_run(world, 5 * SECOND);
}

/* A kind that nobody serves may come back (K3). */
static void test_unknown_kind(void **state)
{
    make_with_owner(*state, "example.com/v1", "Widget", "w", "u");
    assert_non_null(get(*state, "x"));
}

/* The right uid under another name or kind is not the owner. */
static void test_wrong_coordinates(void **state)
{
    struct cluster_world *world = *state;
    const char *uid;

    make(world, "a", "");
    uid = get(world, "a")->uid;
    make_with_owner(world, "v1", "ConfigMap", "a", uid);
    assert_non_null(get(world, "x"));
    cluster_world_delete(world, "configmaps", "x", REST_BACKGROUND);
    make_with_owner(world, "v1", "ConfigMap", "other", uid);
    assert_null(get(world, "x"));
    make_with_owner(world, "v1", "Secret", "a", uid);
    assert_null(get(world, "x"));
}

static void test_namespace(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    cluster_world_create(world, "pods",
                         "{'metadata':{'name':'p','annotations':{'fakeapi/ending':"
                         "'hang','fakeapi/stop-seconds':'5'}},'spec':{'containers':"
                         "[{'name':'c','image':'i'}]}}");
    cluster_world_run(world, SECOND);
    cluster_world_delete(world, "namespaces", NAMESPACE, REST_BACKGROUND);
    cluster_world_run(world, 3 * SECOND);
    assert_null(get(world, "a"));
    cluster_world_expect(
        cluster_world_get(world, "namespaces", NAMESPACE),
        "'phase':'Terminating'|'message':'Some resources are remaining: pods. has 1 resource "
        "instances','reason':'SomeResourcesRemain','status':'True',"
        "'type':'NamespaceContentRemaining'|'reason':'ContentHasNoFinalizers'|"
        "'reason':'ResourcesDiscovered'|'reason':'ParsedGroupVersions'|'reason':'ContentDeleted'");
    cluster_world_run(world, 4 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
    assert_null(cluster_world_get(world, "namespaces", NAMESPACE));
}

/* What holds up a namespace is named, until it lets go. */
static void test_namespace_held(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "configmaps",
                         "{'metadata':{'name':'a','finalizers':['example.com/b']}}");
    cluster_world_create(
        world, "secrets",
        "{'metadata':{'name':'a','finalizers':['example.com/b','example.com/a']}}");
    cluster_world_delete(world, "namespaces", NAMESPACE, REST_BACKGROUND);
    cluster_world_run(world, 3600 * SECOND);
    cluster_world_expect(
        cluster_world_get(world, "namespaces", NAMESPACE),
        "Some resources are remaining: configmaps. has 1 resource instances, secrets. has 1 "
        "resource instances|Some content in the namespace has finalizers remaining: example.com/a "
        "in 1 resource instances, example.com/b in 2 resource "
        "instances','reason':'SomeFinalizersRemain','status':'True'");
    cluster_world_patch(world, "configmaps", "a", "{'metadata':{'finalizers':null}}");
    cluster_world_patch(world, "secrets", "a", "{'metadata':{'finalizers':null}}");
    cluster_world_run(world, SECOND);
    assert_null(cluster_world_get(world, "namespaces", NAMESPACE));
}

/* An owner of that uid in another namespace counts as none, and people are told (K1). */
static void test_owner_elsewhere(void **state)
{
    struct cluster_world *world = *state;
    const struct rest_target target = {
        .group = "", .plural = "configmaps", .namespace = "default", .name = "o"};
    struct json_object *tree = quoted("{'metadata':{'name':'o'}}");
    const struct store_object *owner;
    struct error err = ERROR_INIT;
    char *child;

    assert_true(rest_create(world->rest, &target, tree, &owner, &err));
    child = xprintf("{'metadata':{'name':'x','ownerReferences':[{'apiVersion':'v1','kind':"
                    "'ConfigMap','name':'o','uid':'%s'}]}}",
                    owner->uid);
    cluster_world_create(world, "configmaps", child);
    cluster_world_run(world, 2 * SECOND);
    assert_null(get(world, "x"));
    cluster_world_expect(cluster_world_at(world, "events", 0),
                         "'reason':'OwnerRefInvalidNamespace'|'type':'Warning'|'message':'ownerRef "
                         "[v1/ConfigMap, namespace: ns, name: o, uid: |does not exist in namespace "
                         "|'component':'garbage-collector-controller'");
    free(child);
    json_object_put(tree);
}

static void test_switched_off(void **state)
{
    struct cluster_world *world = *state;

    make(world, "a", "");
    make(world, "b", "a");
    cluster_switch(world->cluster, CLUSTER_COLLECTOR, false);
    cluster_world_delete(world, "configmaps", "a", REST_BACKGROUND);
    cluster_world_run(world, 3600 * SECOND);
    assert_non_null(get(world, "b"));
    cluster_switch(world->cluster, CLUSTER_COLLECTOR, true);
    cluster_world_run(world, SECOND);
    assert_null(get(world, "b"));
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_background),
        IN_WORLD(test_delay),
        IN_WORLD(test_foreground),
        IN_WORLD(test_foreground_not_blocking),
        IN_WORLD(test_orphan),
        IN_WORLD(test_several_owners),
        IN_WORLD(test_uid_mismatch),
        IN_WORLD(test_unknown_kind),
        IN_WORLD(test_wrong_coordinates),
        IN_WORLD(test_namespace),
        IN_WORLD(test_namespace_held),
        IN_WORLD(test_owner_elsewhere),
        IN_WORLD(test_switched_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
