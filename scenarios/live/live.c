/* live - see live.h. */
#include "scenarios/live/live.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/verdict.h"
#include "scenarios/live/play.h"

/** Claims are looked at so often: there is nobody to tell of each change. */
#define LOOK_AGAIN_US (US_PER_SECOND / 10)
/** How long a wait lasts where its step says nothing. */
#define WITHIN_US (10 * US_PER_MINUTE)
/** At rest: nothing but Leases has changed for a poll of the controller and a bit. */
#define CALM_US (20 * US_PER_SECOND)
/** Four times what a Lease lasts. */
#define LEASE_SILENCE_US US_PER_MINUTE

/* --- claims --- */

static bool holds(struct play *play, const struct claim *claim, struct buffer *why)
{
    struct target target = claim->target;
    struct json_object *items;
    struct json_object **list;
    size_t count;
    bool right;

    if (why != NULL) /* the others are named, too, where it is not there */
        target.name = NULL;
    items = play_objects(play, &target);
    count = items == NULL ? 0 : json_object_array_length(items);
    list = xcalloc(count + 1, sizeof(struct json_object *));
    for (size_t i = 0; i < count; i++)
        list[i] = json_object_array_get_idx(items, i);
    right = claim_holds(claim, list, count, play->scenario->path, why);
    free(list);
    (void)json_object_put(items);
    return right;
}

/** Whether all of them hold, or (unless hold) none of them. Fails the play when asked to complain.
 */
static bool check(struct play *play, const struct claims *claims, bool hold, const char *complaint)
{
    struct buffer why = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    struct buffer identity = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    bool right = true;

    for (size_t i = 0; i < claims->count && right && !play_has_failed(play); i++) {
        right = holds(play, &claims->items[i], hold ? &why : NULL) == hold;
        if (right || complaint == NULL)
            continue;
        buffer_append_format(&identity, "%s: ", complaint);
        claim_append_subject(&claims->items[i], &identity);
        play_fail(play, buffer_text(&identity), buffer_text(&why), "line %u: '%s' does not hold",
                  claims->items[i].place.line, complaint);
    }
    buffer_release(&identity);
    buffer_release(&why);
    return right;
}

/* --- names and their values --- */

/** The step with every value in it; NULL, and the play has failed, where that cannot be. */
static const struct step *fill(struct play *play, const struct step *step)
{
    struct problems problems = {0};
    struct buffer text = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    const struct step *filled = bound_fill(&play->bound, step, &problems);

    problems_append(&problems, play->scenario->path, &text);
    if (filled == NULL)
        play_fail(play, step_action_name(step->action), buffer_text(&text),
                  "with the values that are bound this cannot be read");
    buffer_release(&text);
    problems_release(&problems);
    return filled;
}

/* --- processes --- */

static void start_replica(struct play *play, size_t index)
{
    struct error err = ERROR_INIT;

    if (!child_is_alive(&play->stage.replicas[index]) &&
        !stage_start_replica(&play->stage, index, &err))
        play_fail_by(play, &err);
}

static void on_process(struct play *play, const struct step *step, const char *name)
{
    struct child *child = stage_find(&play->stage, name);
    bool start = step->action == STEP_START || step->action == STEP_RESTART;

    switch (step->action) {
    case STEP_PAUSE:
        child_signal(child, SIGSTOP);
        break;
    case STEP_RESUME:
        child_signal(child, SIGCONT);
        break;
    case STEP_TERMINATE:
        child_signal(child, SIGTERM);
        break;
    case STEP_CRASH:
    case STEP_RESTART:
        child_end(child);
        break;
    default:
        break;
    }
    if (start)
        start_replica(play, (size_t)(child - play->stage.replicas));
}

/** What stands still because of a signal would be waited for, as long as anything is. */
static void check_stopped(struct play *play, const struct child *child)
{
    if (child_was_stopped(child))
        play_fail(play, "process stopped", NULL,
                  "%s hangs: a signal that no step sent has stopped it (process %ld)", child->name,
                  (long)child->pid);
}

/** A replica that ends although nobody asked it to fails the play. */
static void look_after(struct play *play)
{
    for (size_t i = 0; i < play->next_replica; i++) {
        struct child *child = &play->stage.replicas[i];

        if (!child_is_alive(child) && !child->was_asked)
            play_fail(play, "process ended", NULL, "%s ended by itself with status %d", child->name,
                      child->status);
        check_stopped(play, child);
    }
    check_stopped(play, &play->stage.api);
    if (!child_is_alive(&play->stage.api))
        play_fail(play, "process ended", NULL, "the API server ended by itself with status %d",
                  play->stage.api.status);
}

/* --- steps --- */

static void lift_all(struct play *play)
{
    struct error err = ERROR_INIT;

    if (!play_has_failed(play) && !stage_admin(&play->stage, "DELETE", "/faults", NULL, NULL, &err))
        play_fail_by(play, &err);
}

/** What takes no time of its own. False for a step that does. */
static bool take_at_once(struct play *play, const struct step *step)
{
    struct error err = ERROR_INIT;

    switch (step->action) {
    case STEP_APPLY:
    case STEP_PATCH:
    case STEP_DELETE:
    case STEP_BIND:
        person_take(play, step);
        return true;
    case STEP_ASSERT:
    case STEP_ERROR:
        (void)check(play, &step->claims, step->action == STEP_ASSERT,
                    step_action_name(step->action));
        return true;
    case STEP_FAULT:
        for (size_t i = 0; i < step->faults.count && !play_has_failed(play); i++) {
            if (!stage_add_fault(&play->stage, &step->faults.items[i], &err))
                play_fail_by(play, &err);
        }
        return true;
    case STEP_COMPACT:
        if (!stage_admin(&play->stage, "POST", "/compact", "{}", NULL, &err))
            play_fail_by(play, &err);
        return true;
    case STEP_WAIT:
    case STEP_ALWAYS:
    case STEP_NEVER:
    case STEP_ADVANCE:
        return false;
    default:
        for (size_t i = 0; i < step->processes.count; i++)
            on_process(play, step, step->processes.items[i]);
        return true;
    }
}

/** What is due by now, and then a moment's pause. */
static void turn(struct play *play)
{
    const struct scenario *scenario = play->scenario;

    while (play->next_replica < play->stage.replica_count &&
           play_now_us(play) >= (int64_t)play->next_replica * scenario->controllers->stagger_us)
        start_replica(play, play->next_replica++);
    for (size_t i = 0; i < scenario->step_count && !play_has_failed(play); i++) {
        const struct step *step = &scenario->steps[i];

        if (step->at_us < 0 || play->taken[i] || play_now_us(play) < step->at_us)
            continue;
        play->taken[i] = true;
        step = fill(play, step);
        if (step != NULL)
            (void)take_at_once(play, step);
    }
    look_after(play);
    if (!play_has_failed(play))
        caller_sleep(play->stage.caller, LOOK_AGAIN_US);
}

static void wait_for(struct play *play, const struct step *step)
{
    int64_t until_us = play_now_us(play) + (step->within_us >= 0 ? step->within_us : WITHIN_US);

    while (!play_has_failed(play) && play_now_us(play) < until_us) {
        if (check(play, &step->claims, true, NULL))
            return;
        turn(play);
    }
    if (!play_has_failed(play))
        (void)check(play, &step->claims, true, "wait");
}

static void hold_for(struct play *play, const struct step *step)
{
    int64_t until_us = play_now_us(play) + step->for_us;
    bool hold = step->action == STEP_ALWAYS;

    while (!play_has_failed(play) && play_now_us(play) < until_us &&
           check(play, &step->claims, hold, step_action_name(step->action)))
        turn(play);
}

static void pass(struct play *play, int64_t until_us)
{
    while (!play_has_failed(play) && play_now_us(play) < until_us)
        turn(play);
}

static void take(struct play *play, const struct step *step)
{
    step = fill(play, step);
    if (step == NULL || take_at_once(play, step))
        return;
    if (step->action == STEP_WAIT)
        wait_for(play, step);
    else if (step->action == STEP_ADVANCE)
        pass(play, play_now_us(play) + step->advance_us);
    else
        hold_for(play, step);
}

static void take_all(struct play *play)
{
    const struct scenario *scenario = play->scenario;
    int64_t last_us = 0;

    turn(play);
    for (size_t i = 0; i < scenario->step_count && !play_has_failed(play); i++) {
        if (scenario->steps[i].at_us < 0)
            take(play, &scenario->steps[i]);
        else if (scenario->steps[i].at_us > last_us)
            last_us = scenario->steps[i].at_us;
    }
    pass(play, last_us + LOOK_AGAIN_US);
}

/* --- the end --- */

/** What has changed last, of the kinds that a run changes; false when an Agent has not ended. */
static bool look_at_all(struct play *play, struct buffer *versions)
{
    static const struct target kinds[] = {
        {"Agent", "agents.re-cinq.com", "v1beta1", "agents", SCENARIO_NAMESPACE, NULL},
        {"Job",   "batch",              "v1",      "jobs",   SCENARIO_NAMESPACE, NULL},
        {"Pod",   "",                   "v1",      "pods",   SCENARIO_NAMESPACE, NULL},
    };
    bool ended = true;

    for (size_t i = 0; i < ARRAY_SIZE(kinds) && !play_has_failed(play); i++) {
        struct json_object *items = play_objects(play, &kinds[i]);
        size_t count = items == NULL ? 0 : json_object_array_length(items);

        for (size_t k = 0; k < count; k++) {
            struct json_object *object = json_object_array_get_idx(items, k);
            const char *phase = text_or(json_get_text(json_get(object, "status"), "phase"), "");

            buffer_append_format(
                versions, "%s ",
                text_or(json_get_text(json_get(object, "metadata"), "resourceVersion"), ""));
            ended = ended &&
                    (i != 0 || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
        }
        (void)json_object_put(items);
    }
    return ended;
}

static void calm(struct play *play)
{
    lift_all(play);
    for (size_t i = 0; i < play->stage.replica_count && !play_has_failed(play); i++) {
        child_signal(&play->stage.replicas[i], SIGCONT);
        start_replica(play, i);
    }
}

/** At rest somebody leads: a Lease that is renewed no more says that the replicas hang. */
static void look_at_lease(struct play *play, struct buffer *last, int64_t *renewed_us)
{
    static const struct target leases = {"Lease",  "coordination.k8s.io", "v1",
                                         "leases", SCENARIO_NAMESPACE,    NULL};
    struct json_object *items = play->stage.replica_count == 0 ? NULL : play_objects(play, &leases);
    size_t count = items == NULL ? 0 : json_object_array_length(items);
    struct buffer now = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);

    for (size_t i = 0; i < count; i++)
        buffer_append_format(
            &now, "%s ",
            text_or(json_get_text(json_get(json_object_array_get_idx(items, i), "metadata"),
                                  "resourceVersion"),
                    ""));
    if (items == NULL || strcmp(buffer_text(&now), buffer_text(last)) != 0)
        *renewed_us = play_now_us(play);
    else if (play_now_us(play) - *renewed_us > LEASE_SILENCE_US)
        play_fail(play, "nobody leads", NULL,
                  "the controller hangs: no replica has renewed the Lease for a minute, although "
                  "all of them run");
    (void)json_object_put(items);
    buffer_release(last);
    *last = now;
}

/** Faults stop, all start again, and everything ends and comes to rest. */
static void settle(struct play *play)
{
    int64_t until_us = play_now_us(play) + play->scenario->settle_us;
    int64_t calm_since_us = play_now_us(play);
    int64_t renewed_us = calm_since_us;
    struct buffer before = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    struct buffer lease = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    bool ended = false;

    calm(play);
    while (!play_has_failed(play) && (!ended || play_now_us(play) - calm_since_us < CALM_US)) {
        struct buffer now = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);

        ended = look_at_all(play, &now);
        if (!ended || strcmp(buffer_text(&now), buffer_text(&before)) != 0)
            calm_since_us = play_now_us(play);
        buffer_release(&before);
        before = now;
        look_at_lease(play, &lease, &renewed_us);
        if (play_now_us(play) > until_us)
            play_fail(play, ended ? "never comes to rest" : "I-LIVE", NULL, "%s",
                      ended ? "the replicas never come to rest" : "an Agent never ends");
        turn(play);
    }
    buffer_release(&lease);
    buffer_release(&before);
}

static void keep_objects(struct play *play)
{
    struct buffer objects = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;
    size_t size;

    if (stage_admin(&play->stage, "GET", "/state", NULL, &objects, &err))
        play->outcome->kept = buffer_take(&objects, &size);
    buffer_release(&objects);
}

static void check_expectations(struct play *play)
{
    struct problems problems = {0};
    struct buffer text = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    const struct claims *expect = bound_fill_expect(&play->bound, &problems);

    problems_append(&problems, play->scenario->path, &text);
    if (expect == NULL)
        play_fail(play, "expect", buffer_text(&text),
                  "with the values that are bound this cannot be read");
    else
        (void)check(play, expect, true, "expect");
    buffer_release(&text);
    problems_release(&problems);
}

static void judge(struct play *play)
{
    struct buffer logs = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    size_t size;

    if (!play_has_failed(play))
        check_expectations(play);
    keep_objects(play);
    play->outcome->passed = !play_has_failed(play);
    play->outcome->virtual_us = play_now_us(play);
    if (play_has_failed(play))
        stage_append_logs(&play->stage, &logs);
    if (logs.size > 0)
        play->outcome->story = buffer_take(&logs, &size);
    buffer_release(&logs);
}

/* --- the cleanup --- */

/** What fails now is told apart, and is the outcome's failure where it had none. */
static void set_apart(struct play *play, const struct outcome *judged, struct buffer *report)
{
    struct outcome *outcome = play->outcome;

    buffer_append_format(report, "%s\n%s", outcome->reason, text_or(outcome->details, ""));
    if (judged->reason == NULL) {
        char *identity = xprintf("cleanup: %s", outcome->failure);
        char *reason = xprintf("in the cleanup: %s", outcome->reason);

        free(outcome->failure);
        free(outcome->reason);
        outcome->failure = identity;
        outcome->reason = reason;
        outcome->passed = false;
        return;
    }
    free(outcome->failure);
    free(outcome->reason);
    free(outcome->details);
}

/** As in the simulation: the last step first, each whatever became of the others. */
static void clean_up(struct play *play)
{
    const struct scenario *scenario = play->scenario;
    struct buffer report = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    struct outcome judged = *play->outcome;
    size_t size;

    for (size_t i = 0; i < scenario->step_count; i++)
        play->taken[i] = true;
    for (size_t i = scenario->cleanup_count; i > 0; i--) {
        play->outcome->reason = play->outcome->failure = play->outcome->details = NULL;
        if (i == scenario->cleanup_count)
            calm(play);
        if (!play_has_failed(play))
            take(play, &scenario->cleanup[i - 1]);
        if (play_has_failed(play))
            set_apart(play, &judged, &report);
        if (judged.reason == NULL && play_has_failed(play))
            judged = *play->outcome;
        *play->outcome = judged;
    }
    if (report.size > 0)
        play->outcome->cleanup = buffer_take(&report, &size);
    buffer_release(&report);
}

/** Where this program is; NULL: nobody knows. */
static char *own_folder(void)
{
    char path[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *slash;

    if (size < 0)
        return NULL;
    path[size] = '\0';
    slash = strrchr(path, '/');
    return slash == NULL ? NULL : xmemdup(path, (size_t)(slash - path));
}

char *live_play(const struct scenario *scenario, struct outcome *ret_outcome)
{
    struct play play = {.scenario = scenario, .outcome = ret_outcome};
    struct error err = ERROR_INIT;
    char *unfit = live_unfit(scenario);
    char *programs;
    bool began;

    if (unfit != NULL)
        return unfit;
    *ret_outcome = (struct outcome){0};
    programs = own_folder();
    bound_start(&play.bound, scenario);
    play.taken = xcalloc(scenario->step_count + 1, sizeof(*play.taken));
    began = stage_begin(&play.stage, scenario, programs == NULL ? "." : programs, &err);
    if (!began)
        play_fail_by(&play, &err);
    play.began_us = caller_now_us(play.stage.caller);
    if (!play_has_failed(&play)) {
        take_all(&play);
        if (!play_has_failed(&play))
            settle(&play);
    }
    judge(&play);
    if (began)
        clean_up(&play);
    stage_end(&play.stage);
    bound_release(&play.bound);
    free(play.taken);
    free(programs);
    return NULL;
}
