/* pods - see pods.h. The server knows pods' scripts by annotations
 * (fakeapi/cluster/kubelet_script.h).
 */
#include "scenarios/live/pods.h"

#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

/** The label by which the controller marks the pods of an Agent (controller/RULES.md 2.3). */
#define AGENT_LABEL "agents.re-cinq.com/agent"

static void set_text(struct json_object *tree, const char *key, const char *text)
{
    if (text != NULL)
        json_set_text(tree, key, text);
}

static void set_number(struct json_object *tree, const char *key, int64_t number)
{
    char *text = xprintf("%" PRId64, number);

    json_set_text(tree, key, text);
    free(text);
}

/** Unless it is below 0: then the server's own choice holds. */
static void set_seconds(struct json_object *tree, const char *key, int64_t us)
{
    char *text = xprintf("%" PRId64 ".%06" PRId64, us / US_PER_SECOND, us % US_PER_SECOND);

    if (us >= 0)
        json_set_text(tree, key, text);
    free(text);
}

static void set_flag(struct json_object *tree, const char *key, bool flag)
{
    if (flag)
        json_set_text(tree, key, "true");
}

/** In the order of enum pod_ending. */
static const char *const endings[] = {
    NULL, "hang", "oom", "evict", "image-pull", "unschedulable", "node-lost",
};

static struct json_object *annotations_of(const struct pod_script *pod)
{
    struct json_object *tree = json_object_new_object();

    set_seconds(tree, "fakeapi/start-seconds", pod->starts_us);
    set_seconds(tree, "fakeapi/run-seconds", pod->runs_us);
    set_seconds(tree, "fakeapi/stop-seconds", pod->stops_us);
    set_number(tree, "fakeapi/exit-code", pod->exit_code);
    set_text(tree, "fakeapi/ending", endings[pod->ending]);
    set_seconds(tree, "fakeapi/recover-seconds", pod->recovers_us);
    set_seconds(tree, "fakeapi/node-gone-seconds", pod->node_gone_us);
    set_text(tree, "fakeapi/log", pod->log);
    set_seconds(tree, "fakeapi/log-every-seconds", pod->log_every_us);
    set_seconds(tree, "fakeapi/log-late-seconds", pod->log_late_us);
    set_text(tree, "fakeapi/container", pod->container);
    set_seconds(tree, "fakeapi/others-run-seconds", pod->others_run_us);
    set_number(tree, "fakeapi/others-exit-code", pod->others_exit);
    set_number(tree, "fakeapi/fail-times", pod->failures);
    set_flag(tree, "fakeapi/log-gone", pod->log_gone);
    set_flag(tree, "fakeapi/status-missing", pod->status_missing);
    return tree;
}

bool pods_script(struct stage *stage, struct error *err)
{
    const struct scenario *scenario = stage->scenario;
    struct json_object *list = json_object_new_array();
    char *body;
    bool ok = true;

    for (size_t i = 0; i < scenario->pod_count; i++) {
        struct json_object *script = json_object_new_object();

        json_set_text(script, "label", AGENT_LABEL);
        json_set_text(script, "value", scenario->pods[i].agent);
        json_set_int64(script, "first", scenario->pods[i].first);
        json_set(script, "annotations", annotations_of(&scenario->pods[i]));
        json_add(list, script);
    }
    body = json_to_text(list, NULL);
    if (scenario->pod_count > 0)
        ok = stage_admin(stage, "POST", "/pods", body, NULL, err);
    free(body);
    (void)json_object_put(list);
    return ok;
}
