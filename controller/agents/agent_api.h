/* agent_api - the requests of the lifecycle: which resource, which query, which body (RULES.md 2.8,
 * 3.6). One function each; every one is a kube_send() whose handle may be cancelled. */
#ifndef CONTROLLER_AGENTS_AGENT_API_H
#define CONTROLLER_AGENTS_AGENT_API_H

#include <stddef.h>

#include "controller/kinds/agent.h"
#include "controller/kube/kube.h"

extern const struct kube_resource agent_api_agents;
extern const struct kube_resource agent_api_jobs;

/** Largest status patch that is built: the output with every byte escaped, and the rest. */
#define AGENT_PATCH_BYTES_MAX(output_bytes) (6 * (output_bytes) + (size_t)64 * 1024)

/** Where requests go, and who is told of their end. */
struct agent_api {
    struct kube *kube;
    const char *namespace_name;
};

struct kube_call *agent_api_get_agent(const struct agent_api *api, const char *name,
                                      void (*done)(void *arg, const struct kube_result *result),
                                      void *arg);
struct kube_call *agent_api_get_station(const struct agent_api *api, const char *name,
                                        void (*done)(void *arg, const struct kube_result *result),
                                        void *arg);
struct kube_call *agent_api_get_definition(const struct agent_api *api, const char *name,
                                           void (*done)(void *arg,
                                                        const struct kube_result *result),
                                           void *arg);

/** The status patch, on the condition that the Agent is at its resource_version still. */
struct kube_call *agent_api_patch(const struct agent_api *api, const struct agent *agent,
                                  const struct agent_change *change,
                                  void (*done)(void *arg, const struct kube_result *result),
                                  void *arg);

/** The deletion, on the same condition. */
struct kube_call *agent_api_delete(const struct agent_api *api, const struct agent *agent,
                                   void (*done)(void *arg, const struct kube_result *result),
                                   void *arg);

struct kube_call *agent_api_create_job(const struct agent_api *api, const char *job, size_t size,
                                       void (*done)(void *arg, const struct kube_result *result),
                                       void *arg);
struct kube_call *agent_api_get_job(const struct agent_api *api, const char *name,
                                    void (*done)(void *arg, const struct kube_result *result),
                                    void *arg);
/** A listing of no more than one Job's metadata: for the collection's resource version. */
struct kube_call *agent_api_ask_jobs_version(const struct agent_api *api,
                                             void (*done)(void *arg,
                                                          const struct kube_result *result),
                                             void *arg);
struct kube_call *agent_api_list_pods(const struct agent_api *api, const char *job,
                                      void (*done)(void *arg, const struct kube_result *result),
                                      void *arg);
/** The last text_bytes (1 at least) of the log of the container "agent". */
struct kube_call *agent_api_get_log(const struct agent_api *api, const char *pod, size_t text_bytes,
                                    void (*done)(void *arg, const struct kube_result *result),
                                    void *arg);

#endif
