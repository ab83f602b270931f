/* problems - see problems.h. */
#include "scenarios/language/problems.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Longest text of one problem. */
#define PROBLEM_BYTES_MAX 4096

void problems_add_list(struct problems *problems, struct place place, const char *format,
                       va_list values)
{
    struct buffer text = BUFFER_INIT(PROBLEM_BYTES_MAX);
    struct problem *problem;

    if (problems->count == PROBLEMS_MAX) {
        problems->left_out++;
        return;
    }
    buffer_append_format_list(&text, format, values);
    if (text.overflowed) {
        buffer_clear(&text);
        buffer_append_text(&text, "a mistake in a text too long to show");
    }
    problems->items = xrealloc(problems->items, (problems->count + 1) * sizeof(*problems->items));
    problem = &problems->items[problems->count++];
    problem->place = place;
    problem->file = xstrdup(place.file);
    problem->place.file = problem->file;
    problem->text = xstrdup(buffer_text(&text));
    buffer_release(&text);
}

void problems_add(struct problems *problems, struct place place, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    problems_add_list(problems, place, format, values);
    va_end(values);
}

static bool comes_after(const struct place *a, const struct place *b)
{
    int order = strcmp(text_or(a->file, ""), text_or(b->file, ""));

    if (order != 0)
        return order > 0;
    return a->line > b->line || (a->line == b->line && a->column > b->column);
}

/** By place, keeping the order of those at the same one. */
static void sort(struct problem *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct problem moving = items[i];
        size_t j = i;

        while (j > 0 && comes_after(&items[j - 1].place, &moving.place)) {
            items[j] = items[j - 1];
            j--;
        }
        items[j] = moving;
    }
}

void problems_append(struct problems *problems, const char *path, struct buffer *buffer)
{
    sort(problems->items, problems->count);
    for (size_t i = 0; i < problems->count; i++)
        buffer_append_format(buffer, "%s:%u:%u: %s\n", text_or(problems->items[i].place.file, path),
                             problems->items[i].place.line, problems->items[i].place.column,
                             problems->items[i].text);
    if (problems->left_out > 0)
        buffer_append_format(buffer, "%s: and %zu more\n", path, problems->left_out);
}

void problems_release(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        free(problems->items[i].file);
        free(problems->items[i].text);
    }
    free(problems->items);
    *problems = (struct problems){0};
}
