/* lanes - sixteen bytes at once, by what GCC and Clang make of it on any processor.
 *
 * For json*.c alone. Comparing lanes to a character gives all ones where it holds: (bytes == '"').
 */
#ifndef CONTROLLER_BASE_LANES_H
#define CONTROLLER_BASE_LANES_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef signed char lanes __attribute__((vector_size(16)));

static inline lanes lanes_load(const char *at)
{
    lanes bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return bytes;
}

/** A bit for each lane of all ones; that of the first byte is the lowest. The others are zero. */
static inline unsigned lanes_bits(lanes found)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_epi8((__m128i)found);
#else
    unsigned bits = 0;

    for (unsigned i = 0; i < sizeof(found); i++)
        bits |= (unsigned)(found[i] & 1) << i;
    return bits;
#endif
}

#endif
