#include "controller/spawner/spawner_api.h"

#include "controller/base/buffer.h"
#include "controller/base/json.h"

static const struct kube_resource spawners = {"agents.re-cinq.com", "v1beta1", "agentspawners"};
static const struct kube_resource agents = {"agents.re-cinq.com", "v1beta1", "agents"};
static const struct kube_resource secrets = {"", "v1", "secrets"};

static struct kube_call *get(const struct spawner_api *api, const struct kube_resource *resource,
                             const char *name,
                             void (*done)(void *arg, const struct kube_result *result), void *arg)
{
    const struct kube_request request = {
        .verb = KUBE_GET,
        .resource = resource,
        .namespace_name = api->namespace_name,
        .name = name,
    };

    return kube_send(api->kube, &request, done, arg);
}

struct kube_call *spawner_api_get(const struct spawner_api *api, const char *name,
                                  void (*done)(void *arg, const struct kube_result *result),
                                  void *arg)
{
    return get(api, &spawners, name, done, arg);
}

struct kube_call *spawner_api_get_secret(const struct spawner_api *api,
                                         void (*done)(void *arg, const struct kube_result *result),
                                         void *arg)
{
    return get(api, &secrets, "agent-secrets", done, arg);
}

struct kube_call *spawner_api_create_agent(
    const struct spawner_api *api, const char *agent, size_t size,
    void (*done)(void *arg, const struct kube_result *result), void *arg)
{
    const struct kube_request request = {
        .verb = KUBE_CREATE,
        .resource = &agents,
        .namespace_name = api->namespace_name,
        .body = agent,
        .body_size = size,
    };

    return kube_send(api->kube, &request, done, arg);
}

static void write_memory(const char *resource_version, const struct text_list *deliveries,
                         const char *last_agent, struct buffer *into)
{
    buffer_append_text(into, "{\"metadata\":{\"resourceVersion\":");
    json_append_quoted(into, resource_version, strlen(resource_version));
    buffer_append_text(into, "},\"status\":{\"recentDeliveries\":[");
    for (size_t i = 0; i < deliveries->count; i++) {
        buffer_append_text(into, i == 0 ? "" : ",");
        json_append_quoted(into, deliveries->items[i], strlen(deliveries->items[i]));
    }
    buffer_append_char(into, ']');
    if (last_agent != NULL) {
        buffer_append_text(into, ",\"lastAgent\":");
        json_append_quoted(into, last_agent, strlen(last_agent));
    }
    buffer_append_text(into, "}}");
}

struct kube_call *spawner_api_remember(const struct spawner_api *api, const char *name,
                                       const char *resource_version,
                                       const struct text_list *deliveries, const char *last_agent,
                                       void (*done)(void *arg, const struct kube_result *result),
                                       void *arg)
{
    struct buffer body = BUFFER_INIT(SPAWNER_BODY_BYTES_MAX);
    struct kube_request request = {
        .verb = KUBE_MERGE_PATCH,
        .resource = &spawners,
        .namespace_name = api->namespace_name,
        .name = name,
        .subresource = "status",
    };
    struct kube_call *call;

    write_memory(resource_version, deliveries, last_agent, &body);
    request.body = body.bytes;
    request.body_size = body.size;
    call = kube_send(api->kube, &request, done, arg);
    buffer_release(&body);
    return call;
}
