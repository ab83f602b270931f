/* managers - metadata.managedFields: who manages which field (WIRE.md C20).
 *
 * This server keeps no account of its own. What clients send is checked and kept as it was sent, so
 * that a dump loads and a client that rewrites the entries reads what it wrote. Server-side apply
 * will fill this place: an entry for each write, from what it changed. */
#ifndef FAKEAPI_REST_MANAGERS_H
#define FAKEAPI_REST_MANAGERS_H

#include <stdbool.h>

#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

/** Whether a body as it came asks for all entries to go: an empty list, or one empty entry (P27).
 */
bool managers_are_reset(const struct json_object *body);

/** Keeps that in the decoded metadata, for managers_settle(). */
void managers_note_reset(struct json_object *metadata, bool reset);

/** What is stored: what was sent, else what old (NULL on create) has, and nothing behind a reset.
 */
void managers_settle(struct json_object *metadata, const struct json_object *old);

/** Adds what is wrong with the entries. */
void managers_check(const struct json_object *metadata, struct field_errors *errors);

#endif
