/* selector - label and field selectors: their two grammars, and who matches (WIRE.md L8, L9). */
#ifndef TESTS_MODEL_SELECTOR_H
#define TESTS_MODEL_SELECTOR_H

#include <stdbool.h>

#include "tests/model/value.h"

/** Whether an object's labels match; selector is one that parses. */
bool labels_match(const char *selector, const struct json_object *object);
/** Whether an object's fields match; missing ones are "". */
bool fields_match(const char *selector, const struct json_object *object);
/** The i-th field that a field selector names ("" past the last), in name[size]. */
void field_name(const char *selector, unsigned index, char *name, unsigned size);
/** The value that "metadata.name=" is asked to have in name[size], when it is asked for. */
bool asks_one_name(const char *selector, char *name, unsigned size);

#endif
