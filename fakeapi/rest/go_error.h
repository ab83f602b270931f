/* go_error - what Go's encoding/json says of texts and values that it cannot take: clients see
 * these words in 400 and 422 answers. */
#ifndef FAKEAPI_REST_GO_ERROR_H
#define FAKEAPI_REST_GO_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/json.h"

/** Appends "unexpected end of JSON input", "invalid character 'x' after array element" and so on.
 * False, with nothing appended, when the syntax is right (or nested deeper than JSON_DEPTH_MAX). */
bool go_error_syntax(struct buffer *text, const char *bytes, size_t size);

#endif
