#include "fakeapi/cluster/quota_decide.h"

#include "controller/base/text.h"
#include "tests/unit/cluster/quoted.h"

static const struct {
    const char *text;
    int64_t want; /* -1: none */
} numbers[] = {
    {"0",                    0   },
    {"3",                    3   },
    {"1k",                   1000},
    {"2Ki",                  2048},
    {"",                     -1  },
    {"-1",                   -1  },
    {"1x",                   -1  },
    {"99999999999999999999", -1  },
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        int64_t got = -1;

        if (!quota_parse(numbers[i].text, &got))
            got = -1;
        assert_int_equal(got, numbers[i].want);
    }
}

static const struct {
    const char *group;
    const char *plural;
    const char *object;
    const char *hard;
    const char *used;
    const char *want; /* NULL: it fits */
} rows[] = {
    {"",      "configmaps", "{}",                                           "{}",                                        "{}",                            NULL                                                                                        },
    {"",      "configmaps", "{}",                                           "{'count/configmaps':'3'}",                  "{'count/configmaps':'2'}",      NULL                                                                                        },
    {"",      "configmaps", "{}",                                           "{'count/configmaps':'3'}",                  "{'count/configmaps':'3'}",
     "requested: count/configmaps=1, used: count/configmaps=3, limited: count/configmaps=3"                                                                                                                                                           },
    {"",      "configmaps", "{}",                                           "{'configmaps':'1k'}",                       "{'configmaps':'1k'}",
     "requested: configmaps=1, used: configmaps=1k, limited: configmaps=1k"                                                                                                                                                                           },
    {"",      "configmaps", "{}",                                           "{'count/configmaps':'0'}",                  "{}",
     "requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0"                                                                                                                                                           },
    {"batch", "jobs",       "{}",                                           "{'count/jobs.batch':'1','count/jobs':'0'}", "{}",                            NULL                                                                                        },
    {"",      "pods",       "{}",                                           "{'pods':'1','count/pods':'1','cpu':'1'}",   "{'pods':'1','count/pods':'2'}",
     "requested: count/pods=1,pods=1, used: count/pods=2,pods=1, limited: count/pods=1,pods=1"                                                                                                                                                        },
    {"",      "services",   "{'spec':{'type':'NodePort','ports':[{},{}]}}", "{'services.nodeports':'3'}",
     "{'services.nodeports':'2'}",                                                                                                                        "requested: services.nodeports=2, used: services.nodeports=2, limited: services.nodeports=3"},
    {"",      "services",   "{'spec':{'type':'ClusterIP','ports':[{}]}}",
     "{'services.nodeports':'0','services.loadbalancers':'0'}",                                                          "{}",                            NULL                                                                                        },
    {"",      "services",   "{'spec':{'type':'LoadBalancer'}}",             "{'services.loadbalancers':'0'}",            "{}",
     "requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: "
     "services.loadbalancers=0"                                                                                                                                                                                                                       },
};

static void test_excess(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *object = quoted(rows[i].object);
        struct json_object *hard = quoted(rows[i].hard);
        struct json_object *used = quoted(rows[i].used);
        struct quota_charges charges = quota_charges_of(rows[i].group, rows[i].plural, object);
        char *got = quota_excess(hard, used, &charges);

        if (!text_equal(got, rows[i].want))
            fail_msg("%zu: %s", i, got);
        free(got);
        json_object_put(object);
        json_object_put(hard);
        json_object_put(used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_excess),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
