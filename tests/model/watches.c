#include "tests/model/watches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"

static void add_line(struct json_object *lines, const char *type, struct json_object *object)
{
    struct json_object *line = json_object_new_object();

    value_put_text(line, "type", type);
    value_put(line, "object", object);
    value_add(lines, line);
}

/* W5 */
static struct json_object *check_initial(const struct ask *ask)
{
    struct json_object *causes;
    const char *words;

    if (ask->initial == NULL && ask->match == NULL)
        return NULL;
    if (ask->initial == NULL)
        words = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    else if (ask->match == NULL || strcmp(ask->match, "NotOlderThan") != 0)
        words = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    else
        return NULL;
    causes = json_object_new_array();
    cause(causes, "FieldValueForbidden", "resourceVersionMatch", "Forbidden: %s", words);
    return refuse_options("ListOptions", causes);
}

/* W4 */
static void add_gone(struct json_object *lines, uint64_t revision, uint64_t oldest)
{
    struct json_object *status = refuse(
        410, "Expired", "too old resource version: %" PRIu64 " (%" PRIu64 ")", revision, oldest);

    add_line(lines, "ERROR", status);
}

static void add_end_of_initial(const struct model *model, const struct ask *ask,
                               struct json_object *lines)
{
    struct json_object *object = json_object_new_object();
    struct json_object *metadata = value_within(object, "metadata");
    char text[64];

    value_put_text(object, "kind", ask->kind->kind);
    value_put_text(object, "apiVersion", api_version(ask->kind, ask->other_version, text));
    (void)snprintf(text, sizeof(text), "%" PRIu64, model->revision);
    value_put_text(metadata, "resourceVersion", text);
    value_put(metadata, "creationTimestamp", NULL);
    value_put(metadata, "annotations", value_of("{'k8s.io/initial-events-end':'true'}"));
    if (ask->kind == &kinds[POD]) {
        value_put(object, "spec", value_of("{'containers':null}"));
        value_put(object, "status", json_object_new_object());
    }
    add_line(lines, "BOOKMARK", object);
}

static void add_initial(const struct model *model, const struct ask *ask, struct json_object *lines)
{
    const struct event **events = calloc(model->event_count + 1, sizeof(*events));
    size_t count = model_objects(model, ask->kind, ask->namespace, model->revision, events);

    for (size_t i = 0; i < count; i++)
        if (is_wanted(events[i]->object, ask->namespace, ask->labels, ask->fields))
            add_line(lines, "ADDED", shown(ask->kind, ask->other_version, events[i]->object));
    free(events);
    if (ask->bookmarks)
        add_end_of_initial(model, ask, lines);
}

/* W10: by what it was and what it is. */
static void add_event(const struct model *model, const struct ask *ask, const struct event *event,
                      struct json_object *lines)
{
    const struct event *before = model_before(model, event);
    bool was =
        before != NULL && is_wanted(before->object, ask->namespace, ask->labels, ask->fields);
    bool is = event->change != CHANGE_DELETED &&
              is_wanted(event->object, ask->namespace, ask->labels, ask->fields);
    struct json_object *object;

    if (!was && !is)
        return;
    object = shown(ask->kind, ask->other_version, is ? event->object : before->object);
    if (!is)
        value_keep(value_get(object, "metadata"), value_get(event->object, "metadata"),
                   "resourceVersion");
    add_line(lines, !is ? "DELETED" : was ? "MODIFIED" : "ADDED", object);
}

struct json_object *watcher_follow(const struct model *model, struct watcher *watcher)
{
    struct json_object *lines = json_object_new_array();

    for (size_t i = 0; i < model->event_count && !watcher->over; i++) {
        const struct event *event = &model->events[i];

        if (event->kind == watcher->ask->kind && event->revision > watcher->cursor)
            add_event(model, watcher->ask, event, lines);
    }
    if (model->revision > watcher->cursor)
        watcher->cursor = model->revision;
    return lines;
}

struct json_object *watcher_begin(const struct model *model, const struct ask *ask,
                                  struct watcher *watcher, struct answer *answer)
{
    const char *text = ask->revision == NULL ? "0" : ask->revision;
    bool number = text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
    uint64_t revision = strtoull(text, NULL, 10);
    bool initial = ask->initial == NULL ? revision == 0 : strcmp(ask->initial, "true") == 0;
    struct json_object *status = check_initial(ask);
    struct json_object *lines;

    *watcher = (struct watcher){.ask = ask, .cursor = model->revision};
    if (status == NULL)
        status = check_selectors(ask);
    if (status == NULL && !number)
        status = refuse(500, NULL,
                        "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing "
                        "\"%s\": invalid syntax",
                        text, text);
    if (status != NULL) {
        answer_refuse(answer, status);
        return NULL;
    }
    lines = json_object_new_array();
    if (initial) {
        add_initial(model, ask, lines);
    } else if (revision > 0 && revision < model_oldest(model)) {
        add_gone(lines, revision, model_oldest(model));
        watcher->over = true;
    } else if (revision > 0) {
        json_object_put(lines);
        watcher->cursor = revision;
        lines = watcher_follow(model, watcher);
    }
    return lines;
}
