/* bearer - header into token. */
#include "fakeapi/access/bearer.h"

#include <string.h>

#include "controller/base/text.h"

bool bearer_find(const char *header, const char **ret_token, size_t *ret_size)
{
    char scheme[sizeof("Bearer")] = "";
    const char *token;
    size_t size;

    if (header == NULL)
        return false;
    header += strspn(header, " \t");
    size = strcspn(header, " ");
    if (size != sizeof(scheme) - 1 || header[size] == '\0')
        return false;
    memcpy(scheme, header, size);
    token = header + size + 1;
    size = strcspn(token, " ");
    if (!text_equal_ignoring_case(scheme, "Bearer") || size == 0)
        return false;
    *ret_token = token;
    *ret_size = size;
    return true;
}
