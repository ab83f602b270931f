/* gate_rows - what is sent to the strict gate, by class. */
#ifndef TESTS_CONTRACT_GATE_ROWS_H
#define TESTS_CONTRACT_GATE_ROWS_H

#include <stddef.h>

struct gate_row {
    const char *name;
    const char *bytes;
    size_t size;
};

/** A literal, which may hold NULs, and its size. */
#define GATE_TEXT(text) text, sizeof(text) - 1

/* Each ends in a row without a name. */
extern const struct gate_row gate_malformed[];     /* heads that must be refused */
extern const struct gate_row gate_well_formed[];   /* requests for /t that must not */
extern const struct gate_row gate_broken_bodies[]; /* behind a good head with chunked */

#endif
