/* What a run's pod may ask of the node: templates that are refused (RULES 2.3), and the Jobs that
 * are built held against Kubernetes' Pod Security Standards (RULES 9.4). */
#include <stdio.h>

#include "tests/unit/jobs/order.h"

#include "controller/base/text.h"

#define HOST_PATH "Station template must not mount a hostPath volume into an agent run pod"
#define PRIVILEGED "Station template container must not be privileged"
#define BREAKS "Station template breaks Pod Security baseline: "

/* A template of container agent and of a container side with these members. */
#define WITH_SIDE(members) "{'spec':{'containers':[{'name':'agent'},{'name':'side'," members "}]}}"
#define SIDE(context) WITH_SIDE("'securityContext':{" context "}")
#define WITH_SPEC(members) "{'spec':{" members ",'containers':[{'name':'agent'}]}}"

static const struct check_row {
    const char *row;
    const char *template;
    const char *want; /* the error; NULL: a Job is built */
} checks[] = {
    {"hostNetwork", WITH_SPEC("'hostNetwork':true"),
     "Station template must not enable hostNetwork on an agent run pod"},
    {"hostPID", WITH_SPEC("'hostPID':true"),
     "Station template must not enable hostPID on an agent run pod"},
    {"hostIPC", WITH_SPEC("'hostIPC':true"),
     "Station template must not enable hostIPC on an agent run pod"},
    {"only boolean true enables a host namespace",
     WITH_SPEC("'hostNetwork':'true','hostPID':false,'hostIPC':null"), NULL},
    {"a hostPath volume", WITH_SPEC("'volumes':[{'name':'v'},{'hostPath':{'path':'/'}}]"),
     HOST_PATH},
    {"a null hostPath is a hostPath", WITH_SPEC("'volumes':[{'hostPath':null}]"), HOST_PATH},
    {"a volume of ours by name with a hostPath",
     WITH_SPEC("'volumes':[{'name':'agent','hostPath':{'path':'/'}}]"), HOST_PATH},
    {"volumes that are no objects", WITH_SPEC("'volumes':['hostPath',null]"), NULL},
    {"agent is privileged",
     "{'spec':{'containers':[{'name':'agent','securityContext':{'privileged':true}}]}}",
     PRIVILEGED},
    {"a sidecar is privileged", SIDE("'privileged':true"), PRIVILEGED},
    {"an ephemeral container is privileged",
     WITH_SPEC("'ephemeralContainers':[{'name':'e','securityContext':{'privileged':true}}]"),
     PRIVILEGED},
    {"only boolean true is privileged", SIDE("'privileged':'true'"), NULL},
    {"a privileged init container is replaced",
     WITH_SPEC("'initContainers':[{'name':'i','securityContext':{'privileged':true}}]"), NULL},
    {"a sidecar's probe of another host",
     WITH_SIDE("'readinessProbe':{'tcpSocket':{'host':'10.0.0.1','port':1}}"),
     BREAKS "container 'side': readinessProbe.tcpSocket.host"},
    {"agent's probe of another host",
     "{'spec':{'containers':[{'name':'agent','livenessProbe':{'httpGet':{'host':'h'}}}]}}",
     BREAKS "container 'agent': livenessProbe.httpGet.host"},
    {"a startup probe of another host", WITH_SIDE("'startupProbe':{'httpGet':{'host':'h'}}"),
     BREAKS "container 'side': startupProbe.httpGet.host"},
    {"a hook after the start to another host",
     WITH_SIDE("'lifecycle':{'postStart':{'httpGet':{'host':'h'}}}"),
     BREAKS "container 'side': lifecycle.postStart.httpGet.host"},
    {"a hook before the stop to another host",
     WITH_SIDE("'lifecycle':{'preStop':{'tcpSocket':{'host':'h'}}}"),
     BREAKS "container 'side': lifecycle.preStop.tcpSocket.host"},
    {"probes of its own host",
     WITH_SIDE("'livenessProbe':{'httpGet':{'host':'','port':1}},'lifecycle':{'preStop':{'exec':{}"
               "}}"),
     NULL},
    {"a sidecar's hostPort", WITH_SIDE("'ports':[{'containerPort':1},{'hostPort':80}]"),
     BREAKS "container 'side': hostPort"},
    {"agent's hostPort", "{'spec':{'containers':[{'name':'agent','ports':[{'hostPort':80}]}]}}",
     BREAKS "container 'agent': hostPort"},
    {"a hostPort of 0 is none", WITH_SIDE("'ports':[{'hostPort':0}]"), NULL},
    {"a capability past the list", SIDE("'capabilities':{'add':['CHOWN','NET_ADMIN']}"),
     BREAKS "container 'side': capabilities.add"},
    {"all capabilities", SIDE("'capabilities':{'add':['ALL']}"),
     BREAKS "container 'side': capabilities.add"},
    {"the capabilities of the list",
     SIDE("'capabilities':{'add':['AUDIT_WRITE','CHOWN','DAC_OVERRIDE','FOWNER','FSETID','KILL',"
          "'MKNOD','NET_BIND_SERVICE','SETFCAP','SETGID','SETPCAP','SETUID','SYS_CHROOT']}"),
     NULL},
    {"procMount", SIDE("'procMount':'Unmasked'"), BREAKS "container 'side': procMount"},
    {"procMount by default", SIDE("'procMount':'Default'"), NULL},
    {"a SELinux type", SIDE("'seLinuxOptions':{'type':'spc_t'}"),
     BREAKS "container 'side': seLinuxOptions"},
    {"a SELinux user", SIDE("'seLinuxOptions':{'user':'u'}"),
     BREAKS "container 'side': seLinuxOptions"},
    {"a SELinux role", SIDE("'seLinuxOptions':{'role':'r'}"),
     BREAKS "container 'side': seLinuxOptions"},
    {"a SELinux type that is allowed",
     SIDE("'seLinuxOptions':{'type':'container_kvm_t','level':'s0','user':'','role':''}"), NULL},
    {"seccomp unconfined", SIDE("'seccompProfile':{'type':'Unconfined'}"),
     BREAKS "container 'side': seccompProfile"},
    {"seccomp of the node", SIDE("'seccompProfile':{'type':'Localhost'}"), NULL},
    {"AppArmor unconfined", SIDE("'appArmorProfile':{'type':'Unconfined'}"),
     BREAKS "container 'side': appArmorProfile"},
    {"AppArmor unconfined by annotation",
     "{'metadata':{'annotations':{'container.apparmor.security.beta.kubernetes.io/x':'unconfined'}}"
     ",'spec':{'containers':[{'name':'agent'}]}}",
     BREAKS "annotation container.apparmor.security.beta.kubernetes.io/x"},
    {"AppArmor annotations that are allowed",
     "{'metadata':{'annotations':{'container.apparmor.security.beta.kubernetes.io/x':"
     "'runtime/default','container.apparmor.security.beta.kubernetes.io/y':'localhost/p',"
     "'container.apparmor.security.beta.kubernetes.io/z':''}},"
     "'spec':{'containers':[{'name':'agent'}]}}",
     NULL},
    {"a process of a Windows host", SIDE("'windowsOptions':{'hostProcess':true}"),
     BREAKS "container 'side': windowsOptions.hostProcess"},
    {"what is replaced does not matter",
     "{'spec':{'securityContext':{'seccompProfile':{'type':'Unconfined'},"
     "'windowsOptions':{'hostProcess':true}},'containers':[{'name':'agent','securityContext':{"
     "'procMount':'Unmasked','capabilities':{'add':['SYS_ADMIN']}}}]}}",
     NULL},
    {"the last check is for container agent",
     "{'spec':{'containers':[{'name':'x','securityContext':{'privileged':true}}]}}", PRIVILEGED},
};

static void test_check(void **state)
{
    const struct check_row *row = *state;
    struct error err = ERROR_INIT;
    struct json_object *job = order_build(NULL, NULL, row->template, &err);

    if ((job == NULL) != (row->want != NULL) || (job == NULL && strcmp(err.text, row->want) != 0))
        fail_msg("2.3 %s: got %s", row->row, job == NULL ? err.text : "a Job");
    json_object_put(job);
}

/* --- the built Job against the Standards, from their text --- */

static size_t length(const struct json_object *array)
{
    return array == NULL ? 0 : json_object_array_length(array);
}

static void note(struct buffer *found, const char *container, const char *what)
{
    buffer_append_format(found, "%s: %s\n", container, what);
}

static const struct json_object *in_either(const struct json_object *pod,
                                           const struct json_object *container, const char *field)
{
    const struct json_object *own = json_get(json_get(container, "securityContext"), field);

    return own != NULL ? own : json_get(json_get(pod, "securityContext"), field);
}

static void baseline_container(const struct json_object *pod, const struct json_object *container,
                               struct buffer *found)
{
    static const char list[] = " AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD "
                               "NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT ";
    const char *name = json_get_text(container, "name");
    const struct json_object *context = json_get(container, "securityContext");
    const struct json_object *added = json_walk(context, "capabilities", "add", NULL);
    const struct json_object *ports = json_get(container, "ports");
    const struct json_object *seccomp = in_either(pod, container, "seccompProfile");

    if (json_get_bool(context, "privileged", false))
        note(found, name, "privileged");
    for (size_t i = 0; i < length(added); i++) {
        char word[64];

        snprintf(word, sizeof(word), " %s ", json_text(json_object_array_get_idx(added, i)));
        if (strstr(list, word) == NULL)
            note(found, name, word);
    }
    for (size_t i = 0; i < length(ports); i++) {
        if (json_get(json_object_array_get_idx(ports, i), "hostPort") != NULL)
            note(found, name, "hostPort");
    }
    if (json_get(context, "procMount") != NULL || json_get(context, "seLinuxOptions") != NULL ||
        json_get(context, "windowsOptions") != NULL || json_get(context, "appArmorProfile") != NULL)
        note(found, name, "a member that no pod of ours needs");
    if (text_equal(json_get_text(seccomp, "type"), "Unconfined"))
        note(found, name, "seccomp unconfined");
}

static void restricted_container(const struct json_object *pod, const struct json_object *container,
                                 struct buffer *found)
{
    const char *name = json_get_text(container, "name");
    const struct json_object *context = json_get(container, "securityContext");
    const struct json_object *added = json_walk(context, "capabilities", "add", NULL);
    const struct json_object *dropped = json_walk(context, "capabilities", "drop", NULL);
    const struct json_object *seccomp = in_either(pod, container, "seccompProfile");
    const struct json_object *user = in_either(pod, container, "runAsUser");

    if (json_get_bool(context, "allowPrivilegeEscalation", true))
        note(found, name, "allowPrivilegeEscalation");
    if (!json_object_get_boolean(in_either(pod, container, "runAsNonRoot")))
        note(found, name, "runAsNonRoot is not true");
    if (user != NULL && json_object_get_int64(user) == 0)
        note(found, name, "runAsUser 0");
    if (!text_equal(json_get_text(seccomp, "type"), "RuntimeDefault"))
        note(found, name, "seccomp");
    if (length(dropped) != 1 ||
        !text_equal(json_text(json_object_array_get_idx(dropped, 0)), "ALL"))
        note(found, name, "capabilities.drop");
    for (size_t i = 0; i < length(added); i++)
        note(found, name, json_text(json_object_array_get_idx(added, i)));
}

static void standards(const struct json_object *pod, bool restricted, struct buffer *found)
{
    static const char *const lists[] = {"initContainers", "containers"};
    const struct json_object *volumes = json_get(pod, "volumes");

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        const struct json_object *list = json_get(pod, lists[i]);

        for (size_t j = 0; j < length(list); j++) {
            const struct json_object *container = json_object_array_get_idx(list, j);

            if (restricted)
                restricted_container(pod, container, found);
            else
                baseline_container(pod, container, found);
        }
    }
    for (size_t i = 0; i < length(volumes); i++) {
        if (json_get(json_object_array_get_idx(volumes, i), "emptyDir") == NULL)
            note(found, "pod", "a volume that is no emptyDir");
    }
    if (json_get(pod, "hostNetwork") != NULL || json_get(pod, "hostPID") != NULL ||
        json_get(pod, "hostIPC") != NULL || json_walk(pod, "securityContext", "sysctls", NULL))
        note(found, "pod", "the host");
}

/* All that RULES 2.4 gives the init container beyond the strictest Standard. */
#define INIT_WARNINGS                                                                              \
    "init: runAsNonRoot is not true\ninit: runAsUser 0\ninit: CHOWN\ninit: DAC_OVERRIDE\n"         \
    "init: FOWNER\ninit: SETUID\ninit: SETGID\n"

static const struct standard_row {
    const char *row;
    const char *template;
    bool restricted;
    const char *want; /* what breaks the Standard, a line each */
} standard_rows[] = {
    {"baseline is kept", "{'spec':{'containers':[{'name':'agent','image':'i'}]}}", false, ""},
    {"baseline is kept with a sidecar", WITH_SIDE("'image':'i'"), false, ""},
    {"baseline is kept whatever is replaced",
     "{'spec':{'securityContext':{'sysctls':[{'name':'x'}],'seccompProfile':{'type':'Unconfined'}},"
     "'initContainers':[{'name':'i','securityContext':{'privileged':true}}],"
     "'containers':[{'name':'agent','securityContext':{'procMount':'Unmasked','capabilities':"
     "{'add':['SYS_ADMIN']},'seccompProfile':{'type':'Unconfined'}}}]}}",
     false, ""},
    {"restricted warns about the init container alone",
     "{'spec':{'containers':[{'name':'agent','image':'i'}]}}", true, INIT_WARNINGS},
    {"restricted warns about the Station's own sidecar", WITH_SIDE("'image':'i'"), true,
     INIT_WARNINGS "side: allowPrivilegeEscalation\nside: runAsNonRoot is not true\n"
                   "side: capabilities.drop\n"},
};

static void test_standard(void **state)
{
    const struct standard_row *row = *state;
    struct error err = ERROR_INIT;
    struct buffer found = BUFFER_INIT(ORDER_BYTES_MAX);
    struct json_object *job = order_build(NULL, NULL, row->template, &err);

    if (job == NULL)
        fail_msg("%s: %s", row->row, err.text);
    standards(order_at(job, "spec.template.spec"), row->restricted, &found);
    if (strcmp(buffer_text(&found), row->want) != 0)
        fail_msg("%s: found\n%s", row->row, buffer_text(&found));
    json_object_put(job);
    buffer_release(&found);
}

int main(void)
{
    return ROWS_RUN(checks, test_check) + ROWS_RUN(standard_rows, test_standard);
}
