/* agent - the kind Agent: one run (RULES.md 1.1).
 *
 * Two structs. struct agent is what decisions read of every Agent and what the cache keeps: the
 * printer columns and the metadata, never status.output. struct agent_spec is what building a Job
 * needs besides; it exists only while a Job is being built. */
#ifndef CONTROLLER_KINDS_AGENT_H
#define CONTROLLER_KINDS_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/kinds/parameter.h"

#define AGENT_API_VERSION "agents.re-cinq.com/v1beta1"

enum agent_phase { AGENT_PENDING, AGENT_RUNNING, AGENT_SUCCEEDED, AGENT_FAILED, AGENT_PHASE_COUNT };

/** A time that is missing or unreadable; it sorts before every other. */
#define AGENT_NO_TIME INT64_MIN

/** What the cache keeps of an Agent. Texts are owned; the optional ones are NULL when absent or
 * empty. Times are wall times in microseconds, or AGENT_NO_TIME. */
struct agent {
    char *name;             /* never NULL */
    char *uid;              /* never NULL */
    char *resource_version; /* never NULL; opaque */
    int64_t created_at_us;
    bool deleting; /* it has a deletionTimestamp */
    bool begun;    /* not from the object: its Job is there already, as far as we know */
    enum agent_phase phase;
    char *station;         /* spec.stationRef */
    char *job;             /* status.jobName */
    char *batch_id;        /* status.batchId */
    char *resume_session;  /* spec.resumeSession */
    bool batch_fallback;   /* status.batchFallback */
    int64_t started_at_us; /* status.startedAt */
    int64_t completed_at_us;
};

struct agent_file {
    char *path;
    char *url;
    char *headers_secret; /* "" when absent */
};

/** The rest of spec, for building a Job. Texts are owned and never NULL: "" when absent. */
struct agent_spec {
    char *task_id;
    char *target_repo;
    char *branch;
    char *model;
    char *resume_session;
    struct agent_parameter *parameters; /* as written, names distinct */
    size_t parameter_count;
    struct agent_file *files;
    size_t file_count;
};

/** Reads a whole Agent's text, which has passed the JSON gate. ERROR_INVALID when metadata lacks
 * name, uid or resourceVersion, or a member has another type (the caller skips the object). */
bool agent_read(struct json_slice object, struct agent **ret_agent, struct error *err) MUST_CHECK;

/** Reads the spec of a whole Agent's text. ERROR_INVALID as above. */
bool agent_spec_read(struct json_slice object, struct agent_spec **ret_spec,
                     struct error *err) MUST_CHECK;

void agent_free(struct agent *agent);
struct agent *agent_copy(const struct agent *agent) MUST_CHECK;
void agent_spec_free(struct agent_spec *spec);

/** The parameter of that name; NULL when there is none. */
const char *agent_spec_parameter(const struct agent_spec *spec, const char *name, size_t name_size);

/* --- Table rows --- */

/* The printer columns that are read, in the order of agent_column_names. */
enum agent_column {
    AGENT_COLUMN_PHASE,
    AGENT_COLUMN_STATION,
    AGENT_COLUMN_JOB,
    AGENT_COLUMN_STARTED,
    AGENT_COLUMN_COMPLETED,
    AGENT_COLUMN_BATCH,
    AGENT_COLUMN_PROVIDER,
    AGENT_COLUMN_FALLBACK,
    AGENT_COLUMN_CLEANUPS,
    AGENT_COLUMN_MODEL,
    AGENT_COLUMN_RESUME,
    AGENT_COLUMN_COUNT,
};

/** The names that the CRD gives them (RULES.md 1.1). */
extern const char *const agent_column_names[AGENT_COLUMN_COUNT];

/** Reads one row of a Table: the metadata of its object, and its AGENT_COLUMN_COUNT cells in the
 * order of enum agent_column. Texts have passed the gate. ERROR_INVALID as agent_read(). */
bool agent_row_read(struct json_slice metadata, const struct json_slice *cells,
                    struct agent **ret_agent, struct error *err) MUST_CHECK;

/** metadata.name of an object's or row's metadata; NULL when there is none. free() it. */
char *agent_read_name(struct json_slice metadata) MUST_CHECK;

/* --- phases and patches --- */

/** "Pending"; never NULL. */
const char *agent_phase_name(enum agent_phase phase);
/** Absent (NULL) and unknown texts are Pending. */
enum agent_phase agent_phase_parse(const char *text);
bool agent_phase_is_terminal(enum agent_phase phase);

/** Changed status fields. Texts are borrowed; NULL (or AGENT_NO_TIME, or false) leaves a field as
 * it is. */
struct agent_change {
    enum agent_phase phase;
    const char *job;
    int64_t started_at_us;
    int64_t completed_at_us;
    bool has_exit_code;
    int64_t exit_code;
    const char *output; /* output_size bytes; what is not UTF-8 becomes U+FFFD */
    size_t output_size;
    const char *failure_reason;
};

/** Makes the change to a copy of ours, with times as they are written; output and the rest that it
 * does not keep are left out. */
void agent_apply(struct agent *agent, const struct agent_change *change);

/** Appends the merge patch: the change with resource_version as its precondition (RULES.md 3.6). */
void agent_change_write(const struct agent_change *change, const char *resource_version,
                        struct buffer *into);

#endif
