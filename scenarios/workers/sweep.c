/* sweep - see sweep.h. First every scenario is run once, to see what places there are; then pieces
 * of these runs are tried by workers, each of which runs its scenario up to its piece. */
#include "scenarios/workers/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/search/fold.h"
#include "scenarios/search/sweep_counts.h"
#include "scenarios/search/sweep_tally.h"
#include "scenarios/workers/clock.h"
#include "scenarios/workers/files.h"
#include "scenarios/workers/fork.h"
#include "scenarios/workers/pool.h"
#include "scenarios/workers/sweep_point.h"
#include "scenarios/world/world.h"

#define PROGRAM "scenario"
#define REPORT_BYTES_MAX ((size_t)1024 * 1024 * 1024)
#define FAULT_BYTES_MAX ((size_t)64 * 1024)
/** What a copy may use up: the longest run of a scenario takes a second, and some ten megabytes. */
#define TRY_REAL_US (60 * US_PER_SECOND)
#define TRY_MEMORY_BYTES ((size_t)1024 * 1024 * 1024)
#define TRY_ANSWER_BYTES ((size_t)256 * 1024)
/** Places that a worker tries before it asks for more work: enough that running up to them costs
 * little, and few enough that all workers end at about the same time. */
#define PIECE_PLACES 100

/** What is known of a scenario's run. */
struct survey {
    struct sweep_counts counts;
    char *tried; /* a '1' or '0' for each place */
    size_t place_count;
};

struct piece {
    size_t scenario;
    size_t from; /* places */
    size_t to;
};

struct sweep {
    const struct suite *suite;
    const struct sweep_options *options;
    struct world_kit *kit;
    struct survey *surveys;
    struct piece *pieces;
    size_t piece_count;
    struct sweep_counts counts;
    struct sweep_tally tally;
    uint64_t broken; /* scenarios whose own run fails */
    bool lost_output;
    bool is_worker;
};

static void complain(const struct error *err)
{
    char *text = xprintf(PROGRAM ": %s\n", err->text);

    output_error(text);
    free(text);
}

static bool print(struct sweep *sweep, struct buffer *text)
{
    struct error err = ERROR_INIT;

    if (text->size > 0 && !sweep->lost_output && !output_write(text->bytes, text->size, &err)) {
        complain(&err);
        sweep->lost_output = true;
    }
    buffer_release(text);
    return !sweep->lost_output;
}

/* --- looking: what places there are --- */

static void on_seen(void *arg, struct world *world, const struct site *site)
{
    (void)world;
    (void)fold_add(arg, site);
}

/** How its own run goes: a byte 'P' and the survey, or 'F' and why it fails. */
static void look(void *arg, size_t index, struct buffer *answer)
{
    const struct sweep *sweep = arg;
    const struct scenario *scenario = sweep->suite->items[index];
    struct fold *fold = fold_new();
    const struct world_probe probe = {.on_site = on_seen, .arg = fold};
    const struct world_options options = {
        .kit = sweep->kit, .seed = (uint64_t)scenario->seed, .probe = &probe};
    struct sweep_counts counts = {.scenarios = 1};
    struct outcome outcome;
    struct buffer tried = BUFFER_INIT(REPORT_BYTES_MAX);

    world_run(scenario, &options, &outcome);
    for (size_t i = 0; outcome.passed && i < fold_count(fold); i++) {
        bool is_tried = sweep->options->no_fold || fold_is_tried(fold, i);

        sweep_counts_place(&counts, fold_site(fold, i), is_tried);
        buffer_append_char(&tried, is_tried ? '1' : '0');
    }
    if (outcome.passed) {
        buffer_append_char(answer, 'P');
        buffer_append(answer, &counts, sizeof(counts));
        buffer_append(answer, tried.bytes, tried.size);
    } else {
        buffer_append_format(answer, "F%s: %s", outcome.failure, outcome.reason);
    }
    buffer_release(&tried);
    outcome_release(&outcome);
    fold_free(fold);
}

static void cut_into_pieces(struct sweep *sweep, size_t scenario)
{
    const struct survey *survey = &sweep->surveys[scenario];
    struct piece piece = {.scenario = scenario};
    size_t tried = 0;

    for (size_t i = 0; i < survey->place_count; i++) {
        tried += survey->tried[i] == '1';
        if (tried < PIECE_PLACES && i + 1 < survey->place_count)
            continue;
        piece.to = i + 1;
        sweep->pieces = xrealloc(sweep->pieces, (sweep->piece_count + 1) * sizeof(piece));
        sweep->pieces[sweep->piece_count++] = piece;
        piece.from = i + 1;
        tried = 0;
    }
}

/** --list: how much there is to do for a scenario. */
static void append_survey(const struct sweep *sweep, size_t index, struct buffer *text)
{
    const struct sweep_counts *counts = &sweep->surveys[index].counts;

    buffer_append_format(
        text, "%-52s %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
        sweep->suite->items[index]->name, counts->calls, counts->timers, counts->events,
        sweep_counts_sum(counts->possible), sweep_counts_sum(counts->folded));
}

static bool looked(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct sweep *sweep = arg;
    struct survey *survey = &sweep->surveys[index];
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    size_t head = 1 + sizeof(survey->counts);

    if (bytes == NULL || bytes[0] == 'F') {
        sweep->broken++;
        buffer_append_format(&text, "FAILED  %s, without any fault more: %s\n",
                             sweep->suite->items[index]->name, bytes == NULL ? death : bytes + 1);
        return print(sweep, &text);
    }
    memcpy(&survey->counts, bytes + 1, sizeof(survey->counts));
    survey->place_count = size - head;
    survey->tried = xmemdup(bytes + head, survey->place_count);
    sweep_counts_add(&sweep->counts, &survey->counts);
    cut_into_pieces(sweep, index);
    if (sweep->options->list)
        append_survey(sweep, index, &text);
    return print(sweep, &text);
}

/* --- trying: a piece of a run --- */

struct trying {
    const struct sweep *sweep;
    const struct scenario *scenario;
    const struct survey *survey;
    const struct piece *piece;
    struct fold *fold; /* counts */
    uint64_t point;    /* the last one so far, from 1 */
    bool failed;       /* no copies can be made */
    struct json_object *answer;
    struct sweep_counts counts;
    /* in the copy */
    bool is_copy;
    int line;
    struct arena arena;
    struct problems problems;
};

/** In the copy: the fault happens, and the run goes on. */
static void go_on(struct trying *trying, struct world *world, const struct sweep_point *point)
{
    struct json_object *tree = point_fault(point->site, point->kind, point->nth);
    char *text = json_to_text(tree, NULL);
    const struct fault *fault = fault_read(text, &trying->arena, &trying->problems);

    if (fault == NULL)
        abort(); /* our own words */
    trying->is_copy = true;
    if (!trying->sweep->options->hashes)
        world_leave_hash(world);
    world_put_fault(world, fault);
    free(text);
    (void)json_object_put(tree);
}

/** In the copy, when its run is over: nothing is told of one that goes well, unless asked for. */
static void on_end(void *arg, const struct outcome *outcome)
{
    const struct trying *trying = arg;
    struct buffer text = BUFFER_INIT(TRY_ANSWER_BYTES);
    struct json_object *answer;

    if (!trying->is_copy)
        return;
    answer = json_object_new_object();
    if (trying->sweep->options->hashes)
        json_set_text(answer, "hash", outcome->hash);
    if (!outcome->passed) {
        json_set_text(answer, "failure", outcome->failure);
        json_set_text(answer, "reason", outcome->reason);
    }
    if (json_object_object_length(answer) > 0)
        json_append(&text, answer);
    fork_end(trying->line, text.bytes, text.size);
}

/** A point that fails becomes a file, where that is asked for. */
static void keep_file(const struct trying *trying, const struct sweep_point *point,
                      struct json_object *note)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct error err = ERROR_INIT;
    char *path;

    if (trying->sweep->options->out == NULL)
        return;
    path = sweep_point_path(trying->sweep->options->out, trying->scenario, point);
    sweep_point_append(trying->scenario, point, &text);
    if (file_write(path, text.bytes, text.size, &err))
        json_set_text(note, "file", path);
    else
        json_set_text(note, "file", err.text);
    buffer_release(&text);
    free(path);
}

/** What the copy told, or how it died, becomes a line of the piece's answer. */
static void take_note(struct trying *trying, const struct sweep_point *point,
                      const struct buffer *told, const char *death)
{
    struct json_object *note = NULL;
    struct error err = ERROR_INIT;
    size_t kind = fault_kind_index(point->kind);
    char *what;

    trying->counts.tried[kind]++;
    if (death == NULL && told->size == 0)
        return;
    if (death != NULL || !json_parse(told->bytes, told->size, TRY_ANSWER_BYTES, &note, &err)) {
        note = json_object_new_object();
        json_set_text(note, "failure", "died");
        json_set_text(note, "reason", death != NULL ? death : err.text);
    }
    trying->counts.failed[kind] += json_get(note, "failure") != NULL;
    if (json_get(note, "failure") != NULL)
        keep_file(trying, point, note);
    what = point_describe(point->site, point->kind, point->nth);
    json_set_int64(note, "kind", (int64_t)kind);
    json_set_int64(note, "point", (int64_t)point->number);
    json_set_text(note, "what", what);
    (void)json_object_array_add(trying->answer, note);
    free(what);
}

/** True in the copy. */
static bool try_point(struct trying *trying, struct world *world, const struct sweep_point *point)
{
    static const struct fork_limits limits = {TRY_REAL_US, TRY_MEMORY_BYTES, TRY_ANSWER_BYTES};
    struct buffer told = BUFFER_INIT(TRY_ANSWER_BYTES);
    struct error err = ERROR_INIT;
    char *death = NULL;

    switch (fork_try(&limits, &told, &death, &trying->line, &err)) {
    case FORK_COPY:
        go_on(trying, world, point);
        return true;
    case FORK_FAILED:
        complain(&err);
        trying->failed = true;
        world_stop(world);
        return false;
    case FORK_TRIED:
        break;
    }
    take_note(trying, point, &told, death);
    buffer_release(&told);
    free(death);
    return false;
}

static void on_place(void *arg, struct world *world, const struct site *site)
{
    struct trying *trying = arg;
    const struct fault_kind *kinds[POINTS_KINDS_MAX];
    size_t count = points_at(site, kinds);
    size_t place = fold_count(trying->fold);
    uint64_t nth = fold_add(trying->fold, site);
    bool is_tried = place >= trying->piece->from && trying->survey->tried[place] == '1';

    for (size_t i = 0; i < count && !trying->failed; i++) {
        const struct sweep_point point = {++trying->point, site, kinds[i], nth};

        if (is_tried && try_point(trying, world, &point))
            return;
    }
    if (place + 1 == trying->piece->to)
        world_stop(world);
}

static void try_piece(void *arg, size_t index, struct buffer *answer)
{
    const struct sweep *sweep = arg;
    const struct piece *piece = &sweep->pieces[index];
    struct trying trying = {.sweep = sweep,
                            .scenario = sweep->suite->items[piece->scenario],
                            .survey = &sweep->surveys[piece->scenario],
                            .piece = piece,
                            .fold = fold_new(),
                            .answer = json_object_new_array()};
    const struct world_probe probe = {.on_site = on_place, .on_end = on_end, .arg = &trying};
    const struct world_options options = {
        .kit = sweep->kit, .seed = (uint64_t)trying.scenario->seed, .probe = &probe};
    struct outcome outcome;

    world_run(trying.scenario, &options, &outcome);
    buffer_append(answer, &trying.counts, sizeof(trying.counts));
    json_append(answer, trying.answer);
    outcome_release(&outcome);
    (void)json_object_put(trying.answer);
    fold_free(trying.fold);
}

/* --- telling --- */

/** Of many points that fail by one claim the first ones are told; all have their files. */
static void append_point(struct sweep *sweep, const struct scenario *scenario,
                         const struct json_object *note, struct buffer *text)
{
    const char *failure = json_get_text(note, "failure");
    int64_t point = json_get_int64(note, "point", 0);

    if (sweep->options->hashes)
        buffer_append_format(text, "%s@%" PRId64 " %s\n", scenario->name, point,
                             text_or(json_get_text(note, "hash"), "none"));
    if (failure == NULL ||
        sweep_tally_add(&sweep->tally, scenario->name, failure,
                        (size_t)json_get_int64(note, "kind", 0)) > SWEEP_TALLY_TOLD_MAX)
        return;
    buffer_append_format(text, "FAILED  %s: %s\n", scenario->name, json_get_text(note, "what"));
    buffer_append_format(text, "        %s: %s\n", failure, json_get_text(note, "reason"));
    if (json_get_text(note, "file") != NULL)
        buffer_append_format(text, "        again: %s run %s\n", sweep->options->program,
                             json_get_text(note, "file"));
    else
        buffer_append_format(text, "        as a file: %s sweep --point %" PRId64 " %s\n",
                             sweep->options->program, point, scenario->path);
}

static bool tried(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct sweep *sweep = arg;
    const struct piece *piece = &sweep->pieces[index];
    const struct scenario *scenario = sweep->suite->items[piece->scenario];
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    struct json_object *notes = NULL;
    struct sweep_counts counts;
    struct error err = ERROR_INIT;

    if (bytes == NULL || size < sizeof(counts) ||
        !json_parse(bytes + sizeof(counts), size - sizeof(counts), REPORT_BYTES_MAX, &notes,
                    &err)) {
        sweep->broken++;
        buffer_append_format(&text, "FAILED  %s: places %zu to %zu were not tried: %s\n",
                             scenario->name, piece->from, piece->to,
                             bytes == NULL ? death : err.text);
        return print(sweep, &text);
    }
    memcpy(&counts, bytes, sizeof(counts));
    sweep_counts_add(&sweep->counts, &counts);
    for (size_t i = 0; i < json_object_array_length(notes); i++)
        append_point(sweep, scenario, json_object_array_get_idx(notes, i), &text);
    (void)json_object_put(notes);
    return print(sweep, &text);
}

/* --- the whole --- */

/** False when it is over: a worker has done its part, or there is no way to go on. */
static bool spread(struct sweep *sweep, size_t count,
                   void (*work)(void *arg, size_t index, struct buffer *answer),
                   bool (*done)(void *arg, size_t index, const char *bytes, size_t size,
                                const char *death))
{
    const struct pool_work pool_work = {count, (unsigned)sweep->options->jobs, work, done, sweep};
    struct error err = ERROR_INIT;

    switch (pool_run(&pool_work, &err)) {
    case POOL_DONE:
        return !sweep->lost_output;
    case POOL_FAILED:
        complain(&err);
        sweep->lost_output = true;
        return false;
    case POOL_WORKER:
        sweep->is_worker = true;
        return false;
    }
    return false;
}

/** How much it was, and how fast it went; after --list, how much there is to do. */
static void append_end(const struct sweep *sweep, int64_t real_us, struct buffer *text)
{
    const struct sweep_counts *counts = &sweep->counts;
    uint64_t possible = sweep_counts_sum(counts->possible);
    uint64_t folded = sweep_counts_sum(counts->folded);
    uint64_t tried = sweep_counts_sum(counts->tried);
    double seconds = (double)(real_us > 0 ? real_us : 1) / (double)US_PER_SECOND;

    if (sweep->options->list) {
        buffer_append_format(text,
                             "%" PRIu64 " point%s: %" PRIu64 " to try and %" PRIu64 " folded\n",
                             possible, text_plural(possible), possible - folded, folded);
        return;
    }
    sweep_tally_append(&sweep->tally, text);
    sweep_counts_append(counts, text);
    buffer_append_format(text, "%" PRIu64 " point%s in %.1f s: %.0f a second\n", tried,
                         text_plural(tried), seconds, (double)tried / seconds);
}

static bool is_good(const struct sweep *sweep)
{
    return sweep->broken == 0 && sweep_counts_sum(sweep->counts.failed) == 0;
}

/** Whether every point that is possible was tried, or folded. */
static bool is_complete(const struct sweep *sweep)
{
    return sweep->options->list ||
           sweep_counts_sum(sweep->counts.possible) ==
               sweep_counts_sum(sweep->counts.tried) + sweep_counts_sum(sweep->counts.folded);
}

/** --point: the one scenario's one file. */
static int print_point(struct sweep *sweep)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct error err = ERROR_INIT;

    if (sweep->suite->count != 1)
        (void)error_set(&err, ERROR_INVALID, "--point goes with one scenario, and here are %zu",
                        sweep->suite->count);
    else if (sweep_point_find(sweep->suite->items[0], sweep->kit, sweep->options->point, &text,
                              &err))
        return print(sweep, &text) ? SUITE_GOOD : SUITE_UNUSABLE;
    complain(&err);
    buffer_release(&text);
    return SUITE_UNUSABLE;
}

/** The whole sweep; false when it could not be done. */
static bool sweep_all(struct sweep *sweep)
{
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    int64_t started_us = real_clock_us();

    if (sweep->options->list)
        buffer_append_format(&text, "%-52s %6s %6s %6s %9s %9s\n", "scenario", "calls", "timers",
                             "events", "points", "folded");
    if (!print(sweep, &text) || !spread(sweep, sweep->suite->count, look, looked) ||
        (!sweep->options->list && !spread(sweep, sweep->piece_count, try_piece, tried)))
        return false;
    append_end(sweep, real_clock_us() - started_us, &text);
    return print(sweep, &text);
}

/** Where points that fail go is there before anything runs. */
static bool prepare_out(const struct sweep_options *options)
{
    struct error err = ERROR_INIT;

    if (options->list || options->out == NULL || folder_prepare(options->out, &err))
        return true;
    complain(&err);
    return false;
}

int sweep_run(const struct suite *suite, const struct sweep_options *options)
{
    struct sweep sweep = {.suite = suite, .options = options, .kit = world_kit_new()};
    int status = SUITE_GOOD;

    sweep.surveys = xcalloc(suite->count + 1, sizeof(*sweep.surveys));
    if (options->point > 0)
        status = print_point(&sweep);
    else if (!prepare_out(options) || !sweep_all(&sweep))
        status = sweep.is_worker ? SUITE_GOOD : SUITE_UNUSABLE;
    else if (!is_good(&sweep) || !is_complete(&sweep))
        status = SUITE_FAILED;
    for (size_t i = 0; i < suite->count; i++)
        free(sweep.surveys[i].tried);
    free(sweep.surveys);
    free(sweep.pieces);
    sweep_tally_release(&sweep.tally);
    world_kit_free(sweep.kit);
    return status;
}
