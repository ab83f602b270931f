/* Access control: what is refused, in which words, and that no way leads around it (WIRE.md A1, A2,
 * A5 to A13, A15). Stories are told by the administrator, as others. */
#include "tests/unit/rest/access_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

/* --- who is let in (A1, A2) --- */

static void test_credentials(void **state)
{
    static const struct {
        const char *authorization;
        const char *target;
        unsigned status;
        const char *want;
    } rows[] = {
        {ADMIN,            CORE "/pods",     200, "PodList"                               },
        {"bearer master",  CORE "/pods",     200, "PodList"                               },
        {"Bearer masterx", CORE "/pods",     401, "\"Unauthorized\""                      },
        {"Bearer maste",   CORE "/pods",     401, "\"Unauthorized\""                      },
        {"Bearer masterx", "/healthz",       401, "\"Unauthorized\""                      },
        {"Basic bWFzdGVy", CORE "/pods",     403,
         "User \\\"system:anonymous\\\" cannot list resource \\\"pods\\\" in API group \\\"\\\" at "
         "the cluster scope"                                                              },
        {NULL,             CORE "/pods",     403, "system:anonymous"                      },
        {NULL,             "/healthz",       200, "ok"                                    },
        {NULL,             "/version",       200, "gitVersion"                            },
        {NULL,             "/api",           403,
         "forbidden: User \\\"system:anonymous\\\" cannot get path \\\"/api\\\""          },
        {NULL,             "/apis/batch/v1", 403, "cannot get path \\\"/apis/batch/v1\\\""},
        {NULL,             "/healthz/etcd",  403, "cannot get path \\\"/healthz/etcd\\\"" },
        {NULL,             "/openapi/v3",    403, "cannot get path"                       },
        {NULL,             "/",              403, "cannot get path \\\"/\\\""             },
        {NULL,             "/ap%69s",        403, "cannot get path \\\"/apis\\\""         },
    };
    struct server server;

    (void)state;
    access_start(&server);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct ask ask = {.target = rows[i].target, .authorization = rows[i].authorization};
        struct reply reply;

        server_call(&server, &ask, &reply);
        if (reply.status != rows[i].status || !strstr(buffer_text(&reply.body), rows[i].want))
            fail_msg("row %zu: got %u: %s", i, reply.status, buffer_text(&reply.body));
        reply_release(&reply);
    }
    server_free(&server);
}

/* --- no way around: reading --- */

static void test_reads(void **state)
{
    static const struct step steps[] = {
        {"bob", NULL,      N "/pods",                                                                NULL, 200, "PodList",                                             NULL  },
        {"bob", NULL,      N "/secrets/own",                                                         NULL, 200, "b3du",                                                NULL  },
        {"bob", NULL,      N "/secrets/other",                                                       NULL, 403,
         "secrets \\\"other\\\" is forbidden: User \\\"bob\\\" cannot get resource \\\"secrets\\\" "
         "in "
         "API group \\\"\\\" in the namespace \\\"n\\\"\"",                                                                                                            HIDDEN},
 /* before it is looked whether it is there (A6) */
        {"bob", NULL,      N "/secrets/absent",                                                      NULL, 403, "secrets \\\"absent\\\" is forbidden",                 NULL  },
        {"bob", NULL,      CORE "/namespaces/absent/pods",                                           NULL, 403, "in the namespace \\\"absent\\\"",
         NULL                                                                                                                                                                },
        {"bob", NULL,      CORE "/namespaces/m/pods",                                                NULL, 403, "in the namespace \\\"m\\\"",                          NULL  },
        {"bob", NULL,      N "/things",                                                              NULL, 403, "things is forbidden",                                 NULL  },
        {"bob", NULL,      "/apis/x.io/v1/namespaces/n/things",                                      NULL, 403, "things.x.io is forbidden",
         NULL                                                                                                                                                                },
        {NULL,  NULL,      N "/things",                                                              NULL, 404, NULL,                                                  NULL  },
        {"bob", NULL,      CORE "/pods",                                                             NULL, 403, "at the cluster scope",                                NULL  },
        {"bob", NULL,      N "/secrets",                                                             NULL, 403, "cannot list resource",                                HIDDEN},
        {"bob", NULL,      N "/secrets?watch=1",                                                     NULL, 403, "cannot watch resource",                               HIDDEN},
        {"bob", NULL,      N "/secrets?watch=true&resourceVersion=1",                                NULL, 403, "cannot watch resource",
         HIDDEN                                                                                                                                                              },
        {"bob", NULL,      CORE "/watch/namespaces/n/secrets",                                       NULL, 403, "cannot watch resource",
         HIDDEN                                                                                                                                                              },
        {"bob", NULL,      CORE "/watch/namespaces/n/secrets?fieldSelector=metadata.name%3Down",     NULL,
         403,                                                                                                   "secrets is forbidden: User \\\"bob\\\" cannot watch", HIDDEN},
        {"bob", NULL,      CORE "/watch/namespaces/n/secrets/other",                                 NULL, 403, "cannot watch resource",
         HIDDEN                                                                                                                                                              },
 /* a name that is selected is a name (A8) */
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Down",                           NULL, 200, "b3du",                                                HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3D%3Down",                        NULL, 200, "b3du",                                                HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Dother",                         NULL, 403,
         "secrets \\\"other\\\" is forbidden",                                                                                                                         HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name!%3Down",                          NULL, 403,
         "secrets is forbidden",                                                                                                                                       HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name!%3Dx,metadata.name%3Down",        NULL, 200,
         "b3du",                                                                                                                                                       HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Down,metadata.name%3Dother",     NULL,
         200,                                                                                                   "\"items\":[]",                                        HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Dother,metadata.name%3Down",     NULL,
         403,                                                                                                   "secrets \\\"other\\\"",                               HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Down&fieldSelector=",            NULL, 200,
         "b3du",                                                                                                                                                       HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=&fieldSelector=metadata.name%3Down",            NULL, 403,
         NULL,                                                                                                                                                         HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3Down%5C,x",                      NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name",                                 NULL, 403, "secrets is forbidden",
         HIDDEN                                                                                                                                                              },
        {"bob", NULL,      N "/secrets?fieldSelector=type%3Dx,metadata.name%3Down",                  NULL, 200,
         "\"items\":[]",                                                                                                                                               HIDDEN},
        {"bob", NULL,      N "/secrets?fieldSelector=metadata.name%3D",                              NULL, 403,
         "secrets is forbidden",                                                                                                                                       HIDDEN},
        {"bob", NULL,      N "/secrets?labelSelector=l%3Dv",                                         NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/secrets?limit=1",                                                     NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,
         N "/secrets?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
         NULL,                                                                                             403, NULL,                                                  HIDDEN},
        {"bob", NULL,      CORE "/secrets?fieldSelector=metadata.name%3Down",                        NULL, 403,
         "at the cluster scope",                                                                                                                                       HIDDEN},
        {"bob", NULL,      CORE "/secrets?fieldSelector=metadata.namespace%3Dn,metadata.name%3Down",
         NULL,                                                                                             403, "at the cluster scope",                                HIDDEN},
        {"bob", NULL,      N "/secrets/other?watch=1",                                               NULL, 403, "cannot get resource",                                 HIDDEN},
        {"bob", NULL,      N "//secrets/other",                                                      NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/pods/..%2Fsecrets%2Fother",                                           NULL, 404, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/pods/../secrets/other",                                               NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/pods%2F..%2Fsecrets/other",                                           NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      "/api//v1/namespaces/n/secrets/other",                                    NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      N "/secrets/other/status",                                                NULL, 403,
         "cannot get resource \\\"secrets/status\\\"",                                                                                                                 HIDDEN},
        {"bob", NULL,      N "/pods/p/log",                                                          NULL, 403, "cannot get resource \\\"pods/log\\\"",                NULL  },
        {"bob", NULL,      N "/pods/p/status",                                                       NULL, 403, "cannot get resource \\\"pods/status\\\"",
         NULL                                                                                                                                                                },
        {"bob", "HEAD",    N "/secrets/other",                                                       NULL, 403, NULL,                                                  HIDDEN},
        {"bob", "OPTIONS", N "/secrets/own",                                                         NULL, 403, NULL,                                                  HIDDEN},
        {"bob", NULL,      "/openapi/v3",                                                            NULL, 200, NULL,                                                  HIDDEN},
        {"bob", NULL,      "/apis",                                                                  NULL, 200, NULL,                                                  HIDDEN},
 /* a Namespace is in itself */
        {"bob", NULL,      CORE "/namespaces/n",                                                     NULL, 403,
         "namespaces \\\"n\\\" is forbidden: User \\\"bob\\\" cannot get resource "
         "\\\"namespaces\\\" in API "
         "group \\\"\\\" in the namespace \\\"n\\\"",                                                                                                                  NULL  },
        {"bob", NULL,      CORE "/namespaces",                                                       NULL, 403, "at the cluster scope",                                NULL  },
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* --- no way around: writing --- */

static void test_writes(void **state)
{
    static const struct step steps[] = {
        {"bob",   "DELETE", N "/secrets",                                         NULL,                                                     403, "cannot deletecollection resource", HIDDEN},
        {"bob",   "DELETE", N "/secrets?fieldSelector=metadata.name%3Down",       NULL,                                                     403,
         "secrets is forbidden: User \\\"bob\\\" cannot deletecollection",                                                                                                           HIDDEN},
        {"bob",   "DELETE", N "/secrets/other",                                   NULL,                                                     403, "cannot delete resource",           HIDDEN},
        {"bob",   "DELETE", N "/secrets/other?dryRun=All",                        NULL,                                                     403, "cannot delete resource",
         HIDDEN                                                                                                                                                                            },
        {"bob",   "PATCH",  N "/secrets/other",                                   "{}",                                                     403, "cannot patch resource",            HIDDEN},
        {"bob",   "PATCH",  N "/secrets/other",                                   "[]",                                                     403, "cannot patch resource",            HIDDEN},
        {"bob",   "PATCH",  N "/secrets/own",                                     "{}",                                                     403, "cannot patch resource",            NULL  },
        {"bob",   "PUT",    N "/secrets/other",                                   "not json",                                               403, "cannot update resource",           HIDDEN},
        {"bob",   "PUT",    N "/secrets",                                         "{}",                                                     403, "cannot update resource",           HIDDEN},
        {"bob",   "POST",   N "/secrets",                                         "not json",                                               403,
         "secrets is forbidden: User \\\"bob\\\" cannot create",                                                                                                                     HIDDEN},
        {"bob",   "POST",   N "/secrets?fieldSelector=metadata.name%3Down",       "{}",                                                     403, "cannot create",
         HIDDEN                                                                                                                                                                            },
        {"bob",   "POST",   N "/secrets/own",                                     "{}",                                                     403, "cannot create",                    HIDDEN},
 /* it may be written, and is not shown otherwise */
        {"carol", "POST",   N "/configmaps",                                      "{\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"x\"}}",
         201,                                                                                                                                    NULL,                               NULL  },
        {"carol", NULL,     N "/configmaps/c",                                    NULL,                                                     403, NULL,                               NULL  },
        {"carol", "PATCH",  N "/configmaps/c",                                    "{\"data\":{\"k\":\"y\"}}",                               200, NULL,                               NULL  },
        {"carol", "POST",   CORE "/namespaces/m/configmaps",                      "{\"metadata\":{\"name\":\"c\"}}",                        403,
         NULL,                                                                                                                                                                       NULL  },
        {"carol", "POST",   N "/configmaps",                                      "{\"metadata\":{\"name\":\"c\",\"namespace\":\"m\"}}",
         400,                                                                                                                                    NULL,                               NULL  },
        {"carol", "DELETE", N "/configmaps",                                      NULL,                                                     403, "cannot deletecollection",          NULL  },
 /* an update that would create asks for that too (A10) */
        {"carol", "PUT",    "/apis/coordination.k8s.io/v1/namespaces/n/leases/l",
         "{\"metadata\":{\"name\":\"l\"},\"spec\":{}}",                                                                                     403,
         "leases.coordination.k8s.io \\\"l\\\" is forbidden: \"",                                                                                                                    NULL  },
        {NULL,    NULL,     "/apis/coordination.k8s.io/v1/namespaces/n/leases/l", NULL,                                                     404, NULL,                               NULL  },
        {NULL,    "PUT",    "/apis/coordination.k8s.io/v1/namespaces/n/leases/l",
         "{\"metadata\":{\"name\":\"l\"},\"spec\":{}}",                                                                                     201, NULL,                               NULL  },
        {NULL,    NULL,     N "/secrets/other",                                   NULL,                                                     200, HIDDEN,                             NULL  },
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* A body that nobody may send is not kept, and does not decide the answer (A6). */
static void test_bodies(void **state)
{
    const size_t size = 4 * (size_t)1024 * 1024;
    char *large = xcalloc(1, size + 1);
    struct server server;
    struct step step = {"bob", "POST", N "/secrets", large, 403, "cannot create", NULL};

    (void)state;
    memset(large, ' ', size);
    access_start(&server);
    access_tell(&server, &step, 1);
    step.as = NULL;
    step.status = 413;
    step.want = "Request entity too large";
    access_tell(&server, &step, 1);
    free(large);
    server_free(&server);
}

/* --- changes of rights (A15) --- */

static void test_at_once(void **state)
{
    static const struct step steps[] = {
        {"bob", NULL,     N "/configmaps",                          NULL, 403, NULL,         NULL        },
        {NULL,  "PATCH",  RBAC "/namespaces/n/roles/reader",
         "[{\"op\":\"add\",\"path\":\"/rules/"
         "-\",\"value\":{\"verbs\":[\"list\"],\"apiGroups\":[\"\"],"
         "\"resources\":[\"configmaps\"]}}]",                             200, NULL,         NULL        },
        {"bob", NULL,     N "/configmaps",                          NULL, 200, NULL,         NULL        },
        {NULL,  "DELETE", RBAC "/namespaces/n/rolebindings/reader", NULL, 200, NULL,         NULL        },
        {"bob", NULL,     N "/configmaps",                          NULL, 403, NULL,         NULL        },
        {NULL,  "POST",   RBAC "/clusterrolebindings",
         "{\"metadata\":{\"name\":\"b\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"view\"},"
         "\"subjects\":[{\"kind\":\"User\",\"name\":\"bob\"}]}",          201, NULL,         NULL        },
        {"bob", NULL,     CORE "/configmaps",                       NULL, 200, NULL,         NULL        },
        {"bob", NULL,     N "/secrets/other",                       NULL, 403, NULL,         HIDDEN      },
 /* what is aggregated follows its parts */
        {"bob", NULL,     "/apis/x.io/v1/things",                   NULL, 403, NULL,         NULL        },
        {NULL,  "POST",   RBAC "/clusterroles",
         "{\"metadata\":{\"name\":\"things\",\"labels\":{\"rbac.authorization.k8s.io/"
         "aggregate-to-view\":"
         "\"true\"}},\"rules\":[{\"verbs\":[\"list\"],\"apiGroups\":[\"x.io\"],\"resources\":["
         "\"things\"]}]}",                                                201, NULL,         NULL        },
        {"bob", NULL,     "/apis/x.io/v1/things",                   NULL, 404, NULL,         NULL        },
        {NULL,  NULL,     RBAC "/clusterroles/admin",               NULL, 200, "\"things\"", NULL        },
        {NULL,  "DELETE", RBAC "/clusterroles/things",              NULL, 200, NULL,         NULL        },
        {"bob", NULL,     "/apis/x.io/v1/things",                   NULL, 403, NULL,         NULL        },
        {NULL,  NULL,     RBAC "/clusterroles/admin",               NULL, 200, NULL,         "\"things\""},
        {NULL,  "DELETE", RBAC "/clusterroles/view",                NULL, 200, NULL,         NULL        },
        {"bob", NULL,     CORE "/configmaps",                       NULL, 403,
         "at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io \\\"view\\\" not "
         "found\"",                                                                          NULL        },
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* Rings of aggregation end. */
static void test_aggregation_ring(void **state)
{
#define RING(name, label, selects)                                                                 \
    "{\"metadata\":{\"name\":\"" name "\",\"labels\":{\"r\":\"" label "\"}},\"aggregationRule\":{" \
    "\"clusterRoleSelectors\":[{\"matchLabels\":{\"r\":\"" selects                                 \
    "\"}}]},\"rules\":[{\"verbs\":["                                                               \
    "\"" name "\"],\"apiGroups\":[\"\"],\"resources\":[\"x\"]}]}"
    static const struct step steps[] = {
        {NULL,       "POST", RBAC "/clusterroles", RING("a",           "1",     "2"),                                           201,NULL, NULL},
        {NULL,      "POST",            RBAC "/clusterroles",                             RING("b",                                    "2",            "3"),                      201,NULL, NULL},
        {NULL,       "POST",         RBAC "/clusterroles",                         RING("c",                                           "3",                                               "1"),                                                            201,                                                 NULL, NULL},
        {"bob",       NULL,         N "/pods",                          NULL,200,NULL,NULL},
        {NULL, NULL,RBAC "/clusterroles/a",NULL,    200,                                                     NULL,                                                                                                                                                              NULL                                                                                                                                                                                                                                                                         },
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* A watch that was open goes on without the right to open it, as in the real server. */
static void test_open_watch(void **state)
{
    static const struct step remove = {
        NULL, "DELETE", RBAC "/namespaces/n/rolebindings/reader", NULL, 200, NULL, NULL};
    static const struct step create = {NULL,
                                       "POST",
                                       N "/pods",
                                       "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{"
                                       "\"name\":\"c\",\"image\":\"i\"}]}}",
                                       201,
                                       NULL,
                                       NULL};
    const struct ask ask = {.target = N "/pods?watch=1", .authorization = ADMIN, .as = "bob"};
    struct server server;
    struct reply reply;

    (void)state;
    access_start(&server);
    server_send(&server, &ask, &reply);
    server_run(&server, US_PER_SECOND);
    assert_int_equal(reply.status, 200);
    access_tell(&server, &remove, 1);
    access_tell(&server, &create, 1);
    server_run(&server, US_PER_SECOND);
    assert_false(reply.ended);
    assert_non_null(strstr(buffer_text(&reply.body), "\"name\":\"p\""));
    reply_release(&reply);
    server_call(&server, &ask, &reply);
    assert_int_equal(reply.status, 403);
    reply_release(&reply);
    server_free(&server);
}

/* --- nobody gives away what they do not hold (A11) --- */

static void test_escalation(void **state)
{
#define ROLE(name, verbs)                                                                          \
    "{\"metadata\":{\"name\":\"" name "\"},\"rules\":[{\"verbs\":[" verbs                          \
    "],\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"]}]}"
#define BIND(name, kind, role)                                                                     \
    "{\"metadata\":{\"name\":\"" name "\"},\"roleRef\":{\"kind\":\"" kind "\",\"name\":\"" role    \
    "\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"carol\"}]}"
    static const struct step steps[] = {
        {"carol",                            "POST",                            RBAC "/namespaces/n/roles",        ROLE("less",                                        "\"create\""),                                       201,                                     NULL,                                                                                                           NULL                                                                                                 },
        {"carol",                            "POST",                            RBAC "/namespaces/n/roles",        ROLE("more",                                        "\"get\",\"create\",\"list\""),
         403,                                                                                                                                                                                                                                                        "roles.rbac.authorization.k8s.io \\\"more\\\" is forbidden: user \\\"carol\\\" "
         "(groups=[\\\"system:authenticated\\\"]) is attempting to grant RBAC permissions not "
         "currently "
         "held:\\n{APIGroups:[\\\"\\\"], Resources:[\\\"configmaps\\\"], Verbs:[\\\"get\\\" "
         "\\\"list\\\"]}\"",                                                                                                                                                                                                                                                                                                                                            NULL                                                                                                 },
        {"carol",                            "PUT",                             RBAC "/namespaces/n/roles/less",   ROLE("less",                                        "\"get\""),                                          403,
         "not currently held",                                                                                                                                                                                                                                                                                                                                                       NULL                                                                                                 },
        {"carol",                            "PUT",                             RBAC "/namespaces/n/roles/new",    ROLE("new",                                         "\"get\""),                                          403,
         "not currently held",                                                                                                                                                                                                                                                                                                                                                       NULL                                                                                                 },
        {"carol",                            "PATCH",                           RBAC "/namespaces/n/roles/less",
         "{\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}]}",                                                                              403,
         "not currently held",                                                                                                                                                                                                                                       NULL                                                                                                          },
        {"carol",                           "PATCH", RBAC "/namespaces/n/roles/reader",
         "{\"metadata\":{\"finalizers\":[\"x.io/y\"]}}",                                                                                                          200,                                                NULL,                                    NULL                                                                                                              },
        {"carol", "PATCH",                           RBAC "/namespaces/n/roles/reader",
         "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}",                                                                                       403,                                                "not currently held",                                        NULL                                                                                                        },
        {"carol",                          "POST",                                                     RBAC "/namespaces/n/rolebindings",                                                                               BIND("b",                                                "Role",                                                "less"),                                                                                                                                                                                                                                                       201,                                                                                                                                                                                                                                                                                                                                                                     NULL,
         NULL},
        {"carol", "POST",                          RBAC "/namespaces/n/rolebindings",                            BIND("c",                                          "Role",                                                 "reader"),                                                                                                                                                                        403,
         "rolebindings.rbac.authorization.k8s.io \\\"c\\\" is forbidden: user \\\"carol\\\"",                                                                                                NULL},
        {"carol",                            "POST", RBAC "/namespaces/n/rolebindings",
         BIND("c",                                                                                                                                      "ClusterRole",                                    "cluster-admin"),                                     403,                                                                                           "not currently held",                                                                       NULL},
        {"carol",                            "POST",                            RBAC "/namespaces/n/rolebindings", BIND("c",                                           "Role",                                              "absent"),                               404,
         "role.rbac.authorization.k8s.io \\\"absent\\\" not found",                                                                                                                                                                                                                                                                                                                                                                                                                                                                    NULL},
        {"carol",                                  "POST",                                                             RBAC "/namespaces/n/rolebindings?dryRun=All",
         BIND("c", "ClusterRole",                                                                                                                                                                                                          "edit"),                                                                                                                                                                                                                                    403,                                                                                                                                  "not currently held",                                                                                                                                                                                                                                                                                        NULL},
 /* the verbs bind and escalate lift that */
        {NULL,                              "PATCH",                                                               RBAC "/namespaces/n/roles/writer",
         "[{\"op\":\"add\",\"path\":\"/rules/"
         "-\",\"value\":{\"verbs\":[\"bind\"],\"apiGroups\":[\"rbac.authorization.k8s.io\"],"
         "\"resources\":[\"roles\"],\"resourceNames\":[\"reader\"]}},"
         "{\"op\":\"add\",\"path\":\"/rules/"
         "-\",\"value\":{\"verbs\":[\"escalate\"],\"apiGroups\":[\"rbac.authorization.k8s.io\"],"
         "\"resources\":[\"roles\"],\"resourceNames\":[\"less\"]}}]",                                                                                                           200,                                                               NULL,                                                                                                                                                                                                NULL                                                                                                                                                                                                },
        {"carol",                                  "POST",                                                             RBAC "/namespaces/n/rolebindings",                                                       BIND("c",            "Role", "writer"),                       201,NULL,
         NULL},
        {"carol",                               "POST",                                                                RBAC "/namespaces/n/rolebindings",                                                                                           BIND("d",                                                                                                         "Role",                                                            "reader"), 201, NULL,
         NULL},
        {"carol",                              "PUT",                                                                  RBAC "/namespaces/n/roles/less",                                                                                                   ROLE("less",                                                                                                                                               "\"get\""),                                                                                                                                                                200,                                                                                                       NULL,                                                                                                        NULL},
        {"carol",                              "POST",                                                           RBAC "/namespaces/n/roles",                                                                                            ROLE("other",                                                                                                                                        "\"delete\",\"watch\""),                                                                                                                                                        403,
         "Verbs:[\\\"watch\\\"]}",NULL                                                                                                                                                                                                                                   },
        {"carol",           "POST",                                        RBAC "/clusterroles",                                                                         ROLE("x",                                                                                                                     "\"create\""),                                                                                                                                                        403,
         "cannot create resource",                                                                                                                                                                                                                                                              NULL       },
        {NULL,           "POST",                                        RBAC "/clusterroles",                                                                         ROLE("x",                                                                                                                        "\"create\""),                                                                                                                                                           201,                                                                                                                                       NULL,NULL                                 },
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

static void test_aggregation_needs_all(void **state)
{
    static const struct step steps[] = {
        {NULL,  "POST", RBAC "/clusterroles",
         "{\"metadata\":{\"name\":\"maker\"},\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"rbac."
         "authorization.k8s.io\"],"
         "\"resources\":[\"clusterroles\"],\"resourceNames\":[\"none\"]},"
         "{\"verbs\":[\"create\",\"update\"],\"apiGroups\":[\"rbac.authorization.k8s.io\"],"
         "\"resources\":[\"clusterroles\"]}]}",                                                      201, NULL, NULL},
        {NULL,  "POST", RBAC "/clusterrolebindings",
         "{\"metadata\":{\"name\":\"maker\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":"
         "\"maker\"},"
         "\"subjects\":[{\"kind\":\"User\",\"name\":\"dan\"}]}",                                     201, NULL, NULL},
        {"dan", "POST", RBAC "/clusterroles",        "{\"metadata\":{\"name\":\"a\"},\"rules\":[]}", 201,
         NULL,                                                                                                  NULL},
        {"dan", "POST", RBAC "/clusterroles",
         "{\"metadata\":{\"name\":\"b\"},\"rules\":[],\"aggregationRule\":{"
         "\"clusterRoleSelectors\":[{\"matchLabels\":{\"a\":\"b\"}}]}}",                             403,
         "clusterroles.rbac.authorization.k8s.io \\\"b\\\" is forbidden: must have cluster-admin "
         "privileges to use the aggregationRule\"",                                                             NULL},
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* --- as somebody else (A13) --- */

static void test_impersonation(void **state)
{
    static const struct {
        const char *authorization;
        const char *as;
        const char *as_group;
        unsigned status;
        const char *want;
    } rows[] = {
        {ADMIN,           "bob",                       NULL,   201, "{\"username\":\"bob\",\"groups\":[\"system:authenticated\"]}"},
        {ADMIN,           "bob",                       "devs", 201,
         "{\"username\":\"bob\",\"groups\":[\"devs\",\"system:authenticated\"]}"                                                  },
        {ADMIN,           "system:serviceaccount:n:s", NULL,   201,
         "{\"username\":\"system:serviceaccount:n:s\",\"groups\":[\"system:serviceaccounts\","
         "\"system:serviceaccounts:n\",\"system:authenticated\"]}"                                                                },
        {ADMIN,           "system:serviceaccount:n:s", "devs", 201,
         "{\"username\":\"system:serviceaccount:n:s\",\"groups\":[\"devs\",\"system:"
         "authenticated\"]}"                                                                                                      },
        {ADMIN,           "system:anonymous",          NULL,   403,
         "selfsubjectreviews.authentication.k8s.io is forbidden: User \\\"system:anonymous\\\""                                   },
        {ADMIN,           NULL,                        "devs", 500, "requested [{Group  devs    }] without impersonating a user"  },
        {NULL,            "bob",                       NULL,   403,
         "users \\\"bob\\\" is forbidden: User \\\"system:anonymous\\\" cannot impersonate "
         "resource \\\"users\\\" in API group \\\"\\\" at the cluster scope"                                                      },
        {NULL,            "system:serviceaccount:n:s", NULL,   403,
         "serviceaccounts \\\"s\\\" is forbidden: User \\\"system:anonymous\\\" cannot impersonate "
         "resource \\\"serviceaccounts\\\" in API group \\\"\\\" in the namespace \\\"n\\\""                                      },
        {"Bearer nobody", "bob",                       NULL,   401, "Unauthorized"                                                },
    };
    struct server server;

    (void)state;
    access_start(&server);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct ask ask = {.method = "POST",
                                .target = AUTHN "/selfsubjectreviews",
                                .content_type = "application/json",
                                .body = "{}",
                                .authorization = rows[i].authorization,
                                .as = rows[i].as,
                                .as_group = rows[i].as_group};
        struct reply reply;

        server_call(&server, &ask, &reply);
        if (reply.status != rows[i].status || !strstr(buffer_text(&reply.body), rows[i].want))
            fail_msg("row %zu: got %u: %s", i, reply.status, buffer_text(&reply.body));
        reply_release(&reply);
    }
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_credentials),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_aggregation_ring),
        cmocka_unit_test(test_open_watch),
        cmocka_unit_test(test_escalation),
        cmocka_unit_test(test_aggregation_needs_all),
        cmocka_unit_test(test_impersonation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
