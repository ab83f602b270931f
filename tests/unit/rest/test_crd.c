/* Custom resources: definitions, schemas, versions, columns, their end (WIRE.md R1 to R12, L20). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/x.io/v1/namespaces/default/widgets"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

#define SCHEMA                                                                                     \
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":"     \
    "\"object\",\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":1},\"color\":{"         \
    "\"type\":\"string\",\"default\":\"red\"}}},\"status\":{\"type\":\"object\",\"properties\":{"  \
    "\"phase\":{\"type\":\"string\"}}}}}}"
#define CRD                                                                                        \
    "{\"metadata\":{\"name\":\"widgets.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"            \
    "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\",\"shortNames\":["        \
    "\"wg\"]},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true," SCHEMA             \
    ",\"subresources\":{\"status\":{}},\"selectableFields\":[{\"jsonPath\":\".spec.color\"}],"     \
    "\"additionalPrinterColumns\":[{\"name\":\"Size\",\"type\":\"integer\",\"jsonPath\":"          \
    "\".spec.size\"},{\"name\":\"Phase\",\"type\":\"string\",\"jsonPath\":\".status.phase\"},{"    \
    "\"name\":\"Age\",\"type\":\"date\",\"jsonPath\":\".metadata.creationTimestamp\"}]},"          \
    "{\"name\":\"v1beta1\",\"served\":true,\"storage\":false,\"deprecated\":true," SCHEMA "}]}}"

#define WRONG "\"schema\":{\"openAPIV3Schema\":{\"description\":\"x\"}}"

static void start(struct server *server)
{
    static const struct line line = {"the definition", "POST", CRDS, CRD, 201, NULL, NULL};

    server_start(server, NULL);
    server_tell(server, &line, 1);
    server_run(server, US_PER_SECOND);
}

static const struct line definitions[] = {
    {"R5: not served before",              NULL,    WIDGETS,              NULL,                                 404, "404 page not found",                                                            NULL},
    {"R1: the name",                       "POST",  CRDS,
     "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{\"group\":\"x.io\"}}",                                         422,
     "metadata.name: Invalid value: \\\"a.b\\\": must be spec.names.plural+\\\".\\\"+spec.group",                                                                                                     NULL},
    {"R1: no storage version",             "POST",  CRDS,
     "{\"metadata\":{\"name\":\"a.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":\"Cluster\","
     "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
     "\"storage\":false," SCHEMA "}]}}",
     422,                                                                                                            "must have exactly one version marked as storage version",                       NULL},
    {"R1: no schema",                      "POST",  CRDS,
     "{\"metadata\":{\"name\":\"a.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":\"Cluster\","
     "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
     "\"storage\":true}]}}",                                                                                    422, "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required", NULL},
    {"R13: a schema that is wrong twice",  "POST",  CRDS,
     "{\"metadata\":{\"name\":\"a.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":\"Cluster\","
     "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
     "\"storage\":true," WRONG "},{\"name\":\"v2\",\"served\":true,\"storage\":false," WRONG "}]}}",
     422,                                                                                                            "is invalid: spec.validation.openAPIV3Schema.type: Required value",              NULL},
    {"R3: a protected group",              "POST",  CRDS,
     "{\"metadata\":{\"name\":\"a.x.k8s.io\"},\"spec\":{\"group\":\"x.k8s.io\",\"scope\":"
     "\"Cluster\",\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[]}}",                               422, "protected groups must have approval annotation",                                NULL},
    {"R5, R2: created without conditions", "POST",  CRDS,                 CRD,                                  201,
     "\"status\":{\"acceptedNames\":{\"kind\":\"\",\"plural\":\"\"},\"conditions\":null,"
     "\"storedVersions\":[\"v1\"]}",                                                                                                                                                                  NULL},
    {"R4: and established",                NULL,    CRDS "/widgets.x.io", NULL,                                 200,
     "\"message\":\"the initial names have been accepted\",\"reason\":\"InitialNamesAccepted\","
     "\"status\":\"True\",\"type\":\"Established\"",                                                                                                                                                  NULL},
    {"R2: defaults",                       NULL,    CRDS "/widgets.x.io", NULL,                                 200, "\"listKind\":\"WidgetList\"",                                                   NULL},
    {"R4: a taken name",                   "POST",  CRDS,
     "{\"metadata\":{\"name\":\"wg.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":\"Cluster\","
     "\"names\":{\"plural\":\"wg\",\"kind\":\"Wg\"},\"versions\":[{\"name\":\"v1\",\"served\":"
     "true,\"storage\":true," SCHEMA "}]}}",
     201,                                                                                                            NULL,                                                                            NULL},
    {"R4: is not accepted",                NULL,    CRDS "/wg.x.io",      NULL,                                 200,
     "\"message\":\"\\\"wg\\\" is already in use\",\"reason\":\"PluralConflict\",\"status\":"
     "\"False\",\"type\":\"NamesAccepted\"",                                                                                                                                                          NULL},
    {"nor served",                         NULL,    "/apis/x.io/v1/wg",   NULL,                                 404, "404 page not found",                                                            NULL},
    {"R2: immutable",                      "PATCH", CRDS "/widgets.x.io", "{\"spec\":{\"scope\":\"Cluster\"}}", 422,
     "spec.scope: Invalid value: \\\"Cluster\\\": field is immutable",                                                                                                                                NULL},
};

static void test_definitions(void **state)
{
    struct server server;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, definitions, ARRAY_SIZE(definitions));
    server_free(&server);
}

static const struct line objects[] = {
    {"R11, R12: pruned and defaulted",        "POST",  WIDGETS,
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1,\"more\":2},\"status\":{\"phase\":\"x\"}"
     "}",                                                                                                                                                          201, "\"generation\":1",                                                        "more"  },
    {"defaulted",                             NULL,    WIDGETS "/a",                                      NULL,                                                    200, "\"spec\":{\"color\":\"red\",\"size\":1}",
     "status"                                                                                                                                                                                                                                              },
    {"C4: strict",                            "POST",  WIDGETS "?fieldValidation=Strict",
     "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"more\":2}}",                                                                                                      400,
     "Widget in version \\\"v1\\\" cannot be handled as a Widget: strict decoding error: unknown "
     "field \\\"spec.more\\\"",                                                                                                                                                                                                                    NULL    },
    {"R10: validated",                        "POST",  WIDGETS,                                           "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"size\":0}}",
     422,                                                                                                                                                               "Widget.x.io \\\"b\\\" is invalid: spec.size: Invalid value: 0: spec.size in body should be "
     "greater than or equal to 1",                                                                                                                                                                                                        NULL    },
    {"U4: no update without a revision",      "PUT",   WIDGETS "/a",
     "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":2}}",                                                                                                      422,
     "widgets.x.io \\\"a\\\" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be "
     "specified for an update",                                                                                                                                                                                                                    NULL    },
    {"U10: generation",                       "PATCH", WIDGETS "/a",                                      "{\"spec\":{\"size\":2}}",                               200, "\"generation\":2",
     NULL                                                                                                                                                                                                                                                  },
    {"U11: status",                           "PATCH", WIDGETS "/a/status",
     "{\"status\":{\"phase\":\"Done\"},\"spec\":{\"size\":9},\"metadata\":{\"labels\":{\"a\":"
     "\"b\"}}}",                                                                                                                                                   200, "\"spec\":{\"color\":\"red\",\"size\":2},\"status\":{\"phase\":\"Done\"}", "labels"},
    {"U10: not for status",                   NULL,    WIDGETS "/a",                                      NULL,                                                    200, "\"generation\":2",                                                        NULL    },
    {"U11: nor the main resource's",          "PATCH", WIDGETS "/a",                                      "{\"status\":null}",                                     200, "Done",                                                                    NULL    },
    {"R6: another version of the same",       NULL,    "/apis/x.io/v1beta1/namespaces/default/widgets/a",
     NULL,                                                                                                                                                         200, "{\"apiVersion\":\"x.io/v1beta1\",\"kind\":\"Widget\",\"metadata\":{",     NULL    },
    {"G3: items say what they are",           NULL,    WIDGETS,                                           NULL,                                                    200,
     "{\"kind\":\"WidgetList\",\"apiVersion\":\"x.io/v1\",\"metadata\":{",                                                                                                                                                                         NULL    },
    {"L9: selectable fields",                 NULL,    WIDGETS "?fieldSelector=spec.color%3Dred",         NULL,                                                    200,
     "\"name\":\"a\"",                                                                                                                                                                                                                             NULL    },
    {"L9: that match",                        NULL,    WIDGETS "?fieldSelector=spec.color%3Dblue",        NULL,                                                    200, "\"items\":[]",
     NULL                                                                                                                                                                                                                                                  },
    {"L9: others are none",                   NULL,    WIDGETS "?fieldSelector=spec.size%3D2",            NULL,                                                    400,
     "field label not supported: spec.size",                                                                                                                                                                                                       NULL    },
    {"D3: another scope",                     NULL,    "/apis/x.io/v1/widgets/a",                         NULL,                                                    404, "404 page not found",                                                      NULL    },
    {"R23: no such subresource",              NULL,    WIDGETS "/a/scale",                                NULL,                                                    404,
     "widgets.x.io \\\"a\\\" not found",                                                                                                                                                                                                           NULL    },
    {"D4: no such method",                    "PUT",   WIDGETS,                                           "{}",                                                    405,
     "is not supported on resources of kind \\\"widgets.x.io\\\"",                                                                                                                                                                                 NULL    },
    {"U12: no status subresource in v1beta1", NULL,
     "/apis/x.io/v1beta1/namespaces/default/widgets/a/status",                                            NULL,                                                    404,
     "widgets.x.io \\\"a\\\" not found",                                                                                                                                                                                                           NULL    },
};

static void test_objects(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, objects, ARRAY_SIZE(objects));
    server_free(&server);
}

static void test_warnings(void **state)
{
    static const struct {
        const char *target;
        const char *body;
        const char *want;
    } rows[] = {
        {WIDGETS,                                         "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"more\":2}}",
         "299 - \"unknown field \\\"spec.more\\\"\""                      },
        {WIDGETS "?fieldValidation=Ignore",               "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"more\":2}}",
         ""                                                               },
        {WIDGETS,                                         "{\"metadata\":{\"name\":\"c\",\"more\":1}}",
         "299 - \"unknown field \\\"metadata.more\\\"\""                  },
        {"/apis/x.io/v1beta1/namespaces/default/widgets", "{\"metadata\":{\"name\":\"d\"}}",
         "299 - \"x.io/v1beta1 Widget is deprecated; use x.io/v1 Widget\""},
    };
    struct server server;

    (void)state;
    start(&server);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct ask ask = {.method = "POST",
                                .target = rows[i].target,
                                .content_type = "application/json",
                                .body = rows[i].body};
        struct reply reply;

        server_call(&server, &ask, &reply);
        assert_int_equal(reply.status, 201);
        assert_string_equal(reply.warning, rows[i].want);
        reply_release(&reply);
    }
    server_free(&server);
}

static void test_columns(void **state)
{
    static const struct line setup[] = {
        {"a",      "POST",  WIDGETS,             "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":3}}", 201, NULL,
         NULL                                                                                                            },
        {"status", "PATCH", WIDGETS "/a/status", "{\"status\":{\"phase\":\"Done\"}}",                     200, NULL,
         NULL                                                                                                            },
        {"b",      "POST",  WIDGETS,             "{\"metadata\":{\"name\":\"b\"}}",                       201, NULL, NULL},
    };
    const struct ask ask = {.target = WIDGETS, .accept = TABLE};
    const struct ask beta = {.target = "/apis/x.io/v1beta1/widgets", .accept = TABLE};
    struct server server;
    struct reply reply;

    (void)state;
    start(&server);
    server_tell(&server, setup, ARRAY_SIZE(setup));
    server_run(&server, 3 * US_PER_HOUR + 5 * US_PER_MINUTE);
    for (unsigned turn = 0; turn < 2; turn++) { /* the second time from what was kept */
        server_call(&server, &ask, &reply);
        assert_non_null(
            strstr(buffer_text(&reply.body),
                   "{\"name\":\"Size\",\"type\":\"integer\",\"format\":\"\",\"description\":"
                   "\"Custom resource definition column (in JSONPath format): .spec.size\","
                   "\"priority\":0}"));
        assert_non_null(
            strstr(buffer_text(&reply.body), "{\"cells\":[\"a\",3,\"Done\",\"3h5m\"],"));
        assert_non_null(strstr(buffer_text(&reply.body), "{\"cells\":[\"b\",null,null,\"3h5m\"],"));
        reply_release(&reply);
    }
    server_call(&server, &beta, &reply); /* columns of its own: name and age */
    assert_non_null(strstr(buffer_text(&reply.body), "{\"cells\":[\"a\",\"3h5m\"],"));
    reply_release(&reply);
    server_free(&server);
}

/* A change of the definition ends its watches (W13) and holds from then on. */
static void test_change(void **state)
{
    static const struct line change = {
        "a default",
        "PATCH",
        CRDS "/widgets.x.io",
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/color/default\",\"value\":\"blue\"}]",
        200,
        "\"generation\":2",
        NULL};
    static const struct line after = {"as said", "POST",
                                      WIDGETS,   "{\"metadata\":{\"name\":\"a\"},\"spec\":{}}",
                                      201,       "\"color\":\"blue\"",
                                      NULL};
    const struct ask watch = {.target = WIDGETS "?watch=true"};
    struct server server;
    struct reply reply;

    (void)state;
    start(&server);
    server_send(&server, &watch, &reply);
    server_run(&server, US_PER_SECOND);
    assert_false(reply.ended);
    server_tell(&server, &change, 1);
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    server_tell(&server, &after, 1);
    reply_release(&reply);
    server_free(&server);
}

/* R8: the objects go with their definition; those that wait hold it up. */
static void test_end(void **state)
{
    static const struct line before[] = {
        {"a",               "POST",   WIDGETS,              "{\"metadata\":{\"name\":\"a\"}}",                             201, NULL,             NULL            },
        {"b waits",         "POST",   WIDGETS,              "{\"metadata\":{\"name\":\"b\",\"finalizers\":[\"x.io/f\"]}}",
         201,                                                                                                                   NULL,             NULL            },
        {"R8: terminating", "DELETE", CRDS "/widgets.x.io", NULL,                                                          200,
         "\"reason\":\"InstanceDeletionPending\"",                                                                                                NULL            },
        {"R8: in progress", NULL,     CRDS "/widgets.x.io", NULL,                                                          200,
         "\"reason\":\"InstanceDeletionInProgress\"",                                                                                             NULL            },
        {"R8: nothing new", "POST",   WIDGETS,              "{\"metadata\":{\"name\":\"c\"}}",                             405,
         "create not allowed while custom resource definition is terminating",                                                                    NULL            },
        {"only b is left",  NULL,     WIDGETS,              NULL,                                                          200, "\"name\":\"b\"", "\"name\":\"a\""},
        {"its end",         "PATCH",  WIDGETS "/b",         "{\"metadata\":{\"finalizers\":null}}",                        200, NULL,             NULL            },
    };
    static const struct line after[] = {
        {"gone",         NULL,   CRDS "/widgets.x.io", NULL, 404, NULL,                 NULL},
        {"and its kind", NULL,   WIDGETS,              NULL, 404, "404 page not found", NULL},
        {"again",        "POST", CRDS,                 CRD,  201, NULL,                 NULL},
        {"R8: empty",    NULL,   WIDGETS,              NULL, 200, "\"items\":[]",       NULL},
    };
    const struct ask watch = {.target = WIDGETS "?watch=true"};
    struct server server;
    struct reply reply;

    (void)state;
    start(&server);
    server_send(&server, &watch, &reply);
    server_tell(&server, before, ARRAY_SIZE(before));
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended); /* W13: DELETED for each, then the end */
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    assert_non_null(strstr(buffer_text(&reply.body), "\"type\":\"DELETED\""));
    server_tell(&server, after, ARRAY_SIZE(after));
    reply_release(&reply);
    server_free(&server);
}

static void ask_create(struct server *server, const char *name, struct reply *reply)
{
    char body[64];
    const struct ask create = {.method = "POST", .target = WIDGETS, .body = body};

    snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
    server_send(server, &create, reply);
}

/* R5: a create that comes within 2 s of the establishment waits 2 s, one that comes later not. */
static void test_hold(void **state)
{
    struct server server;
    struct reply held;
    struct reply late;

    (void)state;
    start(&server); /* a second ago */
    ask_create(&server, "a", &held);
    server_run(&server, 1900 * US_PER_MS);
    assert_false(held.ended);
    ask_create(&server, "b", &late); /* 2.9 s behind */
    server_run(&server, 50 * US_PER_MS);
    assert_true(late.ended);
    assert_int_equal(late.status, 201);
    assert_false(held.ended);
    server_run(&server, 100 * US_PER_MS);
    assert_true(held.ended);
    assert_int_equal(held.status, 201);
    reply_release(&held);
    reply_release(&late);
    server_free(&server);
}

/* The definition goes while a create waits: what it finds then is no kind at all. */
static void test_hold_ends_without_kind(void **state)
{
    const struct line gone = {"gone", "DELETE", CRDS "/widgets.x.io", NULL, 200, NULL, NULL};
    struct server server;
    struct reply held;

    (void)state;
    start(&server);
    ask_create(&server, "a", &held);
    server_tell(&server, &gone, 1);
    server_run(&server, 3 * US_PER_SECOND);
    assert_true(held.ended);
    assert_int_equal(held.status, 404);
    reply_release(&held);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_objects),
        cmocka_unit_test(test_warnings),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_change),      cmocka_unit_test(test_end),
        cmocka_unit_test(test_hold),        cmocka_unit_test(test_hold_ends_without_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
