/* harness - what every fuzz/<name>.c gives to driver.c. */
#ifndef FUZZ_HARNESS_H
#define FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>

/** Largest input that a harness is given; longer ones are cut. */
#define FUZZ_BYTES_MAX (1024 * 1024)

/** Runs one input, size bytes that end where their memory ends. Returns 0; aborts, by assert, when
 * a property does not hold. */
int fuzz_one(const uint8_t *bytes, size_t size);

#endif
