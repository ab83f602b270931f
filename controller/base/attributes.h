/* attributes - the few macros that every file may use. */
#ifndef CONTROLLER_BASE_ATTRIBUTES_H
#define CONTROLLER_BASE_ATTRIBUTES_H

/** The caller must look at the result. */
#define MUST_CHECK __attribute__((warn_unused_result))

/** Checks a printf format: its index and that of the first value, from 1. */
#define PRINTF_LIKE(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))

/** Elements of a real array (not of a pointer). */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
