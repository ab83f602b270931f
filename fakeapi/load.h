/* load - objects from files into the server, and back into one. */
#ifndef FAKEAPI_LOAD_H
#define FAKEAPI_LOAD_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/rest/rest.h"
#include "fakeapi/store/store.h"

/** Largest file, which is the largest dump too: what was dumped can be loaded. And most objects of
 * one call. */
#define LOAD_FILE_BYTES_MAX ((size_t)2 * 1024 * 1024 * 1024)
#define LOAD_OBJECTS_MAX 2000000

/** Loads a file of YAML or JSON documents (Lists too), or all *.yaml, *.yml and *.json of a
 * directory in order of their names; namespaces and definitions before all else. Errors begin with
 * "file:line:column: "; a directory without such a file is one too. Fields that a kind does not
 * know are dropped, and the log says so. */
bool fakeapi_load(struct runtime *rt, struct rest *rest, const char *path,
                  struct error *err) MUST_CHECK;

/** The same from a text. name stands for the file. */
bool fakeapi_load_text(struct runtime *rt, struct rest *rest, const char *name, const char *text,
                       size_t size, struct error *err) MUST_CHECK;

/** Puts the objects of a dump, as they are in it, into an empty restored rest; the store's revision
 * becomes the dump's. */
bool fakeapi_restore_text(struct rest *rest, struct store *store, const char *name,
                          const char *text, size_t size, struct error *err) MUST_CHECK;

/** Appends all objects as they were at a revision (0: now) as YAML documents. ERROR_GONE when
 * history does not reach back that far, ERROR_INVALID when it is not there yet. */
bool fakeapi_dump_text(const struct store *store, uint64_t revision, struct buffer *into,
                       struct error *err) MUST_CHECK;

/** Writes all objects as YAML documents, in an order that fakeapi_load() reads back, into a private
 * file: there are Secrets among them. False, and a line in the log, when that cannot be; path NULL:
 * nothing is wanted. */
bool fakeapi_dump(struct runtime *rt, const struct store *store, const char *path) MUST_CHECK;

#endif
