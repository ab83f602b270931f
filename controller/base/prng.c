#include "controller/base/prng.h"

#include <assert.h>

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

void prng_seed(struct prng *prng, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        prng->state[i] = splitmix64(&seed);
}

/* xoshiro256**, by Blackman and Vigna. */
uint64_t prng_next(struct prng *prng)
{
    uint64_t *state = prng->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;

    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

uint64_t prng_below(struct prng *prng, uint64_t bound)
{
    uint64_t uneven;
    uint64_t value;

    assert(bound > 0);
    uneven = (UINT64_MAX - bound + 1) % bound; /* 2^64 mod bound */
    do
        value = prng_next(prng);
    while (value < uneven);
    return value % bound;
}
