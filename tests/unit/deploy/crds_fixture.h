/* crds_fixture - the CRDs as they lie in controller/deploy/crds, objects made from their schemas,
 * and the readers of controller/kinds, watched while they read. */
#ifndef TESTS_UNIT_DEPLOY_CRDS_FIXTURE_H
#define TESTS_UNIT_DEPLOY_CRDS_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/json.h"

enum crd { CRD_AGENT, CRD_STATION, CRD_DEFINITION, CRD_SPAWNER, CRD_COUNT };

/** How many versions it has, and the schema of one of them. Borrowed. */
size_t crd_version_count(const struct json_object *crd);
struct json_object *crd_schema(const struct json_object *crd, size_t version);

/** Called for a node of a schema; required by the object that it is in. */
typedef void crd_visit(const char *path, struct json_object *node, bool required, void *arg);

/** All nodes below an object's own, in the order written: "spec", "spec.files", "spec.files[]".
 * What every object has (apiVersion, kind, metadata) is left out. */
void crd_walk(struct json_object *schema, crd_visit *visit, void *arg);

/** The node at a path; NULL when there is none. Borrowed. */
struct json_object *crd_node(struct json_object *schema, const char *path);

/** An object in which every field of the schema is there, with one item in every list, and full
 * metadata. A text is its own key. json_object_put() it. */
struct json_object *crd_sample(struct json_object *schema) MUST_CHECK;

/** Puts a value (takes it) at such a path of an object, in the first item of every list; or with
 * NULL takes it away. Its parent is there. */
void sample_set(struct json_object *object, const char *path, struct json_object *value);

/** What the readers of that kind make of an object, as a text to compare; NULL when they refuse it.
 * free() it. missed gets, a line each, what they asked for and did not find. */
char *read_object(enum crd crd, const struct json_object *object, struct buffer *missed) MUST_CHECK;

/** As the first part of read_object() for an Agent, but from a Table's row: its cells are taken
 * from the object at the paths. */
char *read_agent_row(struct json_object *object, const char *const *paths) MUST_CHECK;
/** The first part of read_object() for an Agent: what the cache keeps. */
char *read_agent(const struct json_object *object) MUST_CHECK;

/* --- tests: all rows that fail are named; then a test sees that there were none --- */

/** The CRDs, and how many complaints there were about them. */
struct crds {
    struct json_object *list[CRD_COUNT];
    size_t complaints;
};

/** Of one test. */
int crds_set_up(void **state);
int crds_tear_down(void **state);

void complain(struct crds *crds, const char *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** JSON that is right; json_object_put() it. */
struct json_object *parse(const char *text) MUST_CHECK;

#endif
