/* prng - a small seeded random source (xoshiro256**), for simulation and jitter, not for secrets.
 */
#ifndef CONTROLLER_BASE_PRNG_H
#define CONTROLLER_BASE_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t state[4];
};

/** Seeds by splitmix64, so that close seeds give unlike streams. */
void prng_seed(struct prng *prng, uint64_t seed);
uint64_t prng_next(struct prng *prng);

/** Uniform in 0..bound-1; bound above 0. Takes one number of the stream, seldom more. */
uint64_t prng_below(struct prng *prng, uint64_t bound);

#endif
