/* lease_world - for tests: a candidate, and an API server that keeps one Lease and does as told. */
#ifndef TESTS_UNIT_ELECTION_LEASE_WORLD_H
#define TESTS_UNIT_ELECTION_LEASE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/election/lease.h"
#include "tests/unit/kube/script.h"

/* An API server that keeps one Lease, and does as told once in a while. */
struct lease_world {
    struct script script;
    struct election *election;
    struct json_object *lease; /* NULL: none */
    int64_t version;
    char *body; /* the answer being sent */
    char *first_target;
    bool silent; /* tells of no request */

    const char *fault_method; /* which request: NULL none */
    unsigned fault_status;    /* answered instead; 0: silence */
    bool fault_applies;       /* the write lands all the same */
    int64_t delay_us;         /* of every answer */
    const char *lie;          /* the body of every accepted write's answer; NULL: the Lease */
    bool lie_ours;            /* with our identity for the lie's %s, else with another's */

    bool free_on_gain, free_on_lose;
    char last_renew[32]; /* renewTime of the last write */
    unsigned writes, disordered;
};

/** cmocka fixtures: *state is the world. */
int lease_world_set_up(void **state);
int lease_world_tear_down(void **state);

/** A new candidate "ctl-0", told of by "gain", "lose" and "stopped". */
void lease_world_start(struct lease_world *world);
bool lease_world_leads(const struct lease_world *world);
/** For election_stop(). */
void lease_world_on_stopped(void *arg);

/** Replaces the Lease by one with that spec. */
void lease_world_put(struct lease_world *world, const char *spec);

/** Another replica's spec: its renewTime, and ",..." more. */
#define THEIRS(renew, rest) "{\"holderIdentity\":\"ctl-0_x\",\"renewTime\":\"" renew "\"" rest "}"

#endif
