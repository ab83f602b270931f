/* partial - the few members of a stored object that an actor reads, parsed without the rest.
 *
 * A partial object is a tree with the object's names and resourceVersion and some of its members:
 * enough to look at, and to write its status back, which touches nothing else. */
#ifndef FAKEAPI_CLUSTER_PARTIAL_H
#define FAKEAPI_CLUSTER_PARTIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/store/store.h"

/** A member of the object, or of a member of it (inner; NULL: none). */
struct json_slice partial_slice(const struct store_object *object, const char *member,
                                const char *inner);

/** The object with its status alone; status is an object in any case. json_object_put() it. */
struct json_object *partial_with_status(const struct store_object *object) MUST_CHECK;

/** A whole number or a flag; fallback when the value is anything else, or none. */
int64_t partial_number(struct json_slice value, int64_t fallback);
bool partial_flag(struct json_slice value, bool fallback);

/** The same of a member of a slice. */
int64_t partial_int64(struct json_slice slice, const char *key, int64_t fallback);
bool partial_bool(struct json_slice slice, const char *key, bool fallback);

/** Whether a value is this text, which has no escapes. */
bool partial_is(struct json_slice value, const char *text);

/** A Time that is a member of a slice, wall time in microseconds; 0 when it is anything else. */
int64_t partial_time(struct json_slice slice, const char *key);

/** The condition of that type in a status; without bytes when there is none. */
struct json_slice partial_condition(struct json_slice status, const char *type);
bool partial_condition_holds(struct json_slice status, const char *type);

/** Names, uid and resourceVersion alone, for a patch or a write of a subresource. */
struct json_object *partial_metadata(const struct store_object *object) MUST_CHECK;

#endif
