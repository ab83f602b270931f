#include "controller/agents/job_roll.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/job_row.h"
#include "controller/jobs/job_wire.h"
#include "controller/jobs/outcome_decide.h"
#include "controller/kube/kube_list.h"

/* Keeps out most of the Jobs that have finished and wait for the end of their time to live: a run's
 * Job has one completion. */
#define NO_SUCCESS "status.successful=0"

/* The columns of a row, which is all that is asked for: the Selector names the Job's uid. */
enum { ROLL_NAME, ROLL_STATUS, ROLL_SELECTOR, ROLL_COLUMN_COUNT };

static const char *const columns[ROLL_COLUMN_COUNT] = {
    [ROLL_NAME] = "Name",
    [ROLL_STATUS] = "Status", /* since Kubernetes 1.31 */
    [ROLL_SELECTOR] = "Selector",
};

/* A Job that was read and was running. */
struct entry {
    char *name;
    char *uid;
    bool unchanged; /* as the last listing saw it */
    UT_hash_handle hh;
};

struct job_roll {
    struct runtime *rt;
    struct kube_lister *lister;
    struct entry *entries; /* by name */
    bool listed;           /* the last listing counts */
    void (*done)(void *arg);
    void *arg;
};

static struct entry *find(const struct job_roll *roll, const char *name)
{
    struct entry *entry;

    HASH_FIND_STR(roll->entries, name, entry);
    return entry;
}

static void remove_entry(struct job_roll *roll, struct entry *entry)
{
    HASH_DEL(roll->entries, entry);
    free(entry->name);
    free(entry->uid);
    free(entry);
}

void job_roll_note(struct job_roll *roll, const char *name, const char *uid)
{
    struct entry *entry = find(roll, name);

    if (entry == NULL) {
        entry = xcalloc(1, sizeof(*entry));
        entry->name = xstrdup(name);
        HASH_ADD_KEYPTR(hh, roll->entries, entry->name, strlen(entry->name), entry);
    }
    free(entry->uid);
    entry->uid = xstrdup(uid);
    entry->unchanged = false;
}

void job_roll_drop(struct job_roll *roll, const char *name)
{
    struct entry *entry = name == NULL ? NULL : find(roll, name);

    if (entry != NULL)
        remove_entry(roll, entry);
}

bool job_roll_is_unchanged(const struct job_roll *roll, const char *name)
{
    const struct entry *entry = roll->listed ? find(roll, name) : NULL;

    return entry != NULL && entry->unchanged;
}

/* --- the listing --- */

static void mark_all_changed(struct job_roll *roll)
{
    struct entry *entry;
    struct entry *next;

    HASH_ITER (hh, roll->entries, entry, next)
        entry->unchanged = false;
}

/* Jobs that have changed or gone are read one by one, and noted again if they still run. */
static void drop_changed(struct job_roll *roll)
{
    struct entry *entry;
    struct entry *next;

    HASH_ITER (hh, roll->entries, entry, next) {
        if (!entry->unchanged)
            remove_entry(roll, entry);
    }
}

/* Whether it is the Job that was noted, and has not ended. */
static bool row_runs(const struct json_slice *cells, const char *uid)
{
    char *status = json_slice_text(cells[ROLL_STATUS]);
    char *selector = json_slice_text(cells[ROLL_SELECTOR]);
    bool same = selector != NULL && strstr(selector, uid) != NULL;
    bool ended = text_is_empty(status) || job_status_has_ended(status);

    free(status);
    free(selector);
    return same && !ended;
}

/* The same of a full object. */
static bool object_runs(struct json_slice object, const char *uid)
{
    char *reason = NULL;
    struct job job;
    bool runs;

    job_read(object, &job);
    runs = text_equal(job.uid, uid) && outcome_of_job(&job, &reason) == JOB_RUNNING;
    job_release(&job);
    free(reason);
    return runs;
}

static bool on_item(void *arg, const struct kube_item *item)
{
    struct job_roll *roll = arg;
    char *name = json_slice_text(item->cells == NULL ? json_slice_get(item->metadata, "name")
                                                     : item->cells[ROLL_NAME]);
    struct entry *entry = name == NULL ? NULL : find(roll, name);
    bool usable = name != NULL;

    if (entry != NULL)
        entry->unchanged = item->cells == NULL ? object_runs(item->object, entry->uid)
                                               : row_runs(item->cells, entry->uid);
    free(name);
    return usable;
}

static void on_restart(void *arg)
{
    mark_all_changed(arg);
}

static void on_end(void *arg, const struct kube_list_result *result)
{
    struct job_roll *roll = arg;

    roll->listed = result->ok;
    if (result->ok) {
        drop_changed(roll);
    } else {
        const struct log_field fields[] = {LOG_TEXT("error", result->error.text)};
        const struct log_record record = {LOG_WARN, "Jobs not listed", fields, ARRAY_SIZE(fields)};

        runtime_mark(roll->rt, MARK_ROLL_FAILED);
        runtime_log(roll->rt, &record);
    }
    roll->done(roll->arg);
}

static const struct kube_list_events events = {
    .on_item = on_item,
    .on_restart = on_restart,
    .on_end = on_end,
};

void job_roll_list(struct job_roll *roll, void (*done)(void *arg), void *arg)
{
    runtime_mark(roll->rt, MARK_ROLL_TAKEN);
    roll->listed = false;
    roll->done = done;
    roll->arg = arg;
    mark_all_changed(roll);
    kube_lister_start(roll->lister);
}

/* --- life --- */

struct job_roll *job_roll_new(struct runtime *rt, const struct agent_api *api)
{
    const struct kube_lister_options options = {.resource = &agent_api_jobs,
                                                .namespace_name = api->namespace_name,
                                                .field_selector = NO_SUCCESS,
                                                .columns = columns,
                                                .column_count = ROLL_COLUMN_COUNT,
                                                .bare = true};
    struct job_roll *roll = xcalloc(1, sizeof(*roll));

    roll->rt = rt;
    roll->lister = kube_lister_new(api->kube, &options, &events, roll);
    return roll;
}

void job_roll_forget(struct job_roll *roll)
{
    roll->listed = false;
}

void job_roll_clear(struct job_roll *roll)
{
    kube_lister_stop(roll->lister);
    job_roll_forget(roll);
    mark_all_changed(roll);
    drop_changed(roll);
}

void job_roll_free(struct job_roll *roll)
{
    if (roll == NULL)
        return;
    job_roll_clear(roll);
    kube_lister_free(roll->lister);
    free(roll);
}
