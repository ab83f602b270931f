/* Creates, gets, and their failures, in order of C19. */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CM "/api/v1/namespaces/default/configmaps"

static const struct line story[] = {
    {"C1, C6: 201 with what the server sets",         "POST", CM,
     "{\"metadata\":{\"name\":\"a\",\"uid\":\"mine\","
     "\"creationTimestamp\":\"1999-01-01T00:00:00Z\"},\"data\":{\"k\":\"v\"}}",                                                                                                  201, "\"creationTimestamp\":\"2024-06-01T00:00:00Z\"",                                          "mine"           },
    {"ConfigMaps count no generation (U10)",          NULL,   CM "/a",                                             NULL,                                                         200, "\"data\":{\"k\":\"v\"}",
     "generation"                                                                                                                                                                                                                                                                                 },
    {"the body names the object (C2)",                NULL,   CM "/a",                                             NULL,                                                         200,
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{",                                                                                                                                                                                                             NULL             },
    {"409 for the second (T10)",                      "POST", CM,                                                  "{\"metadata\":{\"name\":\"a\"}}",                            409,
     "\"message\":\"configmaps \\\"a\\\" already exists\",\"reason\":\"AlreadyExists\","
     "\"details\":{\"name\":\"a\",\"kind\":\"configmaps\"},\"code\":409",                                                                                                                                                                                                        NULL             },
    {"404 (T10)",                                     NULL,   CM "/b",                                             NULL,                                                         404,
     "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
     "\"message\":\"configmaps \\\"b\\\" not found\",\"reason\":\"NotFound\",\"details\":{"
     "\"name\":\"b\",\"kind\":\"configmaps\"},\"code\":404}\n",                                                                                                                                                                                                                  NULL             },
    {"decoding comes first (C19)",                    "POST", "/api/v1/namespaces/none/configmaps",                "{",                                                          400,
     "\"reason\":\"BadRequest\"",                                                                                                                                                                                                                                                NULL             },
    {"an empty body (C2)",                            "POST", CM,                                                  NULL,                                                         400, "unexpected end of JSON input (<empty>)",                                                  NULL             },
    {"another version (C2)",                          "POST", CM,
     "{\"apiVersion\":\"v2\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}",                                                                                             400,
     "no kind \\\"ConfigMap\\\" is registered for version \\\"v2\\\"",                                                                                                                                                                                                           NULL             },
    {"another kind (C2)",                             "POST", CM,                                                  "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}",           400,
     "Pod in version \\\"v1\\\" cannot be handled as a ConfigMap",                                                                                                                                                                                                               NULL             },
    {"a wrong type (C3)",                             "POST", CM,                                                  "{\"metadata\":{\"name\":\"b\"},\"data\":{\"a\":1}}",         400,
     "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",                                                                                                                                                                                         NULL             },
    {"another namespace than the URL's (C8)",         "POST", CM,
     "{\"metadata\":{\"name\":\"b\",\"namespace\":\"kube-system\"}}",                                                                                                            400,
     "the namespace of the provided object does not match the namespace sent on the request",                                                                                                                                                                                    NULL             },
    {"a namespace that is not there (C9)",            "POST", "/api/v1/namespaces/none/configmaps",
     "{\"metadata\":{\"name\":\"BAD\"}}",                                                                                                                                        404, "namespaces \\\"none\\\" not found",                                                       NULL             },
    {"lists of it are empty, not missing (C9)",       NULL,   "/api/v1/namespaces/none/configmaps",                NULL,
     200,                                                                                                                                                                             "\"items\":[]",                                                                            NULL             },
    {"no name (C12)",                                 "POST", CM,                                                  "{\"metadata\":{}}",                                          422,
     "ConfigMap \\\"\\\" is invalid: metadata.name: Required value: name or generateName is "
     "required",                                                                                                                                                                                                                                                                 NULL             },
    {"a bad name (C13)",                              "POST", CM,                                                  "{\"metadata\":{\"name\":\"B_\"}}",                           422,
     "ConfigMap \\\"B_\\\" is invalid: metadata.name: Invalid value: \\\"B_\\\": a lowercase RFC "
     "1123 subdomain must consist of",                                                                                                                                                                                                                                           NULL             },
    {"a bad label (C14)",                             "POST", CM,                                                  "{\"metadata\":{\"name\":\"b\",\"labels\":{\"a\":\"b c\"}}}",
     422,                                                                                                                                                                             "metadata.labels: Invalid value: \\\"b c\\\": a valid label must be an empty string",
     NULL                                                                                                                                                                                                                                                                                         },
    {"two controllers (C15)",                         "POST", CM,
     "{\"metadata\":{\"name\":\"b\",\"ownerReferences\":["
     "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"n\",\"uid\":\"1\",\"controller\":true},"
     "{\"apiVersion\":\"v1\",\"kind\":\"L\",\"name\":\"m\",\"uid\":\"2\",\"controller\":true}]}}",                                                                               422, "Found \\\"true\\\" in references for K/n and L/m",                                        NULL             },
    {"a revision (C7)",                               "POST", CM,                                                  "{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"5\"}}",
     500,                                                                                                                                                                             "\"message\":\"resourceVersion should not be set on objects to be created\",\"code\":500",
     NULL                                                                                                                                                                                                                                                                                         },
    {"a dry run stores nothing (C18)",                "POST", CM "?dryRun=All",                                    "{\"metadata\":{\"name\":\"b\"}}",
     201,                                                                                                                                                                             "\"uid\":",                                                                                "resourceVersion"},
    {"as said",                                       NULL,   CM "/b",                                             NULL,                                                         404, NULL,                                                                                      NULL             },
    {"a bad dryRun (C1)",                             "POST", CM "?dryRun=x",                                      "{\"metadata\":{\"name\":\"b\"}}",                            422,
     "CreateOptions.meta.k8s.io \\\"\\\" is invalid: dryRun: Unsupported value: "
     "[]string{\\\"x\\\"}: supported values: \\\"All\\\"",                                                                                                                                                                                                                       NULL             },
    {"a namespace has its label and finalizer (C21)", "POST", "/api/v1/namespaces",
     "{\"metadata\":{\"name\":\"ns\"}}",                                                                                                                                         201, "\"labels\":{\"kubernetes.io/metadata.name\":\"ns\"}",
     NULL                                                                                                                                                                                                                                                                                         },
    {"a namespace's name is a label (C13)",           "POST", "/api/v1/namespaces",
     "{\"metadata\":{\"name\":\"a.b\"}}",                                                                                                                                        422, "must not contain dots",                                                                   NULL             },
    {"stringData is folded (C21)",                    "POST", "/api/v1/namespaces/ns/secrets",
     "{\"metadata\":{\"name\":\"s\"},\"stringData\":{\"k\":\"hello\"}}",                                                                                                         201,
     "\"data\":{\"k\":\"aGVsbG8=\"},\"type\":\"Opaque\"",                                                                                                                                                                                                                        "stringData"     },
    {"status is the server's (C17)",                  "POST", "/api/v1/namespaces/ns/pods",
     "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},"
     "\"status\":{\"phase\":\"Running\"}}",                                                                                                                                      201, "\"status\":{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}",                          NULL             },
    {"but a node's is its own (C17)",                 "POST", "/api/v1/nodes",
     "{\"metadata\":{\"name\":\"n\"},\"status\":{\"capacity\":{\"cpu\":\"4\"}}}",                                                                                                201,
     "\"status\":{\"capacity\":{\"cpu\":\"4\"}}",                                                                                                                                                                                                                                NULL             },
    {"a CronJob starts with an empty one (C17)",      "POST", "/apis/batch/v1/namespaces/ns/cronjobs",
     "{\"metadata\":{\"name\":\"cj\"},\"spec\":{\"schedule\":\"0 3 * * "
     "*\",\"jobTemplate\":{\"spec\":{"
     "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\","
     "\"image\":"
     "\"i:1\"}]}}}}}}",                                                                                                                                                          201, "\"status\":{}",                                                                           NULL             },
    {"a Job is defaulted (K10, C21)",                 "POST", "/apis/batch/v1/namespaces/ns/jobs",
     "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":\"Never\","
     "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}",                                                                                                                  201, "\"backoffLimit\":6,\"completionMode\":\"NonIndexed\",\"completions\":1",                  NULL             },
    {"a Job that would restart for ever (K10)",       "POST", "/apis/batch/v1/namespaces/ns/jobs",
     "{\"metadata\":{\"name\":\"k\"},\"spec\":{\"template\":{\"spec\":{"
     "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]}}}}",                                                                                                                  422,
     "Job.batch \\\"k\\\" is invalid: spec.template.spec.restartPolicy: Required value: valid "
     "values: \\\"OnFailure\\\", \\\"Never\\\"",                                                                                                                                                                                                                                 NULL             },
    {"MicroTime has six digits (S7)",                 "POST", "/apis/coordination.k8s.io/v1/namespaces/ns/leases",
     "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"renewTime\":\"2024-06-01T00:00:00Z\"}}",                                                                                        400,
     "as \\\"2006-01-02T15:04:05.000000Z07:00\\\"",                                                                                                                                                                                                                              NULL             },
    {"as it should be",                               "POST", "/apis/coordination.k8s.io/v1/namespaces/ns/leases",
     "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"renewTime\":\"2024-06-01T00:00:00.000000Z\"}}",                                                                                 201, "\"renewTime\":\"2024-06-01T00:00:00.000000Z\"",                                           NULL             },
    {"no kind of a served group (D4)",                NULL,   "/api/v1/foos",                                      NULL,                                                         404,
     "\"message\":\"the server could not find the requested resource\",\"reason\":\"NotFound\","
     "\"details\":{}",                                                                                                                                                                                                                                                           NULL             },
    {"no such group (D3)",                            NULL,   "/apis/x.io/v1/foos",                                NULL,                                                         404, "404 page not found\n",                                                                    "Status"         },
    {"a method that is none (D4)",                    "PUT",  CM,                                                  "{}",                                                         405,
     "the server does not allow this method on the requested resource",                                                                                                                                                                                                          NULL             },
    {"a revision ahead (G1)",                         NULL,   CM "/a?resourceVersion=9999",                        NULL,                                                         504,
     "Timeout: Too large resource version: 9999, current: ",                                                                                                                                                                                                                     NULL             },
};

static void test_story(void **state)
{
    struct server server;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, story, ARRAY_SIZE(story));
    server_free(&server);
}

static void test_generate_name(void **state)
{
    struct server server;
    struct ask ask = {.method = "POST",
                      .target = CM,
                      .content_type = "application/json",
                      .body = "{\"metadata\":{\"generateName\":\"run-\"}}"};
    char names[20][16];

    (void)state;
    server_start(&server, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct json_object *tree;
        struct reply reply;

        server_call(&server, &ask, &reply);
        assert_int_equal(reply.status, 201);
        tree = reply_tree(&reply);
        snprintf(names[i], sizeof(names[i]), "%s",
                 json_get_text(json_get(tree, "metadata"), "name"));
        assert_int_equal(strlen(names[i]), 9); /* C11 */
        assert_int_equal(strspn(names[i] + 4, "bcdfghjklmnpqrstvwxz2456789"), 5);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
        json_object_put(tree);
        reply_release(&reply);
    }
    server_free(&server);
}

/* Bodies beyond the limits: 413 before they are whole, 500 for what would not fit the store. */
static void test_large_bodies(void **state)
{
    struct server server;
    struct buffer body = BUFFER_INIT(8 << 20);
    struct ask ask = {.method = "POST",
                      .target = "/api/v1/namespaces/default/events",
                      .content_type = "application/json"};
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    buffer_append_text(&body, "{\"metadata\":{\"name\":\"big\"},\"involvedObject\":{"
                              "\"namespace\":\"default\"},\"message\":\"");
    while (body.size < 1800000)
        buffer_append_text(&body, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    buffer_append_text(&body, "\"}");
    ask.body = body.bytes;
    server_call(&server, &ask, &reply);
    assert_int_equal(reply.status, 500); /* S11 */
    assert_non_null(strstr(buffer_text(&reply.body), "etcdserver: request is too large"));
    reply_release(&reply);
    while (body.size <= REST_BODY_BYTES_MAX)
        buffer_append_text(&body, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    ask.body = body.bytes;
    server_call(&server, &ask, &reply);
    assert_int_equal(reply.status, 413); /* O5 */
    assert_non_null(strstr(buffer_text(&reply.body), "limit is 3145728"));
    reply_release(&reply);
    buffer_release(&body);
    server_free(&server);
}

static void test_media_types(void **state)
{
    static const struct {
        const char *name;
        const char *content_type;
        const char *accept;
        const char *body;
        unsigned status;
        const char *want;
    } rows[] = {
        {"no content type is JSON",       NULL,                              NULL,               "{\"metadata\":{\"name\":\"a\"}}",     201, NULL                  },
        {"parameters are ignored",        "application/json; charset=utf-8", NULL,
         "{\"metadata\":{\"name\":\"b\"}}",                                                                                             201, NULL                  },
        {"YAML (T8)",                     "application/yaml",                NULL,               "metadata: {name: c}\ndata: {k: v}\n", 201,
         "\"data\":{\"k\":\"v\"}"                                                                                                                                  },
        {"YAML back (T4)",                "application/json",                "application/yaml",
         "{\"metadata\":{\"name\":\"d\"}}",                                                                                             201, "kind: ConfigMap\n"   },
        {"another (T8)",                  "text/plain",                      NULL,               "x",                                   415, "UnsupportedMediaType"},
        {"nothing acceptable (T5)",       "application/json",                "text/html",        "{}",                                  406,
         "406: Not Acceptable\\n\\nAvailable representations: application/json, "                                                                                  },
        {"protobuf or JSON is JSON (T6)", "application/json",
         "application/vnd.kubernetes.protobuf,application/json",                                 "{\"metadata\":{\"name\":\"e\"}}",
         201,                                                                                                                                "{\"apiVersion\""     },
    };
    struct server server;

    (void)state;
    server_start(&server, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct ask ask = {.method = "POST",
                          .target = CM,
                          .content_type = rows[i].content_type,
                          .accept = rows[i].accept,
                          .body = rows[i].body};
        struct reply reply;

        server_call(&server, &ask, &reply);
        if (reply.status != rows[i].status ||
            (rows[i].want != NULL && strstr(buffer_text(&reply.body), rows[i].want) == NULL))
            fail_msg("%s: got %u %s", rows[i].name, reply.status, buffer_text(&reply.body));
        reply_release(&reply);
    }
    server_free(&server);
}

static void test_token(void **state)
{
    static const struct {
        const char *authorization;
        unsigned status;
    } rows[] = {
        {NULL,             401},
        {"Bearer secret",  200},
        {"bearer secret",  200},
        {"Bearer secre",   401},
        {"Bearer secret1", 401},
        {"Basic secret",   401},
        {"Bearer",         401},
    };
    struct server server;

    (void)state;
    server_start(&server, "--token", "secret", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct ask ask = {.target = CM, .authorization = rows[i].authorization};
        struct reply reply;

        server_call(&server, &ask, &reply);
        if (reply.status != rows[i].status)
            fail_msg("row %zu: got %u", i, reply.status);
        reply_release(&reply);
    }
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_story),        cmocka_unit_test(test_generate_name),
        cmocka_unit_test(test_large_bodies), cmocka_unit_test(test_media_types),
        cmocka_unit_test(test_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
