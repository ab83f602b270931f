/* contract_sim - the contract on the simulated runtime: first between two hosts, then within one
 * process, as on loopback. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/sim/sim.h"
#include "tests/contract/contract.h"
#include "tests/contract/contract_certificates.h"

#define START_US (INT64_C(1700000000) * US_PER_SECOND)
/* Longer than any limit that a case waits for. */
#define PATIENCE_US (10 * US_PER_MINUTE)

struct sim_world {
    struct contract_world base;
    struct sim *sim;
    struct sim_process *server;
    struct sim_process *client;
    const bool *done;
};

static bool goes_on(void *arg)
{
    const struct sim_world *world = arg;

    return !*world->done && sim_process_is_alive(world->server) &&
           sim_process_is_alive(world->client);
}

static void run(struct contract_world *base, const bool *done)
{
    struct sim_world *world = (struct sim_world *)base;

    world->done = done;
    sim_run_while(world->sim, sim_now_us(world->sim) + PATIENCE_US, goes_on, world);
    assert_false(sim_is_stuck(world->sim));
}

static bool stopped(struct contract_world *base, struct runtime *rt, int *ret_status)
{
    struct sim_world *world = (struct sim_world *)base;
    struct sim_process *process = rt == base->server ? world->server : world->client;

    if (sim_process_is_alive(process))
        return false;
    *ret_status = sim_process_exit_status(process);
    return true;
}

static void terminate(struct contract_world *base)
{
    sim_process_signal(((struct sim_world *)base)->server, SIM_TERM);
}

static void give_input(struct contract_world *base, const char *text)
{
    sim_process_set_input(((struct sim_world *)base)->server, text);
}

static struct sim_process *start(struct sim *sim, const char *name)
{
    static const struct sim_setting settings[] = {
        {"CONTRACT", "contract"}
    };
    const struct sim_process_options options = {
        .name = name, .settings = settings, .setting_count = ARRAY_SIZE(settings)};
    struct sim_process *process = sim_process_new(sim, &options);

    sim_file_make_directory(process, "/contract");
    sim_process_start(process);
    return process;
}

/* One set for all cases: making them takes longer than most. */
static struct contract_certificates world_certificates;

static struct sim_world *world_new(void)
{
    const struct sim_options options = {.seed = 1, .start_wall_us = START_US};
    struct sim_world *world = xcalloc(1, sizeof(*world));

    world->sim = sim_new(&options);
    world->server = start(world->sim, "api");
    world->base.server = sim_process_runtime(world->server);
    sim_process_power_off(start(world->sim, "void"));
    if (world_certificates.authority.key_pem == NULL)
        contract_certificates_make(&world_certificates, START_US);
    world->base.tls = &world_certificates.tls;
    world->base.unknown_host = "nobody.example";
    world->base.directory = "/contract";
    world->base.setting = "CONTRACT";
    world->base.gate = true;
    world->base.black_hole = "http://void/";
    world->base.run = run;
    world->base.stopped = stopped;
    world->base.terminate = terminate;
    world->base.give_input = give_input;
    return world;
}

static struct contract_world *open_pair(void)
{
    struct sim_world *world = world_new();

    world->client = start(world->sim, "ctl-0");
    world->base.client = sim_process_runtime(world->client);
    world->base.listen_address = "0.0.0.0";
    world->base.host = "api";
    return &world->base;
}

static struct contract_world *open_single(void)
{
    struct sim_world *world = world_new();

    world->client = world->server;
    world->base.client = world->base.server;
    world->base.listen_address = "127.0.0.1";
    world->base.host = "127.0.0.1";
    world->base.unix_path = "/contract/socket";
    return &world->base;
}

static void close_world(struct contract_world *base)
{
    struct sim_world *world = (struct sim_world *)base;

    sim_free(world->sim);
    free(world);
}

int main(int argc, char **argv)
{
    static const struct contract_maker pair = {"contract/sim", open_pair, close_world};
    static const struct contract_maker single = {"contract/sim alone", open_single, close_world};
    int failed_pair = contract_run(&pair, argc, argv);
    int failed_single = contract_run(&single, argc, argv);

    contract_certificates_release(&world_certificates);
    return failed_pair + failed_single == 0 ? 0 : 1;
}
