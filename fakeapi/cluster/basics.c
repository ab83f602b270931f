/* basics - the objects of a new cluster. */
#include "fakeapi/cluster/basics.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet.h"

#define ACTOR "basics"
#define ROOT_CA "kube-root-ca.crt"
#define LEASE_NAMESPACE "kube-node-lease"

/* As kubelets do. */
#define HEARTBEAT_US (10 * INT64_C(1000000))

struct basics {
    const struct cluster_context *context;
    char *ca_pem;
    struct timer *heartbeat; /* NULL: none */
};

/* --- making --- */

/* Creates from JSON unless it is there. Our own texts are good: a test makes them all. */
static const struct store_object *make(struct basics *basics, const char *group, const char *plural,
                                       const char *namespace, struct json_object *tree)
{
    const struct cluster_context *context = basics->context;
    const struct rest_target target = {.group = group, .plural = plural, .namespace = namespace};
    const struct store_object *object = NULL;
    struct error err = ERROR_INIT;

    /* One that is there already, or whose namespace is on its way out, is as wanted. */
    if (!rest_create_owned(context->rest, &target, tree, &object, &err))
        return NULL;
    return object;
}

static struct json_object *parse(const char *json)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(json, strlen(json), 64 * 1024, &tree, &err))
        abort();
    return tree;
}

static bool is_there(const struct basics *basics, const char *plural, const char *namespace,
                     const char *name)
{
    return store_get(store_find_resource(basics->context->store, "", plural), namespace, name) !=
           NULL;
}

static void make_account(struct basics *basics, const char *namespace)
{
    if (!is_there(basics, "serviceaccounts", namespace, "default"))
        (void)make(basics, "", "serviceaccounts", namespace,
                   parse("{\"metadata\":{\"name\":\"default\"}}"));
}

static void make_root_ca(struct basics *basics, const char *namespace)
{
    struct json_object *tree;

    if (is_there(basics, "configmaps", namespace, ROOT_CA))
        return;
    tree = parse("{\"metadata\":{\"name\":\"" ROOT_CA
                 "\",\"annotations\":{\"kubernetes.io/description\":\"Contains a CA bundle that "
                 "can be used to verify the kube-apiserver when using internal endpoints such as "
                 "the internal service IP or kubernetes.default.svc. No other usage is guaranteed "
                 "across distributions of Kubernetes clusters.\"}}}");
    json_set_text(json_ensure_object(tree, "data"), "ca.crt", basics->ca_pem);
    (void)make(basics, "", "configmaps", namespace, tree);
}

static void make_service(struct basics *basics)
{
    if (!is_there(basics, "services", "default", "kubernetes"))
        (void)make(basics, "", "services", "default",
                   parse("{\"metadata\":{\"name\":\"kubernetes\",\"labels\":{\"component\":"
                         "\"apiserver\",\"provider\":\"kubernetes\"}},\"spec\":{\"type\":"
                         "\"ClusterIP\",\"clusterIP\":\"10.96.0.1\",\"clusterIPs\":["
                         "\"10.96.0.1\"],\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\","
                         "\"port\":443,\"targetPort\":6443}]}}"));
}

/* --- the node --- */

static const char node_json[] =
    "{\"metadata\":{\"name\":\"" KUBELET_NODE "\",\"labels\":{\"beta.kubernetes.io/arch\":"
    "\"amd64\",\"beta.kubernetes.io/os\":\"linux\",\"kubernetes.io/arch\":\"amd64\","
    "\"kubernetes.io/hostname\":\"" KUBELET_NODE "\",\"kubernetes.io/os\":\"linux\"}},"
    "\"spec\":{\"podCIDR\":\"10.0.0.0/8\",\"podCIDRs\":[\"10.0.0.0/8\"]},"
    "\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"192.168.0.1\"},"
    "{\"type\":\"Hostname\",\"address\":\"" KUBELET_NODE "\"}],"
    "\"allocatable\":{\"cpu\":\"1k\",\"ephemeral-storage\":\"1Ti\",\"memory\":\"1Ti\","
    "\"pods\":\"100k\"},\"capacity\":{\"cpu\":\"1k\",\"ephemeral-storage\":\"1Ti\","
    "\"memory\":\"1Ti\",\"pods\":\"100k\"},"
    "\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10250}},"
    "\"nodeInfo\":{\"architecture\":\"amd64\",\"bootID\":\"\",\"containerRuntimeVersion\":"
    "\"containerd://1.7.27\",\"kernelVersion\":\"6.1.0\",\"kubeProxyVersion\":\"v1.32.4\","
    "\"kubeletVersion\":\"v1.32.4\",\"machineID\":\"\",\"operatingSystem\":\"linux\","
    "\"osImage\":\"fakeapi\",\"systemUUID\":\"\"}}}";

static void add_condition(struct json_object *list, const char *type, bool holds,
                          const char *reason, const char *message, int64_t now_us)
{
    struct json_object *condition = json_object_new_object();

    json_set_text(condition, "type", type);
    json_set_text(condition, "status", holds ? "True" : "False");
    cluster_set_time(condition, "lastHeartbeatTime", now_us);
    cluster_set_time(condition, "lastTransitionTime", now_us);
    json_set_text(condition, "reason", reason);
    json_set_text(condition, "message", message);
    json_add(list, condition);
}

static struct json_object *node_tree(int64_t now_us)
{
    struct json_object *tree = parse(node_json);
    struct json_object *list = json_object_new_array();

    add_condition(list, "MemoryPressure", false, "KubeletHasSufficientMemory",
                  "kubelet has sufficient memory available", now_us);
    add_condition(list, "DiskPressure", false, "KubeletHasNoDiskPressure",
                  "kubelet has no disk pressure", now_us);
    add_condition(list, "PIDPressure", false, "KubeletHasSufficientPID",
                  "kubelet has sufficient PID available", now_us);
    add_condition(list, "Ready", true, "KubeletReady", "kubelet is posting ready status", now_us);
    json_set(json_get(tree, "status"), "conditions", list);
    return tree;
}

static void set_renew_time(const struct basics *basics, struct json_object *spec)
{
    char text[TIME_TEXT_SIZE];

    time_format_micro(runtime_wall_us(basics->context->rt), text);
    json_set_text(spec, "renewTime", text);
}

static void make_lease(struct basics *basics, const struct store_object *node)
{
    struct json_object *tree = parse("{\"metadata\":{\"name\":\"" KUBELET_NODE
                                     "\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
                                     "\"Node\",\"name\":\"" KUBELET_NODE
                                     "\"}]},\"spec\":{\"holderIdentity\":\"" KUBELET_NODE
                                     "\",\"leaseDurationSeconds\":40}}");
    struct json_object *owners = json_walk(tree, "metadata", "ownerReferences", NULL);

    json_set_text(json_object_array_get_idx(owners, 0), "uid", node->uid);
    set_renew_time(basics, json_get(tree, "spec"));
    (void)make(basics, "coordination.k8s.io", "leases", LEASE_NAMESPACE, tree);
}

static void make_node(struct basics *basics)
{
    const struct store_object *node;

    if (is_there(basics, "nodes", NULL, KUBELET_NODE))
        return;
    node = make(basics, "", "nodes", NULL, node_tree(runtime_wall_us(basics->context->rt)));
    if (node != NULL)
        make_lease(basics, node);
}

static void on_heartbeat(void *arg)
{
    struct basics *basics = arg;
    struct store_resource *leases =
        store_find_resource(basics->context->store, "coordination.k8s.io", "leases");
    const struct store_object *lease = store_get(leases, LEASE_NAMESPACE, KUBELET_NODE);
    struct json_object *patch;

    basics->heartbeat = runtime_after(basics->context->rt, HEARTBEAT_US, on_heartbeat, basics);
    if (lease == NULL)
        return;
    patch = json_object_new_object();
    set_renew_time(basics, json_ensure_object(patch, "spec"));
    (void)cluster_patch(basics->context, ACTOR, leases, lease, patch);
}

void basics_heartbeat(struct basics *basics, bool on)
{
    timer_cancel(basics->heartbeat);
    basics->heartbeat = NULL;
    if (on)
        basics->heartbeat = runtime_after(basics->context->rt, HEARTBEAT_US, on_heartbeat, basics);
}

/* --- told of changes --- */

static bool is_alive(const struct basics *basics, const char *namespace)
{
    const struct store_object *object =
        store_get(store_find_resource(basics->context->store, "", "namespaces"), NULL, namespace);

    return object != NULL && !object->deleting;
}

void basics_start(struct basics *basics)
{
    make_node(basics);
    make_service(basics);
}

void basics_see(struct basics *basics, struct store_resource *resource,
                const struct store_object *object)
{
    char *name;

    if (!cluster_is_resource(resource, "", "namespaces") || object->deleting)
        return;
    name = xstrdup(object->name);
    make_account(basics, name);
    make_root_ca(basics, name);
    free(name);
}

/* What was deleted, or changed, of a namespace's own. */
static void see_gone(struct basics *basics, const struct store_event *event)
{
    const struct store_object *object = event->object;

    if (!is_alive(basics, object->namespace))
        return;
    if (strcmp(object->name, "default") == 0 &&
        cluster_is_resource(event->resource, "", "serviceaccounts"))
        make_account(basics, object->namespace);
    else if (strcmp(object->name, ROOT_CA) == 0 &&
             cluster_is_resource(event->resource, "", "configmaps"))
        make_root_ca(basics, object->namespace);
    else if (strcmp(object->name, "kubernetes") == 0 && strcmp(object->namespace, "default") == 0 &&
             cluster_is_resource(event->resource, "", "services"))
        make_service(basics);
}

void basics_note(struct basics *basics, const struct store_event *event)
{
    if (event->change == STORE_ADDED)
        basics_see(basics, event->resource, event->object);
    else if (event->change == STORE_DELETED && event->object->namespace[0] != '\0')
        see_gone(basics, event);
}

struct basics *basics_new(const struct cluster_context *context, const char *ca_pem)
{
    struct basics *basics = xcalloc(1, sizeof(*basics));

    basics->context = context;
    basics->ca_pem = xstrdup(text_or(ca_pem, ""));
    return basics;
}

void basics_free(struct basics *basics)
{
    if (basics == NULL)
        return;
    timer_cancel(basics->heartbeat);
    free(basics->ca_pem);
    free(basics);
}
