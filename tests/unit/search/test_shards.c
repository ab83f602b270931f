/* Ranges of seeds, and who runs which of them. */
#include "scenarios/search/shards.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/rows.h"

static const struct range_row {
    const char *name; /* what is read, too */
    bool ok;
    uint64_t first;
    uint64_t last;
} range_rows[] = {
    {"1..20000",            true,  1,             20000        },
    {"7",                   true,  7,             7            },
    {"0..0",                true,  0,             0            },
    {"9223372036854775806", true,  INT64_MAX - 1, INT64_MAX - 1},
    {"9223372036854775807", false, 0,             0            },
    {"5..4",                false, 0,             0            },
    {"1..",                 false, 0,             0            },
    {"..3",                 false, 0,             0            },
    {"",                    false, 0,             0            },
    {"1-5",                 false, 0,             0            },
};

static void check_range(void **state)
{
    const struct range_row *row = *state;
    struct seed_range range = {0};
    struct error err = ERROR_INIT;

    assert_int_equal(seed_range_parse(row->name, &range, &err), row->ok);
    assert_int_equal(range.first, row->first);
    assert_int_equal(range.last, row->last);
}

static const struct shard_row {
    const char *name;
    bool ok;
} shard_rows[] = {
    {"0/1",  true },
    {"7/8",  true },
    {"8/8",  false},
    {"1/1",  false},
    {"0/0",  false},
    {"1",    false},
    {"/2",   false},
    {"1/",   false},
    {"-1/2", false},
};

static void check_shard(void **state)
{
    const struct shard_row *row = *state;
    struct shard shard;
    struct error err = ERROR_INIT;

    assert_int_equal(shard_parse(row->name, &shard, &err), row->ok);
}

/* Each seed is run by exactly one shard, however they fit the range. */
static void test_shards_share_out_the_range(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 9; count++) {
        for (uint64_t seeds = 1; seeds <= 20; seeds++) {
            const struct seed_range range = {100, 100 + seeds - 1};
            unsigned runs[20] = {0};

            for (uint64_t index = 0; index < count; index++) {
                const struct shard shard = {index, count};

                for (uint64_t at = 0; at < shard_size(&range, &shard); at++) {
                    uint64_t seed = shard_seed(&range, &shard, at);

                    assert_in_range(seed, range.first, range.last);
                    runs[seed - range.first]++;
                }
            }
            for (uint64_t i = 0; i < seeds; i++)
                assert_int_equal(runs[i], 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shards_share_out_the_range)};
    int failed = ROWS_RUN(range_rows, check_range);

    failed += ROWS_RUN(shard_rows, check_shard);
    return failed + cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
