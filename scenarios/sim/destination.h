/* destination - where a request goes and how: those that agree in it may share a connection. */
#ifndef SCENARIOS_SIM_DESTINATION_H
#define SCENARIOS_SIM_DESTINATION_H

#include <stdbool.h>
#include <stdint.h>

struct destination {
    char *host; /* as in the URL */
    uint16_t port;
    bool tls;
    unsigned tls_client; /* its number at trust */
    char *unix_socket;   /* instead of host and port; or NULL */
    char *pool;
};

bool destination_equal(const struct destination *a, const struct destination *b);
/** Texts of its own; *copy is filled. */
void destination_copy(struct destination *copy, const struct destination *destination);
void destination_release(struct destination *destination);

#endif
