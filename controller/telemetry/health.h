/* health - /healthz, /readyz and /metrics on a listener of their own (RULES 4.7). */
#ifndef CONTROLLER_TELEMETRY_HEALTH_H
#define CONTROLLER_TELEMETRY_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"
#include "controller/telemetry/metrics.h"

struct health;

struct health_options {
    const char *address;           /* NULL: every address ("0.0.0.0") */
    uint16_t port;                 /* 0: any free one */
    const struct metrics *metrics; /* borrowed; must outlive the server */
    bool (*is_ready)(void *arg);   /* asked at each /readyz */
    void (*on_scrape)(void *arg);  /* called before each rendering of metrics; or NULL */
    void *arg;
};

/** Listens. Errors are those of runtime_listen(). */
bool health_new(struct runtime *rt, const struct health_options *options,
                struct health **ret_health, struct error *err) MUST_CHECK;
/** The port really bound. */
uint16_t health_port(const struct health *health);
/** Frees it and resets its connections. Takes NULL. */
void health_free(struct health *health);

#endif
