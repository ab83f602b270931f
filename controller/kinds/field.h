/* field - typed members of custom resources, read leniently (RULES.md section 0).
 *
 * An absent or null member is its default; a member of another type is an error, which makes that
 * one object unusable. Used by the parsers of this folder alone. */
#ifndef CONTROLLER_KINDS_FIELD_H
#define CONTROLLER_KINDS_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/kinds/text_list.h"

/** A text member of a struct: its key, and where its char * is. */
struct field_key {
    const char *key;
    size_t offset;
};

/** Reads count text members into the struct at into; "" where absent. Each char * was NULL. */
bool field_texts(const struct json_object *object, const struct field_key *keys, size_t count,
                 void *into, struct error *err) MUST_CHECK;
/** Frees what field_texts() read. */
void field_texts_release(const struct field_key *keys, size_t count, void *from);

/** One text; *ret_text was NULL and is the caller's, "" when absent. */
bool field_text(const struct json_object *object, const char *key, char **ret_text,
                struct error *err) MUST_CHECK;

/** An integer, also written 3.0; fallback when absent. */
bool field_int64(const struct json_object *object, const char *key, int64_t fallback,
                 int64_t *ret_value, struct error *err) MUST_CHECK;

/** False when absent. */
bool field_bool(const struct json_object *object, const char *key, bool *ret_value,
                struct error *err) MUST_CHECK;

/** Borrowed; NULL when absent. */
bool field_object(const struct json_object *object, const char *key,
                  struct json_object **ret_object, struct error *err) MUST_CHECK;

/** An array of objects, borrowed, with its length; NULL and 0 when absent. */
bool field_objects(const struct json_object *object, const char *key,
                   struct json_object **ret_array, size_t *ret_count, struct error *err) MUST_CHECK;

/** An array of texts; *ret_list was empty. */
bool field_text_list(const struct json_object *object, const char *key, struct text_list *ret_list,
                     struct error *err) MUST_CHECK;

#endif
