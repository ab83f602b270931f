/* Discovery, health, version, OpenAPI (WIRE.md D1 to D21). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"

#define AGGREGATED                                                                                 \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"        \
    ";g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"
#define CRD                                                                                        \
    "{\"metadata\":{\"name\":\"widgets.x.io\"},\"spec\":{\"group\":\"x.io\",\"scope\":"            \
    "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{"        \
    "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"  \
    "\"object\"}}}]}}"

static const struct line documents[] = {
    {"D1",          NULL, "/version?timeout=32s", NULL, 200, "\"minor\":\"32\"",                                NULL       },
    {"D2",          NULL, "/healthz",             NULL, 200, "ok",                                              "\n"       },
    {"D2: verbose", NULL, "/readyz?verbose",      NULL, 200, "[+]ping ok\n",                                    NULL       },
    {"D2: verbose", NULL, "/livez?verbose",       NULL, 200, "livez check passed\n",                            NULL       },
    {"D3",          NULL, "/",                    NULL, 200, "\"paths\":[\"/api\"",                             NULL       },
    {"D3",          NULL, "/nothing",             NULL, 404, "404 page not found\n",                            NULL       },
    {"D6",          NULL, "/api",                 NULL, 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]",
     "apiVersion"                                                                                                          },
    {"D6",          NULL, "/apis",                NULL, 200,
     "{\"name\":\"batch\",\"versions\":[{\"groupVersion\":\"batch/v1\",\"version\":\"v1\"}],"
     "\"preferredVersion\":{\"groupVersion\":\"batch/v1\",\"version\":\"v1\"}}",                                NULL       },
    {"D6",          NULL, "/apis/batch",          NULL, 200, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"",    NULL       },
    {"D6",          NULL, "/api/v1",              NULL, 200,
     "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[",                                   NULL       },
    {"D7",          NULL, "/api/v1",              NULL, 200,
     "{\"name\":\"pods\",\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":["
     "\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"],"
     "\"shortNames\":[\"po\"],\"categories\":[\"all\"],\"storageVersionHash\":\"xPOwRZ+Yhw8=\"}",               NULL       },
    {"D7",          NULL, "/api/v1",              NULL, 200,
     "{\"name\":\"pods/log\",\"singularName\":\"\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":["
     "\"get\"]}",                                                                                               NULL       },
    {"D6",          NULL, "/apis/x.io",           NULL, 404, "404 page not found\n",                            NULL       },
    {"D17",         NULL, "/openapi/v3",          NULL, 200,
     "\"apis/batch/v1\":{\"serverRelativeURL\":\"/openapi/v3/apis/batch/v1?hash=",                              NULL       },
    {"D18",         NULL, "/openapi/v3/api/v1",   NULL, 200,
     "\"patch\":{\"x-kubernetes-action\":\"patch\",\"x-kubernetes-group-version-kind\":{\"group\":"
     "\"\",\"kind\":\"Namespace\",\"version\":\"v1\"},\"parameters\":[{\"name\":"
     "\"fieldValidation\",\"in\":\"query\"}]}",                                                                 "strategic"},
    {"D20",         NULL, "/openapi/v2",          NULL, 200,
     "\x0a\x03"
     "2.0",                                                                                                     NULL       },
};

static void test_documents(void **state)
{
    struct server server;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, documents, ARRAY_SIZE(documents));
    server_free(&server);
}

/* D10 to D13: the content type, and an ETag that changes with the kinds. */
static void test_aggregated(void **state)
{
    static const struct line create = {
        "a definition", "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD, 201,
        NULL,           NULL};
    struct ask ask = {.target = "/apis", .accept = AGGREGATED};
    struct server server;
    struct reply first;
    struct reply again;

    (void)state;
    server_start(&server, NULL);
    server_call(&server, &ask, &first);
    assert_int_equal(first.status, 200);
    assert_string_equal(first.content_type,
                        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    assert_non_null(strstr(buffer_text(&first.body),
                           "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":"
                           "\"apidiscovery.k8s.io/v2\",\"metadata\":{},\"items\":[{\"metadata\":{"
                           "\"name\":\"apps\",\"creationTimestamp\":null},\"versions\":[{"
                           "\"version\":\"v1\",\"resources\":["));
    ask.if_none_match = first.etag;
    server_call(&server, &ask, &again);
    assert_int_equal(again.status, 304);
    assert_int_equal(again.body.size, 0);
    reply_release(&again);
    server_tell(&server, &create, 1);
    server_run(&server, US_PER_SECOND);
    server_call(&server, &ask, &again);
    assert_int_equal(again.status, 200);
    assert_string_not_equal(again.etag, first.etag);
    assert_non_null(
        strstr(buffer_text(&again.body),
               "{\"resource\":\"widgets\",\"responseKind\":{\"group\":\"x.io\",\"version\":\"v1\","
               "\"kind\":\"Widget\"},\"scope\":\"Namespaced\",\"singularResource\":\"widget\","
               "\"verbs\":[\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"create\","
               "\"update\",\"watch\"]}"));
    reply_release(&again);
    reply_release(&first);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_aggregated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
