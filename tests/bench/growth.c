/* growth - that no operation of the API server costs more the more objects are stored.
 *
 * Counts what the server executes, with valgrind's callgrind, with 1,000 and with 10,000 Agents
 * stored: unlike times, that does not depend on the machine. Ends 1 when an operation takes a tenth
 * more. Run from the top of the tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/bench/agents.h"
#include "tests/bench/child.h"
#include "tests/bench/http_load.h"

#define SAMPLES 40
#define GROWN_MAX 10000
#define WATCHES 20
#define GROWTH_MAX 1.10

struct operation {
    const char *name;
    void (*make)(void *arg, size_t index, struct buffer *out); /* NULL: a watch */
    unsigned status;
    bool shows_object;
    double counts[2]; /* instructions for each */
};

/* Tells valgrind of the server; what it does is counted between "-i on" and the dump. */
static void control(const struct child *child, const char *what)
{
    char *command = xprintf("callgrind_control %s %d >/dev/null 2>&1", what, (int)child->pid);

    bench_check(system(command) == 0, "callgrind_control: cannot reach the server");
    free(command);
}

/* What the last dump says. */
static double read_count(const char *directory, unsigned dump)
{
    char *path = xprintf("%s/count.%u", directory, dump);
    FILE *file = fopen(path, "r");
    char line[4096];
    double count = 0;

    bench_check(file != NULL, "callgrind wrote no counts");
    while (fgets(line, sizeof(line), file) != NULL)
        if (text_starts_with(line, "totals: "))
            count = strtod(line + strlen("totals: "), NULL);
    fclose(file);
    remove(path);
    free(path);
    return count;
}

static void ask(uint16_t port, const struct operation *operation, struct agents *agents,
                size_t count)
{
    struct load load = {.port = port,
                        .connections = 1,
                        .count = count,
                        .status = operation->status,
                        .make = operation->make,
                        .answered = operation->shows_object ? agents_note : NULL,
                        .arg = agents};

    (void)load_run(&load, NULL);
}

static void watch(uint16_t port, const struct agents *agents)
{
    char *query =
        xprintf("?watch=1&resourceVersion=%llu", (unsigned long long)agents_revision(port, agents));
    char path[256];

    agents_path(agents, query, path);
    watchers_free(watchers_new(port, WATCHES, path));
    free(query);
}

static void grow(uint16_t port, const struct operation *create, size_t first, size_t end,
                 uint64_t *versions)
{
    struct agents agents = {"grown", first, end - first, 1, versions};

    ask(port, create, &agents, end - first);
}

static void measure(const struct child *child, uint16_t port, const char *directory,
                    struct operation *operations, size_t count, size_t stored, uint64_t *versions)
{
    static unsigned dump;

    for (size_t i = 0; i < count; i++) {
        bool own = operations[i].status == 201 || operations[i].make == agents_make_delete;
        struct agents agents = {"grown", own ? GROWN_MAX : 0, own ? SAMPLES : stored, 7, versions};

        control(child, "-i on");
        if (operations[i].make == NULL)
            watch(port, &agents);
        else
            ask(port, &operations[i], &agents, SAMPLES);
        control(child, "-i off");
        control(child, "-d");
        operations[i].counts[stored == GROWN_MAX] =
            read_count(directory, ++dump) / (operations[i].make == NULL ? WATCHES : SAMPLES);
    }
}

static int report(const struct operation *operations, size_t count)
{
    bool missed = false;

    printf("growth   %-28s %10s %10s\n", "instructions, with stored", "1,000", "10,000");
    for (size_t i = 0; i < count; i++) {
        double growth = operations[i].counts[1] / operations[i].counts[0];

        missed = missed || growth > GROWTH_MAX;
        printf("growth     %-26s %10.0f %10.0f   %.3f times, bar %.2f: %s\n", operations[i].name,
               operations[i].counts[0], operations[i].counts[1], growth, GROWTH_MAX,
               growth > GROWTH_MAX ? "MISSED" : "met");
    }
    return missed ? 1 : 0;
}

int main(void)
{
    struct operation operations[] = {
        {"create",                   agents_make_create, 201, true,  {0}},
        {"get",                      agents_make_get,    200, false, {0}},
        {"update",                   agents_make_update, 200, true,  {0}},
        {"status patch",             agents_make_patch,  200, true,  {0}},
        {"list, page of 100",        agents_make_page,   200, false, {0}},
        {"delete",                   agents_make_delete, 200, false, {0}},
        {"watch, its start and end", NULL,               200, false, {0}},
    };
    char directory[] = "/tmp/bench-growth-XXXXXX";
    uint64_t *versions = xcalloc(GROWN_MAX + SAMPLES, sizeof(*versions));
    struct child child;
    char *out;
    uint16_t port;

    bench_check(mkdtemp(directory) != NULL, "no directory in /tmp");
    out = xprintf("--callgrind-out-file=%s/count", directory);
    child_start(&child, (const char *[]){"valgrind", "-q", "--tool=callgrind", "--instr-atstart=no",
                                         out, AGENTS_SERVER, "--listen", "127.0.0.1:0", "--load",
                                         AGENTS_DEFINITIONS, NULL});
    port = child_read_port(&child);
    agents_make_namespace(port, "grown");
    grow(port, &operations[0], 0, 1000, versions);
    measure(&child, port, directory, operations, ARRAY_SIZE(operations), 1000, versions);
    grow(port, &operations[0], 1000, GROWN_MAX, versions);
    measure(&child, port, directory, operations, ARRAY_SIZE(operations), GROWN_MAX, versions);
    child_stop(&child);
    child_remove_directory(directory);
    free(out);
    free(versions);
    return report(operations, ARRAY_SIZE(operations));
}
