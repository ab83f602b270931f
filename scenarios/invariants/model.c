/* model - see model.h. */
#include "scenarios/invariants/model.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/** What a Station keeps of each kind of end where it says nothing (controller/RULES.md 1.2). */
#define HISTORY_LIMIT_DEFAULT 3

/* --- readers --- */

static const char *const phase_names[] = {
    [PHASE_PENDING] = "Pending",
    [PHASE_RUNNING] = "Running",
    [PHASE_SUCCEEDED] = "Succeeded",
    [PHASE_FAILED] = "Failed",
};

enum phase agent_phase(const struct json_object *agent)
{
    const char *text = json_get_text(json_get(agent, "status"), "phase");

    for (size_t i = 0; i < ARRAY_SIZE(phase_names); i++) {
        if (text_equal(text, phase_names[i]))
            return (enum phase)i;
    }
    return PHASE_PENDING;
}

bool phase_is_terminal(enum phase phase)
{
    return phase == PHASE_SUCCEEDED || phase == PHASE_FAILED;
}

const char *phase_name(enum phase phase)
{
    return phase_names[phase];
}

const char *object_name(const struct json_object *object)
{
    return text_or(json_get_text(json_get(object, "metadata"), "name"), "");
}

const char *object_uid(const struct json_object *object)
{
    return text_or(json_get_text(json_get(object, "metadata"), "uid"), "");
}

const char *object_agent_uid(const struct json_object *object)
{
    struct json_object *owners = json_get_array(json_get(object, "metadata"), "ownerReferences");

    for (size_t i = 0; owners != NULL && i < json_object_array_length(owners); i++) {
        struct json_object *owner = json_object_array_get_idx(owners, i);

        if (text_equal(json_get_text(owner, "kind"), "Agent") &&
            json_get_bool(owner, "controller", false))
            return text_or(json_get_text(owner, "uid"), "");
    }
    return "";
}

static int64_t time_of(const char *text, int64_t fallback)
{
    int64_t at_us;

    return text != NULL && time_parse(text, &at_us) ? at_us : fallback;
}

/* --- agents --- */

static void forget_agent(struct model *model, const char *name)
{
    struct model_agent *agent;

    HASH_FIND_STR(model->agents, name, agent);
    if (agent == NULL)
        return;
    HASH_DEL(model->agents, agent);
    free(agent->name);
    free(agent->uid);
    free(agent->station);
    free(agent);
}

static int64_t moved_us(const struct model *model, const struct change *change)
{
    const struct model_agent *before = model_agent(model, object_name(change->after));
    const char *station = json_get_text(json_get(change->after, "spec"), "stationRef");

    if (change->kind != CHANGE_MODIFIED || before == NULL)
        return INT64_MIN;
    return strcmp(before->station, text_or(station, "")) == 0 ? before->moved_us : change->at_us;
}

static void keep_agent(struct model *model, const struct change *change)
{
    const struct json_object *tree = change->after;
    struct json_object *metadata = json_get(tree, "metadata");
    struct model_agent *agent = xcalloc(1, sizeof(*agent));

    agent->moved_us = moved_us(model, change);
    forget_agent(model, object_name(tree));
    agent->name = xstrdup(object_name(tree));
    agent->uid = xstrdup(object_uid(tree));
    agent->station = xstrdup(text_or(json_get_text(json_get(tree, "spec"), "stationRef"), ""));
    agent->phase = agent_phase(tree);
    agent->created_us = time_of(json_get_text(metadata, "creationTimestamp"), 0);
    agent->completed_us =
        time_of(json_get_text(json_get(tree, "status"), "completedAt"), INT64_MIN);
    agent->terminating = json_get(metadata, "deletionTimestamp") != NULL;
    HASH_ADD_KEYPTR(hh, model->agents, agent->name, strlen(agent->name), agent);
}

/* --- stations --- */

static void forget_station(struct model *model, const char *name)
{
    struct model_station *station;

    HASH_FIND_STR(model->stations, name, station);
    if (station == NULL)
        return;
    HASH_DEL(model->stations, station);
    free(station->name);
    free(station);
}

/** Forbid and Replace allow one, whatever the number says. */
static int64_t limit_of(const struct json_object *spec)
{
    const char *policy = json_get_text(spec, "concurrencyPolicy");

    if (text_equal(policy, "Forbid") || text_equal(policy, "Replace"))
        return 1;
    return json_get_int64(spec, "maxConcurrentRuns", 0);
}

static int64_t at_least_zero(int64_t value)
{
    return value < 0 ? 0 : value;
}

int64_t model_looser(int64_t limit, int64_t other)
{
    if (limit == 0 || other == 0)
        return 0;
    return limit > other ? limit : other;
}

/** What may be believed of it when it changes; one that is gone may still be believed in. */
static int64_t believed(const struct model_station *station, int64_t at_us)
{
    return at_us - station->changed_us > MODEL_LIMIT_HOLDS_US
               ? station->limit
               : model_looser(station->limit, station->limit_before);
}

static struct model_station *find_station(const struct model *model, const char *name)
{
    struct model_station *station;

    HASH_FIND_STR(model->stations, name, station);
    return station;
}

static void bury_station(struct model *model, const char *name)
{
    struct model_station *station = find_station(model, name);

    if (station != NULL)
        station->gone = true;
}

static void keep_station(struct model *model, const struct change *change)
{
    struct json_object *spec = json_get(change->after, "spec");
    const struct model_station *before = find_station(model, object_name(change->after));
    struct model_station *station = xcalloc(1, sizeof(*station));

    station->name = xstrdup(object_name(change->after));
    station->limit = limit_of(spec);
    station->limit_before = before == NULL ? station->limit : believed(before, change->at_us);
    station->changed_us = change->at_us;
    station->keep_succeeded =
        at_least_zero(json_get_int64(spec, "successfulRunsHistoryLimit", HISTORY_LIMIT_DEFAULT));
    station->keep_failed =
        at_least_zero(json_get_int64(spec, "failedRunsHistoryLimit", HISTORY_LIMIT_DEFAULT));
    forget_station(model, station->name);
    HASH_ADD_KEYPTR(hh, model->stations, station->name, strlen(station->name), station);
}

/* --- jobs --- */

static void forget_job(struct model *model, const char *name)
{
    struct model_job *job;

    HASH_FIND_STR(model->jobs, name, job);
    if (job == NULL)
        return;
    HASH_DEL(model->jobs, job);
    free(job->name);
    free(job->uid);
    free(job->agent_uid);
    free(job);
}

const struct model_job *model_job_of(const struct model *model, const char *agent_uid)
{
    const struct model_job *job = model->jobs;

    while (job != NULL && strcmp(job->agent_uid, agent_uid) != 0)
        job = job->hh.next;
    return job;
}

static int64_t made_us(const struct model *model, const struct change *change)
{
    const struct model_job *before = model_job(model, object_name(change->after));

    if (change->kind == CHANGE_MODIFIED && before != NULL)
        return before->made_us;
    return change->kind == CHANGE_PRESENT ? INT64_MIN : change->at_us;
}

static void keep_job(struct model *model, const struct change *change)
{
    const struct json_object *tree = change->after;
    struct model_job *job = xcalloc(1, sizeof(*job));

    job->made_us = made_us(model, change);
    forget_job(model, object_name(tree));
    job->name = xstrdup(object_name(tree));
    job->uid = xstrdup(object_uid(tree));
    job->agent_uid = xstrdup(object_agent_uid(tree));
    HASH_ADD_KEYPTR(hh, model->jobs, job->name, strlen(job->name), job);
}

/* --- the whole --- */

void model_apply(struct model *model, const struct change *change)
{
    bool gone = change->kind == CHANGE_DELETED;

    if (strcmp(change->plural, "agents") == 0) {
        if (gone)
            forget_agent(model, object_name(change->before));
        else
            keep_agent(model, change);
    } else if (strcmp(change->plural, "stations") == 0) {
        if (gone)
            bury_station(model, object_name(change->before));
        else
            keep_station(model, change);
    } else if (strcmp(change->plural, "jobs") == 0) {
        if (gone)
            forget_job(model, object_name(change->before));
        else
            keep_job(model, change);
    }
}

void model_release(struct model *model)
{
    while (model->agents != NULL)
        forget_agent(model, model->agents->name);
    while (model->stations != NULL)
        forget_station(model, model->stations->name);
    while (model->jobs != NULL)
        forget_job(model, model->jobs->name);
}

const struct model_agent *model_agent(const struct model *model, const char *name)
{
    struct model_agent *agent;

    HASH_FIND_STR(model->agents, name, agent);
    return agent;
}

const struct model_station *model_station(const struct model *model, const char *name)
{
    const struct model_station *station = find_station(model, name);

    return station == NULL || station->gone ? NULL : station;
}

const struct model_job *model_job(const struct model *model, const char *name)
{
    struct model_job *job;

    HASH_FIND_STR(model->jobs, name, job);
    return job;
}

size_t model_running(const struct model *model, const char *station, int64_t begun_us)
{
    size_t count = 0;

    for (const struct model_agent *agent = model->agents; agent != NULL; agent = agent->hh.next) {
        if (agent->phase == PHASE_RUNNING && !agent->terminating &&
            strcmp(agent->station, station) == 0 &&
            (agent->moved_us == INT64_MIN || begun_us > agent->moved_us + MODEL_LIMIT_HOLDS_US))
            count++;
    }
    return count;
}

size_t model_unfinished(const struct model *model)
{
    size_t count = 0;

    for (const struct model_agent *agent = model->agents; agent != NULL; agent = agent->hh.next) {
        if (!phase_is_terminal(agent->phase) && !agent->terminating)
            count++;
    }
    return count;
}

size_t model_newer(const struct model *model, const struct model_agent *agent)
{
    size_t count = 0;

    for (const struct model_agent *other = model->agents; other != NULL; other = other->hh.next) {
        if (other->phase == agent->phase && !other->terminating &&
            strcmp(other->station, agent->station) == 0 &&
            other->completed_us > agent->completed_us)
            count++;
    }
    return count;
}
