/* events - Event objects: what actors tell of what they did, counted up when it repeats, and their
 * end after an hour, whoever wrote them (fakeapi/WIRE.md S9).
 *
 * Source: client-go tools/record. What is told too often is not held back here. */
#ifndef FAKEAPI_CLUSTER_EVENTS_H
#define FAKEAPI_CLUSTER_EVENTS_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

/** How long an Event lives after its last change. */
#define EVENTS_LIFE_US (3600 * INT64_C(1000000))

/** How many Events are remembered to be counted up. */
#define EVENTS_KNOWN_MAX 4096

struct events;

/** It records nothing, and ends nothing, before it is switched on. */
struct events *events_new(const struct cluster_context *context) MUST_CHECK;
void events_free(struct events *events);
void events_switch(struct events *events, bool on);

/** One Event, as cluster_event() (context.h) takes it. */
struct event_record {
    const char *component; /* "job-controller" */
    const char *host;      /* "node-0"; NULL: none */
    const char *type;      /* "Normal" or "Warning" */
    const char *reason;
    const char *message;
    const char *field_path; /* of the object; or NULL */
};

/** Records it about an object, which may be gone already. One that cannot be written is dropped,
 * as recorders do. */
void events_record(struct events *events, const struct store_object *object,
                   const struct event_record *record);

/** As those of job_controller.h. */
void events_note(struct events *events, const struct store_event *event);
void events_see(struct events *events, struct store_resource *resource,
                const struct store_object *object);
void events_pause(struct events *events);
/** Adds the steps that are armed. */
void events_list(const struct events *events, struct waiting *waiting);

#endif
