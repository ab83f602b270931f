#include "controller/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(struct error *err, int size)
{
    static const char mark[] = "...";

    if (size >= ERROR_TEXT_SIZE)
        memcpy(err->text + ERROR_TEXT_SIZE - sizeof(mark), mark, sizeof(mark));
}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list values;

    if (err == NULL)
        return false;
    err->kind = kind;
    va_start(values, format);
    mark_cut(err, vsnprintf(err->text, sizeof(err->text), format, values));
    va_end(values);
    return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
    char text[ERROR_TEXT_SIZE];
    va_list values;
    size_t used;
    int size;

    if (err == NULL)
        return false;
    memcpy(text, err->text, sizeof(text));
    va_start(values, format);
    size = vsnprintf(err->text, sizeof(err->text), format, values);
    va_end(values);
    used = size < 0 ? 0 : (size_t)size;
    if (used >= sizeof(err->text))
        used = sizeof(err->text) - 1;
    size = snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
    if (size > 0)
        mark_cut(err, (int)used + size);
    return false;
}

void error_clear(struct error *err)
{
    err->kind = ERROR_NONE;
    err->text[0] = '\0';
}

const char *error_kind_name(enum error_kind kind)
{
    static const char *const names[] = {
        [ERROR_NONE] = "none",
        [ERROR_USAGE] = "usage",
        [ERROR_MALFORMED] = "malformed",
        [ERROR_INVALID] = "invalid",
        [ERROR_TOO_LARGE] = "too large",
        [ERROR_NOT_FOUND] = "not found",
        [ERROR_EXISTS] = "exists",
        [ERROR_CONFLICT] = "conflict",
        [ERROR_GONE] = "gone",
        [ERROR_DENIED] = "denied",
        [ERROR_TIMED_OUT] = "timed out",
        [ERROR_UNAVAILABLE] = "unavailable",
        [ERROR_IO] = "io",
        [ERROR_INTERNAL] = "internal",
    };

    return names[kind];
}
