/* station - the kind Station: where and under which limits runs happen (RULES.md 1.2). */
#ifndef CONTROLLER_KINDS_STATION_H
#define CONTROLLER_KINDS_STATION_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

#define STATION_DEADLINE_MINUTES 30
/** So that a deadline in milliseconds still fits 64 bits; longer ones (some 290,000 years) count as
 * this. */
#define STATION_DEADLINE_MINUTES_MAX (INT64_MAX / 60000)
#define STATION_HISTORY_LIMIT 3

enum concurrency_policy { CONCURRENCY_ALLOW, CONCURRENCY_FORBID, CONCURRENCY_REPLACE };

/** A Station, parsed once. Texts are owned; "" when absent. */
struct station {
    char *name;
    char *definition;         /* spec.agentDefRef */
    char *template_json;      /* spec.template as compact JSON; NULL when absent */
    int64_t deadline_minutes; /* 1 to STATION_DEADLINE_MINUTES_MAX */
    int64_t succeeded_max;    /* history limits; 0 at least */
    int64_t failed_max;
    int64_t runs_max; /* spec.maxConcurrentRuns; 0: unlimited */
    enum concurrency_policy policy;
};

/** Reads a whole Station's text, which has passed the JSON gate. ERROR_INVALID when it has no name
 * or a member has another type. */
bool station_read(struct json_slice object, struct station **ret_station,
                  struct error *err) MUST_CHECK;
void station_free(struct station *station);

#endif
