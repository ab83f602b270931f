#include "controller/kinds/agent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

static const char *const phase_names[AGENT_PHASE_COUNT] = {
    [AGENT_PENDING] = "Pending",
    [AGENT_RUNNING] = "Running",
    [AGENT_SUCCEEDED] = "Succeeded",
    [AGENT_FAILED] = "Failed",
};

void agent_free(struct agent *agent)
{
    if (agent == NULL)
        return;
    free(agent->name);
    free(agent->uid);
    free(agent->resource_version);
    free(agent->station);
    free(agent->job);
    free(agent->batch_id);
    free(agent->resume_session);
    free(agent);
}

struct agent *agent_copy(const struct agent *agent)
{
    struct agent *copy = xcalloc(1, sizeof(*copy));

    *copy = *agent;
    copy->name = xstrdup(agent->name);
    copy->uid = xstrdup(agent->uid);
    copy->resource_version = xstrdup(agent->resource_version);
    copy->station = xstrdup(agent->station);
    copy->job = xstrdup(agent->job);
    copy->batch_id = xstrdup(agent->batch_id);
    copy->resume_session = xstrdup(agent->resume_session);
    return copy;
}

void agent_spec_free(struct agent_spec *spec)
{
    if (spec == NULL)
        return;
    parameters_free(spec->parameters, spec->parameter_count);
    for (size_t i = 0; i < spec->file_count; i++) {
        free(spec->files[i].path);
        free(spec->files[i].url);
        free(spec->files[i].headers_secret);
    }
    free(spec->files);
    free(spec->task_id);
    free(spec->target_repo);
    free(spec->branch);
    free(spec->model);
    free(spec->resume_session);
    free(spec);
}

const char *agent_spec_parameter(const struct agent_spec *spec, const char *name, size_t name_size)
{
    for (size_t i = 0; i < spec->parameter_count; i++) {
        const struct agent_parameter *parameter = &spec->parameters[i];

        if (strlen(parameter->name) == name_size && memcmp(parameter->name, name, name_size) == 0)
            return parameter->value;
    }
    return NULL;
}

const char *agent_phase_name(enum agent_phase phase)
{
    assert(phase < AGENT_PHASE_COUNT);
    return phase_names[phase];
}

enum agent_phase agent_phase_parse(const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(phase_names); i++) {
        if (text_equal(text, phase_names[i]))
            return (enum agent_phase)i;
    }
    return AGENT_PENDING;
}

bool agent_phase_is_terminal(enum agent_phase phase)
{
    return phase == AGENT_SUCCEEDED || phase == AGENT_FAILED;
}

/* What agent_change_write() says of a time after 1970. */
static int64_t whole_second(int64_t at_us)
{
    return at_us - at_us % US_PER_SECOND;
}

void agent_apply(struct agent *agent, const struct agent_change *change)
{
    agent->phase = change->phase;
    if (change->job != NULL) {
        char *job = xstrdup(change->job);

        free(agent->job);
        agent->job = job;
    }
    if (change->started_at_us != AGENT_NO_TIME)
        agent->started_at_us = whole_second(change->started_at_us);
    if (change->completed_at_us != AGENT_NO_TIME)
        agent->completed_at_us = whole_second(change->completed_at_us);
}

/* Appends ,"key":"text". */
static void write_text(struct buffer *into, const char *key, const char *text, size_t size)
{
    buffer_append_format(into, ",\"%s\":", key);
    json_append_quoted(into, text, size);
}

static void write_time(struct buffer *into, const char *key, int64_t at_us)
{
    char text[TIME_TEXT_SIZE];

    if (at_us == AGENT_NO_TIME)
        return;
    time_format(at_us, text);
    write_text(into, key, text, strlen(text));
}

void agent_change_write(const struct agent_change *change, const char *resource_version,
                        struct buffer *into)
{
    buffer_append_text(into, "{\"metadata\":{\"resourceVersion\":");
    json_append_quoted(into, resource_version, strlen(resource_version));
    buffer_append_format(into, "},\"status\":{\"phase\":\"%s\"", agent_phase_name(change->phase));
    if (change->job != NULL)
        write_text(into, "jobName", change->job, strlen(change->job));
    write_time(into, "startedAt", change->started_at_us);
    write_time(into, "completedAt", change->completed_at_us);
    if (change->has_exit_code)
        buffer_append_format(into, ",\"exitCode\":%lld", (long long)change->exit_code);
    if (change->output != NULL)
        write_text(into, "output", change->output, change->output_size);
    if (change->failure_reason != NULL)
        write_text(into, "failureReason", change->failure_reason, strlen(change->failure_reason));
    buffer_append_text(into, "}}");
}
