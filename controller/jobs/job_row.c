#include "controller/jobs/job_row.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

static void find_columns(struct json_slice definitions, struct job_columns *columns)
{
    struct json_slice definition;
    size_t next = 0;

    if (!json_slice_begins(definitions, '['))
        return;
    *columns = (struct job_columns)JOB_COLUMNS_INIT;
    for (int i = 0; json_slice_next(definitions, &next, &definition); i++) {
        char *name = json_slice_begins(definition, '{')
                         ? json_slice_text(json_slice_get(definition, "name"))
                         : NULL;

        if (text_equal(name, "Status"))
            columns->status = i;
        else if (text_equal(name, "Completions"))
            columns->completions = i;
        free(name);
    }
}

bool job_status_has_ended(const char *status)
{
    return text_equal(status, "Complete") || text_equal(status, "Failed");
}

static bool has_ended(struct json_slice cells, const struct job_columns *columns)
{
    struct json_slice cell;
    size_t next = 0;
    bool ended = false;

    for (int i = 0; json_slice_next(cells, &next, &cell); i++) {
        char *text;

        if (i != columns->status && i != columns->completions)
            continue;
        text = json_slice_text(cell);
        if (i == columns->status)
            ended = job_status_has_ended(text);
        else if (columns->status < 0) /* a run's Job has one completion */
            ended = text_equal(text, "1/1");
        free(text);
    }
    return ended;
}

bool job_row_read(struct json_slice table, struct job_columns *columns, struct job_row *ret_row)
{
    struct json_slice rows = json_slice_get(table, "rows");
    struct json_slice row = {0};
    struct json_slice cells, object;
    size_t next = 0;

    find_columns(json_slice_get(table, "columnDefinitions"), columns);
    if (!json_slice_begins(rows, '[') || !json_slice_next(rows, &next, &row) ||
        !json_slice_begins(row, '{'))
        return false;
    cells = json_slice_get(row, "cells");
    object = json_slice_get(row, "object");
    if (!json_slice_begins(cells, '[') || !json_slice_begins(object, '{'))
        return false;
    *ret_row = (struct job_row){
        .ended = has_ended(cells, columns),
        .metadata = json_slice_get(object, "metadata"),
    };
    return json_slice_begins(ret_row->metadata, '{');
}
