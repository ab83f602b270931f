/* decode - what a body must be before anything else is looked at (WIRE.md C2 to C4, R10, R11). */
#ifndef FAKEAPI_REST_DECODE_H
#define FAKEAPI_REST_DECODE_H

#include "fakeapi/rest/write.h"

enum body_form { BODY_JSON, BODY_YAML };

/** A body into an object; 400 when it is none. What only strict decoding minds is noted. */
bool decode_body(struct write *write, const struct buffer *body, enum body_form form,
                 struct json_object **ret_tree) MUST_CHECK;

/** JSON, of which keys that repeat are noted: 'duplicate field "a.b"'. */
bool decode_json(struct write *write, const struct buffer *body, struct json_object **ret_tree,
                 struct error *err) MUST_CHECK;

/** Notes what strict decoding minds: refused with Strict, warned of with Warn (C4, C5). */
void decode_note(struct write *write, const char *format, ...) PRINTF_LIKE(2, 3);

/** The same for a path, which is quoted behind what. */
void decode_note_quoted(struct write *write, const char *what, const char *path);

#endif
