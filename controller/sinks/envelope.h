/* envelope - an event as sinks get it: {"source":{...},"event":...} (RULES 10.2). */
#ifndef CONTROLLER_SINKS_ENVELOPE_H
#define CONTROLLER_SINKS_ENVELOPE_H

#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/bytes.h"
#include "controller/base/error.h"

/** Largest line, and largest envelope: the longest answer of a model is a few million characters,
 * and is in one line of its CLI's output. */
#define ENVELOPE_BYTES_MAX ((size_t)4 * 1024 * 1024)

/** Where an event comes from. Ids that are NULL or empty are left out. */
struct envelope_source {
    const char *agent;
    const char *station;
    const char *task;
    const char *pod;
    const char *namespace_name;
};

/** Puts a line (without its end) into an envelope: as JSON where json_check() takes it, without the
 * space between its parts (json_append_compact()), else as a JSON string, in which bytes that are
 * not UTF-8 become U+FFFD. What comes out passes json_check().
 *
 * ERROR_INVALID when the line is an object with both source and event: an envelope is put on once.
 * ERROR_TOO_LARGE past ENVELOPE_BYTES_MAX. */
bool envelope_new(const struct envelope_source *source, const char *line, size_t size,
                  struct bytes **ret_envelope, struct error *err) MUST_CHECK;

#endif
