/* run_metrics - what the accepted steps of a run mean for the metrics (RULES.md 4.6). */
#ifndef CONTROLLER_AGENTS_RUN_METRICS_H
#define CONTROLLER_AGENTS_RUN_METRICS_H

#include "controller/agents/agent_decide.h"
#include "controller/agents/cache.h"
#include "controller/telemetry/metrics.h"

/** A status patch was accepted that moved before to after its change. */
void run_metrics_patched(struct metrics *metrics, const struct agent *before,
                         const struct agent_change *change, enum run_event event, int64_t now_us);

/** A running Agent was deleted for another. */
void run_metrics_preempted(struct metrics *metrics);

/** A reconcile ended. */
void run_metrics_reconciled(struct metrics *metrics, bool success, int64_t duration_us);

/** Sets the gauges of Agents per phase: all 0 by an empty cache. */
void run_metrics_phases(struct metrics *metrics, const struct agent_cache *cache);

#endif
