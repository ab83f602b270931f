/* selector - label and field selectors: parsed once, then matched against stored headers.
 *
 * Rules: WIRE.md L8 to L10. */
#ifndef FAKEAPI_REST_SELECTOR_H
#define FAKEAPI_REST_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/rest/status.h"
#include "fakeapi/store/store.h"

/** Most requirements of one selector. */
#define SELECTOR_REQUIREMENTS_MAX 100

enum selector_operator {
    SELECT_EXISTS,
    SELECT_ABSENT,
    SELECT_IN,     /* also = and == */
    SELECT_NOT_IN, /* also != */
    SELECT_GREATER,
    SELECT_LESS,
};

enum field_source { FIELD_OF_NAME, FIELD_OF_NAMESPACE, FIELD_OF_KIND };

struct requirement {
    char *key;
    enum selector_operator op;
    char **values;
    size_t value_count;
    /* of a field's requirement */
    enum field_source source;
    size_t field_index;  /* in store_object.fields */
    const char *missing; /* what stands for an absent field */
};

/** All requirements must hold. Init with {0}. */
struct selector {
    struct requirement *labels;
    size_t label_count;
    struct requirement *fields;
    size_t field_count;
};

void selector_release(struct selector *selector);
bool selector_is_empty(const struct selector *selector);

/** Adds a label selector's requirements; text may be NULL or empty. False with a 400 (L8). */
bool selector_parse_labels(const char *text, struct selector *selector,
                           struct rest_status *status) MUST_CHECK;
/** A label selector with matchLabels and matchExpressions as such a text, its requirements sorted
 * by their keys. free() it. */
char *selector_text_of(const struct json_object *selector) MUST_CHECK;
/** Adds a field selector's, for a kind; False with a 400 (L9). */
bool selector_parse_fields(const char *text, const struct kind *kind, struct selector *selector,
                           struct rest_status *status) MUST_CHECK;

bool selector_matches(const struct selector *selector, const struct store_object *object);
/** The name that metadata.name= asks for (L10); NULL when it does not. */
const char *selector_name(const struct selector *selector);

#endif
