/* order - what a Job is built from, for the tests of this folder: JSON with ' in place of ". */
#ifndef TESTS_UNIT_JOBS_ORDER_H
#define TESTS_UNIT_JOBS_ORDER_H

#include "tests/unit/rows.h"

#include "controller/base/json.h"
#include "controller/jobs/job_build.h"

#define ORDER_BYTES_MAX (1 << 16)

static inline void order_unquote(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            *text = '"';
    }
}

/* An object of that spec, as checked text in a buffer of the caller's. */
static inline struct json_slice order_object(struct buffer *text, const char *name,
                                             const char *spec)
{
    struct error err = ERROR_INIT;

    buffer_clear(text);
    buffer_append_format(text, "{'metadata':{'name':'%s'},'spec':%s}", name, spec);
    order_unquote(text->bytes);
    if (!json_check(text->bytes, text->size, ORDER_BYTES_MAX, &err))
        fail_msg("bad JSON in a test: %s: %s", spec, err.text);
    return (struct json_slice){text->bytes, text->size};
}

/* An order for Agent run-1 of Station s; each spec may be NULL for {}. order_release() it. */
static inline struct job_order order_make(const char *recipe, const char *agent,
                                          const char *station)
{
    struct buffer text = BUFFER_INIT(ORDER_BYTES_MAX);
    struct agent_spec *spec = NULL;
    struct station *place = NULL;
    struct definition *definition = NULL;
    struct error err = ERROR_INIT;

    if (!agent_spec_read(order_object(&text, "run-1", agent == NULL ? "{}" : agent), &spec, &err) ||
        !station_read(order_object(&text, "s", station == NULL ? "{}" : station), &place, &err) ||
        !definition_read(order_object(&text, "d", recipe == NULL ? "{}" : recipe), &definition,
                         &err))
        fail_msg("%s", err.text);
    buffer_release(&text);
    return (struct job_order){"run-1", "u-1", "ns", "img", spec, place, definition};
}

static inline void order_release(struct job_order *order)
{
    agent_spec_free((struct agent_spec *)(uintptr_t)order->spec);
    station_free((struct station *)(uintptr_t)order->station);
    definition_free((struct definition *)(uintptr_t)order->definition);
}

/* The Job of an order with this template, a tree to be put; NULL and *err for a refusal. */
static inline struct json_object *order_build(const char *recipe, const char *agent,
                                              const char *template, struct error *err)
{
    struct buffer station = BUFFER_INIT(ORDER_BYTES_MAX);
    struct json_object *job = NULL;
    struct job_order order;
    char *text = NULL;
    size_t size = 0;

    buffer_append_format(&station, "{'template':%s}", template);
    order = order_make(recipe, agent, buffer_text(&station));
    if (job_build(&order, &text, &size, err) && !json_parse(text, size, 1 << 24, &job, err))
        fail_msg("the Job is no JSON: %s", err->text);
    free(text);
    order_release(&order);
    buffer_release(&station);
    return job;
}

/* The value at "spec.containers[agent].env", where [] looks for a name; NULL when absent. */
static inline const struct json_object *order_at(const struct json_object *tree, const char *path)
{
    char word[128];

    while (*path != '\0' && tree != NULL) {
        size_t size = strcspn(path, ".[]");
        char end = path[size];

        memcpy(word, path, size);
        word[size] = '\0';
        path += size + (end != '\0');
        if (end != ']') {
            if (size > 0)
                tree = json_get(tree, word);
            continue;
        }
        for (size_t i = 0, count = json_object_array_length(tree); i <= count; i++) {
            const struct json_object *item = json_object_array_get_idx(tree, i);

            if (i == count || strcmp(json_get_text(item, "name"), word) == 0) {
                tree = item;
                break;
            }
        }
    }
    return tree;
}

#endif
