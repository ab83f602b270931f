/* Pods by their scripts. */
#include "tests/unit/cluster/cluster_world.h"

#define POD(name, annotations)                                                                     \
    "{'metadata':{'name':'" name "','annotations':{" annotations "}},"                             \
    "'spec':{'restartPolicy':'Never','containers':[{'name':'agent','image':'i'}]}}"

static const struct store_object *pod(struct cluster_world *world)
{
    return cluster_world_get(world, "pods", "p");
}

/* clang-format off */
static const struct row {
    const char *name;
    const char *annotations;
    int64_t after_us;
    const char *want;
} rows[] = {
    {"without a script", "", 2 * SECOND, "'phase':'Succeeded'|'exitCode':0|'reason':'Completed'"},
    {"not yet started", "'fakeapi/start-seconds':'5'", 4 * SECOND,
     "'phase':'Pending'|'reason':'ContainerCreating'|'nodeName':'node-0'"},
    {"started", "'fakeapi/start-seconds':'5'", 5 * SECOND + SECOND / 2,
     "'phase':'Running'|'podIP':'10.1.1.1'|'ready':true"},
    {"still running", "'fakeapi/run-seconds':'60'", 60 * SECOND, "'phase':'Running'"},
    {"ended", "'fakeapi/run-seconds':'60','fakeapi/exit-code':'7'", 61 * SECOND,
     "'phase':'Failed'|'exitCode':7|'reason':'Error'"},
    {"hangs", "'fakeapi/ending':'hang'", 3600 * SECOND, "'phase':'Running'"},
    {"out of memory", "'fakeapi/ending':'oom'", 2 * SECOND,
     "'phase':'Failed'|'exitCode':137|'reason':'OOMKilled'"},
    {"evicted", "'fakeapi/ending':'evict'", 2 * SECOND,
     "'phase':'Failed'|'reason':'Evicted'|'exitCode':137"},
    {"no image", "'fakeapi/ending':'image-pull'", 3600 * SECOND,
     "'phase':'Pending'|'reason':'ImagePullBackOff'"},
    {"no node", "'fakeapi/ending':'unschedulable'", 3600 * SECOND,
     "'phase':'Pending'|'reason':'Unschedulable'"},
};
/* clang-format on */

static void test_rows(void **state)
{
    struct cluster_world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *json = xprintf(POD("p", "%s"), rows[i].annotations);

        cluster_world_create(world, "pods", json);
        cluster_world_run(world, rows[i].after_us);
        cluster_world_expect(pod(world), rows[i].want);
        cluster_world_delete(world, "pods", "p", REST_BACKGROUND);
        cluster_world_run(world, 60 * SECOND);
        if (pod(world) != NULL)
            fail_msg("%s: is not gone", rows[i].name);
        free(json);
        cluster_world_free(state);
        cluster_world_new(state);
        world = *state;
    }
}

static void test_statuses_missing(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("p", "'fakeapi/status-missing':'true'"));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'");
    assert_null(strstr(pod(world)->bytes->data, "containerStatuses"));
}

/* Told to stop, it takes three seconds; hurried, it is killed (X8). */
static void test_graceful(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("p", "'fakeapi/ending':'hang','fakeapi/stop-seconds':'3'"));
    cluster_world_run(world, SECOND);
    cluster_world_delete(world, "pods", "p", REST_BACKGROUND);
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'deletionGracePeriodSeconds':30|'phase':'Running'");
    cluster_world_run(world, 2 * SECOND);
    assert_null(pod(world));
}

/* One that does not stop is killed at the end of the grace period. */
static void test_killed(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("p", "'fakeapi/ending':'hang','fakeapi/stop-seconds':'3600'"));
    cluster_world_run(world, SECOND);
    cluster_world_patch(world, "pods", "p", "{'metadata':{'finalizers':['example.com/hold']}}");
    cluster_world_delete(world, "pods", "p", REST_BACKGROUND);
    cluster_world_run(world, 29 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world),
                         "'phase':'Failed'|'exitCode':137|'deletionGracePeriodSeconds':0");
    cluster_world_patch(world, "pods", "p", "{'metadata':{'finalizers':null}}");
    assert_null(pod(world));
}

static void test_deadline(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         "{'metadata':{'name':'p','annotations':{'fakeapi/ending':'hang'}},"
                         "'spec':{'activeDeadlineSeconds':5,'containers':"
                         "[{'name':'c','image':'i'}]}}");
    cluster_world_run(world, 6 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Failed'|'reason':'DeadlineExceeded'");
}

/* The first script that matches is taken, and each only as often as it says. */
static void test_scripts(void **state)
{
    struct cluster_world *world = *state;
    const struct kubelet_match named = {.name = "p*", .count = 1};
    const struct kubelet_match labelled = {.label = "l", .label_value = "x?"};
    const struct kubelet_script three = {.run_us = SECOND, .exit_code = 3};
    const struct kubelet_script four = {.run_us = SECOND, .exit_code = 4};

    cluster_add_script(world->cluster, &named, &three);
    cluster_add_script(world->cluster, &labelled, &four);
    cluster_world_create(world, "pods", POD("p1", ""));
    cluster_world_create(world, "pods",
                         "{'metadata':{'name':'p2','labels':{'l':'xy'}},'spec':{'restartPolicy':'"
                         "Never','containers':"
                         "[{'name':'c','image':'i'}]}}");
    cluster_world_create(world, "pods", POD("p3", ""));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(cluster_world_get(world, "pods", "p1"), "'exitCode':3");
    cluster_world_expect(cluster_world_get(world, "pods", "p2"), "'exitCode':4");
    cluster_world_expect(cluster_world_get(world, "pods", "p3"), "'exitCode':0");
    cluster_clear_scripts(world->cluster);
    cluster_world_delete(world, "pods", "p2", REST_BACKGROUND);
    cluster_world_create(world, "pods", POD("q", ""));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(cluster_world_get(world, "pods", "q"), "'exitCode':0");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_rows),   IN_WORLD(test_statuses_missing), IN_WORLD(test_graceful),
        IN_WORLD(test_killed), IN_WORLD(test_deadline),         IN_WORLD(test_scripts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
