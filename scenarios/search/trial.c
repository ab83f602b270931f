/* trial - see trial.h. */
#include "scenarios/search/trial.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/scenario.h"

/** Longest list of a text's mistakes. */
#define PROBLEMS_BYTES_MAX ((size_t)1024 * 1024)
/** Longest answer of a worker. */
#define ANSWER_BYTES_MAX ((size_t)256 * 1024 * 1024)

void trial_run(const struct world_kit *kit, const char *path, const void *bytes, size_t size,
               const uint64_t *seed, struct trial *ret_trial)
{
    struct problems problems = {0};
    struct buffer text = BUFFER_INIT(PROBLEMS_BYTES_MAX);
    struct scenario *scenario =
        scenario_read_with(world_kit_schemas(kit), path, bytes, size, &problems);

    *ret_trial = (struct trial){0};
    if (scenario == NULL) {
        size_t problems_size;

        problems_append(&problems, path, &text);
        ret_trial->problems = buffer_take(&text, &problems_size);
    } else {
        ret_trial->seed = seed == NULL ? (uint64_t)scenario->seed : *seed;
        world_run(scenario, &(struct world_options){.kit = kit, .seed = ret_trial->seed},
                  &ret_trial->outcome);
    }
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&text);
}

void trial_release(struct trial *trial)
{
    free(trial->problems);
    outcome_release(&trial->outcome);
    *trial = (struct trial){0};
}

/* --- on its way --- */

/** The texts of an outcome that travel. */
static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {"failure", offsetof(struct outcome, failure)},
    {"reason",  offsetof(struct outcome, reason) },
    {"details", offsetof(struct outcome, details)},
    {"story",   offsetof(struct outcome, story)  },
    {"kills",   offsetof(struct outcome, kills)  },
};

static char **text_at(struct outcome *outcome, size_t index)
{
    return (char **)(void *)((char *)outcome + texts[index].offset);
}

void trial_append(const struct trial *trial, struct buffer *buffer)
{
    struct json_object *object = json_object_new_object();
    struct outcome outcome = trial->outcome;

    if (trial->problems != NULL)
        json_set_text(object, "problems", trial->problems);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        if (*text_at(&outcome, i) != NULL)
            json_set_text(object, texts[i].key, *text_at(&outcome, i));
    }
    json_set_int64(object, "seed", (int64_t)trial->seed);
    json_set_bool(object, "passed", outcome.passed);
    json_set_int64(object, "virtual_us", outcome.virtual_us);
    json_set_int64(object, "events", (int64_t)outcome.events);
    json_set_text(object, "hash", outcome.hash);
    json_append(buffer, object);
    (void)json_object_put(object);
}

bool trial_parse(const char *bytes, size_t size, struct trial *ret_trial, struct error *err)
{
    struct json_object *object = NULL;
    struct trial trial = {0};

    if (!json_parse(bytes, size, ANSWER_BYTES_MAX, &object, err))
        return error_prefix(err, "a worker's answer");
    trial.problems = xstrdup(json_get_text(object, "problems"));
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        *text_at(&trial.outcome, i) = xstrdup(json_get_text(object, texts[i].key));
    trial.seed = (uint64_t)json_get_int64(object, "seed", 0);
    trial.outcome.passed = json_get_bool(object, "passed", false);
    trial.outcome.virtual_us = json_get_int64(object, "virtual_us", 0);
    trial.outcome.events = (uint64_t)json_get_int64(object, "events", 0);
    (void)snprintf(trial.outcome.hash, sizeof(trial.outcome.hash), "%s",
                   text_or(json_get_text(object, "hash"), ""));
    (void)json_object_put(object);
    *ret_trial = trial;
    return true;
}

/* --- comparing --- */

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/** The first line of the details that says what a field is instead of what it should be, from the
 * field's path to where its place in the file begins. */
static const char *first_difference(const char *details, size_t *ret_size)
{
    const char *at = details == NULL ? NULL : strstr(details, ": expected ");
    const char *end;

    *ret_size = 0;
    if (at == NULL)
        return "";
    end = at + strcspn(at, "\n");
    while (at > details && at[-1] != '\n')
        at--;
    for (const char *place = at; place < end; place++) {
        if (strncmp(place, "   (", 4) == 0)
            end = place;
    }
    *ret_size = (size_t)(end - at);
    return at;
}

/** Where the claim itself is named there is a place before it. */
static const char *skip_place(const char *text, const char *end)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));

    return colon != NULL && colon + 1 < end && is_digit(colon[1]) ? strchr(colon, ' ') : text;
}

/** The same but for the numbers in them. */
static bool is_alike(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        if (is_digit(*a) && is_digit(*b)) {
            while (a < a_end && is_digit(*a))
                a++;
            while (b < b_end && is_digit(*b))
                b++;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return a == a_end && b == b_end;
}

static bool differ_alike(const char *a_details, const char *b_details)
{
    size_t a_size;
    size_t b_size;
    const char *a = first_difference(a_details, &a_size);
    const char *b = first_difference(b_details, &b_size);
    const char *a_end = a + a_size;
    const char *b_end = b + b_size;

    return is_alike(skip_place(a, a_end), a_end, skip_place(b, b_end), b_end);
}

bool trial_fails_like(const struct trial *trial, const struct outcome *failure)
{
    return text_equal(trial->outcome.failure, failure->failure) && failure->failure != NULL &&
           differ_alike(trial->outcome.details, failure->details);
}
