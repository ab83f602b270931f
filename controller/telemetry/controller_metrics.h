/* controller_metrics - every metric of agent-controller, in one table (RULES 4.6). */
#ifndef CONTROLLER_TELEMETRY_CONTROLLER_METRICS_H
#define CONTROLLER_TELEMETRY_CONTROLLER_METRICS_H

#include "controller/runtime/runtime.h"
#include "controller/telemetry/metrics.h"

/** Ids for metrics_count() and its kin; in brackets the labels, in order. */
enum controller_metric {
    METRIC_RECONCILES,             /* [result: success error] */
    METRIC_RECONCILE_DURATION,     /* summary */
    METRIC_JOBS_CREATED,           /* */
    METRIC_STATUS_PATCHES,         /* */
    METRIC_WATCH_RECONNECTS,       /* */
    METRIC_RESYNCS,                /* */
    METRIC_AGENTS,                 /* gauge [phase: Pending Running Succeeded Failed] */
    METRIC_API_REQUEST_DURATION,   /* summary [verb: get list create patch delete] */
    METRIC_IS_LEADER,              /* gauge */
    METRIC_RUNS_COMPLETED,         /* [phase: Succeeded Failed] [exit_code: 0 to 255, other] */
    METRIC_RUN_DURATION,           /* histogram [phase: Succeeded Failed] */
    METRIC_RUN_QUEUE,              /* histogram */
    METRIC_RUN_FAILURES,           /* [kind: missing_ref job_failed output_unavailable preempted] */
    METRIC_BATCH_CLEANUP_FAILURES, /* */
    METRIC_WEBHOOK_DELIVERIES,     /* [result: those of 4.6] */
    METRIC_BUILD_INFO,             /* gauge [version: ours] */
    METRIC_PROCESS_CPU,            /* these are set by controller_metrics_sample() alone */
    METRIC_PROCESS_START,
    METRIC_PROCESS_RESIDENT,
    METRIC_PROCESS_VIRTUAL,
    METRIC_PROCESS_OPEN_FILES,
    METRIC_PROCESS_MAX_FILES,
    CONTROLLER_METRIC_COUNT,
};

/** A registry of all of them. */
struct metrics *controller_metrics_new(void) MUST_CHECK;

/** Sets those of the process to what they are now; for before a rendering. What the runtime cannot
 * tell stays as it was. */
void controller_metrics_sample(struct metrics *metrics, struct runtime *rt);

#endif
