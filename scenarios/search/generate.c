#include "scenarios/search/generate.h"

#include <inttypes.h>
#include <json-c/linkhash.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "scenarios/search/document.h"
#include "scenarios/search/generate_parts.h"

#define TREE_BYTES_MAX ((size_t)64 * 1024)
/** Nothing stands still for longer than a run's deadline, with room for back-offs. */
#define SETTLE "12m"
/** Longest story behind its shortest. */
#define MORE_SECONDS_MAX 240
/** Nothing is begun in the last part of a story. */
#define LAST_MS 90000

/* --- trees --- */

/* Releases text. */
static struct json_object *parse(struct buffer *text)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    for (size_t i = 0; i < text->size; i++) {
        if (text->bytes[i] == '\'')
            text->bytes[i] = '"';
    }
    if (!json_parse(text->bytes, text->size, TREE_BYTES_MAX, &tree, &err))
        abort(); /* our own text */
    buffer_release(text);
    return tree;
}

static struct json_object *tree_of(const char *format, va_list values) PRINTF_LIKE(1, 0);

static struct json_object *tree_of(const char *format, va_list values)
{
    struct buffer text = BUFFER_INIT(TREE_BYTES_MAX);

    buffer_append_format_list(&text, format, values);
    return parse(&text);
}

struct json_object *story_tree_of(const char *text, const char *name)
{
    struct buffer filled = BUFFER_INIT(TREE_BYTES_MAX);

    for (; *text != '\0'; text++) {
        if (*text == '$')
            buffer_append_text(&filled, name);
        else
            buffer_append_char(&filled, *text);
    }
    return parse(&filled);
}

struct json_object *story_tree(const char *format, ...)
{
    struct json_object *tree;
    va_list values;

    va_start(values, format);
    tree = tree_of(format, values);
    va_end(values);
    return tree;
}

void story_add(struct json_object *list, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    json_add(list, tree_of(format, values));
    va_end(values);
}

void story_step(struct story *story, int64_t at_ms, struct json_object *tree)
{
    story->steps = xrealloc(story->steps, (story->step_count + 1) * sizeof(*story->steps));
    story->steps[story->step_count++] =
        (struct story_step){at_ms < story->end_ms ? at_ms : story->end_ms, tree};
}

/* --- names and times --- */

const char *story_agent(int64_t number, char name[STORY_NAME_SIZE])
{
    snprintf(name, STORY_NAME_SIZE, "a-%02" PRId64, number);
    return name;
}

const char *story_some_agent(struct story *story, char name[STORY_NAME_SIZE])
{
    return story_agent(draw_between(&story->draw, 1, story->agents), name);
}

const char *story_some_station(struct story *story, char name[STORY_NAME_SIZE])
{
    snprintf(name, STORY_NAME_SIZE, "s-%" PRIu64,
             draw_below(&story->draw, (uint64_t)story->stations));
    return name;
}

const char *story_some_replica(struct story *story, char name[STORY_NAME_SIZE])
{
    snprintf(name, STORY_NAME_SIZE, "ctl-%" PRIu64,
             draw_below(&story->draw, (uint64_t)story->replicas));
    return name;
}

int64_t story_some_time(struct story *story)
{
    return draw_between(&story->draw, 3000, story->end_ms - LAST_MS);
}

/* --- the whole --- */

/* By time, and at one time in the order of their drawing: equal ones keep their places. */
static void sort_steps(struct story *story)
{
    for (size_t i = 1; i < story->step_count; i++) {
        struct story_step step = story->steps[i];
        size_t at = i;

        for (; at > 0 && story->steps[at - 1].at_ms > step.at_ms; at--)
            story->steps[at] = story->steps[at - 1];
        story->steps[at] = step;
    }
}

static struct json_object *steps_of(struct story *story)
{
    struct json_object *steps = json_object_new_array();

    sort_steps(story);
    for (size_t i = 0; i < story->step_count; i++) {
        struct json_object *step = story_tree("{'at':'%" PRId64 "ms'}", story->steps[i].at_ms);
        struct json_object_iter member;

        json_object_object_foreachC(story->steps[i].tree, member)
        {
            json_set(step, member.key, json_object_get(member.val));
        }
        json_object_put(story->steps[i].tree);
        json_add(steps, step);
    }
    free(story->steps);
    return steps;
}

static void set_list(struct json_object *tree, const char *key, struct json_object *list)
{
    if (json_object_array_length(list) > 0)
        json_set(tree, key, list);
    else
        json_object_put(list);
}

static struct json_object *controllers_of(const struct story *story, int64_t stagger_ms)
{
    struct json_object *controllers = story_tree(
        "{'replicas':%" PRId64 ",'stagger':'%" PRId64 "ms'}", story->replicas, stagger_ms);

    json_set(controllers, "settings", story->settings);
    set_list(controllers, "clocks", story->clocks);
    return controllers;
}

/* What somebody has suspended would never end: at last it is thought of. */
static void resume_jobs(struct story *story)
{
    size_t count = json_object_array_length(story->suspended);

    story->end_ms += count > 0 ? 1000 : 0;
    for (size_t i = 0; i < count; i++) {
        const char *agent = json_object_get_string(json_object_array_get_idx(story->suspended, i));

        story_step(story, story->end_ms,
                   story_tree("{'patch':{'kind':'Job','name':'agent-job-%s','merge':{'spec':"
                              "{'suspend':false}}},'optional':true}",
                              agent));
    }
    (void)json_object_put(story->suspended);
}

static struct json_object *generate(uint64_t seed)
{
    struct story story = {.settings = json_object_new_object(),
                          .clocks = json_object_new_array(),
                          .objects = json_object_new_array(),
                          .pods = json_object_new_array(),
                          .faults = json_object_new_array(),
                          .links = json_object_new_array(),
                          .suspended = json_object_new_array()};
    struct json_object *tree;
    int64_t stagger_ms;

    draw_init(&story.draw, seed);
    story.end_ms = 1000 * draw_between(&story.draw, GENERATE_SECONDS_MIN,
                                       GENERATE_SECONDS_MIN + MORE_SECONDS_MAX);
    story.replicas =
        draw_chance(&story.draw, 75) ? GENERATE_REPLICAS_MIN : GENERATE_REPLICAS_MIN + 1;
    stagger_ms = draw_chance(&story.draw, 30) ? 0 : draw_magnitude(&story.draw, 10, 20000);
    generate_cluster(&story);
    generate_faults(&story);
    generate_steps(&story);
    generate_themes(&story);
    story_step(&story, story.end_ms, story_tree("{'heal':'all'}"));
    resume_jobs(&story);

    tree = story_tree("{'description':'What scenario explore makes of the seed %" PRIu64
                      ".','seed':%" PRIu64 "}",
                      seed, seed);
    json_set(tree, "controllers", controllers_of(&story, stagger_ms));
    json_set(tree, "objects", story.objects);
    json_set(tree, "pods", story.pods);
    json_set(tree, "faults", story.faults);
    set_list(tree, "links", story.links);
    json_set(tree, "steps", steps_of(&story));
    json_set_text(tree, "settle", SETTLE);
    return tree;
}

void generate_append(uint64_t seed, struct buffer *text)
{
    struct json_object *tree = generate(seed);

    document_append(text, tree, NULL);
    json_object_put(tree);
}
