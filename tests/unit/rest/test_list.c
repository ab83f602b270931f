/* Lists: order, pages, selectors, revisions, Tables (WIRE.md L1 to L21). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

#define CM "/api/v1/namespaces/default/configmaps"
#define ALL "/api/v1/configmaps"
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

/* Revisions 6 to 10. */
static const struct line setup[] = {
    {"b", "POST", CM,                                          "{\"metadata\":{\"name\":\"b\",\"labels\":{\"n\":\"2\",\"x\":\"1\"}}}", 201,
     NULL,                                                                                                                                        NULL},
    {"a", "POST", CM,                                          "{\"metadata\":{\"name\":\"a\",\"labels\":{\"n\":\"1\"}}}",             201, NULL, NULL},
    {"c", "POST", CM,                                          "{\"metadata\":{\"name\":\"c\",\"labels\":{\"n\":\"10\"}}}",            201, NULL, NULL},
    {"d", "POST", CM,                                          "{\"metadata\":{\"name\":\"d\"}}",                                      201, NULL, NULL},
    {"z", "POST", "/api/v1/namespaces/kube-system/configmaps",
     "{\"metadata\":{\"name\":\"0\",\"labels\":{\"n\":\"1\"}}}",                                                                       201, NULL, NULL},
};

/* The names in a list's body, in order: "a b c". */
static char *names_in(const struct reply *reply)
{
    struct json_object *tree = reply_tree(reply);
    struct json_object *items = json_get_array(tree, "items");
    struct buffer names = BUFFER_INIT(1 << 16);
    size_t size;

    buffer_append_text(&names, "");
    for (size_t i = 0; items != NULL && i < json_object_array_length(items); i++)
        buffer_append_format(
            &names, "%s%s", i > 0 ? " " : "",
            json_get_text(json_get(json_object_array_get_idx(items, i), "metadata"), "name"));
    json_object_put(tree);
    return buffer_take(&names, &size);
}

static void start(struct server *server)
{
    server_start(server, NULL);
    server_tell(server, setup, ARRAY_SIZE(setup));
}

static void test_selectors(void **state)
{
    static const struct {
        const char *target;
        unsigned status;
        const char *want; /* names; or, of a failure, part of the body */
    } rows[] = {
        {CM,                                                                    200, "a b c d"                                    },
        {ALL,                                                                   200, "a b c d 0"                                  },
        {CM "?labelSelector=n",                                                 200, "a b c"                                      },
        {CM "?labelSelector=%21n",                                              200, "d"                                          },
        {CM "?labelSelector=n%3D1",                                             200, "a"                                          },
        {CM "?labelSelector=n%3D%3D1",                                          200, "a"                                          },
        {ALL "?labelSelector=n%3D1",                                            200, "a 0"                                        },
        {CM "?labelSelector=n%21%3D1",                                          200, "b c d"                                      },
        {CM "?labelSelector=n%20in%20(1,%202)",                                 200, "a b"                                        },
        {CM "?labelSelector=n%20notin%20(1,2)",                                 200, "c d"                                        },
        {CM "?labelSelector=n%3E1",                                             200, "b c"                                        },
        {CM "?labelSelector=n%3C10,x",                                          200, "b"                                          },
        {CM "?labelSelector=",                                                  200, "a b c d"                                    },
        {CM "?labelSelector=$",                                                 400, "unable to parse requirement: <nil>: "       },
        {CM "?labelSelector=a%3Db%20c",                                         400, "found 'c', expected: ',' or 'end of string'"},
        {CM "?labelSelector=a%3D_",                                             400,
         "unable to parse requirement: values[0][a]: Invalid value: \\\"_\\\": a valid label"                                     },
        {CM "?labelSelector=n%3Ex",                                             400, "the value must be an integer"               },
        {CM "?fieldSelector=metadata.name%3Da",                                 200, "a"                                          },
        {CM "?fieldSelector=metadata.name%21%3Da",                              200, "b c d"                                      },
        {ALL "?fieldSelector=metadata.namespace%3Dkube-system",                 200, "0"                                          },
        {CM "?fieldSelector=metadata.name%3Da,metadata.name%3Db",               200, ""                                           },
        {CM "?fieldSelector=spec.x%3D1",                                        400,
         "\\\"spec.x\\\" is not a known field selector: only \\\"metadata.name\\\", "
         "\\\"metadata.namespace\\\""                                                                                             },
        {"/api/v1/pods?fieldSelector=spec.x%3D1",                               400, "field label not supported: spec.x"          },
        {"/api/v1/pods?fieldSelector=spec.nodeName%3Dn,status.phase%3DRunning", 200, ""                                           },
        {CM "?fieldSelector=x",                                                 400, "invalid selector: 'x'; can't understand 'x'"},
    };
    struct server server;

    (void)state;
    start(&server);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct ask ask = {.target = rows[i].target};
        struct reply reply;
        char *names = NULL;

        server_call(&server, &ask, &reply);
        if (reply.status != rows[i].status)
            fail_msg("%s: got %u %s", rows[i].target, reply.status, buffer_text(&reply.body));
        if (reply.status == 200)
            names = names_in(&reply);
        if (reply.status == 200 ? strcmp(names, rows[i].want) != 0
                                : strstr(buffer_text(&reply.body), rows[i].want) == NULL)
            fail_msg("%s: got %s", rows[i].target,
                     names == NULL ? buffer_text(&reply.body) : names);
        free(names);
        reply_release(&reply);
    }
    server_free(&server);
}

static const struct line parameters[] = {
    {"L1: empty, with a revision",               NULL, "/api/v1/secrets",                                         NULL, 200,
     "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"10\"},"
     "\"items\":[]}\n",                                                                                                                                                                        NULL            },
    {"G3: items of built-in kinds have no kind", NULL, CM,                                                        NULL, 200, "\"items\":[{\"metadata\":{",
     "\"kind\":\"ConfigMap\""                                                                                                                                                                                  },
    {"L3: no number",                            NULL, CM "?resourceVersion=x",                                   NULL, 500,
     "\"message\":\"resourceVersion: Invalid value: \\\"x\\\": strconv.ParseUint: parsing "
     "\\\"x\\\": invalid syntax\",\"code\":500",                                                                                                                                               NULL            },
    {"L3: ahead",                                NULL, CM "?resourceVersion=11",                                  NULL, 504,
     "Timeout: Too large resource version: 11, current: 10",                                                                                                                                   NULL            },
    {"L3: exact",                                NULL, CM "?resourceVersion=7&resourceVersionMatch=Exact",        NULL, 200,
     "\"resourceVersion\":\"7\"},\"items\":[{",                                                                                                                                                "\"name\":\"c\""},
    {"L3: not older",                            NULL, CM "?resourceVersion=7&resourceVersionMatch=NotOlderThan", NULL, 200,
     "\"name\":\"c\"",                                                                                                                                                                         NULL            },
    {"L3: with a limit the revision is exact",   NULL, CM "?resourceVersion=6&limit=5",                           NULL, 200,
     "\"name\":\"b\"",                                                                                                                                                                         "\"name\":\"a\""},
    {"L4",                                       NULL, CM "?resourceVersionMatch=Exact",                          NULL, 422,
     "ListOptions.meta.k8s.io \\\"\\\" is invalid: resourceVersionMatch: Forbidden: "
     "resourceVersionMatch is forbidden unless resourceVersion is provided",                                                                                                                   NULL            },
    {"L4",                                       NULL, CM "?resourceVersion=0&resourceVersionMatch=Exact",        NULL, 422,
     "resourceVersionMatch \\\"exact\\\" is forbidden for resourceVersion \\\"0\\\"",                                                                                                          NULL            },
    {"L4",                                       NULL, CM "?resourceVersion=1&resourceVersionMatch=x",            NULL, 422,
     "Unsupported value: \\\"x\\\": supported values: \\\"Exact\\\", \\\"NotOlderThan\\\", "
     "\\\"\\\"",                                                                                                                                                                               NULL            },
    {"L4",                                       NULL, CM "?sendInitialEvents=true",                              NULL, 422,
     "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",                                                                                                                  NULL            },
    {"L5: any revision has no pages",            NULL, CM "?resourceVersion=0&limit=1",                           NULL, 200,
     "\"name\":\"d\"",                                                                                                                                                                         "continue"      },
    {"L6: no token",                             NULL, CM "?continue=x",                                          NULL, 400,
     "invalid continue token: continue key is not valid: ",                                                                                                                                    NULL            },
    {"L6: with a revision",                      NULL,
     CM
     "?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0&resourceVersion=5",               NULL, 400, "specifying resource version is not allowed when using continue", NULL            },
};

static void test_parameters(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, parameters, ARRAY_SIZE(parameters));
    server_free(&server);
}

/* The continue token of a list or a Status; NULL without one. free() it. */
static char *token_in(const struct reply *reply)
{
    struct json_object *tree = reply_tree(reply);
    char *token = xstrdup(json_get_text(json_get(tree, "metadata"), "continue"));

    json_object_put(tree);
    return token;
}

static void get_page(struct server *server, const char *base, const char *token, unsigned status,
                     struct reply *reply)
{
    char *target = token == NULL ? xstrdup(base) : xprintf("%s&continue=%s", base, token);
    struct ask ask = {.target = target};

    server_call(server, &ask, reply);
    if (reply->status != status)
        fail_msg("%s: got %u %s", target, reply->status, buffer_text(&reply->body));
    free(target);
}

static void check_names(const struct reply *reply, const char *want)
{
    char *names = names_in(reply);

    assert_string_equal(names, want);
    free(names);
}

/* Pages show one state, whatever happens between them (L6). */
static void test_pages(void **state)
{
    static const char base[] = ALL "?limit=2";
    static const struct line between[] = {
        {"a new one in the second page", "POST",   CM,      "{\"metadata\":{\"name\":\"bb\"}}", 201, NULL,
         NULL                                                                                                  },
        {"one less",                     "DELETE", CM "/c", NULL,                               200, NULL, NULL},
    };
    struct server server;
    struct reply reply;
    char *token;

    (void)state;
    start(&server);
    get_page(&server, base, NULL, 200, &reply);
    check_names(&reply, "a b");
    assert_non_null(strstr(buffer_text(&reply.body), "\"remainingItemCount\":3"));
    token = token_in(&reply);
    reply_release(&reply);
    server_tell(&server, between, ARRAY_SIZE(between));
    get_page(&server, base, token, 200, &reply);
    check_names(&reply, "c d");
    assert_non_null(strstr(buffer_text(&reply.body), "\"resourceVersion\":\"10\",\"continue\""));
    free(token);
    token = token_in(&reply);
    reply_release(&reply);
    get_page(&server, base, token, 200, &reply);
    check_names(&reply, "0");
    assert_null(strstr(buffer_text(&reply.body), "continue"));
    free(token);
    reply_release(&reply);
    server_free(&server);
}

/* A token behind the compaction is 410, with one that goes on inconsistently (L7). */
static void test_expired_token(void **state)
{
    static const char base[] = CM "?limit=2";
    static const struct line more[] = {
        {"more", "POST", CM, "{\"metadata\":{\"name\":\"cc\"}}", 201, NULL, NULL}
    };
    struct server server;
    struct reply reply;
    char *token;

    (void)state;
    start(&server);
    get_page(&server, base, NULL, 200, &reply);
    token = token_in(&reply);
    reply_release(&reply);
    server_tell(&server, more, 1);
    store_compact(fakeapi_store(server_root(&server)),
                  store_revision(fakeapi_store(server_root(&server))));
    get_page(&server, base, token, 410, &reply);
    assert_non_null(strstr(buffer_text(&reply.body), "\"reason\":\"Expired\""));
    assert_non_null(strstr(buffer_text(&reply.body), "The provided continue parameter is too old"));
    free(token);
    token = token_in(&reply);
    reply_release(&reply);
    get_page(&server, base, token, 200, &reply);
    check_names(&reply, "c cc");
    free(token);
    reply_release(&reply);
    server_free(&server);
}

static void test_tables(void **state)
{
    static const struct {
        const char *name;
        const char *target;
        const char *accept;
        const char *want;
        const char *refuse;
    } rows[] = {
        {"L11: columns",                             CM,                         TABLE,
         "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"
         "\"10\"},\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":"
         "\"name\",",                                                                                                                                                           NULL      },
        {"L12: rows with metadata",                  CM,                         TABLE,
         "\"rows\":[{\"cells\":[\"a\",0,\"90s\"],\"object\":{\"kind\":"
         "\"PartialObjectMetadata\","
         "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{",                                                                                                                    NULL      },
        {"L12: whole objects",                       CM "?includeObject=Object", TABLE,
         "\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{",                                                                                             NULL      },
        {"L12: none",                                CM "?includeObject=None",   TABLE, "\"90s\"],\"object\":null},",
         "metadata.k8s"                                                                                                                                                                   },
        {"L11: of one object",                       CM "/a",                    TABLE,
         "\"metadata\":{\"resourceVersion\":\"7\"},\"columnDefinitions\":[",                                                                                                    NULL      },
        {"pages too",                                CM "?limit=1",              TABLE, "\"remainingItemCount\":3},\"columnDefinitions\"",
         NULL                                                                                                                                                                             },
        {"L21: metadata alone",                      CM,
         "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",            "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
         "\"resourceVersion\":\"10\"},\"items\":[{\"kind\":\"PartialObjectMetadata\","
         "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{",                                        "\"data\""},
        {"L21: of one object",                       CM "/a",
         "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{",
         NULL                                                                                                                                                                             },
        {"an older version is served too",           CM,
         "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",          "\"kind\":\"Table\"",
         NULL                                                                                                                                                                             },
        {"an unknown form falls to the next clause", CM,
         "application/json;as=Chair;v=v1;g=meta.k8s.io,application/json",               "\"kind\":\"ConfigMapList\"",                                                           NULL      },
    };
    struct server server;

    (void)state;
    start(&server);
    server_run(&server, 90 * 1000000);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct ask ask = {.target = rows[i].target, .accept = rows[i].accept};
        struct json_object *tree;
        struct reply reply;

        server_call(&server, &ask, &reply);
        if (reply.status != 200 || strstr(buffer_text(&reply.body), rows[i].want) == NULL ||
            (rows[i].refuse != NULL && strstr(buffer_text(&reply.body), rows[i].refuse) != NULL))
            fail_msg("%s: got %u %s", rows[i].name, reply.status, buffer_text(&reply.body));
        assert_string_equal(reply.content_type, "application/json");
        tree = reply_tree(&reply);
        json_object_put(tree);
        reply_release(&reply);
    }
    server_free(&server);
}

/* Lists too long for one piece are streamed, and whole all the same. */
static void test_long_list(void **state)
{
    struct server server;
    struct ask ask = {.target = CM};
    struct reply reply;
    struct json_object *tree;
    char data[2001];

    (void)state;
    server_start(&server, NULL);
    memset(data, 'x', sizeof(data) - 1);
    data[sizeof(data) - 1] = '\0';
    for (unsigned i = 0; i < 500; i++) {
        const struct rest_target target = {
            .group = "", .plural = "configmaps", .namespace = "default"};
        struct json_object *object = json_object_new_object();
        char name[16];

        snprintf(name, sizeof(name), "n%04u", i);
        json_set_text(json_ensure_object(object, "metadata"), "name", name);
        json_set_text(json_ensure_object(object, "data"), "k", data);
        assert_true(rest_create(fakeapi_rest(server_root(&server)), &target, object, NULL, NULL));
        json_object_put(object);
    }
    server_call(&server, &ask, &reply);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    assert_true(reply.body.size > 1000000);
    tree = reply_tree(&reply);
    assert_int_equal(json_object_array_length(json_get_array(tree, "items")), 500);
    json_object_put(tree);
    reply_release(&reply);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors), cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_pages),     cmocka_unit_test(test_expired_token),
        cmocka_unit_test(test_tables),    cmocka_unit_test(test_long_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
