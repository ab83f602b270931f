/* openapi_v2 - the old OpenAPI document, as far as old clients ask it (WIRE.md D20). */
#ifndef FAKEAPI_REST_OPENAPI_V2_H
#define FAKEAPI_REST_OPENAPI_V2_H

#include "controller/base/buffer.h"
#include "fakeapi/rest/groups.h"

/** Appends the document in its binary form: that it is one, and of each kind that a PATCH of it
 * takes dryRun, which kubectl until 1.26 wants to know. It describes nothing else. */
void openapi_v2_append(struct buffer *document, const struct group_entry *entries, size_t count);

#endif
