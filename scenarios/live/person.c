/* person - the person with kubectl, over real sockets: one request after another. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/targets.h"
#include "scenarios/live/play.h"

/** The name to write to: a pattern means the first that is like it. free() it. */
static char *resolve(struct play *play, const struct step *step, const struct target *target)
{
    struct target all = *target;
    struct json_object *items;
    char *found = NULL;

    if (strchr(target->name, '*') == NULL)
        return xstrdup(target->name);
    all.name = NULL;
    items = play_objects(play, &all);
    for (size_t i = 0; items != NULL && i < json_object_array_length(items) && found == NULL; i++) {
        struct json_object *object = json_object_array_get_idx(items, i);
        const char *name = text_or(json_get_text(json_get(object, "metadata"), "name"), "");

        if (fnmatch(target->name, name, 0) == 0)
            found = xstrdup(name);
    }
    (void)json_object_put(items);
    if (found == NULL && !step->optional)
        play_fail(play, "no such object", NULL, "line %u: no %s is like %s", step->place.line,
                  target->kind, target->name);
    return found;
}

static void complain(struct play *play, const struct step *step, const struct answer *answer)
{
    const char *action = step_action_name(step->action);
    struct buffer details = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    char *identity = xprintf("%s: answered %u", action, answer->status);
    char *message = answer_message(answer);

    answer_append_differences(step, answer, play->scenario->path, &details);
    play_fail(play, identity, buffer_text(&details),
              "line %u: the API server answered the %s with %u: %s", step->place.line, action,
              answer->status, message);
    buffer_release(&details);
    free(identity);
    free(message);
}

static void fail_to_bind(struct play *play, const char *name, unsigned line, const char *why)
{
    char *identity = xprintf("bind: %s", name);

    play_fail(play, identity, NULL, "line %u: '%s': %s", line, name, why);
    free(identity);
}

static void judge_answer(struct play *play, const struct step *step, const struct answer *answer)
{
    struct error err = ERROR_INIT;
    const char *name = "";

    if (!answer_is_wanted(step, answer))
        complain(play, step, answer);
    else if (!bound_take_answer(&play->bound, step, answer, &name, &err) && !step->optional)
        fail_to_bind(play, name, step->place.line, err.text);
}

static void send(struct play *play, const struct step *step, const char *method, char *path,
                 const char *type, char *body)
{
    const char *action = step_action_name(step->action);
    struct caller_answer answer;
    struct error err = ERROR_INIT;

    if (caller_ask(play->stage.caller, &play->stage.server, method, path, type, body, &answer,
                   &err))
        judge_answer(play, step, &(struct answer){answer.status, &answer.body});
    else if (!step->optional)
        play_fail(play, "no answer", NULL, "line %u: no answer to the %s: %s", step->place.line,
                  action, err.text);
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
        play_fail_by(play, &err);
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

/* --- names and their values --- */

static void bind_one(struct play *play, const struct step *step, const struct binding *binding)
{
    struct error err = ERROR_INIT;
    struct json_object *object = NULL;
    char *name = binding->field == NULL ? NULL : resolve(play, step, &binding->target);
    char *path = name == NULL ? NULL : target_path(&binding->target, name, false, "");

    if (path != NULL && !caller_read(play->stage.caller, &play->stage.server, path, &object, &err))
        play_fail_by(play, &err);
    if (!play_has_failed(play) && !bound_take(&play->bound, binding, object, &err))
        fail_to_bind(play, binding->name, binding->place.line, err.text);
    (void)json_object_put(object);
    free(path);
    free(name);
}

/* --- steps --- */

void person_take(struct play *play, const struct step *step)
{
    for (size_t i = 0; i < step->objects.count && !play_has_failed(play); i++)
        apply(play, step, &step->objects.items[i]);
    if (step->action == STEP_PATCH)
        patch(play, step);
    if (step->action == STEP_DELETE)
        delete (play, step);
    for (size_t i = 0; i < step->binding_count && !play_has_failed(play); i++)
        bind_one(play, step, &step->bindings[i]);
}
