/* pod_run - one pod's life on the node. */
#include "fakeapi/cluster/pod_run.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* Parts the log into lines, each with its newline. */
static void split_log(struct pod_run *run)
{
    const char *at = run->script.log;
    size_t capacity = 0;

    while (at != NULL && *at != '\0') {
        const char *newline = strchr(at, '\n');
        size_t size = newline == NULL ? strlen(at) : (size_t)(newline - at) + 1;

        if (run->line_count == capacity) {
            capacity = capacity == 0 ? 4 : 2 * capacity;
            run->lines = xrealloc(run->lines, capacity * sizeof(*run->lines));
        }
        run->lines[run->line_count++] = (struct rest_log_line){.text = at, .size = size};
        at += size;
    }
}

struct pod_run *pod_run_new(const char *uid, const char *namespace, const char *name,
                            struct kubelet_script *script, uint64_t number)
{
    struct pod_run *run = xcalloc(1, sizeof(*run));

    run->uid = xstrdup(uid);
    run->namespace = xstrdup(namespace);
    run->name = xstrdup(name);
    run->script = *script;
    run->number = number;
    run->stop_elapsed_us = INT64_MAX;
    run->deadline_elapsed_us = INT64_MAX;
    split_log(run);
    return run;
}

void pod_run_free(struct pod_run *run)
{
    free(run->uid);
    free(run->namespace);
    free(run->name);
    free(run->container);
    free(run->lines);
    json_object_put(run->containers);
    kubelet_script_release(&run->script);
    free(run);
}

void pod_run_write_log(struct pod_run *run, bool last, int64_t now_us)
{
    size_t end = last || run->line_count == 0 ? run->line_count : run->line_count - 1;

    while (run->lines_written < end)
        run->lines[run->lines_written++].at_us = now_us;
}

void pod_run_lose_log(struct pod_run *run)
{
    int64_t at_us = run->ended_at_us;

    free((char *)(uintptr_t)run->script.log);
    run->script.log = xprintf("unable to retrieve container logs for containerd://%s/%s\n",
                              run->uid, run->container);
    free(run->lines);
    run->lines = NULL;
    run->line_count = 0;
    run->lines_written = 0;
    split_log(run);
    pod_run_write_log(run, true, at_us);
}

int64_t pod_run_due(const struct pod_run *run)
{
    int64_t due_us = run->next_elapsed_us;

    due_us = run->stop_elapsed_us < due_us ? run->stop_elapsed_us : due_us;
    return run->deadline_elapsed_us < due_us ? run->deadline_elapsed_us : due_us;
}
