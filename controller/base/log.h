/* log - a log record: what happened, and the values that tell where. Rendering only; records are
 * handed to the runtime, which owns the sink. Values never hold a secret: that is the caller's
 * promise. */
#ifndef CONTROLLER_BASE_LOG_H
#define CONTROLLER_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/** Longest rendered value; longer ones are cut and end in "...". */
#define LOG_VALUE_BYTES_MAX 1024

struct log_field {
    const char *key;  /* lower_snake_case */
    const char *text; /* NULL: number counts */
    int64_t number;
};

struct log_record {
    enum log_level level;
    const char *message; /* a constant phrase, no values inside: "lease lapsed" */
    const struct log_field *fields;
    size_t field_count;
};

/** A field with a text (NULL is shown as an empty one). */
#define LOG_TEXT(name, value)                                                                      \
    {                                                                                              \
        .key = (name), .text = (value) == NULL ? "" : (value)                                      \
    }
/** A field with a number. */
#define LOG_NUMBER(name, value)                                                                    \
    {                                                                                              \
        .key = (name), .number = (value)                                                           \
    }

/** "warn"; never NULL. */
const char *log_level_name(enum log_level level);
bool log_level_parse(const char *text, enum log_level *ret_level) MUST_CHECK;

/** One line without its end: "lease lapsed holder=ctl-0 age_s=15"; values quoted when they need it.
 */
void log_append_text(struct buffer *buffer, const struct log_record *record);

/** One JSON object: {"time":..,"level":..,"msg":..,"holder":..}. */
void log_append_json(struct buffer *buffer, const struct log_record *record, int64_t wall_us);

#endif
