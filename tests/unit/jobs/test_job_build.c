/* The Job of a run as a whole, and the templates that are refused (RULES 2.2 to 2.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/json.h"
#include "controller/jobs/job_build.h"

/* What the run env of the plainest run is; test_run_env.c looks at it closer. */
#define ENV                                                                                        \
    "[{\"name\":\"AGENT_SINKS\",\"value\":\"[]\"},{\"name\":\"AGENT_REPOS\",\"value\":\"[]\"},"    \
    "{\"name\":\"AGENT_SKILLS\",\"value\":\"[]\"},{\"name\":\"AGENT_SKILLS_SOURCE\","              \
    "\"value\":\"\"},{\"name\":\"AGENT_CONVERSATION_AUTH\",\"value\":\"\"},"                       \
    "{\"name\":\"AGENT_CONVERSATION_SOURCE\",\"value\":\"\"},"                                     \
    "{\"name\":\"AGENT_CONVERSATION_ID\",\"value\":\"\"},"                                         \
    "{\"name\":\"AGENT_CONVERSATION_PIN\",\"value\":\"\"},"                                        \
    "{\"name\":\"AGENT_DEADLINE_MS\",\"value\":\"50000\"},"                                        \
    "{\"name\":\"WORKSPACE_DIR\",\"value\":\"/workspace\"},"                                       \
    "{\"name\":\"AGENT_MODEL\",\"value\":\"exec\"},{\"name\":\"AGENT_NAME\",\"value\":\"run-1\"}," \
    "{\"name\":\"STATION_NAME\",\"value\":\"s\"},{\"name\":\"TASK_ID\",\"value\":\"\"},"           \
    "{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.name\"}}},"      \
    "{\"name\":\"POD_NAMESPACE\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":"                      \
    "\"metadata.namespace\"}}},{\"name\":\"HOME\",\"value\":\"/agent\"},{\"name\":\"PATH\","       \
    "\"value\":\"/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\"}]"

#define MOUNTS                                                                                     \
    "{\"name\":\"agent\",\"mountPath\":\"/agent\"},{\"name\":\"workspace\","                       \
    "\"mountPath\":\"/workspace\"}]"

#define JOB_HEAD                                                                                   \
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"agent-job-run-1\","    \
    "\"namespace\":\"ns\",\"ownerReferences\":[{\"apiVersion\":\"agents.re-cinq.com/v1beta1\","    \
    "\"kind\":\"Agent\",\"name\":\"run-1\",\"uid\":\"u-1\",\"controller\":true,"                   \
    "\"blockOwnerDeletion\":true}]},\"spec\":{\"ttlSecondsAfterFinished\":3600,"                   \
    "\"activeDeadlineSeconds\":60,\"backoffLimit\":0,\"template\":"

#define INIT                                                                                       \
    "\"initContainers\":[{\"name\":\"init\",\"image\":\"img\",\"env\":" ENV                        \
    ",\"volumeMounts\":[" MOUNTS ",\"resources\":{\"requests\":{\"cpu\":\"50m\","                  \
    "\"memory\":\"128Mi\"},\"limits\":{\"memory\":\"2Gi\"}},\"securityContext\":{\"runAsUser\":0," \
    "\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"],\"add\":[\"CHOWN\","  \
    "\"DAC_OVERRIDE\",\"FOWNER\",\"SETUID\",\"SETGID\"]},\"seccompProfile\":{\"type\":"            \
    "\"RuntimeDefault\"}}}]"

#define AGENT_SECURITY                                                                             \
    "\"securityContext\":{\"runAsNonRoot\":true,\"runAsUser\":1000,\"runAsGroup\":1000,"           \
    "\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"]},"                    \
    "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"

#define POD_SECURITY                                                                               \
    "\"securityContext\":{\"fsGroup\":1000,\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}"

#define COMMAND "\"command\":[\"/agent/bin/ai-agent-supervisor\",\"--\",\"echo\",\"hi\"]"

#define LABELS                                                                                     \
    "\"agents.re-cinq.com/component\":\"job\",\"agents.re-cinq.com/agent\":\"run-1\","             \
    "\"agents.re-cinq.com/station\":\"s\"}"

#define EVICT "\"cluster-autoscaler.kubernetes.io/safe-to-evict\":\"false\"}"

#define VOLUMES "{\"name\":\"agent\",\"emptyDir\":{}},{\"name\":\"workspace\",\"emptyDir\":{}}]"

static const struct row {
    const char *name;
    const char *template;
    const char *want; /* the Job's template, or the error */
} rows[] = {
    {"2.3: the smallest template",                                "{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}",
     "{\"spec\":{\"containers\":[{\"name\":\"agent\"," COMMAND ",\"env\":" ENV
     ",\"volumeMounts\":[" MOUNTS "," AGENT_SECURITY
     ",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"256Mi\"},"
     "\"limits\":{\"memory\":\"2Gi\"}}}],\"restartPolicy\":\"Never\","
     "\"automountServiceAccountToken\":false," POD_SECURITY "," INIT ",\"volumes\":[" VOLUMES
     "},\"metadata\":{\"labels\":{" LABELS ",\"annotations\":{" EVICT "}}"                                                                                                                         },
    {"2.3: what passes, what is merged, what is replaced",
     "{\"metadata\":{\"labels\":{\"mine\":\"1\",\"agents.re-cinq.com/component\":\"x\"},"
     "\"annotations\":null,\"name\":\"kept\"},\"spec\":{\"serviceAccountName\":\"sa\","
     "\"restartPolicy\":\"Always\",\"automountServiceAccountToken\":true,"
     "\"securityContext\":{\"runAsUser\":5},\"initContainers\":[{\"name\":\"evil\"}],"
     "\"volumes\":[{\"name\":\"workspace\",\"x\":1},{\"name\":\"data\",\"emptyDir\":{}}],"
     "\"containers\":[{\"name\":\"side\",\"env\":[1],\"securityContext\":{\"privileged\":false}},"
     "{\"name\":\"agent\",\"image\":\"i\",\"command\":[\"c\"],\"args\":[\"x\"],\"env\":[{}],"
     "\"volumeMounts\":[{\"name\":\"data\",\"mountPath\":\"/d\"},{\"name\":\"agent\","
     "\"mountPath\":\"/x\"}],\"securityContext\":{\"runAsUser\":0},\"resources\":{\"x\":1}}]}}",                          "{\"metadata\":{\"labels\":{\"mine\":\"1\"," LABELS ",\"annotations\":{" EVICT
     ",\"name\":\"kept\"},\"spec\":{\"serviceAccountName\":\"sa\",\"restartPolicy\":\"Never\","
     "\"automountServiceAccountToken\":false," POD_SECURITY "," INIT
     ",\"volumes\":[{\"name\":\"data\",\"emptyDir\":{}}," VOLUMES
     ",\"containers\":[{\"name\":\"side\",\"env\":[1],\"securityContext\":{\"privileged\":false}},"
     "{\"name\":\"agent\",\"image\":\"i\"," COMMAND ",\"env\":" ENV
     ",\"volumeMounts\":[{\"name\":\"data\",\"mountPath\":\"/d\"}," MOUNTS "," AGENT_SECURITY
     ",\"resources\":{\"x\":1}}]}}"                                                                },
    {"2.3: null metadata, labels, volumes and mounts are absent",
     "{\"metadata\":null,\"spec\":{\"volumes\":null,\"containers\":[{\"name\":\"agent\","
     "\"volumeMounts\":null,\"resources\":{}}]}}",                                                                        "{\"metadata\":{\"labels\":{" LABELS ",\"annotations\":{" EVICT
     "},\"spec\":{\"volumes\":[" VOLUMES
     ",\"containers\":[{\"name\":\"agent\",\"volumeMounts\":[" MOUNTS ",\"resources\":{}," COMMAND
     ",\"env\":" ENV "," AGENT_SECURITY
     "}],\"restartPolicy\":\"Never\",\"automountServiceAccountToken\":false," POD_SECURITY "," INIT
     "}}"                                                                                                                                        },
    {"2.3: no template",                                          "null",                                                 "Station template must be an object"                                     },
    {"2.3: a text as template",                                   "\"x\"",                                                "Station template must be an object"                                     },
    {"2.3: a list as template",                                   "[]",                                                   "Station template must be an object"                                     },
    {"2.3: no spec",                                              "{}",                                                   "Station template needs a spec"                                          },
    {"2.3: null spec",                                            "{\"spec\":null}",                                      "Station template needs a spec"                                          },
    {"2.3: spec is a text",                                       "{\"spec\":\"x\"}",                                     "Station template.spec.containers is required"                           },
    {"2.3: no containers",                                        "{\"spec\":{}}",                                        "Station template.spec.containers is required"                           },
    {"2.3: null containers",                                      "{\"spec\":{\"containers\":null}}",
     "Station template.spec.containers is required"                                                                                                                                                },
    {"2.3: hostNetwork",                                          "{\"spec\":{\"hostNetwork\":true,\"containers\":[]}}",
     "Station template must not enable hostNetwork on an agent run pod"                                                                                                                            },
    {"2.3: hostPID",                                              "{\"spec\":{\"hostPID\":true,\"containers\":[]}}",
     "Station template must not enable hostPID on an agent run pod"                                                                                                                                },
    {"2.3: hostIPC",                                              "{\"spec\":{\"hostIPC\":true,\"containers\":[]}}",
     "Station template must not enable hostIPC on an agent run pod"                                                                                                                                },
    {"2.3: only boolean true counts",
     "{\"spec\":{\"hostIPC\":\"true\",\"hostPID\":false,\"containers\":[]}}",                                             "Station template has no container named 'agent'"                        },
    {"2.3: hostPath",
     "{\"spec\":{\"volumes\":[{\"name\":\"ok\"},{\"name\":\"v\",\"hostPath\":{\"path\":\"/\"}}],"
     "\"containers\":[{\"name\":\"agent\"}]}}",                                                                           "Station template must not mount a hostPath volume into an agent run pod"},
    {"2.3: privileged, also a sidecar",
     "{\"spec\":{\"containers\":[{\"name\":\"agent\"},{\"name\":\"x\","
     "\"securityContext\":{\"privileged\":true}}]}}",                                                                     "Station template container must not be privileged"                      },
    {"2.3: no agent",                                             "{\"spec\":{\"containers\":[{\"name\":\"Agent\"},5]}}",
     "Station template has no container named 'agent'"                                                                                                                                             },
};

static struct json_slice whole(struct buffer *text, const char *name, const char *spec)
{
    struct error err = ERROR_INIT;

    buffer_clear(text);
    buffer_append_format(text, "{\"metadata\":{\"name\":\"%s\"},\"spec\":%s}", name, spec);
    if (!json_check(text->bytes, text->size, 1 << 16, &err))
        fail_msg("bad JSON in a test: %s", err.text);
    return (struct json_slice){text->bytes, text->size};
}

/* Builds a Job and appends it, or the error, to got. */
static void build(const char *station_spec, const char *recipe, struct buffer *got)
{
    struct buffer text = BUFFER_INIT(1 << 16);
    struct agent_spec *spec = NULL;
    struct station *station = NULL;
    struct definition *definition = NULL;
    struct error err = ERROR_INIT;
    char *job = NULL;
    size_t size = 0;

    assert_true(agent_spec_read(whole(&text, "run-1", "{}"), &spec, &err));
    assert_true(station_read(whole(&text, "s", station_spec), &station, &err));
    assert_true(definition_read(whole(&text, "d", recipe), &definition, &err));

    struct job_order order = {"run-1", "u-1", "ns", "img", spec, station, definition};

    if (job_build(&order, &job, &size, &err))
        buffer_append(got, job, size);
    else
        buffer_append_text(got, err.text);
    free(job);
    agent_spec_free(spec);
    station_free(station);
    definition_free(definition);
    buffer_release(&text);
}

#define RECIPE "{\"model\":\"exec\",\"prompt\":\"hi\",\"tool_config\":{\"command\":[\"echo\"]}}"

static void test_template(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buffer station = BUFFER_INIT(1 << 16);
        struct buffer want = BUFFER_INIT(1 << 16);
        struct buffer got = BUFFER_INIT(1 << 16);

        buffer_append_format(&station, "{\"deadlineMinutes\":1,\"template\":%s}", rows[i].template);
        build(buffer_text(&station), RECIPE, &got);
        if (rows[i].want[0] == '{')
            buffer_append_format(&want, JOB_HEAD "%s}}", rows[i].want);
        else
            buffer_append_text(&want, rows[i].want);
        if (strcmp(buffer_text(&got), buffer_text(&want)) != 0)
            fail_msg("%s: got\n%s\nwant\n%s", rows[i].name, buffer_text(&got), buffer_text(&want));
        buffer_release(&station);
        buffer_release(&want);
        buffer_release(&got);
    }
}

static const struct {
    const char *name;
    const char *station; /* beside the template */
    const char *want;    /* found in the Job */
} deadlines[] = {
    {"2.2: default",    "",                                "\"activeDeadlineSeconds\":1800,"},
    {"2.2: 0 is 1",     "\"deadlineMinutes\":0,",          "\"activeDeadlineSeconds\":60,"  },
    {"2.2: INT32_MAX",  "\"deadlineMinutes\":2147483647,",
     "\"activeDeadlineSeconds\":128849018820,"                                              },
    {"2.5: default ms", "",                                "\"1790000\""                    },
    {"2.5: 1 min",      "\"deadlineMinutes\":1,",          "\"50000\""                      },
    {"2.5: INT32_MAX",  "\"deadlineMinutes\":2147483647,", "\"128849018810000\""            },
};

static void test_deadline(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(deadlines); i++) {
        struct buffer station = BUFFER_INIT(1 << 16);
        struct buffer got = BUFFER_INIT(1 << 16);

        buffer_append_format(&station,
                             "{%s\"template\":{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}}",
                             deadlines[i].station);
        build(buffer_text(&station), RECIPE, &got);
        if (strstr(buffer_text(&got), deadlines[i].want) == NULL)
            fail_msg("%s: got %s", deadlines[i].name, buffer_text(&got));
        buffer_release(&station);
        buffer_release(&got);
    }
}

static void test_recipe_errors(void **state)
{
    struct buffer got = BUFFER_INIT(1 << 16);

    (void)state;
    build("{\"template\":{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}}",
          "{\"model\":\"exec\"}", &got);
    assert_string_equal(buffer_text(&got),
                        "exec recipe needs tool_config.command (the argv to spawn)");
    buffer_release(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_recipe_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
