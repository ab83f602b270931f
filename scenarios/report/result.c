/* result - see result.h. */
#include "scenarios/report/result.h"

#include <stdio.h>
#include <stdlib.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

#define RESULT_BYTES_MAX ((size_t)256 * 1024 * 1024)

void result_release(struct result *result)
{
    free(result->name);
    free(result->path);
    free(result->reason);
    free(result->details);
    free(result->story);
    free(result->trace);
    free(result->kills);
    *result = (struct result){0};
}

static void set_text(struct json_object *object, const char *key, const char *text)
{
    if (text != NULL)
        json_set_text(object, key, text);
}

void result_append(const struct result *result, struct buffer *buffer)
{
    struct json_object *object = json_object_new_object();

    json_set_int64(object, "kind", result->kind);
    set_text(object, "name", result->name);
    set_text(object, "path", result->path);
    json_set_int64(object, "seed", (int64_t)result->seed);
    json_set_int64(object, "virtual_us", result->virtual_us);
    json_set_int64(object, "real_us", result->real_us);
    json_set_int64(object, "events", (int64_t)result->events);
    set_text(object, "hash", result->hash);
    set_text(object, "reason", result->reason);
    set_text(object, "details", result->details);
    set_text(object, "story", result->story);
    set_text(object, "trace", result->trace);
    set_text(object, "kills", result->kills);
    json_append(buffer, object);
    (void)json_object_put(object);
}

bool result_parse(const char *bytes, size_t size, struct result *ret_result, struct error *err)
{
    struct json_object *object = NULL;
    struct result result = {0};

    if (!json_parse(bytes, size, RESULT_BYTES_MAX, &object, err))
        return error_prefix(err, "a worker's answer");
    result.kind = (enum result_kind)json_get_int64(object, "kind", RESULT_FAILED);
    result.name = xstrdup(json_get_text(object, "name"));
    result.path = xstrdup(json_get_text(object, "path"));
    result.seed = (uint64_t)json_get_int64(object, "seed", 0);
    result.virtual_us = json_get_int64(object, "virtual_us", 0);
    result.real_us = json_get_int64(object, "real_us", 0);
    result.events = (uint64_t)json_get_int64(object, "events", 0);
    (void)snprintf(result.hash, sizeof(result.hash), "%s",
                   text_or(json_get_text(object, "hash"), ""));
    result.reason = xstrdup(json_get_text(object, "reason"));
    result.details = xstrdup(json_get_text(object, "details"));
    result.story = xstrdup(json_get_text(object, "story"));
    result.trace = xstrdup(json_get_text(object, "trace"));
    result.kills = xstrdup(json_get_text(object, "kills"));
    (void)json_object_put(object);
    *ret_result = result;
    return true;
}
