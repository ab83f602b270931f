/* fakeapi - what the API server costs: build/bin/fakeapi in a process of its own, plain HTTP on
 * loopback, asked by one thread of this process.
 *
 * Objects are distinct Agents of 2 KiB with 27 maps, managedFields among them, validated by their
 * shipped definition; clusters' controllers are on, as by default. Rates need the other processor
 * for the client, so the best of several rounds counts; the server's own processor time per
 * operation is printed beside it and does not suffer from a busy machine. Beside it Debian's etcd,
 * where there is one: what of the same it can do, over its JSON gateway. Ends 1 when a bar is
 * missed. Run from the top of the tree. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/bench/child.h"
#include "tests/bench/etcd.h"
#include "tests/bench/http_load.h"

#define SERVER "build/bin/fakeapi"
#define CRDS "controller/deploy/crds"
#define GROUP "/apis/agents.re-cinq.com/v1beta1"
#define CONNECTIONS 32
#define ROUNDS 3
#define ROUND 10000 /* objects of a round, and of the large list */
#define STARTS 10
#define LISTS 7
#define WATCHERS 1000
#define EVENTS 9
#define GROWN_MAX 100000
#define ETCD_COUNT 20000
#define SAMPLES 4000 /* operations of one kind at each size */
#define OBJECT_BYTES 2048

static bool missed;

/* What etcd is compared with. */
struct figures {
    double ready_ms;
    double idle_mib;
    double creates;
    double create_us;
    double gets;
    double get_us;
    double list_ms;
};

/* --- printing --- */

enum sense { AT_LEAST, AT_MOST };

static void show(const char *what, double value, const char *unit, enum sense sense, double bar,
                 double goal, const char *note)
{
    bool met = sense == AT_LEAST ? value >= bar : value <= bar;
    bool reached = sense == AT_LEAST ? value >= goal : value <= goal;

    missed = missed || !met;
    printf("fakeapi  %-28s %8.*f %-4s bar %5.0f: %-6s goal %5.0f: %-3s  %s\n", what,
           value < 1000 ? 1 : 0, value, unit, bar, met ? "met" : "MISSED", goal,
           reached ? "met" : "no", note);
    fflush(stdout);
}

/* --- requests --- */

struct maker {
    const char *namespace;
    size_t first;       /* number of the first object */
    size_t count;       /* objects to choose from; numbers wrap */
    size_t stride;      /* from one to the next, prime to count */
    uint64_t *versions; /* by number: what the server last said */
};

static size_t number_of(const struct maker *maker, size_t index)
{
    return maker->first + index * maker->stride % maker->count;
}

/* Keeps the version of the object that an answer shows. */
static void on_object(void *arg, size_t index, const char *bytes)
{
    static const char member[] = "\"resourceVersion\":\"";
    struct maker *maker = arg;
    const char *at = strstr(bytes, member);

    bench_check(at != NULL, "an answer shows no object");
    maker->versions[number_of(maker, index)] = strtoull(at + sizeof(member) - 1, NULL, 10);
}

/* Without a version when it is to be new. */
static void append_agent(struct buffer *out, const struct maker *maker, size_t number, bool new)
{
    size_t before = out->size;
    char version[64] = "";

    if (!new)
        snprintf(version, sizeof(version), "\"resourceVersion\":\"%" PRIu64 "\",",
                 maker->versions[number]);

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
        version, number, maker->namespace, number % 17, number, number % 101, number % 10, number,
        number % 50, new ? "main" : "mended", number, number, number, number);
    while (out->size - before < OBJECT_BYTES - 4)
        buffer_append_char(out, "read the code, then mend it. "[out->size % 29]);
    buffer_append_text(out, "\"}}}");
}

static void collection_path(const struct maker *maker, char path[256])
{
    snprintf(path, 256, GROUP "/namespaces/%s/agents", maker->namespace);
}

static void object_path(const struct maker *maker, size_t index, const char *sub, char path[256])
{
    snprintf(path, 256, GROUP "/namespaces/%s/agents/agent-%08zu%s", maker->namespace,
             number_of(maker, index), sub);
}

static void append_with_agent(struct buffer *out, const char *method, const char *path,
                              const struct maker *maker, size_t number, bool new)
{
    struct buffer body = BUFFER_INIT(2 * OBJECT_BYTES);

    append_agent(&body, maker, number, new);
    load_append_request(out, method, path, "Content-Type: application/json\r\n", body.bytes,
                        body.size);
    buffer_release(&body);
}

static void make_create(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    collection_path(arg, path);
    append_with_agent(out, "POST", path, arg, number_of(arg, index), true);
}

static void make_update(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    append_with_agent(out, "PUT", path, arg, number_of(arg, index), false);
}

static void make_get(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    load_append_request(out, "GET", path, "", NULL, 0);
}

static void make_delete(void *arg, size_t index, struct buffer *out)
{
    char path[256];

    object_path(arg, index, "", path);
    load_append_request(out, "DELETE", path, "", NULL, 0);
}

static void make_patch(void *arg, size_t index, struct buffer *out)
{
    static const char patch[] =
        "{\"status\":{\"phase\":\"Running\",\"jobName\":\"agent-job\",\"startedAt\":"
        "\"2024-05-01T10:00:05Z\",\"sessionId\":\"0123456789abcdef\"}}";
    char path[256];

    object_path(arg, index, "/status", path);
    load_append_request(out, "PATCH", path, "Content-Type: application/merge-patch+json\r\n", patch,
                        sizeof(patch) - 1);
}

static void make_listing(const struct maker *maker, const char *query, const char *headers,
                         struct buffer *out)
{
    char path[256];

    collection_path(maker, path);
    strcat(path, query);
    load_append_request(out, "GET", path, headers, NULL, 0);
}

static void make_one(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "?limit=1", "", out);
}

static void make_page(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "?limit=100", "", out);
}

static void make_list(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "", "", out);
}

static void make_table(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    make_listing(arg, "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n", out);
}

static bool shows_object(void (*make)(void *arg, size_t index, struct buffer *out))
{
    return make == make_create || make == make_update || make == make_patch;
}

/* A text that is given whole. */
static void make_given(void *arg, size_t index, struct buffer *out)
{
    (void)index;
    buffer_append_text(out, arg);
}

static void run_given(uint16_t port, unsigned status, const char *method, const char *path,
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

static void make_namespace(uint16_t port, const char *name)
{
    char *body = xprintf("{\"metadata\":{\"name\":\"%s\"}}", name);

    run_given(port, 201, "POST", "/api/v1/namespaces", body);
    free(body);
}

/* --- the server --- */

static uint16_t start_server(struct child *child, bool with_crds)
{
    const char *argv[] = {SERVER, "--listen", "127.0.0.1:0", with_crds ? "--load" : NULL,
                          CRDS,   NULL};

    child_start(child, argv);
    return child_read_port(child);
}

static double start_once(bool with_crds, double *ret_mib, double *ret_own_mib)
{
    struct child child;
    uint16_t port = start_server(&child, with_crds);
    double took;

    run_given(port, 200, "GET", "/version", NULL);
    took = bench_seconds() - child.started;
    *ret_mib = child_resident_mib(&child);
    *ret_own_mib = child_own_mib(&child);
    child_stop(&child);
    return took * 1e3;
}

static void bench_start(struct figures *ours)
{
    for (int with_crds = 0; with_crds < 2; with_crds++) {
        double best = 1e9;
        double mib = 0;
        double own_mib = 0;
        char note[96];

        for (size_t i = 0; i < STARTS; i++) {
            double took = start_once(with_crds, &mib, &own_mib);

            best = took < best ? took : best;
        }
        if (!with_crds)
            *ours = (struct figures){.ready_ms = best, .idle_mib = mib};
        show(with_crds ? "ready, with 4 definitions" : "ready", best, "ms", AT_MOST, 50, 5,
             "from fork to the first answer");
        snprintf(note, sizeof(note), "%.1f MiB its own, the rest libraries' files", own_mib);
        show("  then resident", mib, "MiB", AT_MOST, 50, 4, note);
    }
}

/* --- rates --- */

struct rate {
    const char *name;
    void (*make)(void *arg, size_t index, struct buffer *out);
    unsigned status;
    size_t count;
    double bar;
    double goal;
    double best;   /* requests per second */
    double cpu_us; /* of the server, for each */
};

static void run_rate(struct rate *rate, const struct child *child, uint16_t port,
                     struct maker *maker)
{
    struct load load = {.port = port,
                        .connections = CONNECTIONS,
                        .count = rate->count,
                        .status = rate->status,
                        .make = rate->make,
                        .answered = shows_object(rate->make) ? on_object : NULL,
                        .arg = maker};
    double before = child_cpu_us(child);
    double per_second = (double)rate->count / load_run(&load, NULL);
    double cpu_us = (child_cpu_us(child) - before) / (double)rate->count;

    if (per_second > rate->best)
        rate->best = per_second;
    if (rate->cpu_us <= 0 || cpu_us < rate->cpu_us)
        rate->cpu_us = cpu_us;
}

static void show_rates(const struct rate *rates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char note[64];

        snprintf(note, sizeof(note), "server %.1f us each", rates[i].cpu_us);
        show(rates[i].name, rates[i].best, "/s", AT_LEAST, rates[i].bar, rates[i].goal, note);
    }
}

static void bench_rates(const struct child *child, uint16_t port, struct rate *rates, size_t count)
{
    uint64_t *versions = xcalloc(ROUND, sizeof(*versions));

    for (size_t round = 0; round < ROUNDS; round++) {
        char namespace[32];
        struct maker maker = {
            .namespace = namespace, .count = ROUND, .stride = 7, .versions = versions};

        snprintf(namespace, sizeof(namespace), "round-%zu", round);
        make_namespace(port, namespace);
        for (size_t i = 0; i < count; i++)
            if (rates[i].make != make_delete || round > 0)
                run_rate(&rates[i], child, port, &maker);
    }
    show_rates(rates, count);
    free(versions);
}

/* --- lists and watchers --- */

static double best_list(uint16_t port, struct maker *maker,
                        void (*make)(void *arg, size_t index, struct buffer *out), size_t times,
                        uint64_t *ret_bytes)
{
    struct load load = {
        .port = port, .connections = 1, .count = 1, .status = 200, .make = make, .arg = maker};
    double best = 1e9;

    for (size_t i = 0; i < times; i++) {
        double took = load_run(&load, ret_bytes);

        best = took < best ? took : best;
    }
    return best * 1e3;
}

static double bench_lists(const struct child *child, uint16_t port)
{
    struct maker maker = {.namespace = "round-0", .count = ROUND, .stride = 1};
    uint64_t bytes;
    char note[96];
    double before;
    double took;
    double plain = 0;

    for (int table = 0; table < 2; table++) {
        took = best_list(port, &maker, table ? make_table : make_list, 1, NULL);
        snprintf(note, sizeof(note), "the first time %.1f ms", took);
        before = child_cpu_us(child);
        took = best_list(port, &maker, table ? make_table : make_list, LISTS, &bytes);
        snprintf(note + strlen(note), sizeof(note) - strlen(note), ", %.1f MB, server %.1f ms",
                 (double)bytes / 1e6, (child_cpu_us(child) - before) / 1e3 / LISTS);
        plain = table ? plain : took;
        show(table ? "the same as Table" : "LIST of 10,000", took, "ms", AT_MOST, 60, 30, note);
    }
    return plain;
}

static void bench_watchers(const struct child *child, uint16_t port)
{
    struct maker maker = {.namespace = "watched", .count = ROUND, .stride = 1};
    struct load load = {.port = port,
                        .connections = 1,
                        .count = 1,
                        .status = 201,
                        .make = make_create,
                        .arg = &maker};
    double memory = child_resident_mib(child);
    struct watchers *watchers;
    double best = 1e9;
    double before;
    char note[96];
    char path[256];

    make_namespace(port, "watched");
    collection_path(&maker, path);
    strcat(path, "?watch=1");
    watchers = watchers_new(port, WATCHERS, path);
    memory = child_resident_mib(child) - memory;
    before = child_cpu_us(child);
    for (; maker.first < EVENTS; maker.first++) {
        double begun = bench_seconds();
        double took;

        (void)load_run(&load, NULL);
        watchers_await_event(watchers);
        took = bench_seconds() - begun;
        best = took < best ? took : best;
    }
    snprintf(note, sizeof(note), "server %.1f ms; %.1f KiB for each watcher",
             (child_cpu_us(child) - before) / 1e3 / EVENTS, memory * 1024 / WATCHERS);
    show("a write seen by 1,000", best * 1e3, "ms", AT_MOST, 30, 15, note);
    watchers_free(watchers);
}

/* --- costs by size --- */

struct cost {
    const char *name;
    void (*make)(void *arg, size_t index, struct buffer *out);
    unsigned status;
    double cpu_us[3];
};

static const size_t sizes[] = {1000, 10000, GROWN_MAX};

static double cost_of(const struct child *child, uint16_t port, struct maker *maker,
                      const struct cost *cost, size_t count)
{
    struct load load = {.port = port,
                        .connections = 8,
                        .count = count,
                        .status = cost->status,
                        .make = cost->make,
                        .answered = shows_object(cost->make) ? on_object : NULL,
                        .arg = maker};
    double before = child_cpu_us(child);

    (void)load_run(&load, NULL);
    return (child_cpu_us(child) - before) / (double)count;
}

static uint64_t revision_now(uint16_t port, const struct maker *maker)
{
    uint64_t revision = 0;
    struct maker one = {.namespace = maker->namespace, .count = 1, .versions = &revision};
    struct load load = {.port = port,
                        .connections = 1,
                        .count = 1,
                        .status = 200,
                        .make = make_one,
                        .answered = on_object,
                        .arg = &one};

    (void)load_run(&load, NULL);
    return revision;
}

static double cost_of_watches(const struct child *child, uint16_t port, const struct maker *maker)
{
    struct watchers *watchers;
    double before;
    char path[256];

    collection_path(maker, path);
    snprintf(path + strlen(path), sizeof(path) - strlen(path), "?watch=1&resourceVersion=%" PRIu64,
             revision_now(port, maker));
    before = child_cpu_us(child);
    watchers = watchers_new(port, SAMPLES / 4, path);
    before = child_cpu_us(child) - before;
    watchers_free(watchers);
    return before / (SAMPLES / 4);
}

/* Creates up to size, then each operation on objects spread over all; what is created for that is
 * deleted again. */
static void measure_size(const struct child *child, uint16_t port, struct cost *costs,
                         size_t cost_count, size_t at, uint64_t *versions)
{
    size_t stored = at == 0 ? 0 : sizes[at - 1];
    struct maker grow = {.namespace = "grown",
                         .first = stored,
                         .count = sizes[at] - stored,
                         .stride = 1,
                         .versions = versions};
    struct maker spread = {
        .namespace = "grown", .count = sizes[at], .stride = 61, .versions = versions};
    struct maker more = {.namespace = "grown",
                         .first = GROWN_MAX,
                         .count = SAMPLES,
                         .stride = 1,
                         .versions = versions};

    (void)cost_of(child, port, &grow, &costs[0], grow.count);
    if (sizes[at] == GROWN_MAX)
        show("resident with 100,000", child_resident_mib(child), "MiB", AT_MOST, 400, 300, "");
    for (size_t i = 0; i < cost_count; i++) {
        bool own = costs[i].make == make_create || costs[i].make == make_delete;

        costs[i].cpu_us[at] = costs[i].make == NULL
                                  ? cost_of_watches(child, port, &spread)
                                  : cost_of(child, port, own ? &more : &spread, &costs[i],
                                            costs[i].make == make_page ? SAMPLES / 10 : SAMPLES);
    }
}

static void bench_growth(void)
{
    struct cost costs[] = {
        {"create",              make_create, 201, {0}},
        {"get",                 make_get,    200, {0}},
        {"update",              make_update, 200, {0}},
        {"status patch",        make_patch,  200, {0}},
        {"list, page of 100",   make_page,   200, {0}},
        {"delete",              make_delete, 200, {0}},
        {"watch, with connect", NULL,        200, {0}},
    };
    struct child child;
    uint16_t port = start_server(&child, true);
    uint64_t *versions = xcalloc(GROWN_MAX + SAMPLES, sizeof(*versions));

    make_namespace(port, "grown");
    for (size_t at = 0; at < ARRAY_SIZE(sizes); at++)
        measure_size(&child, port, costs, ARRAY_SIZE(costs), at, versions);
    free(versions);
    child_stop(&child);
    printf("fakeapi  %-28s %9s %9s %9s   server us each, with so many stored\n", "costs by size",
           "1,000", "10,000", "100,000");
    for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
        double growth = costs[i].cpu_us[2] / costs[i].cpu_us[0];

        missed = missed || growth > 1.5;
        printf("fakeapi    %-26s %9.1f %9.1f %9.1f   %.2f times, bar 1.5: %s\n", costs[i].name,
               costs[i].cpu_us[0], costs[i].cpu_us[1], costs[i].cpu_us[2], growth,
               growth > 1.5 ? "MISSED" : "met");
    }
}

/* --- etcd beside it --- */

static void append_value(struct buffer *out, size_t index)
{
    const struct maker maker = {.namespace = "bench", .count = 1};

    append_agent(out, &maker, index, true);
}

static void show_ratio(const char *what, double ours, double theirs, const char *unit, bool rate)
{
    printf("etcd     %-28s %8.*f %-4s fakeapi %.1f times as %s\n", what, theirs < 1000 ? 1 : 0,
           theirs, unit, rate ? ours / theirs : theirs / ours, rate ? "many" : "little");
}

static void bench_etcd(const struct figures *ours)
{
    const struct etcd_load load = {
        .connections = CONNECTIONS, .count = ETCD_COUNT, .list = ROUND, .append = append_value};
    struct etcd_figures etcd;

    if (!etcd_measure(&load, &etcd)) {
        printf("etcd     none here: nothing to compare with\n");
        return;
    }
    printf("etcd     beside it: the same objects as plain values, put and read through its JSON\n"
           "etcd     gateway over %d connections, files in memory; it may use all processors\n",
           CONNECTIONS);
    show_ratio("ready", ours->ready_ms, etcd.ready_ms, "ms", false);
    show_ratio("idle, resident", ours->idle_mib, etcd.idle_mib, "MiB", false);
    show_ratio("puts", ours->creates, etcd.puts, "/s", true);
    show_ratio("a put, processor time", ours->create_us, etcd.put_us, "us", false);
    show_ratio("gets", ours->gets, etcd.ranges, "/s", true);
    show_ratio("a get, processor time", ours->get_us, etcd.range_us, "us", false);
    show_ratio("list of 10,000", ours->list_ms, etcd.list_ms, "ms", false);
}

int main(void)
{
    struct figures ours = {0};
    struct rate rates[] = {
        {"creates",        make_create, 201, ROUND,     8000,  20000, 0, 0},
        {"gets",           make_get,    200, 2 * ROUND, 15000, 30000, 0, 0},
        {"updates",        make_update, 200, ROUND / 2, 6000,  15000, 0, 0},
        {"status patches", make_patch,  200, ROUND / 2, 6000,  15000, 0, 0},
        {"deletes",        make_delete, 200, ROUND / 2, 8000,  20000, 0, 0},
    };
    struct rlimit files;
    struct child child;
    uint16_t port;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    bench_start(&ours);
    port = start_server(&child, true);
    bench_rates(&child, port, rates, ARRAY_SIZE(rates));
    ours.creates = rates[0].best;
    ours.create_us = rates[0].cpu_us;
    ours.gets = rates[1].best;
    ours.get_us = rates[1].cpu_us;
    ours.list_ms = bench_lists(&child, port);
    bench_watchers(&child, port);
    child_stop(&child);
    bench_growth();
    bench_etcd(&ours);
    return missed ? 1 : 0;
}
