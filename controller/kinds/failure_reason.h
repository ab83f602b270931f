/* failure_reason - every text of ours that may become an Agent's status.failureReason (RULES.md
 * 12).
 *
 * Byte for byte: people and programs compare them. Those with a %s are formats. Beside them a
 * reason may be what others said: "<reason>: <message>" of a failed Job's condition, or the API
 * server's message where it refuses a Job. controller/OPERATING.md tells what to do about each. */
#ifndef CONTROLLER_KINDS_FAILURE_REASON_H
#define CONTROLLER_KINDS_FAILURE_REASON_H

/* before a run: what it refers to, and what this controller can do (RULES.md 3.2, 6.1, 7.1) */
#define REASON_MISSING_REF "Station or AgentDefinition not found"
#define REASON_BATCH_DISABLED "batch execution is disabled on this controller"
#define REASON_REALTIME_DISABLED "realtime execution is disabled on this controller"
#define REASON_RESUME_NEEDS_REALTIME "resumeSession requires realtime execution"

/* its Job cannot be built (2.3, 2.7) */
#define REASON_TEMPLATE_NO_OBJECT "Station template must be an object"
#define REASON_TEMPLATE_NO_SPEC "Station template needs a spec"
#define REASON_TEMPLATE_NO_CONTAINERS "Station template.spec.containers is required"
#define REASON_TEMPLATE_HOST_FIELD "Station template must not enable %s on an agent run pod"
#define REASON_TEMPLATE_HOST_PATH                                                                  \
    "Station template must not mount a hostPath volume into an agent run pod"
#define REASON_TEMPLATE_PRIVILEGED "Station template container must not be privileged"
#define REASON_TEMPLATE_BASELINE_CONTAINER                                                         \
    "Station template breaks Pod Security baseline: container '%s': %s"
#define REASON_TEMPLATE_BASELINE_ANNOTATION                                                        \
    "Station template breaks Pod Security baseline: annotation %s"
#define REASON_TEMPLATE_NO_AGENT "Station template has no container named 'agent'"
#define REASON_EXEC_NO_COMMAND "exec recipe needs tool_config.command (the argv to spawn)"
#define REASON_EXEC_NO_LIST "exec recipe tool_config.command must be a non-empty array of strings"
#define REASON_EXEC_NO_TEXTS "exec recipe tool_config.command entries must be strings"

/* its Job is refused, and the API server does not say why (3.2) */
#define REASON_JOB_REFUSED "the API server refused the Job"

/* after a run: its end (2.8) */
#define REASON_JOB_GONE                                                                            \
    "run record unavailable: Job garbage-collected before its result was observed"
#define REASON_OUTPUT_UNAVAILABLE "run output unavailable: pod garbage-collected"
#define REASON_JOB_FAILED "Job failed"

#endif
