#include "controller/jobs/naming.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"

#define SUFFIX_LENGTH 9 /* "-" and 8 hex digits */

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* a UTF-8 continuation byte */
}

void safe_name(const char *name, char into[SAFE_NAME_SIZE])
{
    size_t length = strlen(name);
    size_t keep = SAFE_NAME_MAX - SUFFIX_LENGTH;

    if (length <= SAFE_NAME_MAX) {
        memcpy(into, name, length + 1);
        return;
    }
    while (keep > 0 && is_inside_character(name[keep]))
        keep--;
    while (keep > 0 && (name[keep - 1] == '.' || name[keep - 1] == '-'))
        keep--;
    memcpy(into, name, keep);
    snprintf(into + keep, SUFFIX_LENGTH + 1, "-%08x",
             (unsigned)(digest_fnv1a64(name, length) & UINT32_MAX));
}

void job_name(const char *agent_name, char into[SAFE_NAME_SIZE])
{
    char *whole = xprintf("agent-job-%s", agent_name);

    safe_name(whole, into);
    free(whole);
}
