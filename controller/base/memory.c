#include "controller/base/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *xcalloc(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    return checked(calloc(count, size));
}

void *xrealloc(void *memory, size_t size)
{
    return checked(realloc(memory, size == 0 ? 1 : size));
}

char *xstrdup(const char *text)
{
    return text == NULL ? NULL : xmemdup(text, strlen(text));
}

char *xmemdup(const void *bytes, size_t size)
{
    char *copy;

    if (size == SIZE_MAX)
        abort();
    copy = checked(malloc(size + 1));
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *xprintf(const char *format, ...)
{
    va_list values;
    va_list again;
    char *text;
    int size;

    va_start(values, format);
    va_copy(again, values);
    size = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (size < 0)
        abort();
    text = checked(malloc((size_t)size + 1));
    vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void memory_give_back(void)
{
    /* Said at all, they stay: else the first large block freed moves both up. */
    (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    (void)mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}
