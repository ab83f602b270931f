/* run - scenario run: plays scenarios and reports. */
#include "controller/base/attributes.h"
#include "scenarios/commands/commands.h"
#include "scenarios/live/live.h"
#include "scenarios/search/shards.h"
#include "scenarios/workers/environment.h"
#include "scenarios/workers/pool.h"

/** What one run may take of real time: hundreds of times what the longest does, even under a
 * sanitizer. */
#define RUN_SECONDS 600
#define RUN_SECONDS_MAX 86400
/** Nobody said. */
#define RUN_SECONDS_UNSAID (RUN_SECONDS_MAX + 1)

struct options {
    struct suite_options suite;
    const char *shard; /* NULL: all */
    bool live;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT(
        "--filter", "GLOB", struct options, suite.filter,
        "only scenarios whose name (folder/file) is like this; tag:GLOB asks for a tag"),
    FLAG_TAKES_NUMBER("--jobs", "N", struct options, suite.jobs, 1, POOL_WORKERS_MAX,
                      "over so many processes; output and hashes are the same for any number"),
    FLAG_TAKES_TEXT("--shard", "I/N", struct options, shard,
                    "only every N-th scenario, 0/8 to 7/8 share them out; 'scenario merge' makes\n"
                    "one report of their --json"),
    {"--seed", "S", "under this seed instead of each file's own", FLAG_NUMBER,
       offsetof(struct options, suite.seed), 0, INT64_MAX, offsetof(struct options, suite.has_seed)},
    FLAG_TAKES_NUMBER("--seeds", "N", struct options, suite.seeds, 1, SUITE_SEEDS_MAX,
                      "under so many seeds, from that one on; says at which moments processes\n"
                      "were killed"),
    FLAG_TAKES_NUMBER("--run-seconds", "N", struct options, suite.run_seconds, 0, RUN_SECONDS_MAX,
                      "what one run may take of real time (600; with --live as long as it likes):\n"
                      "then it has failed. 0: no limit, and with one job no other process"),
    FLAG_IS_SWITCH("--twice", struct options, suite.twice,
                   "each twice, comparing the trace hashes"),
    FLAG_IS_SWITCH("--live", struct options, live,
                   "by real processes on this machine, in real time; what needs a simulation is\n"
                   "skipped. Most of it is waiting: 8 jobs are not too many"),
    FLAG_IS_SWITCH("--tap", struct options, suite.tap,
                   "the Test Anything Protocol instead of lines for people"),
    FLAG_IS_SWITCH("--hashes", struct options, suite.hashes, "only names and trace hashes"),
    FLAG_IS_SWITCH("--github", struct options, suite.reports.github,
                   "failures also as GitHub's annotations; by itself in a GitHub workflow"),
    FLAG_TAKES_TEXT("--junit", "FILE", struct options, suite.reports.junit,
                    "also a report in JUnit XML"),
    FLAG_TAKES_TEXT("--json", "FILE", struct options, suite.reports.json,
                    "also a report as JSON lines"),
    FLAG_TAKES_TEXT("--trace", "FILE", struct options, suite.reports.trace,
                    "also every event, as JSON lines"),
    FLAG_TAKES_TEXT("--timeline", "FILE.html", struct options, suite.reports.timeline,
                    "also a page that shows what happened"),
    FLAG_TAKES_TEXT("--keep", "PATH", struct options, suite.reports.keep,
                    "also the objects at the end, as YAML that fakeapi --load reads: a file for\n"
                    "one run, a folder for more"),
};

static void prepare(void *arg)
{
    struct options *options = arg;

    options->suite.jobs = 1;
    options->suite.seeds = 1;
    options->suite.run_seconds = RUN_SECONDS_UNSAID;
    options->suite.reports.github = environment_is_github();
}

static bool take_shard(const char *text, struct shard *ret_shard)
{
    struct error err = ERROR_INIT;
    bool ok = shard_parse(text, ret_shard, &err);

    if (!ok)
        command_complain("%s", err.text);
    return ok;
}

/** What only a simulation has is not asked of real processes. */
static bool take_live(struct suite_options *suite)
{
    const char *other = suite->has_seed                   ? "--seed"
                        : suite->seeds > 1                ? "--seeds"
                        : suite->twice                    ? "--twice"
                        : suite->hashes                   ? "--hashes"
                        : suite->reports.trace != NULL    ? "--trace"
                        : suite->reports.timeline != NULL ? "--timeline"
                                                          : NULL;

    suite->play = live_play;
    if (other != NULL)
        command_complain("--live and %s do not go together: real processes have no seed and no "
                         "trace",
                         other);
    return other == NULL;
}

static int run(const struct command_line *line)
{
    struct options *options = line->options;
    struct suite suite = {0};
    struct shard shard = {0, 1};
    int status = SUITE_UNUSABLE;

    options->suite.program = line->program;
    if (options->suite.run_seconds == RUN_SECONDS_UNSAID) /* live, the waits have their limits */
        options->suite.run_seconds = options->live ? 0 : RUN_SECONDS;
    if ((!options->live || take_live(&options->suite)) &&
        (options->shard == NULL || take_shard(options->shard, &shard)) &&
        command_read(line, options->suite.filter, &suite)) {
        suite_shard(&suite, &shard);
        status = suite_run(&suite, &options->suite);
    }
    suite_release(&suite);
    return status;
}

const struct command command_run = {
    .name = "run",
    .words = "PATH...",
    .what = "plays scenario files, and those in folders, and reports",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .prepare = prepare,
    .run = run,
    .needs_words = true,
};
