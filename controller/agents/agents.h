/* agents - the lifecycle of Agents (RULES.md 3 and 4): follows them, reconciles them side by side
 * (4.5), and prunes their history, for as long as this replica leads. */
#ifndef CONTROLLER_AGENTS_AGENTS_H
#define CONTROLLER_AGENTS_AGENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/kube/kube.h"
#include "controller/runtime/runtime.h"
#include "controller/telemetry/metrics.h"

struct agents;

struct agents_options {
    const char *namespace_name; /* copied */
    const char *agent_image;    /* copied; of the init container */
    size_t output_bytes_max;    /* MAX_OUTPUT_BYTES */
    /* Asked immediately before each mutating request. */
    bool (*is_leader)(void *arg);
    void *arg;
};

/** Idle until agents_lead(). kube and metrics are borrowed and must outlive it. */
struct agents *agents_new(struct runtime *rt, struct kube *kube, struct metrics *metrics,
                          const struct agents_options *options) MUST_CHECK;
/** Frees it with all it has under way, calling nobody. Takes NULL. */
void agents_free(struct agents *agents);

/** Leadership begins: everything is listed and looked at from scratch, once the last write of an
 * earlier leadership of this replica has ended. since is the version of the write that made it
 * leader: a first listing that is older, where both are numbers, is asked for once more. With
 * after_a_lapse, when nobody knows what the leader before has sent, nothing is pruned at first
 * (RULES.md 13.12). */
void agents_lead(struct agents *agents, const char *since, bool after_a_lapse);
/** Leadership has ended: nothing new is begun; a write under way may end. */
void agents_stand_by(struct agents *agents);

/** Fewer than three polls in a row have failed (RULES.md 4.5); a standby is healthy. */
bool agents_is_healthy(const struct agents *agents);

/** Names what the writes of an ended leadership that are still under way are about: "hello, Station
 * narrow, and 3 more"; "none". */
void agents_name_writes(const struct agents *agents, struct buffer *into);

/** Orderly end: as agents_stand_by(), then done once from the loop when the last write has ended.
 * Call it once. */
void agents_stop(struct agents *agents, void (*done)(void *arg), void *arg);

#endif
