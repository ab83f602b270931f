/* object - a stored object made from a tree: canonical bytes and the parsed header. */
#ifndef FAKEAPI_STORE_OBJECT_H
#define FAKEAPI_STORE_OBJECT_H

#include "fakeapi/store/store.h"

/** Largest stored object: etcd's request limit (S11). */
#define OBJECT_BYTES_MAX ((size_t)1536 * 1024)

/** Makes an object of that revision, held once. ERROR_TOO_LARGE past OBJECT_BYTES_MAX. */
bool object_new(const struct json_object *tree, uint64_t revision, const char *const *field_paths,
                size_t field_path_count, const struct store_object **ret_object,
                struct error *err) MUST_CHECK;

/** As object_new(), of old with some parts replaced; old has fields of the same paths. */
bool object_new_parts(const struct store_object *old, const struct store_parts *parts,
                      uint64_t revision, const char *const *field_paths, size_t field_path_count,
                      const struct store_object **ret_object, struct error *err) MUST_CHECK;

/** The key of a tree: "namespace/name" or "name"; free() it. */
char *object_key(const struct json_object *tree) MUST_CHECK;

#endif
