/* reports - see reports.h. */
#include "scenarios/workers/reports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "scenarios/report/github.h"
#include "scenarios/report/junit.h"
#include "scenarios/workers/files.h"

#define PROGRAM "scenario"
#define REPORT_KINDS 5

void report_complain(const char *what)
{
    char *text = xprintf(PROGRAM ": %s\n", what);

    output_error(text);
    free(text);
}

/* --- before --- */

struct named_path {
    const char *flag;
    const char *path;
};

static void list(const struct report_options *options, struct named_path paths[REPORT_KINDS])
{
    const struct named_path all[REPORT_KINDS] = {
        {"--junit",    options->junit   },
        {"--json",     options->json    },
        {"--trace",    options->trace   },
        {"--timeline", options->timeline},
        {"--keep",     options->keep    },
    };

    memcpy(paths, all, sizeof(all));
}

static bool differs_from_others(const struct named_path paths[REPORT_KINDS], size_t index)
{
    for (size_t i = 0; i < index; i++) {
        char *what;

        if (paths[i].path == NULL || !file_is_same(paths[i].path, paths[index].path))
            continue;
        what = xprintf("%s and %s are the same file, '%s'", paths[i].flag, paths[index].flag,
                       paths[index].path);
        report_complain(what);
        free(what);
        return false;
    }
    return true;
}

static bool can_keep(const char *path, size_t run_count, struct error *err)
{
    if (folder_check(path))
        return true;
    if (run_count > 1)
        return error_set(err, ERROR_INVALID,
                         "--keep %s: of %zu runs, which takes a folder that is there", path,
                         run_count);
    return file_check(path, err);
}

bool reports_check(const struct report_options *options, size_t run_count)
{
    struct named_path paths[REPORT_KINDS];
    bool ok = true;

    list(options, paths);
    for (size_t i = 0; i < REPORT_KINDS; i++) {
        struct error err = ERROR_INIT;
        bool can;

        if (paths[i].path == NULL)
            continue;
        if (!differs_from_others(paths, i))
            return false;
        can = paths[i].path == options->keep ? can_keep(options->keep, run_count, &err)
                                             : file_check(paths[i].path, &err);
        if (!can)
            report_complain(err.text);
        ok = can && ok;
    }
    return ok;
}

bool reports_are_wanted(const struct report_options *options)
{
    struct named_path paths[REPORT_KINDS];
    bool wanted = false;

    list(options, paths);
    for (size_t i = 0; i < REPORT_KINDS; i++)
        wanted = wanted || paths[i].path != NULL;
    return wanted;
}

void reports_init(struct reports *reports, const struct report_options *options,
                  const char *program)
{
    *reports = (struct reports){.options = options,
                                .program = program,
                                .trace = BUFFER_INIT(REPORT_BYTES_MAX),
                                .timeline = timeline_new()};
}

/* --- while results come --- */

/** Its head, its events, and how it ended. */
static void keep_trace(struct buffer *trace, const struct result *result)
{
    struct json_object *end = json_object_new_object();

    buffer_append_text(trace, "{\"scenario\":");
    json_append_quoted(trace, result->name, strlen(result->name));
    buffer_append_format(trace, ",\"seed\":%" PRIu64 "}\n", result->seed);
    buffer_append_text(trace, result->trace);
    json_set_int64(end, "at_us", result->virtual_us);
    json_set_text(end, "event", "verdict");
    json_set_text(end, "verdict", result_kind_name(result->kind));
    if (result->failure != NULL)
        json_set_text(end, "failure", result->failure);
    if (result->reason != NULL)
        json_set_text(end, "text", result->reason);
    json_set_text(end, "hash", result->hash);
    json_append(trace, end);
    buffer_append_char(trace, '\n');
    (void)json_object_put(end);
}

/** "first/good#7" is kept in first-good#7.yaml. */
static bool write_kept(const char *path, const struct result *result)
{
    char *name = xstrdup(result->name);
    char *place;
    struct error err = ERROR_INIT;
    bool ok;

    for (char *at = strchr(name, '/'); at != NULL; at = strchr(at, '/'))
        *at = '-';
    place = folder_check(path) ? xprintf("%s/%s.yaml", path, name) : xstrdup(path);
    ok = file_write(place, result->kept, strlen(result->kept), &err);
    if (!ok)
        report_complain(err.text);
    free(place);
    free(name);
    return ok;
}

bool reports_take(struct reports *reports, struct result *result)
{
    const struct report_options *options = reports->options;
    bool ok = true;

    if (options->trace != NULL && result->trace != NULL)
        keep_trace(&reports->trace, result);
    if (options->timeline != NULL)
        timeline_add(&reports->timeline, result, reports->program);
    if (options->keep != NULL && result->kept != NULL)
        ok = write_kept(options->keep, result);
    free(result->trace);
    free(result->kept);
    result->trace = NULL;
    result->kept = NULL;
    return ok;
}

void reports_annotate(struct reports *reports, const struct result *result, struct buffer *text)
{
    if (!reports->options->github || result->kind != RESULT_FAILED ||
        reports->annotations++ >= GITHUB_ANNOTATIONS_MAX)
        return;
    github_append(result, reports->program, text);
}

/* --- after --- */

static bool write_one(const char *path, const struct buffer *bytes)
{
    struct error err = ERROR_INIT;

    if (buffer_check(bytes, &err) && file_write(path, buffer_text(bytes), bytes->size, &err))
        return true;
    report_complain(err.text);
    return false;
}

bool reports_write(struct reports *reports, const struct result *results, size_t count)
{
    const struct report_options *options = reports->options;
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    bool ok = true;

    if (options->junit != NULL) {
        junit_append(results, count, reports->program, &text);
        ok = write_one(options->junit, &text);
        buffer_clear(&text);
    }
    if (options->json != NULL) {
        if (count == 0)
            buffer_append_text(&text, REPORT_OF_NOTHING);
        for (size_t i = 0; i < count; i++) {
            result_append(&results[i], &text);
            buffer_append_char(&text, '\n');
        }
        ok = write_one(options->json, &text) && ok;
        buffer_clear(&text);
    }
    if (options->timeline != NULL) {
        timeline_append(&reports->timeline, &text);
        ok = write_one(options->timeline, &text) && ok;
    }
    if (options->trace != NULL)
        ok = write_one(options->trace, &reports->trace) && ok;
    buffer_release(&text);
    return ok;
}

void reports_release(struct reports *reports)
{
    buffer_release(&reports->trace);
    timeline_release(&reports->timeline);
}
