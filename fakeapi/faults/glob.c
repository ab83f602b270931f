/* glob - names by pattern. */
#include "fakeapi/faults/glob.h"

#include <stddef.h>

bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL; /* the last one seen, and */
    const char *from = NULL; /* where the text goes on behind what it stands for */

    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
