/* path - where in an object one is, as messages show it: "spec.list[0].name". */
#ifndef FAKEAPI_SCHEMA_PATH_H
#define FAKEAPI_SCHEMA_PATH_H

#include <stddef.h>

/** Longest path that is shown whole, with its NUL; what would be longer is shown without its end.
 */
#define PATH_TEXT_SIZE 2048

struct path {
    char text[PATH_TEXT_SIZE];
    size_t size;
};

/** Starts at a place; "" for the object itself. */
void path_init(struct path *path, const char *place);

/** Each goes one step down, and returns what path_back() needs to come back. */
size_t path_member(struct path *path, const char *key);
size_t path_index(struct path *path, size_t index);
/** "properties[spec]" behind a dot. */
size_t path_keyed(struct path *path, const char *member, const char *key);
/** "allOf[0]" behind a dot. */
size_t path_numbered(struct path *path, const char *member, size_t index);

void path_back(struct path *path, size_t size);

#endif
