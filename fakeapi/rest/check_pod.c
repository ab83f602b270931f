/* check_pod - what pods and pod templates must not say.
 *
 * Source: k8s.io/kubernetes/pkg/apis/core/validation, in its order: of what clients meet, not all.
 */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checking.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/metadata.h"
#include "fakeapi/types/scalars.h"

/* Kubernetes' limits. */
#define DEADLINE_MAX INT32_MAX
#define MODE_MAX 0777
/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)

/* The names of one pod, as sets. */
struct names {
    struct json_object **volumes;
    struct json_object **containers;
    struct json_object **ports;  /* of one container */
    struct json_object **mounts; /* of one container: their paths */
    bool init;                   /* whether it is an init container */
};

/* --- volumes --- */

static void check_item(struct checking *c, const struct json_object *item, const void *arg)
{
    (void)arg;
    (void)checking_is_there(c, item, "key");
    (void)checking_is_there(c, item, "path");
}

/* arg: the member that a source of its kind needs; "" for none. */
static void check_source(struct checking *c, const struct json_object *source, const void *arg)
{
    const char *needed = arg;
    int64_t mode = json_get_int64(source, "defaultMode", 0);

    if (needed[0] != '\0')
        (void)checking_is_there(c, source, needed);
    if (mode < 0 || mode > MODE_MAX)
        checking_invalid(c, "defaultMode", json_get(source, "defaultMode"),
                         "must be a number between 0 and 0777 (octal), both inclusive");
    if (json_is(json_get(source, "items"), json_type_array) && needed[0] != '\0')
        checking_each(c, source, "items", check_item, NULL);
}

static void check_volume(struct checking *c, const struct json_object *volume, const void *arg)
{
    static const struct {
        const char *key;
        const char *needed;
    } sources[] = {
        {"emptyDir",              ""          },
        {"hostPath",              "path"      },
        {"secret",                "secretName"},
        {"nfs",                   "server"    },
        {"persistentVolumeClaim", "claimName" },
        {"downwardAPI",           ""          },
        {"configMap",             "name"      },
        {"projected",             ""          },
        {"csi",                   "driver"    },
        {"ephemeral",             ""          },
    };
    const struct names *names = arg;
    const char *name = text_or(json_get_text(volume, "name"), "");
    size_t before = c->errors->count;
    bool one = false;

    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        if (json_get(volume, sources[i].key) == NULL)
            continue;
        if (one)
            checking_forbidden(c, sources[i].key, "may not specify more than 1 volume type");
        else
            checking_each(c, volume, sources[i].key, check_source, sources[i].needed);
        one = true;
    }
    checking_label(c, volume, "name");
    if (c->errors->count == before || checking_holds(*names->volumes, name))
        checking_unique(c, "name", name, names->volumes);
}

/* --- containers --- */

static void check_port(struct checking *c, const struct json_object *port, const void *arg)
{
    static const char *const protocols[] = {"SCTP", "TCP", "UDP"};
    const struct names *names = arg;
    const char *name = text_or(json_get_text(port, "name"), "");

    if (name[0] != '\0' && checking_port_name(c, port, "name"))
        checking_unique(c, "name", name, names->ports);
    if (checking_is_there(c, port, "containerPort"))
        checking_port_number(c, port, "containerPort");
    if (json_get_int64(port, "hostPort", 0) != 0)
        checking_port_number(c, port, "hostPort");
    checking_one_of(c, port, "protocol", protocols, ARRAY_SIZE(protocols));
}

static bool is_variable_name(const char *name)
{
    for (; *name != '\0'; name++)
        if (*name < ' ' || *name > '~' || *name == '=')
            return false;
    return true;
}

static void check_key_reference(struct checking *c, const struct json_object *reference,
                                const void *arg)
{
    const char *name = text_or(json_get_text(reference, "name"), "");

    (void)arg;
    if (!metadata_is_subdomain(name))
        checking_invalid_text(c, "name", name, metadata_subdomain_message);
    (void)checking_is_there(c, reference, "key");
}

static void check_field_reference(struct checking *c, const struct json_object *reference,
                                  const void *arg)
{
    (void)arg;
    (void)checking_is_there(c, reference, "fieldPath");
}

static void check_resource_reference(struct checking *c, const struct json_object *reference,
                                     const void *arg)
{
    (void)arg;
    (void)checking_is_there(c, reference, "resource");
}

/* arg: the variable. */
static void check_value_source(struct checking *c, const struct json_object *source,
                               const void *arg)
{
    const struct json_object *variable = arg;
    size_t count = (size_t)json_object_object_length(source);

    checking_each(c, source, "fieldRef", check_field_reference, NULL);
    checking_each(c, source, "resourceFieldRef", check_resource_reference, NULL);
    checking_each(c, source, "configMapKeyRef", check_key_reference, NULL);
    checking_each(c, source, "secretKeyRef", check_key_reference, NULL);
    if (count == 0)
        checking_invalid_text(c, NULL, "",
                              "must specify one of: `fieldRef`, `resourceFieldRef`, "
                              "`configMapKeyRef` or `secretKeyRef`");
    else if (!text_is_empty(json_get_text(variable, "value")))
        checking_invalid_text(c, NULL, "", "may not be specified when `value` is not empty");
    else if (count > 1)
        checking_invalid_text(c, NULL, "", "may not have more than one field specified at a time");
}

static void check_variable(struct checking *c, const struct json_object *variable, const void *arg)
{
    (void)arg;
    if (checking_is_there(c, variable, "name") &&
        !is_variable_name(text_or(json_get_text(variable, "name"), "\n")))
        checking_invalid(c, "name", json_get(variable, "name"),
                         "a valid environment variable name must consist only of printable ASCII "
                         "characters other than '='");
    checking_each(c, variable, "valueFrom", check_value_source, variable);
}

static void check_variables(struct checking *c, const struct json_object *source, const void *arg)
{
    bool map = json_get(source, "configMapRef") != NULL;
    bool secret = json_get(source, "secretRef") != NULL;

    (void)arg;
    if (!map && !secret)
        checking_invalid_text(c, NULL, "", "must specify one of: `configMapRef` or `secretRef`");
    if (map && secret)
        checking_invalid_text(c, NULL, "", "may not have more than one field specified at a time");
}

static void check_mount(struct checking *c, const struct json_object *mount, const void *arg)
{
    const struct names *names = arg;
    const char *name = text_or(json_get_text(mount, "name"), "");
    const char *path = text_or(json_get_text(mount, "mountPath"), "");
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    (void)checking_is_there(c, mount, "name");
    if (!checking_holds(*names->volumes, name)) {
        field_error_append_quoted(&shown, name);
        checking_add(c, "name", FIELD_NOT_FOUND, "Not found: %s", buffer_text(&shown));
    }
    (void)checking_is_there(c, mount, "mountPath");
    if (checking_holds(*names->mounts, path))
        checking_invalid_text(c, "mountPath", path, "must be unique");
    else
        checking_unique(c, "mountPath", path, names->mounts);
    buffer_release(&shown);
}

static void check_amounts(struct checking *c, const struct json_object *resources, const char *key)
{
    struct json_object *amounts = json_get_object(resources, key);

    if (amounts == NULL)
        return;
    json_object_object_foreach(amounts, name, value)
    {
        const struct checking_step *here = c->at;
        const struct checking_step step = {.up = here, .member = key, .map_key = name};

        c->at = &step;
        if (scalar_quantity_compare(text_or(json_text(value), "0"), "0") < 0)
            checking_invalid(c, NULL, value, "must be greater than or equal to 0");
        c->at = here;
    }
}

static void check_resources(struct checking *c, const struct json_object *resources,
                            const void *arg)
{
    const struct json_object *limits = json_get_object(resources, "limits");
    struct json_object *requests = json_get_object(resources, "requests");

    (void)arg;
    check_amounts(c, resources, "limits");
    check_amounts(c, resources, "requests");
    if (requests == NULL)
        return;
    json_object_object_foreach(requests, name, value)
    {
        const char *limit = json_get_text(limits, name);
        const char *request = json_text(value);

        if (limit != NULL && request != NULL && scalar_quantity_compare(request, limit) > 0)
            checking_add(c, "requests", FIELD_INVALID,
                         "Invalid value: \"%s\": must be less than or equal to %s limit of %s",
                         request, name, limit);
    }
}

/* --- probes --- */

static void check_handler_port(struct checking *c, const struct json_object *handler,
                               const void *arg)
{
    const char *name = json_get_text(handler, "port");

    (void)arg;
    if (name == NULL)
        checking_port_number(c, handler, "port");
    else
        (void)checking_port_name(c, handler, "port");
}

static void check_command(struct checking *c, const struct json_object *handler, const void *arg)
{
    (void)arg;
    (void)checking_is_there(c, handler, "command");
}

/* arg: not NULL when it must succeed once, no more. */
static void check_probe(struct checking *c, const struct json_object *probe, const void *arg)
{
    static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
    static const char *const counts[] = {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                         "successThreshold", "failureThreshold"};
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
        if (json_get(probe, handlers[i]) != NULL && count++ > 0)
            checking_forbidden(c, handlers[i], "may not specify more than 1 handler type");
    if (count == 0)
        checking_required(c, NULL, "must specify a handler type");
    checking_each(c, probe, "exec", check_command, NULL);
    checking_each(c, probe, "httpGet", check_handler_port, NULL);
    checking_each(c, probe, "tcpSocket", check_handler_port, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        checking_not_negative(c, probe, counts[i]);
    if (arg != NULL && json_get_int64(probe, "successThreshold", 1) != 1)
        checking_invalid(c, "successThreshold", json_get(probe, "successThreshold"), "must be 1");
}

/* Init containers that run to their end have none (arg of check_container). */
static void check_probes(struct checking *c, const struct json_object *container, bool init)
{
    static const char *const members[] = {"lifecycle", "livenessProbe", "readinessProbe",
                                          "startupProbe"};
    static const char once[] = "once";

    if (!init || text_equal(json_get_text(container, "restartPolicy"), "Always")) {
        checking_each(c, container, "livenessProbe", check_probe, once);
        checking_each(c, container, "readinessProbe", check_probe, NULL);
        checking_each(c, container, "startupProbe", check_probe, once);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        if (json_get(container, members[i]) != NULL)
            checking_forbidden(c, members[i],
                               "may not be set for init containers without restartPolicy=Always");
}

/* --- the pod --- */

static void check_image(struct checking *c, const struct json_object *container)
{
    const char *image = text_or(json_get_text(container, "image"), "");

    if (checking_is_there(c, container, "image") && (image[0] == ' ' || text_ends_with(image, " ")))
        checking_invalid(c, "image", json_get(container, "image"),
                         "must not have leading or trailing whitespace");
}

static void check_container(struct checking *c, const struct json_object *container,
                            const void *arg)
{
    static const char *const policies[] = {"Always", "IfNotPresent", "Never"};
    static const char *const message_policies[] = {"FallbackToLogsOnError", "File"};
    struct names names = *(const struct names *)arg;
    struct json_object *ports = NULL;
    struct json_object *mounts = NULL;

    names.ports = &ports;
    names.mounts = &mounts;
    checking_label(c, container, "name");
    check_image(c, container);
    checking_one_of(c, container, "terminationMessagePolicy", message_policies,
                    ARRAY_SIZE(message_policies));
    checking_each(c, container, "ports", check_port, &names);
    checking_each(c, container, "env", check_variable, NULL);
    checking_each(c, container, "envFrom", check_variables, NULL);
    checking_each(c, container, "volumeMounts", check_mount, &names);
    checking_one_of(c, container, "imagePullPolicy", policies, ARRAY_SIZE(policies));
    checking_each(c, container, "resources", check_resources, NULL);
    checking_unique(c, "name", text_or(json_get_text(container, "name"), ""), names.containers);
    check_probes(c, container, names.init);
    json_object_put(ports);
    json_object_put(mounts);
}

static void check_policies(struct checking *c, const struct json_object *spec)
{
    static const char *const restarts[] = {"Always", "OnFailure", "Never"};
    static const char *const dns[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"};
    const struct json_object *deadline = json_get(spec, "activeDeadlineSeconds");
    int64_t seconds = json_get_int64(spec, "activeDeadlineSeconds", 1);

    checking_one_of(c, spec, "restartPolicy", restarts, ARRAY_SIZE(restarts));
    checking_one_of(c, spec, "dnsPolicy", dns, ARRAY_SIZE(dns));
    if (seconds < 1 || seconds > DEADLINE_MAX)
        checking_invalid(c, "activeDeadlineSeconds", deadline,
                         "must be between 1 and 2147483647, inclusive");
    if (json_get(spec, "hostname") != NULL)
        checking_label(c, spec, "hostname");
    if (json_get(spec, "subdomain") != NULL)
        checking_label(c, spec, "subdomain");
}

static void check_toleration(struct checking *c, const struct json_object *toleration,
                             const void *arg)
{
    static const char *const operators[] = {"Equal", "Exists"};
    static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

    (void)arg;
    checking_one_of(c, toleration, "operator", operators, ARRAY_SIZE(operators));
    checking_one_of(c, toleration, "effect", effects, ARRAY_SIZE(effects));
}

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

void check_pod_spec(const struct json_object *spec, const char *path, struct field_errors *errors)
{
    struct json_object *volumes = NULL;
    struct json_object *containers = NULL;
    struct names names = {.volumes = &volumes, .containers = &containers};
    struct checking c;

    checking_init(&c, path, errors);
    checking_each(&c, spec, "volumes", check_volume, &names);
    (void)checking_is_there(&c, spec, "containers");
    checking_each(&c, spec, "containers", check_container, &names);
    names.init = true;
    checking_each(&c, spec, "initContainers", check_container, &names);
    check_policies(&c, spec);
    checking_each(&c, spec, "tolerations", check_toleration, NULL);
    json_object_put(containers);
    json_object_put(volumes);
}

/* --- updates (U9) --- */

void check_pod(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");

    check_pod_spec(spec, "spec", errors);
    if (old != NULL && list_count(json_get(spec, "containers")) !=
                           list_count(json_get(json_get(old, "spec"), "containers"))) {
        field_errors_add(errors, FIELD_FORBIDDEN, "spec.containers",
                         "Forbidden: pod updates may not add or remove containers");
        return;
    }
    if (old != NULL && !json_equal(spec, json_get(old, "spec")))
        check_pod_update(spec, json_get(old, "spec"), errors);
}
