/* output_cap - a log cut to its end, as status.output holds it (RULES.md 2.9). Which cap, and of
 * which log, is the caller's choice. */
#ifndef CONTROLLER_JOBS_OUTPUT_CAP_H
#define CONTROLLER_JOBS_OUTPUT_CAP_H

#include <stddef.h>

#include "controller/base/buffer.h"

/** Appends a log cut to cap bytes (RULES.md 2.9). tail holds the log's last tail_size bytes: all
 * of it, or at least cap of them; total is the size of the whole log. */
void output_cap(const char *tail, size_t tail_size, size_t total, size_t cap, struct buffer *into);

#endif
