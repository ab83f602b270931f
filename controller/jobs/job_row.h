/* job_row - a Job as a row of a Table: whether it has ended. */
#ifndef CONTROLLER_JOBS_JOB_ROW_H
#define CONTROLLER_JOBS_JOB_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** Where the columns stand that tell; -1: not there. A stream names them in its first Table alone,
 * so this is kept from one to the next. */
struct job_columns {
    int status;      /* "Complete", "Failed"; since Kubernetes 1.31 */
    int completions; /* "0/1" */
};

#define JOB_COLUMNS_INIT                                                                           \
    {                                                                                              \
        -1, -1                                                                                     \
    }

struct job_row {
    bool ended;                 /* succeeded, or failed as far as the columns tell */
    struct json_slice metadata; /* an object; of the text that was read */
};

/** Whether the text of a Status cell is that of a Job that has ended, well or not. May be NULL. */
bool job_status_has_ended(const char *status);

/** Reads the one row of a Table from a watch stream, which has passed the JSON gate. False when it
 * is none, as a bookmark is. */
bool job_row_read(struct json_slice table, struct job_columns *columns,
                  struct job_row *ret_row) MUST_CHECK;

#endif
