/* result - see result.h. */
#include "scenarios/report/result.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/report/escape.h"

#define RESULT_BYTES_MAX ((size_t)256 * 1024 * 1024)

static const char *const kind_names[] = {
    [RESULT_PASSED] = "passed",
    [RESULT_FAILED] = "failed",
    [RESULT_SKIPPED] = "skipped",
};
static const char *const verdict_names[CHECK_VERDICT_COUNT] = {
    [CHECK_PASSED] = "passed",
    [CHECK_FAILED] = "failed",
    [CHECK_NOT_REACHED] = "not reached",
};

const char *result_kind_name(enum result_kind kind)
{
    return kind_names[kind];
}

void result_release(struct result *result)
{
    free(result->name);
    free(result->path);
    free(result->failure);
    free(result->reason);
    free(result->details);
    free(result->story);
    free(result->trace);
    free(result->kills);
    free(result->kept);
    free(result->cleanup);
    checks_release(&result->checks);
    *result = (struct result){0};
}

const struct check *result_failed_check(const struct result *result)
{
    for (size_t i = 0; i < result->checks.count; i++) {
        if (result->checks.items[i].verdict == CHECK_FAILED)
            return &result->checks.items[i];
    }
    return NULL;
}

void result_append_command(const struct result *result, const char *program, struct buffer *buffer)
{
    shell_append(buffer, program);
    buffer_append_text(buffer, " run ");
    shell_append(buffer, result->path);
    if (result->live)
        buffer_append_text(buffer, " --live");
    else
        buffer_append_format(buffer, " --seed %" PRIu64 "%s", result->seed,
                             result->twice ? " --twice" : "");
    if (strchr(result->name, '[') != NULL) { /* of a matrix; behind it may stand "#17", the seed */
        char *name = xprintf("%.*s]", (int)strcspn(result->name, "]"), result->name);

        buffer_append_text(buffer, " --filter ");
        shell_append(buffer, name);
        free(name);
    }
}

/* --- as JSON --- */

static void set_text(struct json_object *object, const char *key, const char *text)
{
    if (text != NULL)
        json_set_text(object, key, text);
}

static void set_checks(struct json_object *object, const struct checks *checks)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < checks->count; i++) {
        const struct check *check = &checks->items[i];
        struct json_object *item = json_object_new_object();

        json_set_text(item, "name", check->name);
        json_set_text(item, "verdict", verdict_names[check->verdict]);
        json_set_int64(item, "line", check->line);
        json_set_int64(item, "begun_us", check->begun_us);
        json_set_int64(item, "ended_us", check->ended_us);
        json_set_int64(item, "real_us", check->real_us);
        if (check->cleanup)
            json_set_bool(item, "cleanup", true);
        json_add(array, item);
    }
    json_set(object, "checks", array);
    json_set_int64(object, "checks_left_out", (int64_t)checks->left_out);
}

void result_append(const struct result *result, struct buffer *buffer)
{
    struct json_object *object = json_object_new_object();

    set_text(object, "scenario", result->name);
    set_text(object, "path", result->path);
    json_set_int64(object, "seed", (int64_t)result->seed);
    json_set_text(object, "verdict", kind_names[result->kind]);
    json_set_int64(object, "virtual_us", result->virtual_us);
    json_set_int64(object, "real_us", result->real_us);
    json_set_int64(object, "events", (int64_t)result->events);
    json_set_bool(object, "twice", result->twice);
    json_set_bool(object, "live", result->live);
    set_text(object, "hash", result->hash);
    set_text(object, "failure", result->failure);
    set_text(object, "reason", result->reason);
    set_text(object, "details", result->details);
    set_text(object, "story", result->story);
    set_text(object, "trace", result->trace);
    set_text(object, "kills", result->kills);
    set_text(object, "kept", result->kept);
    set_text(object, "cleanup", result->cleanup);
    set_checks(object, &result->checks);
    json_append(buffer, object);
    (void)json_object_put(object);
}

/** The place of a name in a table; -1: it is not there. */
static int find_name(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_equal(names[i], name))
            return (int)i;
    }
    return -1;
}

/** A whole number from minimum to maximum, or nothing where that will do. */
static bool take_number(const struct json_object *object, const char *key, int64_t minimum,
                        int64_t maximum, int64_t *number, struct error *err)
{
    const struct json_object *value = json_get(object, key);
    int64_t written;

    if (value == NULL)
        return *number >= minimum || error_set(err, ERROR_MALFORMED, "%s is missing", key);
    if (!json_is(value, json_type_int))
        return error_set(err, ERROR_MALFORMED, "%s is no whole number", key);
    written = json_get_int64(object, key, minimum);
    if (written < minimum || written > maximum)
        return error_set(err, ERROR_MALFORMED, "%s is %s than %" PRId64, key,
                         written < minimum ? "less" : "more",
                         written < minimum ? minimum : maximum);
    *number = written;
    return true;
}

static bool parse_check(const struct json_object *item, struct check *ret_check, struct error *err)
{
    int verdict =
        find_name(json_get_text(item, "verdict"), verdict_names, ARRAY_SIZE(verdict_names));
    const char *name = json_get_text(item, "name");
    int64_t line = 0;
    int64_t begun_us = -1;
    int64_t ended_us = -1;
    int64_t real_us = 0;

    if (verdict < 0 || name == NULL)
        return error_set(err, ERROR_MALFORMED, "a check without its name or verdict");
    if (!take_number(item, "line", 0, UINT_MAX, &line, err) ||
        !take_number(item, "begun_us", -1, INT64_MAX, &begun_us, err) ||
        !take_number(item, "ended_us", -1, INT64_MAX, &ended_us, err) ||
        !take_number(item, "real_us", 0, INT64_MAX, &real_us, err))
        return error_prefix(err, "check '%s'", name);
    *ret_check = (struct check){.verdict = (enum check_verdict)verdict,
                                .name = xstrdup(name),
                                .line = (unsigned)line,
                                .begun_us = begun_us,
                                .ended_us = ended_us,
                                .real_us = real_us,
                                .cleanup = json_get_bool(item, "cleanup", false)};
    return true;
}

static bool parse_checks(const struct json_object *object, struct checks *checks, struct error *err)
{
    struct json_object *array = json_get_array(object, "checks");
    int64_t left_out = 0;
    size_t count;

    if (array == NULL)
        return error_set(err, ERROR_MALFORMED, "a result without its list of checks");
    if (!take_number(object, "checks_left_out", 0, INT64_MAX, &left_out, err))
        return false;
    count = json_object_array_length(array);
    if (count > CHECKS_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %d checks", CHECKS_MAX);
    checks->left_out = (size_t)left_out;
    checks->items = xcalloc(count + 1, sizeof(*checks->items));
    for (size_t i = 0; i < count; i++) {
        if (!parse_check(json_object_array_get_idx(array, i), &checks->items[i], err))
            return false;
        checks->count++;
    }
    return true;
}

static bool take_numbers(const struct json_object *object, struct result *result, struct error *err)
{
    int64_t seed = 0;
    int64_t events = 0;

    result->virtual_us = -1;
    result->real_us = -1;
    if (!take_number(object, "seed", INT64_MIN, INT64_MAX, &seed, err) ||
        !take_number(object, "events", 0, INT64_MAX, &events, err) ||
        !take_number(object, "virtual_us", 0, INT64_MAX, &result->virtual_us, err) ||
        !take_number(object, "real_us", 0, INT64_MAX, &result->real_us, err))
        return false;
    result->seed = (uint64_t)seed;
    result->events = (uint64_t)events;
    return true;
}

/** What is there of these is a text. */
static bool check_texts(const struct json_object *object, struct error *err)
{
    static const char *const keys[] = {"failure", "reason", "details", "story", "trace",
                                       "kills",   "kept",   "cleanup", "hash"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (json_get(object, keys[i]) != NULL && json_get_text(object, keys[i]) == NULL)
            return error_set(err, ERROR_MALFORMED, "%s is no text", keys[i]);
    }
    return true;
}

static void take_texts(const struct json_object *object, struct result *result)
{
    result->name = xstrdup(json_get_text(object, "scenario"));
    result->path = xstrdup(json_get_text(object, "path"));
    result->failure = xstrdup(json_get_text(object, "failure"));
    result->reason = xstrdup(json_get_text(object, "reason"));
    result->details = xstrdup(json_get_text(object, "details"));
    result->story = xstrdup(json_get_text(object, "story"));
    result->trace = xstrdup(json_get_text(object, "trace"));
    result->kills = xstrdup(json_get_text(object, "kills"));
    result->kept = xstrdup(json_get_text(object, "kept"));
    result->cleanup = xstrdup(json_get_text(object, "cleanup"));
    (void)snprintf(result->hash, sizeof(result->hash), "%s",
                   text_or(json_get_text(object, "hash"), ""));
}

bool result_parse(const char *bytes, size_t size, struct result *ret_result, struct error *err)
{
    struct json_object *object = NULL;
    struct result result = {0};
    int kind;
    bool ok;

    if (!json_parse(bytes, size, RESULT_BYTES_MAX, &object, err))
        return false;
    kind = find_name(json_get_text(object, "verdict"), kind_names, ARRAY_SIZE(kind_names));
    result.kind = kind < 0 ? RESULT_FAILED : (enum result_kind)kind;
    result.twice = json_get_bool(object, "twice", false);
    result.live = json_get_bool(object, "live", false);
    take_texts(object, &result);
    if (kind < 0 || result.name == NULL || result.path == NULL)
        ok = error_set(err, ERROR_MALFORMED, "a result without its scenario, path or verdict");
    else
        ok = take_numbers(object, &result, err) && check_texts(object, err) &&
             parse_checks(object, &result.checks, err);
    (void)json_object_put(object);
    if (ok)
        *ret_result = result;
    else
        result_release(&result);
    return ok;
}
