/* user - a person with kubectl: writes over HTTP like anybody else, from a host of their own. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/targets.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

#define API_URL "http://api:8001"
#define HEALTH_PORT "8081"
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
/** A person waits this long for an answer. */
#define PATIENCE_US (30 * US_PER_SECOND)

/** What the task is waiting for. */
enum stage { STAGE_GET, STAGE_CREATE, STAGE_PATCH, STAGE_DELETE, STAGE_METRICS };

struct user_task {
    struct world *world;
    const struct step *step; /* NULL: reading metrics */
    const char *process;     /* whose metrics */
    struct sim_process *person;
    size_t index; /* of the manifest at hand */
    enum stage stage;
    unsigned status;
    struct buffer answer;
    bool done;
    struct user_task *next;
};

static void begin(struct user_task *task);

/* --- requests --- */

static void on_head(void *arg, const struct response_head *head)
{
    ((struct user_task *)arg)->status = head->status;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct user_task *)arg)->answer, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail);

static const struct exchange_events events = {on_head, on_body, on_end};

/** Takes ownership of path (of the API server, or a whole URL) and of body, which may be NULL. */
static void send(struct user_task *task, const char *method, char *path, const char *type,
                 char *body)
{
    char *url = xprintf("%s%s", *path == '/' ? API_URL : "", path);
    const struct http_header headers[] = {
        {"User-Agent",   "kubectl/v1.30.0"                 },
        {"Accept",       "application/json"                },
        {"Content-Type", type == NULL ? "text/plain" : type},
    };
    struct http_request request = {.method = method,
                                   .url = url,
                                   .headers = headers,
                                   .header_count = type == NULL ? 2 : 3,
                                   .body = body,
                                   .body_size = body == NULL ? 0 : strlen(body),
                                   .total_timeout_us = PATIENCE_US,
                                   .response_bytes_max = ANSWER_BYTES_MAX};

    task->status = 0;
    buffer_clear(&task->answer);
    (void)runtime_request(sim_process_runtime(task->person), &request, &events, task);
    free(url);
    free(path);
    free(body);
}

/* --- names like "agent-job-x-*" --- */

/** The name to write to; NULL, and the world has failed, when nothing is like it. */
static const char *resolve(struct user_task *task, const struct target *target)
{
    const char *name = lookup_name(task->world, target);

    if (name == NULL && !task->step->optional &&
        !sweep_spares(task->world, &task->step->may_change))
        world_fail(task->world, "no such object", NULL, "line %u: no %s is like %s",
                   task->step->place.line, target->kind, target->name);
    return name;
}

/* --- what the step says --- */

static const struct manifest *manifest_of(const struct user_task *task)
{
    return &task->step->objects.items[task->index];
}

static void send_get(struct user_task *task)
{
    const struct manifest *manifest = manifest_of(task);

    task->stage = STAGE_GET;
    send(task, "GET", target_path(&manifest->target, manifest->target.name, false, ""), NULL, NULL);
}

static void send_create(struct user_task *task)
{
    const struct manifest *manifest = manifest_of(task);

    task->stage = STAGE_CREATE;
    send(task, "POST", target_path(&manifest->target, NULL, false, ""), "application/json",
         json_to_text(manifest->tree, NULL));
}

static void send_merge(struct user_task *task)
{
    const struct manifest *manifest = manifest_of(task);

    task->stage = STAGE_PATCH;
    send(task, "PATCH", target_path(&manifest->target, manifest->target.name, false, ""),
         "application/merge-patch+json", json_to_text(manifest->tree, NULL));
}

static void send_patch(struct user_task *task)
{
    const struct patch_action *patch = task->step->patch;
    const char *name = resolve(task, &patch->target);

    task->stage = STAGE_PATCH;
    task->done = name == NULL;
    if (name == NULL)
        return;
    send(task, "PATCH", target_path(&patch->target, name, patch->status, ""),
         patch->merge != NULL ? "application/merge-patch+json" : "application/json-patch+json",
         json_to_text(patch->merge != NULL ? patch->merge : patch->json, NULL));
}

static void send_delete(struct user_task *task)
{
    const struct delete_action *deletion = task->step->deletion;
    const char *name = resolve(task, &deletion->target);
    char *query = delete_query(deletion);

    task->stage = STAGE_DELETE;
    task->done = name == NULL;
    if (name != NULL)
        send(task, "DELETE", target_path(&deletion->target, name, false, query), NULL, NULL);
    free(query);
}

/* --- answers --- */

static struct answer answer_of(const struct user_task *task)
{
    return (struct answer){task->status, &task->answer};
}

static void complain(struct user_task *task)
{
    const struct answer answer = answer_of(task);
    const char *action = step_action_name(task->step->action);
    char *message = answer_message(&answer);
    char *identity = xprintf("%s: answered %u", action, task->status);
    struct buffer details = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);

    answer_append_differences(task->step, &answer, task->world->scenario->path, &details);
    if (!sweep_spares(task->world, &task->step->may_change))
        world_fail(task->world, identity, buffer_text(&details),
                   "line %u: the API server answered the %s with %u: %s", task->step->place.line,
                   action, task->status, message);
    buffer_release(&details);
    free(identity);
    free(message);
}

static void on_metrics(struct user_task *task)
{
    char *text = buffer_take(&task->answer, &(size_t){0});

    invariants_log(task->world->invariants, sim_now_us(task->world->sim), task->process, LOG_INFO,
                   text);
    free(text);
    task->done = true;
}

/** An object was written, or could not be: the next one, or the end. */
static void on_written(struct user_task *task)
{
    const struct answer answer = answer_of(task);

    if (!answer_is_wanted(task->step, &answer)) {
        complain(task);
        task->done = true;
        return;
    }
    bindings_take_answer(task->world, task->step, &answer);
    task->index++;
    begin(task);
}

static void begin_again(void *task)
{
    begin(task);
}

/** Whoever finds the API server gone tries again until it is back. */
static bool waits_for_api(struct user_task *task)
{
    struct world *world = task->world;

    if (!world->api_is_down && sim_now_us(world->sim) - world->api_crashed_us > US_PER_SECOND)
        return false;
    (void)sim_at(world->sim, sim_now_us(world->sim) + US_PER_SECOND, begin_again, task);
    return true;
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct user_task *task = arg;

    if (task->stage == STAGE_METRICS) {
        on_metrics(task);
        return;
    }
    if (end != EXCHANGE_COMPLETE && task->step->optional) {
        on_written(task);
        return;
    }
    if (end != EXCHANGE_COMPLETE && waits_for_api(task))
        return;
    if (end != EXCHANGE_COMPLETE) {
        world_fail(task->world, "no answer", NULL, "line %u: no answer to the %s: %s%s%s",
                   task->step->place.line, step_action_name(task->step->action),
                   exchange_end_name(end), *detail == '\0' ? "" : ": ", detail);
        task->done = true;
        return;
    }
    if (task->stage == STAGE_GET && task->status == 404)
        send_create(task);
    else if (task->stage == STAGE_GET && task->status == 200)
        send_merge(task);
    else
        on_written(task);
}

/* --- the task --- */

static void begin(struct user_task *task)
{
    const struct step *step = task->step;

    if (step->action == STEP_APPLY && task->index < step->objects.count) {
        send_get(task);
    } else if (step->action == STEP_PATCH && task->index == 0) {
        send_patch(task);
    } else if (step->action == STEP_DELETE && task->index == 0) {
        send_delete(task);
    } else {
        task->done = true;
        checks_end(task->world, step);
    }
}

static struct user_task *new_task(struct world *world)
{
    struct user_task *task = xcalloc(1, sizeof(*task));

    task->world = world;
    task->person = world->user;
    task->answer = BUFFER_INIT(ANSWER_BYTES_MAX);
    task->next = world->tasks;
    world->tasks = task;
    return task;
}

struct user_task *user_begin(struct world *world, const struct step *step)
{
    struct user_task *task = new_task(world);

    task->step = step;
    if (step->as != NULL)
        task->person = sim_process_find(world->sim, step->as);
    begin(task);
    return task;
}

struct user_task *user_read_metrics(struct world *world, struct sim_process *replica)
{
    struct user_task *task = new_task(world);
    char *url = xprintf("http://%s:" HEALTH_PORT "/metrics", sim_process_name(replica));

    task->process = sim_process_name(replica);
    task->stage = STAGE_METRICS;
    send(task, "GET", url, NULL, NULL);
    return task;
}

bool user_is_done(const struct user_task *task)
{
    return task->done;
}

/** Their requests are the simulated process's own and go with it. */
void user_release(struct world *world)
{
    while (world->tasks != NULL) {
        struct user_task *task = world->tasks;

        world->tasks = task->next;
        buffer_release(&task->answer);
        free(task);
    }
}
