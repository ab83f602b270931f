/* compare - whether what came is what was expected, placeholders filled in. */
#ifndef TESTS_MODEL_COMPARE_H
#define TESTS_MODEL_COMPARE_H

#include "tests/model/value.h"

/** What placeholders stood for; "" where there was none. */
struct bindings {
    char uid[64];
    char name[300];
    char token[600];
};

/** Compares whole trees. Members called managedFields are left out of both. "<any>" at the end of a
 * text stands for anything. False with the first difference in why. */
bool compare(const struct json_object *want, const struct json_object *got,
             struct bindings *bindings, char why[512]);

#endif
