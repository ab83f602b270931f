#include "controller/base/buffer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* Growth by half more: few moves, little waste. */
#define BUFFER_CAPACITY_MIN 64

static bool make_room(struct buffer *buffer, size_t size)
{
    size_t capacity = buffer->capacity;
    size_t want;

    if (buffer->overflowed || size > buffer->size_max - buffer->size) {
        buffer->overflowed = true;
        return false;
    }
    want = buffer->size + size + 1;
    if (want <= capacity)
        return true;
    capacity += capacity / 2;
    if (capacity < BUFFER_CAPACITY_MIN)
        capacity = BUFFER_CAPACITY_MIN;
    if (capacity < want)
        capacity = want;
    buffer->bytes = xrealloc(buffer->bytes, capacity);
    buffer->capacity = capacity;
    return true;
}

void buffer_append_slowly(struct buffer *buffer, const void *bytes, size_t size)
{
    if (!make_room(buffer, size))
        return;
    if (size > 0)
        memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    buffer->bytes[buffer->size] = '\0';
}

void buffer_append_format(struct buffer *buffer, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    buffer_append_format_list(buffer, format, values);
    va_end(values);
}

void buffer_append_format_list(struct buffer *buffer, const char *format, va_list values)
{
    va_list again;
    int size;

    va_copy(again, values);
    size = vsnprintf(NULL, 0, format, values);
    assert(size >= 0);
    if (make_room(buffer, (size_t)size)) {
        vsnprintf(buffer->bytes + buffer->size, (size_t)size + 1, format, again);
        buffer->size += (size_t)size;
    }
    va_end(again);
}

char *buffer_reserve(struct buffer *buffer, size_t size)
{
    if (!make_room(buffer, size))
        return NULL;
    return buffer->bytes + buffer->size;
}

void buffer_extend(struct buffer *buffer, size_t size)
{
    assert(size < buffer->capacity - buffer->size);
    buffer->size += size;
    buffer->bytes[buffer->size] = '\0';
}

void buffer_drop(struct buffer *buffer, size_t size)
{
    assert(size <= buffer->size);
    if (size == 0)
        return;
    buffer->size -= size;
    memmove(buffer->bytes, buffer->bytes + size, buffer->size + 1);
}

void buffer_cut(struct buffer *buffer, size_t size)
{
    assert(size <= buffer->size);
    buffer->size = size;
    buffer->overflowed = false;
    if (buffer->bytes != NULL)
        buffer->bytes[size] = '\0';
}

void buffer_clear(struct buffer *buffer)
{
    buffer->size = 0;
    buffer->overflowed = false;
    if (buffer->bytes != NULL)
        buffer->bytes[0] = '\0';
}

bool buffer_check(const struct buffer *buffer, struct error *err)
{
    if (buffer->overflowed)
        return error_set(err, ERROR_TOO_LARGE, "more than %zu bytes", buffer->size_max);
    return true;
}

const char *buffer_text(const struct buffer *buffer)
{
    return buffer->bytes == NULL ? "" : buffer->bytes;
}

char *buffer_take(struct buffer *buffer, size_t *ret_size)
{
    char *bytes = buffer->bytes == NULL ? xmemdup(NULL, 0) : buffer->bytes;

    if (ret_size != NULL)
        *ret_size = buffer->size;
    buffer->bytes = NULL;
    buffer_release(buffer);
    return bytes;
}

void buffer_release(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = BUFFER_INIT(buffer->size_max);
}
