/* arena - see arena.h. */
#include "scenarios/language/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct arena_block {
    struct arena_block *next;
    void *thing;
    void (*release)(void *thing);
};

void arena_own(struct arena *arena, void *thing, void (*release)(void *thing))
{
    struct arena_block *block = xcalloc(1, sizeof(*block));

    block->thing = thing;
    block->release = release;
    block->next = arena->blocks;
    arena->blocks = block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    void *memory = xcalloc(1, size == 0 ? 1 : size);

    arena_own(arena, memory, free);
    return memory;
}

char *arena_text(struct arena *arena, const char *text)
{
    char *copy = xstrdup(text);

    if (copy != NULL)
        arena_own(arena, copy, free);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list values;
    va_list again;
    char *text;
    int size;

    va_start(values, format);
    va_copy(again, values);
    size = vsnprintf(NULL, 0, format, values);
    va_end(values);
    text = arena_alloc(arena, (size_t)size + 1);
    (void)vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void arena_release(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;

        arena->blocks = block->next;
        block->release(block->thing);
        free(block);
    }
}
