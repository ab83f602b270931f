#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/election/lease_wire.h"
#include "tests/unit/rows.h"

/* 2024-02-29T12:00:00.000001Z */
#define RENEW_US INT64_C(1709208000000001)

static const struct row {
    const char *name;
    const char *json;
    bool ok;
    const char *holder, *renew_time;
    int64_t duration_s, transitions;
} rows[] = {
    {"a usual one",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"holderIdentity\":\"a_1\","
     "\"leaseDurationSeconds\":15,\"renewTime\":\"2024-02-29T12:00:00.000000Z\","
     "\"leaseTransitions\":3}}",                                                                                      true,  "a_1", "2024-02-29T12:00:00.000000Z", 15, 3},
    {"all absent",                                          "{\"metadata\":{\"resourceVersion\":\"7\"}}",             true,  "",    "",                            0,  0},
    {"empty spec",                                          "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{}}", true,  "",    "",                            0,  0},
    {"wrong types",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"holderIdentity\":5,"
     "\"leaseDurationSeconds\":\"15\",\"renewTime\":12,\"leaseTransitions\":[]}}",                                    true,  "",    "12",                          0,  0},
    {"nulls",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"holderIdentity\":null,"
     "\"leaseDurationSeconds\":null,\"renewTime\":null,\"leaseTransitions\":null}}",                                  true,  "",    "",                            0,  0},
    {"an unreadable renewTime is just another text (13.4)",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"renewTime\":\"soon\"}}",                                  true,  "",
     "soon",                                                                                                                                                       0,  0},
    {"negative transitions",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"spec\":{\"leaseTransitions\":-4}}",                                 true,  "",    "",
     0,                                                                                                                                                                0},
    {"no resourceVersion",                                  "{\"metadata\":{},\"spec\":{\"holderIdentity\":\"a\"}}",  false, NULL,
     NULL,                                                                                                                                                         0,  0},
    {"an empty resourceVersion",                            "{\"metadata\":{\"resourceVersion\":\"\"}}",              false, NULL,  NULL,                          0,
     0                                                                                                                                                                  },
    {"a list",                                              "[]",                                                     false, NULL,  NULL,                          0,  0},
    {"a Lease that is a text",                              "\"Lease\"",                                              false, NULL,  NULL,                          0,  0},
};

static void check_read(void **state)
{
    const struct row *row = *state;
    struct lease_record record;
    bool ok = lease_record_read((struct json_slice){row->json, strlen(row->json)}, &record);

    if (ok != row->ok)
        fail_msg("%s: got %d", row->name, ok);
    if (!ok)
        return;
    if (strcmp(record.holder, row->holder) != 0 ||
        strcmp(record.renew_time, row->renew_time) != 0 || record.duration_s != row->duration_s ||
        record.transitions != row->transitions || strcmp(record.resource_version, "7") != 0)
        fail_msg("%s: got holder %s, renewTime %s, %lld s, %lld transitions", row->name,
                 record.holder, record.renew_time, (long long)record.duration_s,
                 (long long)record.transitions);
    lease_record_release(&record);
}

static void test_no_bytes(void **state)
{
    struct lease_record record;

    (void)state;
    assert_false(lease_record_read((struct json_slice){NULL, 0}, &record));
}

static void check_body(char *body, const char *want)
{
    assert_string_equal(body, want);
    free(body);
}

/* RULES 5, the column Write */
static void test_bodies(void **state)
{
    char version[] = "41";
    struct lease_record record = {.resource_version = version, .transitions = 3};

    (void)state;
    check_body(lease_body_create("ns", "me_0a", RENEW_US),
               "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
               "\"name\":\"agent-controller\",\"namespace\":\"ns\"},\"spec\":{\"holderIdentity\":"
               "\"me_0a\",\"leaseDurationSeconds\":15,\"acquireTime\":\"2024-02-29T12:00:00."
               "000001Z\",\"renewTime\":\"2024-02-29T12:00:00.000001Z\",\"leaseTransitions\":0}}");
    check_body(lease_body_renew(&record, RENEW_US),
               "{\"metadata\":{\"resourceVersion\":\"41\"},\"spec\":{\"renewTime\":"
               "\"2024-02-29T12:00:00.000001Z\"}}");
    check_body(lease_body_take_over(&record, "me_0a", RENEW_US),
               "{\"metadata\":{\"resourceVersion\":\"41\"},\"spec\":{\"holderIdentity\":\"me_0a\","
               "\"leaseDurationSeconds\":15,\"acquireTime\":\"2024-02-29T12:00:00.000001Z\","
               "\"renewTime\":\"2024-02-29T12:00:00.000001Z\",\"leaseTransitions\":4}}");
    check_body(lease_body_release("41"),
               "{\"metadata\":{\"resourceVersion\":\"41\"},\"spec\":{\"holderIdentity\":\"\"}}");
}

/* One more must still be an int32, or no take-over would ever be valid again. */
static void test_transitions_saturate(void **state)
{
    static const struct {
        int64_t before;
        const char *after;
    } cases[] = {
        {0,             "\"leaseTransitions\":1}"         },
        {INT32_MAX - 1, "\"leaseTransitions\":2147483647}"},
        {INT32_MAX,     "\"leaseTransitions\":2147483647}"},
        {INT64_MAX,     "\"leaseTransitions\":2147483647}"},
    };
    char version[] = "41";

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct lease_record record = {.resource_version = version, .transitions = cases[i].before};
        char *body = lease_body_take_over(&record, "me", RENEW_US);

        assert_non_null(strstr(body, cases[i].after));
        free(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bytes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_transitions_saturate),
    };

    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    return failed + ROWS_RUN(rows, check_read);
}
