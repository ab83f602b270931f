/* check - scenario check: reads files and reports every mistake, without running. */
#include <stdlib.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/commands/commands.h"
#include "scenarios/language/lint.h"
#include "scenarios/workers/files.h"

/** All warnings of one scenario. */
#define WARNINGS_BYTES_MAX ((size_t)1024 * 1024)

struct options {
    const char *filter;
    bool strict;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT(
        "--filter", "GLOB", struct options, filter,
        "only scenarios whose name (folder/file) is like this; tag:GLOB asks for a tag"),
    FLAG_IS_SWITCH("--strict", struct options, strict, "a warning is a mistake"),
};

/** How many there are of the scenario. */
static size_t warn(const struct scenario *scenario)
{
    struct buffer text = BUFFER_INIT(WARNINGS_BYTES_MAX);
    struct problems warnings = {0};
    struct problems marked = {0};
    size_t count;

    lint(scenario, &warnings);
    count = warnings.count;
    for (size_t i = 0; i < count; i++)
        problems_add(&marked, warnings.items[i].place, "warning: %s", warnings.items[i].text);
    problems_append(&marked, scenario->path, &text);
    if (count > 0)
        output_error(buffer_text(&text));
    problems_release(&warnings);
    problems_release(&marked);
    buffer_release(&text);
    return count;
}

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct suite suite = {0};
    bool ok = command_read(line, options->filter, &suite);
    size_t warnings = 0;
    char *text;

    for (size_t i = 0; ok && i < suite.count; i++)
        warnings += warn(suite.items[i]);
    if (warnings == 0)
        text = xprintf("%zu scenario%s, no mistakes\n", suite.count, text_plural(suite.count));
    else
        text = xprintf("%zu scenario%s, no mistakes, %zu warning%s\n", suite.count,
                       text_plural(suite.count), warnings, text_plural(warnings));
    ok = ok && command_print(text) && !(options->strict && warnings > 0);
    free(text);
    suite_release(&suite);
    return ok ? SUITE_GOOD : SUITE_UNUSABLE;
}

const struct command command_check = {
    .name = "check",
    .words = "PATH...",
    .what = "reads files and reports every mistake, without running",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .run = run,
    .needs_words = true,
};
