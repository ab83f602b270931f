/* check - scenario check: reads files and reports every mistake, without running. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "scenarios/commands/commands.h"

struct options {
    const char *filter;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT("--filter", "GLOB", struct options, filter,
                    "only scenarios whose name (folder/file) is like this"),
};

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct suite suite = {0};
    bool ok = command_read(line, options->filter, &suite);
    char *text = xprintf("%zu scenario%s, no mistakes\n", suite.count, suite.count == 1 ? "" : "s");

    ok = ok && command_print(text);
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
