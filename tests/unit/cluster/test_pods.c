/* Pods whose containers are restarted, wait for others, or are changed while they run. */
#include "controller/base/text.h"
#include "tests/unit/cluster/cluster_world.h"

#define POD(policy, annotations, spec)                                                             \
    "{'metadata':{'name':'p','annotations':{" annotations "}},'spec':{'restartPolicy':'" policy    \
    "'," spec "'containers':[{'name':'c','image':'i:1'}]}}"

static const struct store_object *pod(struct cluster_world *world)
{
    return cluster_world_get(world, "pods", "p");
}

static void expect_none(const struct store_object *object, const char *text)
{
    assert_non_null(object);
    if (strstr(object->bytes->data, text) != NULL)
        fail_msg("%s\nis in %s", text, object->bytes->data);
}

static size_t count_events(struct cluster_world *world, const char *reason)
{
    char *text = xprintf("\"reason\":\"%s\"", reason);
    size_t count = 0;

    for (size_t i = 0; i < cluster_world_count(world, "events"); i++)
        count += strstr(cluster_world_at(world, "events", i)->bytes->data, text) != NULL;
    free(text);
    return count;
}

/* Started again at once, then after 10 and 20 s (K27); each run takes a second. */
static void test_crash_loop(void **state)
{
    struct cluster_world *world = *state;
    char *message;

    cluster_world_create(world, "pods", POD("Always", "'fakeapi/exit-code':'3'", ""));
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(pod(world), "'phase':'Running'|'restartCount':1|"
                                     "'lastState':{'terminated':{'containerID'|'exitCode':3|"
                                     "'state':{'running'");
    cluster_world_run(world, SECOND);
    message = xprintf("'reason':'CrashLoopBackOff'|'message':'back-off 10s restarting failed "
                      "container=c pod=p_ns(%s)'|'restartCount':1|'phase':'Running'|"
                      "'type':'Ready'",
                      pod(world)->uid);
    cluster_world_expect(pod(world), message);
    free(message);
    cluster_world_run(world, 10 * SECOND);
    cluster_world_expect(pod(world), "'restartCount':2|'state':{'running'");
    cluster_world_run(world, SECOND);
    cluster_world_expect(pod(world), "back-off 20s restarting");
    cluster_world_run(world, 19 * SECOND);
    cluster_world_expect(pod(world), "'restartCount':2");
    cluster_world_run(world, SECOND);
    cluster_world_expect(pod(world), "'restartCount':3");
    assert_int_equal(count_events(world, "BackOff"), 1);
}

static void test_back_off_longest(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Always", "'fakeapi/exit-code':'3'", ""));
    cluster_world_run(world, 1200 * SECOND);
    cluster_world_expect(pod(world), "back-off 5m0s restarting");
}

static void test_on_failure(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("OnFailure", "'fakeapi/exit-code':'3','fakeapi/fail-times':'2'", ""));
    cluster_world_run(world, 15 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'|'restartCount':2|'reason':'Completed'|"
                                     "'lastState':{'terminated':{'containerID'");
}

static void test_out_of_memory_again(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("OnFailure", "'fakeapi/ending':'oom'", ""));
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(pod(world), "'reason':'OOMKilled'|'exitCode':137|'restartCount':1");
}

/* What is to run always does so without a script. */
static void test_always(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Always", "", ""));
    cluster_world_run(world, 3600 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'|'restartCount':0");
}

#define INIT                                                                                       \
    "'initContainers':[{'name':'a','image':'i'},{'name':'side','image':'i','restartPolicy':"       \
    "'Always'},{'name':'b','image':'i'}],"

static void test_init(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/init-seconds':'5'", INIT));
    cluster_world_run(world, 4 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Pending'|'reason':'PodInitializing'|"
                                     "containers with incomplete status: [a side b]");
    cluster_world_run(world, 4 * SECOND);
    cluster_world_expect(pod(world), "containers with incomplete status: [b]");
    cluster_world_run(world, 5 * SECOND / 2);
    cluster_world_expect(pod(world), "'phase':'Running'");
    cluster_world_run(world, SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'");
}

static void test_init_fails(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/init-exit-code':'4'", INIT));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Failed'|'exitCode':4");
}

static void test_init_again(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(
        world, "pods",
        POD("OnFailure", "'fakeapi/init-exit-code':'4','fakeapi/fail-times':'2'", INIT));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Pending'|'reason':'CrashLoopBackOff'");
    cluster_world_run(world, 20 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'|'restartCount':2");
}

static void test_missing_references(void **state)
{
    static const char wanting[] =
        "{'metadata':{'name':'p'},'spec':{'restartPolicy':'Never','containers':[{'name':'c',"
        "'image':'i','env':[{'name':'E','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}},"
        "{'name':'F','valueFrom':{'configMapKeyRef':{'name':'m','key':'k','optional':true}}}]}]}}";
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", wanting);
    cluster_world_run(world, SECOND);
    cluster_world_expect(pod(world), "'phase':'Pending'|'reason':'CreateContainerConfigError'|"
                                     "'message':'secret \\'s\\' not found'");
    cluster_world_create(world, "secrets", "{'metadata':{'name':'s'},'stringData':{'l':'v'}}");
    cluster_world_run(world, 10 * SECOND);
    assert_non_null(strstr(pod(world)->bytes->data, "couldn't find key k in Secret ns/s"));
}

static void test_missing_comes(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("Never", "", "'volumes':[{'name':'v','configMap':{'name':'m'}}],"));
    cluster_world_run(world, 25 * SECOND);
    cluster_world_expect(pod(world), "'reason':'ContainerCreating'");
    assert_int_equal(count_events(world, "FailedMount"), 1);
    cluster_world_create(world, "configmaps", "{'metadata':{'name':'m'}}");
    cluster_world_run(world, 12 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'");
}

static void test_readiness(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("Never", "'fakeapi/ready-seconds':'5','fakeapi/ending':'hang'", ""));
    cluster_world_run(world, 4 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'|'ready':false|'started':true|"
                                     "containers with unready status: [c]");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'ready':true");
    expect_none(pod(world), "unready");
}

static void test_termination_message(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/termination-message':'bye'", ""));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'terminated':{'containerID'|'message':'bye'");
}

/* Not ready, then deleted, and never gone: until it is by force. */
static void test_node_lost(void **state)
{
    struct cluster_world *world = *state;
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = NAMESPACE, .name = "p"};
    const struct rest_delete_options force = {.grace_given = true};
    struct error err = ERROR_INIT;

    cluster_world_create(
        world, "pods", POD("Always", "'fakeapi/run-seconds':'5','fakeapi/ending':'node-lost'", ""));
    cluster_world_run(world, 6 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'|'status':'False','type':'Ready'");
    assert_false(pod(world)->deleting);
    cluster_world_run(world, 300 * SECOND);
    cluster_world_expect(pod(world), "'reason':'DeletionByTaintManager'|'type':'DisruptionTarget'");
    assert_true(pod(world)->deleting);
    cluster_world_run(world, 3600 * SECOND);
    assert_non_null(pod(world));
    assert_true(rest_delete(world->rest, &target, &force, &err));
    assert_null(pod(world));
}

/* A step that is armed follows its rule when that is changed (C23). */
static void test_edited(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/ending':'hang'", ""));
    cluster_world_run(world, 10 * SECOND);
    cluster_world_patch(world, "pods", "p",
                        "{'metadata':{'annotations':{'fakeapi/ending':'exit',"
                        "'fakeapi/run-seconds':'20','fakeapi/exit-code':'5'}}}");
    cluster_world_run(world, 9 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Failed'|'exitCode':5");
}

static void test_deadline_edited(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods",
                         POD("Never", "'fakeapi/ending':'hang'", "'activeDeadlineSeconds':100,"));
    cluster_world_run(world, 10 * SECOND);
    cluster_world_patch(world, "pods", "p", "{'spec':{'activeDeadlineSeconds':20}}");
    cluster_world_run(world, 9 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'reason':'DeadlineExceeded'");
}

static void test_image_comes(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/ending':'image-pull'", ""));
    cluster_world_run(world, 100 * SECOND);
    cluster_world_expect(pod(world), "'message':'Back-off pulling image \\'i:1\\''");
    cluster_world_patch(world, "pods", "p", "{'metadata':{'annotations':null}}");
    cluster_world_patch(world, "pods", "p",
                        "{'metadata':{'annotations':{'fakeapi/ending':'exit'}}}");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'");
}

/* A cluster that finds pods running goes on where the other one was (C23). */
static void restart_cluster(struct cluster_world *world)
{
    cluster_free(world->cluster);
    world->cluster = cluster_new(
        &(struct cluster_options){.rt = world->rt, .store = world->store, .rest = world->rest});
}

static void test_found_running(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/run-seconds':'60'", ""));
    cluster_world_run(world, 30 * SECOND);
    restart_cluster(world);
    cluster_world_run(world, 29 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Running'|'startedAt':'2023-11-14T22:13:21Z'");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'");
}

static void test_found_crashed(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Always", "'fakeapi/exit-code':'3'", ""));
    cluster_world_run(world, 5 * SECOND); /* crashed at 2 s for the second time */
    restart_cluster(world);
    cluster_world_run(world, 6 * SECOND);
    cluster_world_expect(pod(world), "'restartCount':1|CrashLoopBackOff");
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(pod(world), "'restartCount':2|'state':{'running'");
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(pod(world), "back-off 20s restarting");
}

static void test_found_waiting(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "'fakeapi/start-seconds':'60'", ""));
    cluster_world_run(world, 30 * SECOND);
    restart_cluster(world);
    cluster_world_run(world, 29 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Pending'");
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(pod(world), "'phase':'Running'");
}

static void test_other_schedulers(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "", "'schedulerName':'mine',"));
    cluster_world_run(world, 100 * SECOND);
    expect_none(pod(world), "nodeName");
    cluster_world_patch(world, "pods", "p", "{'spec':{'nodeName':'node-7'}}");
    cluster_world_run(world, 3 * SECOND);
    cluster_world_expect(pod(world), "'phase':'Succeeded'|'nodeName':'node-7'");
}

static void test_gates(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "pods", POD("Never", "", "'schedulingGates':[{'name':'g'}],"));
    cluster_world_run(world, 100 * SECOND);
    cluster_world_expect(pod(world), "'reason':'SchedulingGated'");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_crash_loop),
        IN_WORLD(test_back_off_longest),
        IN_WORLD(test_on_failure),
        IN_WORLD(test_out_of_memory_again),
        IN_WORLD(test_always),
        IN_WORLD(test_init),
        IN_WORLD(test_init_fails),
        IN_WORLD(test_init_again),
        IN_WORLD(test_missing_references),
        IN_WORLD(test_missing_comes),
        IN_WORLD(test_readiness),
        IN_WORLD(test_termination_message),
        IN_WORLD(test_node_lost),
        IN_WORLD(test_edited),
        IN_WORLD(test_deadline_edited),
        IN_WORLD(test_image_comes),
        IN_WORLD(test_found_running),
        IN_WORLD(test_found_crashed),
        IN_WORLD(test_found_waiting),
        IN_WORLD(test_other_schedulers),
        IN_WORLD(test_gates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
