/* merge - scenario merge: one report of those that the parts of a suite have left. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "scenarios/commands/commands.h"
#include "scenarios/report/summary.h"
#include "scenarios/report/tap.h"
#include "scenarios/workers/environment.h"
#include "scenarios/workers/files.h"

/** Most results of all files. */
#define RESULTS_MAX 10000000

struct options {
    struct report_options reports;
    bool tap;
};

struct merged {
    struct result *items;
    size_t count;
    size_t capacity;
};

static const struct flag flags[] = {
    FLAG_IS_SWITCH("--tap", struct options, tap,
                   "the Test Anything Protocol instead of lines for people"),
    FLAG_IS_SWITCH("--github", struct options, reports.github,
                   "failures also as GitHub's annotations; by itself in a GitHub workflow"),
    FLAG_TAKES_TEXT("--junit", "FILE", struct options, reports.junit, "also a report in JUnit XML"),
    FLAG_TAKES_TEXT("--json", "FILE", struct options, reports.json,
                    "also a report as JSON lines, as if all had run at once"),
};

static void prepare(void *arg)
{
    ((struct options *)arg)->reports.github = environment_is_github();
}

/** Whether that is all that a part without a scenario leaves. */
static bool is_nothing(const char *text)
{
    return strcmp(text, REPORT_OF_NOTHING) == 0;
}

static bool add_line(struct merged *merged, const char *line, size_t size, struct error *err)
{
    if (merged->count == RESULTS_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %d results", RESULTS_MAX);
    if (merged->count == merged->capacity) {
        merged->capacity = merged->capacity == 0 ? 64 : 2 * merged->capacity;
        merged->items = xrealloc(merged->items, merged->capacity * sizeof(*merged->items));
    }
    if (!result_parse(line, size, &merged->items[merged->count], err))
        return false;
    merged->count++;
    return true;
}

static bool add_file(struct merged *merged, const char *path)
{
    struct buffer bytes = BUFFER_INIT(REPORT_BYTES_MAX);
    struct error err = ERROR_INIT;
    bool ok = file_read(path, &bytes, &err);
    const char *at = buffer_text(&bytes);

    if (ok && *at == '\0')
        ok = error_set(&err, ERROR_MALFORMED, "%s: no result in it", path);
    if (is_nothing(at))
        at += bytes.size;
    for (size_t line = 1; ok && *at != '\0'; line++) {
        size_t size = strcspn(at, "\n");

        ok = add_line(merged, at, size, &err) || error_prefix(&err, "%s:%zu", path, line);
        at += size + (at[size] == '\n' ? 1 : 0);
    }
    if (!ok)
        report_complain(err.text);
    buffer_release(&bytes);
    return ok;
}

/** In the order of a run: by file, and by seed. */
static int compare(const void *a, const void *b)
{
    const struct result *x = a;
    const struct result *y = b;
    int order = strcmp(x->path, y->path);

    if (order == 0 && x->seed != y->seed)
        order = x->seed < y->seed ? -1 : 1;
    return order != 0 ? order : strcmp(x->name, y->name);
}

/** A result that comes twice is a mistake: the same report was named twice, or parts overlap. */
static bool are_different(const struct merged *merged)
{
    for (size_t i = 1; i < merged->count; i++) {
        if (compare(&merged->items[i - 1], &merged->items[i]) == 0) {
            command_complain("%s is there twice, under seed %llu", merged->items[i].name,
                             (unsigned long long)merged->items[i].seed);
            return false;
        }
    }
    return true;
}

/** False when it cannot be printed. */
static bool print(const struct merged *merged, const struct command_line *line,
                  struct reports *reports, struct totals *totals)
{
    const struct options *options = line->options;
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    int64_t real_us = 0;
    bool printed;

    if (options->tap)
        tap_append_head(merged->count, &text);
    for (size_t i = 0; i < merged->count; i++) {
        const struct result *result = &merged->items[i];

        totals_add(totals, result);
        real_us += result->real_us;
        if (options->tap)
            tap_append(result, i + 1, &text);
        else
            summary_append(result, line->program, &text);
        reports_annotate(reports, result, &text);
    }
    if (!options->tap) {
        slowest_append(merged->items, merged->count, &text);
        totals_append(totals, real_us, &text);
    }
    printed = command_print(buffer_text(&text));
    buffer_release(&text);
    return printed;
}

static int report(const struct merged *merged, const struct command_line *line)
{
    struct options *options = line->options;
    struct totals totals = {0};
    struct reports reports;
    bool ok;

    if (merged->count > 1)
        qsort(merged->items, merged->count, sizeof(*merged->items), compare);
    if (!are_different(merged))
        return SUITE_UNUSABLE;
    reports_init(&reports, &options->reports, line->program);
    ok = print(merged, line, &reports, &totals);
    ok = reports_write(&reports, merged->items, merged->count) && ok;
    reports_release(&reports);
    if (!ok)
        return SUITE_UNUSABLE;
    return totals.failed == 0 ? SUITE_GOOD : SUITE_FAILED;
}

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct merged merged = {0};
    int status = SUITE_UNUSABLE;
    bool ok = reports_check(&options->reports, 1);

    for (size_t i = 0; ok && i < line->word_count; i++)
        ok = add_file(&merged, line->words[i]);
    if (ok)
        status = report(&merged, line);
    for (size_t i = 0; i < merged.count; i++)
        result_release(&merged.items[i]);
    free(merged.items);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .words = "REPORT...",
    .what = "makes one report of those that 'scenario run --shard I/N --json FILE' left",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .prepare = prepare,
    .run = run,
    .needs_words = true,
};
