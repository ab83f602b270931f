/* Jobs from their creation to their end, pods and all. */
#include "tests/unit/cluster/cluster_world.h"

#define JOB(name, spec)                                                                            \
    "{'metadata':{'name':'" name "'},'spec':{" spec "'template':{'metadata':{'labels':{'a':'b'}}," \
    "'spec':{'restartPolicy':'Never','containers':[{'name':'agent','image':'i'}]}}}}"

static void script(struct cluster_world *world, int64_t run_us, int64_t exit_code, uint64_t count)
{
    const struct kubelet_match match = {.count = count};
    const struct kubelet_script script = {.run_us = run_us, .exit_code = exit_code};

    cluster_add_script(world->cluster, &match, &script);
}

static const struct store_object *job(struct cluster_world *world)
{
    return cluster_world_get(world, "batch/jobs", "j");
}

static void test_complete(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'backoffLimit':0,"));
    cluster_world_run(world, SECOND / 2);
    cluster_world_expect(job(world), "'active':1|'ready':1|'startTime':'2023-11-14T22:13:21Z'|"
                                     "'uncountedTerminatedPods':{}");
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    cluster_world_expect(cluster_world_at(world, "pods", 0),
                         "'generateName':'j-'|'finalizers':['batch.kubernetes.io/job-tracking']|"
                         "'nodeName':'node-0'|'phase':'Running'|'a':'b'|'job-name':'j'|"
                         "'blockOwnerDeletion':true");
    cluster_world_run(world, SECOND);
    cluster_world_expect(job(world),
                         "'succeeded':1|'completionTime':'2023-11-14T22:13:22Z'|"
                         "'reason':'CompletionsReached'|'type':'SuccessCriteriaMet'|"
                         "'type':'Complete'|'message':'Reached expected number of succeeded pods'|"
                         "'terminating':0|'uncountedTerminatedPods':{}");
    assert_null(strstr(job(world)->bytes->data, "\"active\""));
    cluster_world_expect(cluster_world_at(world, "pods", 0), "'phase':'Succeeded'");
    assert_int_equal(cluster_world_at(world, "pods", 0)->finalizer_count, 0);
}

static void test_no_failure_is_borne(void **state)
{
    struct cluster_world *world = *state;

    script(world, SECOND, 3, 0);
    cluster_world_create(world, "batch/jobs", JOB("j", "'backoffLimit':0,"));
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(job(world), "'failed':1|'type':'FailureTarget'|'type':'Failed'|"
                                     "'reason':'BackoffLimitExceeded'");
    assert_null(strstr(job(world)->bytes->data, "completionTime"));
    cluster_world_expect(cluster_world_at(world, "pods", 0), "'exitCode':3|'phase':'Failed'");
    cluster_world_run(world, 3600 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
}

/* One second of running, then waits of 10 and 20 seconds (K16). */
static void test_backoff(void **state)
{
    struct cluster_world *world = *state;

    script(world, SECOND, 1, 2);
    cluster_world_create(world, "batch/jobs", JOB("j", "'backoffLimit':2,"));
    cluster_world_run(world, 10 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    cluster_world_run(world, 2 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_run(world, 18 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_run(world, 5 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 3);
    cluster_world_expect(job(world), "'failed':2|'succeeded':1|'type':'Complete'");
}

static void test_deadline(void **state)
{
    struct cluster_world *world = *state;
    const struct kubelet_match match = {0};
    const struct kubelet_script hang = {.ending = KUBELET_HANGS, .stop_us = 2 * SECOND};

    cluster_add_script(world->cluster, &match, &hang);
    cluster_world_create(world, "batch/jobs", JOB("j", "'activeDeadlineSeconds':30,"));
    cluster_world_run(world, 29 * SECOND);
    cluster_world_expect(job(world), "'active':1");
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(job(world), "'type':'FailureTarget'|'reason':'DeadlineExceeded'");
    assert_null(strstr(job(world)->bytes->data, "\"type\":\"Failed\""));
    cluster_world_run(world, 3 * SECOND);
    cluster_world_expect(job(world), "'type':'Failed'|'failed':1");
    assert_int_equal(cluster_world_count(world, "pods"), 0);
}

static void test_several(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'parallelism':2,'completions':5,"));
    cluster_world_run(world, SECOND / 2);
    assert_int_equal(cluster_world_count(world, "pods"), 2);
    cluster_world_run(world, 10 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 5);
    cluster_world_expect(job(world), "'succeeded':5|'type':'Complete'");
}

static void test_suspend(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'suspend':true,"));
    cluster_world_run(world, SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
    cluster_world_expect(job(world), "'type':'Suspended'|'reason':'JobSuspended'");
    assert_null(strstr(job(world)->bytes->data, "startTime"));
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'suspend':false}}");
    cluster_world_run(world, SECOND / 2);
    cluster_world_expect(job(world), "'reason':'JobResumed'|'active':1|'startTime'");
    cluster_world_patch(world, "batch/jobs", "j", "{'spec':{'suspend':true}}");
    cluster_world_run(world, SECOND / 2);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
    assert_null(strstr(job(world)->bytes->data, "startTime"));
}

/* A deleted pod counts as failed at once, and goes when that was noted (K13). */
static void test_pod_deleted(void **state)
{
    struct cluster_world *world = *state;

    script(world, 3600 * SECOND, 0, 1);
    cluster_world_create(world, "batch/jobs", JOB("j", "'backoffLimit':1,"));
    cluster_world_run(world, SECOND);
    cluster_world_delete(world, "pods", cluster_world_at(world, "pods", 0)->name, REST_BACKGROUND);
    cluster_world_run(world, SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
    cluster_world_expect(job(world), "'failed':1");
    cluster_world_run(world, 60 * SECOND);
    cluster_world_expect(job(world), "'type':'Complete'");
}

static void test_ttl(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'ttlSecondsAfterFinished':10,"));
    cluster_world_run(world, 10 * SECOND);
    assert_non_null(job(world));
    cluster_world_run(world, 4 * SECOND);
    assert_null(job(world));
    assert_int_equal(cluster_world_count(world, "pods"), 0);
}

static void test_ttl_of_none(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'ttlSecondsAfterFinished':0,"));
    cluster_world_create(world, "batch/jobs", JOB("k", ""));
    cluster_world_run(world, 3 * SECOND);
    assert_null(job(world));
    cluster_world_run(world, 100 * 3600 * SECOND);
    assert_non_null(cluster_world_get(world, "batch/jobs", "k"));
}

/* A Job deleted while it runs: its pod stops, is let go and goes. */
static void test_job_deleted(void **state)
{
    struct cluster_world *world = *state;

    script(world, 3600 * SECOND, 0, 0);
    cluster_world_create(world, "batch/jobs", JOB("j", ""));
    cluster_world_run(world, SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    cluster_world_delete(world, "batch/jobs", "j", REST_BACKGROUND);
    assert_null(job(world));
    cluster_world_run(world, 3 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
}

static void test_managed_by_others(void **state)
{
    struct cluster_world *world = *state;

    cluster_world_create(world, "batch/jobs", JOB("j", "'managedBy':'example.com/x',"));
    cluster_world_run(world, SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
}

static void test_switched_off(void **state)
{
    struct cluster_world *world = *state;

    cluster_switch(world->cluster, CLUSTER_JOBS, false);
    cluster_world_create(world, "batch/jobs", JOB("j", ""));
    cluster_world_run(world, 10 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 0);
    cluster_switch(world->cluster, CLUSTER_JOBS, true);
    cluster_switch(world->cluster, CLUSTER_KUBELET, false);
    cluster_world_run(world, 10 * SECOND);
    assert_int_equal(cluster_world_count(world, "pods"), 1);
    assert_null(strstr(cluster_world_at(world, "pods", 0)->bytes->data, "nodeName"));
    cluster_switch(world->cluster, CLUSTER_KUBELET, true);
    cluster_world_run(world, 2 * SECOND);
    cluster_world_expect(job(world), "'type':'Complete'");
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, cluster_world_new, cluster_world_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_complete),          IN_WORLD(test_no_failure_is_borne),
        IN_WORLD(test_backoff),           IN_WORLD(test_deadline),
        IN_WORLD(test_several),           IN_WORLD(test_suspend),
        IN_WORLD(test_pod_deleted),       IN_WORLD(test_ttl),
        IN_WORLD(test_ttl_of_none),       IN_WORLD(test_job_deleted),
        IN_WORLD(test_managed_by_others), IN_WORLD(test_switched_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
