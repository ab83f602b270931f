/* suite - see suite.h. */
#include "scenarios/workers/suite.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/schemas.h"
#include "scenarios/report/seeds.h"
#include "scenarios/report/summary.h"
#include "scenarios/report/tap.h"
#include "scenarios/workers/clock.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/pool.h"
#include "scenarios/world/world.h"

static void complain(const struct error *err)
{
    report_complain(err->text);
}

/* --- reading --- */

static bool read_included(void *arg, const char *path, struct buffer *bytes, struct error *err)
{
    (void)arg;
    return file_check_regular(path, err) && file_read(path, bytes, err);
}

static bool has_tag(const struct scenario *scenario, const char *filter)
{
    for (size_t i = 0; i < scenario->tags.count; i++) {
        if (fnmatch(filter, scenario->tags.items[i], 0) == 0)
            return true;
    }
    return false;
}

/** By its whole name, too: that of a variant has brackets in it. */
static bool is_wanted(const struct scenario *scenario, const char *filter)
{
    static const char of_tags[] = "tag:";

    if (filter != NULL && text_starts_with(filter, of_tags))
        return has_tag(scenario, filter + strlen(of_tags));
    return filter == NULL || strcmp(filter, scenario->name) == 0 ||
           fnmatch(filter, scenario->name, 0) == 0;
}

/** Takes the scenarios. */
static void keep_wanted(struct suite *suite, struct scenario **items, size_t count,
                        const char *filter)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(items[i], filter)) {
            scenario_free(items[i]);
            continue;
        }
        suite->items = xrealloc(suite->items, (suite->count + 1) * sizeof(struct scenario *));
        suite->items[suite->count++] = items[i];
    }
    free(items);
}

static bool read_one(struct suite *suite, const struct schemas *schemas, const char *path,
                     const char *filter)
{
    const struct scenario_files files = {read_included, NULL, suite->small};
    struct buffer bytes = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct problems problems = {0};
    struct error err = ERROR_INIT;
    struct scenario **items = NULL;
    size_t count = 0;
    bool ok = false;

    if (!file_read(path, &bytes, &err)) {
        complain(&err);
        goto out;
    }
    ok = scenario_read_all(schemas, path, bytes.bytes, bytes.size, &files, &problems, &items,
                           &count);
    if (ok) {
        keep_wanted(suite, items, count, filter);
    } else {
        problems_append(&problems, path, &report);
        output_error(buffer_text(&report));
    }
out:
    problems_release(&problems);
    buffer_release(&bytes);
    buffer_release(&report);
    return ok;
}

bool suite_read(struct suite *suite, const char *const *paths, size_t path_count,
                const char *filter)
{
    struct schemas *schemas = schemas_new();
    struct paths found = {0};
    struct error err = ERROR_INIT;
    bool ok = true;

    for (size_t i = 0; i < path_count; i++) {
        if (!paths_add(&found, paths[i], &err)) {
            complain(&err);
            ok = false;
        }
    }
    for (size_t i = 0; i < found.count; i++)
        ok = read_one(suite, schemas, found.items[i], filter) && ok;
    schemas_free(schemas);
    paths_release(&found);
    return ok;
}

void suite_release(struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        scenario_free(suite->items[i]);
    free(suite->items);
    *suite = (struct suite){0};
}

void suite_shard(struct suite *suite, const struct shard *shard)
{
    size_t kept = 0;

    for (size_t i = 0; i < suite->count; i++) {
        if (i % shard->count == shard->index)
            suite->items[kept++] = suite->items[i];
        else
            scenario_free(suite->items[i]);
    }
    suite->count = kept;
}

/* --- running, in a worker --- */

struct running {
    const struct suite *suite;
    const struct suite_options *options;
    struct result *results;
    size_t result_count;
    struct world_kit *kit;
    struct totals totals;
    struct seeds seeds; /* of the scenario at hand */
    struct reports reports;
    bool lost_report; /* one could not be written */
    bool lost_output; /* nobody takes what we print */
    bool is_worker;   /* this process is a worker that is done */
};

static void take_outcome(struct result *result, struct outcome *outcome)
{
    result->kind = outcome->passed ? RESULT_PASSED : RESULT_FAILED;
    result->virtual_us = outcome->virtual_us;
    result->events = outcome->events;
    memcpy(result->hash, outcome->hash, sizeof(result->hash));
    result->reason = outcome->reason;
    result->details = outcome->details;
    result->story = outcome->story;
    result->trace = outcome->trace;
    result->kills = outcome->kills;
    result->kept = outcome->kept;
    result->cleanup = outcome->cleanup;
    result->failure = outcome->failure;
    result->checks = outcome->checks;
    *outcome = (struct outcome){0};
}

static void run_again(const struct scenario *scenario, const struct world_options *options,
                      struct result *result)
{
    struct world_options quiet = {.kit = options->kit, .seed = options->seed};
    struct outcome outcome;

    world_run(scenario, &quiet, &outcome);
    if (result->kind == RESULT_PASSED && strcmp(outcome.hash, result->hash) != 0) {
        result->kind = RESULT_FAILED;
        result->failure = xstrdup("runs differ");
        result->reason =
            xprintf("two runs under one seed differ: %s and %s", result->hash, outcome.hash);
    }
    outcome_release(&outcome);
}

/** Piece of work number index: the seeds of a scenario follow one another. */
static const struct scenario *piece(const struct running *running, size_t index,
                                    struct result *result)
{
    const struct suite_options *options = running->options;
    const struct scenario *scenario = running->suite->items[index / options->seeds];
    uint64_t first = options->has_seed ? options->seed : (uint64_t)scenario->seed;

    *result = (struct result){.path = xstrdup(scenario->path),
                              .seed = first + index % options->seeds,
                              .twice = options->twice,
                              .live = options->play != NULL};
    result->name = options->seeds == 1 ? xstrdup(scenario->name)
                                       : xprintf("%s#%" PRIu64, scenario->name, result->seed);
    return scenario;
}

static void work(void *arg, size_t index, struct buffer *answer)
{
    const struct running *running = arg;
    const struct suite_options *options = running->options;
    struct result result;
    const struct scenario *scenario = piece(running, index, &result);
    struct world_options world_options = {.kit = running->kit,
                                          .seed = result.seed,
                                          .trace = options->reports.trace != NULL,
                                          .outline = options->reports.timeline != NULL,
                                          .keep = options->reports.keep != NULL,
                                          .checks = true,
                                          .real_us = real_clock_us};
    struct outcome outcome;
    char *unplayed = NULL;
    int64_t started_us = real_clock_us();

    if (scenario->skip != NULL)
        unplayed = xstrdup(scenario->skip);
    else if (options->play != NULL)
        unplayed = options->play(scenario, &outcome);
    else
        world_run(scenario, &world_options, &outcome);
    if (unplayed != NULL) {
        result.kind = RESULT_SKIPPED;
        result.reason = unplayed;
    } else {
        take_outcome(&result, &outcome);
        result.real_us = real_clock_us() - started_us;
        if (options->twice)
            run_again(scenario, &world_options, &result);
    }
    result_append(&result, answer);
    result_release(&result);
}

/* --- reporting, in this process --- */

/** False when nobody is left to run for: reports are written also where no one listens. */
static bool print(struct running *running, struct buffer *text)
{
    const struct suite_options *options = running->options;
    struct error err = ERROR_INIT;

    if (text->size > 0 && !running->lost_output && !output_write(text->bytes, text->size, &err)) {
        complain(&err);
        running->lost_output = true;
    }
    buffer_release(text);
    return !running->lost_output || reports_are_wanted(&options->reports);
}

static bool is_for_people(const struct suite_options *options)
{
    return !options->tap && !options->hashes;
}

static void append_for_people(const struct running *running, const struct result *result,
                              struct buffer *text)
{
    if (running->options->seeds == 1 ||
        (result->kind == RESULT_FAILED && running->seeds.failed == 0))
        summary_append(result, running->options->program, text);
    else if (result->kind == RESULT_FAILED) /* one story is enough */
        buffer_append_format(text, "FAILED  %s: %s\n", result->name, result->reason);
}

static void append_line(const struct running *running, const struct result *result,
                        struct buffer *text)
{
    struct buffer failure = BUFFER_INIT(REPORT_BYTES_MAX);

    if (running->options->tap) {
        tap_append(result, running->result_count, text);
        return;
    }
    if (!running->options->hashes) {
        append_for_people(running, result, text);
        return;
    }
    if (*result->hash != '\0')
        buffer_append_format(text, "%s %s\n", result->name, result->hash);
    if (result->kind == RESULT_FAILED) {
        summary_append(result, running->options->program, &failure);
        output_error(buffer_text(&failure));
    }
    buffer_release(&failure);
}

/** A worker that died took its answer along. */
static void stand_in(const struct running *running, size_t index, const char *death,
                     struct result *result)
{
    (void)piece(running, index, result);
    result->kind = RESULT_FAILED;
    result->reason = xprintf("the process that ran it ended: %s", death);
}

/** Of many seeds people see the failures, and a line when the scenario is done with all of them. */
static void append_seeds(struct running *running, size_t index, const struct result *result,
                         struct buffer *text)
{
    const struct suite_options *options = running->options;

    if (options->seeds == 1)
        return;
    seeds_add(&running->seeds, result);
    if ((index + 1) % options->seeds != 0)
        return;
    if (is_for_people(options))
        seeds_append(&running->seeds, running->suite->items[index / options->seeds]->name, text);
    seeds_release(&running->seeds);
}

/** Runners read commands on both streams; what is for machines is not mixed with them. */
static void annotate(struct running *running, const struct result *result, struct buffer *text)
{
    struct buffer annotation = BUFFER_INIT(REPORT_BYTES_MAX);

    reports_annotate(&running->reports, result, &annotation);
    if (is_for_people(running->options))
        buffer_append(text, buffer_text(&annotation), annotation.size);
    else
        output_error(buffer_text(&annotation));
    buffer_release(&annotation);
}

static bool done(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct running *running = arg;
    struct result *result = &running->results[running->result_count++];
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    struct error err = ERROR_INIT;

    if (bytes == NULL)
        stand_in(running, index, death, result);
    else if (!result_parse(bytes, size, result, &err))
        stand_in(running, index, err.text, result);
    totals_add(&running->totals, result);
    running->lost_report = !reports_take(&running->reports, result) || running->lost_report;
    append_line(running, result, &text);
    append_seeds(running, index, result, &text);
    annotate(running, result, &text);
    if (running->options->reports.junit == NULL && running->options->reports.json == NULL)
        checks_release(&result->checks); /* of 100,000 seeds they would be the most there is */
    return print(running, &text);
}

static bool run_all(struct running *running)
{
    const struct suite_options *options = running->options;
    size_t count = running->suite->count * options->seeds;
    const struct pool_work pool_work = {.count = count,
                                        .workers = (unsigned)options->jobs,
                                        .work = work,
                                        .done = done,
                                        .arg = running,
                                        .limit_us = (int64_t)options->run_seconds * US_PER_SECOND};
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    struct error err = ERROR_INIT;
    int64_t started_us = real_clock_us();

    if (options->tap)
        tap_append_head(count, &text);
    if (!print(running, &text))
        return false;
    switch (pool_run(&pool_work, &err)) {
    case POOL_DONE:
        break;
    case POOL_FAILED:
        complain(&err);
        return false;
    case POOL_WORKER:
        running->is_worker = true;
        return true;
    }
    if (is_for_people(options)) {
        slowest_append(running->results, running->result_count, &text);
        totals_append(&running->totals, real_clock_us() - started_us, &text);
    }
    return print(running, &text) &&
           reports_write(&running->reports, running->results, running->result_count) &&
           !running->lost_report && !running->lost_output;
}

int suite_run(const struct suite *suite, const struct suite_options *options)
{
    struct running running = {.suite = suite, .options = options};
    bool ok;

    if (!reports_check(&options->reports, suite->count * options->seeds))
        return SUITE_UNUSABLE;
    running.results = xcalloc(suite->count * options->seeds + 1, sizeof(*running.results));
    reports_init(&running.reports, &options->reports, options->program);
    running.kit = world_kit_new();
    ok = run_all(&running);
    for (size_t i = 0; i < running.result_count; i++)
        result_release(&running.results[i]);
    free(running.results);
    seeds_release(&running.seeds);
    reports_release(&running.reports);
    world_kit_free(running.kit);
    if (running.is_worker)
        return SUITE_GOOD;
    if (!ok)
        return SUITE_UNUSABLE;
    return running.totals.failed == 0 ? SUITE_GOOD : SUITE_FAILED;
}
