/* Cutting a log to its tail (RULES 2.9, with its vectors). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/jobs/output_cap.h"

static const struct {
    const char *name;
    const char *log;
    size_t cap;
    size_t kept; /* bytes of the log that are still there; 0: all */
    const char *want;
} rows[] = {
    {"empty",                        "",                 4, 0, ""                               },
    {"at the cap",                   "0123",             4, 0, "0123"                           },
    {"one above the cap",            "01234",            4, 0, "...[truncated 1 bytes]...\n1234"},
    {"ten at 4",                     "0123456789",       4, 0, "...[truncated 6 bytes]...\n6789"},
    {"ten at 4, only the tail kept", "0123456789",       4, 4, "...[truncated 6 bytes]...\n6789"},
    {"ten at 4, more kept",          "0123456789",       4, 7, "...[truncated 6 bytes]...\n6789"},
    {"in the middle of a character", "xyz\xe2\x82\xac!", 3, 0, "...[truncated 6 bytes]...\n!"   },
    {"at the start of a character",  "xyz\xe2\x82\xac!", 4, 0,
     "...[truncated 3 bytes]...\n\xe2\x82\xac!"                                                 },
    {"nothing but continuations",    "\x80\x80\x80\x80", 2, 0, "...[truncated 4 bytes]...\n"    },
    {"a cap of 0",                   "abc",              0, 1, "...[truncated 3 bytes]...\n"    },
    {"a cap of 0 and no log",        "",                 0, 0, ""                               },
};

static void test_cap(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t total = strlen(rows[i].log);
        size_t kept = rows[i].kept == 0 ? total : rows[i].kept;
        struct buffer got = BUFFER_INIT(4096);

        output_cap(rows[i].log + total - kept, kept, total, rows[i].cap, &got);
        if (strcmp(buffer_text(&got), rows[i].want) != 0)
            fail_msg("2.9 %s: got %s", rows[i].name, buffer_text(&got));
        buffer_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
