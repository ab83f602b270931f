/* pod_cells - what kubectl get shows of a pod (WIRE.md L17). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/builtin_cells.h"

/* Most bytes of a status. */
#define STATUS_BYTES_MAX ((size_t)16 * 1024)

struct restarts {
    int64_t count;
    int64_t last_us; /* 0: never, or unknown */
};

struct pod_summary {
    char status[256];
    size_t containers; /* sidecars too */
    size_t ready;
    struct restarts restarts;
    bool running;
};

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static void set_status(struct pod_summary *summary, const char *format, ...) PRINTF_LIKE(2, 3);

static void set_status(struct pod_summary *summary, const char *format, ...)
{
    struct buffer text = BUFFER_INIT(STATUS_BYTES_MAX);
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    memset(summary->status, 0, sizeof(summary->status));
    strncpy(summary->status, buffer_text(&text), sizeof(summary->status) - 1);
    buffer_release(&text);
}

static void count_restarts(struct restarts *restarts, const struct json_object *container)
{
    const char *finished =
        json_text(json_walk(container, "lastState", "terminated", "finishedAt", NULL));
    int64_t at_us;

    restarts->count += json_get_int64(container, "restartCount", 0);
    if (finished != NULL && time_parse(finished, &at_us) && at_us > restarts->last_us)
        restarts->last_us = at_us;
}

/* --- init containers --- */

/* Whether the spec makes an init container of that name a sidecar. */
static bool is_sidecar(const struct json_object *spec, const char *name)
{
    const struct json_object *init = json_get_array(spec, "initContainers");

    for (size_t i = 0; i < list_count(init); i++) {
        const struct json_object *item = json_object_array_get_idx(init, i);

        if (text_equal(json_get_text(item, "name"), name))
            return text_equal(json_get_text(item, "restartPolicy"), "Always");
    }
    return false;
}

static void name_init_status(struct pod_summary *summary, const struct json_object *container,
                             size_t index, size_t count)
{
    const struct json_object *state = json_get(container, "state");
    const struct json_object *ended = json_get(state, "terminated");
    const char *waiting = json_get_text(json_get(state, "waiting"), "reason");

    if (ended != NULL && !text_is_empty(json_get_text(ended, "reason")))
        set_status(summary, "Init:%s", json_get_text(ended, "reason"));
    else if (ended != NULL && json_get_int64(ended, "signal", 0) != 0)
        set_status(summary, "Init:Signal:%" PRId64, json_get_int64(ended, "signal", 0));
    else if (ended != NULL)
        set_status(summary, "Init:ExitCode:%" PRId64, json_get_int64(ended, "exitCode", 0));
    else if (!text_is_empty(waiting) && strcmp(waiting, "PodInitializing") != 0)
        set_status(summary, "Init:%s", waiting);
    else
        set_status(summary, "Init:%zu/%zu", index, count);
}

/* An init container that holds the pod up names its status. False: all are done, or are sidecars
 * that have started. */
static bool sum_up_init(struct pod_summary *summary, const struct json_object *spec,
                        const struct json_object *statuses, struct restarts *sidecars)
{
    size_t count = list_count(json_get_array(spec, "initContainers"));

    for (size_t i = 0; i < list_count(statuses); i++) {
        const struct json_object *container = json_object_array_get_idx(statuses, i);
        const struct json_object *ended = json_walk(container, "state", "terminated", NULL);
        bool sidecar = is_sidecar(spec, json_get_text(container, "name"));

        count_restarts(&summary->restarts, container);
        if (sidecar)
            count_restarts(sidecars, container);
        if (ended != NULL && json_get_int64(ended, "exitCode", 0) == 0)
            continue;
        if (sidecar && json_get_bool(container, "started", false)) {
            summary->ready += json_get_bool(container, "ready", false) ? 1 : 0;
            continue;
        }
        name_init_status(summary, container, i, count);
        return true;
    }
    return false;
}

/* --- containers --- */

static void sum_up_container(struct pod_summary *summary, const struct json_object *container)
{
    const struct json_object *state = json_get(container, "state");
    const struct json_object *ended = json_get(state, "terminated");
    const char *waiting = json_get_text(json_get(state, "waiting"), "reason");

    count_restarts(&summary->restarts, container);
    if (!text_is_empty(waiting))
        set_status(summary, "%s", waiting);
    else if (!text_is_empty(json_get_text(ended, "reason")))
        set_status(summary, "%s", json_get_text(ended, "reason"));
    else if (ended != NULL && json_get_int64(ended, "signal", 0) != 0)
        set_status(summary, "Signal:%" PRId64, json_get_int64(ended, "signal", 0));
    else if (ended != NULL)
        set_status(summary, "ExitCode:%" PRId64, json_get_int64(ended, "exitCode", 0));
    else if (json_get_bool(container, "ready", false) && json_get(state, "running") != NULL) {
        summary->ready++;
        summary->running = true;
    }
}

static size_t count_containers(const struct json_object *spec)
{
    const struct json_object *init = json_get_array(spec, "initContainers");
    size_t count = list_count(json_get_array(spec, "containers"));

    for (size_t i = 0; i < list_count(init); i++)
        if (text_equal(json_get_text(json_object_array_get_idx(init, i), "restartPolicy"),
                       "Always"))
            count++;
    return count;
}

static void sum_up_pod(const struct json_object *tree, struct pod_summary *summary)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");
    const struct json_object *containers = json_get_array(status, "containerStatuses");
    struct restarts sidecars = {.count = 0};

    summary->containers = count_containers(spec);
    set_status(summary, "%s", text_or(json_get_text(status, "phase"), ""));
    if (!text_is_empty(json_get_text(status, "reason")))
        set_status(summary, "%s", json_get_text(status, "reason"));
    if (!sum_up_init(summary, spec, json_get_array(status, "initContainerStatuses"), &sidecars) ||
        cells_has_condition(status, "Initialized")) {
        summary->restarts = sidecars;
        for (size_t i = list_count(containers); i > 0; i--)
            sum_up_container(summary, json_object_array_get_idx(containers, i - 1));
    }
    if (summary->running && strcmp(summary->status, "Completed") == 0)
        set_status(summary, cells_has_condition(status, "Ready") ? "Running" : "NotReady");
    if (json_get(json_get(tree, "metadata"), "deletionTimestamp") != NULL)
        set_status(summary, text_equal(json_get_text(status, "reason"), "NodeLost")
                                ? "Unknown"
                                : "Terminating");
}

/* --- the cells --- */

static void add_restarts(struct cells *cells, const struct restarts *restarts)
{
    char before[32];

    if (restarts->count > 0 && restarts->last_us > 0) {
        snprintf(before, sizeof(before), "%" PRId64 " (", restarts->count);
        cells_add_age_within(cells, before, restarts->last_us, " ago)");
    } else {
        cells_add_format(cells, "%" PRId64, restarts->count);
    }
}

/* "1/2": how many of them hold. */
static void add_readiness_gates(struct cells *cells, const struct json_object *spec,
                                const struct json_object *status)
{
    const struct json_object *gates = json_get_array(spec, "readinessGates");
    size_t count = list_count(gates);
    size_t hold = 0;

    for (size_t i = 0; i < count; i++) {
        const struct json_object *gate = json_object_array_get_idx(gates, i);

        hold +=
            cells_has_condition(status, text_or(json_get_text(gate, "conditionType"), "")) ? 1 : 0;
    }
    if (count == 0)
        cells_add_or_none(cells, NULL);
    else
        cells_add_format(cells, "%zu/%zu", hold, count);
}

void cells_pod(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");
    struct pod_summary summary = {.ready = 0};

    sum_up_pod(tree, &summary);
    cells_add_name(cells, tree);
    cells_add_format(cells, "%zu/%zu", summary.ready, summary.containers);
    cells_add_text(cells, summary.status);
    add_restarts(cells, &summary.restarts);
    cells_add_created(cells, tree);
    cells_add_or_none(cells, json_get_text(status, "podIP"));
    cells_add_or_none(cells, json_get_text(spec, "nodeName"));
    cells_add_or_none(cells, json_get_text(status, "nominatedNodeName"));
    add_readiness_gates(cells, spec, status);
}
