/* world - a scenario come to life: the API server, the replicas and a person with kubectl in one
 * simulated world; its steps and faults; and the judgement on what came of it. */
#ifndef SCENARIOS_WORLD_WORLD_H
#define SCENARIOS_WORLD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/digest.h"
#include "controller/runtime/marks.h"
#include "scenarios/language/scenario.h"
#include "scenarios/world/check.h"

/** Most bytes of a trace in JSON lines. */
#define WORLD_TRACE_BYTES_MAX ((size_t)128 * 1024 * 1024)

/** Most bytes of the objects that are kept. */
#define WORLD_KEPT_BYTES_MAX ((size_t)128 * 1024 * 1024)

/** What every world begins with, read once: the CRDs of controller/deploy. */
struct world_kit;
struct world_kit *world_kit_new(void) MUST_CHECK;
/** For reading scenarios. */
const struct schemas *world_kit_schemas(const struct world_kit *kit);
/** Takes NULL. */
void world_kit_free(struct world_kit *kit);

struct world_probe;

struct world_options {
    const struct world_kit *kit;
    uint64_t seed;
    bool trace;   /* keep every event as a JSON line */
    bool outline; /* ... but what only a machine compares: clocks, timers, random numbers */
    bool keep;    /* keep the objects that there are at the end */
    bool checks;  /* tell what each step and claim came to */
    int64_t (*real_us)(void);        /* a clock that takes the time of checks; NULL: none */
    const struct world_probe *probe; /* of a search, see probe.h; NULL: none */
};

/** How it ended. Texts belong to the outcome; NULL where there is none. */
struct outcome {
    bool passed;
    /* what failed, the same when places, times or names of files change: "I-JOB", "wait: Agent
     * hello", "livelock: patch agents/status" */
    char *failure;
    char *reason;  /* one line: what does not hold */
    char *details; /* whole lines: the difference */
    char *story;   /* whole lines: the last of what happened */
    char *trace;   /* JSON lines */
    char *kills;   /* whole lines: after what each kill happened */
    char *kept;    /* YAML: the objects at the end, before the cleanup */
    char *cleanup; /* whole lines: what of the cleanup failed */
    struct checks checks;
    int64_t virtual_us; /* until it was judged */
    uint64_t events;
    uint64_t calls;             /* requests that anybody sent */
    uint64_t marks[MARK_WORDS]; /* that were reached (controller/runtime/marks.h) */
    char hash[SHA256_HEX_SIZE];
};

/** Runs it from its beginning to its end. */
void world_run(const struct scenario *scenario, const struct world_options *options,
               struct outcome *ret_outcome);
void outcome_release(struct outcome *outcome);

#endif
