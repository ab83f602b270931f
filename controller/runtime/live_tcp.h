/* live_tcp - what the kernel knows of a connection's progress. */
#ifndef CONTROLLER_RUNTIME_LIVE_TCP_H
#define CONTROLLER_RUNTIME_LIVE_TCP_H

#include <stdint.h>

struct tcp_progress {
    int unsent;     /* bytes that the kernel still holds for the peer */
    uint64_t taken; /* bytes that the peer has acknowledged; 0 on a Unix socket */
};

struct tcp_progress tcp_progress_read(int fd);
/** Bytes that came from the peer so far; 0 on a Unix socket. */
uint64_t tcp_received(int fd);

#endif
