/* What is past a Station's history (RULES 3.5, 13.11). */
#include <stdio.h>

#include "tests/unit/rows.h"

#include "controller/agents/prune_decide.h"
#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

static char name_a[] = "a", station_s[] = "s", station_t[] = "t";

/* Agents in one text: "name phase completed created" each; completed '-' is missing. */
static const struct row {
    const char *name;
    int64_t succeeded_max;
    int64_t failed_max;
    const char *agents;
    const char *want; /* names in the order of their deletion */
} rows[] = {
    {"nothing there", 3, 3, "", ""},
    {"at the limit", 2, 2, "a S 1 0;b S 2 0;c F 1 0;d F 2 0", ""},
    {"one above: the oldest goes", 2, 2, "a S 1 0;b S 3 0;c S 2 0", "a"},
    {"the deleted, newest first", 1, 1, "a S 1 0;b S 3 0;c S 2 0", "c a"},
    {"limit 0: all go", 0, 3, "a S 1 0;b S 2 0;c F 1 0", "b a"},
    {"Succeeded before Failed", 0, 0, "a F 9 0;b S 1 0", "b a"},
    {"buckets are separate", 1, 1, "a S 1 0;b F 1 0;c F 2 0", "b"},
    {"a missing time is oldest", 1, 0, "a S - 9;b S 1 0", "a"},
    {"a tie: the newer creation stays", 1, 0, "a S 1 5;b S 1 4", "b"},
    {"a tie: the greater name stays", 1, 0, "a S 1 5;b S 1 5", "a"},
};

struct made {
    struct agent agent;
    char name[8];
};

static size_t make(const char *text, struct made *into, const struct agent **agents)
{
    size_t count = 0;

    for (const char *at = text; at != NULL && *at != '\0';) {
        struct made *made = &into[count];
        char phase;
        char completed[8];
        long created;

        assert_int_equal(sscanf(at, "%7s %c %7s %ld", made->name, &phase, completed, &created), 4);
        made->agent = (struct agent){
            .name = made->name,
            .phase = phase == 'S' ? AGENT_SUCCEEDED : AGENT_FAILED,
            .completed_at_us = completed[0] == '-' ? AGENT_NO_TIME : atol(completed),
            .created_at_us = created,
        };
        agents[count++] = &made->agent;
        at = strchr(at, ';');
        at = at == NULL ? NULL : at + 1;
    }
    return count;
}

static void test_prune(void **state)
{
    const struct row *row = *state;
    struct station station = {.succeeded_max = row->succeeded_max, .failed_max = row->failed_max};
    struct made made[8];
    const struct agent *agents[8];
    size_t count = make(row->agents, made, agents);
    size_t pruned = prune_decide(&station, agents, count);
    struct buffer got = BUFFER_INIT(128);

    for (size_t j = 0; j < pruned; j++)
        buffer_append_format(&got, "%s%s", j == 0 ? "" : " ", agents[j]->name);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("3.5 %s: got %s", row->name, buffer_text(&got));
    buffer_release(&got);
}

static const struct scope_row {
    const char *name;
    enum agent_phase phase;
    bool deleting;
    char *station;
    bool want;
} scopes[] = {
    {"Succeeded is history", AGENT_SUCCEEDED, false, station_s, true},
    {"Failed is history", AGENT_FAILED, false, station_s, true},
    {"Running is not", AGENT_RUNNING, false, station_s, false},
    {"Pending is not", AGENT_PENDING, false, station_s, false},
    {"that of another Station is not", AGENT_FAILED, false, station_t, false},
    {"that of no Station is not", AGENT_FAILED, false, NULL, false},
    {"being deleted: in no bucket", AGENT_FAILED, true, station_s, false},
};

static void test_scope(void **state)
{
    const struct scope_row *row = *state;
    struct agent agent = {
        .name = name_a, .station = row->station, .phase = row->phase, .deleting = row->deleting};

    if (prune_counts(&agent, "s") != row->want)
        fail_msg("3.5 %s", row->name);
}

static const struct due_row {
    const char *name;
    int64_t succeeded_max, failed_max;
    size_t succeeded, failed;
    bool want;
} dues[] = {
    {"nothing is past a history that is just full", 3, 2, 3, 2, false},
    {"one Succeeded too many", 3, 2, 4, 2, true},
    {"one Failed too many", 3, 2, 3, 3, true},
    {"with limit 0 the first is one too many", 0, 0, 1, 0, true},
    {"limit 0, nothing there", 0, 0, 0, 0, false},
};

static void test_due(void **state)
{
    const struct due_row *row = *state;
    struct station station = {.succeeded_max = row->succeeded_max, .failed_max = row->failed_max};

    if (prune_is_due(&station, row->succeeded, row->failed) != row->want)
        fail_msg("3.5 %s", row->name);
}

int main(void)
{
    return ROWS_RUN(rows, test_prune) + ROWS_RUN(scopes, test_scope) + ROWS_RUN(dues, test_due);
}
