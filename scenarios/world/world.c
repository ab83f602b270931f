/* world - the life of a scenario: made, run, calmed, judged; see world.h. */
#include "scenarios/world/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/agent_controller.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/liveness.h"
#include "scenarios/world/sweep.h"

/** UTC at the start of every world: 2025-06-02T08:00:00Z, a Monday. */
#define START_WALL_US (INT64_C(1748851200) * US_PER_SECOND)
/** After the last step this much goes by before faults are lifted: what the step led to comes to
 * pass first. */
#define AFTERMATH_US US_PER_SECOND
/** A world at rest is watched for so long. */
#define REST_US US_PER_MINUTE
/** In a sweep, where this is done a hundred thousand times, for both a poll and a tick do. */
#define SWEEP_CALM_US (25 * US_PER_SECOND)
#define SWEEP_REST_US (25 * US_PER_SECOND)
/** What every replica shows to the API server; no log line may hold it. */
#define REPLICA_TOKEN "replica-token-5d41402abc4b2a76"

/* --- failing --- */

void world_fail(struct world *world, const char *identity, const char *details, const char *format,
                ...)
{
    struct buffer text = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    va_list values;
    size_t size;

    if (world->reason != NULL || sweep_excuses(world, identity))
        return;
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    world->reason = buffer_take(&text, &size);
    world->identity = xstrdup(identity);
    if (details != NULL)
        buffer_append_text(&world->details, details);
}

bool world_has_failed(const struct world *world)
{
    if (world->cleaning)
        return world->reason != NULL;
    return world->stopped || world->reason != NULL ||
           invariants_violation(world->invariants) != NULL;
}

/* --- time --- */

struct advance {
    struct world *world;
    bool (*more)(struct world *world, const void *arg);
    const void *arg;
};

static bool goes_on(void *arg)
{
    const struct advance *advance = arg;

    sweep_look(advance->world);
    return !world_has_failed(advance->world) &&
           (advance->more == NULL || advance->more(advance->world, advance->arg));
}

bool world_advance(struct world *world, int64_t until_us,
                   bool (*more)(struct world *world, const void *arg), const void *arg)
{
    struct advance advance = {world, more, arg};
    int64_t limit_us = world->limit_us < until_us ? world->limit_us : until_us;

    if (world_has_failed(world))
        return false;
    if (!sim_run_while(world->sim, limit_us, goes_on, &advance)) {
        if (sim_is_stuck(world->sim))
            world_fail(world, "spins", NULL, "somebody spins: time does not go on");
        else if (limit_us < until_us || (until_us == world->limit_us && more != NULL))
            world_fail(world, "duration", NULL, "the scenario's 'duration' has passed");
    }
    return !world_has_failed(world);
}

/* --- making it --- */

static void add_replica(struct world *world, size_t index)
{
    const struct controllers *controllers = world->scenario->controllers;
    size_t count = controllers->settings.count;
    struct sim_setting *settings = xcalloc(count + 5, sizeof(*settings));
    char *name = xprintf("ctl-%zu", index);
    struct sim_process_options options = {
        .name = name, .program = &agent_controller_program, .settings = settings};

    settings[0] = (struct sim_setting){"POD_NAME", name};
    settings[1] = (struct sim_setting){"NAMESPACE", SCENARIO_NAMESPACE};
    settings[2] = (struct sim_setting){"KUBE_API_URL", "http://api:8001"};
    settings[3] = (struct sim_setting){"KUBE_API_TOKEN", REPLICA_TOKEN};
    for (size_t i = 0; i < count; i++)
        settings[4 + i] = (struct sim_setting){controllers->settings.items[i].name,
                                               controllers->settings.items[i].value};
    options.setting_count = 4 + count;
    world->replicas[world->replica_count++] = sim_process_new(world->sim, &options);
    free(settings);
    free(name);
}

static void start_process(void *process)
{
    sim_process_start(process);
}

static void start_replicas(struct world *world)
{
    const struct controllers *controllers = world->scenario->controllers;

    for (size_t i = 0; i < controllers->clock_count; i++)
        clock_apply(world, &controllers->clocks[i]);
    for (size_t i = 0; i < world->replica_count; i++)
        (void)sim_at(world->sim, (int64_t)i * controllers->stagger_us, start_process,
                     world->replicas[i]);
}

static void build(struct world *world, const struct world_options *options)
{
    const struct sim_options sim_options = {options->seed, START_WALL_US};
    const struct scenario *scenario = world->scenario;

    world->sim = sim_new(&sim_options);
    world->actors = xcalloc(1, sizeof(*world->actors));
    world->invariants = invariants_new();
    invariants_secret(world->invariants, REPLICA_TOKEN);
    world->details = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    world->kills = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    world->trace = BUFFER_INIT(WORLD_TRACE_BYTES_MAX);
    if (options->trace || options->outline)
        world->traced = options->trace ? SIM_EVENTS_ALL : TRACE_OUTLINE;
    if (options->checks)
        checks_start(world, options->real_us);
    world->limit_us = scenario->duration_us;
    world->led_us = -1;
    world->api_crashed_us = INT64_MIN / 2;
    world->probe = options->probe;
    world->user = sim_process_new(world->sim, &(struct sim_process_options){.name = "user"});
    bound_start(&world->bound, scenario);
    api_start(world, options->kit);
    for (int64_t i = 0; i < scenario->controllers->replicas; i++)
        add_replica(world, (size_t)i);
    observe_start(world);
    sim_process_start(world->user);
    actors_start(world);
    links_apply(world);
    observe_present(world);
    sweep_prepare(world);
    for (size_t i = 0; i < scenario->faults.count; i++) {
        const struct fault *fault = &scenario->faults.items[i];

        if (fault->swept)
            faults_arm_first(world, fault, fault->rule.nth);
        else
            faults_arm(world, fault);
    }
    start_replicas(world);
}

/* --- the end --- */

static enum liveness look(const struct world *world, const int64_t *began_us, int64_t *ret_until_us)
{
    const struct liveness_view view = {
        .began_us = *began_us,
        .window_us = world->scenario->settle_us,
        .progressed_us = world->progressed_us > *began_us ? world->progressed_us : *began_us,
        .written_us = sweep_busy_us(world),
        .calm_us = world->sweeps ? SWEEP_CALM_US : LIVENESS_CALM_US,
        .led_us = world->term_us,
        .failed_us = world->failed_us,
        .unfinished = invariants_unfinished(world->invariants)};

    return liveness_decide(&view, sim_now_us(world->sim), ret_until_us);
}

static bool is_busy(struct world *world, const void *began_us)
{
    int64_t until_us;

    return look(world, began_us, &until_us) != LIVENESS_AT_REST;
}

/** Goes on for as long as it gets somewhere. False: it never comes to rest. */
static bool come_to_rest(struct world *world)
{
    int64_t began_us = sim_now_us(world->sim);
    int64_t until_us;
    enum liveness liveness;
    char *identity;

    while ((liveness = look(world, &began_us, &until_us)) == LIVENESS_GOES_ON) {
        if (!world_advance(world, until_us, is_busy, &began_us))
            return false;
    }
    if (liveness == LIVENESS_LIVELOCK) {
        identity = xprintf("livelock: %s", text_or(world->written, ""));
        world_fail(world, identity, NULL,
                   "the replicas never come to rest: they go on with '%s' and get nowhere",
                   text_or(world->written, ""));
        free(identity);
    } else if (liveness == LIVENESS_TOO_SLOW) {
        world_fail(world, "too slow", NULL,
                   "it gets somewhere, but %d times as long as 'settle' is not enough",
                   LIVENESS_WINDOWS_MAX);
    }
    return liveness == LIVENESS_AT_REST;
}

static bool is_undisturbed(struct world *world, const void *arg)
{
    (void)arg;
    return !world->disturbed;
}

static void read_metrics(struct world *world)
{
    for (size_t i = 0; i < world->replica_count; i++)
        (void)user_read_metrics(world, world->replicas[i]);
}

static void check_expectations(struct world *world)
{
    struct buffer why = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    const struct claims *expect = bindings_fill_expect(world);

    checks_begin(world, NULL);
    if (!claims_hold(world, expect, &why))
        claims_complain(world, "expect", expect, true, buffer_text(&why),
                        "at the end it is not as expected");
    else
        checks_end(world, NULL);
    buffer_release(&why);
}

/** Whatever else holds, it means nothing where no replica leads: then nothing ran. */
static void check_leader(struct world *world)
{
    if (world->replica_count > 0 &&
        (world->led_us < 0 || sim_now_us(world->sim) - world->led_us > LIVENESS_CALM_US))
        world_fail(world, "no leader", NULL, "at the end no replica leads: none renews a Lease");
}

/** Comes to rest and stays so; a swept fault in the rest begins it anew. */
static void rest(struct world *world)
{
    int64_t rest_us = world->sweeps ? SWEEP_REST_US : REST_US;

    do {
        if (!come_to_rest(world))
            return;
        world->disturbed = false;
        invariants_rest(world->invariants, sim_now_us(world->sim));
        read_metrics(world);
        (void)world_advance(world, sim_now_us(world->sim) + rest_us, is_undisturbed, NULL);
    } while (world->disturbed && !world_has_failed(world));
}

/** Faults stop; everything ends and comes to rest; then it is judged. */
static void settle(struct world *world)
{
    kills_end(world);
    steps_calm(world);
    world_stir(world);
    world->limit_us = INT64_MAX;
    world->written_us = sim_now_us(world->sim);
    if (world->replica_count > 0)
        rest(world);
    if (world_has_failed(world))
        return;
    invariants_end(world->invariants, sim_now_us(world->sim));
    check_leader(world);
    check_expectations(world);
    faults_check(world);
    interventions_check(world);
}

static char *text_or_null(struct buffer *buffer)
{
    size_t size;

    return buffer->size == 0 ? NULL : buffer_take(buffer, &size);
}

char *world_story(struct world *world)
{
    struct buffer story = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    char *text;

    story_append(&world->story, &story);
    actors_append_waiting(world, &story);
    text = text_or_null(&story);
    buffer_release(&story);
    return text;
}

static void judge(struct world *world, struct outcome *outcome)
{
    const struct violation *violation = invariants_violation(world->invariants);

    *outcome = (struct outcome){.virtual_us = sim_now_us(world->sim)};
    outcome->passed = !world_has_failed(world);
    checks_judge(world);
    if (outcome->passed)
        return;
    if (violation != NULL) {
        outcome->failure = xstrdup(violation->id);
        outcome->reason = xprintf("%s does not hold: %s", violation->id, violation->text);
        outcome->details = xprintf("%s: %s\n", violation->id, invariant_find(violation->id)->what);
    } else {
        outcome->failure = xstrdup(world->identity);
        outcome->reason = xstrdup(world->reason);
        outcome->details = text_or_null(&world->details);
    }
    outcome->story = world_story(world);
}

/** What there is to tell of the whole run, its cleanup too. */
static void measure(struct world *world, struct outcome *outcome)
{
    uint8_t digest[SHA256_SIZE];

    outcome->events = sim_event_count(world->sim);
    outcome->calls = world->calls;
    memcpy(outcome->marks, world->marks, sizeof(outcome->marks));
    sim_trace_hash(world->sim, digest);
    digest_hex(digest, sizeof(digest), outcome->hash);
    outcome->trace = trace_end(world);
    checks_take(world, &outcome->checks);
    outcome->kills = text_or_null(&world->kills);
}

/** Turns a failure that is expected into a pass, and a pass, then, into a failure. */
static void judge_expected(const struct expected_failure *expected, struct outcome *outcome)
{
    if (outcome->passed) {
        outcome->passed = false;
        outcome->failure = xstrdup("passes");
        outcome->reason = xprintf("it is expected to fail (%s: %s), and passes: take line %u out",
                                  expected->failure, expected->reason, expected->place.line);
    } else if (strcmp(outcome->failure, expected->failure) == 0) {
        outcome->passed = true;
        checks_forgive(&outcome->checks);
    } else {
        char *reason = xprintf("%s; what is expected is '%s', not '%s'", outcome->reason,
                               expected->failure, outcome->failure);

        free(outcome->reason);
        outcome->reason = reason;
    }
}

static void tear_down(struct world *world)
{
    rivals_leave(world);
    api_stop(world);
    sim_free(world->sim);
    user_release(world);
    actors_release(world);
    faults_release(world);
    sweep_release(world);
    links_release(world);
    clocks_release(world);
    kills_release(world);
    checks_free(world);
    bound_release(&world->bound);
    invariants_free(world->invariants);
    exchanges_release(&world->exchanges);
    observe_release(world);
    story_release(&world->story);
    buffer_release(&world->trace);
    buffer_release(&world->details);
    free(world->timed_steps);
    free(world->reason);
    free(world->identity);
    free(world->written);
}

void world_run(const struct scenario *scenario, const struct world_options *options,
               struct outcome *ret_outcome)
{
    struct world *world = xcalloc(1, sizeof(*world));

    world->scenario = scenario;
    build(world, options);
    steps_run(world);
    if (world_advance(world, sim_now_us(world->sim) + AFTERMATH_US, NULL, NULL))
        settle(world);
    judge(world, ret_outcome);
    if (options->keep)
        ret_outcome->kept = api_keep(world);
    cleanup_run(world, ret_outcome);
    measure(world, ret_outcome);
    if (scenario->expected_failure != NULL)
        judge_expected(scenario->expected_failure, ret_outcome);
    if (world->probe != NULL && world->probe->on_end != NULL)
        world->probe->on_end(world->probe->arg, ret_outcome);
    tear_down(world);
    free(world);
}

void outcome_release(struct outcome *outcome)
{
    free(outcome->failure);
    free(outcome->reason);
    free(outcome->details);
    free(outcome->story);
    free(outcome->trace);
    free(outcome->kills);
    free(outcome->kept);
    free(outcome->cleanup);
    checks_release(&outcome->checks);
    *outcome = (struct outcome){0};
}
