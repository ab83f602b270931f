/* defaults - filling in what clients leave out, as far as they compare it afterwards. */
#include "fakeapi/rest/defaults.h"

#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/* --- setting what is absent --- */

static void text_default(struct json_object *object, const char *key, const char *value)
{
    if (json_get(object, key) == NULL)
        json_set_text(object, key, value);
}

/* As text_default, where an empty text counts as absent too. */
static void filled_default(struct json_object *object, const char *key, const char *value)
{
    if (text_is_empty(json_get_text(object, key)))
        json_set_text(object, key, value);
}

static void number_default(struct json_object *object, const char *key, int64_t value)
{
    if (json_get(object, key) == NULL)
        json_set_int64(object, key, value);
}

static void bool_default(struct json_object *object, const char *key, bool value)
{
    if (json_get(object, key) == NULL)
        json_set_bool(object, key, value);
}

static void object_default(struct json_object *object, const char *key)
{
    if (json_get(object, key) == NULL)
        json_set(object, key, json_object_new_object());
}

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* Calls fn for each object in the list of that name. */
static void each(struct json_object *object, const char *key, void (*fn)(struct json_object *item))
{
    struct json_object *list = json_get_array(object, key);

    for (size_t i = 0; i < list_count(list); i++) {
        struct json_object *item = json_object_array_get_idx(list, i);

        if (json_is(item, json_type_object))
            fn(item);
    }
}

/* --- pods --- */

static void default_port(struct json_object *port)
{
    text_default(port, "protocol", "TCP");
}

static void default_env(struct json_object *variable)
{
    struct json_object *field = json_get_object(json_get(variable, "valueFrom"), "fieldRef");

    if (field != NULL)
        text_default(field, "apiVersion", "v1");
}

static void default_probe(struct json_object *container, const char *key)
{
    struct json_object *probe = json_get_object(container, key);
    struct json_object *http = json_get_object(probe, "httpGet");

    if (probe == NULL)
        return;
    number_default(probe, "timeoutSeconds", 1);
    number_default(probe, "periodSeconds", 10);
    number_default(probe, "successThreshold", 1);
    number_default(probe, "failureThreshold", 3);
    if (http == NULL)
        return;
    text_default(http, "scheme", "HTTP");
    text_default(http, "path", "/");
}

/* The tag behind the last ':' that is not of a port; NULL when there is none. */
static const char *image_tag(const char *image)
{
    const char *slash = strrchr(image, '/');
    const char *colon = strrchr(slash == NULL ? image : slash, ':');

    return colon == NULL ? NULL : colon + 1;
}

static const char *pull_policy(const char *image)
{
    const char *tag = image_tag(image);

    if (strchr(image, '@') != NULL)
        return "IfNotPresent";
    return tag == NULL || strcmp(tag, "latest") == 0 ? "Always" : "IfNotPresent";
}

static void default_container(struct json_object *container)
{
    text_default(container, "terminationMessagePath", "/dev/termination-log");
    text_default(container, "terminationMessagePolicy", "File");
    filled_default(container, "imagePullPolicy",
                   pull_policy(text_or(json_get_text(container, "image"), "")));
    object_default(container, "resources");
    each(container, "ports", default_port);
    each(container, "env", default_env);
    default_probe(container, "livenessProbe");
    default_probe(container, "readinessProbe");
    default_probe(container, "startupProbe");
}

static void default_volume(struct json_object *volume)
{
    static const char *const with_mode[] = {"secret", "configMap", "projected", "downwardAPI"};
    struct json_object *host_path = json_get_object(volume, "hostPath");

    for (size_t i = 0; i < ARRAY_SIZE(with_mode); i++) {
        struct json_object *source = json_get_object(volume, with_mode[i]);

        if (source != NULL)
            number_default(source, "defaultMode", 420);
    }
    if (host_path != NULL)
        text_default(host_path, "type", "");
    if (json_object_object_length(volume) == (json_get(volume, "name") == NULL ? 0 : 1))
        object_default(volume, "emptyDir");
}

/* Requests that are absent equal the limits. */
static void default_requests(struct json_object *container)
{
    struct json_object *resources = json_get_object(container, "resources");
    struct json_object *limits = json_get_object(resources, "limits");

    if (limits == NULL)
        return;
    json_object_object_foreach(limits, name, limit)
    {
        struct json_object *requests = json_ensure_object(resources, "requests");

        if (json_get(requests, name) == NULL)
            json_set(requests, name, json_copy(limit));
    }
}

/* What a pod and a pod template have in common. */
static void default_pod_spec(struct json_object *spec)
{
    text_default(spec, "restartPolicy", "Always");
    text_default(spec, "dnsPolicy", "ClusterFirst");
    number_default(spec, "terminationGracePeriodSeconds", 30);
    text_default(spec, "schedulerName", "default-scheduler");
    object_default(spec, "securityContext");
    if (!text_is_empty(json_get_text(spec, "serviceAccountName")))
        text_default(spec, "serviceAccount", json_get_text(spec, "serviceAccountName"));
    else if (!text_is_empty(json_get_text(spec, "serviceAccount")))
        json_set_text(spec, "serviceAccountName", json_get_text(spec, "serviceAccount"));
    each(spec, "containers", default_container);
    each(spec, "initContainers", default_container);
    each(spec, "volumes", default_volume);
}

/* A template says when it was created: never. */
static void default_template_metadata(struct json_object *template)
{
    json_object_object_add(json_ensure_object(template, "metadata"), "creationTimestamp", NULL);
}

void defaults_pod_template(struct json_object *template)
{
    default_template_metadata(template);
    default_pod_spec(json_ensure_object(template, "spec"));
}

static void add_toleration(struct json_object *spec, const char *key)
{
    struct json_object *list = json_get_array(spec, "tolerations");
    struct json_object *toleration;

    for (size_t i = 0; i < list_count(list); i++)
        if (text_equal(json_get_text(json_object_array_get_idx(list, i), "key"), key))
            return;
    if (list == NULL) {
        list = json_object_new_array();
        json_set(spec, "tolerations", list);
    }
    toleration = json_object_new_object();
    json_set_text(toleration, "key", key);
    json_set_text(toleration, "operator", "Exists");
    json_set_text(toleration, "effect", "NoExecute");
    json_set_int64(toleration, "tolerationSeconds", 300);
    json_add(list, toleration);
}

static bool has_quantity(const struct json_object *container, const char *which, const char *name)
{
    return json_get(json_get(json_get(container, "resources"), which), name) != NULL;
}

/* Guaranteed, Burstable or BestEffort (K26); requests that are absent equal the limits. */
static const char *quality_of_service(const struct json_object *spec)
{
    static const char *const names[] = {"cpu", "memory"};
    struct json_object *containers = json_get_array(spec, "containers");
    bool any = false;
    bool guaranteed = true;

    for (size_t i = 0; i < list_count(containers); i++) {
        const struct json_object *container = json_object_array_get_idx(containers, i);
        const struct json_object *resources = json_get(container, "resources");

        for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
            bool limited = has_quantity(container, "limits", names[k]);
            bool requested = has_quantity(container, "requests", names[k]);

            any = any || limited || requested;
            if (!limited ||
                (requested && !json_equal(json_get(json_get(resources, "limits"), names[k]),
                                          json_get(json_get(resources, "requests"), names[k]))))
                guaranteed = false;
        }
    }
    if (!any)
        return "BestEffort";
    return guaranteed ? "Guaranteed" : "Burstable";
}

void defaults_pod(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");

    default_pod_spec(spec);
    each(spec, "containers", default_requests);
    each(spec, "initContainers", default_requests);
    if (old != NULL)
        return;
    bool_default(spec, "enableServiceLinks", true);
    filled_default(spec, "serviceAccountName", "default");
    filled_default(spec, "serviceAccount", json_get_text(spec, "serviceAccountName"));
    text_default(spec, "preemptionPolicy", "PreemptLowerPriority");
    number_default(spec, "priority", 0);
    add_toleration(spec, "node.kubernetes.io/not-ready");
    add_toleration(spec, "node.kubernetes.io/unreachable");
    json_set_text(json_ensure_object(tree, "status"), "phase", "Pending");
    json_set_text(json_ensure_object(tree, "status"), "qosClass", quality_of_service(spec));
}

/* --- jobs --- */

/* The selector and the labels that join a Job to its pods. */
static void generate_job_labels(struct json_object *tree, struct json_object *spec)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    const char *uid = json_get_text(metadata, "uid");
    const char *name = json_get_text(metadata, "name");
    struct json_object *selector = json_ensure_object(spec, "selector");
    struct json_object *template = json_ensure_object(spec, "template");
    struct json_object *labels =
        json_ensure_object(json_ensure_object(template, "metadata"), "labels");

    json_set_text(json_ensure_object(selector, "matchLabels"), "batch.kubernetes.io/controller-uid",
                  uid);
    json_set_text(labels, "batch.kubernetes.io/controller-uid", uid);
    json_set_text(labels, "batch.kubernetes.io/job-name", name);
    json_set_text(labels, "controller-uid", uid);
    json_set_text(labels, "job-name", name);
}

static void default_pattern(struct json_object *pattern)
{
    text_default(pattern, "status", "True");
}

static void default_policy_rule(struct json_object *rule)
{
    each(rule, "onPodConditions", default_pattern);
}

static void default_job_spec(struct json_object *spec)
{
    if (json_get(spec, "completions") == NULL && json_get(spec, "parallelism") == NULL)
        json_set_int64(spec, "completions", 1);
    number_default(spec, "parallelism", 1);
    number_default(spec, "backoffLimit",
                   json_get(spec, "backoffLimitPerIndex") == NULL ? 6 : INT32_MAX);
    text_default(spec, "completionMode", "NonIndexed");
    bool_default(spec, "suspend", false);
    text_default(spec, "podReplacementPolicy",
                 json_get(spec, "podFailurePolicy") == NULL ? "TerminatingOrFailed" : "Failed");
    each(json_get_object(spec, "podFailurePolicy"), "rules", default_policy_rule);
    defaults_pod_template(json_ensure_object(spec, "template"));
    bool_default(spec, "manualSelector", false);
}

/* A Job without labels has those of its template. */
static void default_job_labels(struct json_object *tree, const struct json_object *spec)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    const struct json_object *labels = json_get_object(metadata, "labels");
    const struct json_object *own =
        json_get_object(json_walk(spec, "template", "metadata", NULL), "labels");

    if (own != NULL && (labels == NULL || json_object_object_length(labels) == 0))
        json_set(metadata, "labels", json_copy(own));
}

void defaults_job(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");

    default_job_spec(spec);
    object_default(tree, "status");
    /* A selector of the client's own stays, and check_job refuses it. */
    if (old == NULL && !json_get_bool(spec, "manualSelector", false) &&
        json_get(spec, "selector") == NULL)
        generate_job_labels(tree, spec);
    default_job_labels(tree, spec);
}

void defaults_cron_job(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");
    struct json_object *template = json_ensure_object(spec, "jobTemplate");
    struct json_object *job = json_ensure_object(template, "spec");

    (void)old;
    text_default(spec, "concurrencyPolicy", "Allow");
    bool_default(spec, "suspend", false);
    number_default(spec, "successfulJobsHistoryLimit", 3);
    number_default(spec, "failedJobsHistoryLimit", 1);
    default_template_metadata(template);
    defaults_pod_template(json_ensure_object(job, "template"));
    object_default(tree, "status");
}

/* --- the others --- */

void defaults_namespace(struct json_object *tree, const struct json_object *old)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct json_object *spec = json_ensure_object(tree, "spec");
    const char *name = json_get_text(metadata, "name");

    if (!text_is_empty(name)) /* without one it is refused (C12) */
        json_set_text(json_ensure_object(metadata, "labels"), "kubernetes.io/metadata.name", name);
    if (old != NULL)
        return;
    if (json_get(spec, "finalizers") == NULL) {
        struct json_object *finalizers = json_object_new_array();

        json_add(finalizers, json_object_new_string("kubernetes"));
        json_set(spec, "finalizers", finalizers);
    }
    json_set_text(json_ensure_object(tree, "status"), "phase", "Active");
}

/* stringData is folded into data and never returned. */
static void fold_string_data(struct json_object *tree, struct json_object *texts)
{
    struct json_object *data = json_ensure_object(tree, "data");
    struct json_object_iterator at = json_object_iter_begin(texts);
    struct json_object_iterator end = json_object_iter_end(texts);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *value = json_object_iter_peek_value(&at);

        if (json_is(value, json_type_string)) {
            char *encoded = base64_encode(json_object_get_string(value),
                                          (size_t)json_object_get_string_len(value), false);

            json_set_text(data, json_object_iter_peek_name(&at), encoded);
            free(encoded);
        }
    }
    json_object_object_del(tree, "stringData");
}

void defaults_secret(struct json_object *tree, const struct json_object *old)
{
    struct json_object *texts = json_get_object(tree, "stringData");

    (void)old;
    filled_default(tree, "type", "Opaque");
    if (texts != NULL)
        fold_string_data(tree, texts);
}

static void default_service_port(struct json_object *port)
{
    text_default(port, "protocol", "TCP");
    if (json_get(port, "targetPort") == NULL)
        json_set_int64(port, "targetPort", json_get_int64(port, "port", 0));
}

/* An address of the service network that follows from the uid, so that it is unique enough. */
static void allocate_address(struct json_object *tree, struct json_object *spec)
{
    const char *uid = text_or(json_get_text(json_get(tree, "metadata"), "uid"), "");
    uint64_t hash = digest_fnv1a64(uid, strlen(uid));
    struct json_object *addresses = json_object_new_array();
    char address[20];

    snprintf(address, sizeof(address), "10.96.%u.%u", (unsigned)(hash >> 8) % 255U,
             1U + (unsigned)(hash >> 32) % 254U);
    json_set_text(spec, "clusterIP", address);
    json_add(addresses, json_object_new_string(address));
    json_set(spec, "clusterIPs", addresses);
}

/* What an update leaves out stays, unless the service had no address before. */
static void keep_addresses(struct json_object *spec, const struct json_object *before)
{
    const char *address = json_get_text(before, "clusterIP");

    if (text_is_empty(address))
        return;
    filled_default(spec, "clusterIP", address);
    if (json_get_array(spec, "clusterIPs") == NULL &&
        text_equal(json_get_text(spec, "clusterIP"), address))
        json_set(spec, "clusterIPs", json_copy(json_get(before, "clusterIPs")));
}

/* Says the address as a list too; the one that was changed alone is meant. */
static void set_addresses(struct json_object *spec, const struct json_object *before)
{
    struct json_object *list = json_get_array(spec, "clusterIPs");
    const char *address = json_get_text(spec, "clusterIP");
    bool changed = before != NULL && json_equal(list, json_get(before, "clusterIPs")) &&
                   !text_equal(address, json_get_text(before, "clusterIP"));

    if (list != NULL && !changed)
        return;
    list = json_object_new_array();
    json_add(list, json_object_new_string(address));
    json_set(spec, "clusterIPs", list);
}

void defaults_service(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");

    text_default(spec, "type", "ClusterIP");
    text_default(spec, "sessionAffinity", "None");
    each(spec, "ports", default_service_port);
    if (strcmp(text_or(json_get_text(spec, "type"), ""), "ExternalName") == 0)
        return;
    text_default(spec, "internalTrafficPolicy", "Cluster");
    text_default(spec, "ipFamilyPolicy", "SingleStack");
    if (json_get(spec, "ipFamilies") == NULL) {
        struct json_object *families = json_object_new_array();

        json_add(families, json_object_new_string("IPv4"));
        json_set(spec, "ipFamilies", families);
    }
    if (old != NULL)
        keep_addresses(spec, json_get(old, "spec"));
    if (text_is_empty(json_get_text(spec, "clusterIP")))
        allocate_address(tree, spec);
    else
        set_addresses(spec, json_get(old, "spec"));
    if (old == NULL)
        object_default(json_ensure_object(tree, "status"), "loadBalancer");
}

void defaults_lease(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    object_default(tree, "spec");
}

static void default_subject(struct json_object *subject)
{
    const char *kind = json_get_text(subject, "kind");

    if (text_equal(kind, "User") || text_equal(kind, "Group"))
        text_default(subject, "apiGroup", "rbac.authorization.k8s.io");
}

/* Empty lists are not stored as such: a list that must be there is null. */
void defaults_role(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    if (list_count(json_get_array(tree, "rules")) == 0)
        json_set(tree, "rules", NULL);
}

static void keep_name(struct json_object *reference)
{
    struct json_object *name = json_object_get(json_get(reference, "name"));

    json_object_object_foreach(reference, key, value)
    {
        (void)value;
        json_object_object_del(reference, key);
    }
    if (name != NULL)
        json_set(reference, "name", name);
}

void defaults_service_account(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    each(tree, "secrets", keep_name);
}

void defaults_role_binding(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    filled_default(json_ensure_object(tree, "roleRef"), "apiGroup", "rbac.authorization.k8s.io");
    each(tree, "subjects", default_subject);
}

/* The version that objects are written in; NULL when none says so. */
static const char *storage_version(const struct json_object *spec)
{
    struct json_object *versions = json_get_array(spec, "versions");

    for (size_t i = 0; i < list_count(versions); i++) {
        struct json_object *version = json_object_array_get_idx(versions, i);

        if (json_get_bool(version, "storage", false))
            return json_get_text(version, "name");
    }
    return NULL;
}

/* All versions that objects were ever written in (R2, R6). */
static void note_stored_version(struct json_object *status, const char *name)
{
    struct json_object *stored = json_get_array(status, "storedVersions");

    if (stored == NULL) {
        stored = json_object_new_array();
        json_set(status, "storedVersions", stored);
    }
    for (size_t i = 0; i < list_count(stored); i++)
        if (text_equal(json_text(json_object_array_get_idx(stored, i)), name))
            return;
    if (name != NULL)
        json_add(stored, json_object_new_string(name));
}

static char *lower_case(const char *text)
{
    char *lower = xstrdup(text);

    for (char *at = lower; *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + ('a' - 'A'));
    return lower;
}

void defaults_crd(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");
    struct json_object *names = json_ensure_object(spec, "names");
    struct json_object *status = json_ensure_object(tree, "status");
    const char *kind = text_or(json_get_text(names, "kind"), "");
    char *singular = lower_case(kind);
    char *list_kind = xprintf("%sList", kind);

    filled_default(names, "singular", singular);
    filled_default(names, "listKind", list_kind);
    text_default(json_ensure_object(spec, "conversion"), "strategy", "None");
    free(singular);
    free(list_kind);
    if (old == NULL) {
        struct json_object *accepted = json_ensure_object(status, "acceptedNames");

        json_set_text(accepted, "plural", "");
        json_set_text(accepted, "kind", "");
        json_set(status, "conditions", NULL);
    }
    note_stored_version(status, storage_version(spec));
}
