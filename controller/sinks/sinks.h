/* sinks - the events of runs that the controller itself carries out, to the sinks of their
 * definitions (RULES 10 and 6.5): which lines pass, their envelope, and the way there.
 *
 * For http sinks alone: stdout and file sinks are a pod's, and are skipped. */
#ifndef CONTROLLER_SINKS_SINKS_H
#define CONTROLLER_SINKS_SINKS_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"
#include "controller/sinks/delivery.h"
#include "controller/sinks/envelope.h"
#include "controller/sinks/lifecycle.h"
#include "controller/sinks/selector.h"

/** Most http sinks of a run: each gets its own copy of every event. */
#define SINKS_OF_RUN_MAX 16

struct sinks;

/** Reads AGENT_SINK_RETRY_ATTEMPTS, _BASE_MS and _MAX_MS. */
struct sinks *sinks_new(struct runtime *rt) MUST_CHECK;
/** As delivery_stop(): what is queued has within_us to arrive. */
void sinks_stop(struct sinks *sinks, int64_t within_us, void (*on_stopped)(void *arg), void *arg);
struct delivery_counts sinks_counts(const struct sinks *sinks);
/** After all runs of it. Calls nobody. Takes NULL. */
void sinks_free(struct sinks *sinks);

/** An item of output.sinks. */
struct sinks_item {
    const char *type;    /* "http", or it is skipped */
    const char *url;     /* what cannot be sent to is told in the log, and skipped */
    const char *headers; /* the bytes that headers_secret names; NULL when there are none */
    size_t headers_size;
};

/** A run as its events see it. All that it points to must outlive the sinks_run. */
struct sinks_run_options {
    struct envelope_source source; /* agent is told in the log */
    enum selector_vendor vendor;
    const struct selector *selectors;
    size_t selector_count;
    const struct sinks_item *items;
    size_t item_count;
};

struct sinks_run;

/** Short-lived, for events that are there at one time: made, given its events, freed. Looks at the
 * items once, and says in the log what is wrong with them, without a word of a secret. */
struct sinks_run *sinks_run_new(struct sinks *sinks,
                                const struct sinks_run_options *options) MUST_CHECK;
/** A line of the agent's output, without its end: queued for each sink if it passes the selectors.
 * One that cannot be put into an envelope is told in the log. */
void sinks_run_line(struct sinks_run *run, const char *line, size_t size);
/** Passes whatever the selectors. */
void sinks_run_lifecycle(struct sinks_run *run, const struct lifecycle_event *event);
/** What is queued goes on its way all the same. Takes NULL. */
void sinks_run_free(struct sinks_run *run);

#endif
