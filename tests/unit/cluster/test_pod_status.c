#include "fakeapi/cluster/pod_status.h"

#include "controller/base/text.h"
#include "tests/unit/cluster/quoted.h"

#define NOW INT64_C(1700000000000000) /* 2023-11-14T22:13:20Z */
#define LATER (NOW + 5 * INT64_C(1000000))

/* A pod in a store, and a run of it. */
struct fixture {
    struct store *store;
    struct pod_run *run;
    struct json_object *tree; /* its status goes in here */
};

static struct fixture fixture_of(const char *spec)
{
    const struct store_resource_options options = {
        .group = "", .plural = "pods", .namespaced = true};
    struct fixture fixture = {.store = store_new(NULL)};
    struct store_resource *pods = store_add_resource(fixture.store, &options);
    char *json = xprintf("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n',"
                         "'uid':'u'},'spec':%s}",
                         spec);
    struct json_object *tree = quoted(json);
    struct kubelet_script script = KUBELET_SCRIPT_INIT;
    const struct store_object *object;
    struct error err = ERROR_INIT;

    assert_true(store_create(pods, tree, &object, &err));
    fixture.run = pod_run_new(object, &script, 250);
    fixture.run->started_at_us = NOW;
    fixture.tree = json_object_new_object();
    json_object_put(tree);
    free(json);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    pod_run_free(fixture->run);
    json_object_put(fixture->tree);
    store_free(fixture->store);
}

static void write_as(struct fixture *fixture, const char *phase)
{
    const struct pod_view view = {
        .phase = phase, .networked = strcmp(phase, "Running") == 0, .now_us = NOW};

    pod_status_write(fixture->tree, fixture->run, &view);
}

#define TWO                                                                                        \
    "{'initContainers':[{'name':'init','image':'i'}],"                                             \
    "'containers':[{'name':'side','image':'s'},{'name':'agent','image':'a'}]}"

static const char *text_at(const struct fixture *fixture, size_t container, const char *state,
                           const char *key)
{
    const struct json_object *statuses =
        json_walk(fixture->tree, "status", "containerStatuses", NULL);

    return json_get_text(
        json_walk(json_object_array_get_idx(statuses, container), "state", state, NULL), key);
}

static const struct json_object *condition(const struct fixture *fixture, const char *type)
{
    const struct json_object *conditions = json_walk(fixture->tree, "status", "conditions", NULL);

    for (size_t i = 0; i < json_object_array_length(conditions); i++) {
        const struct json_object *item = json_object_array_get_idx(conditions, i);

        if (strcmp(json_get_text(item, "type"), type) == 0)
            return item;
    }
    fail_msg("no condition %s", type);
    return NULL;
}

static void expect_condition(const struct fixture *fixture, const char *type, const char *status,
                             const char *reason, const char *message)
{
    const struct json_object *found = condition(fixture, type);

    assert_string_equal(json_get_text(found, "status"), status);
    if (!text_equal(json_get_text(found, "reason"), reason) ||
        !text_equal(json_get_text(found, "message"), message))
        fail_msg("%s: %s, %s", type, json_get_text(found, "reason"),
                 json_get_text(found, "message"));
}

static void test_scheduled(void **state)
{
    struct fixture fixture = fixture_of(TWO);
    const struct json_object *status;

    (void)state;
    write_as(&fixture, "Pending");
    status = json_get(fixture.tree, "status");
    assert_string_equal(json_get_text(status, "phase"), "Pending");
    assert_string_equal(json_get_text(status, "startTime"), "2023-11-14T22:13:20Z");
    assert_string_equal(text_at(&fixture, 1, "waiting", "reason"), "ContainerCreating");
    expect_condition(&fixture, "PodReadyToStartContainers", "False", NULL, NULL);
    expect_condition(&fixture, "Initialized", "False", "ContainersNotInitialized",
                     "containers with incomplete status: [init]");
    expect_condition(&fixture, "Ready", "False", "ContainersNotReady",
                     "containers with unready status: [side agent]");
    expect_condition(&fixture, "PodScheduled", "True", NULL, NULL);
    assert_null(json_get(status, "podIP"));
    fixture_free(&fixture);
}

static void run_all(struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->run->container_count; i++) {
        struct pod_container *container = &fixture->run->containers[i];

        pod_container_start(container, NOW);
        container->ready = container->role != CONTAINER_INIT;
        if (container->role == CONTAINER_INIT)
            pod_container_end(container, &(struct container_end){.ended_at_us = NOW});
    }
}

static void test_running(void **state)
{
    struct fixture fixture = fixture_of(TWO);
    const struct json_object *init;

    (void)state;
    run_all(&fixture);
    write_as(&fixture, "Running");
    assert_string_equal(json_get_text(json_get(fixture.tree, "status"), "podIP"), "10.1.2.1");
    assert_string_equal(text_at(&fixture, 0, "running", "startedAt"), "2023-11-14T22:13:20Z");
    expect_condition(&fixture, "Ready", "True", NULL, NULL);
    init = json_object_array_get_idx(
        json_walk(fixture.tree, "status", "initContainerStatuses", NULL), 0);
    assert_string_equal(json_get_text(json_walk(init, "state", "terminated", NULL), "reason"),
                        "Completed");
    assert_true(json_get_bool(init, "ready", false));
    fixture_free(&fixture);
}

static void test_ended(void **state)
{
    struct fixture fixture = fixture_of(TWO);

    (void)state;
    run_all(&fixture);
    pod_container_end(&fixture.run->containers[1], &(struct container_end){.ended_at_us = LATER});
    pod_container_end(&fixture.run->containers[2],
                      &(struct container_end){.exit_code = 3, .ended_at_us = LATER});
    write_as(&fixture, "Failed");
    assert_string_equal(text_at(&fixture, 0, "terminated", "reason"), "Completed");
    assert_string_equal(text_at(&fixture, 1, "terminated", "reason"), "Error");
    assert_string_equal(text_at(&fixture, 1, "terminated", "finishedAt"), "2023-11-14T22:13:25Z");
    expect_condition(&fixture, "Ready", "False", "PodFailed", NULL);
    write_as(&fixture, "Succeeded");
    expect_condition(&fixture, "Initialized", "True", "PodCompleted", NULL);
    expect_condition(&fixture, "ContainersReady", "False", "PodCompleted", NULL);
    fixture_free(&fixture);
}

/* What a container was before it was started again. */
static void test_restarted(void **state)
{
    struct fixture fixture = fixture_of("{'containers':[{'name':'c','image':'a'}]}");
    struct pod_container *container = pod_run_main(fixture.run);
    const struct json_object *status;
    const struct json_object *last;

    (void)state;
    pod_container_start(container, NOW);
    pod_container_end(
        container,
        &(struct container_end){.exit_code = 137, .reason = "OOMKilled", .ended_at_us = LATER});
    pod_container_wait(container, "CrashLoopBackOff", xstrdup("back-off"));
    write_as(&fixture, "Running");
    assert_string_equal(text_at(&fixture, 0, "waiting", "reason"), "CrashLoopBackOff");
    assert_string_equal(text_at(&fixture, 0, "waiting", "message"), "back-off");
    status =
        json_object_array_get_idx(json_walk(fixture.tree, "status", "containerStatuses", NULL), 0);
    last = json_walk(status, "lastState", "terminated", NULL);
    assert_string_equal(json_get_text(last, "reason"), "OOMKilled");
    assert_int_equal(json_get_int64(status, "restartCount", -1), 0);
    pod_container_start(container, LATER);
    container->restarts++;
    write_as(&fixture, "Running");
    status =
        json_object_array_get_idx(json_walk(fixture.tree, "status", "containerStatuses", NULL), 0);
    last = json_walk(status, "lastState", "terminated", NULL);
    assert_int_equal(json_get_int64(status, "restartCount", -1), 1);
    assert_string_equal(json_get_text(last, "containerID"), "containerd://u/c");
    assert_string_equal(json_get_text(status, "containerID"), "containerd://u/c/1");
    fixture_free(&fixture);
}

static void test_reasons(void **state)
{
    struct fixture fixture = fixture_of(TWO);
    const struct pod_view view = {.phase = "Failed",
                                  .reason = "Evicted",
                                  .message = "low",
                                  .statuses_missing = true,
                                  .now_us = NOW};

    (void)state;
    pod_status_write(fixture.tree, fixture.run, &view);
    assert_string_equal(json_get_text(json_get(fixture.tree, "status"), "reason"), "Evicted");
    assert_string_equal(json_get_text(json_get(fixture.tree, "status"), "message"), "low");
    assert_null(json_walk(fixture.tree, "status", "containerStatuses", NULL));
    fixture_free(&fixture);
}

static void test_unschedulable(void **state)
{
    struct fixture fixture = fixture_of(TWO);

    (void)state;
    pod_status_unschedulable(fixture.tree, "Unschedulable", "0/1 nodes", NOW);
    expect_condition(&fixture, "PodScheduled", "False", "Unschedulable", "0/1 nodes");
    pod_status_disrupted(fixture.tree, "DeletionByTaintManager", "why", NOW);
    expect_condition(&fixture, "DisruptionTarget", "True", "DeletionByTaintManager", "why");
    fixture_free(&fixture);
}

/* Which container a script is about, and what it is called where none is. */
static void test_main(void **state)
{
    struct fixture fixture = fixture_of(TWO);

    (void)state;
    assert_string_equal(pod_run_main(fixture.run)->name, "agent");
    assert_int_equal(fixture.run->restarts, RESTART_ALWAYS);
    fixture_free(&fixture);
    fixture = fixture_of("{'restartPolicy':'Never','containers':[{'name':'first'},"
                         "{'name':'second'}]}");
    assert_string_equal(pod_run_main(fixture.run)->name, "first");
    assert_int_equal(fixture.run->restarts, RESTART_NEVER);
    fixture_free(&fixture);
    fixture = fixture_of("{}");
    assert_null(pod_run_main(fixture.run));
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheduled), cmocka_unit_test(test_running),
        cmocka_unit_test(test_ended),     cmocka_unit_test(test_restarted),
        cmocka_unit_test(test_reasons),   cmocka_unit_test(test_unschedulable),
        cmocka_unit_test(test_main),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
