/* Cutting a log to its tail (RULES 2.9, with its vectors). */
#include "tests/unit/rows.h"

#include "controller/base/attributes.h"
#include "controller/jobs/output_cap.h"

static const struct cap_row {
    const char *name;
    const char *log;
    size_t cap;
    size_t kept; /* bytes of the log that are still there; 0: all */
    const char *want;
} rows[] = {
    {"empty", "", 4, 0, ""},
    {"at the cap", "0123", 4, 0, "0123"},
    {"one above the cap", "01234", 4, 0, "...[truncated 1 bytes]...\n1234"},
    {"ten at 4", "0123456789", 4, 0, "...[truncated 6 bytes]...\n6789"},
    {"ten at 4, only the tail kept", "0123456789", 4, 4, "...[truncated 6 bytes]...\n6789"},
    {"ten at 4, more kept", "0123456789", 4, 7, "...[truncated 6 bytes]...\n6789"},
    {"in the middle of a character", "xyz\xe2\x82\xac!", 3, 0, "...[truncated 6 bytes]...\n!"},
    {"at the start of a character", "xyz\xe2\x82\xac!", 4, 0,
     "...[truncated 3 bytes]...\n\xe2\x82\xac!"},
    {"no line is aligned", "one\ntwo", 5, 0, "...[truncated 2 bytes]...\ne\ntwo"},
    {"a character of four bytes", "\xf0\x9f\x99\x82!", 2, 0, "...[truncated 4 bytes]...\n!"},
    {"nothing but continuations", "\x80\x80\x80\x80", 2, 0, "...[truncated 4 bytes]...\n"},
    {"a cap of 0", "abc", 0, 1, "...[truncated 3 bytes]...\n"},
    {"a cap of 0 and no log", "", 0, 0, ""},
};

static void test_cap(void **state)
{
    const struct cap_row *row = *state;
    size_t total = strlen(row->log);
    size_t kept = row->kept == 0 ? total : row->kept;
    struct buffer got = BUFFER_INIT(4096);

    output_cap(row->log + total - kept, kept, total, row->cap, &got);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("2.9 %s: got %s", row->name, buffer_text(&got));
    buffer_release(&got);
}

int main(void)
{
    return ROWS_RUN(rows, test_cap);
}
