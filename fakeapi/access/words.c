/* words - a list of texts. */
#include "fakeapi/access/words.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

void words_add(struct words *words, const char *text)
{
    words->items = xrealloc(words->items, (words->count + 1) * sizeof(*words->items));
    words->items[words->count++] = xstrdup(text);
}

void words_add_new(struct words *words, const char *text)
{
    if (!words_has(words, text))
        words_add(words, text);
}

bool words_has(const struct words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

bool words_equal(const struct words *a, const struct words *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

struct words words_copy(const struct words *words)
{
    struct words copy = {0};

    for (size_t i = 0; i < words->count; i++)
        words_add(&copy, words->items[i]);
    return copy;
}

void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}

struct words words_parse(const struct json_object *array)
{
    struct words words = {0};
    size_t count = json_is(array, json_type_array) ? json_object_array_length(array) : 0;

    for (size_t i = 0; i < count; i++) {
        const char *text = json_text(json_object_array_get_idx(array, i));

        if (text != NULL)
            words_add(&words, text);
    }
    return words;
}

struct json_object *words_to_json(const struct words *words)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < words->count; i++)
        json_add(array, json_object_new_string(words->items[i]));
    return array;
}

void words_append_quoted(struct buffer *buffer, const struct words *words)
{
    buffer_append_char(buffer, '[');
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ' ');
        json_append_quoted(buffer, words->items[i], strlen(words->items[i]));
    }
    buffer_append_char(buffer, ']');
}
