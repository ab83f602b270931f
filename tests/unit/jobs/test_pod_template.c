/* The pod of a run: templates that are refused, and what is made of the others (RULES 2.3, 2.4). */
#include "tests/unit/jobs/order.h"

#include "controller/base/text.h"

#define RECIPE "{'model':'exec','prompt':'hi {p}','tool_config':{'command':['echo']}}"
#define AGENT "{'parameters':{'p':'there'}}"

static const struct refused_row {
    const char *row;
    const char *template;
    const char *want; /* the error */
} refused[] = {
    {"a null template", "null", "Station template must be an object"},
    {"a text as template", "'x'", "Station template must be an object"},
    {"a list as template", "[]", "Station template must be an object"},
    {"no spec", "{'metadata':{}}", "Station template needs a spec"},
    {"a null spec", "{'spec':null}", "Station template needs a spec"},
    {"a text as spec", "{'spec':'x'}", "Station template.spec.containers is required"},
    {"a list as spec", "{'spec':[]}", "Station template.spec.containers is required"},
    {"no containers", "{'spec':{'hostNetwork':true}}",
     "Station template.spec.containers is required"},
    {"null containers", "{'spec':{'containers':null}}",
     "Station template.spec.containers is required"},
    {"an object as containers", "{'spec':{'containers':{'name':'agent'}}}",
     "Station template.spec.containers is required"},
    {"no container at all", "{'spec':{'containers':[]}}",
     "Station template has no container named 'agent'"},
    {"no container of that very name",
     "{'spec':{'containers':[{'name':'Agent'},{},{'name':5},'agent',null]}}",
     "Station template has no container named 'agent'"},
    {"an init container is no container",
     "{'spec':{'initContainers':[{'name':'agent'}],'containers':[{'name':'x'}]}}",
     "Station template has no container named 'agent'"},
};

static void check_error(const char *row, const char *template, const char *want)
{
    struct error err = ERROR_INIT;
    struct json_object *job = order_build(RECIPE, AGENT, template, &err);

    if (job != NULL)
        fail_msg("2.3 %s: a Job was built", row);
    if (err.kind != ERROR_INVALID || strcmp(err.text, want) != 0)
        fail_msg("2.3 %s: got %s", row, err.text);
}

static void test_refused(void **state)
{
    const struct refused_row *row = *state;

    check_error(row->row, row->template, row->want);
}

#define PLAIN "{'spec':{'containers':[{'name':'agent'}]}}"
#define OUR_LABELS                                                                                 \
    "'agents.re-cinq.com/component':'job','agents.re-cinq.com/agent':'run-1',"                     \
    "'agents.re-cinq.com/station':'s'}"
#define OUR_VOLUMES "{'name':'agent','emptyDir':{}},{'name':'workspace','emptyDir':{}}]"
#define OUR_MOUNTS                                                                                 \
    "{'name':'agent','mountPath':'/agent'},{'name':'workspace','mountPath':'/workspace'}]"
#define SAFE "'cluster-autoscaler.kubernetes.io/safe-to-evict':'false'}"

static const struct edit_row {
    const char *row;
    const char *template;
    const char *path; /* in the Job's spec.template */
    const char *want; /* what is there */
} edits[] = {
    {"labels where there are none", PLAIN, "metadata.labels", "{" OUR_LABELS},
    {"labels merged, ours win",
     "{'metadata':{'labels':{'mine':'1','agents.re-cinq.com/component':'x'}},"
     "'spec':{'containers':[{'name':'agent'}]}}",
     "metadata.labels", "{'mine':'1'," OUR_LABELS},
    {"null metadata", "{'metadata':null,'spec':{'containers':[{'name':'agent'}]}}", "metadata",
     "{'labels':{" OUR_LABELS ",'annotations':{" SAFE "}"},
    {"null labels and annotations",
     "{'metadata':{'labels':null,'annotations':null},'spec':{'containers':[{'name':'agent'}]}}",
     "metadata", "{'labels':{" OUR_LABELS ",'annotations':{" SAFE "}"},
    {"annotations merged, ours win",
     "{'metadata':{'annotations':{'cluster-autoscaler.kubernetes.io/safe-to-evict':'true',"
     "'mine':'1'}},'spec':{'containers':[{'name':'agent'}]}}",
     "metadata.annotations",
     "{'cluster-autoscaler.kubernetes.io/safe-to-evict':'false','mine':'1'}"},
    {"restartPolicy overridden",
     "{'spec':{'restartPolicy':'Always','containers':[{'name':'agent'}]}}", "spec.restartPolicy",
     "'Never'"},
    {"no service account token",
     "{'spec':{'automountServiceAccountToken':true,'containers':[{'name':'agent'}]}}",
     "spec.automountServiceAccountToken", "false"},
    {"the pod's securityContext replaced whole",
     "{'spec':{'securityContext':{'runAsUser':0,'sysctls':[{'name':'kernel.msgmax'}]},"
     "'containers':[{'name':'agent'}]}}",
     "spec.securityContext", "{'fsGroup':1000,'seccompProfile':{'type':'RuntimeDefault'}}"},
    {"volumes: ours behind the Station's",
     "{'spec':{'volumes':[{'name':'workspace','secret':{}},{'name':'data','emptyDir':{}},"
     "{'name':'agent','secret':{}}],'containers':[{'name':'agent'}]}}",
     "spec.volumes", "[{'name':'data','emptyDir':{}}," OUR_VOLUMES},
    {"null volumes", "{'spec':{'volumes':null,'containers':[{'name':'agent'}]}}", "spec.volumes",
     "[" OUR_VOLUMES},
    {"the supervisor before the argv",
     "{'spec':{'containers':[{'name':'agent','command':['c','d'],'args':['x']}]}}",
     "spec.containers[agent].command", "['/agent/bin/ai-agent-supervisor','--','echo','hi there']"},
    {"args removed", "{'spec':{'containers':[{'name':'agent','args':['x']}]}}",
     "spec.containers[agent].args", ""},
    {"env replaced whole", "{'spec':{'containers':[{'name':'agent','env':[{'name':'MINE'}]}]}}",
     "spec.containers[agent].env[MINE]", ""},
    {"env of the run", PLAIN, "spec.containers[agent].env[WORKSPACE_DIR]",
     "{'name':'WORKSPACE_DIR','value':'/workspace'}"},
    {"mounts: ours behind the Station's",
     "{'spec':{'containers':[{'name':'agent','volumeMounts':[{'name':'agent','mountPath':'/x'},"
     "{'name':'data','mountPath':'/d'},{'name':'workspace','mountPath':'/y'}]}]}}",
     "spec.containers[agent].volumeMounts", "[{'name':'data','mountPath':'/d'}," OUR_MOUNTS},
    {"null mounts", "{'spec':{'containers':[{'name':'agent','volumeMounts':null}]}}",
     "spec.containers[agent].volumeMounts", "[" OUR_MOUNTS},
    {"agent's securityContext replaced whole",
     "{'spec':{'containers':[{'name':'agent','securityContext':{'runAsUser':0,'procMount':'"
     "Unmasked'"
     ",'capabilities':{'add':['SYS_ADMIN']}}}]}}",
     "spec.containers[agent].securityContext",
     "{'runAsNonRoot':true,'runAsUser':1000,'runAsGroup':1000,'allowPrivilegeEscalation':false,"
     "'capabilities':{'drop':['ALL']},'seccompProfile':{'type':'RuntimeDefault'}}"},
    {"resources where there are none", PLAIN, "spec.containers[agent].resources",
     "{'requests':{'cpu':'100m','memory':'256Mi'},'limits':{'memory':'2Gi'}}"},
    {"resources that are there, even empty",
     "{'spec':{'containers':[{'name':'agent','resources':{}}]}}",
     "spec.containers[agent].resources", "{}"},
    {"everything else passes: the container",
     "{'spec':{'containers':[{'name':'agent','image':'i','imagePullPolicy':'Always',"
     "'envFrom':[{'secretRef':{'name':'x'}}],'ports':[{'containerPort':80}]}]}}",
     "spec.containers[agent].envFrom", "[{'secretRef':{'name':'x'}}]"},
    {"everything else passes: sidecars",
     "{'spec':{'containers':[{'name':'agent'},{'name':'side','args':['x'],'env':[{'name':'E'}],"
     "'securityContext':{'runAsUser':7},'volumeMounts':[{'name':'workspace'}]}]}}",
     "spec.containers[side]",
     "{'name':'side','args':['x'],'env':[{'name':'E'}],'securityContext':{'runAsUser':7},"
     "'volumeMounts':[{'name':'workspace'}]}"},
    {"everything else passes: tolerations",
     "{'spec':{'tolerations':[{'operator':'Exists'}],'containers':[{'name':'agent'}]}}",
     "spec.tolerations", "[{'operator':'Exists'}]"},
    {"everything else passes: the service account",
     "{'spec':{'serviceAccountName':'sa','containers':[{'name':'agent'}]}}",
     "spec.serviceAccountName", "'sa'"},
    {"2.4: one init container, the Station's are gone",
     "{'spec':{'initContainers':[{'name':'evil','securityContext':{'privileged':true}}],"
     "'containers':[{'name':'agent'}]}}",
     "spec.initContainers[evil]", ""},
    {"2.4: the image of the controller's setting", PLAIN, "spec.initContainers[init].image",
     "'img'"},
    {"2.4: the same two mounts", PLAIN, "spec.initContainers[init].volumeMounts", "[" OUR_MOUNTS},
    {"2.4: resources", PLAIN, "spec.initContainers[init].resources",
     "{'requests':{'cpu':'50m','memory':'128Mi'},'limits':{'memory':'2Gi'}}"},
    {"2.4: root, with what it needs to hand the files over", PLAIN,
     "spec.initContainers[init].securityContext",
     "{'runAsUser':0,'allowPrivilegeEscalation':false,'capabilities':{'drop':['ALL'],"
     "'add':['CHOWN','DAC_OVERRIDE','FOWNER','SETUID','SETGID']},"
     "'seccompProfile':{'type':'RuntimeDefault'}}"},
    {"2.4: env of the run", PLAIN, "spec.initContainers[init].env[AGENT_PARAMETERS]",
     "{'name':'AGENT_PARAMETERS','value':'{\\'p\\':\\'there\\'}'}"},
    {"2.4: no command", PLAIN, "spec.initContainers[init].command", ""},
    {"2.4: no pull policy", PLAIN, "spec.initContainers[init].imagePullPolicy", ""},
};

static void test_edit(void **state)
{
    const struct edit_row *row = *state;
    struct error err = ERROR_INIT;
    struct buffer got = BUFFER_INIT(ORDER_BYTES_MAX);
    struct buffer want = BUFFER_INIT(ORDER_BYTES_MAX);
    struct json_object *job = order_build(RECIPE, AGENT, row->template, &err);
    const struct json_object *found;

    if (job == NULL)
        fail_msg("2.3 %s: %s", row->row, err.text);
    found = order_at(order_at(job, "spec.template"), row->path);
    if (found != NULL)
        json_append(&got, found);
    buffer_append_text(&want, row->want);
    order_unquote(want.bytes);
    if (strcmp(buffer_text(&got), buffer_text(&want)) != 0)
        fail_msg("2.3 %s: got %s", row->row, buffer_text(&got));
    json_object_put(job);
    buffer_release(&got);
    buffer_release(&want);
}

#define AUDIT "quarterly-cross-repository-dependency-audit-for-platform-team-29870100"

/* The vector of 2.1 as names of an Agent and of a Station. */
static void test_long_names(void **state)
{
    struct error err = ERROR_INIT;
    struct job_order order = order_make(RECIPE, AGENT, "{'template':" PLAIN "}");
    const struct station *made = order.station;
    struct station station = *made;
    char name[] = AUDIT;
    char *text = NULL;
    size_t size;

    (void)state;
    station.name = name;
    order.station = &station;
    order.agent_name = AUDIT;
    assert_true(job_build(&order, &text, &size, &err));
    assert_non_null(strstr(text, "/agent\":\"quarterly-cross-repository-dependency-audit-for-"
                                 "platfo-3c536ac0\""));
    assert_non_null(strstr(text, "/station\":\"quarterly-cross-repository-dependency-audit-for-"
                                 "platfo-3c536ac0\""));
    free(text);
    order.station = made;
    order_release(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"labels of long names are shortened", test_long_names, NULL, NULL, NULL},
    };

    return ROWS_RUN(refused, test_refused) + ROWS_RUN(edits, test_edit) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
