/* events - Event objects, written, counted up and ended. */
#include "fakeapi/cluster/events.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/due_queue.h"

#define ACTOR "event-recorder"

/* Longest message that a server takes. */
#define MESSAGE_BYTES_MAX 1024

/* An Event that was written, by all that makes a repetition of it. */
struct known {
    char *key;
    char *namespace;
    char *name;
    int64_t count;
    struct known *prev; /* the least recently told first */
    struct known *next;
    UT_hash_handle hh;
};

struct events {
    const struct cluster_context *context;
    bool on;
    struct due_queue *queue; /* of uids of Events */
    struct known *by_key;
    struct known *by_age;
    uint64_t next_number; /* so that two of one microsecond have two names */
};

/* --- what is known --- */

static void forget(struct events *events, struct known *known)
{
    HASH_DEL(events->by_key, known);
    DL_DELETE(events->by_age, known);
    free(known->key);
    free(known->namespace);
    free(known->name);
    free(known);
}

static char *key_of(const struct store_object *object, const struct event_record *record)
{
    return xprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s", record->component, text_or(record->host, ""),
                   object->uid, text_or(record->field_path, ""), record->type, record->reason,
                   record->message);
}

static void remember(struct events *events, char *key, const char *namespace, char *name)
{
    struct known *known = xcalloc(1, sizeof(*known));

    if (HASH_COUNT(events->by_key) == EVENTS_KNOWN_MAX)
        forget(events, events->by_age);
    known->key = key;
    known->namespace = xstrdup(namespace);
    known->name = name;
    known->count = 1;
    HASH_ADD_KEYPTR(hh, events->by_key, known->key, strlen(known->key), known);
    DL_APPEND(events->by_age, known);
}

/* --- writing --- */

static void set_if(struct json_object *object, const char *key, const char *text)
{
    if (!text_is_empty(text))
        json_set_text(object, key, text);
}

static struct json_object *reference_to(const struct store_object *object, const char *field_path)
{
    struct json_object *reference = json_object_new_object();
    struct json_slice whole = {object->bytes->data, object->bytes->size};
    static const char *const keys[] = {"kind", "apiVersion"};
    char revision[24];

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        char *text = json_slice_text(json_slice_get(whole, keys[i]));

        set_if(reference, keys[i], text);
        free(text);
    }
    snprintf(revision, sizeof(revision), "%" PRIu64, object->revision);
    set_if(reference, "namespace", object->namespace);
    json_set_text(reference, "name", object->name);
    json_set_text(reference, "uid", object->uid);
    json_set_text(reference, "resourceVersion", revision);
    set_if(reference, "fieldPath", field_path);
    return reference;
}

static struct json_object *event_of(const struct events *events, const char *name,
                                    const struct store_object *object,
                                    const struct event_record *record)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *source = json_object_new_object();
    int64_t now_us = runtime_wall_us(events->context->rt);

    json_set_text(json_ensure_object(tree, "metadata"), "name", name);
    json_set(tree, "involvedObject", reference_to(object, record->field_path));
    json_set_text(tree, "reason", record->reason);
    json_set_text(tree, "message", record->message);
    json_set_text(source, "component", record->component);
    set_if(source, "host", record->host);
    json_set(tree, "source", source);
    cluster_set_time(tree, "firstTimestamp", now_us);
    cluster_set_time(tree, "lastTimestamp", now_us);
    json_set_int64(tree, "count", 1);
    json_set_text(tree, "type", record->type);
    json_set(tree, "eventTime", NULL);
    json_set_text(tree, "reportingComponent", record->component);
    json_set_text(tree, "reportingInstance", text_or(record->host, ""));
    return tree;
}

/* Events about what has no namespace are in default (S9). */
static const char *namespace_of(const struct store_object *object)
{
    return text_or(object->namespace, "default");
}

static bool count_up(struct events *events, struct known *known)
{
    const struct rest_target target = {
        .group = "", .plural = "events", .namespace = known->namespace, .name = known->name};
    struct json_object *patch = json_object_new_object();
    struct error err = ERROR_INIT;
    bool ok;

    json_set_int64(patch, "count", known->count + 1);
    cluster_set_time(patch, "lastTimestamp", runtime_wall_us(events->context->rt));
    ok = rest_merge_patch(events->context->rest, &target, patch, NULL, &err);
    json_object_put(patch);
    if (!ok)
        return false;
    known->count++;
    DL_DELETE(events->by_age, known);
    DL_APPEND(events->by_age, known);
    return true;
}

static void create(struct events *events, char *key, const struct store_object *object,
                   const struct event_record *record)
{
    const struct rest_target target = {
        .group = "", .plural = "events", .namespace = namespace_of(object)};
    int64_t now_us = runtime_wall_us(events->context->rt);
    char *name = xprintf("%s.%" PRIx64, object->name,
                         (uint64_t)now_us * 1000 + events->next_number++ % 1000);
    struct error err = ERROR_INIT;

    if (rest_create_owned(events->context->rest, &target, event_of(events, name, object, record),
                          NULL, &err)) {
        remember(events, key, target.namespace, name);
        return;
    }
    free(key);
    free(name);
}

void events_record(struct events *events, const struct store_object *object,
                   const struct event_record *record)
{
    struct known *known;
    char *key;

    if (!events->on)
        return;
    key = key_of(object, record);
    HASH_FIND_STR(events->by_key, key, known);
    if (known != NULL && count_up(events, known)) {
        free(key);
        return;
    }
    if (known != NULL)
        forget(events, known);
    create(events, key, object, record);
}

/* To at most size bytes, and no half of a character. */
static void cut(struct buffer *text, size_t size)
{
    if (text->size <= size)
        return;
    while (size > 0 && ((unsigned char)text->bytes[size] & 0xc0) == 0x80)
        size--;
    text->size = size;
    text->bytes[size] = '\0';
}

void cluster_event(const struct cluster_context *context, const char *actor,
                   const struct store_object *object, const char *type, const char *reason,
                   const char *format, ...)
{
    struct buffer message = BUFFER_INIT(64 * 1024);
    struct event_record record = {.component = actor, .type = type, .reason = reason};
    va_list values;

    va_start(values, format);
    buffer_append_format_list(&message, format, values);
    va_end(values);
    cut(&message, MESSAGE_BYTES_MAX);
    record.message = buffer_text(&message);
    events_record(context->events, object, &record);
    buffer_release(&message);
}

/* --- ending --- */

/* When it was last written, as far as it says so itself. */
static int64_t written_at(const struct store_object *event)
{
    struct json_slice whole = {event->bytes->data, event->bytes->size};
    int64_t last_us = partial_time(whole, "lastTimestamp");
    struct json_slice series = json_slice_get(whole, "series");
    int64_t series_us = series.bytes == NULL ? 0 : partial_time(series, "lastObservedTime");
    int64_t latest_us = event->created_at_us;

    latest_us = last_us > latest_us ? last_us : latest_us;
    return series_us > latest_us ? series_us : latest_us;
}

static void work(void *arg, const char *uid)
{
    struct events *events = arg;
    const struct owner_node *node = owner_index_find(events->context->index, uid);
    const struct store_object *event = node == NULL ? NULL : owner_node_object(node);
    int64_t now_us = runtime_wall_us(events->context->rt);

    if (event == NULL)
        return;
    if (written_at(event) + EVENTS_LIFE_US > now_us)
        due_queue_add(events->queue, uid, written_at(event) + EVENTS_LIFE_US - now_us);
    else if (!cluster_delete(events->context, ACTOR, node->resource, event, REST_BACKGROUND))
        due_queue_add(events->queue, uid, CLUSTER_RETRY_US);
}

void events_see(struct events *events, struct store_resource *resource,
                const struct store_object *object)
{
    int64_t end_us;

    if (!cluster_is_resource(resource, "", "events"))
        return;
    end_us = written_at(object) + EVENTS_LIFE_US;
    due_queue_add(events->queue, object->uid, end_us - runtime_wall_us(events->context->rt));
}

void events_note(struct events *events, const struct store_event *event)
{
    if (event->change == STORE_ADDED)
        events_see(events, event->resource, event->object);
    else if (event->change == STORE_DELETED && cluster_is_resource(event->resource, "", "events"))
        due_queue_remove(events->queue, event->object->uid);
}

void events_pause(struct events *events)
{
    due_queue_clear(events->queue);
}

void events_switch(struct events *events, bool on)
{
    events->on = on;
}

static const char *step_of(const void *arg, const struct store_resource *resource,
                           const struct store_object *object, int64_t *due_elapsed_us)
{
    (void)arg;
    (void)resource;
    (void)object;
    (void)due_elapsed_us;
    return "expire";
}

void events_list(const struct events *events, struct waiting *waiting)
{
    waiting_add_uids(waiting, "events", events->queue, step_of, events);
}

struct events *events_new(const struct cluster_context *context)
{
    struct events *events = xcalloc(1, sizeof(*events));

    events->context = context;
    events->queue = due_queue_new(context->rt, work, events);
    return events;
}

void events_free(struct events *events)
{
    if (events == NULL)
        return;
    while (events->by_age != NULL)
        forget(events, events->by_age);
    due_queue_free(events->queue);
    free(events);
}
