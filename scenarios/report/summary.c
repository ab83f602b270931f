/* summary - see summary.h. */
#include "scenarios/report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"

static const char *const words[] = {
    [RESULT_PASSED] = "ok",
    [RESULT_FAILED] = "FAILED",
    [RESULT_SKIPPED] = "skipped",
};

void totals_add(struct totals *totals, const struct result *result)
{
    if (result->kind == RESULT_PASSED)
        totals->passed++;
    else if (result->kind == RESULT_FAILED)
        totals->failed++;
    else
        totals->skipped++;
    totals->virtual_us += result->virtual_us;
}

void append_indented(struct buffer *buffer, const char *text, unsigned spaces)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");

        buffer_append_format(buffer, "%*s%.*s\n", (int)spaces, "", (int)size, text);
        text += size;
        if (*text == '\n')
            text++;
    }
}

/** Virtual time to the second, or to the millisecond below ten of them. */
static void append_virtual(struct buffer *buffer, int64_t virtual_us)
{
    int64_t unit = virtual_us < 10 * US_PER_SECOND ? US_PER_MS : US_PER_SECOND;
    char text[TIME_TEXT_SIZE];

    duration_format(virtual_us / unit * unit, text);
    buffer_append_format(buffer, "%11s", text);
}

static void append_failure(const struct result *result, const char *program, struct buffer *buffer)
{
    char at[TIME_TEXT_SIZE];

    duration_format(result->virtual_us, at);
    buffer_append_format(buffer, "  at %s: %s\n", at, text_or(result->reason, "unknown"));
    append_indented(buffer, text_or(result->details, ""), 2);
    if (!text_is_empty(result->story)) {
        buffer_append_text(buffer, "  the last of what happened (seconds, who, what):\n");
        append_indented(buffer, result->story, 4);
    }
    buffer_append_format(buffer,
                         "  seed %" PRIu64 "; to repeat it:\n    %s run %s --seed %" PRIu64 "\n",
                         result->seed, program, result->path, result->seed);
}

void summary_append(const struct result *result, const char *program, struct buffer *buffer)
{
    buffer_append_format(buffer, "%-7s %-52s", words[result->kind], result->name);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_format(buffer, " %s\n", text_or(result->reason, ""));
        return;
    }
    append_virtual(buffer, result->virtual_us);
    buffer_append_format(buffer, " %9.1f ms\n", (double)result->real_us / 1000);
    if (result->kind == RESULT_FAILED)
        append_failure(result, program, buffer);
}

void totals_append(const struct totals *totals, int64_t real_us, struct buffer *buffer)
{
    size_t count = totals->passed + totals->failed + totals->skipped;
    int64_t at_least_one_us = real_us < 1 ? 1 : real_us;
    char text[TIME_TEXT_SIZE];

    duration_format(totals->virtual_us / US_PER_SECOND * US_PER_SECOND, text);
    buffer_append_format(buffer, "%zu scenario%s: %zu passed", count, count == 1 ? "" : "s",
                         totals->passed);
    if (totals->failed > 0)
        buffer_append_format(buffer, ", %zu FAILED", totals->failed);
    if (totals->skipped > 0)
        buffer_append_format(buffer, ", %zu skipped", totals->skipped);
    buffer_append_format(
        buffer, "; %s of virtual time in %.2f s of real time, %" PRId64 " times as fast\n", text,
        (double)real_us / US_PER_SECOND, totals->virtual_us / at_least_one_us);
}
