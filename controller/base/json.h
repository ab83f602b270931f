/* json - the gate in front of json-c, and the one place that reads and writes JSON text.
 *
 * The gate scans the bytes before json-c sees them and refuses what json-c lets through or
 * quietly changes: duplicate keys, NUL in keys, integers beyond 64 bits, control characters in
 * strings, invalid UTF-8, anything behind the value, and more depth or size than the limits, that
 * of the tree among them. Half
 * of a surrogate pair as an escape is taken and becomes U+FFFD, as in Go's decoder. */
#ifndef CONTROLLER_BASE_JSON_H
#define CONTROLLER_BASE_JSON_H

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

/** Deepest nesting that anybody's manifests need; Kubernetes' own decoder stops at 10,000. */
#define JSON_DEPTH_MAX 100

/** What the tree of a text may take in memory, about: so many bytes, or so many times the text, if
 * that is more. An empty object is two bytes of text and hundreds in the tree; what people write
 * takes ten to thirty times its size. */
#define JSON_TREE_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define JSON_TREE_FACTOR_MAX 24

/** Most bytes of one text, whatever the caller allows: json-c counts them in an int. */
#define JSON_BYTES_MAX ((size_t)INT32_MAX)

/** Parses one JSON value. Errors are ERROR_MALFORMED or ERROR_TOO_LARGE and say at which byte.
 * *ret_value may be NULL: the JSON null. json_object_put() it. */
bool json_parse(const void *bytes, size_t size, size_t size_max, struct json_object **ret_value,
                struct error *err) MUST_CHECK;

/** Keys that their object has more than once. Init with {0}. */
struct json_repeats {
    char **paths; /* as Go's strict decoder writes them: "spec.ports[1].name"; at most
                     JSON_REPEATS_MAX, each once */
    size_t count;
};

/** Most of them that are told. */
#define JSON_REPEATS_MAX 100

/** As json_parse(), but a key may repeat: the last value counts, and repeats gets its path. */
bool json_parse_repeating(const void *bytes, size_t size, size_t size_max,
                          struct json_object **ret_value, struct json_repeats *repeats,
                          struct error *err) MUST_CHECK;
void json_repeats_release(struct json_repeats *repeats);

/** The gate alone: whether json_parse() would take it. Allocates little and builds nothing. */
bool json_check(const void *bytes, size_t size, size_t size_max, struct error *err) MUST_CHECK;

/* --- reading a tree; every one takes NULL for the tree, and answers as if the key were absent ---
 */

/** The member, or NULL when there is none (or it is null). Borrowed. */
struct json_object *json_get(const struct json_object *object, const char *key);

/** Follows several keys, the last argument NULL: json_walk(pod, "status", "phase", NULL). */
struct json_object *json_walk(const struct json_object *object, ...) __attribute__((sentinel));

/** Typed members; NULL or fallback when absent, of another type, or (texts) with a NUL inside. */
const char *json_get_text(const struct json_object *object, const char *key);
int64_t json_get_int64(const struct json_object *object, const char *key, int64_t fallback);
bool json_get_bool(const struct json_object *object, const char *key, bool fallback);
struct json_object *json_get_object(const struct json_object *object, const char *key);
struct json_object *json_get_array(const struct json_object *object, const char *key);

/** The value itself as a text; NULL when it is none, or has a NUL inside. */
const char *json_text(const struct json_object *value);
bool json_is(const struct json_object *value, enum json_type type);

/** Deep comparison; numbers by value, members in any order. NULL equals NULL. */
bool json_equal(const struct json_object *a, const struct json_object *b);

/** A deep copy. */
struct json_object *json_copy(const struct json_object *value) MUST_CHECK;

/* --- building; json_set takes ownership of value and replaces a member of that name --- */

void json_set(struct json_object *object, const char *key, struct json_object *value);
void json_set_text(struct json_object *object, const char *key, const char *value);
void json_set_int64(struct json_object *object, const char *key, int64_t value);
void json_set_bool(struct json_object *object, const char *key, bool value);
/** The member of that name, made as an empty object when it is not an object yet. Borrowed. */
struct json_object *json_ensure_object(struct json_object *object, const char *key);
/** Takes ownership of value. */
void json_add(struct json_object *array, struct json_object *value);

/* --- writing --- */

/** Compact JSON; slashes unescaped; members in insertion order. */
void json_append(struct buffer *buffer, const struct json_object *value);
/** Two spaces of indent, for people. */
void json_append_pretty(struct buffer *buffer, const struct json_object *value);
/** A quoted JSON string of size bytes; bytes that are not UTF-8 become U+FFFD. */
void json_append_quoted(struct buffer *buffer, const char *text, size_t size);
/** Compact JSON as a text; free() it. */
char *json_to_text(const struct json_object *value, size_t *ret_size) MUST_CHECK;

/* --- slices: finding one's way in checked JSON text without a tree --- */

/** A value's bytes within a larger text, borrowed from it. */
struct json_slice {
    const char *bytes; /* NULL: no such value */
    size_t size;
};

/** Whether a value is there and begins with that byte: '{' for an object, '[', '"', or 'n' for
 * null. */
static inline bool json_slice_begins(struct json_slice value, char first)
{
    return value.bytes != NULL && value.size > 0 && value.bytes[0] == first;
}

/** The member of that (unescaped) name of an object's text. The text has passed the gate. */
struct json_slice json_slice_get(struct json_slice object, const char *key);

/** A member to be found. */
struct json_member {
    const char *key;
    struct json_slice *value;
};

/** Finds several members in one pass: each value as json_slice_get() gives it. */
void json_slice_find(struct json_slice object, const struct json_member *wanted, size_t count);

/** Steps through the elements of an array's text that has passed the gate. Start with *next = 0;
 * false at the end. */
bool json_slice_next(struct json_slice array, size_t *next, struct json_slice *ret_item);

/** Steps through the members of an object's text; *ret_key is the quoted key. */
bool json_slice_next_member(struct json_slice object, size_t *next, struct json_slice *ret_key,
                            struct json_slice *ret_value);

/** Appends the value without the space between its parts: strings as json_append() writes them,
 * numbers digit by digit as they stand. */
void json_append_compact(struct buffer *buffer, struct json_slice value);

/** The value parsed. It has passed the gate, so this cannot fail. */
struct json_object *json_slice_parse(struct json_slice value) MUST_CHECK;
/** Likewise, without the lists whose keys are among names, at any depth: what a reader does not
 * look at costs it nothing. */
struct json_object *json_slice_parse_without(struct json_slice value, const char *const *names,
                                             size_t name_count) MUST_CHECK;

/** A string's text, unescaped; NULL when it is not a string or holds a NUL. free() it. */
char *json_slice_text(struct json_slice value) MUST_CHECK;
/** Likewise, but each NUL becomes U+FFFD, as a surrogate without its other half does. NULL when it
 * is not a string. */
char *json_slice_text_mended(struct json_slice value) MUST_CHECK;

#endif
