/* link - the ways between hosts, and how long a delivery takes on them. */
#ifndef SCENARIOS_SIM_LINK_H
#define SCENARIOS_SIM_LINK_H

#include "scenarios/sim/parts.h"

/** The link as it is now; never NULL. */
const struct sim_link *link_between(const struct sim_process *from, const struct sim_process *to);

/** The latency of one delivery, with its share of jitter drawn from the network's stream. */
int64_t link_draw_latency_us(const struct sim_process *from, const struct sim_process *to);

/** The host that a URL means, seen from a process; NULL when there is none. Sets *ret_loopback
 * when it was named as the host itself. */
struct sim_process *link_resolve(struct sim_process *from, const char *host, bool *ret_loopback);

void links_free(struct sim_process *process);

#endif
