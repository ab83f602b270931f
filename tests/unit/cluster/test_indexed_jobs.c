/* Indexed Jobs, and the policies of Jobs, from their creation to their end. */
#include "controller/base/text.h"
#include "tests/unit/cluster/cluster_world.h"

#define JOB(name, spec)                                                                            \
    "{'metadata':{'name':'" name "'},'spec':{" spec                                                \
    "'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'agent','image':'i'}]}}}}"
#define INDEXED "'completionMode':'Indexed',"

/* What pods of an index do; the first ones only, unless count is 0. */
static void script(struct cluster_world *world, const char *index, int64_t exit_code,
                   uint64_t count)
{
    const struct kubelet_match match = {
        .label = index == NULL ? NULL : "batch.kubernetes.io/job-completion-index",
        .label_value = index,
        .count = count};
    const struct kubelet_script script = {.run_us = exit_code == 0 ? SECOND : 2 * SECOND,
                                          .exit_code = exit_code};

    cluster_add_script(world->cluster, &match, &script);
}

static const struct store_object *job(struct cluster_world *world)
{
    return cluster_world_get(world, "batch/jobs", "j");
}

static void expect_none(const struct store_object *object, const char *text)
{
    assert_non_null(object);
    if (strstr(object->bytes->data, text) != NULL)
        fail_msg("%s\nis in %s", text, object->bytes->data);
}

static void test_complete(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", INDEXED "'completions':3,'parallelism':2,"));
    cluster_world_run(world, SECOND / 2);
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_expect(
        cluster_world_at(world, "pods", 1),
        "'generateName':'j-1-'|'batch.kubernetes.io/job-completion-index':'1'|'hostname':'j-1'|"
        "'env':[{'name':'JOB_COMPLETION_INDEX','valueFrom':{'fieldRef':{'apiVersion':'v1',"
        "'fieldPath':'metadata.labels[");
    cluster_world_run(world, 4 * SECOND);
    cluster_world_expect(job(world), "'completedIndexes':'0-2'|'succeeded':3|'type':'Complete'|"
                                     "'uncountedTerminatedPods':{}");
    expect_none(job(world), "failedIndexes");
    assert_int_equal(cluster_world_count(world, "pods"), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(cluster_world_at(world, "pods", i)->finalizer_count, 0);
}

/* An index that failed is tried again under its number, after the Job's wait. */
static void test_index_again(void **state)
{
    struct cluster_world *world = *state;

    script(world, "0", 1, 1);
    cluster_world_create(world, "batch/jobs", JOB("j", INDEXED "'completions':2,'parallelism':2,"));
    cluster_world_run(world, 5 * SECOND);
    cluster_world_expect(job(world), "'completedIndexes':'1'|'failed':1|'succeeded':1");
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_run(world, 10 * SECOND);
    cluster_world_expect(job(world), "'completedIndexes':'0,1'|'failed':1|'type':'Complete'");
    assert_int_equal(cluster_world_count(world, "pods"), 3);
}

/* Each index bears one failure; index 0 fails twice, the others go on (K15). */
static void test_backoff_per_index(void **state)
{
    struct cluster_world *world = *state;

    script(world, "0", 1, 0);
    cluster_world_create(
        world, "batch/jobs",
        JOB("j", INDEXED "'completions':3,'parallelism':3,'backoffLimitPerIndex':1,"));
    cluster_world_run(world, 5 * SECOND);
    /* The failed pod stays unaccounted for until another takes its index over. */
    cluster_world_expect(job(world), "'completedIndexes':'1,2'|'failedIndexes':''");
    expect_none(job(world), "\"failed\":");
    cluster_world_run(world, 4 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 3);
    cluster_world_run(world, 3 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 4);
    cluster_world_run(world, 5 * SECOND);
    cluster_world_expect(job(world),
                         "'completedIndexes':'1,2'|'failedIndexes':'0'|'failed':2|'succeeded':2|"
                         "'type':'FailureTarget'|'type':'Failed'|'reason':'FailedIndexes'|"
                         "'message':'Job has failed indexes'");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(cluster_world_at(world, "pods", i)->finalizer_count, 0);
}

static size_t pods_with(struct cluster_world *world, const char *text)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster_world_count(world, "pods"); i++)
        count += strstr(cluster_world_at(world, "pods", i)->bytes->data, text) != NULL;
    return count;
}

static void test_failure_count_of_index(void **state)
{
    struct cluster_world *world = *state;

    script(world, "0", 1, 2);
    cluster_world_create(
        world, "batch/jobs",
        JOB("j", INDEXED "'completions':1,'parallelism':1,'backoffLimitPerIndex':5,"));
    cluster_world_run(world, 60 * SECOND);
    cluster_world_expect(job(world), "'completedIndexes':'0'|'failed':2|'type':'Complete'");
    assert_int_equal(pods_with(world, "job-index-failure-count\":\"0\""), 1);
    assert_int_equal(pods_with(world, "job-index-failure-count\":\"1\""), 1);
    assert_int_equal(pods_with(world, "job-index-failure-count\":\"2\""), 1);
}

static void test_max_failed_indexes(void **state)
{
    struct cluster_world *world = *state;

    script(world, NULL, 1, 0);
    cluster_world_create(world, "batch/jobs",
                         JOB("j", INDEXED "'completions':4,'parallelism':1,"
                                          "'backoffLimitPerIndex':0,'maxFailedIndexes':1,"));
    cluster_world_run(world, 10 * SECOND);
    cluster_world_expect(
        job(world), "'failedIndexes':'0,1'|'failed':2|'type':'Failed'|"
                    "'reason':'MaxFailedIndexesExceeded'|"
                    "'message':'Job has exceeded the specified maximal number of failed indexes'");
    assert_int_equal(cluster_world_count(world, "pods"), 2);
}

static void test_success_policy(void **state)
{
    struct cluster_world *world = *state;
    const struct kubelet_match match = {.label = "batch.kubernetes.io/job-completion-index",
                                        .label_value = "1"};
    const struct kubelet_script hang = {.ending = KUBELET_HANGS, .stop_us = SECOND};

    cluster_add_script(world->cluster, &match, &hang);
    cluster_world_create(world, "batch/jobs",
                         JOB("j", INDEXED "'completions':2,'parallelism':2,"
                                          "'successPolicy':{'rules':[{'succeededIndexes':'0'}]},"));
    cluster_world_run(world, 3 * SECOND / 2);
    cluster_world_expect(job(world), "'type':'SuccessCriteriaMet'|'reason':'SuccessPolicy'|"
                                     "'message':'Matched rules at index 0'|'terminating':1");
    expect_none(job(world), "\"Complete\"");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(job(world), "'type':'Complete'|'completedIndexes':'0'|'succeeded':1|"
                                     "'completionTime'");
}

#define POLICY(action)                                                                             \
    "'backoffLimit':0,'podFailurePolicy':{'rules':[{'action':'" action                             \
    "','onExitCodes':{'operator':'In','values':[42]}}]},"

static void test_policy_fails_job(void **state)
{
    struct cluster_world *world = *state;

    script(world, NULL, 42, 0);
    cluster_world_create(world, "batch/jobs",
                         JOB("j", "'backoffLimit':6,'podFailurePolicy':{'rules':[{'action':"
                                  "'FailJob','onExitCodes':{'operator':'In','values':[42]}}]},"));
    cluster_world_run(world, 5 * SECOND);
    cluster_world_expect(job(world),
                         "'failed':1|'type':'FailureTarget'|'type':'Failed'|"
                         "'reason':'PodFailurePolicy'|failed with exit code 42 matching FailJob "
                         "rule at index 0|'message':'Container agent for pod ns/j-");
    assert_int_equal(cluster_world_count(world, "pods"), 1);
}

static void test_policy_ignores(void **state)
{
    struct cluster_world *world = *state;

    script(world, NULL, 42, 1);
    cluster_world_create(world, "batch/jobs", JOB("j", POLICY("Ignore")));
    cluster_world_run(world, 20 * SECOND);
    cluster_world_expect(job(world), "'succeeded':1|'type':'Complete'");
    expect_none(job(world), "\"failed\":");
    assert_int_equal(cluster_world_at(world, "pods", 0)->finalizer_count, 0);
    assert_int_equal(cluster_world_at(world, "pods", 1)->finalizer_count, 0);
}

/* podReplacementPolicy Failed: the next pod comes when the one before has ended. */
static void test_replaces_failed_only(void **state)
{
    struct cluster_world *world = *state;
    const struct kubelet_match match = {.count = 1};
    const struct kubelet_script slow = {.ending = KUBELET_HANGS, .stop_us = 20 * SECOND};

    cluster_add_script(world->cluster, &match, &slow);
    cluster_world_create(world, "batch/jobs", JOB("j", "'podReplacementPolicy':'Failed',"));
    cluster_world_run(world, SECOND);
    cluster_world_delete(world, "pods", cluster_world_at(world, "pods", 0)->name, REST_BACKGROUND);
    cluster_world_run(world, 15 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    cluster_world_expect(job(world), "'terminating':1");
    expect_none(job(world), "\"failed\":");
    cluster_world_run(world, 30 * SECOND);
    cluster_world_expect(job(world), "'failed':1|'type':'Complete'");
}

static void test_parallelism_changes(void **state)
{
    struct cluster_world *world = *state;
    const struct kubelet_match match = {0};
    const struct kubelet_script hang = {.ending = KUBELET_HANGS};

    cluster_add_script(world->cluster, &match, &hang);
    cluster_world_create(world, "batch/jobs", JOB("j", INDEXED "'completions':5,'parallelism':1,"));
    cluster_world_run(world, SECOND);
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'parallelism':3}}");
    cluster_world_run(world, SECOND);
    cluster_world_expect(job(world), "'active':3");
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'parallelism':1}}");
    cluster_world_run(world, 5 * SECOND);
    cluster_world_expect(job(world), "'active':1");
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'parallelism':0}}");
    cluster_world_run(world, 5 * SECOND);
    expect_none(job(world), "\"active\"");
    assert_int_equal(cluster_world_count(world, "pods"), 0);
}

static void expect_event(struct cluster_world *world, const char *texts)
{
    for (size_t i = 0; i < cluster_world_count(world, "events"); i++) {
        const struct store_object *event = cluster_world_at(world, "events", i);
        char *wanted = xstrdup(texts);
        bool all = true;

        for (char *at = wanted; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
        for (char *next = wanted; next != NULL;) {
            char *bar = strchr(next, '|');

            if (bar != NULL)
                *bar = '\0';
            all = all && strstr(event->bytes->data, next) != NULL;
            next = bar == NULL ? NULL : bar + 1;
        }
        free(wanted);
        if (all)
            return;
    }
    fail_msg("no Event with %s", texts);
}

static void test_events(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'suspend':true,"));
    cluster_world_run(world, SECOND);
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'suspend':false}}");
    cluster_world_run(world, 5 * SECOND);
    expect_event(world, "'reason':'Suspended'|'message':'Job suspended'|'type':'Normal'");
    expect_event(world, "'reason':'Resumed'|'message':'Job resumed'");
    expect_event(world, "'reason':'SuccessfulCreate'|'message':'Created pod: j-|'kind':'Job'|"
                        "'apiVersion':'batch/v1'|'component':'job-controller'|'count':1|"
                        "'firstTimestamp':'2023-11-14T22:13:22Z'");
    expect_event(world, "'reason':'Completed'|'message':'Job completed'");
    cluster_world_run(world, 3600 * SECOND);
    assert_int_equal(cluster_world_count(world, "events"), 0);
}

static void test_event_of_failure(void **state)
{
    struct cluster_world *world = *state;

    script(world, NULL, 1, 0);
    cluster_world_create(world, "batch/jobs", JOB("j", "'backoffLimit':0,"));
    cluster_world_run(world, 5 * SECOND);
    expect_event(world, "'reason':'BackoffLimitExceeded'|'type':'Warning'|"
                        "'message':'Job has reached the specified backoff limit'");
}

/* A controller that comes anew finds its wait in the pods (C23). */
static void test_switched_while_waiting(void **state)
{
    struct cluster_world *world = *state;

    script(world, NULL, 1, 2);
    cluster_world_create(world, "batch/jobs", JOB("j", ""));
    cluster_world_run(world, 15 * SECOND); /* failed at 1 and 12 s: the next is due at 32 s */
    cluster_switch(world->cluster, CLUSTER_JOBS, false);
    cluster_switch(world->cluster, CLUSTER_JOBS, true);
    cluster_world_run(world, 15 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_run(world, 4 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 3);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_complete),
        IN_WORLD(test_index_again),
        IN_WORLD(test_backoff_per_index),
        IN_WORLD(test_failure_count_of_index),
        IN_WORLD(test_max_failed_indexes),
        IN_WORLD(test_success_policy),
        IN_WORLD(test_policy_fails_job),
        IN_WORLD(test_policy_ignores),
        IN_WORLD(test_replaces_failed_only),
        IN_WORLD(test_parallelism_changes),
        IN_WORLD(test_events),
        IN_WORLD(test_event_of_failure),
        IN_WORLD(test_switched_while_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
