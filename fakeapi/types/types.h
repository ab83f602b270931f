/* types - built-in kinds as the real server's decoder sees them: which fields there are, and what
 * each may hold.
 *
 * Source: the Go types of k8s.io/api 1.32, and sigs.k8s.io/json, which decodes into them. The rules
 * of the wire are C3 and C4 of fakeapi/WIRE.md. */
#ifndef FAKEAPI_TYPES_TYPES_H
#define FAKEAPI_TYPES_TYPES_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "fakeapi/schema/schema.h"

struct type_message;

/** The type of a kind, as "apps/v1" and "Deployment"; NULL when there is no such built-in one. */
const struct type_message *types_find(const char *api_version, const char *kind);

/** The type of the metadata of every object. */
const struct type_message *types_object_meta(void);

/** Most unknown fields that decoding names; the rest go unnamed. */
#define TYPES_UNKNOWN_MAX 100

/** Makes of an object what decoding it into its type, and encoding that again, would leave:
 *
 * - unknown fields go, and are named in *unknown (NULL: nobody asks), below place ("" or
 *   "metadata");
 * - nulls, and zeroes and empty containers of fields that are left out then, go;
 * - times, quantities and base64 are written in their one form.
 *
 * apiVersion and kind of a whole object (place "") stay as they are. False when a value cannot be
 * decoded: the reason, in the words of Go's decoder, is appended to why, and the object is half
 * done. One pass; doing it again changes nothing. */
bool types_decode(const struct type_message *message, const char *place, struct json_object *object,
                  struct schema_unknown *unknown, struct buffer *why) MUST_CHECK;

#endif
