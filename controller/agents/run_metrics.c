#include "controller/agents/run_metrics.h"

#include <stdio.h>

#include "controller/telemetry/controller_metrics.h"

/* From an Agent's time to now; an unreadable one gives 0 seconds. */
static int64_t since(int64_t at_us, int64_t now_us)
{
    return at_us == AGENT_NO_TIME || at_us > now_us ? 0 : now_us - at_us;
}

static const char *failure_kind(const struct agent_change *change, enum run_event event)
{
    if (event == RUN_MISSING_REF)
        return "missing_ref";
    if (change->phase == AGENT_FAILED)
        return "job_failed";
    return change->failure_reason == NULL ? NULL : "output_unavailable";
}

void run_metrics_patched(struct metrics *metrics, const struct agent *before,
                         const struct agent_change *change, enum run_event event, int64_t now_us)
{
    const char *phase = agent_phase_name(change->phase);
    const char *kind = failure_kind(change, event);
    char code[24];

    metrics_count(metrics, METRIC_STATUS_PATCHES, NULL, NULL);
    if (event == RUN_STARTED) {
        metrics_observe_us(metrics, METRIC_RUN_QUEUE, NULL, since(before->created_at_us, now_us));
        return;
    }
    snprintf(code, sizeof(code), "%lld", (long long)change->exit_code);
    metrics_count(metrics, METRIC_RUNS_COMPLETED, phase, code);
    if (event == RUN_ENDED)
        metrics_observe_us(metrics, METRIC_RUN_DURATION, phase,
                           since(before->started_at_us, now_us));
    if (kind != NULL)
        metrics_count(metrics, METRIC_RUN_FAILURES, kind, NULL);
}

void run_metrics_preempted(struct metrics *metrics)
{
    metrics_count(metrics, METRIC_RUN_FAILURES, "preempted", NULL);
}

void run_metrics_reconciled(struct metrics *metrics, bool success, int64_t duration_us)
{
    metrics_count(metrics, METRIC_RECONCILES, success ? "success" : "error", NULL);
    metrics_observe_us(metrics, METRIC_RECONCILE_DURATION, NULL, duration_us);
}

void run_metrics_phases(struct metrics *metrics, const struct agent_cache *cache)
{
    int64_t counts[AGENT_PHASE_COUNT] = {0};
    struct agent_cursor cursor = {0};
    const struct agent *agent;

    while ((agent = agent_cache_next(cache, &cursor)) != NULL)
        counts[agent->phase]++;
    for (int phase = 0; phase < AGENT_PHASE_COUNT; phase++)
        metrics_set(metrics, METRIC_AGENTS, agent_phase_name((enum agent_phase)phase),
                    counts[phase]);
}
