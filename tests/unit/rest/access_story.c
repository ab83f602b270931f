#include "tests/unit/rest/access_story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

static const char *content_type(const struct step *step)
{
    if (step->method == NULL || strcmp(step->method, "PATCH") != 0)
        return "application/json";
    return step->body[0] == '[' ? "application/json-patch+json" : "application/merge-patch+json";
}

void access_tell(struct server *server, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        const struct ask ask = {.method = step->method,
                                .target = step->target,
                                .content_type = content_type(step),
                                .authorization = ADMIN,
                                .as = step->as,
                                .body = step->body};
        struct reply reply;
        const char *got;

        server_call(server, &ask, &reply);
        got = buffer_text(&reply.body);
        if (reply.status != step->status || (step->want != NULL && !strstr(got, step->want)) ||
            (step->refuse != NULL && strstr(got, step->refuse) != NULL))
            fail_msg("step %zu, %s %s as %s: got %u: %s", i,
                     step->method == NULL ? "GET" : step->method, step->target,
                     text_or(step->as, "admin"), reply.status, got);
        reply_release(&reply);
    }
}

void access_start(struct server *server)
{
    static const struct step steps[] = {
        {NULL, "POST", CORE "/namespaces",                "{\"metadata\":{\"name\":\"n\"}}",                             201, NULL, NULL},
        {NULL, "POST", CORE "/namespaces",                "{\"metadata\":{\"name\":\"m\"}}",                             201, NULL, NULL},
        {NULL, "POST", N "/secrets",                      "{\"metadata\":{\"name\":\"own\"},\"data\":{\"k\":\"b3du\"}}",
         201,                                                                                                                 NULL, NULL},
        {NULL, "POST", N "/secrets",
         "{\"metadata\":{\"name\":\"other\",\"labels\":{\"l\":\"v\"}},\"data\":{\"k\":\"" HIDDEN
         "\"}}",                                                                                                         201, NULL, NULL},
        {NULL, "POST", RBAC "/namespaces/n/roles",
         "{\"metadata\":{\"name\":\"reader\"},\"rules\":["
         "{\"verbs\":[\"get\",\"list\",\"watch\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]},"
         "{\"verbs\":[\"get\",\"list\",\"watch\",\"delete\",\"deletecollection\"],\"apiGroups\":["
         "\"\"],"
         "\"resources\":[\"secrets\"],\"resourceNames\":[\"own\"]}]}",                                                   201, NULL, NULL},
        {NULL, "POST", RBAC "/namespaces/n/rolebindings",
         "{\"metadata\":{\"name\":\"reader\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"reader\"},"
         "\"subjects\":[{\"kind\":\"User\",\"name\":\"bob\"}]}",                                                         201, NULL, NULL},
        {NULL, "POST", RBAC "/namespaces/n/roles",
         "{\"metadata\":{\"name\":\"writer\"},\"rules\":["
         "{\"verbs\":[\"create\",\"update\",\"patch\",\"delete\"],\"apiGroups\":[\"\"],"
         "\"resources\":[\"configmaps\"]},"
         "{\"verbs\":[\"update\"],\"apiGroups\":[\"coordination.k8s.io\"],\"resources\":["
         "\"leases\"]},"
         "{\"verbs\":[\"create\",\"update\",\"patch\"],\"apiGroups\":[\"rbac.authorization.k8s."
         "io\"],"
         "\"resources\":[\"roles\",\"rolebindings\"]}]}",                                                                201, NULL, NULL},
        {NULL, "POST", RBAC "/namespaces/n/rolebindings",
         "{\"metadata\":{\"name\":\"writer\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"writer\"},"
         "\"subjects\":[{\"kind\":\"User\",\"name\":\"carol\"}]}",                                                       201, NULL, NULL},
    };

    server_start(server, "--access", "--token", "master", NULL);
    TELL(server, steps);
}
