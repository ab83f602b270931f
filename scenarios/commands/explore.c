/* explore - scenario explore: scenarios made from seeds, run one after another over workers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/commands/commands.h"
#include "scenarios/search/generate.h"
#include "scenarios/search/shards.h"
#include "scenarios/search/tally.h"
#include "scenarios/search/trial.h"
#include "scenarios/workers/clock.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/pool.h"

#define SEEDS_DEFAULT "1..1000"
/** Seeds that the pool is given at a time. */
#define BATCH_SEEDS 4096
#define MINUTES_MAX (UINT64_C(366) * 24 * 60)
#define TELLING_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct options {
    const char *seeds;
    const char *shard;
    const char *out;
    uint64_t minutes; /* 0: as long as it takes */
    uint64_t jobs;
    bool hashes;
    bool show;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT("--seeds", "A..B", struct options, seeds,
                    "from A to B; one alone may be written without dots (" SEEDS_DEFAULT ")"),
    FLAG_TAKES_NUMBER("--minutes", "M", struct options, minutes, 1, MINUTES_MAX,
                      "stops after so many real minutes, wherever it is"),
    FLAG_TAKES_TEXT("--shard", "I/N", struct options, shard,
                    "only every N-th seed, 0/8 to 7/8 share them out"),
    FLAG_TAKES_NUMBER("--jobs", "N", struct options, jobs, 1, POOL_WORKERS_MAX,
                      "over so many processes; output and hashes are the same for any number"),
    FLAG_TAKES_TEXT("--out", "DIR", struct options, out,
                    "writes what fails to DIR/seed-N.yaml, for scenario run"),
    FLAG_IS_SWITCH("--hashes", struct options, hashes, "only seeds and trace hashes"),
    FLAG_IS_SWITCH("--show", struct options, show,
                   "prints the scenario of the first seed instead of running it"),
};

struct exploration {
    const struct command_line *line;
    const struct options *options;
    struct seed_range range;
    struct shard shard;
    struct world_kit *kit;
    struct tally tally;
    uint64_t batch; /* where the batch at hand begins in the shard */
    int64_t started_us;
    bool stopped;   /* time is up, or nobody listens */
    bool is_worker; /* this process is a worker that is done */
    bool lost_output;
};

static void complain(const struct error *err)
{
    command_complain("%s", err->text);
}

/* --- in a worker --- */

static uint64_t seed_at(const struct exploration *exploration, size_t index)
{
    return shard_seed(&exploration->range, &exploration->shard, exploration->batch + index);
}

static void work(void *arg, size_t index, struct buffer *answer)
{
    const struct exploration *exploration = arg;
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct trial trial;

    generate_append(seed_at(exploration, index), &text);
    trial_run(exploration->kit, "explore/seed.yaml", text.bytes, text.size, NULL, &trial);
    if (trial.problems != NULL) {
        trial.outcome.failure = xstrdup("not a scenario");
        trial.outcome.reason = xstrdup("what was made of the seed is no scenario");
        trial.outcome.details = trial.problems;
        trial.problems = NULL;
    }
    tally_pack(&trial.outcome, answer);
    trial_release(&trial);
    buffer_release(&text);
}

/* --- what came of it, in this process --- */

/** Its comment stands at the end: notes of the trace count lines, and so does its hash. */
static bool keep(const struct exploration *exploration, uint64_t seed,
                 const struct outcome *outcome, struct error *err)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    char *path = xprintf("%s/seed-%" PRIu64 ".yaml", exploration->options->out, seed);
    bool ok;

    generate_append(seed, &text);
    buffer_append_format(&text, "# %s\n", text_or(outcome->failure, ""));
    ok = file_write(path, text.bytes, text.size, err);
    buffer_release(&text);
    free(path);
    return ok;
}

static void append_failure(const struct exploration *exploration, uint64_t seed,
                           const struct outcome *outcome, bool first, struct buffer *text)
{
    const char *program = exploration->line->program;

    buffer_append_format(text, "FAILED  seed %" PRIu64 ": %s: %s\n", seed, outcome->failure,
                         text_or(outcome->reason, ""));
    if (!first)
        return;
    buffer_append_text(text, text_or(outcome->details, ""));
    if (!text_is_empty(outcome->story))
        buffer_append_format(text, "the last of what happened:\n%s", outcome->story);
    buffer_append_format(text, "again: %s explore --seeds %" PRIu64 "\n", program, seed);
    buffer_append_format(text,
                         "smaller: %s explore --seeds %" PRIu64 " --show > seed-%" PRIu64
                         ".yaml; %s shrink seed-%" PRIu64 ".yaml\n",
                         program, seed, seed, program, seed);
}

static bool print(struct exploration *exploration, struct buffer *text)
{
    if (text->size > 0 && !command_print(buffer_text(text)))
        exploration->lost_output = true;
    buffer_release(text);
    return !exploration->lost_output;
}

static bool time_is_up(const struct exploration *exploration)
{
    int64_t minutes = (int64_t)exploration->options->minutes;

    return minutes > 0 && real_clock_us() - exploration->started_us >= minutes * US_PER_MINUTE;
}

static bool done(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct exploration *exploration = arg;
    uint64_t seed = seed_at(exploration, index);
    struct buffer text = BUFFER_INIT(TELLING_BYTES_MAX);
    struct buffer failure = BUFFER_INIT(TELLING_BYTES_MAX);
    struct outcome outcome = {0};
    struct error err = ERROR_INIT;
    bool first;

    if (bytes == NULL || !tally_unpack(bytes, size, &outcome, &err)) {
        outcome.failure = xstrdup("the process ended");
        outcome.reason = xprintf("the process that ran it ended: %s", text_or(death, err.text));
    }
    first = tally_add(&exploration->tally, seed, &outcome);
    if (exploration->options->hashes)
        buffer_append_format(&text, "%" PRIu64 " %s\n", seed, outcome.hash);
    if (!outcome.passed)
        append_failure(exploration, seed, &outcome, first,
                       exploration->options->hashes ? &failure : &text);
    output_error(buffer_text(&failure));
    buffer_release(&failure);
    if (!outcome.passed && exploration->options->out != NULL &&
        !keep(exploration, seed, &outcome, &err)) {
        complain(&err);
        exploration->stopped = true;
    }
    outcome_release(&outcome);
    if (!print(exploration, &text) || time_is_up(exploration))
        exploration->stopped = true;
    return !exploration->stopped;
}

/* --- the whole --- */

/** False when it cannot go on. */
static bool run_batches(struct exploration *exploration, struct error *err)
{
    uint64_t size = shard_size(&exploration->range, &exploration->shard);

    for (; exploration->batch < size && !exploration->stopped; exploration->batch += BATCH_SEEDS) {
        uint64_t left = size - exploration->batch;
        const struct pool_work pool_work = {left < BATCH_SEEDS ? left : BATCH_SEEDS,
                                            (unsigned)exploration->options->jobs, work, done,
                                            exploration};

        switch (pool_run(&pool_work, err)) {
        case POOL_DONE:
            break;
        case POOL_FAILED:
            return false;
        case POOL_WORKER:
            exploration->is_worker = true;
            return true;
        }
    }
    return true;
}

static int conclude(struct exploration *exploration)
{
    const struct tally *tally = &exploration->tally;
    uint64_t seeds = exploration->range.last - exploration->range.first + 1;
    bool cold = seeds >= TALLY_COLD_SEEDS && exploration->shard.count == 1 &&
                tally->runs == seeds && tally_cold_count(tally) > 0;
    struct buffer text = BUFFER_INIT(TELLING_BYTES_MAX);

    if (!exploration->options->hashes)
        tally_append(tally, real_clock_us() - exploration->started_us, &text);
    if (!print(exploration, &text))
        return SUITE_UNUSABLE;
    return tally->failed > 0 || cold ? SUITE_FAILED : SUITE_GOOD;
}

static int explore(struct exploration *exploration)
{
    struct error err = ERROR_INIT;
    int status = SUITE_UNUSABLE;

    exploration->started_us = real_clock_us();
    exploration->kit = world_kit_new();
    if (!run_batches(exploration, &err))
        complain(&err);
    else if (exploration->is_worker)
        status = SUITE_GOOD;
    else
        status = conclude(exploration);
    tally_release(&exploration->tally);
    world_kit_free(exploration->kit);
    return status;
}

static int show(const struct exploration *exploration)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    bool printed;

    generate_append(seed_at(exploration, 0), &text);
    printed = command_print(buffer_text(&text));
    buffer_release(&text);
    return printed ? SUITE_GOOD : SUITE_UNUSABLE;
}

static void prepare(void *arg)
{
    struct options *options = arg;

    options->seeds = SEEDS_DEFAULT;
    options->shard = "0/1";
    options->jobs = 1;
}

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct exploration exploration = {.line = line, .options = options};
    struct error err = ERROR_INIT;

    if (!seed_range_parse(options->seeds, &exploration.range, &err) ||
        !shard_parse(options->shard, &exploration.shard, &err) ||
        (options->out != NULL && !options->show && !folder_prepare(options->out, &err))) {
        complain(&err);
        return SUITE_UNUSABLE;
    }
    return options->show ? show(&exploration) : explore(&exploration);
}

const struct command command_explore = {
    .name = "explore",
    .what = "runs scenarios made from seeds: random clusters, work and swarms of faults",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .prepare = prepare,
    .run = run,
};
