/* scenario - runs scenarios: main() of the runner. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/pool.h"
#include "scenarios/workers/suite.h"

#define PROGRAM "scenario"

static const char help[] =
    "usage: scenario run PATH...    runs scenario files, and those in folders\n"
    "       scenario list PATH...   says what there is\n"
    "       scenario check PATH...  reads files and reports every mistake, without running\n"
    "\n"
    "  --filter GLOB   only scenarios whose name (folder/file) is like this\n"
    "  --jobs N        over so many processes; output and hashes are the same for any number\n"
    "  --seed S        under this seed instead of each file's own\n"
    "  --seeds N       under so many seeds, from that one on; says at which moments processes "
    "were\n"
    "                  killed\n"
    "  --twice         each twice, comparing the trace hashes\n"
    "  --tap           the Test Anything Protocol instead of lines for people\n"
    "  --hashes        only names and trace hashes\n"
    "  --junit FILE    also a report in JUnit XML\n"
    "  --trace FILE    also every event, as JSON lines\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 all is well, 1 a scenario failed, 2 wrong usage, a mistake in a file, or a\n"
    "report that cannot be written.\n";

enum command { COMMAND_NONE, COMMAND_RUN, COMMAND_LIST, COMMAND_CHECK };

struct command_line {
    enum command command;
    const char **paths;
    size_t path_count;
    struct suite_options options;
};

static bool print(const char *text)
{
    struct error err = ERROR_INIT;

    if (output_write(text, strlen(text), &err))
        return true;
    (void)fprintf(stderr, PROGRAM ": %s\n", err.text);
    return false;
}

/* --- the command line --- */

static const char *const flags[] = {"--filter", "--jobs", "--seed",   "--seeds",
                                    "--twice",  "--tap",  "--hashes", "--junit",
                                    "--trace",  "--help", "--version"};
static const char *const commands[] = {"run", "list", "check"};

static bool usage_error(const char *what, const char *which, const char *const *known, size_t count)
{
    const char *closest = text_closest(which, known, count);

    (void)fprintf(stderr, PROGRAM ": %s '%s'%s%s%s (see --help)\n", what, which,
                  closest == NULL ? "" : "; did you mean '", closest == NULL ? "" : closest,
                  closest == NULL ? "" : "'?");
    return false;
}

static bool take_number(const char *flag, const char *text, uint64_t minimum, uint64_t maximum,
                        uint64_t *ret_number)
{
    if (text_to_uint64(text, ret_number) && *ret_number >= minimum && *ret_number <= maximum)
        return true;
    (void)fprintf(stderr, PROGRAM ": %s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'\n",
                  flag, minimum, maximum, text);
    return false;
}

static bool take_value(struct command_line *line, const char *flag, const char *value)
{
    uint64_t number;

    if (strcmp(flag, "--filter") == 0) {
        line->options.filter = value;
    } else if (strcmp(flag, "--junit") == 0) {
        line->options.junit_path = value;
    } else if (strcmp(flag, "--trace") == 0) {
        line->options.trace_path = value;
    } else if (strcmp(flag, "--jobs") == 0) {
        if (!take_number(flag, value, 1, POOL_WORKERS_MAX, &number))
            return false;
        line->options.jobs = (unsigned)number;
    } else if (strcmp(flag, "--seeds") == 0) {
        return take_number(flag, value, 1, SUITE_SEEDS_MAX, &line->options.seeds);
    } else {
        line->options.has_seed = true;
        return take_number(flag, value, 0, INT64_MAX, &line->options.seed);
    }
    return true;
}

/** A flag without a value; false when it is none of them. */
static bool take_switch(struct command_line *line, const char *flag)
{
    if (strcmp(flag, "--twice") == 0)
        line->options.twice = true;
    else if (strcmp(flag, "--tap") == 0)
        line->options.format = SUITE_TAP;
    else if (strcmp(flag, "--hashes") == 0)
        line->options.format = SUITE_HASHES;
    else
        return false;
    return true;
}

static bool is_flag(const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        if (strcmp(flags[i], word) == 0)
            return true;
    }
    return false;
}

static bool take_command(struct command_line *line, const char *word)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i], word) == 0) {
            line->command = COMMAND_RUN + (enum command)i;
            return true;
        }
    }
    return usage_error("unknown command", word, commands, ARRAY_SIZE(commands));
}

/** "--jobs=2" and "--jobs 2"; *at is the last word that was taken. */
static bool take_flag(struct command_line *line, int count, char **words, int *at)
{
    const char *word = words[*at];
    const char *equals = strchr(word, '=');
    char *flag = equals == NULL ? xstrdup(word) : xmemdup(word, (size_t)(equals - word));
    const char *value = equals == NULL ? NULL : equals + 1;
    bool ok = false;

    if (!is_flag(flag)) {
        (void)usage_error("unknown flag", flag, flags, ARRAY_SIZE(flags));
    } else if (take_switch(line, flag)) {
        ok = value == NULL;
        if (!ok)
            (void)fprintf(stderr, PROGRAM ": %s takes no value (see --help)\n", flag);
    } else if (value == NULL && *at + 1 == count) {
        (void)fprintf(stderr, PROGRAM ": %s needs a value (see --help)\n", flag);
    } else {
        ok = take_value(line, flag, value != NULL ? value : words[++*at]);
    }
    free(flag);
    return ok;
}

static bool take_words(struct command_line *line, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (words[i][0] == '-') {
            if (!take_flag(line, count, words, &i))
                return false;
        } else if (line->command != COMMAND_NONE) {
            line->paths[line->path_count++] = words[i];
        } else if (!take_command(line, words[i])) {
            return false;
        }
    }
    return true;
}

static bool is_complete(const struct command_line *line)
{
    if (line->command == COMMAND_NONE)
        (void)fprintf(stderr, PROGRAM ": what to do? run, list or check (see --help)\n");
    else if (line->path_count == 0)
        (void)fprintf(stderr, PROGRAM ": which files? name at least one (see --help)\n");
    else if (line->options.junit_path != NULL && line->options.trace_path != NULL &&
             file_is_same(line->options.junit_path, line->options.trace_path))
        (void)fprintf(stderr, PROGRAM ": --junit and --trace are the same file, '%s'\n",
                      line->options.trace_path);
    else
        return true;
    return false;
}

/* --- commands --- */

static int list(const struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++) {
        const struct scenario *scenario = suite->items[i];
        char *line = xprintf("%-44s %s\n", scenario->name, scenario->description);
        bool printed = print(line);

        free(line);
        if (!printed)
            return SUITE_UNUSABLE;
    }
    return SUITE_GOOD;
}

static int check(const struct suite *suite)
{
    char *line =
        xprintf("%zu scenario%s, no mistakes\n", suite->count, suite->count == 1 ? "" : "s");
    bool printed = print(line);

    free(line);
    return printed ? SUITE_GOOD : SUITE_UNUSABLE;
}

static int carry_out(const struct command_line *line)
{
    struct suite suite = {0};
    int status = SUITE_UNUSABLE;

    if (!suite_read(&suite, line->paths, line->path_count, line->options.filter))
        goto out;
    if (suite.count == 0) {
        (void)fprintf(stderr, PROGRAM ": no scenario there%s%s\n",
                      line->options.filter == NULL ? "" : " is like ",
                      line->options.filter == NULL ? "" : line->options.filter);
        goto out;
    }
    if (line->command == COMMAND_LIST)
        status = list(&suite);
    else if (line->command == COMMAND_CHECK)
        status = check(&suite);
    else
        status = suite_run(&suite, &line->options);
out:
    suite_release(&suite);
    return status;
}

static bool asks_for(int count, char **words, const char *flag)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], flag) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct command_line line = {
        .options = {.program = argv[0], .jobs = 1, .seeds = 1}
    };
    int status = SUITE_UNUSABLE;

    output_prepare();
    if (asks_for(argc, argv, "--help"))
        return print(help) ? SUITE_GOOD : SUITE_UNUSABLE;
    if (asks_for(argc, argv, "--version"))
        return print(PROGRAM " " PROGRAM_VERSION "\n") ? SUITE_GOOD : SUITE_UNUSABLE;
    line.paths = xcalloc((size_t)argc + 1, sizeof(const char *));
    if (take_words(&line, argc, argv) && is_complete(&line))
        status = carry_out(&line);
    free(line.paths);
    return status;
}
