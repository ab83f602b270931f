/* path - where in an object one is, as messages show it.
 *
 * Every member of every write goes through here, and almost none is ever shown: hence no formats.
 */
#include "fakeapi/schema/path.h"

#include <string.h>

static void append(struct path *path, const char *text, size_t size)
{
    size_t room = sizeof(path->text) - 1 - path->size;

    if (size > room)
        size = room;
    memcpy(path->text + path->size, text, size);
    path->size += size;
    path->text[path->size] = '\0';
}

static void append_index(struct path *path, size_t index)
{
    char text[24];
    char *at = text + sizeof(text);

    *--at = ']';
    do
        *--at = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    *--at = '[';
    append(path, at, (size_t)(text + sizeof(text) - at));
}

static void append_member(struct path *path, const char *name)
{
    if (path->size > 0)
        append(path, ".", 1);
    append(path, name, strlen(name));
}

void path_init(struct path *path, const char *place)
{
    path->size = 0;
    path->text[0] = '\0';
    append(path, place, strlen(place));
}

size_t path_member(struct path *path, const char *key)
{
    size_t before = path->size;

    append_member(path, key);
    return before;
}

size_t path_index(struct path *path, size_t index)
{
    size_t before = path->size;

    append_index(path, index);
    return before;
}

size_t path_keyed(struct path *path, const char *member, const char *key)
{
    size_t before = path->size;

    append_member(path, member);
    append(path, "[", 1);
    append(path, key, strlen(key));
    append(path, "]", 1);
    return before;
}

size_t path_numbered(struct path *path, const char *member, size_t index)
{
    size_t before = path->size;

    append_member(path, member);
    append_index(path, index);
    return before;
}

void path_back(struct path *path, size_t size)
{
    path->size = size;
    path->text[size] = '\0';
}
