/* lifecycle - events about a run itself rather than of its agent (RULES 10.3).
 *
 * Those that only a pod can tell of (installed with its version and origin, and file events) come
 * from the pod's supervisor, never from the controller. */
#ifndef CONTROLLER_SINKS_LIFECYCLE_H
#define CONTROLLER_SINKS_LIFECYCLE_H

#include <stdbool.h>

#include "controller/base/attributes.h"

/** The reason of a batch that did not end in time. */
#define LIFECYCLE_BATCH_TIMEOUT "batch_timeout"

enum lifecycle_phase { LIFECYCLE_INIT, LIFECYCLE_AGENT };

enum lifecycle_status {
    LIFECYCLE_STARTED,
    LIFECYCLE_INSTALLING,
    LIFECYCLE_RUNNING,
    LIFECYCLE_SUCCEEDED,
    LIFECYCLE_FAILED,
};

struct lifecycle_event {
    enum lifecycle_phase phase;
    enum lifecycle_status status;
    const char *tool;   /* NULL or "": left out */
    const char *reason; /* likewise */
    bool has_exit_code;
    int exit_code; /* 0 is told as well */
};

/** {"kind":"lifecycle","phase":...}; free() it. */
char *lifecycle_to_text(const struct lifecycle_event *event) MUST_CHECK;

#endif
