#include "fakeapi/cluster/pod_status.h"

#include "tests/unit/cluster/quoted.h"

#define NOW INT64_C(1700000000000000) /* 2023-11-14T22:13:20Z */
#define LATER (NOW + 5 * INT64_C(1000000))

static const char pod[] =
    "{'metadata':{'uid':'u'},'spec':{'initContainers':[{'name':'init','image':'i'}],"
    "'containers':[{'name':'side','image':'s'},{'name':'agent','image':'a'}]}}";

static const char *text_at(const struct json_object *tree, size_t container, const char *state,
                           const char *key)
{
    const struct json_object *statuses = json_walk(tree, "status", "containerStatuses", NULL);

    return json_get_text(
        json_walk(json_object_array_get_idx(statuses, container), "state", state, NULL), key);
}

static const char *condition(const struct json_object *tree, const char *type)
{
    const struct json_object *conditions = json_walk(tree, "status", "conditions", NULL);

    for (size_t i = 0; i < json_object_array_length(conditions); i++) {
        const struct json_object *item = json_object_array_get_idx(conditions, i);

        if (strcmp(json_get_text(item, "type"), type) == 0)
            return json_get_text(item, "status");
    }
    return "none";
}

static void test_scheduled(void **state)
{
    struct json_object *tree = quoted(pod);
    const struct json_object *status;

    (void)state;
    pod_status_scheduled(tree, NOW);
    status = json_get(tree, "status");
    assert_string_equal(json_get_text(status, "phase"), "Pending");
    assert_string_equal(json_get_text(status, "startTime"), "2023-11-14T22:13:20Z");
    assert_string_equal(text_at(tree, 1, "waiting", "reason"), "PodInitializing");
    assert_string_equal(condition(tree, "PodScheduled"), "True");
    assert_string_equal(condition(tree, "Initialized"), "False");
    assert_string_equal(condition(tree, "Ready"), "False");
    json_object_put(tree);
}

static void test_running(void **state)
{
    struct json_object *tree = quoted(pod);
    const struct json_object *init;

    (void)state;
    pod_status_scheduled(tree, NOW);
    pod_status_running(tree, 250, LATER);
    assert_string_equal(json_get_text(json_get(tree, "status"), "phase"), "Running");
    assert_string_equal(json_get_text(json_get(tree, "status"), "podIP"), "10.1.2.1");
    assert_string_equal(text_at(tree, 0, "running", "startedAt"), "2023-11-14T22:13:25Z");
    assert_string_equal(condition(tree, "Ready"), "True");
    init = json_object_array_get_idx(json_walk(tree, "status", "initContainerStatuses", NULL), 0);
    assert_string_equal(json_get_text(json_walk(init, "state", "terminated", NULL), "reason"),
                        "Completed");
    json_object_put(tree);
}

static void test_ended(void **state)
{
    struct json_object *tree = quoted(pod);
    const struct pod_exit how = {
        .container = "agent", .exit_code = 3, .started_at_us = NOW, .ended_at_us = LATER};

    (void)state;
    pod_status_running(tree, 0, NOW);
    pod_status_ended(tree, &how);
    assert_string_equal(json_get_text(json_get(tree, "status"), "phase"), "Failed");
    assert_string_equal(text_at(tree, 0, "terminated", "reason"), "Completed");
    assert_string_equal(text_at(tree, 1, "terminated", "reason"), "Error");
    assert_string_equal(text_at(tree, 1, "terminated", "finishedAt"), "2023-11-14T22:13:25Z");
    assert_string_equal(condition(tree, "Ready"), "False");
    json_object_put(tree);
}

static void test_ended_well(void **state)
{
    struct json_object *tree = quoted(pod);
    const struct pod_exit how = {.container = "agent", .started_at_us = NOW, .ended_at_us = LATER};

    (void)state;
    pod_status_ended(tree, &how);
    assert_string_equal(json_get_text(json_get(tree, "status"), "phase"), "Succeeded");
    json_object_put(tree);
}

static void test_killed(void **state)
{
    struct json_object *tree = quoted(pod);
    const struct pod_exit how = {.container = "agent",
                                 .exit_code = 137,
                                 .killed = true,
                                 .pod_reason = "Evicted",
                                 .pod_message = "low",
                                 .statuses_missing = true,
                                 .started_at_us = NOW,
                                 .ended_at_us = LATER};

    (void)state;
    pod_status_running(tree, 0, NOW);
    pod_status_ended(tree, &how);
    assert_string_equal(json_get_text(json_get(tree, "status"), "phase"), "Failed");
    assert_string_equal(json_get_text(json_get(tree, "status"), "reason"), "Evicted");
    assert_null(json_walk(tree, "status", "containerStatuses", NULL));
    json_object_put(tree);
}

static void test_stuck(void **state)
{
    struct json_object *tree = quoted(pod);

    (void)state;
    pod_status_unschedulable(tree, NOW);
    assert_string_equal(condition(tree, "PodScheduled"), "False");
    json_object_put(tree);
    tree = quoted(pod);
    pod_status_scheduled(tree, NOW);
    pod_status_image_pull(tree, "agent", NOW);
    assert_string_equal(text_at(tree, 1, "waiting", "reason"), "ImagePullBackOff");
    assert_string_equal(text_at(tree, 0, "waiting", "reason"), "PodInitializing");
    json_object_put(tree);
}

static void test_container(void **state)
{
    struct json_object *tree = quoted(pod);

    (void)state;
    assert_string_equal(pod_status_container(tree, NULL), "agent");
    assert_string_equal(pod_status_container(tree, "side"), "side");
    json_object_put(tree);
    tree = quoted("{'spec':{'containers':[{'name':'first'},{'name':'second'}]}}");
    assert_string_equal(pod_status_container(tree, NULL), "first");
    json_object_put(tree);
    tree = quoted("{}");
    assert_string_equal(pod_status_container(tree, NULL), "");
    json_object_put(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheduled), cmocka_unit_test(test_running),
        cmocka_unit_test(test_ended),     cmocka_unit_test(test_ended_well),
        cmocka_unit_test(test_killed),    cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_container),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
