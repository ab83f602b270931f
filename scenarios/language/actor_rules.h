/* actor_rules - rules between the actors of a scenario, its steps and its faults. */
#ifndef SCENARIOS_LANGUAGE_ACTOR_RULES_H
#define SCENARIOS_LANGUAGE_ACTOR_RULES_H

#include "scenarios/language/scenario.h"

/** Names are of one actor alone, requests go to somebody who is there, and what is delivered again
 * was delivered before; that one is found. */
void actors_check(struct reader *reader, struct scenario *scenario);

/** Whether a pattern for peers of the API server is like a person or a rival of the scenario. */
bool actors_have_peer(const struct scenario *scenario, const char *pattern);

/** NULL when the scenario has no such server. */
const struct server *actors_find_server(const struct scenario *scenario, const char *host);

#endif
