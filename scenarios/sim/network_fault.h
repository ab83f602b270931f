/* network_fault - what the scenario's hook makes of a request: asked once, carried out as its first
 * byte and the first byte of its answer go on their way. Links have faults of their own: link.h. */
#ifndef SCENARIOS_SIM_NETWORK_FAULT_H
#define SCENARIOS_SIM_NETWORK_FAULT_H

#include "scenarios/sim/connection.h"
#include "scenarios/sim/exchange.h"

/** Asks the hook and remembers what it says in the exchange. */
void network_fault_ask(struct sim_exchange *exchange);

/** A request begins on a connection, under that fault. SIM_FAULT_REFUSE has been seen to before:
 * there is no connection. */
void network_fault_begin_request(struct connection *connection, const struct sim_fault *fault);

/** Its answer begins. */
void network_fault_begin_answer(struct connection *connection);

#endif
