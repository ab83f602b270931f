/* Tokens of ServiceAccounts, and questions about who one is and what one may (WIRE.md A3, A4, A14).
 */
#include "tests/unit/rest/access_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/time.h"

/* --- ServiceAccounts (A3, A4) --- */

/* A text of the answer to a request of the administrator; free() it. */
static char *ask_for(struct server *server, const char *method, const char *target,
                     const char *body, const char *first, const char *second)
{
    const struct ask ask = {.method = method,
                            .target = target,
                            .content_type = "application/json",
                            .body = body,
                            .authorization = ADMIN};
    struct json_object *tree;
    struct reply reply;
    char *text;

    server_call(server, &ask, &reply);
    tree = reply_tree(&reply);
    text = xstrdup(json_get_text(json_get_object(tree, first), second));
    if (text == NULL)
        fail_msg("%s: no %s.%s in %s", target, first, second, buffer_text(&reply.body));
    json_object_put(tree);
    reply_release(&reply);
    return text;
}

static void expect_token(struct server *server, const char *token, unsigned status,
                         const char *want)
{
    char *header = xprintf("Bearer %s", token);
    const struct ask ask = {.method = "POST",
                            .target = AUTHN "/selfsubjectreviews",
                            .content_type = "application/json",
                            .body = "{}",
                            .authorization = header};
    struct reply reply;

    server_call(server, &ask, &reply);
    if (reply.status != status || (want != NULL && !strstr(buffer_text(&reply.body), want)))
        fail_msg("got %u: %s", reply.status, buffer_text(&reply.body));
    reply_release(&reply);
    free(header);
}

static const struct step make_account = {
    NULL, "POST", N "/serviceaccounts", "{\"metadata\":{\"name\":\"s\"}}", 201, NULL, NULL};
static const struct step delete_account = {NULL, "DELETE", N "/serviceaccounts/s", NULL, 200,
                                           NULL, NULL};

static void test_token_expires(void **state)
{
    struct server server;
    char *token;

    (void)state;
    access_start(&server);
    access_tell(&server, &make_account, 1);
    token = ask_for(&server, "POST", N "/serviceaccounts/s/token",
                    "{\"spec\":{\"expirationSeconds\":600}}", "status", "token");
    expect_token(&server, token, 201, "\"username\":\"system:serviceaccount:n:s\",\"uid\":");
    expect_token(&server, token, 201,
                 "\"extra\":{\"authentication.kubernetes.io/credential-id\":[\"JTI=");
    server_run(&server, 598 * US_PER_SECOND);
    expect_token(&server, token, 201, NULL);
    server_run(&server, 3 * US_PER_SECOND);
    expect_token(&server, token, 401, "Unauthorized");
    free(token);
    server_free(&server);
}

static void test_token_of_another(void **state)
{
    struct server server;
    char *token;

    (void)state;
    access_start(&server);
    access_tell(&server, &make_account, 1);
    token = ask_for(&server, "POST", N "/serviceaccounts/s/token", "{}", "status", "token");
    expect_token(&server, token, 201, NULL);
    access_tell(&server, &delete_account, 1);
    expect_token(&server, token, 401, NULL);
    access_tell(&server, &make_account, 1);
    expect_token(&server, token, 401, NULL);
    free(token);
    token = ask_for(&server, "POST", N "/serviceaccounts/s/token",
                    "{\"spec\":{\"audiences\":[\"vault\"]}}", "status", "token");
    expect_token(&server, token, 401, NULL);
    free(token);
    server_free(&server);
}

static void test_bound_token(void **state)
{
    static const struct step steps[] = {
        {NULL,  "POST", N "/pods",
         "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"serviceAccountName\":\"s\",\"containers\":[{"
         "\"name\":\"c\",\"image\":\"i\"}]}}",                                                       201, NULL,                                                     NULL},
        {NULL,  "POST", N "/pods",
         "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}"
         "]}}",                                                                                      201, NULL,                                                     NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",
         "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"q\"}}}",  400,
         "cannot bind token for serviceaccount \\\"s\\\" to pod running with different "
         "serviceaccount name.",                                                                                                                                    NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",
         "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"x\"}}}",  404, "pods \\\"x\\\" not found",                               NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",
         "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"p\","
         "\"uid\":\"u\"}}}",                                                                         409,
         "Operation cannot be fulfilled on Pod \\\"p\\\": the UID in the bound object reference "
         "(u) does not match",                                                                                                                                      NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",
         "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Job\",\"apiVersion\":\"batch/"
         "v1\",\"name\":\"p\"}}}",                                                                   400, "cannot bind token to object of type batch/v1, Kind=Job", NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",      "{\"spec\":{\"expirationSeconds\":599}}", 422,
         "TokenRequest.authentication.k8s.io \\\"\\\" is invalid: spec.expirationSeconds: Invalid "
         "value: 599: may not specify a duration less than 10 minutes",                                                                                             NULL},
        {NULL,  "POST", N "/serviceaccounts/s/token",
         "{\"spec\":{\"expirationSeconds\":4294967297}}",                                            422,
         "may not specify a duration larger than 2^32 seconds",                                                                                                     NULL},
        {NULL,  "POST", N "/serviceaccounts/absent/token", "{}",                                     404,
         "serviceaccounts \\\"absent\\\" not found",                                                                                                                NULL},
        {NULL,  "GET",  N "/serviceaccounts/s/token",      NULL,                                     405, NULL,                                                     NULL},
        {"bob", "POST", N "/serviceaccounts/s/token",      "{}",                                     403,
         "cannot create resource \\\"serviceaccounts/token\\\"",                                                                                                    NULL},
    };
    static const struct step delete_pod = {
        NULL, "DELETE", N "/pods/p?gracePeriodSeconds=0", NULL, 200, NULL, NULL};
    struct server server;
    char *token;

    (void)state;
    access_start(&server);
    access_tell(&server, &make_account, 1);
    TELL(&server, steps);
    token = ask_for(
        &server, "POST", N "/serviceaccounts/s/token",
        "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"name\":\"p\"}}}",
        "status", "token");
    expect_token(&server, token, 201, "\"authentication.kubernetes.io/pod-name\":[\"p\"]");
    access_tell(&server, &delete_pod, 1);
    expect_token(&server, token, 401, NULL);
    free(token);
    server_free(&server);
}

static void test_secret_token(void **state)
{
    static const struct step steps[] = {
        {NULL, "POST", N "/secrets",
         "{\"metadata\":{\"name\":\"x\"},\"type\":\"kubernetes.io/service-account-token\"}", 422,
         "metadata.annotations[kubernetes.io/service-account.name]: Required value",                    NULL},
        {NULL, "POST", N "/secrets",
         "{\"metadata\":{\"name\":\"t\",\"annotations\":{\"kubernetes.io/"
         "service-account.name\":\"s\"}},\"type\":\"kubernetes.io/service-account-token\"}", 201, NULL, NULL},
    };
    static const struct step look = {
        NULL, "GET", N "/secrets/t", NULL, 200, "\"namespace\":\"bg==\"", NULL};
    static const struct step gone = {NULL, "GET", N "/secrets/t", NULL, 404, NULL, NULL};
    struct server server;
    char *encoded;
    size_t size;
    char *token;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    access_tell(&server, &make_account, 1);
    access_tell(&server, &look, 1);
    encoded = ask_for(&server, "GET", N "/secrets/t", NULL, "data", "token");
    token = base64_decode(encoded, false, &size);
    expect_token(&server, token, 201, "\"username\":\"system:serviceaccount:n:s\"");
    access_tell(&server, &delete_account, 1);
    expect_token(&server, token, 401, NULL);
    access_tell(&server, &gone, 1);
    free(token);
    free(encoded);
    server_free(&server);
}

/* --- questions (A14) --- */

static void test_reviews(void **state)
{
    static const struct step steps[] = {
        {"bob", "POST",   AUTHZ "/selfsubjectaccessreviews",
         "{\"spec\":{\"resourceAttributes\":{\"namespace\":\"n\",\"verb\":\"list\",\"resource\":"
         "\"pods\"}}}",                                                                                         201,
         "\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"resourceAttributes\":{"
         "\"namespace\":\"n\",\"verb\":\"list\",\"resource\":\"pods\"}},"
         "\"status\":{\"allowed\":true,\"reason\":\"RBAC: allowed by RoleBinding \\\"reader/n\\\" "
         "of Role \\\"reader\\\" to User \\\"bob\\\"\"}}",                                                                                              NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectaccessreviews",
         "{\"spec\":{\"resourceAttributes\":{\"namespace\":\"m\",\"verb\":\"list\",\"resource\":"
         "\"pods\"}}}",                                                                                         201, "\"status\":{\"allowed\":false}}", NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectaccessreviews",
         "{\"spec\":{\"nonResourceAttributes\":{\"verb\":\"get\",\"path\":\"/version\"}}}",                     201,
         "\"allowed\":true",                                                                                                                            NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectaccessreviews",               "{\"spec\":{}}",                     422,
         "\"message\":\".authorization.k8s.io \\\"\\\" is invalid: spec.resourceAttributes: "
         "Invalid value: \\\"null\\\": exactly one of nonResourceAttributes or resourceAttributes "
         "must be specified\"",                                                                                                                         NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectaccessreviews",
         "{\"spec\":{\"resourceAttributes\":{},\"nonResourceAttributes\":{\"path\":\"/"
         "x\",\"verb\":\"get\"}}}",                                                                             422,
         "spec.nonResourceAttributes: Invalid value: "
         "authorization.NonResourceAttributes{Path:\\\"/x\\\", Verb:\\\"get\\\"}: cannot be "
         "specified in combination with resourceAttributes",                                                                                            NULL},
        {"bob", NULL,     AUTHZ "/selfsubjectaccessreviews",               NULL,                                403, "cannot list resource",            NULL},
        {NULL,  NULL,     AUTHZ "/selfsubjectaccessreviews",               NULL,                                405, NULL,                              NULL},
        {NULL,  "DELETE", AUTHZ "/selfsubjectaccessreviews/x",             NULL,                                405, NULL,                              NULL},
 /* of others only who may ask */
        {"bob", "POST",   AUTHZ "/subjectaccessreviews",                   "{\"spec\":{}}",                     403,
         "cannot create resource \\\"subjectaccessreviews\\\"",                                                                                         NULL},
        {NULL,  "POST",   AUTHZ "/subjectaccessreviews",
         "{\"spec\":{\"user\":\"bob\",\"resourceAttributes\":{\"namespace\":\"n\",\"verb\":\"get\","
         "\"resource\":\"secrets\",\"name\":\"own\"}}}",                                                        201, "\"allowed\":true",                NULL},
        {NULL,  "POST",   AUTHZ "/subjectaccessreviews",
         "{\"spec\":{\"user\":\"bob\",\"resourceAttributes\":{\"namespace\":\"n\",\"verb\":\"get\","
         "\"resource\":\"secrets\"}}}",                                                                         201, "\"allowed\":false",               NULL},
        {NULL,  "POST",   AUTHZ "/subjectaccessreviews",
         "{\"spec\":{\"groups\":[\"system:masters\"],\"resourceAttributes\":{\"verb\":\"x\","
         "\"resource\":\"y\"}}}",                                                                               201, "\"allowed\":true",                NULL},
        {NULL,  "POST",   AUTHZ "/subjectaccessreviews",                   "{\"spec\":{}}",                     422,
         "is invalid: [spec.resourceAttributes: Invalid value: \\\"null\\\": exactly one of "
         "nonResourceAttributes or resourceAttributes must be specified, "
         "spec.user: Invalid value: \\\"\\\": at least one of user or group must be specified]",                                                        NULL},
        {NULL,  "POST",   AUTHZ "/namespaces/n/localsubjectaccessreviews",
         "{\"spec\":{\"user\":\"bob\",\"resourceAttributes\":{\"namespace\":\"n\",\"verb\":"
         "\"list\",\"resource\":\"pods\"}}}",                                                                   201, "\"allowed\":true",                NULL},
        {NULL,  "POST",   AUTHZ "/namespaces/n/localsubjectaccessreviews",
         "{\"spec\":{\"user\":\"bob\",\"resourceAttributes\":{\"namespace\":\"m\",\"verb\":"
         "\"list\",\"resource\":\"pods\"}}}",                                                                   422,
         "spec.resourceAttributes.namespace: Invalid value: \\\"m\\\": must match "
         "metadata.namespace",                                                                                                                          NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectrulesreviews",                "{\"spec\":{}}",                     400,
         "no namespace on request",                                                                                                                     NULL},
        {"bob", "POST",   AUTHZ "/selfsubjectrulesreviews",                "{\"spec\":{\"namespace\":\"n\"}}",  201,
         "{\"verbs\":[\"get\",\"list\",\"watch\",\"delete\",\"deletecollection\"],\"apiGroups\":["
         "\"\"],\"resources\":[\"secrets\"],\"resourceNames\":[\"own\"]}",                                                                              NULL},
        {"bob", "POST",   AUTHN "/tokenreviews",                           "{\"spec\":{\"token\":\"master\"}}", 403,
         "cannot create resource \\\"tokenreviews\\\"",                                                                                                 NULL},
        {NULL,  "POST",   AUTHN "/tokenreviews",                           "{\"spec\":{\"token\":\"master\"}}", 201,
         "\"status\":{\"authenticated\":true,\"user\":{\"username\":\"fakeapi\",\"groups\":["
         "\"system:masters\",\"system:authenticated\"]},"
         "\"audiences\":[\"https://kubernetes.default.svc.cluster.local\"]}}",                                                                          NULL},
        {NULL,  "POST",   AUTHN "/tokenreviews",                           "{\"spec\":{\"token\":\"x\"}}",      201,
         "\"status\":{\"user\":{},\"error\":\"invalid bearer token\"}}",                                                                                NULL},
        {NULL,  "POST",   AUTHN "/tokenreviews",                           "{\"spec\":{}}",                     400,
         "token is required for TokenReview in authentication",                                                                                         NULL},
    };
    struct server server;

    (void)state;
    access_start(&server);
    TELL(&server, steps);
    server_free(&server);
}

/* Without access control all may do everything, and are told so. */
static void test_open(void **state)
{
    static const struct line lines[] = {
        {"who",                 "POST", AUTHN "/selfsubjectreviews",       "{}",                               201,
         "\"userInfo\":{\"username\":\"system:unsecured\",\"groups\":[\"system:masters\",\"system:"
         "authenticated\"]}",                                                                                                                         NULL, false},
        {"may",                 "POST", AUTHZ "/selfsubjectaccessreviews",
         "{\"spec\":{\"resourceAttributes\":{\"verb\":\"x\",\"resource\":\"y\"}}}",                            201,
         "\"status\":{\"allowed\":true}}",                                                                                                            NULL, false},
        {"others may too",      "POST", AUTHZ "/subjectaccessreviews",
         "{\"spec\":{\"user\":\"bob\",\"resourceAttributes\":{\"verb\":\"x\",\"resource\":\"y\"}}}",           201, "\"status\":{\"allowed\":true}}", NULL, false},
        {"rules",               "POST", AUTHZ "/selfsubjectrulesreviews",  "{\"spec\":{\"namespace\":\"n\"}}", 201,
         "\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}],"
         "\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]",                                                                    NULL, false},
        {"no roles of its own", "GET",  RBAC "/clusterroles",              NULL,                               200, "\"items\":[]",                   NULL,
         false                                                                                                                                                   },
    };
    struct server server;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, lines, ARRAY_SIZE(lines));
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token_expires), cmocka_unit_test(test_token_of_another),
        cmocka_unit_test(test_bound_token),   cmocka_unit_test(test_secret_token),
        cmocka_unit_test(test_reviews),       cmocka_unit_test(test_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
