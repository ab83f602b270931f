/* object - a stored object made from a tree: canonical bytes and the parsed header. */
#ifndef FAKEAPI_STORE_OBJECT_H
#define FAKEAPI_STORE_OBJECT_H

#include "fakeapi/store/store.h"

/** Largest stored object: etcd's request limit (S11). */
#define OBJECT_BYTES_MAX ((size_t)1536 * 1024)

/** Makes an object of that revision, held once; keep (may be NULL) is of an object with fields of
 * the same paths. ERROR_TOO_LARGE past OBJECT_BYTES_MAX. */
bool object_new(const struct json_object *tree, uint64_t revision, const struct store_keep *keep,
                const char *const *field_paths, size_t field_path_count,
                const struct store_object **ret_object, struct error *err) MUST_CHECK;

/** The key of a tree: "namespace/name" or "name"; free() it. */
char *object_key(const struct json_object *tree) MUST_CHECK;

#endif
