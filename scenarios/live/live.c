/* live - see live.h. */
#include "scenarios/live/live.h"

#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/targets.h"
#include "scenarios/language/verdict.h"
#include "scenarios/live/stage.h"

#define TEXT_BYTES_MAX ((size_t)64 * 1024 * 1024)
/** Claims are looked at so often: there is nobody to tell of each change. */
#define LOOK_AGAIN_US (US_PER_SECOND / 10)
/** How long a wait lasts where its step says nothing. */
#define WITHIN_US (10 * US_PER_MINUTE)
/** At rest: nothing but Leases has changed for a poll of the controller and a bit. */
#define CALM_US (20 * US_PER_SECOND)

struct play {
    const struct scenario *scenario;
    struct stage stage;
    struct outcome *outcome;
    int64_t began_us;
    size_t next_replica; /* that is not started yet */
    bool *taken;         /* timed steps */
};

/* --- time and failures --- */

static int64_t now_us(struct play *play)
{
    return caller_now_us(play->stage.caller) - play->began_us;
}

static bool has_failed(const struct play *play)
{
    return play->outcome->reason != NULL;
}

static void fail(struct play *play, const char *identity, const char *details, const char *format,
                 ...) PRINTF_LIKE(4, 5);

static void fail(struct play *play, const char *identity, const char *details, const char *format,
                 ...)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    va_list values;
    size_t size;

    if (has_failed(play))
        return;
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    play->outcome->reason = buffer_take(&text, &size);
    play->outcome->failure = xstrdup(identity);
    play->outcome->details = details == NULL || *details == '\0' ? NULL : xstrdup(details);
}

static void fail_by(struct play *play, const struct error *err)
{
    fail(play, "cannot be played", NULL, "%s", err->text);
}

/* --- objects --- */

/** All objects of the claim's kind and namespace; an array, NULL after a failure. */
static struct json_object *objects_of(struct play *play, const struct target *target)
{
    char *path = target_path(target, target->name, false, "");
    struct error err = ERROR_INIT;
    struct json_object *tree = NULL;
    struct json_object *items = NULL;

    if (!caller_read(play->stage.caller, &play->stage.server, path, &tree, &err)) {
        fail_by(play, &err);
    } else if (target->name != NULL) {
        items = json_object_new_array();
        if (tree != NULL)
            json_add(items, json_object_get(tree));
    } else {
        items = json_get_array(tree, "items");
        items = items == NULL ? json_object_new_array() : json_object_get(items);
    }
    (void)json_object_put(tree);
    free(path);
    return items;
}

static bool holds(struct play *play, const struct claim *claim, struct buffer *why)
{
    struct target target = claim->target;
    struct json_object *items;
    struct json_object **list;
    size_t count;
    bool right;

    if (why != NULL) /* the others are named, too, where it is not there */
        target.name = NULL;
    items = objects_of(play, &target);
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
    struct buffer why = BUFFER_INIT(TEXT_BYTES_MAX);
    struct buffer identity = BUFFER_INIT(TEXT_BYTES_MAX);
    bool right = true;

    for (size_t i = 0; i < claims->count && right && !has_failed(play); i++) {
        right = holds(play, &claims->items[i], hold ? &why : NULL) == hold;
        if (right || complaint == NULL)
            continue;
        buffer_append_format(&identity, "%s: ", complaint);
        claim_append_subject(&claims->items[i], &identity);
        fail(play, buffer_text(&identity), buffer_text(&why), "line %u: '%s' does not hold",
             claims->items[i].place.line, complaint);
    }
    buffer_release(&identity);
    buffer_release(&why);
    return right;
}

/* --- the person with kubectl --- */

/** The name to write to: a pattern means the first that is like it. free() it. */
static char *resolve(struct play *play, const struct step *step, const struct target *target)
{
    struct target all = *target;
    struct json_object *items;
    char *found = NULL;

    if (strchr(target->name, '*') == NULL)
        return xstrdup(target->name);
    all.name = NULL;
    items = objects_of(play, &all);
    for (size_t i = 0; items != NULL && i < json_object_array_length(items) && found == NULL; i++) {
        struct json_object *object = json_object_array_get_idx(items, i);
        const char *name = text_or(json_get_text(json_get(object, "metadata"), "name"), "");

        if (fnmatch(target->name, name, 0) == 0)
            found = xstrdup(name);
    }
    (void)json_object_put(items);
    if (found == NULL)
        fail(play, "no such object", NULL, "line %u: no %s is like %s", step->place.line,
             target->kind, target->name);
    return found;
}

static void send(struct play *play, const struct step *step, const char *method, char *path,
                 const char *type, char *body)
{
    const char *action = step_action_name(step->action);
    struct caller_answer answer;
    struct error err = ERROR_INIT;
    bool good;

    if (!caller_ask(play->stage.caller, &play->stage.server, method, path, type, body, &answer,
                    &err)) {
        fail(play, "no answer", NULL, "line %u: no answer to the %s: %s", step->place.line, action,
             err.text);
    } else {
        good = step->answer.code > 0 ? answer.status == (unsigned)step->answer.code
                                     : answer.status >= 200 && answer.status < 300;
        if (!good) {
            char *identity = xprintf("%s: answered %u", action, answer.status);

            fail(play, identity, NULL, "line %u: the API server answered the %s with %u: %.300s",
                 step->place.line, action, answer.status, buffer_text(&answer.body));
            free(identity);
        }
    }
    buffer_release(&answer.body);
    free(path);
    free(body);
}

static void apply(struct play *play, const struct step *step, const struct manifest *manifest)
{
    char *path = target_path(&manifest->target, manifest->target.name, false, "");
    struct error err = ERROR_INIT;
    struct json_object *there = NULL;
    char *body = json_to_text(manifest->tree, NULL);

    if (!caller_read(play->stage.caller, &play->stage.server, path, &there, &err)) {
        fail_by(play, &err);
        free(body);
    } else if (there == NULL) {
        send(play, step, "POST", target_path(&manifest->target, NULL, false, ""),
             "application/json", body);
    } else {
        send(play, step, "PATCH", xstrdup(path), "application/merge-patch+json", body);
    }
    (void)json_object_put(there);
    free(path);
}

static void patch(struct play *play, const struct step *step)
{
    const struct patch_action *action = step->patch;
    char *name = resolve(play, step, &action->target);

    if (name != NULL)
        send(play, step, "PATCH", target_path(&action->target, name, action->status, ""),
             action->merge != NULL ? "application/merge-patch+json" : "application/json-patch+json",
             json_to_text(action->merge != NULL ? action->merge : action->json, NULL));
    free(name);
}

static void delete (struct play *play, const struct step *step)
{
    const struct delete_action *action = step->deletion;
    char *name = resolve(play, step, &action->target);
    char *query = delete_query(action);

    if (name != NULL)
        send(play, step, "DELETE", target_path(&action->target, name, false, query), NULL, NULL);
    free(query);
    free(name);
}

/* --- processes --- */

static void start_replica(struct play *play, size_t index)
{
    struct error err = ERROR_INIT;

    if (!child_is_alive(&play->stage.replicas[index]) &&
        !stage_start_replica(&play->stage, index, &err))
        fail_by(play, &err);
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

/** A replica that ends although nobody asked it to fails the play. */
static void look_after(struct play *play)
{
    for (size_t i = 0; i < play->next_replica; i++) {
        struct child *child = &play->stage.replicas[i];

        if (!child_is_alive(child) && !child->was_asked)
            fail(play, "process ended", NULL, "%s ended by itself with status %d", child->name,
                 child->status);
    }
    if (!child_is_alive(&play->stage.api))
        fail(play, "process ended", NULL, "the API server ended by itself with status %d",
             play->stage.api.status);
}

/* --- steps --- */

static void lift_all(struct play *play)
{
    struct error err = ERROR_INIT;

    if (!has_failed(play) && !stage_admin(&play->stage, "DELETE", "/faults", NULL, NULL, &err))
        fail_by(play, &err);
}

/** What takes no time of its own. False for a step that does. */
static bool take_at_once(struct play *play, const struct step *step)
{
    struct error err = ERROR_INIT;

    switch (step->action) {
    case STEP_APPLY:
        for (size_t i = 0; i < step->objects.count && !has_failed(play); i++)
            apply(play, step, &step->objects.items[i]);
        return true;
    case STEP_PATCH:
        patch(play, step);
        return true;
    case STEP_DELETE:
        delete (play, step);
        return true;
    case STEP_ASSERT:
    case STEP_ERROR:
        (void)check(play, &step->claims, step->action == STEP_ASSERT,
                    step_action_name(step->action));
        return true;
    case STEP_FAULT:
        for (size_t i = 0; i < step->faults.count && !has_failed(play); i++) {
            if (!stage_add_fault(&play->stage, &step->faults.items[i], &err))
                fail_by(play, &err);
        }
        return true;
    case STEP_COMPACT:
        if (!stage_admin(&play->stage, "POST", "/compact", "{}", NULL, &err))
            fail_by(play, &err);
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
           now_us(play) >= (int64_t)play->next_replica * scenario->controllers->stagger_us)
        start_replica(play, play->next_replica++);
    for (size_t i = 0; i < scenario->step_count && !has_failed(play); i++) {
        const struct step *step = &scenario->steps[i];

        if (step->at_us < 0 || play->taken[i] || now_us(play) < step->at_us)
            continue;
        play->taken[i] = true;
        (void)take_at_once(play, step);
    }
    look_after(play);
    if (!has_failed(play))
        caller_sleep(play->stage.caller, LOOK_AGAIN_US);
}

static void wait_for(struct play *play, const struct step *step)
{
    int64_t until_us = now_us(play) + (step->within_us >= 0 ? step->within_us : WITHIN_US);

    while (!has_failed(play) && now_us(play) < until_us) {
        if (check(play, &step->claims, true, NULL))
            return;
        turn(play);
    }
    if (!has_failed(play))
        (void)check(play, &step->claims, true, "wait");
}

static void hold_for(struct play *play, const struct step *step)
{
    int64_t until_us = now_us(play) + step->for_us;
    bool hold = step->action == STEP_ALWAYS;

    while (!has_failed(play) && now_us(play) < until_us &&
           check(play, &step->claims, hold, step_action_name(step->action)))
        turn(play);
}

static void pass(struct play *play, int64_t until_us)
{
    while (!has_failed(play) && now_us(play) < until_us)
        turn(play);
}

static void take(struct play *play, const struct step *step)
{
    if (take_at_once(play, step))
        return;
    if (step->action == STEP_WAIT)
        wait_for(play, step);
    else if (step->action == STEP_ADVANCE)
        pass(play, now_us(play) + step->advance_us);
    else
        hold_for(play, step);
}

static void take_all(struct play *play)
{
    const struct scenario *scenario = play->scenario;
    int64_t last_us = 0;

    turn(play);
    for (size_t i = 0; i < scenario->step_count && !has_failed(play); i++) {
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

    for (size_t i = 0; i < ARRAY_SIZE(kinds) && !has_failed(play); i++) {
        struct json_object *items = objects_of(play, &kinds[i]);
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

/** Faults stop, all start again, and everything ends and comes to rest. */
static void settle(struct play *play)
{
    int64_t until_us = now_us(play) + play->scenario->settle_us;
    int64_t calm_since_us = now_us(play);
    struct buffer before = BUFFER_INIT(TEXT_BYTES_MAX);
    bool ended = false;

    lift_all(play);
    for (size_t i = 0; i < play->stage.replica_count && !has_failed(play); i++) {
        child_signal(&play->stage.replicas[i], SIGCONT);
        start_replica(play, i);
    }
    while (!has_failed(play) && (!ended || now_us(play) - calm_since_us < CALM_US)) {
        struct buffer now = BUFFER_INIT(TEXT_BYTES_MAX);

        ended = look_at_all(play, &now);
        if (!ended || strcmp(buffer_text(&now), buffer_text(&before)) != 0)
            calm_since_us = now_us(play);
        buffer_release(&before);
        before = now;
        if (now_us(play) > until_us)
            fail(play, ended ? "never comes to rest" : "I-LIVE", NULL, "%s",
                 ended ? "the replicas never come to rest" : "an Agent never ends");
        turn(play);
    }
    buffer_release(&before);
}

static void keep_objects(struct play *play)
{
    struct buffer objects = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;
    size_t size;

    if (stage_admin(&play->stage, "GET", "/state", NULL, &objects, &err))
        play->outcome->kept = buffer_take(&objects, &size);
    buffer_release(&objects);
}

static void judge(struct play *play)
{
    struct buffer logs = BUFFER_INIT(TEXT_BYTES_MAX);
    size_t size;

    if (!has_failed(play))
        (void)check(play, &play->scenario->expect, true, "expect");
    keep_objects(play);
    play->outcome->passed = !has_failed(play);
    play->outcome->virtual_us = now_us(play);
    if (has_failed(play))
        stage_append_logs(&play->stage, &logs);
    if (logs.size > 0)
        play->outcome->story = buffer_take(&logs, &size);
    buffer_release(&logs);
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

    if (unfit != NULL)
        return unfit;
    *ret_outcome = (struct outcome){0};
    programs = own_folder();
    play.taken = xcalloc(scenario->step_count + 1, sizeof(*play.taken));
    if (!stage_begin(&play.stage, scenario, programs == NULL ? "." : programs, &err))
        fail_by(&play, &err);
    play.began_us = caller_now_us(play.stage.caller);
    if (!has_failed(&play)) {
        take_all(&play);
        if (!has_failed(&play))
            settle(&play);
    }
    judge(&play);
    stage_end(&play.stage);
    free(play.taken);
    free(programs);
    return NULL;
}
