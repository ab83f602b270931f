/* context - what all parts of the lifecycle work with. */
#ifndef CONTROLLER_AGENTS_CONTEXT_H
#define CONTROLLER_AGENTS_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/agents/admission.h"
#include "controller/agents/agent_api.h"
#include "controller/agents/cache.h"
#include "controller/agents/job_roll.h"
#include "controller/agents/refs.h"
#include "controller/runtime/runtime.h"
#include "controller/telemetry/metrics.h"

/** Belongs to agents.c; the others borrow it. */
struct agent_context {
    struct runtime *rt;
    struct agent_api api;
    struct agent_cache *cache;
    struct refs *refs;
    struct job_roll *jobs;
    struct admissions *admissions;
    struct metrics *metrics;
    bool census_due; /* in this term nobody has seen yet which Agents have a Job (job_census.h) */
    const char *agent_image;
    size_t output_bytes_max;
    int64_t prune_from_us;        /* of the elapsed clock: nothing is pruned before */
    bool (*is_leader)(void *arg); /* asked immediately before each mutating request */
    void *is_leader_arg;
};

static inline bool context_is_leader(const struct agent_context *context)
{
    return context->is_leader(context->is_leader_arg);
}

/** Logs a request that failed, for an Agent or a Station of that name. */
void context_log_failure(const struct agent_context *context, const char *message, const char *kind,
                         const char *name, const struct error *err);

#endif
