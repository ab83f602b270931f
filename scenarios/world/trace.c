/* trace - what happens in a world as JSON lines: its events, and what comes of them.
 *
 * The format is told in scenarios/README.md. No line has headers, bodies, or the data of objects.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/parts.h"

/** Left free for the last line, which says how many did not fit. */
#define LAST_LINE_BYTES 256

static void set_text(struct json_object *line, const char *key, const char *text)
{
    if (!text_is_empty(text))
        json_set_text(line, key, text);
}

static struct json_object *line_new(int64_t at_us, const char *event)
{
    struct json_object *line = json_object_new_object();

    json_set_int64(line, "at_us", at_us);
    json_set_text(line, "event", event);
    return line;
}

/** Takes ownership of line. */
static void write_line(struct world *world, struct json_object *line)
{
    size_t size;
    char *text = json_to_text(line, &size);

    if (world->trace.size + size + 1 + LAST_LINE_BYTES > world->trace.size_max) {
        world->trace_left_out++;
    } else {
        buffer_append(&world->trace, text, size);
        buffer_append_char(&world->trace, '\n');
    }
    free(text);
    (void)json_object_put(line);
}

/** Of a target that is not the API server's the query's values are nobody's business: those of
 * sinks and vendors hold keys. */
static void set_target(struct json_object *line, const char *target)
{
    bool open = text_starts_with(target, "/api/") || text_starts_with(target, "/apis/");
    size_t path = open ? strlen(target) : strcspn(target, "?");
    struct buffer text = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);

    buffer_append(&text, target, path);
    for (const char *at = target + path; *at != '\0';) {
        size_t size = 1 + strcspn(at + 1, "&");
        const char *equals = memchr(at, '=', size);
        size_t shown = equals == NULL ? 1 : (size_t)(equals - at) + 1;

        buffer_append(&text, at, shown);
        buffer_append_text(&text, shown < size ? "***" : "");
        at += size;
    }
    json_set_text(line, "target", buffer_text(&text));
    buffer_release(&text);
}

/* --- faults --- */

static uint64_t times_acted(const struct armed_fault *armed)
{
    if (armed->rule_id == 0)
        return armed->acted;
    return armed->acted + (armed->trigger == NULL ? api_fault_acted(armed->world, armed->rule_id)
                                                  : faults_acted(armed->trigger, armed->rule_id));
}

/** Faults that have acted since the last event did so on what that event is about. */
static void write_faults(struct world *world, const struct sim_event *event)
{
    for (struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        uint64_t acted = times_acted(armed);
        struct json_object *line;

        if (acted == armed->traced)
            continue;
        armed->traced = acted;
        line = line_new(event->at_us, "fault");
        set_text(line, "text", armed->fault->name);
        json_set_int64(line, "line", armed->fault->place.line);
        if (event->exchange_id != 0)
            json_set_int64(line, "exchange", (int64_t)event->exchange_id);
        if (event->process != NULL)
            json_set_text(line, "process", sim_process_name(event->process));
        write_line(world, line);
    }
}

/* --- events --- */

static void on_event(void *arg, const struct sim_event *event)
{
    struct world *world = arg;
    struct json_object *line = line_new(event->at_us, sim_event_kind_name(event->kind));

    write_faults(world, event);
    if (event->process != NULL)
        json_set_text(line, "process", sim_process_name(event->process));
    if (event->peer != NULL)
        json_set_text(line, "peer", sim_process_name(event->peer));
    if (event->exchange_id != 0)
        json_set_int64(line, "exchange", (int64_t)event->exchange_id);
    set_text(line, "method", event->method);
    if (event->target != NULL)
        set_target(line, event->target);
    if (event->status != 0)
        json_set_int64(line, "status", event->status);
    if (event->number != 0)
        json_set_int64(line, "number", event->number);
    if (event->kind == SIM_EVENT_END && event->number != EXCHANGE_COMPLETE)
        json_set_text(line, "end", exchange_end_name((enum exchange_end)event->number));
    set_text(line, "text",
             event->kind == SIM_EVENT_LOG ? observe_shown(world, event->text) : event->text);
    if (event->size != 0)
        json_set_int64(line, "bytes", (int64_t)event->size);
    write_line(world, line);
}

void trace_start(struct world *world)
{
    if (world->traced != 0)
        sim_add_tap(world->sim, world->traced, on_event, world);
}

/* --- objects --- */

/** The last that is true: of a Job "Complete", after "SuccessCriteriaMet". */
static const char *condition_of(const struct json_object *status)
{
    struct json_object *conditions = json_get_array(status, "conditions");
    const char *found = NULL;

    for (size_t i = 0; conditions != NULL && i < json_object_array_length(conditions); i++) {
        const struct json_object *condition = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(condition, "status"), "True"))
            found = json_get_text(condition, "type");
    }
    return found;
}

/** Whose it is: the name of its first owner. */
static const char *owner_of(const struct json_object *metadata)
{
    struct json_object *owners = json_get_array(metadata, "ownerReferences");

    if (owners == NULL || json_object_array_length(owners) == 0)
        return NULL;
    return json_get_text(json_object_array_get_idx(owners, 0), "name");
}

void trace_change(struct world *world, const struct change *change)
{
    static const char *const names[] = {[CHANGE_PRESENT] = "present",
                                        [CHANGE_ADDED] = "added",
                                        [CHANGE_MODIFIED] = "modified",
                                        [CHANGE_DELETED] = "deleted"};
    const struct json_object *object = change->after != NULL ? change->after : change->before;
    const struct json_object *metadata = json_get(object, "metadata");
    const struct json_object *status = json_get(object, "status");
    struct json_object *line;

    if (world->traced == 0)
        return;
    line = line_new(change->at_us, "change");
    json_set_text(line, "change", names[change->kind]);
    json_set_text(line, "resource", change->plural);
    set_text(line, "namespace", json_get_text(metadata, "namespace"));
    set_text(line, "name", json_get_text(metadata, "name"));
    set_text(line, "version", json_get_text(metadata, "resourceVersion"));
    set_text(line, "deleting", json_get_text(metadata, "deletionTimestamp"));
    set_text(line, "phase", json_get_text(status, "phase"));
    set_text(line, "condition", condition_of(status));
    set_text(line, "owner", owner_of(metadata));
    set_text(line, "holder", json_get_text(json_get(object, "spec"), "holderIdentity"));
    write_line(world, line);
}

/* --- the end --- */

char *trace_end(struct world *world)
{
    size_t size;

    if (world->traced == 0)
        return NULL;
    if (world->trace_left_out > 0) {
        struct json_object *line = line_new(sim_now_us(world->sim), "left out");

        json_set_int64(line, "number", (int64_t)world->trace_left_out);
        json_append(&world->trace, line);
        buffer_append_char(&world->trace, '\n');
        (void)json_object_put(line);
    }
    return buffer_take(&world->trace, &size);
}
