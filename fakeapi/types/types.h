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

/** What Go's decoder calls a value: "object", "number". */
const char *types_word(const struct json_object *value);

/** The type of a kind, as "apps/v1" and "Deployment"; NULL when there is no such built-in one. */
const struct type_message *types_find(const char *api_version, const char *kind);

/** Most unknown fields that decoding names; the rest go unnamed. */
#define TYPES_UNKNOWN_MAX 100

/** Makes of a whole object what decoding it into its type, and encoding that again, would leave:
 *
 * - unknown fields go, and are named in *unknown (NULL: nobody asks);
 * - nulls, and zeroes and empty containers of fields that are left out then, go;
 * - times, quantities and base64 are written in their one form.
 *
 * apiVersion and kind stay as they are. False when a value cannot be decoded: the reason, in the
 * words of Go's decoder, is appended to why, which was empty, and the object is half done. One
 * pass; doing it again changes nothing. */
bool types_decode(const struct type_message *message, struct json_object *object,
                  struct schema_unknown *unknown, struct buffer *why) MUST_CHECK;

/** The same for the metadata of an object of any kind (fakeapi/WIRE.md R10). */
bool types_decode_metadata(struct json_object *object, struct schema_unknown *unknown,
                           struct buffer *why) MUST_CHECK;

#endif
