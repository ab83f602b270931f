/* Quotas kept, and what every cluster and namespace has. */
#include "controller/base/text.h"
#include "tests/unit/cluster/cluster_world.h"

static const struct store_object *quota(struct cluster_world *world)
{
    return cluster_world_get(world, "resourcequotas", "q");
}

static bool create(struct cluster_world *world, const char *plural, const char *json,
                   struct error *err)
{
    const struct rest_target target = {.group = "", .plural = plural, .namespace = NAMESPACE};

    return rest_create_owned(world->rest, &target, quoted(json), NULL, err);
}

#define QUOTA(hard) "{'metadata':{'name':'q'},'spec':{'hard':{" hard "}}}"
#define SECRET(name) "{'metadata':{'name':'" name "'}}"

static void test_refused(void **state)
{
    struct cluster_world *world = *state;
    struct error err = ERROR_INIT;

    cluster_world_create(world, "secrets", SECRET("before"));
    cluster_world_create(world, "resourcequotas", QUOTA("'count/secrets':'2'"));
    cluster_world_run(world, SECOND);
    cluster_world_expect(quota(world), "'hard':{'count/secrets':'2'},'used':{'count/secrets':'1'}");
    assert_true(create(world, "secrets", SECRET("a"), &err));
    /* Taken note of at once: there is no moment for another. */
    cluster_world_expect(quota(world), "'used':{'count/secrets':'2'}");
    assert_false(create(world, "secrets", SECRET("b"), &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_string_equal(err.text, "secrets \"b\" is forbidden: exceeded quota: q, requested: "
                                  "count/secrets=1, used: count/secrets=2, limited: "
                                  "count/secrets=2");
    cluster_world_delete(world, "secrets", "a", REST_BACKGROUND);
    cluster_world_run(world, SECOND);
    cluster_world_expect(quota(world), "'used':{'count/secrets':'1'}");
    assert_true(create(world, "secrets", SECRET("b"), &err));
}

/* A create that fails for another reason takes no place. */
static void test_not_charged(void **state)
{
    struct cluster_world *world = *state;
    struct error err = ERROR_INIT;

    cluster_world_create(world, "resourcequotas", QUOTA("'secrets':'2'"));
    cluster_world_run(world, SECOND);
    assert_true(create(world, "secrets", SECRET("a"), &err));
    assert_false(create(world, "secrets", SECRET("a"), &err));
    assert_int_equal(err.kind, ERROR_EXISTS);
    cluster_world_expect(quota(world), "'used':{'secrets':'1'}");
}

/* Pods count while they have not ended; count/pods while they are there. */
static void test_pods(void **state)
{
    static const char pod[] = "{'metadata':{'generateName':'p-'},'spec':{'restartPolicy':'Never',"
                              "'containers':[{'name':'c','image':'i'}]}}";
    struct cluster_world *world = *state;
    struct error err = ERROR_INIT;

    cluster_world_create(world, "resourcequotas", QUOTA("'pods':'1','count/pods':'2'"));
    cluster_world_run(world, SECOND);
    assert_true(create(world, "pods", pod, &err));
    assert_false(create(world, "pods", pod, &err));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(quota(world), "'used':{'count/pods':'1','pods':'0'}");
    assert_true(create(world, "pods", pod, &err));
    cluster_world_run(world, 2 * SECOND);
    assert_false(create(world, "pods", pod, &err));
    assert_non_null(strstr(err.text, "requested: count/pods=1, used: count/pods=2, limited"));
}

/* A Job whose pods find no room makes them when there is. */
static void test_job_waits(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "resourcequotas", QUOTA("'pods':'1'"));
    cluster_world_run(world, SECOND);
    cluster_world_create(
        world, "batch/jobs",
        "{'metadata':{'name':'j'},'spec':{'parallelism':2,'completions':2,'template':{'spec':"
        "{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}");
    cluster_world_run(world, SECOND / 2);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    cluster_world_run(world, 10 * SECOND);
    cluster_world_expect(cluster_world_get(world, "batch/jobs", "j"), "'type':'Complete'");
}

static void test_changed_and_off(void **state)
{
    struct cluster_world *world = *state;
    struct error err = ERROR_INIT;

    cluster_world_create(world, "resourcequotas", QUOTA("'secrets':'0'"));
    cluster_world_run(world, SECOND);
    assert_false(create(world, "secrets", SECRET("a"), &err));
    cluster_world_patch(world, "resourcequotas", "q", "{'spec':{'hard':{'secrets':'1'}}}");
    cluster_world_run(world, SECOND);
    assert_true(create(world, "secrets", SECRET("a"), &err));
    cluster_switch(world->cluster, CLUSTER_QUOTA, false);
    assert_true(create(world, "secrets", SECRET("b"), &err));
    cluster_switch(world->cluster, CLUSTER_QUOTA, true);
    cluster_world_run(world, SECOND);
    cluster_world_expect(quota(world), "'used':{'secrets':'2'}");
}

static void test_basics(void **state)
{
    struct cluster_world *world = *state;
    struct store_resource *nodes = store_find_resource(world->store, "", "nodes");
    struct store_resource *leases =
        store_find_resource(world->store, "coordination.k8s.io", "leases");
    struct store_resource *services = store_find_resource(world->store, "", "services");
    const struct store_object *node = store_get(nodes, NULL, "node-0");
    uint64_t before;

    cluster_world_expect(node, "'reason':'KubeletReady','status':'True','type':'Ready'");
    cluster_world_expect(store_get(leases, "kube-node-lease", "node-0"),
                         "'holderIdentity':'node-0'|'kind':'Node'");
    cluster_world_expect(store_get(services, "default", "kubernetes"), "'clusterIP':'10.96.0.1'");
    assert_non_null(cluster_world_get(world, "serviceaccounts", "default"));
    cluster_world_expect(cluster_world_get(world, "configmaps", "kube-root-ca.crt"), "'ca.crt':''");
    cluster_world_delete(world, "serviceaccounts", "default", REST_BACKGROUND);
    cluster_world_delete(world, "configmaps", "kube-root-ca.crt", REST_BACKGROUND);
    cluster_world_run(world, SECOND);
    assert_non_null(cluster_world_get(world, "serviceaccounts", "default"));
    assert_non_null(cluster_world_get(world, "configmaps", "kube-root-ca.crt"));
    before = store_get(leases, "kube-node-lease", "node-0")->revision;
    cluster_world_run(world, 11 * SECOND);
    assert_true(store_get(leases, "kube-node-lease", "node-0")->revision > before);
    cluster_world_delete(world, "namespaces", NAMESPACE, REST_BACKGROUND);
    cluster_world_run(world, 5 * SECOND);
    assert_null(cluster_world_get(world, "namespaces", NAMESPACE));
    assert_int_equal(cluster_world_count(world, "serviceaccounts"), 0);
}

/* A node that takes no pods, and takes them again. */
static void test_cordon(void **state)
{
    struct cluster_world *world = *state;
    const struct rest_target node = {.group = "", .plural = "nodes", .name = "node-0"};
    struct json_object *off = quoted("{'spec':{'unschedulable':true}}");
    struct json_object *on = quoted("{'spec':{'unschedulable':null}}");
    struct error err = ERROR_INIT;

    assert_true(rest_merge_patch(world->rest, &node, off, NULL, &err));
    cluster_world_create(world, "pods",
                         "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':"
                         "'i'}]}}");
    cluster_world_run(world, 100 * SECOND);
    cluster_world_expect(cluster_world_get(world, "pods", "p"),
                         "'reason':'Unschedulable'|1 node(s) were unschedulable.");
    assert_true(rest_merge_patch(world->rest, &node, on, NULL, &err));
    cluster_world_run(world, SECOND);
    cluster_world_expect(cluster_world_get(world, "pods", "p"), "'phase':'Running'");
    json_object_put(off);
    json_object_put(on);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_refused),   IN_WORLD(test_not_charged),     IN_WORLD(test_pods),
        IN_WORLD(test_job_waits), IN_WORLD(test_changed_and_off), IN_WORLD(test_basics),
        IN_WORLD(test_cordon),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
