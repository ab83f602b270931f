/* tally - what many generated scenarios came to: how many failed and how, which marks were reached,
 * and how fast it went. */
#ifndef SCENARIOS_SEARCH_TALLY_H
#define SCENARIOS_SEARCH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "scenarios/world/world.h"

/** From so many seeds on, a mark that none has reached is a failure of its own. */
#define TALLY_COLD_SEEDS 1000

/** How many seeds failed in one way. */
struct tally_failure {
    char *failure; /* outcome.failure */
    uint64_t first_seed;
    uint64_t count;
};

struct tally {
    uint64_t runs;
    uint64_t failed;
    int64_t virtual_us;
    uint64_t *calls; /* of each run */
    uint64_t reached[MARK_COUNT];
    struct tally_failure *failures; /* in the order of their coming */
    size_t failure_count;
};

/** Adds a run. True when it is the first that failed so. */
bool tally_add(struct tally *tally, uint64_t seed, const struct outcome *outcome);
void tally_release(struct tally *tally);

uint64_t tally_cold_count(const struct tally *tally);
/** Appends the end of the report; real_us is the time it took. */
void tally_append(const struct tally *tally, int64_t real_us, struct buffer *text);

/** An outcome to and from bytes, for the way between processes; its trace and kills stay behind. */
void tally_pack(const struct outcome *outcome, struct buffer *bytes);
bool tally_unpack(const char *bytes, size_t size, struct outcome *ret_outcome,
                  struct error *err) MUST_CHECK;

#endif
