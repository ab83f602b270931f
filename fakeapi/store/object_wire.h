/* object_wire - a tree as canonical bytes, and where things are in them. */
#ifndef FAKEAPI_STORE_OBJECT_WIRE_H
#define FAKEAPI_STORE_OBJECT_WIRE_H

#include "controller/base/bytes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "fakeapi/store/store.h"

/** Writes apiVersion, kind, metadata with this resourceVersion, then the rest; the members of every
 * object below sorted by name, so equal trees give equal bytes. ERROR_TOO_LARGE past size_max. */
bool object_wire(const struct json_object *tree, uint64_t revision, size_t size_max,
                 struct store_layout *ret_layout, struct bytes **ret_bytes,
                 struct error *err) MUST_CHECK;

/** The bytes that object_wire() would make of old with these parts replaced. */
bool object_wire_parts(const struct store_object *old, const struct store_parts *parts,
                       uint64_t revision, size_t size_max, struct store_layout *ret_layout,
                       struct bytes **ret_bytes, struct error *err) MUST_CHECK;

#endif
