/* Names that fit 63 bytes (RULES 2.1, with its vectors). */
#include "tests/unit/rows.h"

#include "controller/base/attributes.h"
#include "controller/base/digest.h"
#include "controller/jobs/naming.h"

#define X42 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define Y30 "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
#define AUDIT "quarterly-cross-repository-dependency-audit"
#define TEAM AUDIT "-for-platform-team"
#define TEN "0123456789"
#define DASHES "----------"
#define EURO7 "\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac" /* 21 bytes */
#define EURO18 EURO7 EURO7 "\u20ac\u20ac\u20ac\u20ac"      /* 54 bytes */

/* Hashes that are no vectors of the sheet come from a second FNV-1a, written in Python. */
static const struct name_row {
    const char *row;
    const char *name;
    const char *want;
} names[] = {
    {"empty", "", ""},
    {"short", "a", "a"},
    {"63 bytes stay", TEN TEN TEN TEN TEN TEN "abc", TEN TEN TEN TEN TEN TEN "abc"},
    {"64 bytes do not", TEN TEN TEN TEN TEN TEN "abcd", TEN TEN TEN TEN TEN "0123-0d50bb25"},
    {"the vector of a Job", "agent-job-" TEAM, "agent-job-" AUDIT "-3ef73a0a"},
    {"the vector of a slot", TEAM "-29870100", AUDIT "-for-platfo-3c536ac0"},
    {"dots and dashes before the cut", "agent-job-" X42 ".-" Y30, "agent-job-" X42 "-728b97ec"},
    {"nothing but dashes", DASHES DASHES DASHES DASHES DASHES DASHES DASHES, "-97b858bb"},
    {"the same beginning, another hash", "agent-job-" TEAM "s", "agent-job-" AUDIT "-fe185b9b"},
    {"characters of three bytes, 63 stay", EURO7 EURO7 EURO7, EURO7 EURO7 EURO7},
    {"characters of three bytes, cut between two", EURO7 EURO7 EURO7 "\u20ac", EURO18 "-f6667485"},
    {"never cut inside a character", "a" EURO7 EURO7 EURO7,
     "a" EURO7 EURO7 "\u20ac\u20ac\u20ac-f1c6c9fc"},
};

static void test_safe_name(void **state)
{
    const struct name_row *row = *state;
    char got[SAFE_NAME_SIZE];

    safe_name(row->name, got);
    if (strcmp(got, row->want) != 0)
        fail_msg("2.1 %s: got %s", row->row, got);
}

static const struct job_row {
    const char *row;
    const char *agent;
    const char *want;
} jobs[] = {
    {"the Job of a short name", "fix-1", "agent-job-fix-1"},
    {"the Job of a name of 53 bytes", TEN TEN TEN TEN TEN "abc",
     "agent-job-" TEN TEN TEN TEN TEN "abc"},
    {"the Job of a long name", TEAM, "agent-job-" AUDIT "-3ef73a0a"},
};

static void test_job_name(void **state)
{
    const struct job_row *row = *state;
    char got[SAFE_NAME_SIZE];

    job_name(row->agent, got);
    if (strcmp(got, row->want) != 0)
        fail_msg("2.1 %s: got %s", row->row, got);
}

static const struct hash_row {
    const char *row;
    const char *text;
    uint32_t want;
} hashes[] = {
    {"the hash of nothing", "", 0x84222325},
    {"the hash of a", "a", 0x8601ec8c},
};

static void test_hash(void **state)
{
    const struct hash_row *row = *state;
    uint64_t got = digest_fnv1a64(row->text, strlen(row->text));

    if ((got & UINT32_MAX) != row->want)
        fail_msg("2.1 %s: got %08x", row->row, (unsigned)(got & UINT32_MAX));
}

int main(void)
{
    return ROWS_RUN(names, test_safe_name) + ROWS_RUN(jobs, test_job_name) +
           ROWS_RUN(hashes, test_hash);
}
