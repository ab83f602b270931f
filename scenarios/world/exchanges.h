/* exchanges - requests under way, remembered from their first sight to their last. */
#ifndef SCENARIOS_WORLD_EXCHANGES_H
#define SCENARIOS_WORLD_EXCHANGES_H

#include <uthash.h>

#include "scenarios/invariants/observation.h"

struct exchange_info {
    uint64_t id;
    char *client;
    char *user_agent; /* "" when it says none */
    bool by_controller;
    char *method;
    char *target;
    struct api_path path;
    char *body; /* NUL behind it; NULL when it has none */
    size_t body_size;
    int64_t asked_us;
    int64_t asked_elapsed_us;
    unsigned status; /* as the client sees it; 0 until then */
    bool client_done;
    bool arrived;
    bool server_done;
    UT_hash_handle hh;
};

struct exchanges {
    struct exchange_info *items;
};

/** NULL when there is none. */
struct exchange_info *exchanges_find(const struct exchanges *exchanges, uint64_t id);
/** A new one of that id; texts are its own from here on. */
struct exchange_info *exchanges_add(struct exchanges *exchanges, struct exchange_info info);
/** Forgets it once neither end can say more about it. */
void exchanges_settle(struct exchanges *exchanges, struct exchange_info *info);
void exchanges_release(struct exchanges *exchanges);

/** The Kubernetes verb of a request, as fault rules name it. */
const char *exchange_verb(const struct exchange_info *info);

#endif
