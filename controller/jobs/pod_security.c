#include "controller/jobs/pod_security.h"

#include <stdio.h>

#include "controller/base/text.h"
#include "controller/kinds/failure_reason.h"

#define APPARMOR_PREFIX "container.apparmor.security.beta.kubernetes.io/"

/* Longest name of a field: "lifecycle.postStart.tcpSocket.host". */
#define FIELD_SIZE 48

/* What a container may add. */
static const char *const capabilities[] = {
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",       "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT",
};
static const char *const selinux_types[] = {
    "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t",
};

static size_t length(const struct json_object *array)
{
    return array == NULL ? 0 : json_object_array_length(array);
}

static bool is_one_of(const char *text, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_equal(text, texts[i]))
            return true;
    }
    return false;
}

static bool check_pod(const struct json_object *spec, struct error *err)
{
    static const char *const fields[] = {"hostNetwork", "hostPID", "hostIPC"};
    const struct json_object *volumes = json_get_array(spec, "volumes");

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (json_get_bool(spec, fields[i], false))
            return error_set(err, ERROR_INVALID, REASON_TEMPLATE_HOST_FIELD, fields[i]);
    }
    for (size_t i = 0; i < length(volumes); i++) {
        const struct json_object *volume = json_object_array_get_idx(volumes, i);

        if (json_is(volume, json_type_object) &&
            json_object_object_get_ex(volume, "hostPath", NULL))
            return error_set(err, ERROR_INVALID, REASON_TEMPLATE_HOST_PATH);
    }
    return true;
}

static bool is_privileged(const struct json_object *container)
{
    return json_get_bool(json_get(container, "securityContext"), "privileged", false);
}

static bool check_privileged(const struct json_object *spec, const char *list, struct error *err)
{
    const struct json_object *containers = json_get_array(spec, list);

    for (size_t i = 0; i < length(containers); i++) {
        if (is_privileged(json_object_array_get_idx(containers, i)))
            return error_set(err, ERROR_INVALID, REASON_TEMPLATE_PRIVILEGED);
    }
    return true;
}

static bool has_host_port(const struct json_object *container)
{
    const struct json_object *ports = json_get_array(container, "ports");

    for (size_t i = 0; i < length(ports); i++) {
        if (json_get_int64(json_object_array_get_idx(ports, i), "hostPort", 0) != 0)
            return true;
    }
    return false;
}

static bool adds_capability(const struct json_object *context)
{
    const struct json_object *added = json_get_array(json_get(context, "capabilities"), "add");

    for (size_t i = 0; i < length(added); i++) {
        if (!is_one_of(json_text(json_object_array_get_idx(added, i)), capabilities,
                       ARRAY_SIZE(capabilities)))
            return true;
    }
    return false;
}

static bool is_selinux_set(const struct json_object *options)
{
    return !text_is_empty(json_get_text(options, "user")) ||
           !text_is_empty(json_get_text(options, "role")) ||
           !is_one_of(text_or(json_get_text(options, "type"), ""), selinux_types,
                      ARRAY_SIZE(selinux_types));
}

static bool is_unconfined(const struct json_object *context, const char *profile)
{
    return text_equal(json_get_text(json_get(context, profile), "type"), "Unconfined");
}

/* The field of a securityContext that baseline forbids; NULL: none. */
static const char *forbidden_in(const struct json_object *context)
{
    if (adds_capability(context))
        return "capabilities.add";
    if (!text_equal(text_or(json_get_text(context, "procMount"), "Default"), "Default"))
        return "procMount";
    if (is_selinux_set(json_get(context, "seLinuxOptions")))
        return "seLinuxOptions";
    if (is_unconfined(context, "seccompProfile"))
        return "seccompProfile";
    if (is_unconfined(context, "appArmorProfile"))
        return "appArmorProfile";
    if (json_get_bool(json_get(context, "windowsOptions"), "hostProcess", false))
        return "windowsOptions.hostProcess";
    return NULL;
}

/* The handler's field that names a host: what it asks is the kubelet, from the node. NULL: none. */
static const char *host_of(const struct json_object *handler)
{
    if (!text_is_empty(json_get_text(json_get(handler, "httpGet"), "host")))
        return "httpGet.host";
    if (!text_is_empty(json_get_text(json_get(handler, "tcpSocket"), "host")))
        return "tcpSocket.host";
    return NULL;
}

/* The first probe or hook of a container that asks another host, as "livenessProbe.httpGet.host" in
 * field; false: none. */
static bool asks_host(const struct json_object *container, char field[FIELD_SIZE])
{
    static const char *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"};
    static const char *const hooks[] = {"postStart", "preStop"};
    const struct json_object *lifecycle = json_get(container, "lifecycle");

    for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
        const char *host = host_of(json_get(container, probes[i]));

        if (host != NULL)
            return snprintf(field, FIELD_SIZE, "%s.%s", probes[i], host) > 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
        const char *host = host_of(json_get(lifecycle, hooks[i]));

        if (host != NULL)
            return snprintf(field, FIELD_SIZE, "lifecycle.%s.%s", hooks[i], host) > 0;
    }
    return false;
}

static bool check_containers(const struct json_object *containers, struct error *err)
{
    for (size_t i = 0; i < length(containers); i++) {
        const struct json_object *container = json_object_array_get_idx(containers, i);
        const char *name = text_or(json_get_text(container, "name"), "");
        const char *field = has_host_port(container) ? "hostPort" : NULL;
        char asked[FIELD_SIZE];

        if (field == NULL && asks_host(container, asked))
            field = asked;
        if (field == NULL && !text_equal(name, "agent")) /* whose securityContext is replaced */
            field = forbidden_in(json_get(container, "securityContext"));
        if (field != NULL)
            return error_set(err, ERROR_INVALID, REASON_TEMPLATE_BASELINE_CONTAINER, name, field);
    }
    return true;
}

static bool check_annotations(struct json_object *annotations, struct error *err)
{
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (annotations == NULL)
        return true;
    at = json_object_iter_begin(annotations);
    end = json_object_iter_end(annotations);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *value = text_or(json_text(json_object_iter_peek_value(&at)), "");

        if (text_starts_with(json_object_iter_peek_name(&at), APPARMOR_PREFIX) &&
            value[0] != '\0' && !text_equal(value, "runtime/default") &&
            !text_starts_with(value, "localhost/"))
            return error_set(err, ERROR_INVALID, REASON_TEMPLATE_BASELINE_ANNOTATION,
                             json_object_iter_peek_name(&at));
    }
    return true;
}

bool pod_security_check(const struct json_object *template, struct error *err)
{
    const struct json_object *spec = json_get(template, "spec");

    return check_pod(spec, err) && check_privileged(spec, "containers", err) &&
           check_privileged(spec, "ephemeralContainers", err) &&
           check_containers(json_get_array(spec, "containers"), err) &&
           check_annotations(json_get_object(json_get(template, "metadata"), "annotations"), err);
}
