/* field_error - what is wrong with which field of an object: the list behind a 422 answer.
 *
 * Rules of the wire: fakeapi/WIRE.md T11, T12. */
#ifndef FAKEAPI_SCHEMA_FIELD_ERROR_H
#define FAKEAPI_SCHEMA_FIELD_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/json.h"

/** Most errors that one object is told about; the message says how many more there were. */
#define FIELD_ERRORS_MAX 200

/** Past so many bytes of them no more is told either: one error may show a whole object. */
#define FIELD_ERRORS_BYTES_MAX ((size_t)1024 * 1024)

enum field_error_type {
    FIELD_REQUIRED,
    FIELD_FORBIDDEN,
    FIELD_INVALID,
    FIELD_TYPE_INVALID,
    FIELD_NOT_SUPPORTED,
    FIELD_DUPLICATE,
    FIELD_NOT_FOUND,
    FIELD_TOO_LONG,
    FIELD_TOO_MANY,
    FIELD_INTERNAL,
};

struct field_error {
    enum field_error_type type;
    char *path; /* "spec.list[0].name"; "<nil>" for none */
    char *body; /* "Required value", "Invalid value: 0: should be ..." */
};

struct field_errors {
    struct field_error *items; /* in the order of finding */
    size_t count;
    size_t capacity;
    size_t size;     /* bytes of their bodies */
    size_t left_out; /* beyond FIELD_ERRORS_MAX or FIELD_ERRORS_BYTES_MAX */
};

#define FIELD_ERRORS_INIT                                                                          \
    {                                                                                              \
        NULL, 0, 0, 0, 0                                                                           \
    }

/** The cause's reason: "FieldValueRequired" (T11). Never NULL. */
const char *field_error_reason(enum field_error_type type);

/** Adds one; path and the formatted body are copied. */
void field_errors_add(struct field_errors *errors, enum field_error_type type, const char *path,
                      const char *body_format, ...) PRINTF_LIKE(4, 5);

/** Whether no more is told; then this one is counted as left out. To be asked before a costly text
 * is made: an object may have a million mistakes. */
bool field_errors_skip(struct field_errors *errors) MUST_CHECK;

/** Moves the errors of one list behind those of another. */
void field_errors_move(struct field_errors *to, struct field_errors *from);
/** By path and body, as one text. */
void field_errors_sort(struct field_errors *errors);

/** "PATH: BODY", or "[PATH: BODY, PATH: BODY]" without repeats (T11); "" when there is none. */
void field_errors_append_message(const struct field_errors *errors, struct buffer *buffer);

void field_errors_release(struct field_errors *errors);

/** Appends a value as the server's messages show it (T12): strings quoted, numbers plain, null as
 * "null" in quotes, lists and maps in Go's syntax. */
void field_error_append_value(struct buffer *buffer, const struct json_object *value);

/** Appends a text in double quotes, escaped as Go's %q does. */
void field_error_append_quoted(struct buffer *buffer, const char *text);
/** The same for a text that may hold a NUL, or is a part of one. */
void field_error_append_quoted_bytes(struct buffer *buffer, const char *text, size_t size);

/** Appends a list of texts as Go shows one: []string{"a", "b"}. */
void field_error_append_texts(struct buffer *buffer, const struct json_object *list);

#endif
