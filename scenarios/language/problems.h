/* problems - everything that is wrong with a file, each with its place.
 *
 * Reading goes on after a mistake, so that a person sees all of them at once. */
#ifndef SCENARIOS_LANGUAGE_PROBLEMS_H
#define SCENARIOS_LANGUAGE_PROBLEMS_H

#include <stdarg.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

/** Problems kept of one file; a further one is counted and not shown. */
#define PROBLEMS_MAX 100

/** Where something stands in its file; both from 1. */
struct place {
    unsigned line;
    unsigned column;
    const char *file; /* an included one, by its path; NULL: the scenario's own */
};

struct problem {
    struct place place; /* its file is the next member */
    char *file;
    char *text;
};

struct problems {
    struct problem *items;
    size_t count; /* kept ones */
    size_t left_out;
};

void problems_add(struct problems *problems, struct place place, const char *format, ...)
    PRINTF_LIKE(3, 4);
void problems_add_list(struct problems *problems, struct place place, const char *format,
                       va_list values) PRINTF_LIKE(3, 0);

/** "path:line:column: text" for each, in the order of the file and then of what it includes, each
 * with its line end; path is the scenario's own. */
void problems_append(struct problems *problems, const char *path, struct buffer *buffer);

void problems_release(struct problems *problems);

#endif
