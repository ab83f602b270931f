/* The memory of deliveries: its entries, their age and their number (RULES 13.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/spawner/delivery_memory.h"
#include "tests/unit/rows.h"

/* printf '%s' 72d3162e-cc78-11e3-81ab-4c9367dc0958 | sha256sum */
#define ID "72d3162e-cc78-11e3-81ab-4c9367dc0958"
#define ID_HASH "9514e6751b793abb"
#define NOW INT64_C(29870100)

static const struct known {
    const char *name;
    const char *entry;
    const char *id;
    bool want;
} knowns[] = {
    {"13.6: an entry of the id",        ID_HASH ":29870100",        ID,                                     true },
    {"13.6: however old",               ID_HASH ":1",               ID,                                     true },
    {"13.6: another id",                ID_HASH ":29870100",        "72d3162e",                             false},
    {"13.6: the id as received",        ID_HASH ":29870100",        "72D3162E-CC78-11E3-81AB-4C9367DC0958",
     false                                                                                                       },
    {"13.6: the beginning of a hash",   "9514e6751b793ab:29870100", ID,                                     false},
    {"13.6: a longer hash",             ID_HASH "0:29870100",       ID,                                     false},
    {"13.6: the id itself is no entry", ID ":29870100",             ID,                                     false},
};

static void check_known(void **state)
{
    const struct known *row = *state;
    struct text_list memory = {0};

    assert_false(delivery_is_known(&memory, row->id));
    text_list_add(&memory, "0000000000000000:29870100");
    text_list_add(&memory, row->entry);
    assert_int_equal(delivery_is_known(&memory, row->id), row->want);
    text_list_release(&memory);
}

static const struct kept {
    const char *name;
    const char *entry;
    bool want;
} kepts[] = {
    {"13.6: of now",                    "0123456789abcdef:29870100", true },
    {"13.6: 72 hours old",              "0123456789abcdef:29865780", true },
    {"13.6: older than 72 hours",       "0123456789abcdef:29865779", false},
    {"13.6: of a clock that was ahead", "0123456789abcdef:29999999", true },
    {"13.6: no minute",                 "0123456789abcdef:",         false},
    {"13.6: a minute that is none",     "0123456789abcdef:2987010x", false},
    {"13.6: no hash",                   "x:29870100",                false},
    {"13.6: a hash in capitals",        "0123456789ABCDEF:29870100", false},
    {"13.6: an empty text",             "",                          false},
};

static void check_kept(void **state)
{
    const struct kept *row = *state;
    const char *const ids[] = {ID};
    struct text_list memory = {0};
    struct text_list got = {0};

    text_list_add(&memory, row->entry);
    assert_true(delivery_remember(&memory, ids, 1, NOW, &got));
    assert_int_equal(got.count, row->want ? 2 : 1);
    if (row->want)
        assert_string_equal(got.items[0], row->entry);
    assert_string_equal(got.items[got.count - 1], ID_HASH ":29870100");
    assert_true(delivery_is_known(&got, ID));
    text_list_release(&memory);
    text_list_release(&got);
}

static const struct full {
    const char *name;
    size_t before;
    size_t added;
    size_t want;
    int first; /* which of those before is the first that is left; -1: none */
} fulls[] = {
    {"13.6: 499 and one",            499, 1,   500, 0 },
    {"13.6: 500 and one",            500, 1,   500, 1 },
    {"13.6: 500 and three",          500, 3,   500, 3 },
    {"13.6: more than there may be", 502, 1,   500, 3 },
    {"13.6: 500 at once",            10,  500, 500, -1},
    {"13.6: 501 at once",            0,   501, 500, -1},
    {"13.6: none",                   500, 0,   500, 0 },
};

static void check_full(void **state)
{
    const struct full *row = *state;
    struct text_list memory = {0};
    struct text_list got = {0};
    char **ids = xcalloc(row->added + 1, sizeof(*ids));

    for (size_t i = 0; i < row->before; i++) {
        char *entry = xprintf("%016zx:%lld", i, (long long)NOW);

        text_list_add(&memory, entry);
        free(entry);
    }
    for (size_t i = 0; i < row->added; i++)
        ids[i] = xprintf("id-%zu", i);
    assert_int_equal(delivery_remember(&memory, (const char *const *)ids, row->added, NOW, &got),
                     row->added > 0);
    assert_int_equal(got.count, row->want);
    if (row->first >= 0)
        assert_string_equal(got.items[0], memory.items[row->first]);
    if (row->added > 0)
        assert_true(delivery_is_known(&got, ids[row->added - 1]));
    for (size_t i = 0; i < row->added; i++)
        free(ids[i]);
    free(ids);
    text_list_release(&memory);
    text_list_release(&got);
}

static void test_known_already(void **state)
{
    const char *const ids[] = {ID, "other", "other"};
    struct text_list memory = {0};
    struct text_list got = {0};
    struct text_list again = {0};

    (void)state;
    text_list_add(&memory, ID_HASH ":29870000");
    assert_true(delivery_remember(&memory, ids, 3, NOW, &got));
    assert_int_equal(got.count, 2);
    assert_string_equal(got.items[0], ID_HASH ":29870000");
    assert_false(delivery_remember(&got, ids, 3, NOW, &again));
    assert_int_equal(again.count, 2);
    text_list_release(&memory);
    text_list_release(&got);
    text_list_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_already)};

    return cmocka_run_group_tests(tests, NULL, NULL) + ROWS_RUN(knowns, check_known) +
           ROWS_RUN(kepts, check_kept) + ROWS_RUN(fulls, check_full);
}
