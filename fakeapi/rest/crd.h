/* crd - what the server does about CustomResourceDefinitions besides storing them (R2 to R8): rows
 * in the table of kinds, conditions, and their deletion with all their objects. */
#ifndef FAKEAPI_REST_CRD_H
#define FAKEAPI_REST_CRD_H

#include "controller/base/json.h"
#include "fakeapi/rest/kinds.h"

struct rest;

/** A CRD that is being deleted gets its finalizer and its condition (R8). */
void crd_mark_deleted(struct rest *rest, struct json_object *tree);

/** A kind from a CRD that check_crd() has passed. The caller's. */
struct kind *crd_kind(struct kinds *kinds, const struct json_object *crd) MUST_CHECK;

#endif
