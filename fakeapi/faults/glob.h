/* glob - names by pattern: '*' stands for any text, '?' for one character. */
#ifndef FAKEAPI_FAULTS_GLOB_H
#define FAKEAPI_FAULTS_GLOB_H

#include <stdbool.h>

/** Whether the whole text is like the pattern. Linear in their product at worst. */
bool glob_matches(const char *pattern, const char *text);

#endif
