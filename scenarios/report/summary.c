/* summary - see summary.h. */
#include "scenarios/report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/report/escape.h"

/** Longest text that is indented. */
#define INDENTED_BYTES_MAX ((size_t)64 * 1024 * 1024)
/** So many of the slowest are named, where there are at least twice as many. */
#define SLOWEST_MAX 5

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
    for (size_t i = 0; i < result->checks.count; i++)
        totals->checks += result->checks.items[i].verdict == CHECK_PASSED ? 1 : 0;
    totals->virtual_us += result->live ? 0 : result->virtual_us;
}

void append_indented(struct buffer *buffer, const char *text, unsigned spaces)
{
    struct buffer plain = BUFFER_INIT(INDENTED_BYTES_MAX);
    const char *at;

    plain_append(&plain, text);
    at = buffer_text(&plain);
    while (*at != '\0') {
        size_t size = strcspn(at, "\n");

        buffer_append_format(buffer, "%*s", (int)spaces, "");
        buffer_append(buffer, at, size);
        buffer_append_char(buffer, '\n');
        at += size + (at[size] == '\n' ? 1 : 0);
    }
    buffer_release(&plain);
}

/** Virtual time to the second, or to the millisecond below ten of them. */
static void append_virtual(struct buffer *buffer, int64_t virtual_us)
{
    int64_t unit = virtual_us < 10 * US_PER_SECOND ? US_PER_MS : US_PER_SECOND;
    char text[TIME_TEXT_SIZE];

    duration_format(virtual_us / unit * unit, text);
    buffer_append_format(buffer, "%11s", text);
}

/** "  first/bad.yaml:12: 03 wait: Agent hello" */
static void append_place(const struct result *result, const struct check *check,
                         struct buffer *buffer)
{
    buffer_append_text(buffer, "  ");
    plain_append_line(buffer, result->path);
    buffer_append_format(buffer, ":%u: ", check->line);
    plain_append_line(buffer, check->name);
    buffer_append_char(buffer, '\n');
}

static void append_failure(const struct result *result, const char *program, struct buffer *buffer)
{
    char at[TIME_TEXT_SIZE];

    const struct check *check = result_failed_check(result);

    duration_format(result->virtual_us, at);
    buffer_append_format(buffer, "  at %s: ", at);
    plain_append_line(buffer, text_or(result->reason, "unknown"));
    buffer_append_char(buffer, '\n');
    if (check != NULL && check->line > 0)
        append_place(result, check, buffer);
    append_indented(buffer, text_or(result->details, ""), 2);
    if (!text_is_empty(result->cleanup)) {
        buffer_append_text(buffer, "  in its cleanup:\n");
        append_indented(buffer, result->cleanup, 4);
    }
    if (!text_is_empty(result->story)) {
        buffer_append_text(buffer, "  the last of what happened (seconds, who, what):\n");
        append_indented(buffer, result->story, 4);
    }
    buffer_append_text(buffer, "  ");
    if (!result->live)
        buffer_append_format(buffer, "seed %" PRIu64, result->seed);
    if (*result->hash != '\0')
        buffer_append_format(buffer, ", trace hash %s", result->hash);
    buffer_append_format(buffer, "%sto repeat it:\n    ", result->live ? "" : "; ");
    result_append_command(result, program, buffer);
    buffer_append_char(buffer, '\n');
}

void summary_append(const struct result *result, const char *program, struct buffer *buffer)
{
    buffer_append_format(buffer, "%-7s %-52s", words[result->kind], result->name);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_char(buffer, ' ');
        plain_append_line(buffer, text_or(result->reason, ""));
        buffer_append_char(buffer, '\n');
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
    buffer_append_format(buffer, "%zu scenario%s: %zu passed", count, text_plural(count),
                         totals->passed);
    if (totals->failed > 0)
        buffer_append_format(buffer, ", %zu FAILED", totals->failed);
    if (totals->skipped > 0)
        buffer_append_format(buffer, ", %zu skipped", totals->skipped);
    if (totals->checks > 0)
        buffer_append_format(buffer, "; %zu %s passed", totals->checks,
                             totals->checks == 1 ? "step or assertion" : "steps and assertions");
    if (totals->virtual_us < US_PER_SECOND)
        buffer_append_format(buffer, "; %.2f s of real time\n", (double)real_us / US_PER_SECOND);
    else
        buffer_append_format(
            buffer, "; %s of virtual time in %.2f s of real time, %" PRId64 " times as fast\n",
            text, (double)real_us / US_PER_SECOND, totals->virtual_us / at_least_one_us);
}

/** Puts the result in among the slowest so far, the slowest first; of equals the earlier. */
static size_t rank(const struct result **slowest, size_t count, const struct result *result)
{
    size_t at = count;

    while (at > 0 && slowest[at - 1]->real_us < result->real_us)
        at--;
    if (at == SLOWEST_MAX)
        return count;
    if (count == SLOWEST_MAX)
        count--;
    memmove(&slowest[at + 1], &slowest[at], (count - at) * sizeof(const struct result *));
    slowest[at] = result;
    return count + 1;
}

void slowest_append(const struct result *results, size_t count, struct buffer *buffer)
{
    const struct result *slowest[SLOWEST_MAX];
    size_t found = 0;

    if (count < (size_t)2 * SLOWEST_MAX)
        return;
    for (size_t i = 0; i < count; i++)
        found = rank(slowest, found, &results[i]);
    buffer_append_text(buffer, "the slowest:\n");
    for (size_t i = 0; i < found; i++) {
        buffer_append_format(buffer, "  %-58s", slowest[i]->name);
        append_virtual(buffer, slowest[i]->virtual_us);
        buffer_append_format(buffer, " %9.1f ms\n", (double)slowest[i]->real_us / 1000);
    }
}
