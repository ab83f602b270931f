/* lease - leader election by a Lease (RULES 5 with 13.2 to 13.5).
 *
 * Leadership is an age: it ends by itself 10 s after the last renewal that succeeded was sent. So
 * election_is_leader() is asked immediately before every mutating request. */
#ifndef CONTROLLER_ELECTION_LEASE_H
#define CONTROLLER_ELECTION_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/kube/kube.h"
#include "controller/runtime/runtime.h"

/** The Lease's name. */
#define ELECTION_LEASE_NAME "agent-controller"

struct election;

struct election_options {
    const char *namespace_name;
    const char *host_name; /* POD_NAME, else HOSTNAME, else NULL: agent-controller (RULES 13.5) */
    /* Called from the loop when leadership begins and when it has ended. on_lose may come up to a
     * tick after the age ran out on a stalled process: it is no substitute for the question. */
    void (*on_gain)(void *arg);
    void (*on_lose)(void *arg);
    void *arg;
};

/** A candidate; its first tick starts at the loop's next turn. options is copied; the client is
 * borrowed and must outlive it. */
struct election *election_new(struct runtime *rt, struct kube *kube,
                              const struct election_options *options) MUST_CHECK;
/** Frees it with what it has under way, calling nobody and releasing nothing. Takes NULL. */
void election_free(struct election *election);

/** Whether this replica leads at now_us of the elapsed clock. */
bool election_is_leader(const struct election *election, int64_t now_us);

/** Whether the present leadership began with a holder before it that let the Lease lapse: what that
 * one sent may still arrive. */
bool election_is_after_a_lapse(const struct election *election);

/** Whether the Lease, as last seen, is this process's own. */
bool election_holds(const struct election *election);

/** The Lease's resourceVersion as last seen, "" before that; borrowed until the loop's next turn.
 */
const char *election_version(const struct election *election);

/** Whether the last tick's Lease read reached the API server (RULES 4.7); false at the start. */
bool election_api_reachable(const struct election *election);

/** This process as holderIdentity: "ctl-0_1a2b3c4d". */
const char *election_identity(const struct election *election);

/** Orderly leave, after the last write of this replica has ended: leads no more at once (without
 * on_lose), lets a renewal under way end, gives the Lease up if it was ours, then calls done once
 * from the loop. Call it once. */
void election_stop(struct election *election, void (*done)(void *arg), void *arg);

#endif
