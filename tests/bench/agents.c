/* agents - paths, bodies and whole requests. */
#include "tests/bench/agents.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "tests/bench/http_load.h"

#define GROUP "/apis/agents.re-cinq.com/v1beta1"

static size_t number_of(const struct agents *agents, size_t index)
{
    return agents->first + index * agents->stride % agents->count;
}

void agents_note(void *arg, size_t index, const char *bytes)
{
    static const char member[] = "\"resourceVersion\":\"";
    struct agents *agents = arg;
    const char *at = strstr(bytes, member);

    bench_check(at != NULL, "an answer shows no object");
    agents->versions[number_of(agents, index)] = strtoull(at + sizeof(member) - 1, NULL, 10);
}

void agents_append(struct buffer *out, const struct agents *agents, size_t number, bool is_new)
{
    size_t before = out->size;
    char version[64] = "";

    if (!is_new)
        snprintf(version, sizeof(version), "\"resourceVersion\":\"%" PRIu64 "\",",
                 agents->versions[number]);

    buffer_append_format(
        out,
        "{\"apiVersion\":\"agents.re-cinq.com/v1beta1\",\"kind\":\"Agent\",\"metadata\":{"
        "%s\"name\":\"agent-%08zu\",\"namespace\":\"%s\",\"labels\":{\"app\":\"bench\",\"team\":"
        "\"team-%zu\",\"task\":\"task-%08zu\"},\"annotations\":{\"agents.re-cinq.com/requested-by\""
        ":\"user-%zu@example.com\"},\"managedFields\":[{\"manager\":\"dispatcher\",\"operation\":"
        "\"Update\",\"apiVersion\":\"agents.re-cinq.com/v1beta1\",\"time\":\"2024-05-01T10:00:00Z\""
        ",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:annotations\":{\".\":{},"
        "\"f:agents.re-cinq.com/requested-by\":{}},\"f:labels\":{\".\":{},\"f:app\":{},\"f:team\":"
        "{},\"f:task\":{}}},\"f:spec\":{\".\":{},\"f:branch\":{},\"f:files\":{},\"f:model\":{},"
        "\"f:parameters\":{},\"f:stationRef\":{},\"f:targetRepo\":{},\"f:taskId\":{}}}}]},"
        "\"spec\":{\"stationRef\":\"station-%zu\",\"taskId\":\"task-%08zu\",\"targetRepo\":"
        "\"example/repo-%zu\",\"branch\":\"%s\",\"model\":\"claude-sonnet-4\",\"files\":[{\"path\":"
        "\"docs/a.md\",\"url\":\"https://example.com/files/%08zu/a.md\"},{\"path\":\"docs/b.md\","
        "\"url\":\"https://example.com/files/%08zu/b.md\"}],\"parameters\":{\"issue\":\"%zu\","
        "\"title\":\"mend number %zu\",\"prompt\":\"",
        version, number, agents->namespace, number % 17, number, number % 101, number % 10, number,
        number % 50, is_new ? "main" : "mended", number, number, number, number);
    while (out->size - before < AGENT_BYTES - 4)
        buffer_append_char(out, "read the code, then mend it. "[out->size % 29]);
    buffer_append_text(out, "\"}}}");
}

void agents_path(const struct agents *agents, const char *query, char path[256])
{
    snprintf(path, 256, GROUP "/namespaces/%s/agents%s", agents->namespace, query);
}

static void object_path(const struct agents *agents, size_t index, const char *sub, char path[256])
{
    snprintf(path, 256, GROUP "/namespaces/%s/agents/agent-%08zu%s", agents->namespace,
             number_of(agents, index), sub);
}

static void append_with_agent(struct buffer *out, const char *method, const char *path,
                              const struct agents *agents, size_t number, bool is_new)
{
    struct buffer body = BUFFER_INIT(2 * AGENT_BYTES);

    agents_append(&body, agents, number, is_new);
    load_append_request(out, method, path, "Content-Type: application/json\r\n", body.bytes,
                        body.size);
    buffer_release(&body);
}

void agents_make_create(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    agents_path(arg, "", path);
    append_with_agent(out, "POST", path, arg, number_of(arg, index), true);
}

void agents_make_update(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    append_with_agent(out, "PUT", path, arg, number_of(arg, index), false);
}

void agents_make_get(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    load_append_request(out, "GET", path, "", NULL, 0);
}

void agents_make_delete(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    load_append_request(out, "DELETE", path, "", NULL, 0);
}

void agents_make_patch(void *arg, size_t index, struct buffer *out)
{
    static const char patch[] =
        "{\"status\":{\"phase\":\"Running\",\"jobName\":\"agent-job\",\"startedAt\":"
        "\"2024-05-01T10:00:05Z\",\"sessionId\":\"0123456789abcdef\"}}";
    char path[256];

    object_path(arg, index, "/status", path);
    load_append_request(out, "PATCH", path, "Content-Type: application/merge-patch+json\r\n", patch,
                        sizeof(patch) - 1);
}

static void make_listing(const struct agents *agents, const char *query, const char *headers,
                         struct buffer *out)
{
    char path[256];

    agents_path(agents, query, path);
    load_append_request(out, "GET", path, headers, NULL, 0);
}

static void make_one(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "?limit=1", "", out);
}

void agents_make_page(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "?limit=100", "", out);
}

void agents_make_list(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "", "", out);
}

void agents_make_table(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n", out);
}

/* --- single requests --- */

/* A text that is given whole. */
static void make_given(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    buffer_append_text(out, arg);
}

void agents_ask(uint16_t port, unsigned status, const char *method, const char *path,
                const char *body)
{
    struct buffer text = BUFFER_INIT(64 * 1024);
    struct load load = {
        .port = port, .connections = 1, .count = 1, .status = status, .make = make_given};

    load_append_request(&text, method, path, "Content-Type: application/json\r\n", body,
                        body == NULL ? 0 : strlen(body));
    load.arg = text.bytes;
    (void)load_run(&load, NULL);
    buffer_release(&text);
}

void agents_make_namespace(uint16_t port, const char *name)
{
    char *body = xprintf("{\"metadata\":{\"name\":\"%s\"}}", name);

    agents_ask(port, 201, "POST", "/api/v1/namespaces", body);
    free(body);
}

uint64_t agents_revision(uint16_t port, const struct agents *agents)
{
    uint64_t revision = 0;
    struct agents one = {.namespace = agents->namespace, .count = 1, .versions = &revision};
    struct load load = {.port = port,
                        .connections = 1,
                        .count = 1,
                        .status = 200,
                        .make = make_one,
                        .answered = agents_note,
                        .arg = &one};

    (void)load_run(&load, NULL);
    return revision;
}
