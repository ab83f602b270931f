/* json - throughput of the JSON and YAML gates over a list of Agents as an API server sends it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "controller/base/json.h"
#include "controller/base/yaml.h"

#define AGENT_COUNT 2000
#define BYTES_MAX ((size_t)64 << 20)

/* Each thing is done again and again for at least this long. */
#define SECONDS_MIN 0.5

static const char agent_format[] =
    "{\"apiVersion\":\"agents.example.io/v1alpha1\",\"kind\":\"Agent\",\"metadata\":{"
    "\"name\":\"agent-%05d\",\"namespace\":\"team-%d\",\"uid\":\"6f1e2f0c-5a3b-4c8d-9e7f-0123456%"
    "05d\","
    "\"resourceVersion\":\"%d\",\"generation\":1,\"creationTimestamp\":\"2024-02-29T12:00:00Z\","
    "\"labels\":{\"app.kubernetes.io/name\":\"agent\",\"app.kubernetes.io/"
    "managed-by\":\"spawner\"},"
    "\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"{\\\"apiVersion\\\":"
    "\\\"agents.example.io/v1alpha1\\\",\\\"kind\\\":\\\"Agent\\\",\\\"spec\\\":{}}\\n\"},"
    "\"managedFields\":[{\"manager\":\"kubectl\",\"operation\":\"Update\",\"fieldsType\":"
    "\"FieldsV1\","
    "\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:app.kubernetes.io/name\":{}}},"
    "\"f:spec\":{\"f:prompt\":{},\"f:model\":{},\"f:timeoutSeconds\":{}}}}]},"
    "\"spec\":{\"station\":\"default\",\"model\":\"large-2\",\"timeoutSeconds\":3600,"
    "\"prompt\":\"Read the issue below and propose a change. Keep to the style of the code around "
    "it, add a test that fails without it, and say in two sentences what you did not do.\\n\\n"
    "Issue %d: na\xc3\xafve parser accepts a trailing comma\"},"
    "\"status\":{\"phase\":\"Running\",\"startTime\":\"2024-02-29T12:00:05Z\","
    "\"observedGeneration\":1,"
    "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":"
    "\"2024-02-29T12:00:05Z\",\"reason\":\"JobStarted\",\"message\":\"\"}],\"cost\":0.%03d}}";

static void make_list(struct buffer *list)
{
    buffer_append_text(list,
                       "{\"kind\":\"AgentList\",\"apiVersion\":\"agents.example.io/v1alpha1\","
                       "\"metadata\":{\"resourceVersion\":\"123456\"},\"items\":[");
    for (int i = 0; i < AGENT_COUNT; i++) {
        if (i > 0)
            buffer_append_char(list, ',');
        buffer_append_format(list, agent_format, i, i % 7, i, 1000 + i, i, i % 1000);
    }
    buffer_append_text(list, "]}\n");
}

struct subject {
    struct buffer list;
    struct buffer out;
    struct buffer yaml;
    struct json_object *tree;
};

/* Of this process alone: the machine may be busy. */
static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(const char *name, void (*run)(struct subject *subject), struct subject *subject,
                    size_t size)
{
    double start = now_seconds();
    double seconds;
    unsigned runs = 0;

    do {
        run(subject);
        runs++;
        seconds = now_seconds() - start;
    } while (seconds < SECONDS_MIN);
    printf("%-12s %8.1f MB/s  %8.2f ms for %.1f MB\n", name, (double)size * runs / seconds / 1e6,
           seconds / runs * 1e3, (double)size / 1e6);
}

static void run_check(struct subject *subject)
{
    if (!json_check(subject->list.bytes, subject->list.size, BYTES_MAX, NULL))
        abort();
}

static void run_parse(struct subject *subject)
{
    struct json_object *tree;

    if (!json_parse(subject->list.bytes, subject->list.size, BYTES_MAX, &tree, NULL))
        abort();
    json_object_put(tree);
}

static void run_append(struct subject *subject)
{
    buffer_clear(&subject->out);
    json_append(&subject->out, subject->tree);
    assert(subject->out.size + 1 == subject->list.size);
}

/* As the list of a pager: each item for itself. */
static void run_parse_items(struct subject *subject)
{
    struct json_slice list = {.bytes = subject->list.bytes, .size = subject->list.size};
    struct json_slice items = json_slice_get(list, "items");
    struct json_slice item;
    size_t next = 0;

    while (json_slice_next(items, &next, &item)) {
        struct json_object *tree;

        if (!json_parse(item.bytes, item.size, BYTES_MAX, &tree, NULL))
            abort();
        json_object_put(tree);
    }
}

static void run_append_item(struct subject *subject)
{
    struct json_object *item = json_object_array_get_idx(json_get(subject->tree, "items"), 0);

    buffer_clear(&subject->out);
    while (subject->out.size < subject->list.size)
        json_append(&subject->out, item);
}

/* Each item's name, as a pager needs it. */
static void run_slices(struct subject *subject)
{
    struct json_slice list = {.bytes = subject->list.bytes, .size = subject->list.size};
    struct json_slice items = json_slice_get(list, "items");
    struct json_slice item;
    size_t next = 0;
    size_t named = 0;

    while (json_slice_next(items, &next, &item)) {
        struct json_slice name = json_slice_get(json_slice_get(item, "metadata"), "name");

        named += name.size == sizeof("\"agent-00000\"") - 1 ? 1 : 0;
    }
    assert(named == AGENT_COUNT);
}

static void run_yaml_append(struct subject *subject)
{
    buffer_clear(&subject->yaml);
    yaml_append(&subject->yaml, subject->tree);
}

static void run_yaml_parse(struct subject *subject)
{
    struct yaml_document *document;

    if (!yaml_parse(subject->yaml.bytes, subject->yaml.size, BYTES_MAX, &document, NULL, NULL,
                    NULL))
        abort();
    yaml_free(document);
}

int main(void)
{
    struct subject subject = {.list = BUFFER_INIT(BYTES_MAX),
                              .out = BUFFER_INIT(BYTES_MAX),
                              .yaml = BUFFER_INIT(BYTES_MAX)};

    make_list(&subject.list);
    if (!json_parse(subject.list.bytes, subject.list.size, BYTES_MAX, &subject.tree, NULL))
        abort();
    run_yaml_append(&subject);
    measure("json_check", run_check, &subject, subject.list.size);
    measure("json_parse", run_parse, &subject, subject.list.size);
    measure("json_append", run_append, &subject, subject.list.size);
    measure("parse items", run_parse_items, &subject, subject.list.size);
    measure("append item", run_append_item, &subject, subject.list.size);
    measure("json_slice", run_slices, &subject, subject.list.size);
    measure("yaml_append", run_yaml_append, &subject, subject.yaml.size);
    measure("yaml_parse", run_yaml_parse, &subject, subject.yaml.size);
    json_object_put(subject.tree);
    buffer_release(&subject.list);
    buffer_release(&subject.out);
    buffer_release(&subject.yaml);
    return 0;
}
