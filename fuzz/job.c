/* Properties of jobs: whatever a Station, a recipe and an Agent say, either there is a text why
 * there is no Job, or the Job is one that the namespace lets in: nothing privileged, nothing of the
 * host, what is ours as RULES.md 2.3 has it, and no variable twice. And whatever a Job and its pods
 * say, they are read. The input is one object {"station", "recipe", "agent"}, which is read as a
 * Job, too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/jobs/job_build.h"
#include "controller/jobs/outcome_decide.h"
#include "fuzz/harness.h"

static size_t length(const struct json_object *array)
{
    return json_is(array, json_type_array) ? json_object_array_length(array) : 0;
}

/* No name twice, HOME and PATH ours: a recipe, or the files of an Agent, may not take them over. */
static void check_env(const struct json_object *container)
{
    const struct json_object *env = json_get(container, "env");
    struct json_object *names = json_object_new_object();

    for (size_t i = 0; i < length(env); i++) {
        const struct json_object *entry = json_object_array_get_idx(env, i);
        const char *name = json_get_text(entry, "name");

        assert(name != NULL);
        assert(!json_object_object_get_ex(names, name, NULL));
        json_set_bool(names, name, true);
        if (text_equal(name, "HOME"))
            assert(text_equal(json_get_text(entry, "value"), "/agent"));
    }
    assert(json_get_bool(names, "HOME", false) && json_get_bool(names, "PATH", false));
    json_object_put(names);
}

static void check_container(const struct json_object *container)
{
    const struct json_object *context = json_get(container, "securityContext");

    assert(!json_get_bool(context, "privileged", false));
    if (!text_equal(json_get_text(container, "name"), "agent"))
        return;
    assert(json_get_bool(context, "runAsNonRoot", false));
    assert(!json_get_bool(context, "allowPrivilegeEscalation", true));
    assert(json_get(container, "args") == NULL);
}

/* The first container of that name is the one that was made the run's. */
static const struct json_object *named_agent(const struct json_object *containers)
{
    for (size_t i = 0; i < length(containers); i++) {
        const struct json_object *item = json_object_array_get_idx(containers, i);

        if (text_equal(json_get_text(item, "name"), "agent"))
            return item;
    }
    return NULL;
}

static void check_pod(const struct json_object *pod)
{
    const struct json_object *containers = json_get(pod, "containers");
    const struct json_object *init = json_get(pod, "initContainers");
    const struct json_object *volumes = json_get(pod, "volumes");
    const struct json_object *agent = named_agent(containers);

    assert(agent != NULL && length(init) == 1);
    check_container(agent);
    check_env(agent);
    check_env(json_object_array_get_idx(init, 0));
    for (size_t i = 0; i < length(containers); i++) {
        const struct json_object *container = json_object_array_get_idx(containers, i);

        assert(!json_get_bool(json_get(container, "securityContext"), "privileged", false));
    }
    for (size_t i = 0; i < length(volumes); i++)
        assert(json_get(json_object_array_get_idx(volumes, i), "hostPath") == NULL);
    assert(!json_get_bool(pod, "hostNetwork", false) && !json_get_bool(pod, "hostPID", false));
    assert(!json_get_bool(pod, "hostIPC", false));
    assert(!json_get_bool(pod, "automountServiceAccountToken", true));
    assert(text_equal(json_get_text(pod, "restartPolicy"), "Never"));
}

static void check_build(const struct agent_spec *spec, const struct station *station,
                        const struct definition *definition)
{
    struct job_order order = {"run-1", "u-1", "ns", "img", spec, station, definition};
    struct error err = ERROR_INIT;
    struct json_object *job = NULL;
    char *text = NULL;
    size_t size = 0;

    if (!job_build(&order, &text, &size, &err)) {
        assert(err.text[0] != '\0');
        return;
    }
    assert(json_parse(text, size, JSON_BYTES_MAX, &job, &err));
    check_pod(json_walk(job, "spec", "template", "spec", NULL));
    json_object_put(job);
    free(text);
}

static bool is_object(struct json_slice value)
{
    return value.size > 0 && value.bytes[0] == '{';
}

static void build(struct json_slice input)
{
    struct agent_spec *spec = NULL;
    struct station *station = NULL;
    struct definition *definition = NULL;
    struct json_slice agent = json_slice_get(input, "agent");
    struct json_slice place = json_slice_get(input, "station");
    struct json_slice recipe = json_slice_get(input, "recipe");
    struct error err = ERROR_INIT;

    if (is_object(agent) && is_object(place) && is_object(recipe) &&
        agent_spec_read(agent, &spec, &err) && station_read(place, &station, &err) &&
        definition_read(recipe, &definition, &err))
        check_build(spec, station, definition);
    agent_spec_free(spec);
    station_free(station);
    definition_free(definition);
}

static void read_back(struct json_slice input)
{
    struct job job;
    struct pod_list pods;
    char *reason = NULL;
    enum job_end end;

    job_read(input, &job);
    pod_list_read(input, &pods);
    end = outcome_of_job(&job, &reason);
    assert(end == JOB_FAILED || reason == NULL);
    assert((outcome_pod(&pods, NULL, end) == NULL) == (pods.count == 0));
    free(reason);
    job_release(&job);
    pod_list_release(&pods);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct json_slice input = {(const char *)bytes, size};

    if (!json_check(bytes, size, FUZZ_BYTES_MAX, NULL))
        return 0;
    while (input.size > 0 && strchr(" \t\r\n", input.bytes[0]) != NULL) {
        input.bytes++;
        input.size--;
    }
    if (is_object(input)) {
        build(input);
        read_back(input);
    }
    return 0;
}
