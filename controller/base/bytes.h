/* bytes - immutable bytes that several owners share, counted.
 *
 * What is serialised once and sent to many (a stored object, a watch event) is one of these. */
#ifndef CONTROLLER_BASE_BYTES_H
#define CONTROLLER_BASE_BYTES_H

#include <stddef.h>

#include "controller/base/attributes.h"

struct bytes {
    unsigned references;
    size_t size;
    char data[]; /* size bytes, then a NUL */
};

/** A copy of size bytes, held once. */
struct bytes *bytes_new(const void *data, size_t size) MUST_CHECK;

/** Holds it once more; returns it. */
struct bytes *bytes_ref(struct bytes *bytes);

/** Lets go; the last one frees. Takes NULL. */
void bytes_unref(struct bytes *bytes);

#endif
