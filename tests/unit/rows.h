/* rows - every row of a table as a cmocka test of its own, so that a run names all that are wrong.
 */
#ifndef TESTS_UNIT_ROWS_H
#define TESTS_UNIT_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Calls check(state) with *state at each of count rows, each of row_size bytes and with its name
 * (a const char *) as its first member. How many failed: what main() returns, or adds to others. */
static inline int rows_run(const char *table, const void *rows, size_t count, size_t row_size,
                           CMUnitTestFunction check)
{
    struct CMUnitTest *tests = calloc(count, sizeof(*tests));
    int failed;

    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * row_size;

        memcpy(&tests[i].name, row, sizeof(tests[i].name));
        tests[i].test_func = check;
        memcpy(&tests[i].initial_state, &row, sizeof(row)); /* cmocka wants it without const */
    }
    failed = _cmocka_run_group_tests(table, tests, count, NULL, NULL);
    free(tests);
    return failed;
}

#define ROWS_RUN(rows, check) rows_run(#rows, (rows), ARRAY_SIZE(rows), sizeof((rows)[0]), (check))

#endif
