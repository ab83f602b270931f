/* run - scenario run: plays scenarios and reports. */
#include "controller/base/attributes.h"
#include "scenarios/commands/commands.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/pool.h"

static const struct flag flags[] = {
    FLAG_TAKES_TEXT("--filter", "GLOB", struct suite_options, filter,
                    "only scenarios whose name (folder/file) is like this"),
    FLAG_TAKES_NUMBER("--jobs", "N", struct suite_options, jobs, 1, POOL_WORKERS_MAX,
                      "over so many processes; output and hashes are the same for any number"),
    {"--seed", "S", "under this seed instead of each file's own", FLAG_NUMBER,
       offsetof(struct suite_options, seed), 0, INT64_MAX, offsetof(struct suite_options, has_seed)},
    FLAG_TAKES_NUMBER("--seeds", "N", struct suite_options, seeds, 1, SUITE_SEEDS_MAX,
                      "under so many seeds, from that one on; says at which moments processes\n"
                      "were killed"),
    FLAG_IS_SWITCH("--twice", struct suite_options, twice,
                   "each twice, comparing the trace hashes"),
    FLAG_IS_SWITCH("--tap", struct suite_options, tap,
                   "the Test Anything Protocol instead of lines for people"),
    FLAG_IS_SWITCH("--hashes", struct suite_options, hashes, "only names and trace hashes"),
    FLAG_TAKES_TEXT("--junit", "FILE", struct suite_options, junit_path,
                    "also a report in JUnit XML"),
    FLAG_TAKES_TEXT("--trace", "FILE", struct suite_options, trace_path,
                    "also every event, as JSON lines"),
};

static void prepare(void *arg)
{
    struct suite_options *options = arg;

    options->jobs = 1;
    options->seeds = 1;
}

static int run(const struct command_line *line)
{
    struct suite_options *options = line->options;
    struct suite suite = {0};
    int status = SUITE_UNUSABLE;

    options->program = line->program;
    if (options->junit_path != NULL && options->trace_path != NULL &&
        file_is_same(options->junit_path, options->trace_path))
        command_complain("--junit and --trace are the same file, '%s'", options->trace_path);
    else if (command_read(line, options->filter, &suite))
        status = suite_run(&suite, options);
    suite_release(&suite);
    return status;
}

const struct command command_run = {
    .name = "run",
    .words = "PATH...",
    .what = "plays scenario files, and those in folders, and reports",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct suite_options),
    .prepare = prepare,
    .run = run,
    .needs_words = true,
};
