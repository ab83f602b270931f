/* agent_wire - Agents from JSON text. Fields are picked out of the text by slices, so that reading
 * an Agent never costs its status.output. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/field.h"

const char *const agent_column_names[AGENT_COLUMN_COUNT] = {
    [AGENT_COLUMN_PHASE] = "Phase",
    [AGENT_COLUMN_STATION] = "Station",
    [AGENT_COLUMN_JOB] = "Job",
    [AGENT_COLUMN_STARTED] = "Started",
    [AGENT_COLUMN_COMPLETED] = "Completed",
    [AGENT_COLUMN_BATCH] = "Batch",
    [AGENT_COLUMN_PROVIDER] = "Provider",
    [AGENT_COLUMN_FALLBACK] = "Fallback",
    [AGENT_COLUMN_CLEANUPS] = "Cleanups",
    [AGENT_COLUMN_MODEL] = "Model",
    [AGENT_COLUMN_RESUME] = "Resume",
};

static bool is_absent(struct json_slice value)
{
    return value.bytes == NULL || (value.size == 4 && memcmp(value.bytes, "null", 4) == 0);
}

/* A text, or NULL when absent or empty. what names it in the error. */
static bool read_text(struct json_slice value, const char *what, char **ret_text, struct error *err)
{
    char *text;

    if (is_absent(value)) {
        *ret_text = NULL;
        return true;
    }
    text = json_slice_text(value);
    if (text == NULL)
        return error_set(err, ERROR_INVALID, "%s is not a string", what);
    if (text[0] == '\0') {
        free(text);
        text = NULL;
    }
    *ret_text = text;
    return true;
}

static bool read_needed(struct json_slice object, const char *key, char **ret_text,
                        struct error *err)
{
    char *text = NULL;

    if (!read_text(json_slice_get(object, key), key, &text, err))
        return false;
    if (text == NULL)
        return error_set(err, ERROR_INVALID, "metadata.%s is missing", key);
    *ret_text = text;
    return true;
}

/* An instant; missing and unreadable ones are AGENT_NO_TIME, another type is an error. */
static bool read_time(struct json_slice value, const char *what, int64_t *ret_at_us,
                      struct error *err)
{
    char *text = NULL;

    if (!read_text(value, what, &text, err))
        return false;
    if (text == NULL || !time_parse(text, ret_at_us))
        *ret_at_us = AGENT_NO_TIME;
    free(text);
    return true;
}

static bool read_bool(struct json_slice value, const char *what, bool *ret_value, struct error *err)
{
    bool yes = value.size == 4 && memcmp(value.bytes, "true", 4) == 0;
    bool no = value.size == 5 && memcmp(value.bytes, "false", 5) == 0;

    if (!is_absent(value) && !yes && !no)
        return error_set(err, ERROR_INVALID, "%s is not a boolean", what);
    *ret_value = yes;
    return true;
}

static bool read_metadata(struct json_slice metadata, struct agent *agent, struct error *err)
{
    char *deleted = NULL;

    if (metadata.bytes == NULL || metadata.bytes[0] != '{')
        return error_set(err, ERROR_INVALID, "metadata is missing");
    if (!read_needed(metadata, "name", &agent->name, err) ||
        !read_needed(metadata, "uid", &agent->uid, err) ||
        !read_needed(metadata, "resourceVersion", &agent->resource_version, err) ||
        !read_time(json_slice_get(metadata, "creationTimestamp"), "metadata.creationTimestamp",
                   &agent->created_at_us, err) ||
        !read_text(json_slice_get(metadata, "deletionTimestamp"), "metadata.deletionTimestamp",
                   &deleted, err))
        return false;
    agent->deleting = deleted != NULL;
    free(deleted);
    return true;
}

static bool read_cells(const struct json_slice *cells, struct agent *agent, struct error *err)
{
    char *phase = NULL;

    if (!read_text(cells[AGENT_COLUMN_PHASE], "status.phase", &phase, err))
        return false;
    agent->phase = agent_phase_parse(phase);
    free(phase);
    return read_text(cells[AGENT_COLUMN_STATION], "spec.stationRef", &agent->station, err) &&
           read_text(cells[AGENT_COLUMN_JOB], "status.jobName", &agent->job, err) &&
           read_text(cells[AGENT_COLUMN_BATCH], "status.batchId", &agent->batch_id, err) &&
           read_text(cells[AGENT_COLUMN_RESUME], "spec.resumeSession", &agent->resume_session,
                     err) &&
           read_bool(cells[AGENT_COLUMN_FALLBACK], "status.batchFallback", &agent->batch_fallback,
                     err) &&
           read_time(cells[AGENT_COLUMN_STARTED], "status.startedAt", &agent->started_at_us, err) &&
           read_time(cells[AGENT_COLUMN_COMPLETED], "status.completedAt", &agent->completed_at_us,
                     err);
}

bool agent_row_read(struct json_slice metadata, const struct json_slice *cells,
                    struct agent **ret_agent, struct error *err)
{
    struct agent *agent = xcalloc(1, sizeof(*agent));

    if (!read_metadata(metadata, agent, err) || !read_cells(cells, agent, err)) {
        agent_free(agent);
        return false;
    }
    *ret_agent = agent;
    return true;
}

/* A member that must be an object; bytes NULL when it is absent. */
static bool section(struct json_slice object, const char *key, struct json_slice *ret_section,
                    struct error *err)
{
    struct json_slice value = json_slice_get(object, key);

    if (is_absent(value))
        value = (struct json_slice){NULL, 0};
    else if (value.bytes[0] != '{')
        return error_set(err, ERROR_INVALID, "%s is not an object", key);
    *ret_section = value;
    return true;
}

static struct json_slice member(struct json_slice object, const char *key)
{
    return object.bytes == NULL ? object : json_slice_get(object, key);
}

bool agent_read(struct json_slice object, struct agent **ret_agent, struct error *err)
{
    struct json_slice metadata;
    struct json_slice spec;
    struct json_slice status;

    if (!section(object, "metadata", &metadata, err) || !section(object, "spec", &spec, err) ||
        !section(object, "status", &status, err))
        return false;

    struct json_slice cells[AGENT_COLUMN_COUNT] = {
        [AGENT_COLUMN_PHASE] = member(status, "phase"),
        [AGENT_COLUMN_STATION] = member(spec, "stationRef"),
        [AGENT_COLUMN_JOB] = member(status, "jobName"),
        [AGENT_COLUMN_STARTED] = member(status, "startedAt"),
        [AGENT_COLUMN_COMPLETED] = member(status, "completedAt"),
        [AGENT_COLUMN_BATCH] = member(status, "batchId"),
        [AGENT_COLUMN_FALLBACK] = member(status, "batchFallback"),
        [AGENT_COLUMN_RESUME] = member(spec, "resumeSession"),
    };

    return agent_row_read(metadata, cells, ret_agent, err);
}

char *agent_read_name(struct json_slice metadata)
{
    struct json_slice name;

    if (metadata.bytes == NULL || metadata.bytes[0] != '{')
        return NULL;
    name = json_slice_get(metadata, "name");
    return is_absent(name) ? NULL : json_slice_text(name);
}

static const struct field_key file_keys[] = {
    {"path",           offsetof(struct agent_file, path)          },
    {"url",            offsetof(struct agent_file, url)           },
    {"headers_secret", offsetof(struct agent_file, headers_secret)},
};

static bool read_files(const struct json_object *tree, struct agent_spec *spec, struct error *err)
{
    struct json_object *array;
    size_t count;

    if (!field_objects(tree, "files", &array, &count, err))
        return false;
    spec->files = xcalloc(count + 1, sizeof(*spec->files));
    for (size_t i = 0; i < count; i++) {
        spec->file_count = i + 1;
        if (!field_texts(json_object_array_get_idx(array, i), file_keys, ARRAY_SIZE(file_keys),
                         &spec->files[i], err))
            return false;
    }
    return true;
}

static const struct field_key spec_keys[] = {
    {"taskId",        offsetof(struct agent_spec, task_id)       },
    {"targetRepo",    offsetof(struct agent_spec, target_repo)   },
    {"branch",        offsetof(struct agent_spec, branch)        },
    {"model",         offsetof(struct agent_spec, model)         },
    {"resumeSession", offsetof(struct agent_spec, resume_session)},
};

bool agent_spec_read(struct json_slice object, struct agent_spec **ret_spec, struct error *err)
{
    struct json_slice text;
    struct agent_spec *spec;
    struct json_object *tree;
    bool ok;

    if (!section(object, "spec", &text, err))
        return false;
    spec = xcalloc(1, sizeof(*spec));
    tree = text.bytes == NULL ? NULL : json_slice_parse(text);
    ok = field_texts(tree, spec_keys, ARRAY_SIZE(spec_keys), spec, err) &&
         parameters_read(tree, &spec->parameters, &spec->parameter_count, err) &&
         read_files(tree, spec, err);
    json_object_put(tree);
    if (!ok) {
        agent_spec_free(spec);
        return false;
    }
    *ret_spec = spec;
    return true;
}
