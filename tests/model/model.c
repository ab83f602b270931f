#include "tests/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"
#include "tests/model/selector.h"

void model_init(struct model *model, uint64_t history)
{
    *model = (struct model){.history = history};
}

static void token_release(struct token *token)
{
    free(token->text);
    free(token->namespace);
    free(token->last);
    *token = (struct token){0};
}

void model_release(struct model *model)
{
    for (size_t i = 0; i < model->event_count; i++)
        json_object_put(model->events[i].object);
    for (size_t i = 0; i < TOKENS_MAX; i++)
        token_release(&model->tokens[i]);
    token_release(&model->pending);
    free(model->events);
}

static void append(struct model *model, struct event event)
{
    model->events = realloc(model->events, (model->event_count + 1) * sizeof(*model->events));
    if (model->events == NULL)
        abort();
    model->events[model->event_count++] = event;
}

void model_found(struct model *model, const struct kind *kind, const struct json_object *object)
{
    append(model, (struct event){.revision = model->revision,
                                 .change = CHANGE_ADDED,
                                 .kind = kind,
                                 .object = value_copy(object)});
}

void model_add(struct model *model, enum change change, const struct kind *kind,
               struct json_object *object)
{
    char text[24];

    model->revision++;
    model->fresh++;
    (void)snprintf(text, sizeof(text), "%" PRIu64, model->revision);
    value_put_text(value_within(object, "metadata"), "resourceVersion", text);
    append(model, (struct event){model->revision, change, kind, object});
}

/* --- what there is --- */

static bool is_named(const struct event *event, const struct kind *kind, const char *namespace,
                     const char *name)
{
    return event->kind == kind && strcmp(value_text(event->object, "metadata.name"), name) == 0 &&
           strcmp(value_text(event->object, "metadata.namespace"), namespace) == 0;
}

const struct event *model_find(const struct model *model, const struct kind *kind,
                               const char *namespace, const char *name, uint64_t revision)
{
    for (size_t i = model->event_count; i > 0; i--) {
        const struct event *event = &model->events[i - 1];

        if (event->revision > revision || !is_named(event, kind, namespace, name))
            continue;
        return event->change == CHANGE_DELETED ? NULL : event;
    }
    return NULL;
}

const struct event *model_before(const struct model *model, const struct event *event)
{
    return model_find(model, event->kind, value_text(event->object, "metadata.namespace"),
                      value_text(event->object, "metadata.name"), event->revision - 1);
}

char *key_of(const struct json_object *object)
{
    const char *namespace = value_text(object, "metadata.namespace");

    return format("%s%s%s", namespace, namespace[0] == '\0' ? "" : "/",
                  value_text(object, "metadata.name"));
}

static int compare_keys(const void *a, const void *b)
{
    char *left = key_of((*(const struct event *const *)a)->object);
    char *right = key_of((*(const struct event *const *)b)->object);
    int order = strcmp(left, right);

    free(left);
    free(right);
    return order;
}

size_t model_objects(const struct model *model, const struct kind *kind, const char *namespace,
                     uint64_t revision, const struct event **events)
{
    size_t count = 0;

    for (size_t i = 0; i < model->event_count; i++) {
        const struct event *event = &model->events[i];
        size_t at = 0;

        if (event->kind != kind || event->revision > revision ||
            !is_wanted(event->object, namespace, NULL, NULL))
            continue;
        while (at < count &&
               !is_named(event, kind, value_text(events[at]->object, "metadata.namespace"),
                         value_text(events[at]->object, "metadata.name")))
            at++;
        if (at == count)
            count++;
        events[at] = event;
        if (event->change == CHANGE_DELETED)
            events[at] = events[--count];
    }
    qsort(events, count, sizeof(struct event *), compare_keys);
    return count;
}

uint64_t model_oldest(const struct model *model)
{
    uint64_t by_count = model->revision > model->history ? model->revision - model->history : 0;

    return by_count > model->compacted ? by_count : model->compacted;
}

struct json_object *shown(const struct kind *kind, bool other, const struct json_object *object)
{
    struct json_object *copy = value_copy(object);
    char version[64];

    value_put_text(copy, "apiVersion", api_version(kind, other, version));
    value_put_text(copy, "kind", kind->kind);
    return copy;
}

bool is_wanted(const struct json_object *object, const char *namespace, const char *labels,
               const char *fields)
{
    if (namespace != NULL && namespace[0] != '\0' &&
        strcmp(namespace, value_text(object, "metadata.namespace")) != 0)
        return false;
    return (labels == NULL || labels_match(labels, object)) &&
           (fields == NULL || fields_match(fields, object));
}

/* --- answers --- */

void answer_refuse(struct answer *answer, struct json_object *status)
{
    answer->code = (int)value_int(status, "code", 0);
    answer->body = status;
}

void answer_warn(struct answer *answer, const char *text)
{
    if (answer->warnings == NULL)
        answer->warnings = json_object_new_array();
    if (!value_lists(answer->warnings, text))
        value_add_text(answer->warnings, text);
}

void answer_release(struct answer *answer)
{
    json_object_put(answer->body);
    json_object_put(answer->warnings);
    *answer = (struct answer){0};
}

struct json_object *check_selectors(const struct ask *ask)
{
    char name[64];

    for (unsigned i = 0; ask->fields != NULL; i++) {
        field_name(ask->fields, i, name, sizeof(name));
        if (name[0] == '\0')
            break;
        if (has_field(ask->kind, name))
            continue;
        if (ask->kind->lists_fields)
            return refuse_bad("\"%s\" is not a known field selector: only \"metadata.name\", "
                              "\"metadata.namespace\"",
                              name);
        return refuse_bad("field label not supported: %s", name);
    }
    return NULL;
}

void model_ask(struct model *model, const struct ask *ask, struct answer *answer)
{
    *answer = (struct answer){.code = 200};
    model->fresh = 0;
    token_release(&model->pending);
    switch (ask->verb) {
    case VERB_GET:
    case VERB_LIST:
        model_read(model, ask, answer);
        break;
    case VERB_CREATE:
        model_create(model, ask, answer);
        break;
    case VERB_UPDATE:
    case VERB_MERGE:
    case VERB_PATCH:
        model_update(model, ask, answer);
        break;
    case VERB_DELETE:
    case VERB_DELETE_ALL:
        model_delete(model, ask, answer);
        break;
    case VERB_COMPACT:
        model->compacted = model->revision;
        break;
    case VERB_WATCH:
    case VERB_WAIT:
    case VERB_COUNT:
        break;
    }
}

void model_learn(struct model *model, const char *uid, const char *name, const char *token)
{
    struct event *last = model->event_count == 0 ? NULL : &model->events[model->event_count - 1];

    if (model->fresh > 0 && uid[0] != '\0')
        value_put_text(value_get(last->object, "metadata"), "uid", uid);
    if (model->fresh > 0 && name[0] != '\0')
        value_put_text(value_get(last->object, "metadata"), "name", name);
    if (token[0] != '\0') {
        struct token *place = &model->tokens[model->token_count++ % TOKENS_MAX];

        token_release(place);
        *place = model->pending;
        place->text = format("%s", token);
        model->pending = (struct token){0};
    }
}
