/* error - why a call failed: a kind for the program, a text for people. */
#ifndef CONTROLLER_BASE_ERROR_H
#define CONTROLLER_BASE_ERROR_H

#include <stdbool.h>

#include "controller/base/attributes.h"

enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,     /* a wrong flag, setting or call by a person */
    ERROR_MALFORMED, /* outside bytes that break their grammar */
    ERROR_INVALID,   /* well-formed, but against a rule */
    ERROR_TOO_LARGE, /* past a named limit */
    ERROR_NOT_FOUND,
    ERROR_EXISTS,
    ERROR_CONFLICT, /* somebody else wrote first */
    ERROR_GONE,     /* history no longer reaches back that far */
    ERROR_DENIED,
    ERROR_TIMED_OUT,
    ERROR_UNAVAILABLE, /* a peer that cannot be reached, or says so */
    ERROR_IO,          /* a file or a socket of this machine */
    ERROR_INTERNAL,    /* ours: never for outside bytes */
};

/** Longest text of an error with its NUL; longer ones end in "...". */
#define ERROR_TEXT_SIZE 1024

struct error {
    enum error_kind kind;
    char text[ERROR_TEXT_SIZE];
};

#define ERROR_INIT                                                                                 \
    {                                                                                              \
        ERROR_NONE, ""                                                                             \
    }

/** Fills err (which may be NULL) and returns false, so that a leaf can end in it. */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);

/** Puts "<prefix>: " in front of the text. Returns false. */
bool error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/** Back to ERROR_NONE. */
void error_clear(struct error *err);

/** The kind as one lower-case word, for log lines: "conflict". Never NULL. */
const char *error_kind_name(enum error_kind kind);

#endif
