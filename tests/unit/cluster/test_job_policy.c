#include "fakeapi/cluster/job_policy.h"

#include "controller/base/text.h"
#include "tests/unit/cluster/quoted.h"

#define POLICY                                                                                     \
    "{'rules':[{'action':'Ignore','onPodConditions':[{'type':'DisruptionTarget'}]},"               \
    "{'action':'FailJob','onExitCodes':{'containerName':'c','operator':'In','values':[42,43]}},"   \
    "{'action':'FailIndex','onExitCodes':{'operator':'NotIn','values':[1,2,42]}},"                 \
    "{'action':'FailJob','onPodConditions':[{'type':'Config','status':'False'}]}]}"
#define ENDED(name, code) "[{'name':'" name "','state':{'terminated':{'exitCode':" code "}}}]"

static const struct {
    const char *name;
    const char *status;
    enum job_policy_action want;
    const char *message;
} failures[] = {
    {"no rule is about it",                  "{'containerStatuses':" ENDED("c",            "1") "}",JOB_POLICY_COUNT,NULL},
    {"a disruption",
     "{'conditions':[{'type':'DisruptionTarget','status':'True'}],'containerStatuses':" ENDED(
         "c",                                                                     "42") "}",
     JOB_POLICY_IGNORE,NULL},
    {"a disruption that did not come",
     "{'conditions':[{'type':'DisruptionTarget','status':'False'}]}",                                                                              JOB_POLICY_COUNT,NULL},
    {"a code",                                  "{'containerStatuses':" ENDED("c",                                                                              "42") "}",                         JOB_POLICY_FAIL_JOB,
     "Container c for pod ns/p failed with exit code 42 matching FailJob rule at index 1"},
    {"the code of another container",                   "{'containerStatuses':" ENDED("d", "43") "}",
     JOB_POLICY_FAIL_INDEX,NULL},
    {"of an init container",                             "{'initContainerStatuses':" ENDED("c",                                                                "43") "}",JOB_POLICY_FAIL_JOB,
     "Container c for pod ns/p failed with exit code 43 matching FailJob rule at index 1"},
    {"a success is no failure","{'containerStatuses':" ENDED("c","0") "}",JOB_POLICY_COUNT,
     NULL},
    {"a condition that is false",              "{'conditions':[{'type':'Config','status':'False'}]}",
     JOB_POLICY_FAIL_JOB, "Pod ns/p has condition Config matching FailJob rule at index 3"},
};

static void test_failures(void **state)
{
    struct json_object *policy = quoted(POLICY);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(failures); i++) {
        struct json_object *status = quoted(failures[i].status);
        char *message;
        enum job_policy_action got = job_policy_of_failure(policy, "ns", "p", status, &message);

        if (got != failures[i].want || !text_equal(message, failures[i].message))
            fail_msg("%s: %d, %s", failures[i].name, got, message);
        free(message);
        json_object_put(status);
    }
    json_object_put(policy);
}

static const struct {
    const char *policy;
    const char *succeeded;
    int64_t want;
} successes[] = {
    {"{'rules':[{'succeededCount':2}]}",                          "3",     -1},
    {"{'rules':[{'succeededCount':2}]}",                          "3,4",   0 },
    {"{'rules':[{'succeededIndexes':'0-2'}]}",                    "0,2",   -1},
    {"{'rules':[{'succeededIndexes':'0-2'}]}",                    "0-2",   0 },
    {"{'rules':[{'succeededIndexes':'0-2','succeededCount':2}]}", "0,2,5", 0 },
    {"{'rules':[{'succeededIndexes':'0-2','succeededCount':2}]}", "0,5,6", -1},
    {"{'rules':[{'succeededIndexes':'0'},{'succeededCount':3}]}", "1-3",   1 },
};

static void test_successes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(successes); i++) {
        struct json_object *policy = quoted(successes[i].policy);
        struct error err = ERROR_INIT;
        struct index_set succeeded;

        assert_true(index_set_parse(successes[i].succeeded, 10, &succeeded, &err));
        assert_int_equal(job_policy_success_rule(policy, 10, &succeeded), successes[i].want);
        index_set_release(&succeeded);
        json_object_put(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_successes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
