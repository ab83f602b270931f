/* spawner_api - the requests that spawners lead to: which resource, which body (RULES.md 8, 13.6).
 * One function each; every one is a kube_send() whose handle may be cancelled. */
#ifndef CONTROLLER_SPAWNER_SPAWNER_API_H
#define CONTROLLER_SPAWNER_SPAWNER_API_H

#include <stddef.h>

#include "controller/kinds/text_list.h"
#include "controller/kube/kube.h"

/** Largest Agent or patch that is built: etcd stores none of 2 MiB. */
#define SPAWNER_BODY_BYTES_MAX KUBE_OBJECT_BYTES_MAX

/** Where requests go. */
struct spawner_api {
    struct kube *kube;
    const char *namespace_name;
};

struct kube_call *spawner_api_get(const struct spawner_api *api, const char *name,
                                  void (*done)(void *arg, const struct kube_result *result),
                                  void *arg);
/** The Secret agent-secrets. */
struct kube_call *spawner_api_get_secret(const struct spawner_api *api,
                                         void (*done)(void *arg, const struct kube_result *result),
                                         void *arg);
/** Creates an Agent, from its JSON. */
struct kube_call *spawner_api_create_agent(
    const struct spawner_api *api, const char *agent, size_t size,
    void (*done)(void *arg, const struct kube_result *result), void *arg);
/** Writes status.recentDeliveries, and lastAgent unless NULL, on the condition that the spawner is
 * at that version still. */
struct kube_call *spawner_api_remember(const struct spawner_api *api, const char *name,
                                       const char *resource_version,
                                       const struct text_list *deliveries, const char *last_agent,
                                       void (*done)(void *arg, const struct kube_result *result),
                                       void *arg);

#endif
