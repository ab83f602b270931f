#include "scenarios/search/draw.h"

void draw_init(struct draw *draw, uint64_t seed)
{
    prng_seed(&draw->prng, seed);
}

uint64_t draw_below(struct draw *draw, uint64_t bound)
{
    return prng_below(&draw->prng, bound);
}

int64_t draw_between(struct draw *draw, int64_t low, int64_t high)
{
    return low + (int64_t)draw_below(draw, (uint64_t)(high - low) + 1);
}

bool draw_chance(struct draw *draw, unsigned percent)
{
    return draw_below(draw, 100) < percent;
}

const char *draw_text(struct draw *draw, const char *const *texts, size_t count)
{
    return texts[draw_below(draw, count)];
}

/* By doublings, so that no floating point has a say in what a seed means. */
int64_t draw_magnitude(struct draw *draw, int64_t low, int64_t high)
{
    unsigned doublings = 0;
    int64_t from;
    int64_t to;

    while (low << (doublings + 1) <= high)
        doublings++;
    from = low << draw_below(draw, doublings + 1);
    to = from * 2 < high ? from * 2 : high;
    return draw_between(draw, from, to);
}
