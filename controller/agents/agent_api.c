#include "controller/agents/agent_api.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/url.h"

/* Largest query or DeleteOptions: names and versions are far shorter. */
#define REQUEST_TEXT_MAX 4096
#define METADATA_ACCEPT "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

const struct kube_resource agent_api_agents = {"agents.re-cinq.com", "v1beta1", "agents"};
static const struct kube_resource stations = {"agents.re-cinq.com", "v1beta1", "stations"};
static const struct kube_resource definitions = {"agents.re-cinq.com", "v1beta1",
                                                 "agentdefinitions"};
const struct kube_resource agent_api_jobs = {"batch", "v1", "jobs"};
static const struct kube_resource pods = {"", "v1", "pods"};

static struct kube_call *get(const struct agent_api *api, const struct kube_resource *resource,
                             const char *name,
                             void (*done)(void *arg, const struct kube_result *result), void *arg)
{
    struct kube_request request = {
        .verb = KUBE_GET,
        .resource = resource,
        .namespace_name = api->namespace_name,
        .name = name,
    };

    return kube_send(api->kube, &request, done, arg);
}

struct kube_call *agent_api_get_agent(const struct agent_api *api, const char *name,
                                      void (*done)(void *arg, const struct kube_result *result),
                                      void *arg)
{
    return get(api, &agent_api_agents, name, done, arg);
}

struct kube_call *agent_api_get_station(const struct agent_api *api, const char *name,
                                        void (*done)(void *arg, const struct kube_result *result),
                                        void *arg)
{
    return get(api, &stations, name, done, arg);
}

struct kube_call *agent_api_get_definition(const struct agent_api *api, const char *name,
                                           void (*done)(void *arg,
                                                        const struct kube_result *result),
                                           void *arg)
{
    return get(api, &definitions, name, done, arg);
}

struct kube_call *agent_api_get_job(const struct agent_api *api, const char *name,
                                    void (*done)(void *arg, const struct kube_result *result),
                                    void *arg)
{
    return get(api, &agent_api_jobs, name, done, arg);
}

struct kube_call *agent_api_patch(const struct agent_api *api, const struct agent *agent,
                                  const struct agent_change *change,
                                  void (*done)(void *arg, const struct kube_result *result),
                                  void *arg)
{
    struct buffer body = BUFFER_INIT(AGENT_PATCH_BYTES_MAX(change->output_size));
    struct kube_request request = {
        .verb = KUBE_MERGE_PATCH,
        .resource = &agent_api_agents,
        .namespace_name = api->namespace_name,
        .name = agent->name,
        .subresource = "status",
    };
    struct kube_call *call;

    agent_change_write(change, agent->resource_version, &body);
    request.body = body.bytes;
    request.body_size = body.size;
    call = kube_send(api->kube, &request, done, arg);
    buffer_release(&body);
    return call;
}

struct kube_call *agent_api_delete(const struct agent_api *api, const struct agent *agent,
                                   void (*done)(void *arg, const struct kube_result *result),
                                   void *arg)
{
    struct buffer body = BUFFER_INIT(REQUEST_TEXT_MAX);
    struct kube_request request = {
        .verb = KUBE_DELETE,
        .resource = &agent_api_agents,
        .namespace_name = api->namespace_name,
        .name = agent->name,
    };
    struct kube_call *call;

    buffer_append_text(&body, "{\"apiVersion\":\"meta.k8s.io/v1\",\"kind\":\"DeleteOptions\","
                              "\"preconditions\":{\"uid\":");
    json_append_quoted(&body, agent->uid, strlen(agent->uid));
    buffer_append_text(&body, ",\"resourceVersion\":");
    json_append_quoted(&body, agent->resource_version, strlen(agent->resource_version));
    buffer_append_text(&body, "}}");
    request.body = body.bytes;
    request.body_size = body.size;
    call = kube_send(api->kube, &request, done, arg);
    buffer_release(&body);
    return call;
}

struct kube_call *agent_api_create_job(const struct agent_api *api, const char *job, size_t size,
                                       void (*done)(void *arg, const struct kube_result *result),
                                       void *arg)
{
    struct kube_request request = {
        .verb = KUBE_CREATE,
        .resource = &agent_api_jobs,
        .namespace_name = api->namespace_name,
        .body = job,
        .body_size = size,
    };

    return kube_send(api->kube, &request, done, arg);
}

struct kube_call *agent_api_ask_jobs_version(const struct agent_api *api,
                                             void (*done)(void *arg,
                                                          const struct kube_result *result),
                                             void *arg)
{
    struct kube_request request = {
        .verb = KUBE_LIST,
        .resource = &agent_api_jobs,
        .namespace_name = api->namespace_name,
        .query = "limit=1",
        .few = true,
        .accept = METADATA_ACCEPT,
    };

    return kube_send(api->kube, &request, done, arg);
}

struct kube_call *agent_api_list_pods(const struct agent_api *api, const char *job,
                                      void (*done)(void *arg, const struct kube_result *result),
                                      void *arg)
{
    struct buffer query = BUFFER_INIT(REQUEST_TEXT_MAX);
    struct kube_request request = {
        .verb = KUBE_LIST,
        .resource = &pods,
        .namespace_name = api->namespace_name,
        .few = true, /* of a Job that is never tried twice, but anybody can label more so */
    };
    struct kube_call *call;

    buffer_append_text(&query, "labelSelector=job-name%3D");
    url_append_encoded(&query, job);
    request.query = buffer_text(&query);
    call = kube_send(api->kube, &request, done, arg);
    buffer_release(&query);
    return call;
}

struct kube_call *agent_api_get_log(const struct agent_api *api, const char *pod, size_t text_bytes,
                                    void (*done)(void *arg, const struct kube_result *result),
                                    void *arg)
{
    struct kube_request request = {
        .verb = KUBE_GET,
        .resource = &pods,
        .namespace_name = api->namespace_name,
        .name = pod,
        .subresource = "log",
        .query = "container=agent&tailLines=10000",
        .text_bytes = text_bytes,
    };

    return kube_send(api->kube, &request, done, arg);
}
