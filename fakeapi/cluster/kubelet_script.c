/* kubelet_script - what a pod will do. */
#include "fakeapi/cluster/kubelet_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

#define EXIT_CODE_MAX 255

struct kubelet_script kubelet_script_copy(const struct kubelet_script *script)
{
    struct kubelet_script copy = *script;

    copy.log = xstrdup(script->log);
    copy.container = xstrdup(script->container);
    copy.message = xstrdup(script->message);
    return copy;
}

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

void kubelet_script_release(struct kubelet_script *script)
{
    free_text(script->log);
    free_text(script->container);
    free_text(script->message);
    script->message = NULL;
    script->log = NULL;
    script->container = NULL;
}

/* "2", "0.25" */
static void annotate_seconds(const struct json_object *annotations, const char *key, int64_t *us)
{
    const char *text = json_get_text(annotations, key);
    char *end;
    double seconds;

    if (text_is_empty(text) || strspn(text, "0123456789.") != strlen(text))
        return;
    seconds = strtod(text, &end);
    if (*end == '\0' && seconds <= KUBELET_SECONDS_MAX)
        *us = llround(seconds * (double)US_PER_SECOND);
}

static void annotate_text(const struct json_object *annotations, const char *key, const char **text)
{
    const char *value = json_get_text(annotations, key);

    if (value == NULL)
        return;
    free_text(*text);
    *text = xstrdup(value);
}

static void annotate_flag(const struct json_object *annotations, const char *key, bool *flag)
{
    const char *text = json_get_text(annotations, key);

    if (text != NULL)
        *flag = strcmp(text, "true") == 0;
}

static void annotate_ending(const struct json_object *annotations, enum kubelet_ending *ending)
{
    static const char *const names[] = {
        [KUBELET_EXITS] = "exit",
        [KUBELET_HANGS] = "hang",
        [KUBELET_OUT_OF_MEMORY] = "oom",
        [KUBELET_EVICTED] = "evict",
        [KUBELET_IMAGE_PULL_FAILS] = "image-pull",
        [KUBELET_NEVER_SCHEDULED] = "unschedulable",
        [KUBELET_NODE_LOST] = "node-lost",
    };
    const char *text = json_get_text(annotations, "fakeapi/ending");

    for (size_t i = 0; text != NULL && i < ARRAY_SIZE(names); i++)
        if (strcmp(text, names[i]) == 0)
            *ending = (enum kubelet_ending)i;
}

static void annotate_number(const struct json_object *annotations, const char *key, int64_t most,
                            int64_t *number)
{
    const char *text = json_get_text(annotations, key);
    int64_t value;

    if (text != NULL && text_to_int64(text, &value) && value >= 0 && value <= most)
        *number = value;
}

/* The log of the annotations, so many times over. */
static void annotate_log(const struct json_object *annotations, const char **log)
{
    struct buffer text = BUFFER_INIT(KUBELET_SCRIPT_LOG_BYTES_MAX);
    struct error err = ERROR_INIT;
    int64_t times = 1;

    annotate_text(annotations, "fakeapi/log", log);
    annotate_number(annotations, "fakeapi/log-times", INT32_MAX, &times);
    if (times <= 1 || text_is_empty(json_get_text(annotations, "fakeapi/log")))
        return;
    for (int64_t i = 0; i < times && buffer_check(&text, &err); i++)
        buffer_append_text(&text, *log);
    if (buffer_check(&text, &err)) {
        free_text(*log);
        *log = buffer_take(&text, NULL);
    }
    buffer_release(&text);
}

void kubelet_script_annotate(struct kubelet_script *script, const struct json_object *annotations)
{
    annotate_seconds(annotations, "fakeapi/start-seconds", &script->start_us);
    annotate_seconds(annotations, "fakeapi/run-seconds", &script->run_us);
    annotate_seconds(annotations, "fakeapi/stop-seconds", &script->stop_us);
    annotate_seconds(annotations, "fakeapi/ready-seconds", &script->ready_us);
    annotate_seconds(annotations, "fakeapi/init-seconds", &script->init_us);
    annotate_seconds(annotations, "fakeapi/recover-seconds", &script->recover_us);
    annotate_seconds(annotations, "fakeapi/node-gone-seconds", &script->node_gone_us);
    annotate_seconds(annotations, "fakeapi/log-every-seconds", &script->log_every_us);
    annotate_seconds(annotations, "fakeapi/log-late-seconds", &script->log_late_us);
    annotate_seconds(annotations, "fakeapi/others-run-seconds", &script->others_run_us);
    annotate_number(annotations, "fakeapi/others-exit-code", EXIT_CODE_MAX,
                    &script->others_exit_code);
    annotate_number(annotations, "fakeapi/exit-code", EXIT_CODE_MAX, &script->exit_code);
    annotate_number(annotations, "fakeapi/init-exit-code", EXIT_CODE_MAX, &script->init_exit_code);
    annotate_number(annotations, "fakeapi/fail-times", INT32_MAX, &script->fail_times);
    annotate_log(annotations, &script->log);
    annotate_text(annotations, "fakeapi/termination-message", &script->message);
    annotate_text(annotations, "fakeapi/container", &script->container);
    annotate_ending(annotations, &script->ending);
    annotate_flag(annotations, "fakeapi/log-gone", &script->log_gone);
    annotate_flag(annotations, "fakeapi/status-missing", &script->status_missing);
}
