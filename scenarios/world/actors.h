/* actors - who else acts in a world: chores of the cluster, servers, senders, rivals, people. */
#ifndef SCENARIOS_WORLD_ACTORS_H
#define SCENARIOS_WORLD_ACTORS_H

#include "controller/base/json.h"
#include "scenarios/world/parts.h"

struct server_host;
struct sent_request;
struct rival_state;
struct intervention;

/** All of them, of one world. */
struct world_actors {
    struct server_host *servers;
    struct sent_request *sent;
    struct rival_state *rivals;
    struct intervention *interventions;
    struct sim_process *github; /* NULL: nothing is sent */
    uint64_t storage_rule;      /* of slow storage; 0: none */
};

/** Makes their processes, before links are set, and starts them. */
void actors_start(struct world *world);
/** No rival writes any more, and the cluster does what it did at the start. */
void actors_calm(struct world *world);
/** Must come behind sim_free(): what they have under way is the simulated processes' own. */
void actors_release(struct world *world);
/** Appends what they and the cluster still wait for, whole lines. */
void actors_append_waiting(struct world *world, struct buffer *buffer);

/* --- chores.c --- */

void chores_start(struct world *world);
void chores_apply(struct world *world, const struct chores *chores);
/** As at the start. */
void chores_calm(struct world *world);
/** Takes the CRD of one of our kinds away, or brings it back. */
void chores_uninstall(struct world *world, const struct step *step);
/** step: whose it is; NULL: no step asked for it. */
void chores_install(struct world *world, const struct step *step, const char *kind);

/* --- interventions.c --- */

void interventions_meddle(struct world *world, const struct meddle_action *meddle);
void interventions_deny(struct world *world, const struct deny_action *deny);
/** A request has come so far. */
void interventions_on_call(struct world *world, const struct exchange_info *info,
                           enum fault_moment moment);
/** Nobody meddles or refuses any more. */
void interventions_end(struct world *world);
/** One that never happened is a mistake in the scenario. */
void interventions_check(struct world *world);
void interventions_release(struct world *world);

/* --- servers.c --- */

void servers_start(struct world *world);
void servers_release(struct world *world);
/** Requests that one got so far, each {"method", "path", "query", "headers", "body", "from",
 * "answer"}: *ret_items is to be freed, its items put. */
size_t servers_requests(const struct world *world, const char *host,
                        struct json_object ***ret_items);

/* --- sender.c --- */

void sender_start(struct world *world);
struct sent_request *sender_begin(struct world *world, const struct step *step);
bool sender_is_done(const struct sent_request *sent);
void sender_release(struct world *world);

/* --- rivals.c --- */

void rivals_start(struct world *world);
/** They write nothing more. */
void rivals_end(struct world *world);
/** Before the store goes. */
void rivals_leave(struct world *world);
void rivals_release(struct world *world);

#endif
