/* etcd - its JSON gateway, and a directory for its files. */
#include "tests/bench/etcd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "tests/bench/child.h"
#include "tests/bench/http_load.h"

#define PROGRAM "/usr/bin/etcd"
#define VALUE_BYTES_MAX ((size_t)64 * 1024)
#define LISTS 3

/* A port that is free now. */
static uint16_t free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    bench_check(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
                    getsockname(fd, (struct sockaddr *)&address, &size) == 0,
                "no free port");
    close(fd);
    return ntohs(address.sin_port);
}

static uint16_t start(struct child *child, const char *directory)
{
    uint16_t port = free_port();
    char *clients = xprintf("http://127.0.0.1:%u", port);
    char *peers = xprintf("http://127.0.0.1:%u", free_port());
    char *cluster = xprintf("default=%s", peers);
    const char *argv[] = {PROGRAM,      "--data-dir",
                          directory,    "--listen-client-urls",
                          clients,      "--advertise-client-urls",
                          clients,      "--listen-peer-urls",
                          peers,        "--initial-advertise-peer-urls",
                          peers,        "--initial-cluster",
                          cluster,      "--quota-backend-bytes",
                          "8589934592", NULL};

    child_start(child, argv);
    free(cluster);
    free(peers);
    free(clients);
    return port;
}

/* --- requests --- */

static void append_call(struct buffer *out, const char *path, const struct buffer *body)
{
    load_append_request(out, "POST", path, "Content-Type: application/json\r\n", body->bytes,
                        body->size);
}

static char *key_of(size_t index)
{
    char key[64];
    int size = snprintf(key, sizeof(key), "/registry/agents/bench/agent-%08zu", index);

    return base64_encode(key, (size_t)size, false);
}

static void make_put(void *arg, size_t index, struct buffer *out)
{
    const struct etcd_load *load = arg;
    struct buffer value = BUFFER_INIT(VALUE_BYTES_MAX);
    struct buffer body = BUFFER_INIT(2 * VALUE_BYTES_MAX);
    char *key = key_of(index);
    char *text;

    load->append(&value, index);
    text = base64_encode(value.bytes, value.size, false);
    buffer_append_format(&body, "{\"key\":\"%s\",\"value\":\"%s\"}", key, text);
    append_call(out, "/v3/kv/put", &body);
    free(text);
    free(key);
    buffer_release(&body);
    buffer_release(&value);
}

static void make_range(void *arg, size_t index, struct buffer *out)
{
    const struct etcd_load *load = arg;
    struct buffer body = BUFFER_INIT(VALUE_BYTES_MAX);
    char *key = key_of(index * 7 % load->count);

    buffer_append_format(&body, "{\"key\":\"%s\"}", key);
    append_call(out, "/v3/kv/range", &body);
    free(key);
    buffer_release(&body);
}

static void make_list(void *arg, size_t index, struct buffer *out)
{
    const struct etcd_load *load = arg;
    struct buffer body = BUFFER_INIT(VALUE_BYTES_MAX);
    char *first = key_of(index);
    char *end = key_of(load->list);

    buffer_append_format(&body, "{\"key\":\"%s\",\"range_end\":\"%s\"}", first, end);
    append_call(out, "/v3/kv/range", &body);
    free(end);
    free(first);
    buffer_release(&body);
}

/* --- measuring --- */

static double run(const struct etcd_load *what, uint16_t port, size_t connections, size_t count,
                  void (*make)(void *arg, size_t index, struct buffer *out))
{
    struct etcd_load copy = *what;
    struct load load = {.port = port,
                        .connections = connections,
                        .count = count,
                        .status = 200,
                        .make = make,
                        .arg = &copy};

    return load_run(&load, NULL);
}

static void measure(const struct etcd_load *load, struct child *child, uint16_t port,
                    struct etcd_figures *figures)
{
    double count = (double)load->count;
    double before;

    load_await_answer(port, "/health");
    figures->ready_ms = (bench_seconds() - child->started) * 1e3;
    figures->idle_mib = child_resident_mib(child);
    before = child_cpu_us(child);
    figures->puts = count / run(load, port, load->connections, load->count, make_put);
    figures->put_us = (child_cpu_us(child) - before) / count;
    figures->stored_mib = child_resident_mib(child);
    before = child_cpu_us(child);
    figures->ranges = count / run(load, port, load->connections, load->count, make_range);
    figures->range_us = (child_cpu_us(child) - before) / count;
    figures->list_ms = 1e9;
    for (size_t i = 0; i < LISTS; i++) {
        double took_ms = run(load, port, 1, 1, make_list) * 1e3;

        figures->list_ms = took_ms < figures->list_ms ? took_ms : figures->list_ms;
    }
}

bool etcd_measure(const struct etcd_load *load, struct etcd_figures *ret_figures)
{
    char directory[] = "/dev/shm/bench-etcd-XXXXXX";
    struct child child;
    uint16_t port;

    if (access(PROGRAM, X_OK) != 0)
        return false;
    bench_check(mkdtemp(directory) != NULL, "no directory in /dev/shm");
    port = start(&child, directory);
    measure(load, &child, port, ret_figures);
    child_stop(&child);
    child_remove_directory(directory);
    return true;
}
