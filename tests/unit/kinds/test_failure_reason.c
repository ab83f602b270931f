/* The texts that others compare, byte for byte (RULES 12, and the sections that it points to). */
#include "tests/unit/rows.h"

#include "controller/base/attributes.h"
#include "controller/kinds/failure_reason.h"

/* clang-format off */
static const struct row {
    const char *name;
    const char *got;
    const char *want;
} rows[] = {
    {"12: missing ref", REASON_MISSING_REF, "Station or AgentDefinition not found"},
    {"12: Job garbage-collected", REASON_JOB_GONE,
     "run record unavailable: Job garbage-collected before its result was observed"},
    {"12: pod garbage-collected", REASON_OUTPUT_UNAVAILABLE,
     "run output unavailable: pod garbage-collected"},
    {"12: Job failed", REASON_JOB_FAILED, "Job failed"},
    {"12: realtime disabled", REASON_REALTIME_DISABLED,
     "realtime execution is disabled on this controller"},
    {"12: resumeSession without realtime", REASON_RESUME_NEEDS_REALTIME,
     "resumeSession requires realtime execution"},
    {"6.1: batch disabled", REASON_BATCH_DISABLED,
     "batch execution is disabled on this controller"},
    {"2.3: template no object", REASON_TEMPLATE_NO_OBJECT, "Station template must be an object"},
    {"2.3: no spec", REASON_TEMPLATE_NO_SPEC, "Station template needs a spec"},
    {"2.3: no containers", REASON_TEMPLATE_NO_CONTAINERS,
     "Station template.spec.containers is required"},
    {"2.3: host field", REASON_TEMPLATE_HOST_FIELD,
     "Station template must not enable %s on an agent run pod"},
    {"2.3: hostPath", REASON_TEMPLATE_HOST_PATH,
     "Station template must not mount a hostPath volume into an agent run pod"},
    {"2.3: privileged", REASON_TEMPLATE_PRIVILEGED,
     "Station template container must not be privileged"},
    {"2.3: baseline, container", REASON_TEMPLATE_BASELINE_CONTAINER,
     "Station template breaks Pod Security baseline: container '%s': %s"},
    {"2.3: baseline, annotation", REASON_TEMPLATE_BASELINE_ANNOTATION,
     "Station template breaks Pod Security baseline: annotation %s"},
    {"2.3: no container agent", REASON_TEMPLATE_NO_AGENT,
     "Station template has no container named 'agent'"},
    {"2.7: exec without a command", REASON_EXEC_NO_COMMAND,
     "exec recipe needs tool_config.command (the argv to spawn)"},
    {"2.7: exec command no list", REASON_EXEC_NO_LIST,
     "exec recipe tool_config.command must be a non-empty array of strings"},
    {"2.7: exec command of others than texts", REASON_EXEC_NO_TEXTS,
     "exec recipe tool_config.command entries must be strings"},
};
/* clang-format on */

static void check_row(void **state)
{
    const struct row *row = *state;

    if (strcmp(row->got, row->want) != 0)
        fail_msg("%s: got %s", row->name, row->got);
}

int main(void)
{
    return ROWS_RUN(rows, check_row);
}
