/* random - numbers from a seed (splitmix64), the same everywhere. */
#ifndef TESTS_MODEL_RANDOM_H
#define TESTS_MODEL_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** 0 to count - 1. */
static inline size_t random_below(struct random *random, size_t count)
{
    return (size_t)(random_next(random) % count);
}

/** True in so many of 1,000. */
static inline bool random_is(struct random *random, size_t per_mille)
{
    return random_below(random, 1000) < per_mille;
}

#define RANDOM_PICK(random, list) ((list)[random_below((random), sizeof(list) / sizeof((list)[0]))])

#endif
