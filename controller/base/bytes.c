#include "controller/base/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct bytes *bytes_new(const void *data, size_t size)
{
    struct bytes *bytes = xrealloc(NULL, sizeof(*bytes) + size + 1);

    bytes->references = 1;
    bytes->size = size;
    if (size > 0)
        memcpy(bytes->data, data, size);
    bytes->data[size] = '\0';
    return bytes;
}

struct bytes *bytes_ref(struct bytes *bytes)
{
    bytes->references++;
    return bytes;
}

void bytes_unref(struct bytes *bytes)
{
    if (bytes == NULL)
        return;
    assert(bytes->references > 0);
    if (--bytes->references == 0)
        free(bytes);
}
