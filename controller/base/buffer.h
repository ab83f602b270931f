/* buffer - growing bytes with a hard limit.
 *
 * Appending past the limit keeps nothing of that append and marks the buffer as overflowed; it
 * stays so until released. Whoever uses the bytes checks buffer_check() once, at the end. */
#ifndef CONTROLLER_BASE_BUFFER_H
#define CONTROLLER_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

struct buffer {
    char *bytes; /* size of them, then a NUL once anything was appended; NULL before */
    size_t size;
    size_t capacity;
    size_t size_max;
    bool overflowed;
};

/** An empty buffer that may grow to size_max bytes. */
#define BUFFER_INIT(max_bytes) ((struct buffer){.size_max = (max_bytes)})

static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
static inline void buffer_append_text(struct buffer *buffer, const char *text);
static inline void buffer_append_char(struct buffer *buffer, char character);
void buffer_append_format(struct buffer *buffer, const char *format, ...) PRINTF_LIKE(2, 3);
void buffer_append_format_list(struct buffer *buffer, const char *format, va_list values)
    PRINTF_LIKE(2, 0);

/** Room for size more bytes at the end, to be written there and then counted with
 * buffer_extend(); NULL (and overflowed) when that would pass the limit. */
char *buffer_reserve(struct buffer *buffer, size_t size);
void buffer_extend(struct buffer *buffer, size_t size);

/** Drops the first size bytes. */
void buffer_drop(struct buffer *buffer, size_t size);

/** Drops what is behind the first size bytes, of which there are as many; not overflowed after. */
void buffer_cut(struct buffer *buffer, size_t size);

/** Empty again, not overflowed; keeps the memory. */
void buffer_clear(struct buffer *buffer);

/** False with ERROR_TOO_LARGE "more than N bytes" when anything was refused. */
bool buffer_check(const struct buffer *buffer, struct error *err) MUST_CHECK;

/** The content as a text, "" when empty; valid until the next change. */
const char *buffer_text(const struct buffer *buffer);

/** Moves the bytes out (never NULL, NUL behind them); the buffer is empty after. free() them. */
char *buffer_take(struct buffer *buffer, size_t *ret_size) MUST_CHECK;

void buffer_release(struct buffer *buffer);

/* --- inline: most appends find room --- */

/** For the functions below: an append that may not find room. */
void buffer_append_slowly(struct buffer *buffer, const void *bytes, size_t size);

static inline bool buffer_has_room(const struct buffer *buffer, size_t size)
{
    return size < buffer->capacity - buffer->size && size <= buffer->size_max - buffer->size &&
           !buffer->overflowed;
}

static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0 || !buffer_has_room(buffer, size)) {
        buffer_append_slowly(buffer, bytes, size);
        return;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    buffer->bytes[buffer->size] = '\0';
}

static inline void buffer_append_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

static inline void buffer_append_char(struct buffer *buffer, char character)
{
    buffer_append(buffer, &character, 1);
}

#endif
