/* sweep - scenario sweep: each scenario again and again with one more fault. */
#include "scenarios/workers/sweep.h"
#include "controller/base/attributes.h"
#include "scenarios/commands/commands.h"
#include "scenarios/workers/pool.h"

static const struct flag flags[] = {
    FLAG_TAKES_TEXT(
        "--filter", "GLOB", struct sweep_options, filter,
        "only scenarios whose name (folder/file) is like this; tag:GLOB asks for a tag"),
    FLAG_TAKES_NUMBER("--jobs", "N", struct sweep_options, jobs, 1, POOL_WORKERS_MAX,
                      "over so many processes; the output is the same for any number"),
    FLAG_IS_SWITCH("--no-fold", struct sweep_options, no_fold,
                   "tries each place, also where many in a row are alike"),
    FLAG_TAKES_TEXT("--out", "DIR", struct sweep_options, out,
                    "writes each point that fails as a scenario file there"),
    FLAG_IS_SWITCH("--hashes", struct sweep_options, hashes,
                   "also the trace hash of each point that is tried"),
    FLAG_IS_SWITCH("--list", struct sweep_options, list,
                   "only counts: calls, timers, events and points of each scenario"),
    FLAG_TAKES_NUMBER("--point", "N", struct sweep_options, point, 1, INT64_MAX,
                      "only prints this point of the one scenario, as a file"),
};

static void prepare(void *arg)
{
    struct sweep_options *options = arg;

    options->jobs = 1;
}

static int run(const struct command_line *line)
{
    struct sweep_options *options = line->options;
    struct suite suite = {.small = true};
    int status = SUITE_UNUSABLE;

    options->program = line->program;
    if (command_read(line, options->filter, &suite))
        status = sweep_run(&suite, options);
    suite_release(&suite);
    return status;
}

const struct command command_sweep = {
    .name = "sweep",
    .words = "PATH...",
    .what =
        "plays each scenario again and again with one more fault, at every place, of every kind",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct sweep_options),
    .prepare = prepare,
    .run = run,
    .needs_words = true,
};
