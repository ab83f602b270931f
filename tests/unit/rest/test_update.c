/* Updates, patches, status and generations (WIRE.md U1 to U12, P1 to P12, S3, S4). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CM "/api/v1/namespaces/default/configmaps"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/default/leases"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define PODS "/api/v1/namespaces/default/pods"
#define JOB(more)                                                                                  \
    "{\"metadata\":{\"name\":\"j\"" more "},\"spec\":{\"template\":{\"spec\":{"                    \
    "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}"
#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]" \
    "}}"

/* A fresh server is at revision 5: a new store's 1 and four namespaces. */
static const struct line replaces[] = {
    {"create",                               "POST", CM,                                                      "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\"}}",    201,
     "\"resourceVersion\":\"6\"",                                                                                                                                                                                    NULL        },
    {"U1: another name",                     "PUT",  CM "/a",                                                 "{\"metadata\":{\"name\":\"b\"}}",                           400,
     "the name of the object (b) does not match the name on the URL (a)",                                                                                                                                            NULL        },
    {"U2: missing",                          "PUT",  CM "/b",                                                 "{\"metadata\":{\"name\":\"b\"}}",                           404,
     "configmaps \\\"b\\\" not found",                                                                                                                                                                               NULL        },
    {"C9: missing, before its namespace",    "PUT",  "/api/v1/namespaces/none/configmaps/b",
     "{\"metadata\":{\"name\":\"b\"}}",                                                                                                                                    404, "configmaps \\\"b\\\" not found",    NULL        },
    {"C9: missing namespace",                "PUT",  "/apis/coordination.k8s.io/v1/namespaces/none/leases/b",
     "{\"metadata\":{\"name\":\"b\"}}",                                                                                                                                    404, "namespaces \\\"none\\\" not found", NULL        },
    {"U3: stale",                            "PUT",  CM "/a",                                                 "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"}}", 409,
     "\"message\":\"Operation cannot be fulfilled on configmaps \\\"a\\\": the object has been "
     "modified; please apply your changes to the latest version and try again\",\"reason\":"
     "\"Conflict\"",                                                                                                                                                                                                 NULL        },
    {"U5: another uid",                      "PUT",  CM "/a",                                                 "{\"metadata\":{\"name\":\"a\",\"uid\":\"x\"}}",             409,
     "Precondition failed: UID in precondition: x, UID in object meta: ",                                                                                                                                            NULL        },
    {"U8, S4: nothing changed",              "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\"}}",                                                                                                             200, "\"resourceVersion\":\"6\"",
     NULL                                                                                                                                                                                                                        },
    {"U4: without a revision it overwrites", "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"}}",                                                                                                             200, "\"resourceVersion\":\"7\"",
     NULL                                                                                                                                                                                                                        },
    {"S4: empty members are none",           "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\",\"labels\":{},\"annotations\":{},\"ownerReferences\":[],"
     "\"finalizers\":[]},\"data\":{\"k\":\"2\"}}",                                                                                                                         200, "\"resourceVersion\":\"7\"",         "finalizers"},
    {"U6: creationTimestamp is restored",    "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"1999-01-01T00:00:00Z\"},"
     "\"data\":{\"k\":\"2\"}}",                                                                                                                                            200, "\"resourceVersion\":\"7\"",         "1999"      },
    {"U6: deletionTimestamp cannot be set",  "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":\"2030-01-01T00:00:00Z\"}}",                                                                                     422,
     "metadata.deletionTimestamp: Invalid value: 2030-01-01 00:00:00 +0000 UTC: field is immutable",                                                                                                                 NULL        },
    {"C18: a dry run",                       "PUT",  CM "/a?dryRun=All",
     "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"9\"}}",                                                                                                             200, "\"k\":\"9\"",                       NULL        },
    {"changed nothing",                      NULL,   CM "/a",                                                 NULL,                                                        200, "\"k\":\"2\"",                       NULL        },
    {"U9: immutable",                        "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"},\"immutable\":true}",                                                                                          200, NULL,                                NULL        },
    {"U9: and so it stays",                  "PUT",  CM "/a",
     "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"3\"},\"immutable\":true}",                                                                                          422,
     "data: Forbidden: field is immutable when `immutable` is set",                                                                                                                                                  NULL        },
    {"U2: a Lease is created by an update",  "PUT",  LEASES "/l",                                             "{\"metadata\":{\"name\":\"l\"}}",
     201,                                                                                                                                                                       NULL,                                NULL        },
    {"U4: and then needs its revision",      "PUT",  LEASES "/l",                                             "{\"metadata\":{\"name\":\"l\"}}",                           422,
     "\"message\":\"leases.coordination.k8s.io \\\"l\\\" is invalid: metadata.resourceVersion: "
     "Invalid value: 0x0: must be specified for an update\"",                                                                                                                                                        NULL        },
    {"U5: no such object had that uid",      "PUT",  LEASES "/m",
     "{\"metadata\":{\"name\":\"m\",\"uid\":\"x\"}}",                                                                                                                      409,
     "Key: /registry/leases/default/m, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
     "failed: UID in precondition: x, UID in object meta: \"",                                                                                                                                                       NULL        },
};

static const struct line jobs[] = {
    {"create",                                 "POST",  JOBS,             JOB(""),                                     201, "\"generation\":1",    NULL              },
    {"U10: a spec change counts",              "PATCH", JOBS "/j",        "{\"spec\":{\"backoffLimit\":1}}",           200,
     "\"generation\":2",                                                                                                                           NULL              },
    {"U10: a label does not",                  "PATCH", JOBS "/j",        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200,
     "\"generation\":2",                                                                                                                           NULL              },
    {"U11: status is not the main resource's", "PATCH", JOBS "/j",        "{\"status\":{\"active\":3}}",
     200,                                                                                                                   NULL,                  "active"          },
    {"U11: /status is",                        "PATCH", JOBS "/j/status",
     "{\"status\":{\"active\":3},\"spec\":{\"backoffLimit\":9}}",                                                      200, "\"backoffLimit\":1,", NULL              },
    {"and was stored, without a generation",   NULL,    JOBS "/j",        NULL,                                        200,
     "\"status\":{\"active\":3}",                                                                                                                  "\"generation\":3"},
    {"U9: the template is immutable",          "PATCH", JOBS "/j",
     "{\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":\"OnFailure\"}}}}",                                         422,
     "field is immutable",                                                                                                                         NULL              },
    {"U12: no such subresource",               NULL,    JOBS "/j/scale",  NULL,                                        404,
     "the server could not find the requested resource",                                                                                           NULL              },
    {"a pod",                                  "POST",  PODS,             POD,                                         201, NULL,                  NULL              },
    {"U9: its spec is immutable",              "PATCH", PODS "/p",        "{\"spec\":{\"hostname\":\"x\"}}",           422,
     "spec: Forbidden: pod updates may not change fields other than",                                                                              NULL              },
    {"but for an image",                       "PATCH", PODS "/p",
     "[{\"op\":\"replace\",\"path\":\"/spec/containers/0/image\",\"value\":\"i:2\"}]",                                 200,
     "\"image\":\"i:2\"",                                                                                                                          NULL              },
};

static const struct line patches[] = {
    {"create",                             "POST",  CM,                 "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\",\"l\":\"1\"}}",
     201,                                                                                                                                          "\"resourceVersion\":\"6\"",      NULL},
    {"P12: null deletes",                  "PATCH", CM "/a",            "{\"data\":{\"k\":null}}",                                            200,
     "\"data\":{\"l\":\"1\"}",                                                                                                                                                       NULL},
    {"P4: a revision is a precondition",   "PATCH", CM "/a",
     "{\"metadata\":{\"resourceVersion\":\"6\"},\"data\":{\"k\":\"2\"}}",                                                                     409,
     "the object has been modified",                                                                                                                                                 NULL},
    {"P4: the right one is met",           "PATCH", CM "/a",
     "{\"metadata\":{\"resourceVersion\":\"7\"},\"data\":{\"k\":\"2\"}}",                                                                     200,
     "\"resourceVersion\":\"8\"",                                                                                                                                                    NULL},
    {"P4: uid",                            "PATCH", CM "/a",            "{\"metadata\":{\"uid\":\"x\"}}",                                     422,
     "metadata.uid: Invalid value: \\\"x\\\": field is immutable",                                                                                                                   NULL},
    {"P4: name",                           "PATCH", CM "/a",            "{\"metadata\":{\"name\":\"b\"}}",                                    400,
     "the name of the object (b) does not match the name on the URL (a)",                                                                                                            NULL},
    {"P9: a failed test",                  "PATCH", CM "/a",
     "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"9\"}]",                                                                              422,
     "\"message\":\"the server rejected our request due to an error in our request\",\"reason\":"
     "\"Invalid\",\"details\":{},\"code\":422",                                                                                                                                      NULL},
    {"P11: a missing parent",              "PATCH", CM "/a",
     "[{\"op\":\"add\",\"path\":\"/metadata/annotations/x\",\"value\":\"y\"}]",                                                               422, NULL,                             NULL},
    {"P10: test and replace",              "PATCH", CM "/a",
     "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"2\"},"
     "{\"op\":\"replace\",\"path\":\"/data/k\",\"value\":\"3\"}]",                                                                            200, "\"k\":\"3\"",                    NULL},
    {"P8: no JSON",                        "PATCH", CM "/a",            "[",                                                                  400, "error decoding patch: ",         NULL},
    {"P12: no object",                     "PATCH", CM "/a",            "5",                                                                  400, NULL,                             NULL},
    {"P7: does not decode",                "PATCH", CM "/a",            "{\"data\":{\"k\":5}}",                                               422,
     "\"message\":\" \\\"\\\" is invalid: patch: Invalid value: ",                                                                                                                   NULL},
    {"P3: missing",                        "PATCH", CM "/b",            "{}",                                                                 404, "configmaps \\\"b\\\" not found", NULL},
    {"P2: force",                          "PATCH", CM "/a?force=true", "{}",                                                                 422,
     "PatchOptions.meta.k8s.io \\\"\\\" is invalid: force: Forbidden: may not be specified for "
     "non-apply patch",                                                                                                                                                              NULL},
    {"S4: an empty patch changes nothing", "PATCH", CM "/a",            "{}",                                                                 200, "\"resourceVersion\":\"9\"",
     NULL                                                                                                                                                                                },
};

static void tell(const struct line *lines, size_t count)
{
    struct server server;

    server_start(&server, NULL);
    server_tell(&server, lines, count);
    server_free(&server);
}

static void test_puts(void **state)
{
    (void)state;
    tell(replaces, ARRAY_SIZE(replaces));
}

static void test_jobs_and_pods(void **state)
{
    (void)state;
    tell(jobs, ARRAY_SIZE(jobs));
}

static void test_patches(void **state)
{
    (void)state;
    tell(patches, ARRAY_SIZE(patches));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_puts),
        cmocka_unit_test(test_jobs_and_pods),
        cmocka_unit_test(test_patches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
