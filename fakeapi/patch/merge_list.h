/* merge_list - lists whose items have an identity: finding them and putting them in order. */
#ifndef FAKEAPI_PATCH_MERGE_LIST_H
#define FAKEAPI_PATCH_MERGE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** Whether a list of texts holds one. */
bool merge_list_holds(const struct json_object *list, const char *text);

/** The first item whose member key has that value, or (key NULL) that has that value itself. */
bool merge_list_find(const struct json_object *list, const char *key,
                     const struct json_object *value, size_t *ret_index);

/** The items of list in a new order: those that order names in its order, the others between them
 * where live had them (WIRE.md P18). order holds values, or objects that have the key; live may be
 * NULL. Caller puts the result. */
struct json_object *merge_list_ordered(const struct json_object *list, const char *key,
                                       const struct json_object *order,
                                       const struct json_object *live) MUST_CHECK;

/** Whether an item is the one that an entry of an order names: by that key, or (key NULL) as a
 * scalar. The entry may also be the key's value alone. */
bool merge_list_is_same(const struct json_object *item, const struct json_object *entry,
                        const char *key);

#endif
