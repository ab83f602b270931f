/* live_peers - peers of the live world that speak bytes on plain sockets. */
#ifndef TESTS_CONTRACT_LIVE_PEERS_H
#define TESTS_CONTRACT_LIVE_PEERS_H

#include "tests/contract/contract.h"

struct live_peers;

/** Looks at its sockets by a timer of the runtime, every millisecond. */
struct live_peers *live_peers_new(struct runtime *rt);
void live_peers_free(struct live_peers *peers);

struct contract_raw *live_peers_connect(struct live_peers *peers, uint16_t port);
void live_peers_send(struct contract_raw *raw, const void *bytes, size_t size);
void live_peers_half_close(struct contract_raw *raw);
const char *live_peers_received(struct contract_raw *raw, bool *ret_closed);
void live_peers_serve(struct live_peers *peers, const char *answer, enum contract_then then,
                      uint16_t *ret_port);
/** A port whose queue of connections is full. */
uint16_t live_peers_black_hole(struct live_peers *peers);

#endif
