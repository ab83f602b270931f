/* sim [HOURS] - what a virtual day costs: two replicas of agent-controller and the fake API server,
 * with 100 Agents alive at every moment, coming and going.
 *
 * The shipped programs in the simulated world, without invariants or reports. A person makes a new
 * Agent over HTTP whenever one has ended; each runs for 5 to 15 minutes. Prints real time, events,
 * and resident memory after the first hour and at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controller/agent_controller.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/base/yaml.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/fakeapi.h"
#include "scenarios/sim/sim.h"

#define ALIVE 100
#define STATIONS 10
#define NAMESPACE "ai-agents"
#define COLLECTION "http://api:8001/apis/agents.re-cinq.com/v1beta1/namespaces/" NAMESPACE "/agents"
#define MANIFEST_BYTES_MAX ((size_t)1024 * 1024)

extern const char *const crd_manifests[];

struct day {
    struct sim *sim;
    struct sim_process *api;
    struct sim_process *user;
    struct json_object *recipe;
    size_t made;
    size_t ended;
    size_t failed; /* requests, or Agents in phase Failed */
};

static void load(struct day *day, const char *text)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct json_object *tree;

    if (!yaml_parse(text, strlen(text), MANIFEST_BYTES_MAX, &document, NULL, NULL, &err))
        exit(2);
    tree = yaml_to_json(yaml_root(document));
    yaml_free(document);
    if (!rest_load(fakeapi_rest(sim_process_root(day->api)), tree, &err)) {
        (void)fprintf(stderr, "sim: %s\n", err.text);
        exit(2);
    }
    (void)json_object_put(tree);
    (void)sim_run_until(day->sim, sim_now_us(day->sim));
}

static void load_station(struct day *day, unsigned index)
{
    char *text = xprintf("{apiVersion: agents.re-cinq.com/v1beta1, kind: Station, metadata: "
                         "{name: station-%u, namespace: " NAMESPACE "}, spec: {agentDefRef: recipe,"
                         " template: {metadata: {annotations: {fakeapi/run-seconds: '%u'}}, spec: "
                         "{containers: [{name: agent, image: 'agent:1'}]}}}}",
                         index, 300 + 600 * index / (STATIONS - 1));

    load(day, text);
    free(text);
}

static void on_created(void *arg, const struct response_head *head)
{
    struct day *day = arg;

    if (head->status != 201)
        day->failed++;
}

static void on_created_end(void *arg, enum exchange_end end, const char *detail)
{
    struct day *day = arg;

    (void)detail;
    if (end != EXCHANGE_COMPLETE)
        day->failed++;
}

static const struct exchange_events created_events = {.on_head = on_created,
                                                      .on_end = on_created_end};

static void make_agent(struct day *day)
{
    static const struct http_header headers[] = {
        {"Content-Type", "application/json"}
    };
    char *body = xprintf("{\"apiVersion\":\"agents.re-cinq.com/v1beta1\",\"kind\":\"Agent\","
                         "\"metadata\":{\"name\":\"run-%zu\"},\"spec\":{\"stationRef\":"
                         "\"station-%zu\"}}",
                         day->made, day->made % STATIONS);
    struct http_request request = {.method = "POST",
                                   .url = COLLECTION,
                                   .headers = headers,
                                   .header_count = 1,
                                   .body = body,
                                   .body_size = strlen(body),
                                   .response_bytes_max = MANIFEST_BYTES_MAX};

    day->made++;
    (void)runtime_request(sim_process_runtime(day->user), &request, &created_events, day);
    free(body);
}

static bool in_phase(const struct store_object *object, const char *phase)
{
    struct json_object *tree = store_object_parse(object);
    bool yes = text_equal(json_get_text(json_get(tree, "status"), "phase"), phase);

    (void)json_object_put(tree);
    return yes;
}

static bool has_ended(const struct store_object *object)
{
    return in_phase(object, "Succeeded") || in_phase(object, "Failed");
}

/** An Agent that has just ended makes room for the next. */
static void on_change(void *arg, const struct store_event *event)
{
    struct day *day = arg;

    if (event->change != STORE_MODIFIED ||
        strcmp(store_resource_plural(event->resource), "agents") != 0 ||
        !has_ended(event->object) || has_ended(event->old))
        return;
    if (in_phase(event->object, "Failed"))
        day->failed++;
    day->ended++;
    make_agent(day);
}

static const struct store_observer observer = {.on_change = on_change};

static struct sim_process *add_replica(struct sim *sim, const char *name)
{
    const struct sim_setting settings[] = {
        {"POD_NAME",     name             },
        {"NAMESPACE",    NAMESPACE        },
        {"KUBE_API_URL", "http://api:8001"}
    };
    const struct sim_process_options options = {.name = name,
                                                .program = &agent_controller_program,
                                                .settings = settings,
                                                .setting_count = ARRAY_SIZE(settings)};
    struct sim_process *process = sim_process_new(sim, &options);

    sim_process_start(process);
    return process;
}

static void build(struct day *day)
{
    static const char *const arguments[] = {"--listen", "0.0.0.0:8001", "--open"};
    const struct sim_process_options api = {.name = "api",
                                            .program = &fakeapi_program,
                                            .arguments = arguments,
                                            .argument_count = ARRAY_SIZE(arguments)};

    day->sim = sim_new(&(struct sim_options){.seed = 1, .start_wall_us = US_PER_DAY * 20000});
    day->api = sim_process_new(day->sim, &api);
    day->user = sim_process_new(day->sim, &(struct sim_process_options){.name = "user"});
    sim_process_start(day->api);
    sim_process_start(day->user);
    (void)sim_run_until(day->sim, 0);
    load(day, "{apiVersion: v1, kind: Namespace, metadata: {name: " NAMESPACE "}}");
    for (size_t i = 0; crd_manifests[i] != NULL; i++)
        load(day, crd_manifests[i]);
    load(day, "{apiVersion: agents.re-cinq.com/v1beta1, kind: AgentDefinition, metadata: {name: "
              "recipe, namespace: " NAMESPACE "}, spec: {prompt: work}}");
    for (unsigned i = 0; i < STATIONS; i++)
        load_station(day, i);
    store_observe(fakeapi_store(sim_process_root(day->api)), &observer, day);
    (void)add_replica(day->sim, "ctl-0");
    (void)add_replica(day->sim, "ctl-1");
    for (size_t i = 0; i < ALIVE; i++)
        make_agent(day);
}

static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");

    if (file == NULL)
        return 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    }
    (void)fclose(file);
    return kib;
}

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int64_t hours = 24;
    struct day day = {0};
    double started = now_s();
    long first_hour_kib;
    double took;

    if (argc > 1 && (!text_to_int64(argv[1], &hours) || hours < 1))
        return 2;
    build(&day);
    (void)sim_run_until(day.sim, US_PER_HOUR);
    first_hour_kib = resident_kib();
    (void)sim_run_until(day.sim, hours * US_PER_HOUR);
    took = now_s() - started;
    printf("sim: %" PRId64 " h of 2 replicas and %d live Agents in %.2f s, %.0f times as fast; "
           "%zu runs ended, %zu went wrong; %" PRIu64
           " events; %ld KiB after 1 h, %ld at the end\n",
           hours, ALIVE, took, (double)hours * 3600 / took, day.ended, day.failed,
           sim_event_count(day.sim), first_hour_kib, resident_kib());
    sim_free(day.sim);
    return day.failed == 0 && day.ended > 0 ? 0 : 1;
}
