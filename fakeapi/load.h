/* load - objects from files into the server, and back into one. */
#ifndef FAKEAPI_LOAD_H
#define FAKEAPI_LOAD_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/rest/rest.h"
#include "fakeapi/store/store.h"

/** Largest file, and most objects of one call. */
#define LOAD_FILE_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define LOAD_OBJECTS_MAX 200000

/** Loads a file of YAML or JSON documents (Lists too), or all *.yaml, *.yml and *.json of a
 * directory in order of their names; namespaces and definitions before all else. Errors begin with
 * "file:line:column: "; a directory without such a file is one too. Fields that a kind does not
 * know are dropped, and the log says so. */
bool fakeapi_load(struct runtime *rt, struct rest *rest, const char *path,
                  struct error *err) MUST_CHECK;

/** Writes all objects as YAML documents, in an order that fakeapi_load() reads back, into a private
 * file: there are Secrets among them. */
bool fakeapi_dump(struct runtime *rt, const struct store *store, const char *path,
                  struct error *err) MUST_CHECK;

#endif
