/* webhook - GitHub's deliveries become Agents, on every replica (RULES.md 8.5, 13.6).
 *
 * A delivery is taken in whole, within a budget that all share. Then its spawner and the key are
 * read: one reading serves all deliveries to that spawner which came before it began, so that what
 * decides is never older than the delivery, and a flood costs the API server no more than one
 * reading at a time. Agents are created some side by side; deliveries of one spawner that wait to
 * be recorded share one write. Until a signature holds, an answer has no body. */
#ifndef CONTROLLER_SPAWNER_WEBHOOK_H
#define CONTROLLER_SPAWNER_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/kube/kube.h"
#include "controller/runtime/runtime.h"
#include "controller/telemetry/metrics.h"

/** What bodies of deliveries that are not answered yet take together, at most. */
#define WEBHOOK_BUDGET_BYTES ((size_t)48 * 1024 * 1024)

struct webhook;

struct webhook_options {
    const char *namespace_name; /* copied */
    const char *address;        /* NULL: every address ("0.0.0.0") */
    uint16_t port;              /* 0: any free one */
};

/** Listens. kube and metrics are borrowed and must outlive it. Errors are those of
 * runtime_listen(). */
bool webhook_new(struct runtime *rt, struct kube *kube, struct metrics *metrics,
                 const struct webhook_options *options, struct webhook **ret_webhook,
                 struct error *err) MUST_CHECK;
/** Frees it with all it has under way, calling nobody. Takes NULL. */
void webhook_free(struct webhook *webhook);

/** The port really bound. */
uint16_t webhook_port(const struct webhook *webhook);

/** How many deliveries are being created or recorded: what a shutdown may cut off. */
size_t webhook_writes(const struct webhook *webhook);

/** Orderly end: new deliveries, and those not decided yet, are answered 503; done once from the
 * loop when the others are recorded and the answers have left, for which it waits a little. Call it
 * once. */
void webhook_stop(struct webhook *webhook, void (*done)(void *arg), void *arg);

#endif
