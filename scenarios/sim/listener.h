/* listener - an address that a process listens on. */
#ifndef SCENARIOS_SIM_LISTENER_H
#define SCENARIOS_SIM_LISTENER_H

#include "scenarios/sim/parts.h"

enum listener_reach {
    LISTENER_EVERYWHERE, /* "0.0.0.0", "::", an address of the host */
    LISTENER_LOOPBACK_4, /* "127.0.0.1" */
    LISTENER_LOOPBACK_6, /* "::1" */
    LISTENER_UNIX,
};

struct sim_listener {
    struct listener base;
    enum listener_reach reach;
    uint16_t port;
    char *unix_path;
    unsigned tls_server; /* its number at trust; 0: none */
    unsigned connections_max;
    size_t header_bytes_max;
    int64_t body_timeout_us;
    int64_t idle_timeout_us;
    const struct http_service *service;
    void *arg;
    bool stopped;
    unsigned connection_count;
    struct sim_listener *prev, *next;
};

#endif
