/* pointer - JSON pointers (RFC 6901) as the server reads them. */
#ifndef FAKEAPI_PATCH_POINTER_H
#define FAKEAPI_PATCH_POINTER_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** A pointer taken apart: "/a~1b/0" is "a/b", "0". */
struct pointer {
    char *text; /* holds the tokens */
    const char *tokens[JSON_DEPTH_MAX];
    size_t count;
};

/** False when text is neither "" nor begins with '/', an escape is broken, or it is deeper than any
 * document may be. */
bool pointer_parse(const char *text, struct pointer *ret_pointer) MUST_CHECK;
void pointer_release(struct pointer *pointer);

/** Whether a names b or a place above b. */
bool pointer_is_above(const struct pointer *a, const struct pointer *b);

/** The object or array that the last token is looked up in; NULL when the way there is missing.
 * The pointer has a token at least. Borrowed. */
struct json_object *pointer_parent(const struct pointer *pointer, struct json_object *document);

/** Reads an array index below bound; negative ones count from the end (P10). */
bool pointer_index(const char *token, size_t bound, size_t *ret_index) MUST_CHECK;

/** Finds the value; false when there is none. *ret_value is NULL for a null. Borrowed. */
bool pointer_find(const struct pointer *pointer, struct json_object *document,
                  struct json_object **ret_value) MUST_CHECK;

#endif
