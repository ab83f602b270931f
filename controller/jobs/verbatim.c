#include "controller/jobs/verbatim.h"

#include <string.h>

#include "controller/base/buffer.h"

char *verbatim(const char *text)
{
    struct buffer out = BUFFER_INIT(2 * strlen(text) + 1);

    for (const char *at = text; *at != '\0'; at++) {
        buffer_append_char(&out, *at);
        if (*at == '$' && (at[1] == '(' || at[1] == '$'))
            buffer_append_char(&out, '$');
    }
    return buffer_take(&out, NULL);
}
