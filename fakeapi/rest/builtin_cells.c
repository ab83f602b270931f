/* builtin_cells - one function per kind: what kubectl get shows of it. */
#include "fakeapi/rest/builtin_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/event_form.h"

/* Most bytes of one cell that is joined from parts. */
#define CELL_BYTES_MAX ((size_t)16 * 1024)

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static size_t member_count(const struct json_object *object)
{
    return json_is(object, json_type_object) ? (size_t)json_object_object_length(object) : 0;
}

void cells_add_map(struct cells *cells, struct json_object *map)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);
    struct sorted_keys names = {NULL, 0};

    if (json_is(map, json_type_object))
        names = sorted_keys_of(map);
    for (size_t i = 0; i < names.count; i++)
        buffer_append_format(&text, "%s%s=%s", i > 0 ? "," : "", names.items[i],
                             text_or(json_get_text(map, names.items[i]), ""));
    cells_add_or_none(cells, buffer_text(&text));
    sorted_keys_release(&names);
    buffer_release(&text);
}

void cells_add_members(struct cells *cells, const struct json_object *list, const char *name)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; i < list_count(list); i++)
        buffer_append_format(&text, "%s%s", i > 0 ? "," : "",
                             text_or(json_get_text(json_object_array_get_idx(list, i), name), ""));
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

/* --- jobs (L18) --- */

static const char *job_status(const struct json_object *tree)
{
    static const char *const before_deleting[][2] = {
        {"Complete", "Complete"},
        {"Failed",   "Failed"  }
    };
    static const char *const after[][2] = {
        {"Suspended",     "Suspended"    },
        {"FailureTarget", "FailureTarget"}
    };
    const struct json_object *status = json_get(tree, "status");

    for (size_t i = 0; i < ARRAY_SIZE(before_deleting); i++)
        if (cells_has_condition(status, before_deleting[i][0]))
            return before_deleting[i][1];
    if (json_get(json_get(tree, "metadata"), "deletionTimestamp") != NULL)
        return "Terminating";
    for (size_t i = 0; i < ARRAY_SIZE(after); i++)
        if (cells_has_condition(status, after[i][0]))
            return after[i][1];
    return "Running";
}

static void add_job_duration(struct cells *cells, const struct json_object *status)
{
    const char *started = json_get_text(status, "startTime");
    const char *completed = json_get_text(status, "completionTime");
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);
    int64_t started_us;
    int64_t completed_us;

    if (started == NULL || !time_parse(started, &started_us)) {
        cells_add_text(cells, "");
    } else if (completed == NULL || !time_parse(completed, &completed_us)) {
        cells_add_age_within(cells, "", started_us, "");
    } else {
        cells_append_age(&text, started_us, completed_us);
        cells_add_text(cells, buffer_text(&text));
    }
    buffer_release(&text);
}

void cells_job(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");
    struct json_object *containers = json_walk(spec, "template", "spec", "containers", NULL);
    int64_t succeeded = json_get_int64(status, "succeeded", 0);
    int64_t parallelism = json_get_int64(spec, "parallelism", 1);

    cells_add_name(cells, tree);
    cells_add_text(cells, job_status(tree));
    if (json_get(spec, "completions") != NULL)
        cells_add_format(cells, "%" PRId64 "/%" PRId64, succeeded,
                         json_get_int64(spec, "completions", 0));
    else if (parallelism > 1)
        cells_add_format(cells, "%" PRId64 "/1 of %" PRId64, succeeded, parallelism);
    else
        cells_add_format(cells, "%" PRId64 "/1", succeeded);
    add_job_duration(cells, status);
    cells_add_created(cells, tree);
    cells_add_members(cells, containers, "name");
    cells_add_members(cells, containers, "image");
    cells_add_map(cells, json_walk(spec, "selector", "matchLabels", NULL));
}

void cells_cron_job(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");
    struct json_object *containers =
        json_walk(spec, "jobTemplate", "spec", "template", "spec", "containers", NULL);
    const char *last = json_get_text(status, "lastScheduleTime");

    cells_add_name(cells, tree);
    cells_add_text(cells, text_or(json_get_text(spec, "schedule"), ""));
    cells_add_or_none(cells, json_get_text(spec, "timeZone"));
    cells_add_text(cells, json_get_bool(spec, "suspend", false) ? "True" : "False");
    cells_add_number(cells, (int64_t)list_count(json_get_array(status, "active")));
    if (last == NULL)
        cells_add_text(cells, "<none>");
    else
        cells_add_age(cells, last);
    cells_add_created(cells, tree);
    cells_add_members(cells, containers, "name");
    cells_add_members(cells, containers, "image");
    cells_add_map(cells, json_walk(spec, "jobTemplate", "spec", "selector", "matchLabels", NULL));
}

/* --- the others (L19) --- */

void cells_namespace(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_text(cells, text_or(json_get_text(json_get(tree, "status"), "phase"), ""));
    cells_add_created(cells, tree);
}

void cells_secret(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_text(cells, text_or(json_get_text(tree, "type"), ""));
    cells_add_number(cells, (int64_t)member_count(json_get(tree, "data")));
    cells_add_created(cells, tree);
}

void cells_config_map(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_number(cells, (int64_t)(member_count(json_get(tree, "data")) +
                                      member_count(json_get(tree, "binaryData"))));
    cells_add_created(cells, tree);
}

static void add_ports(struct cells *cells, const struct json_object *ports)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; i < list_count(ports); i++) {
        const struct json_object *port = json_object_array_get_idx(ports, i);
        int64_t node_port = json_get_int64(port, "nodePort", 0);

        buffer_append_format(&text, "%s%" PRId64, i > 0 ? "," : "",
                             json_get_int64(port, "port", 0));
        if (node_port > 0)
            buffer_append_format(&text, ":%" PRId64, node_port);
        buffer_append_format(&text, "/%s", text_or(json_get_text(port, "protocol"), "TCP"));
    }
    cells_add_or_none(cells, buffer_text(&text));
    buffer_release(&text);
}

static void append_text(struct buffer *texts, const char *text)
{
    if (text_is_empty(text))
        return;
    if (texts->size > 0)
        buffer_append_char(texts, ',');
    buffer_append_text(texts, text);
}

static void add_external_addresses(struct cells *cells, const struct json_object *tree,
                                   const char *type)
{
    const struct json_object *spec = json_get(tree, "spec");
    struct json_object *given = json_get_array(spec, "externalIPs");
    struct json_object *balanced = json_walk(tree, "status", "loadBalancer", "ingress", NULL);
    bool balancer = strcmp(type, "LoadBalancer") == 0;
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; balancer && i < list_count(balanced); i++) {
        const struct json_object *item = json_object_array_get_idx(balanced, i);

        append_text(&text, text_or(json_get_text(item, "ip"), json_get_text(item, "hostname")));
    }
    for (size_t i = 0; i < list_count(given); i++)
        append_text(&text, json_text(json_object_array_get_idx(given, i)));
    if (strcmp(type, "ExternalName") == 0)
        cells_add_text(cells, text_or(json_get_text(spec, "externalName"), ""));
    else
        cells_add_text(cells,
                       text.size > 0 ? buffer_text(&text) : (balancer ? "<pending>" : "<none>"));
    buffer_release(&text);
}

void cells_service(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const char *type = text_or(json_get_text(spec, "type"), "ClusterIP");

    cells_add_name(cells, tree);
    cells_add_text(cells, type);
    cells_add_or_none(cells, json_get_text(spec, "clusterIP"));
    add_external_addresses(cells, tree, type);
    add_ports(cells, json_get_array(spec, "ports"));
    cells_add_created(cells, tree);
    cells_add_map(cells, json_get(spec, "selector"));
}

void cells_service_account(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_number(cells, (int64_t)list_count(json_get_array(tree, "secrets")));
    cells_add_created(cells, tree);
}

static void add_node_status(struct cells *cells, const struct json_object *tree)
{
    struct json_object *conditions = json_get_array(json_get(tree, "status"), "conditions");
    const char *status = "Unknown";

    for (size_t i = 0; i < list_count(conditions); i++) {
        struct json_object *item = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(item, "type"), "Ready"))
            status = text_equal(json_get_text(item, "status"), "True") ? "Ready" : "NotReady";
    }
    cells_add_format(
        cells, "%s%s", status,
        json_get_bool(json_get(tree, "spec"), "unschedulable", false) ? ",SchedulingDisabled" : "");
}

static void add_node_roles(struct cells *cells, struct json_object *labels)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    if (member_count(labels) > 0) {
        struct json_object_iterator at = json_object_iter_begin(labels);
        struct json_object_iterator end = json_object_iter_end(labels);

        for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
            const char *name = json_object_iter_peek_name(&at);

            if (text_starts_with(name, prefix)) /* stored labels are sorted */
                buffer_append_format(&text, "%s%s", text.size > 0 ? "," : "",
                                     name + sizeof(prefix) - 1);
        }
    }
    cells_add_or_none(cells, buffer_text(&text));
    buffer_release(&text);
}

static void add_node_address(struct cells *cells, const struct json_object *status,
                             const char *type)
{
    struct json_object *addresses = json_get_array(status, "addresses");

    for (size_t i = 0; i < list_count(addresses); i++) {
        struct json_object *item = json_object_array_get_idx(addresses, i);

        if (text_equal(json_get_text(item, "type"), type)) {
            cells_add_or_none(cells, json_get_text(item, "address"));
            return;
        }
    }
    cells_add_or_none(cells, NULL);
}

void cells_node(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *status = json_get(tree, "status");
    const struct json_object *info = json_get(status, "nodeInfo");

    cells_add_name(cells, tree);
    add_node_status(cells, tree);
    add_node_roles(cells, json_walk(tree, "metadata", "labels", NULL));
    cells_add_created(cells, tree);
    cells_add_text(cells, text_or(json_get_text(info, "kubeletVersion"), ""));
    add_node_address(cells, status, "InternalIP");
    add_node_address(cells, status, "ExternalIP");
    cells_add_text(cells, text_or(json_get_text(info, "osImage"), "<unknown>"));
    cells_add_text(cells, text_or(json_get_text(info, "kernelVersion"), "<unknown>"));
    cells_add_text(cells, text_or(json_get_text(info, "containerRuntimeVersion"), "<unknown>"));
}

static void add_event_object(struct cells *cells, const struct json_object *object)
{
    char kind[64] = "";
    const char *written = text_or(json_get_text(object, "kind"), "");

    for (size_t i = 0; written[i] != '\0' && i + 1 < sizeof(kind); i++)
        kind[i] = (char)(written[i] >= 'A' && written[i] <= 'Z' ? written[i] + 32 : written[i]);
    cells_add_format(cells, "%s/%s", kind, text_or(json_get_text(object, "name"), ""));
}

/* "component, host"; newer Events say it elsewhere. */
static void add_event_source(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *source = json_get(tree, "source");
    const char *component = json_get_text(source, "component");
    const char *host = json_get_text(source, "host");

    if (text_is_empty(component))
        component = json_get_text(tree, "reportingComponent");
    if (text_is_empty(host))
        host = json_get_text(tree, "reportingInstance");
    cells_add_format(cells, "%s%s%s", text_or(component, ""), text_is_empty(host) ? "" : ", ",
                     text_or(host, ""));
}

void cells_event(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *object = json_get(tree, "involvedObject");
    const struct json_object *series = json_get_object(tree, "series");
    const char *first = json_get_text(tree, "firstTimestamp");
    const char *last = json_get_text(tree, "lastTimestamp");
    int64_t count = json_get_int64(series != NULL ? series : tree, "count", 0);

    if (first == NULL)
        first = json_get_text(tree, "eventTime");
    if (last == NULL)
        last = first;
    if (series != NULL)
        last = json_get_text(series, "lastObservedTime");
    cells_add_age(cells, last);
    cells_add_text(cells, text_or(json_get_text(tree, "type"), ""));
    cells_add_text(cells, text_or(json_get_text(tree, "reason"), ""));
    add_event_object(cells, object);
    cells_add_text(cells, text_or(json_get_text(object, "fieldPath"), ""));
    add_event_source(cells, tree);
    cells_add_text(cells, text_or(json_get_text(tree, "message"), ""));
    cells_add_age(cells, first);
    cells_add_number(cells, count == 0 && series == NULL ? 1 : count);
    cells_add_name(cells, tree);
}

void cells_new_event(struct cells *cells, const struct json_object *tree)
{
    struct json_object *copy = json_copy(tree);

    event_form_store(copy);
    cells_event(cells, copy);
    json_object_put(copy);
}

void cells_lease(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_text(cells, text_or(json_get_text(json_get(tree, "spec"), "holderIdentity"), ""));
    cells_add_created(cells, tree);
}

/* "pods: 1/4, secrets: 0/2" of the limits, or of all else; hard has its names in order. */
static void add_usage(struct cells *cells, const struct json_object *status, bool of_limits)
{
    struct json_object *hard = json_get_object(status, "hard");
    const struct json_object *used = json_get(status, "used");
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (hard != NULL) {
        at = json_object_iter_begin(hard);
        end = json_object_iter_end(hard);
        for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
            const char *name = json_object_iter_peek_name(&at);

            if (text_starts_with(name, "limits.") == of_limits)
                buffer_append_format(&text, "%s%s: %s/%s", text.size > 0 ? ", " : "", name,
                                     text_or(json_get_text(used, name), "0"),
                                     text_or(json_text(json_object_iter_peek_value(&at)), "0"));
        }
    }
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

void cells_resource_quota(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *status = json_get(tree, "status");

    cells_add_name(cells, tree);
    add_usage(cells, status, false);
    add_usage(cells, status, true);
    cells_add_created(cells, tree);
}

void cells_created_at(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_text(cells,
                   text_or(json_get_text(json_get(tree, "metadata"), "creationTimestamp"), ""));
}

static void add_subjects(struct cells *cells, const struct json_object *subjects, const char *kind)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; i < list_count(subjects); i++) {
        const struct json_object *item = json_object_array_get_idx(subjects, i);
        const char *namespace = json_get_text(item, "namespace");

        if (!text_equal(json_get_text(item, "kind"), kind))
            continue;
        buffer_append_format(&text, "%s%s%s%s", text.size > 0 ? ", " : "", text_or(namespace, ""),
                             text_is_empty(namespace) ? "" : "/",
                             text_or(json_get_text(item, "name"), ""));
    }
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

void cells_role_binding(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *role = json_get(tree, "roleRef");
    const struct json_object *subjects = json_get_array(tree, "subjects");

    cells_add_name(cells, tree);
    cells_add_format(cells, "%s/%s", text_or(json_get_text(role, "kind"), ""),
                     text_or(json_get_text(role, "name"), ""));
    cells_add_created(cells, tree);
    add_subjects(cells, subjects, "User");
    add_subjects(cells, subjects, "Group");
    add_subjects(cells, subjects, "ServiceAccount");
}
