/* contract_live - the contract on the live runtime: real sockets on loopback. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/runtime/live.h"
#include "tests/contract/contract.h"
#include "tests/contract/contract_certificates.h"
#include "tests/contract/live_peers.h"

/* A label of 64 letters: no resolver asks for it. */
#define UNKNOWN_HOST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.invalid"

struct live_world {
    struct contract_world base;
    struct live_runtime *live;
    struct live_peers *peers;
    struct timer *patience;
    bool impatient;
    bool stopped;
    char directory[64];
    char *unix_path;
    char *black_hole;
    int input; /* the standard input that was there before; -1 untouched */
};

/* --- running --- */

static void on_impatient(void *arg)
{
    struct live_world *world = arg;

    world->patience = NULL;
    world->impatient = true;
}

static void run(struct contract_world *base, const bool *done)
{
    struct live_world *world = (struct live_world *)base;

    world->impatient = false;
    world->patience = runtime_after(base->client, CONTRACT_LONG_US, on_impatient, world);
    while (!*done && !world->impatient && !world->stopped)
        world->stopped = !live_step(world->live);
    timer_cancel(world->patience);
    world->patience = NULL;
}

static bool stopped(struct contract_world *base, struct runtime *rt, int *ret_status)
{
    struct live_world *world = (struct live_world *)base;

    (void)rt;
    if (world->stopped)
        *ret_status = live_run(world->live);
    return world->stopped;
}

static void terminate(struct contract_world *base)
{
    (void)base;
    kill(getpid(), SIGTERM);
}

static void give_input(struct contract_world *base, const char *text)
{
    struct live_world *world = (struct live_world *)base;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    world->input = dup(STDIN_FILENO);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
}

/* --- peers --- */

static struct contract_raw *raw_connect(struct contract_world *base, uint16_t port)
{
    return live_peers_connect(((struct live_world *)base)->peers, port);
}

static void raw_serve(struct contract_world *base, const char *answer, enum contract_then then,
                      uint16_t *ret_port)
{
    live_peers_serve(((struct live_world *)base)->peers, answer, then, ret_port);
}

/* --- the world --- */

/* One set for all cases: making them takes longer than most. */
static struct contract_certificates world_certificates;

static struct contract_world *open_world(void)
{
    struct live_world *world = xcalloc(1, sizeof(*world));
    struct contract_world *base = &world->base;

    world->live = live_new(live_client());
    world->input = -1;
    base->server = live_runtime(world->live);
    base->client = live_runtime(world->live);
    base->listen_address = "127.0.0.1";
    base->host = "127.0.0.1";
    base->unknown_host = UNKNOWN_HOST;
    base->gate = true;
    base->setting = "CONTRACT_SETTING";
    base->run = run;
    base->stopped = stopped;
    base->terminate = terminate;
    base->give_input = give_input;
    base->raw_connect = raw_connect;
    base->raw_send = live_peers_send;
    base->raw_half_close = live_peers_half_close;
    base->raw_received = live_peers_received;
    base->raw_serve = raw_serve;
    if (world_certificates.authority.key_pem == NULL)
        contract_certificates_make(&world_certificates, runtime_wall_us(base->server));
    base->tls = &world_certificates.tls;
    strcpy(world->directory, "/tmp/contract.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    base->directory = world->directory;
    world->unix_path = xprintf("%s/socket", world->directory);
    base->unix_path = world->unix_path;
    world->peers = live_peers_new(base->client);
    world->black_hole = xprintf("http://127.0.0.1:%u/", live_peers_black_hole(world->peers));
    base->black_hole = world->black_hole;
    return base;
}

static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    while ((entry = readdir(directory)) != NULL) {
        char *inside = xprintf("%s/%s", path, entry->d_name);

        (void)unlink(inside); /* fails on "." and ".." */
        free(inside);
    }
    closedir(directory);
    rmdir(path);
}

static void close_world(struct contract_world *base)
{
    struct live_world *world = (struct live_world *)base;

    live_free(world->live);
    live_peers_free(world->peers);
    if (world->input >= 0) {
        assert_int_equal(dup2(world->input, STDIN_FILENO), STDIN_FILENO);
        close(world->input);
    }
    remove_directory(world->directory);
    free(world->unix_path);
    free(world->black_hole);
    free(world);
}

int main(int argc, char **argv)
{
    static const struct contract_maker maker = {"contract/live", open_world, close_world};
    int status;

    setenv("CONTRACT_SETTING", "contract", 1);
    status = contract_run(&maker, argc, argv);
    contract_certificates_release(&world_certificates);
    return status;
}
