/* Names that fit 63 bytes (RULES 2.1, with its vectors). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/jobs/naming.h"

#define X42 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define Y30 "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"

static const struct {
    const char *name;
    const char *want;
} rows[] = {
    {"",                                                                        ""                          },
    {"a",                                                                       "a"                         },
    {"agent-job-quarterly-cross-repository-dependency-audit-for-platform-team",
     "agent-job-quarterly-cross-repository-dependency-audit-3ef73a0a"                                       },
    {"quarterly-cross-repository-dependency-audit-for-platform-team-29870100",
     "quarterly-cross-repository-dependency-audit-for-platfo-3c536ac0"                                      },
    {"agent-job-" X42 ".-" Y30,                                                 "agent-job-" X42 "-728b97ec"},
 /* 63 bytes stay, 64 do not */
    {"012345678901234567890123456789012345678901234567890123456789abc",
     "012345678901234567890123456789012345678901234567890123456789abc"                                      },
};

static void test_safe_name(void **state)
{
    char got[SAFE_NAME_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        safe_name(rows[i].name, got);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("2.1: %s: got %s", rows[i].name, got);
    }
    safe_name("012345678901234567890123456789012345678901234567890123456789abcd", got);
    assert_int_equal(strlen(got), 63);
    assert_memory_equal(got, "012345678901234567890123456789012345678901234567890123-", 55);
}

static void test_all_dashes(void **state)
{
    char dashes[101];
    char got[SAFE_NAME_SIZE];

    (void)state;
    memset(dashes, '-', 100);
    dashes[100] = '\0';
    safe_name(dashes, got);
    assert_int_equal(strlen(got), 9);
}

static void test_hash(void **state)
{
    (void)state;
    assert_int_equal(digest_fnv1a64("", 0) & UINT32_MAX, 0x84222325);
    assert_int_equal(digest_fnv1a64("a", 1) & UINT32_MAX, 0x8601ec8c);
}

static void test_job_name(void **state)
{
    char got[SAFE_NAME_SIZE];

    (void)state;
    job_name("fix-1", got);
    assert_string_equal(got, "agent-job-fix-1");
    job_name("quarterly-cross-repository-dependency-audit-for-platform-team", got);
    assert_string_equal(got, "agent-job-quarterly-cross-repository-dependency-audit-3ef73a0a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safe_name),
        cmocka_unit_test(test_all_dashes),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_job_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
