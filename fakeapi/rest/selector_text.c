/* selector_text - a label selector of an object as a text that selector_parse_labels() reads. */
#include <json-c/json.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/selector.h"

/* Longest text of one. */
#define SELECTOR_BYTES_MAX ((size_t)1024 * 1024)

/* By their keys. */
static int compare_requirements(const void *a, const void *b)
{
    const char *left = *(char *const *)a;
    const char *right = *(char *const *)b;

    return strcmp(left + (left[0] == '!'), right + (right[0] == '!'));
}

/* "k in (a,b)", values sorted. free() it. */
static char *expression_text(const struct json_object *expression)
{
    const char *key = text_or(json_get_text(expression, "key"), "");
    const char *operator= text_or(json_get_text(expression, "operator"), "");
    struct json_object *values = json_get_array(expression, "values");
    size_t count = values == NULL ? 0 : json_object_array_length(values);
    struct buffer text = BUFFER_INIT(SELECTOR_BYTES_MAX);
    const char **sorted;

    if (strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0)
        return xprintf("%s%s", operator[0] == 'E' ? "" : "!", key);
    sorted = xcalloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = text_or(json_text(json_object_array_get_idx(values, i)), "");
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), text_compare_items);
    buffer_append_format(&text, "%s %s (", key, strcmp(operator, "In") == 0 ? "in" : "notin");
    for (size_t i = 0; i < count; i++)
        buffer_append_format(&text, "%s%s", i == 0 ? "" : ",", sorted[i]);
    buffer_append_char(&text, ')');
    free(sorted);
    return buffer_take(&text, NULL);
}

/* Adds the texts of a label selector to items, of which there are used. */
static size_t add_labels(struct json_object *labels, char **items)
{
    struct json_object_iter at;
    size_t used = 0;

    if (labels == NULL)
        return 0;
    json_object_object_foreachC(labels, at)
    {
        items[used++] = xprintf("%s=%s", at.key, text_or(json_text(at.val), ""));
    }
    return used;
}

char *selector_text_of(const struct json_object *selector)
{
    struct json_object *labels = json_get_object(selector, "matchLabels");
    struct json_object *expressions = json_get_array(selector, "matchExpressions");
    size_t count = expressions == NULL ? 0 : json_object_array_length(expressions);
    size_t label_count = labels == NULL ? 0 : (size_t)json_object_object_length(labels);
    struct buffer text = BUFFER_INIT(SELECTOR_BYTES_MAX);
    char **items = xcalloc(count + label_count + 1, sizeof(*items));
    size_t used = add_labels(labels, items);

    for (size_t i = 0; i < count; i++)
        items[used++] = expression_text(json_object_array_get_idx(expressions, i));
    if (used > 0)
        qsort(items, used, sizeof(*items), compare_requirements);
    for (size_t i = 0; i < used; i++) {
        buffer_append_format(&text, "%s%s", i == 0 ? "" : ",", items[i]);
        free(items[i]);
    }
    free(items);
    return buffer_take(&text, NULL);
}
