/* review - kinds that are asked and not stored (WIRE.md A14). */
#ifndef FAKEAPI_REST_REVIEW_H
#define FAKEAPI_REST_REVIEW_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

struct call;
struct write;

/** Each fills in the answer to a decoded question. False: write->status. */
bool review_own_access(struct call *call, struct write *write, struct json_object *tree) MUST_CHECK;
bool review_access(struct call *call, struct write *write, struct json_object *tree) MUST_CHECK;
bool review_local_access(struct call *call, struct write *write,
                         struct json_object *tree) MUST_CHECK;
bool review_own_rules(struct call *call, struct write *write, struct json_object *tree) MUST_CHECK;
bool review_self(struct call *call, struct write *write, struct json_object *tree) MUST_CHECK;
bool review_token(struct call *call, struct write *write, struct json_object *tree) MUST_CHECK;

#endif
