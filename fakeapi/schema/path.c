/* path - where in an object one is, as messages show it. */
#include "fakeapi/schema/path.h"

#include <stdarg.h>
#include <stdio.h>

#include "controller/base/attributes.h"

static size_t append(struct path *path, const char *format, ...) PRINTF_LIKE(2, 3);

static size_t append(struct path *path, const char *format, ...)
{
    size_t before = path->size;
    va_list values;
    int size;

    va_start(values, format);
    size = vsnprintf(path->text + before, sizeof(path->text) - before, format, values);
    va_end(values);
    if (size > 0)
        path->size += (size_t)size;
    if (path->size >= sizeof(path->text))
        path->size = sizeof(path->text) - 1;
    return before;
}

void path_init(struct path *path, const char *place)
{
    path->size = 0;
    path->text[0] = '\0';
    append(path, "%s", place);
}

size_t path_member(struct path *path, const char *key)
{
    return append(path, "%s%s", path->size == 0 ? "" : ".", key);
}

size_t path_index(struct path *path, size_t index)
{
    return append(path, "[%zu]", index);
}

size_t path_keyed(struct path *path, const char *member, const char *key)
{
    return append(path, "%s%s[%s]", path->size == 0 ? "" : ".", member, key);
}

size_t path_numbered(struct path *path, const char *member, size_t index)
{
    return append(path, "%s%s[%zu]", path->size == 0 ? "" : ".", member, index);
}

void path_back(struct path *path, size_t size)
{
    path->size = size;
    path->text[size] = '\0';
}
