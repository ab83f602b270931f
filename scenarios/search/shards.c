#include "scenarios/search/shards.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Splits at the separator; false when there is none. free() *ret_before. */
static bool split(const char *text, const char *separator, char **ret_before,
                  const char **ret_after)
{
    const char *at = strstr(text, separator);

    if (at == NULL)
        return false;
    *ret_before = xmemdup(text, (size_t)(at - text));
    *ret_after = at + strlen(separator);
    return true;
}

bool seed_range_parse(const char *text, struct seed_range *ret_range, struct error *err)
{
    struct seed_range range;
    char *before = NULL;
    const char *after;
    bool ok;

    if (!split(text, "..", &before, &after)) {
        before = xstrdup(text);
        after = text;
    }
    ok = text_to_uint64(before, &range.first) && text_to_uint64(after, &range.last) &&
         range.first <= range.last && range.last < INT64_MAX;
    free(before);
    if (!ok)
        return error_set(err, ERROR_USAGE, "'%s' is no range of seeds such as 1..20000", text);
    *ret_range = range;
    return true;
}

bool shard_parse(const char *text, struct shard *ret_shard, struct error *err)
{
    struct shard shard;
    char *before = NULL;
    const char *after;
    bool ok = split(text, "/", &before, &after) && text_to_uint64(before, &shard.index) &&
              text_to_uint64(after, &shard.count) && shard.index < shard.count;

    free(before);
    if (!ok)
        return error_set(err, ERROR_USAGE,
                         "'%s' is no shard I/N: I counts from 0, so 0/8 to 7/8 are eight", text);
    *ret_shard = shard;
    return true;
}

uint64_t shard_size(const struct seed_range *range, const struct shard *shard)
{
    uint64_t seeds = range->last - range->first + 1;

    return seeds / shard->count + (shard->index < seeds % shard->count);
}

uint64_t shard_seed(const struct seed_range *range, const struct shard *shard, uint64_t at)
{
    return range->first + shard->index + at * shard->count;
}
