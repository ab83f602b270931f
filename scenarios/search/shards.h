/* shards - which seeds are run, and which of them by whom. */
#ifndef SCENARIOS_SEARCH_SHARDS_H
#define SCENARIOS_SEARCH_SHARDS_H

#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** Seeds from first to last, both among them; last is below INT64_MAX. */
struct seed_range {
    uint64_t first;
    uint64_t last;
};

/** Every count-th seed of a range, or scenario of a suite, from the index-th on (from 0, as an
 * Indexed Job counts its pods): shards of one count share out the whole, none is in two of them,
 * and each is spread over all of it. */
struct shard {
    uint64_t index;
    uint64_t count;
};

/** "1..20000", or "7" for that one alone. ERROR_USAGE. */
bool seed_range_parse(const char *text, struct seed_range *ret_range, struct error *err) MUST_CHECK;
/** "I/N", where 0 <= I < N: "0/8" to "7/8". ERROR_USAGE. */
bool shard_parse(const char *text, struct shard *ret_shard, struct error *err) MUST_CHECK;

/** How many seeds of the range are the shard's; may be 0. */
uint64_t shard_size(const struct seed_range *range, const struct shard *shard);
/** The at-th of them, from 0; at is below shard_size(). */
uint64_t shard_seed(const struct seed_range *range, const struct shard *shard, uint64_t at);

#endif
