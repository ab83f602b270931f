/* list - scenario list: says what there is. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "scenarios/commands/commands.h"

struct options {
    const char *filter;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT(
        "--filter", "GLOB", struct options, filter,
        "only scenarios whose name (folder/file) is like this; tag:GLOB asks for a tag"),
};

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct suite suite = {0};
    bool ok = command_read(line, options->filter, &suite);

    for (size_t i = 0; ok && i < suite.count; i++) {
        const struct scenario *scenario = suite.items[i];
        char *text = xprintf("%-44s %s\n", scenario->name, scenario->description);

        ok = command_print(text);
        free(text);
    }
    suite_release(&suite);
    return ok ? SUITE_GOOD : SUITE_UNUSABLE;
}

const struct command command_list = {
    .name = "list",
    .words = "PATH...",
    .what = "says which scenarios there are",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .run = run,
    .needs_words = true,
};
