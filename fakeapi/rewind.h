/* rewind - what the program fakeapi lends to its admin, and to whoever plays its part. */
#ifndef FAKEAPI_REWIND_H
#define FAKEAPI_REWIND_H

#include "fakeapi/admin/admin.h"

/** Of the program: arg is the root. */
extern const struct admin_host fakeapi_host;

#endif
