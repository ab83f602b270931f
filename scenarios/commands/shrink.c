/* shrink - scenario shrink: the smallest file that still fails in the same way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/commands/commands.h"
#include "scenarios/invariants/invariants.h"
#include "scenarios/search/document.h"
#include "scenarios/search/finding.h"
#include "scenarios/search/shrink.h"
#include "scenarios/search/trial.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/fork.h"
#include "scenarios/workers/pool.h"
#include "scenarios/workers/program.h"
#include "scenarios/workers/suite.h"

/** What one run may use up. */
#define TRIAL_REAL_US INT64_C(30000000)
#define TRIAL_MEMORY_BYTES ((size_t)2 * 1024 * 1024 * 1024)
#define TRIAL_ANSWER_BYTES ((size_t)64 * 1024 * 1024)
#define TRIALS 5000
/** What fails with the good build as well. */
#define NOT_OURS "fails with the good build too"
#define TRIALS_MAX 1000000

struct options {
    const char *out;
    const char *good;
    const char *filter;
    uint64_t jobs;
    uint64_t trials;
    uint64_t seed;
    bool has_seed;
};

static const struct flag flags[] = {
    FLAG_TAKES_TEXT("--out", "FILE", struct options, out,
                    "where it is written, after every step forward; named after what fails\n"
                    "(i-job-1a2b3c.yaml) where it is a folder (DIR/), and in this one unless said"),
    FLAG_TAKES_TEXT("--filter", "NAME", struct options, filter,
                    "which of its scenarios, where the file has a matrix: x/y[replicas=3]"),
    {"--seed", "S", "the seed that it fails under, if not its own", FLAG_NUMBER,
       offsetof(struct options, seed), 0, INT64_MAX, offsetof(struct options, has_seed)},
    FLAG_TAKES_TEXT("--good", "PROGRAM", struct options, good,
                    "another build of this runner, with which it must pass: the failure stays\n"
                    "what this build does wrong"),
    FLAG_TAKES_NUMBER("--trials", "N", struct options, trials, 1, TRIALS_MAX,
                      "at most so many runs (5000)"),
    FLAG_TAKES_NUMBER("--jobs", "N", struct options, jobs, 1, POOL_WORKERS_MAX,
                      "over so many processes; the outcome is the same for any number"),
};

static void prepare(void *arg)
{
    struct options *options = arg;

    options->jobs = 1;
    options->trials = TRIALS;
}

struct work {
    const struct options *options;
    const char *program;
    const char *path; /* of what is shrunk */
    char *out;
    char *origin;
    struct world_kit *kit;
    struct trial wanted;      /* how it fails */
    struct trial best;        /* how the smallest one does */
    const char *const *texts; /* of the round at hand */
    size_t round;             /* how many */
    struct trial *answers;    /* of the first runs; NULL while shrinking */
    size_t found;
    size_t lines; /* of the smallest */
    bool is_worker;
    bool broken; /* it has been said why */
};

/* --- runs --- */

/** Whether the good build passes; true where there is none. */
static bool is_good(const struct work *work, const char *text)
{
    struct error err = ERROR_INIT;
    bool passes = false;

    if (work->options->good == NULL)
        return true;
    if (!program_passes(work->options->good, text, strlen(text), &passes, &err))
        command_complain("%s", err.text);
    return passes;
}

static void try_text(const struct work *work, const char *text, struct buffer *answer)
{
    struct trial trial = {0};

    trial_run(work->kit, work->path, text, strlen(text), NULL, &trial);
    if (trial.outcome.failure != NULL && !is_good(work, text)) {
        free(trial.outcome.failure);
        trial.outcome.failure = xstrdup(NOT_OURS);
    }
    trial_append(&trial, answer);
    trial_release(&trial);
}

/** In a process of its own: the program may die of it, or never end. */
static void run_text(void *arg, size_t index, struct buffer *answer)
{
    const struct work *work = arg;
    const struct fork_limits limits = {TRIAL_REAL_US, TRIAL_MEMORY_BYTES, TRIAL_ANSWER_BYTES};
    const char *text = work->texts[index];
    struct trial trial = {0};
    struct error err = ERROR_INIT;
    char *death = NULL;
    int line = -1;

    switch (fork_try(&limits, answer, &death, &line, &err)) {
    case FORK_COPY:
        try_text(work, text, answer);
        fork_end(line, answer->bytes, answer->size);
    case FORK_TRIED:
        break;
    case FORK_FAILED:
        death = xstrdup(err.text);
        break;
    }
    if (death == NULL)
        return;
    buffer_clear(answer);
    trial.outcome.failure = xstrdup("the process dies");
    trial.outcome.reason = xprintf("the process that runs it ends: %s", death);
    trial_append(&trial, answer);
    trial_release(&trial);
    free(death);
}

static bool take_answer(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct work *work = arg;
    struct trial trial = {0};
    struct error err = ERROR_INIT;
    bool alike;

    if (bytes == NULL || !trial_parse(bytes, size, &trial, &err)) {
        command_complain("a worker is lost: %s", bytes == NULL ? death : err.text);
        work->broken = true;
        return false;
    }
    if (work->answers != NULL) {
        work->answers[index] = trial;
        return true;
    }
    alike = trial_fails_like(&trial, &work->wanted.outcome);
    if (alike) {
        work->found = index;
        trial_release(&work->best);
        work->best = trial;
    } else {
        trial_release(&trial);
    }
    return !alike;
}

/** False when nothing more is to be done here. */
static bool run_texts(struct work *work, const char *const *texts, size_t count)
{
    const struct pool_work pool = {count, (unsigned)work->options->jobs, run_text, take_answer,
                                   work};
    struct error err = ERROR_INIT;

    work->texts = texts;
    work->found = count;
    switch (pool_run(&pool, &err)) {
    case POOL_DONE:
        return !work->broken;
    case POOL_FAILED:
        command_complain("%s", err.text);
        work->broken = true;
        return false;
    case POOL_WORKER:
        work->is_worker = true;
        return false;
    }
    return false;
}

/* --- as the host of shrink() --- */

static bool first(void *arg, const char *const *texts, size_t count, size_t *ret_index,
                  char **ret_kills)
{
    struct work *work = arg;

    if (!run_texts(work, texts, count))
        return false;
    *ret_index = work->found;
    if (work->found < count)
        *ret_kills = xstrdup(work->best.outcome.kills);
    return true;
}

static size_t count_lines(const struct json_object *tree)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    size_t lines = 0;

    document_append(&text, tree, NULL);
    for (size_t i = 0; i < text.size; i++)
        lines += text.bytes[i] == '\n' ? 1 : 0;
    buffer_release(&text);
    return lines;
}

static bool write_file(struct work *work, const struct json_object *tree)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct error err = ERROR_INIT;
    bool ok;

    finding_append(&text, tree, &work->best.outcome, work->out, work->origin);
    ok = buffer_check(&text, &err) && file_write(work->out, text.bytes, text.size, &err);
    if (!ok && !work->broken)
        command_complain("%s", err.text);
    work->broken = work->broken || !ok;
    buffer_release(&text);
    return ok;
}

static void better(void *arg, const struct json_object *tree, size_t trials)
{
    struct work *work = arg;
    size_t lines = count_lines(tree);

    (void)write_file(work, tree);
    if (lines < work->lines) {
        char *text = xprintf("%zu line%s after %zu run%s\n", lines, text_plural(lines), trials,
                             text_plural(trials));

        output_error(text);
        free(text);
    }
    work->lines = lines;
}

/* --- the whole --- */

/** Twice: what does not repeat cannot be shrunk. */
static bool fails(struct work *work, const char *text)
{
    struct trial answers[2] = {{0}, {0}};
    const char *const texts[] = {text, text};
    const struct outcome *outcome = &answers[0].outcome;
    bool ok = false;

    work->answers = answers;
    if (!run_texts(work, texts, ARRAY_SIZE(texts)))
        goto out;
    if (answers[0].problems != NULL) {
        output_error(answers[0].problems);
    } else if (outcome->passed) {
        command_complain("%s passes under seed %" PRIu64 ", so there is nothing to shrink: "
                         "'%s run %s --seeds 100' looks for a seed under which it fails, and "
                         "--seed says it",
                         work->path, answers[0].seed, work->program, work->path);
    } else if (text_equal(outcome->failure, NOT_OURS)) {
        command_complain("%s fails with %s too", work->path, work->options->good);
    } else if (!text_equal(outcome->failure, answers[1].outcome.failure) ||
               strcmp(outcome->hash, answers[1].outcome.hash) != 0) {
        command_complain("two runs of %s under seed %" PRIu64 " differ (%s and %s); that is a "
                         "fault of the runner, see --twice of '%s run'",
                         work->path, answers[0].seed, text_or(outcome->failure, "passes"),
                         text_or(answers[1].outcome.failure, "passes"), work->program);
    } else {
        ok = true;
        work->wanted = answers[0];
        work->best = answers[1];
    }
out:
    if (!ok) {
        trial_release(&answers[0]);
        trial_release(&answers[1]);
    }
    work->answers = NULL;
    return ok;
}

static char *text_of(const struct json_object *tree)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    size_t size;

    document_append(&text, tree, NULL);
    return buffer_take(&text, &size);
}

static bool tell(const struct work *work, const struct shrink_result *result)
{
    const char *end = result->end == SHRINK_DONE ? "nothing more can be taken away"
                                                 : "as small as it got; --trials allows more";
    size_t lines = count_lines(result->tree);
    char *text = xprintf("%s: %s\n%zu line%s after %zu run%s: %s\nto repeat it:\n  %s run %s\n"
                         "trace hash %s\n",
                         work->out, text_or(work->best.outcome.reason, "it fails"), lines,
                         text_plural(lines), result->trials, text_plural(result->trials), end,
                         work->program, work->out, work->best.outcome.hash);
    bool printed = command_print(text);

    free(text);
    return printed;
}

static bool shrink_it(struct work *work, struct json_object *tree)
{
    const struct shrink_host host = {first, better, work};
    struct shrink_result result = {0};
    char *description = finding_description(&work->wanted.outcome);
    struct error err = ERROR_INIT;
    bool ok = false;

    json_set_text(tree, "description", description);
    free(description);
    work->lines = count_lines(tree);
    if (!file_prepare_folder(work->out, &err) || !file_check(work->out, &err)) {
        command_complain("%s", err.text);
        return false;
    }
    if (!write_file(work, tree))
        return false;
    shrink(tree, work->wanted.outcome.kills, invariant_find(work->wanted.outcome.failure) == NULL,
           work->options->trials, &host, &result);
    if (!work->is_worker && result.end != SHRINK_STOPPED && !work->broken)
        ok = tell(work, &result);
    (void)json_object_put(result.tree);
    return ok;
}

/** The file's path; free() it. */
static char *out_of(const struct work *work, const char *text)
{
    const char *out = work->options->out;
    char *name;
    char *path;

    if (out != NULL && !text_ends_with(out, "/") && !folder_check(out))
        return xstrdup(out);
    name = finding_name(work->wanted.outcome.failure, text, strlen(text));
    path = xprintf("%s%s%s", text_or(out, ""), out == NULL || text_ends_with(out, "/") ? "" : "/",
                   name);
    free(name);
    return path;
}

static bool start(struct work *work, struct json_object *tree)
{
    char *text = text_of(tree);
    bool ok = false;

    work->kit = world_kit_new();
    if (fails(work, text)) {
        work->out = out_of(work, text);
        work->origin =
            xprintf("found in %s, seed %" PRIu64 ", and shrunk", work->path, work->wanted.seed);
        ok = shrink_it(work, tree);
    }
    free(text);
    return ok;
}

/** With all that the file includes and fills in. False: it has been said why. */
static bool read_tree(const struct work *work, struct json_object **ret_tree)
{
    struct suite suite = {0};
    bool ok = suite_read(&suite, &work->path, 1, work->options->filter);

    if (ok && suite.count > 1)
        command_complain("%s is %zu scenarios; --filter says which, such as '%s'", work->path,
                         suite.count, suite.items[0]->name);
    else if (ok && suite.count == 0)
        command_complain("no scenario of %s is called so", work->path);
    ok = ok && suite.count == 1;
    if (ok)
        *ret_tree = document_of(suite.items[0]->root);
    suite_release(&suite);
    return ok;
}

static int run(const struct command_line *line)
{
    struct work work = {.options = line->options, .program = line->program, .path = line->words[0]};
    struct json_object *tree = NULL;
    bool ok = false;

    if (line->word_count != 1)
        command_complain("shrink takes one file, not %zu", line->word_count);
    else if (read_tree(&work, &tree)) {
        if (work.options->has_seed)
            json_set_int64(tree, "seed", (int64_t)work.options->seed);
        ok = start(&work, tree);
    }
    (void)json_object_put(tree);
    trial_release(&work.wanted);
    trial_release(&work.best);
    world_kit_free(work.kit);
    free(work.out);
    free(work.origin);
    return ok ? SUITE_GOOD : SUITE_UNUSABLE;
}

const struct command command_shrink = {
    .name = "shrink",
    .words = "FILE",
    .what = "makes of a file that fails the smallest that still fails alike",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .prepare = prepare,
    .run = run,
    .needs_words = true,
};
