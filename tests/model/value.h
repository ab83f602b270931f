/* value - JSON values for the model: json-c, and nothing of the server's.
 *
 * A path is names with dots between: "metadata.name". What is absent and what is null are both
 * NULL, or "" where a text is asked for. Running out of memory ends the program. */
#ifndef TESTS_MODEL_VALUE_H
#define TESTS_MODEL_VALUE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text of JSON as a tree; NULL when it is none, or something stands behind it. */
struct json_object *value_parse(const char *text, size_t size);
/** The same from a literal of this program, with ' for ". */
struct json_object *value_of(const char *text);
struct json_object *value_copy(const struct json_object *tree);
bool value_equal(const struct json_object *a, const struct json_object *b);

struct json_object *value_get(const struct json_object *tree, const char *key);
struct json_object *value_at(const struct json_object *tree, const char *path);
const char *value_text(const struct json_object *tree, const char *path);
/** The text of a value; "" when it is none. */
const char *value_string(const struct json_object *value);
int64_t value_int(const struct json_object *tree, const char *path, int64_t otherwise);
bool value_is(const struct json_object *tree, enum json_type type);
size_t value_length(const struct json_object *list);
struct json_object *value_item(const struct json_object *list, size_t index);
/** Whether a list holds a text. */
bool value_lists(const struct json_object *list, const char *text);

/** Takes value over. */
void value_put(struct json_object *object, const char *key, struct json_object *value);
void value_put_text(struct json_object *object, const char *key, const char *value);
void value_put_int(struct json_object *object, const char *key, int64_t value);
void value_add(struct json_object *list, struct json_object *value);
void value_add_text(struct json_object *list, const char *value);
void value_drop(struct json_object *object, const char *key);
/** The object under key, made if there is none. */
struct json_object *value_within(struct json_object *object, const char *key);
/** Makes to's member what from's is: also absent. */
void value_keep(struct json_object *to, const struct json_object *from, const char *key);
/** Drops a member that is an empty object, list or text. */
void value_drop_if_empty(struct json_object *object, const char *key);

/** As printf; free() it. */
char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));

#endif
