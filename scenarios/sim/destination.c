#include "scenarios/sim/destination.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

bool destination_equal(const struct destination *a, const struct destination *b)
{
    return a->port == b->port && a->tls == b->tls && a->tls_client == b->tls_client &&
           text_equal(a->host, b->host) && text_equal(a->pool, b->pool) &&
           text_equal(a->unix_socket, b->unix_socket);
}

void destination_copy(struct destination *copy, const struct destination *destination)
{
    *copy = *destination;
    copy->host = xstrdup(destination->host);
    copy->unix_socket = xstrdup(destination->unix_socket);
    copy->pool = xstrdup(destination->pool);
}

void destination_release(struct destination *destination)
{
    free(destination->host);
    free(destination->unix_socket);
    free(destination->pool);
    *destination = (struct destination){0};
}
