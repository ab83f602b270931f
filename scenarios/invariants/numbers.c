/* numbers - I-NUMBERS: what the replicas' metrics say is what happened, as far as a process that
 * may have been restarted can know. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/invariants/rows.h"

#define PHASE_COUNT (PHASE_FAILED + 1)

struct state {
    int64_t leaders;
    int64_t shown[PHASE_COUNT]; /* Agents, by all replicas together */
    int64_t shown_ends;
    int64_t shown_jobs;
    int64_t ends; /* Agents that ended, and Jobs that were made, since the start */
    int64_t jobs;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void on_change(struct judge *judge, const struct change *change)
{
    struct state *state = judge->state;

    if (change->kind == CHANGE_PRESENT || change->after == NULL)
        return;
    if (strcmp(change->plural, "jobs") == 0 && change->before == NULL)
        state->jobs++;
    if (strcmp(change->plural, "agents") == 0 && phase_is_terminal(agent_phase(change->after)) &&
        (change->before == NULL || !phase_is_terminal(agent_phase(change->before))))
        state->ends++;
}

/* The sum of all series whose lines begin like that. */
static int64_t sum(const char *text, const char *begin)
{
    int64_t total = 0;

    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, begin, strlen(begin)) == 0)
            total += strtoll(at + strcspn(at, " "), NULL, 10);
    }
    return total;
}

static void on_log(struct judge *judge, int64_t at_us, const char *process, enum log_level level,
                   const char *line)
{
    struct state *state = judge->state;

    (void)at_us;
    (void)process;
    (void)level;
    if (strstr(line, "# TYPE controller_is_leader gauge\n") == NULL)
        return;
    state->leaders += sum(line, "controller_is_leader ");
    state->shown_ends += sum(line, "controller_runs_completed_total{");
    state->shown_jobs += sum(line, "controller_jobs_created_total ");
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        char *begin = xprintf("controller_agents{phase=\"%s\"} ", phase_name((enum phase)phase));

        state->shown[phase] += sum(line, begin);
        free(begin);
    }
}

/* Read at rest; when that begins anew, what was read before is void. */
static void on_rest(struct judge *judge, int64_t at_us)
{
    struct state *state = judge->state;

    (void)at_us;
    state->leaders = 0;
    state->shown_ends = 0;
    state->shown_jobs = 0;
    memset(state->shown, 0, sizeof(state->shown));
}

static void on_end(struct judge *judge, int64_t at_us)
{
    const struct state *state = judge->state;
    int64_t there[PHASE_COUNT] = {0};

    if (state->leaders == 0)
        return; /* that none leads is the world's to say */
    for (const struct model_agent *agent = judge->model->agents; agent != NULL;
         agent = agent->hh.next)
        there[agent->phase]++;
    if (state->leaders > 1)
        judge_violation(judge, at_us, "controller_is_leader is %" PRId64 " over all replicas",
                        state->leaders);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (state->shown[phase] != there[phase])
            judge_violation(judge, at_us,
                            "controller_agents shows %" PRId64 " %s Agents over all replicas, and "
                            "there are %" PRId64,
                            state->shown[phase], phase_name((enum phase)phase), there[phase]);
    if (state->shown_ends > state->ends)
        judge_violation(judge, at_us,
                        "controller_runs_completed_total counts %" PRId64 " ends, and %" PRId64
                        " Agents ended",
                        state->shown_ends, state->ends);
    if (state->shown_jobs > state->jobs)
        judge_violation(judge, at_us,
                        "controller_jobs_created_total counts %" PRId64 " Jobs, and %" PRId64
                        " were made",
                        state->shown_jobs, state->jobs);
}

const struct invariant invariant_numbers = {
    .id = "I-NUMBERS",
    .what = "metrics count what happened, and nothing twice",
    .create = create,
    .destroy = free,
    .on_change = on_change,
    .on_log = on_log,
    .on_rest = on_rest,
    .on_end = on_end,
};
