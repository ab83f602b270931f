/* cel - the part of the Common Expression Language that rules of our CRDs are written in.
 *
 * Taken: true, false, null, numbers, strings (r"" too), lists; self, oldSelf; a.b, a["b"], a[0];
 * has(a.b); ! and - before, && || ?:; == != < <= > >= in; + - * / %; size(x) and x.size();
 * x.startsWith(y), endsWith, contains, matches(y); x.all(v, e), exists, exists_one.
 * Whatever else is written is refused when it is compiled, never passed over.
 *
 * Fields are checked against the schema at compile time, as are operand types where both are known.
 * Source: cel-spec langdef; fakeapi/WIRE.md R19. */
#ifndef FAKEAPI_SCHEMA_CEL_H
#define FAKEAPI_SCHEMA_CEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Longest expression, in bytes, and deepest nesting within one. */
#define CEL_BYTES_MAX 16384
#define CEL_DEPTH_MAX 60

/** Steps that all rules of one object may take together; one step is about one node, one list
 * item, or ten bytes of text. */
#define CEL_STEPS_MAX 1000000

struct schema;
struct cel_program;

enum cel_result { CEL_GIVES_BOOL, CEL_GIVES_STRING };

/** Compiles against the schema of self. root: self is a whole object, with metadata.
 * ERROR_INVALID: "ERROR: <input>:1:6: undefined field 'x'". */
bool cel_compile(const char *text, const struct schema *schema, bool root, enum cel_result result,
                 struct cel_program **ret_program, struct error *err) MUST_CHECK;
void cel_free(struct cel_program *program);

/** Whether it says oldSelf anywhere. */
bool cel_uses_old_self(const struct cel_program *program);

/** Evaluates. *steps are the steps left, and go down. False with ERROR_INVALID and what went wrong:
 * "no such key: x". *ret_value is a new bool or string; json_object_put() it. */
bool cel_evaluate(const struct cel_program *program, const struct json_object *self,
                  const struct json_object *old_self, uint64_t *steps,
                  struct json_object **ret_value, struct error *err) MUST_CHECK;

#endif
