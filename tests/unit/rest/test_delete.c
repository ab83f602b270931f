/* Deletes: answers, preconditions, finalizers, propagation, grace (WIRE.md X1 to X12, U7). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CM "/api/v1/namespaces/default/configmaps"
#define JOBS "/apis/batch/v1/namespaces/default/jobs"
#define PODS "/api/v1/namespaces/default/pods"
#define JOB                                                                                        \
    "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"                            \
    "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}"
#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]" \
    "}}"

static const struct line plain[] = {
    {"create",                              "POST",   CM,                           "{\"metadata\":{\"name\":\"a\"}}",                 201, NULL,                             NULL  },
    {"X12: dry",                            "DELETE", CM "/a",                      "{\"dryRun\":[\"All\"]}",                          200, "\"status\":\"Success\"",         NULL  },
    {"X2: another uid",                     "DELETE", CM "/a",                      "{\"preconditions\":{\"uid\":\"x\"}}",             409,
     "Operation cannot be fulfilled on ConfigMap \\\"a\\\": the UID in the precondition (x) does "
     "not match the UID in record (",                                                                                                                                         NULL  },
    {"X2: another revision",                "DELETE", CM "/a",                      "{\"preconditions\":{\"resourceVersion\":\"5\"}}",
     409,                                                                                                                                   "the ResourceVersion in the precondition (5) does not match the ResourceVersion in record "
     "(6). The object might have been modified",                                                                                                                     NULL  },
    {"X1: a bad policy",                    "DELETE", CM "/a",                      "{\"propagationPolicy\":\"x\"}",                   422,
     "DeleteOptions.meta.k8s.io \\\"\\\" is invalid: propagationPolicy",                                                                                                      NULL  },
    {"X3: gone, with a Status and no code", "DELETE", CM "/a",                      NULL,                                              200,
     "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\","
     "\"details\":{\"name\":\"a\",\"kind\":\"configmaps\",\"uid\":",                                                                                                          "code"},
    {"404 then",                            "DELETE", CM "/a",                      NULL,                                              404, "configmaps \\\"a\\\" not found", NULL  },
    {"X10: protected",                      "DELETE", "/api/v1/namespaces/default", NULL,                                              403,
     "namespaces \\\"default\\\" is forbidden: this namespace may not be deleted",                                                                                            NULL  },
};

static const struct line finalizers[] = {
    {"create",                                  "POST",   CM,      "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x.io/f\"]}}", 201, NULL,
     NULL                                                                                                                                                                   },
    {"X4: it waits, as an object",              "DELETE", CM "/a", NULL,                                                          200,
     "\"deletionGracePeriodSeconds\":0,\"deletionTimestamp\":\"2024-06-01T00:00:00Z\"",                                                                             "Status"},
    {"X5: again, nothing changes",              "DELETE", CM "/a", NULL,                                                          200, "\"resourceVersion\":\"7\"", NULL    },
    {"C19: it is still there",                  "POST",   CM,      "{\"metadata\":{\"name\":\"a\"}}",                             409,
     "object is being deleted: configmaps \\\"a\\\" already exists",                                                                                                NULL    },
    {"U7: no new finalizers",                   "PATCH",  CM "/a",
     "{\"metadata\":{\"finalizers\":[\"x.io/f\",\"y.io/g\"]}}",                                                                   422,
     "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
     "deleted, found new finalizers []string{\\\"y.io/g\\\"}",                                                                                                      NULL    },
    {"X6: the last finalizer's end is its own", "PATCH",  CM "/a",
     "{\"metadata\":{\"finalizers\":null}}",                                                                                      200, "\"name\":\"a\"",            NULL    },
    {"gone",                                    NULL,     CM "/a", NULL,                                                          404, NULL,                        NULL    },
};

static const struct line propagation[] = {
    {"create",                                       "POST",   JOBS,                           JOB,                                      201, NULL,                                      NULL    },
    {"X7: a Job without a policy orphans its pods",  "DELETE", JOBS "/j",                      NULL,                                     200,
     "\"finalizers\":[\"orphan\"]",                                                                                                                                                      NULL    },
    {"X7: the policy can be changed",                "DELETE", JOBS "/j",                      "{\"propagationPolicy\":\"Foreground\"}",
     200,                                                                                                                                     "\"finalizers\":[\"foregroundDeletion\"]", "orphan"},
    {"X7: background takes them away",               "DELETE", JOBS "/j",
     "{\"propagationPolicy\":\"Background\"}",                                                                                           200, "\"status\":\"Success\"",                  NULL    },
    {"gone",                                         NULL,     JOBS "/j",                      NULL,                                     404, NULL,                                      NULL    },
    {"a pod",                                        "POST",   PODS,                           POD,                                      201, NULL,                                      NULL    },
    {"X8, X3: not scheduled, so at once, and shown", "DELETE", PODS "/p",                      NULL,                                     200,
     "\"kind\":\"Pod\"",                                                                                                                                                                 NULL    },
    {"another",                                      "POST",   PODS,                           POD,                                      201, NULL,                                      NULL    },
    {"that runs",                                    "PATCH",  PODS "/p",                      "{\"spec\":{\"nodeName\":\"n\"}}",        200, NULL,                                      NULL    },
    {"X8: it has its time",                          "DELETE", PODS "/p",                      NULL,                                     200,
     "\"deletionGracePeriodSeconds\":30,\"deletionTimestamp\":\"2024-06-01T00:00:30Z\"",                                                                                                 NULL    },
    {"X8: which can be shortened",                   "DELETE", PODS "/p",                      "{\"gracePeriodSeconds\":5}",             200,
     "\"deletionGracePeriodSeconds\":5,\"deletionTimestamp\":\"2024-06-01T00:00:05Z\"",                                                                                                  NULL    },
    {"X8: not lengthened",                           "DELETE", PODS "/p",                      "{\"gracePeriodSeconds\":20}",            200,
     "\"deletionGracePeriodSeconds\":5",                                                                                                                                                 NULL    },
    {"X8: the kubelet's second delete",              "DELETE", PODS "/p?gracePeriodSeconds=0", NULL,                                     200,
     "\"kind\":\"Pod\"",                                                                                                                                                                 NULL    },
    {"gone",                                         NULL,     PODS "/p",                      NULL,                                     404, NULL,                                      NULL    },
};

static const struct line namespaces[] = {
    {"create",                                              "POST",   "/api/v1/namespaces",               "{\"metadata\":{\"name\":\"ns\"}}", 201, NULL,                              NULL},
    {"X10: terminating",                                    "DELETE", "/api/v1/namespaces/ns",            NULL,                               200,
     "\"status\":{\"phase\":\"Terminating\"}",                                                                                                                                        NULL},
    {"C10: nothing new in it",                              "POST",   "/api/v1/namespaces/ns/configmaps",
     "{\"metadata\":{\"name\":\"a\"}}",                                                                                                       403,
     "configmaps \\\"a\\\" is forbidden: unable to create new content in namespace ns because it "
     "is being terminated",                                                                                                                                                           NULL},
    {"X10: its own finalizers are not the main resource's", "PATCH",  "/api/v1/namespaces/ns",
     "{\"spec\":{\"finalizers\":[]}}",                                                                                                        200, "\"finalizers\":[\"kubernetes\"]", NULL},
    {"X10: finalize ends it",                               "PUT",    "/api/v1/namespaces/ns/finalize",
     "{\"metadata\":{\"name\":\"ns\"},\"spec\":{\"finalizers\":[]}}",                                                                         200, "\"name\":\"ns\"",                 NULL},
    {"gone",                                                NULL,     "/api/v1/namespaces/ns",            NULL,                               404, NULL,                              NULL},
};

static const struct line collection[] = {
    {"a",                       "POST",   CM,                        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}}}", 201, NULL,             NULL            },
    {"b",                       "POST",   CM,                        "{\"metadata\":{\"name\":\"b\",\"labels\":{\"x\":\"2\"}}}", 201, NULL,             NULL            },
    {"X11: those that match",   "DELETE", CM "?labelSelector=x%3D1", NULL,                                                       200,
     "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",",                                                                                              "\"name\":\"b\""},
    {"the other is left",       NULL,     CM,                        NULL,                                                       200, "\"name\":\"b\"", "\"name\":\"a\""},
    {"X11: not for namespaces", "DELETE", "/api/v1/namespaces",      NULL,                                                       405, NULL,             NULL            },
};

#define BROKEN "the query of the request has a broken %-escape or a NUL in it"

/* T13: what a request asks for is unknown when one pair of its query is broken, so none of it is
 * done. */
static const struct line broken[] = {
    {"a",                                   "POST",   CM,                                "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}}}", 201, NULL,             NULL           },
    {"not all instead of those that match", "DELETE", CM "?labelSelector=x%3D2&z=%zz",   NULL,                                                       400,
     BROKEN,                                                                                                                                                                NULL           },
    {"a name of a pair",                    "DELETE", CM "?labelSelector=x%3D2&%zz",     NULL,                                                       400, BROKEN,           NULL           },
    {"the selector itself",                 "DELETE", CM "?labelSelector=x%3D%00",       NULL,                                                       400, BROKEN,           NULL           },
    {"cut off",                             "DELETE", CM "?labelSelector=x%3D2%2",       NULL,                                                       400, BROKEN,           NULL           },
    {"not in earnest",                      "DELETE", CM "/a?dryRun=All&x=%00",          NULL,                                                       400, BROKEN,           NULL           },
    {"not stored",                          "PATCH",  CM "/a?dryRun=All&x=%00",          "{\"data\":{\"k\":\"v\"}}",                                 400, BROKEN,
     NULL                                                                                                                                                                                  },
    {"nor created",                         "POST",   CM "?dryRun=All&%",                "{\"metadata\":{\"name\":\"b\"}}",                          400, BROKEN,
     NULL                                                                                                                                                                                  },
    {"no list for a watch",                 NULL,     CM "?watch=1&resourceVersion=%00", NULL,                                                       400,
     "\"reason\":\"BadRequest\"",                                                                                                                                           "ConfigMapList"},
    {"nor on other paths",                  NULL,     "/version?x=%zz",                  NULL,                                                       400, BROKEN,           "gitVersion"   },
    {"a number that is none",               "DELETE", CM "/a?gracePeriodSeconds=x",      NULL,                                                       400,
     "strconv.ParseInt: parsing \\\"x\\\": invalid syntax",                                                                                                                 NULL           },
    {"it is all there still",               NULL,     CM "?x=100%25",                    NULL,                                                       200, "\"name\":\"a\"", "\"data\""     },
};

static const struct {
    const char *name;
    const struct line *lines;
    size_t count;
} stories[] = {
    {"broken",      broken,      ARRAY_SIZE(broken)     },
    {"plain",       plain,       ARRAY_SIZE(plain)      },
    {"finalizers",  finalizers,  ARRAY_SIZE(finalizers) },
    {"propagation", propagation, ARRAY_SIZE(propagation)},
    {"namespaces",  namespaces,  ARRAY_SIZE(namespaces) },
    {"collection",  collection,  ARRAY_SIZE(collection) },
};

static void test_stories(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(stories); i++) {
        struct server server;

        server_start(&server, NULL);
        server_tell(&server, stories[i].lines, stories[i].count);
        server_free(&server);
    }
}

static void test_orphan_warning(void **state)
{
    struct server server;
    const struct line create = {"create", "POST", JOBS, JOB, 201, NULL, NULL};
    const struct ask ask = {.method = "DELETE", .target = JOBS "/j"};
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, &create, 1);
    server_call(&server, &ask, &reply);
    assert_int_equal(strncmp(reply.warning, "299 - \"child pods are preserved by default", 42), 0);
    reply_release(&reply);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stories),
        cmocka_unit_test(test_orphan_warning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
