/* access_story - requests of several people to a server with access control. */
#ifndef TESTS_UNIT_REST_ACCESS_STORY_H
#define TESTS_UNIT_REST_ACCESS_STORY_H

#include "tests/unit/rest/server.h"

#include "controller/base/attributes.h"

#define ADMIN "Bearer master"
#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define CORE "/api/v1"
#define N "/api/v1/namespaces/n"
#define AUTHZ "/apis/authorization.k8s.io/v1"
#define AUTHN "/apis/authentication.k8s.io/v1"
/** What nobody may see who may not read Secrets: in the Secret "other". */
#define HIDDEN "aGlkZGVu"

struct step {
    const char *as; /* NULL: the administrator */
    const char *method;
    const char *target;
    const char *body;
    unsigned status;
    const char *want;   /* in the body; NULL: anything */
    const char *refuse; /* not in it */
};

/** Tells a story, and fails the test where it goes wrong. */
void access_tell(struct server *server, const struct step *steps, size_t count);
#define TELL(server, steps) access_tell((server), (steps), ARRAY_SIZE(steps))

/** A server with access control and the namespaces n and m. bob may read pods of n, and in it the
 * one Secret "own"; carol may write but not read. */
void access_start(struct server *server);

#endif
