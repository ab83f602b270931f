/* memory - allocation that does not fail: out of memory ends the process with a message.
 *
 * So what outsiders can make us allocate is bounded before it gets here. */
#ifndef CONTROLLER_BASE_MEMORY_H
#define CONTROLLER_BASE_MEMORY_H

#include <stddef.h>

#include "controller/base/attributes.h"

/** Zeroed memory for count things of size bytes; free() it. Aborts when count * size overflows. */
void *xcalloc(size_t count, size_t size) MUST_CHECK;

/** As realloc; memory may be NULL, size 0 counts as 1. */
void *xrealloc(void *memory, size_t size) MUST_CHECK;

/** A copy of the text; NULL in, NULL out. */
char *xstrdup(const char *text) MUST_CHECK;

/** A copy of size bytes with a NUL behind them; bytes may be NULL when size is 0. */
char *xmemdup(const void *bytes, size_t size) MUST_CHECK;

/** Has what is freed go back to the system soon, for a program that lives long and whose size
 * counts: a block of 128 KiB or more at once. Otherwise the largest answers decide for ever how
 * large it is. For main() alone. */
void memory_give_back(void);

/** A formatted text; free() it. */
char *xprintf(const char *format, ...) PRINTF_LIKE(1, 2) MUST_CHECK;

#endif
