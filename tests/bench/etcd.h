/* etcd - the same load for Debian's etcd, as far as it can do the same. */
#ifndef TESTS_BENCH_ETCD_H
#define TESTS_BENCH_ETCD_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/buffer.h"

/** What to store. */
struct etcd_load {
    size_t connections;
    size_t count;
    size_t list; /* keys of the list */
    /* appends the value number index */
    void (*append)(struct buffer *out, size_t index);
};

struct etcd_figures {
    double ready_ms;
    double idle_mib;
    double puts;   /* per second */
    double put_us; /* processor time of the server for each */
    double ranges; /* of one key, per second */
    double range_us;
    double list_ms; /* load.list keys in one answer */
    double stored_mib;
};

/** Starts /usr/bin/etcd on a directory in memory and measures. False when there is none. */
bool etcd_measure(const struct etcd_load *load, struct etcd_figures *ret_figures);

#endif
