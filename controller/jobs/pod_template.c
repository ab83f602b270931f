#include "controller/jobs/pod_template.h"

#include <assert.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/jobs/naming.h"
#include "controller/jobs/pod_security.h"
#include "controller/jobs/run_env.h"
#include "controller/kinds/failure_reason.h"

#define LABEL_PREFIX "agents.re-cinq.com/"
#define SUPERVISOR "/agent/bin/ai-agent-supervisor"

/* A JSON text of ours as a tree. */
static struct json_object *constant(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    bool ok = json_parse(text, strlen(text), strlen(text), &value, &err);

    assert(ok);
    return value;
}

static bool has_key(const struct json_object *object, const char *key)
{
    return json_is(object, json_type_object) && json_object_object_get_ex(object, key, NULL);
}

static size_t length(const struct json_object *array)
{
    return json_is(array, json_type_array) ? json_object_array_length(array) : 0;
}

static struct json_object *find_named(const struct json_object *array, const char *name)
{
    for (size_t i = 0; i < length(array); i++) {
        struct json_object *item = json_object_array_get_idx(array, i);

        if (text_equal(json_get_text(item, "name"), name))
            return item;
    }
    return NULL;
}

bool pod_template_check(const struct json_object *template, struct error *err)
{
    const struct json_object *spec;
    const struct json_object *containers;

    if (!json_is(template, json_type_object))
        return error_set(err, ERROR_INVALID, REASON_TEMPLATE_NO_OBJECT);
    spec = json_get(template, "spec");
    if (spec == NULL)
        return error_set(err, ERROR_INVALID, REASON_TEMPLATE_NO_SPEC);
    containers = json_get_array(spec, "containers");
    if (containers == NULL)
        return error_set(err, ERROR_INVALID, REASON_TEMPLATE_NO_CONTAINERS);
    if (!pod_security_check(template, err))
        return false;
    if (find_named(containers, "agent") == NULL)
        return error_set(err, ERROR_INVALID, REASON_TEMPLATE_NO_AGENT);
    return true;
}

static void edit_metadata(struct json_object *template, const struct job_order *order)
{
    struct json_object *metadata = json_ensure_object(template, "metadata");
    struct json_object *labels = json_ensure_object(metadata, "labels");
    struct json_object *annotations = json_ensure_object(metadata, "annotations");
    char name[SAFE_NAME_SIZE];

    json_set_text(labels, LABEL_PREFIX "component", "job");
    safe_name(order->agent_name, name);
    json_set_text(labels, LABEL_PREFIX "agent", name);
    safe_name(order->station->name, name);
    json_set_text(labels, LABEL_PREFIX "station", name);
    json_set_text(annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
}

/* The member's items except those named agent or workspace, as a new array. */
static struct json_object *without_ours(const struct json_object *object, const char *key)
{
    const struct json_object *old = json_get_array(object, key);
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < length(old); i++) {
        struct json_object *item = json_object_array_get_idx(old, i);
        const char *name = json_get_text(item, "name");

        if (!text_equal(name, "agent") && !text_equal(name, "workspace"))
            json_add(array, json_object_get(item));
    }
    return array;
}

static void add_mounts(struct json_object *mounts)
{
    json_add(mounts, constant("{\"name\":\"agent\",\"mountPath\":\"/agent\"}"));
    json_add(mounts, constant("{\"name\":\"workspace\",\"mountPath\":\"/workspace\"}"));
}

static struct json_object *init_container(const struct job_order *order)
{
    struct json_object *init = json_object_new_object();
    struct json_object *mounts = json_object_new_array();

    json_set_text(init, "name", "init");
    json_set_text(init, "image", order->agent_image);
    json_set(init, "env", run_env_init(order));
    add_mounts(mounts);
    json_set(init, "volumeMounts", mounts);
    json_set(init, "resources",
             constant("{\"requests\":{\"cpu\":\"50m\",\"memory\":\"128Mi\"},"
                      "\"limits\":{\"memory\":\"2Gi\"}}"));
    json_set(init, "securityContext",
             constant("{\"runAsUser\":0,\"allowPrivilegeEscalation\":false,"
                      "\"capabilities\":{\"drop\":[\"ALL\"],\"add\":[\"CHOWN\",\"DAC_OVERRIDE\","
                      "\"FOWNER\",\"SETUID\",\"SETGID\"]},"
                      "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
    return init;
}

static struct json_object *command(const struct text_list *argv)
{
    struct json_object *array = json_object_new_array();

    json_add(array, json_object_new_string(SUPERVISOR));
    json_add(array, json_object_new_string("--"));
    for (size_t i = 0; i < argv->count; i++)
        json_add(array, json_object_new_string(argv->items[i]));
    return array;
}

static void edit_agent(struct json_object *agent, const struct job_order *order,
                       const struct text_list *argv)
{
    struct json_object *mounts = without_ours(agent, "volumeMounts");

    json_set(agent, "command", command(argv));
    json_object_object_del(agent, "args"); /* they would reach the supervisor */
    json_set(agent, "env", run_env_agent(order));
    add_mounts(mounts);
    json_set(agent, "volumeMounts", mounts);
    json_set(agent, "securityContext",
             constant("{\"runAsNonRoot\":true,\"runAsUser\":1000,\"runAsGroup\":1000,"
                      "\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"]},"
                      "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
    if (!has_key(agent, "resources"))
        json_set(agent, "resources",
                 constant("{\"requests\":{\"cpu\":\"100m\",\"memory\":\"256Mi\"},"
                          "\"limits\":{\"memory\":\"2Gi\"}}"));
}

void pod_template_edit(struct json_object *template, const struct job_order *order,
                       const struct text_list *argv)
{
    struct json_object *spec = json_get_object(template, "spec");
    struct json_object *volumes = without_ours(spec, "volumes");
    struct json_object *init_containers = json_object_new_array();

    edit_metadata(template, order);
    json_set_text(spec, "restartPolicy", "Never");
    json_set_bool(spec, "automountServiceAccountToken", false);
    json_set(spec, "securityContext",
             constant("{\"fsGroup\":1000,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"));
    json_add(init_containers, init_container(order));
    json_set(spec, "initContainers", init_containers);
    json_add(volumes, constant("{\"name\":\"agent\",\"emptyDir\":{}}"));
    json_add(volumes, constant("{\"name\":\"workspace\",\"emptyDir\":{}}"));
    json_set(spec, "volumes", volumes);
    edit_agent(find_named(json_get_array(spec, "containers"), "agent"), order, argv);
}
