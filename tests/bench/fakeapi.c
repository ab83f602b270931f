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
#include "tests/bench/agents.h"
#include "tests/bench/child.h"
#include "tests/bench/etcd.h"
#include "tests/bench/http_load.h"

#define CONNECTIONS 32
#define ROUNDS 3
#define ROUND 10000 /* objects of a round, and of the large list */
#define STARTS 10
#define LISTS 7
#define WATCHERS 1000
#define EVENTS 9
#define GROWN_MAX 100000
/* More stored is more memory walked through: bench growth counts what is executed, which must not
 * grow at all. */
#define GROWTH_MAX 2.0
#define ETCD_COUNT 20000
#define SAMPLES 4000 /* operations of one kind at each size */

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

static bool shows_object(void (*make)(void *arg, size_t index, struct buffer *out))
{
    return make == agents_make_create || make == agents_make_update || make == agents_make_patch;
}

/* --- the server --- */

static uint16_t start_server(struct child *child, bool with_crds)
{
    const char *argv[] = {AGENTS_SERVER,      "--listen",
                          "127.0.0.1:0",      with_crds ? "--load" : NULL,
                          AGENTS_DEFINITIONS, NULL};

    child_start(child, argv);
    return child_read_port(child);
}

static double start_once(bool with_crds, double *ret_mib, double *ret_own_mib)
{
    struct child child;
    uint16_t port = start_server(&child, with_crds);
    double took;

    agents_ask(port, 200, "GET", "/version", NULL);
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
                     struct agents *agents)
{
    struct load load = {.port = port,
                        .connections = CONNECTIONS,
                        .count = rate->count,
                        .status = rate->status,
                        .make = rate->make,
                        .answered = shows_object(rate->make) ? agents_note : NULL,
                        .arg = agents};
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
        char note[96];

        snprintf(note, sizeof(note), "server %.1f us each, so %.0f at most", rates[i].cpu_us,
                 1e6 / rates[i].cpu_us);
        show(rates[i].name, rates[i].best, "/s", AT_LEAST, rates[i].bar, rates[i].goal, note);
    }
}

static void bench_rates(const struct child *child, uint16_t port, struct rate *rates, size_t count)
{
    uint64_t *versions = xcalloc(ROUND, sizeof(*versions));

    for (size_t round = 0; round < ROUNDS; round++) {
        char namespace[32];
        struct agents agents = {
            .namespace = namespace, .count = ROUND, .stride = 7, .versions = versions};

        snprintf(namespace, sizeof(namespace), "round-%zu", round);
        agents_make_namespace(port, namespace);
        for (size_t i = 0; i < count; i++)
            if (rates[i].make != agents_make_delete || round > 0)
                run_rate(&rates[i], child, port, &agents);
    }
    show_rates(rates, count);
    free(versions);
}

/* --- lists and watchers --- */

static double best_list(uint16_t port, struct agents *agents,
                        void (*make)(void *arg, size_t index, struct buffer *out), size_t times,
                        uint64_t *ret_bytes)
{
    struct load load = {
        .port = port, .connections = 1, .count = 1, .status = 200, .make = make, .arg = agents};
    double best = 1e9;

    for (size_t i = 0; i < times; i++) {
        double took = load_run(&load, ret_bytes);

        best = took < best ? took : best;
    }
    return best * 1e3;
}

static double bench_lists(const struct child *child, uint16_t port)
{
    struct agents agents = {.namespace = "round-0", .count = ROUND, .stride = 1};
    uint64_t bytes;
    char note[96];
    double before;
    double took;
    double plain = 0;

    for (int table = 0; table < 2; table++) {
        took = best_list(port, &agents, table ? agents_make_table : agents_make_list, 1, NULL);
        snprintf(note, sizeof(note), "the first time %.1f ms", took);
        before = child_cpu_us(child);
        took =
            best_list(port, &agents, table ? agents_make_table : agents_make_list, LISTS, &bytes);
        snprintf(note + strlen(note), sizeof(note) - strlen(note), ", %.1f MB, server %.1f ms",
                 (double)bytes / 1e6, (child_cpu_us(child) - before) / 1e3 / LISTS);
        plain = table ? plain : took;
        show(table ? "the same as Table" : "LIST of 10,000", took, "ms", AT_MOST, 60, 30, note);
    }
    return plain;
}

static void bench_watchers(const struct child *child, uint16_t port)
{
    struct agents agents = {.namespace = "watched", .count = ROUND, .stride = 1};
    struct load load = {.port = port,
                        .connections = 1,
                        .count = 1,
                        .status = 201,
                        .make = agents_make_create,
                        .arg = &agents};
    double memory = child_resident_mib(child);
    struct watchers *watchers;
    double best = 1e9;
    double before;
    char note[96];
    char path[256];

    agents_make_namespace(port, "watched");
    agents_path(&agents, "?watch=1", path);
    watchers = watchers_new(port, WATCHERS, path);
    memory = child_resident_mib(child) - memory;
    before = child_cpu_us(child);
    for (; agents.first < EVENTS; agents.first++) {
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

static double cost_of(const struct child *child, uint16_t port, struct agents *agents,
                      const struct cost *cost, size_t count)
{
    struct load load = {.port = port,
                        .connections = 8,
                        .count = count,
                        .status = cost->status,
                        .make = cost->make,
                        .answered = shows_object(cost->make) ? agents_note : NULL,
                        .arg = agents};
    double before = child_cpu_us(child);

    (void)load_run(&load, NULL);
    return (child_cpu_us(child) - before) / (double)count;
}

static double cost_of_watches(const struct child *child, uint16_t port, const struct agents *agents)
{
    struct watchers *watchers;
    double before;
    char query[64];
    char path[256];

    snprintf(query, sizeof(query), "?watch=1&resourceVersion=%" PRIu64,
             agents_revision(port, agents));
    agents_path(agents, query, path);
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
    struct agents grow = {.namespace = "grown",
                          .first = stored,
                          .count = sizes[at] - stored,
                          .stride = 1,
                          .versions = versions};
    struct agents spread = {
        .namespace = "grown", .count = sizes[at], .stride = 61, .versions = versions};
    struct agents more = {.namespace = "grown",
                          .first = GROWN_MAX,
                          .count = SAMPLES,
                          .stride = 1,
                          .versions = versions};

    (void)cost_of(child, port, &grow, &costs[0], grow.count);
    if (sizes[at] == GROWN_MAX)
        show("resident with 100,000", child_resident_mib(child), "MiB", AT_MOST, 400, 300, "");
    for (size_t i = 0; i < cost_count; i++) {
        bool own = costs[i].make == agents_make_create || costs[i].make == agents_make_delete;

        costs[i].cpu_us[at] =
            costs[i].make == NULL
                ? cost_of_watches(child, port, &spread)
                : cost_of(child, port, own ? &more : &spread, &costs[i],
                          costs[i].make == agents_make_page ? SAMPLES / 10 : SAMPLES);
    }
}

static void bench_growth(void)
{
    struct cost costs[] = {
        {"create",              agents_make_create, 201, {0}},
        {"get",                 agents_make_get,    200, {0}},
        {"update",              agents_make_update, 200, {0}},
        {"status patch",        agents_make_patch,  200, {0}},
        {"list, page of 100",   agents_make_page,   200, {0}},
        {"delete",              agents_make_delete, 200, {0}},
        {"watch, with connect", NULL,               200, {0}},
    };
    struct child child;
    uint16_t port = start_server(&child, true);
    uint64_t *versions = xcalloc(GROWN_MAX + SAMPLES, sizeof(*versions));

    agents_make_namespace(port, "grown");
    for (size_t at = 0; at < ARRAY_SIZE(sizes); at++)
        measure_size(&child, port, costs, ARRAY_SIZE(costs), at, versions);
    free(versions);
    child_stop(&child);
    printf("fakeapi  %-28s %9s %9s %9s   server us each, with so many stored\n", "costs by size",
           "1,000", "10,000", "100,000");
    for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
        double growth = costs[i].cpu_us[2] / costs[i].cpu_us[0];

        missed = missed || growth > GROWTH_MAX;
        printf("fakeapi    %-26s %9.1f %9.1f %9.1f   %.2f times, bar %.1f: %s\n", costs[i].name,
               costs[i].cpu_us[0], costs[i].cpu_us[1], costs[i].cpu_us[2], growth, GROWTH_MAX,
               growth > GROWTH_MAX ? "MISSED" : "met");
    }
}

/* --- etcd beside it --- */

static void append_value(struct buffer *out, size_t index)
{
    const struct agents agents = {.namespace = "bench", .count = 1};

    agents_append(out, &agents, index, true);
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
        {"creates",        agents_make_create, 201, ROUND,     8000,  20000, 0, 0},
        {"gets",           agents_make_get,    200, 2 * ROUND, 15000, 30000, 0, 0},
        {"updates",        agents_make_update, 200, ROUND / 2, 6000,  15000, 0, 0},
        {"status patches", agents_make_patch,  200, ROUND / 2, 6000,  15000, 0, 0},
        {"deletes",        agents_make_delete, 200, ROUND / 2, 8000,  20000, 0, 0},
    };
    struct rlimit files;
    struct child child;
    double begun;
    double taken;
    uint16_t port;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    begun = bench_seconds();
    taken = child_machine_seconds() - child_own_seconds();
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
    taken = child_machine_seconds() - child_own_seconds() - taken;
    printf("fakeapi  meanwhile other programs kept %.1f processors busy: what they take, rates and "
           "times miss\n",
           taken / (bench_seconds() - begun));
    return missed ? 1 : 0;
}
