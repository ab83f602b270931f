/* words - a list of texts, in order, owned. */
#ifndef FAKEAPI_ACCESS_WORDS_H
#define FAKEAPI_ACCESS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"

struct words { /* init with {0} */
    char **items;
    size_t count;
};

void words_add(struct words *words, const char *text);
/** The same unless it is there already. */
void words_add_new(struct words *words, const char *text);
bool words_has(const struct words *words, const char *text);
bool words_equal(const struct words *a, const struct words *b);
struct words words_copy(const struct words *words);
void words_release(struct words *words);

/** The texts of a JSON array, what else is in it left out; none when it is no array. */
struct words words_parse(const struct json_object *array);
struct json_object *words_to_json(const struct words *words);
/** As Go prints a list with %q: ["a" "b"]. */
void words_append_quoted(struct buffer *buffer, const struct words *words);

#endif
