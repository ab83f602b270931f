/* paths - what the door does, path by path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/base/url.h"
#include "fakeapi/admin/parts.h"

/* Largest dump. */
#define DUMP_BYTES_MAX ((size_t)1024 * 1024 * 1024)
/* Requests in one answer where none is said. */
#define REQUESTS_DEFAULT 100

/* --- bodies and queries --- */

/* A body that is a JSON object with this one member, a text or a number as a text. False after an
 * answer was given. free() *ret_value; NULL: absent. */
static bool read_member(struct admin_call *call, const char *key, char **ret_value)
{
    struct json_object *tree = NULL;
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    bool ok = true;

    *ret_value = NULL;
    if (call->body.size == 0)
        return true;
    ok = json_parse(call->body.bytes, call->body.size, ADMIN_BODY_BYTES_MAX, &tree, &err);
    value = json_get(tree, key);
    if (ok && (!json_is(tree, json_type_object) ||
               json_object_object_length(tree) != (value == NULL ? 0 : 1)))
        ok = error_set(&err, ERROR_INVALID, "want {\"%s\": ...} and nothing else", key);
    if (ok && value != NULL && !json_is(value, json_type_int) && json_text(value) == NULL)
        ok = error_set(&err, ERROR_INVALID, "%s: a text or a whole number is wanted", key);
    if (!ok)
        admin_answer_error(call, &err);
    else if (value != NULL)
        *ret_value = xstrdup(json_object_get_string(value));
    json_object_put(tree);
    return ok;
}

/* A whole number in a body; *ret_value stays when there is none. */
static bool read_number(struct admin_call *call, const char *key, uint64_t *ret_value)
{
    struct error err = ERROR_INIT;
    char *text;
    bool ok;

    if (!read_member(call, key, &text))
        return false;
    ok = text == NULL || text_to_uint64(text, ret_value) ||
         error_set(&err, ERROR_INVALID, "%s: a whole number is wanted", key);
    free(text);
    if (!ok)
        admin_answer_error(call, &err);
    return ok;
}

/* --- what there is --- */

static void serve_root(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *paths = json_object_new_object();

    for (size_t i = 0; i < admin_path_count; i++) {
        char *name = xprintf("%s %s", admin_paths[i].method, admin_paths[i].path);

        json_set_text(paths, name, admin_paths[i].what);
        free(name);
    }
    json_set(tree, "paths", paths);
    admin_answer(call, 200, tree);
}

static void count_resources(const struct store *store, struct json_object *tree)
{
    struct store_resource *resource;
    char name[512];

    for (size_t i = 0; (resource = store_resource_at(store, i)) != NULL; i++) {
        const char *group = store_resource_group(resource);

        if (store_resource_count(resource) == 0)
            continue;
        snprintf(name, sizeof(name), "%s%s%s", store_resource_plural(resource),
                 group[0] == '\0' ? "" : ".", group);
        json_set_int64(tree, name, (int64_t)store_resource_count(resource));
    }
}

static void serve_status(struct admin_call *call)
{
    const struct admin *admin = call->admin;
    struct json_object *tree = json_object_new_object();
    struct json_object *objects = json_object_new_object();

    count_resources(admin->store, objects);
    json_set_int64(tree, "revision", (int64_t)store_revision(admin->store));
    json_set_int64(tree, "oldestRevision", (int64_t)store_oldest_revision(admin->store));
    json_set_int64(tree, "openRequests", (int64_t)rest_open_requests(admin->rest_api));
    json_set_int64(tree, "watches", (int64_t)store_watch_count(admin->store));
    json_set_int64(tree, "faults", (int64_t)faults_count(admin->faults));
    json_set_bool(tree, "clockStopped", clock_is_stopped(admin->clock));
    json_set(tree, "objects", objects);
    admin_answer(call, 200, tree);
}

/* --- faults --- */

static struct json_object *entry_to_json(const struct fault_entry *entry)
{
    struct json_object *tree = json_object_new_object();

    json_set_int64(tree, "id", (int64_t)entry->id);
    json_set_int64(tree, "matched", (int64_t)entry->matched);
    json_set_int64(tree, "acted", (int64_t)entry->acted);
    json_set(tree, "rule", fault_rule_to_json(entry->rule));
    return tree;
}

static void add_entry(void *arg, const struct fault_entry *entry)
{
    json_add(arg, entry_to_json(entry));
}

static void serve_faults(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *list = json_object_new_array();

    faults_each(call->admin->faults, add_entry, list);
    json_set(tree, "faults", list);
    admin_answer(call, 200, tree);
}

/* Finds the rule that the path names. False after a 404. */
static bool find_rule(struct admin_call *call, struct fault_entry *ret_entry)
{
    struct error err = ERROR_INIT;
    uint64_t id;

    if (text_to_uint64(call->rest, &id) && faults_find(call->admin->faults, id, ret_entry))
        return true;
    (void)error_set(&err, ERROR_NOT_FOUND, "no fault rule has this number");
    admin_answer_error(call, &err);
    return false;
}

static void serve_fault(struct admin_call *call)
{
    struct fault_entry entry;

    if (find_rule(call, &entry))
        admin_answer(call, 200, entry_to_json(&entry));
}

static void drop_fault(struct admin_call *call)
{
    struct fault_entry entry;
    struct json_object *tree;

    if (!find_rule(call, &entry))
        return;
    tree = entry_to_json(&entry); /* its counts, for the last time */
    (void)faults_remove(call->admin->faults, entry.id);
    rest_faults_changed(call->admin->rest_api);
    admin_answer(call, 200, tree);
}

static void drop_faults(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();

    json_set_int64(tree, "dropped", (int64_t)faults_count(call->admin->faults));
    faults_clear(call->admin->faults);
    rest_faults_changed(call->admin->rest_api);
    admin_answer(call, 200, tree);
}

/* What a call added: rules behind the number that was the last one before. */
struct added {
    uint64_t before;
    struct json_object *ids;
    struct json_object *warnings;
};

static void find_last(void *arg, const struct fault_entry *entry)
{
    *(uint64_t *)arg = entry->id;
}

static void add_id(void *arg, const struct fault_entry *entry)
{
    const struct added *added = arg;

    if (entry->id > added->before)
        json_add(added->ids, json_object_new_uint64(entry->id));
}

static void add_warning(void *arg, const char *rule, const char *what)
{
    char *text = xprintf("%s: %s", rule, what);

    json_add(arg, json_object_new_string(text));
    free(text);
}

/* Nothing at all is what comes of a file that the sender did not find; a dump of an empty server
 * and an empty list of rules have bytes. */
static bool has_body(const struct admin_call *call, struct error *err)
{
    return call->body.size > 0 || error_set(err, ERROR_INVALID, "the body is empty");
}

static void add_faults(struct admin_call *call)
{
    struct admin *admin = call->admin;
    struct added added = {.before = 0};
    struct error err = ERROR_INIT;
    struct json_object *tree;

    faults_each(admin->faults, find_last, &added.before);
    if (!has_body(call, &err) ||
        !faults_load(admin->faults, buffer_text(&call->body), call->body.size, &err)) {
        admin_answer_error(call, &err);
        return;
    }
    rest_faults_changed(admin->rest_api);
    tree = json_object_new_object();
    added.ids = json_object_new_array();
    added.warnings = json_object_new_array();
    faults_each(admin->faults, add_id, &added);
    admin_each_unknown_resource(admin->faults, admin->store, add_warning, added.warnings);
    json_set(tree, "ids", added.ids);
    json_set(tree, "warnings", added.warnings);
    admin_answer(call, 201, tree);
}

/* --- history and state --- */

static void answer_revision(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();

    json_set_int64(tree, "revision", (int64_t)store_revision(call->admin->store));
    json_set_int64(tree, "oldestRevision", (int64_t)store_oldest_revision(call->admin->store));
    admin_answer(call, 200, tree);
}

static void compact(struct admin_call *call)
{
    uint64_t revision = store_revision(call->admin->store);
    uint64_t wanted = revision;
    struct error err = ERROR_INIT;

    if (!read_number(call, "revision", &wanted))
        return;
    if (wanted == 0 || wanted > revision) {
        (void)error_set(&err, ERROR_INVALID, "revision: want one from 1 to %" PRIu64, revision);
        admin_answer_error(call, &err);
        return;
    }
    store_compact(call->admin->store, wanted);
    answer_revision(call);
}

static void serve_state(struct admin_call *call)
{
    struct buffer text = BUFFER_INIT(DUMP_BYTES_MAX);
    struct error err = ERROR_INIT;

    if (call->admin->host->dump(call->admin->host_arg, 0, &text, &err))
        admin_answer_text(call, "application/yaml", buffer_text(&text), text.size);
    else
        admin_answer_error(call, &err);
    buffer_release(&text);
}

typedef bool take_fn(void *arg, const char *text, size_t size, struct error *err);

static void take_state(struct admin_call *call, take_fn *take)
{
    struct error err = ERROR_INIT;

    if (has_body(call, &err) &&
        take(call->admin->host_arg, buffer_text(&call->body), call->body.size, &err))
        answer_revision(call);
    else
        admin_answer_error(call, &err);
}

static void script_pods(struct admin_call *call)
{
    take_state(call, call->admin->host->script_pods);
}

static void add_state(struct admin_call *call)
{
    take_state(call, call->admin->host->load);
}

static void replace_state(struct admin_call *call)
{
    take_state(call, call->admin->host->restore);
}

static void rewind_state(struct admin_call *call)
{
    struct admin *admin = call->admin;
    struct buffer text = BUFFER_INIT(DUMP_BYTES_MAX);
    struct error err = ERROR_INIT;
    uint64_t revision = 0;

    if (!read_number(call, "revision", &revision))
        return;
    if ((revision != 0 || error_set(&err, ERROR_INVALID, "revision: want the one to go back to")) &&
        admin->host->dump(admin->host_arg, revision, &text, &err) &&
        admin->host->restore(admin->host_arg, buffer_text(&text), text.size, &err))
        answer_revision(call);
    else
        admin_answer_error(call, &err);
    buffer_release(&text);
}

static void reset(struct admin_call *call)
{
    struct error err = ERROR_INIT;

    if (!call->admin->host->reset(call->admin->host_arg, &err)) {
        admin_answer_error(call, &err);
        return;
    }
    journal_clear(call->admin->journal);
    answer_revision(call);
}

/* --- the clock --- */

static void answer_clock(struct admin_call *call)
{
    struct clock *clock = call->admin->clock;
    struct json_object *tree = json_object_new_object();
    char now[TIME_TEXT_SIZE];
    char offset[DURATION_TEXT_SIZE];

    time_format_micro(runtime_wall_us(clock_runtime(clock)), now);
    duration_format(clock_offset_us(clock), offset);
    json_set_bool(tree, "stopped", clock_is_stopped(clock));
    json_set_text(tree, "now", now);
    json_set_text(tree, "ahead", offset);
    admin_answer(call, 200, tree);
}

static void stop_clock(struct admin_call *call)
{
    clock_stop(call->admin->clock);
    answer_clock(call);
}

static void start_clock(struct admin_call *call)
{
    clock_start(call->admin->clock);
    answer_clock(call);
}

static void on_advanced(void *arg)
{
    answer_clock(arg);
}

static void advance_clock(struct admin_call *call)
{
    struct error err = ERROR_INIT;
    int64_t by_us = 0;
    char *text;
    bool ok;

    if (!read_member(call, "by", &text))
        return;
    ok = text != NULL && duration_parse(text, &by_us);
    free(text);
    if (!ok)
        (void)error_set(&err, ERROR_INVALID,
                        "by: a duration such as \"90s\" or \"1h30m\" is wanted");
    else
        ok = clock_advance(call->admin->clock, by_us, on_advanced, call, &err);
    if (!ok)
        admin_answer_error(call, &err);
}

/* --- who asked what --- */

/* A parameter of the query; false after a 400. free() *ret_value. */
static bool read_query(struct admin_call *call, const char *name, char **ret_value)
{
    struct error err = ERROR_INIT;

    if (url_query_get(call->query, name, ret_value))
        return true;
    (void)error_set(&err, ERROR_INVALID, "the query cannot be decoded");
    admin_answer_error(call, &err);
    return false;
}

static const char *const filter_names[] = {"user", "userAgent", "verb",   "resource", "namespace",
                                           "name", "fault",     "status", "after",    "limit"};

/* A parameter that is none would be one forgotten: everything would be told. */
static bool check_query(const struct admin_call *call, struct error *err)
{
    const char *at = text_or(call->query, "");

    while (*at != '\0') {
        size_t size = strcspn(at, "&");
        size_t name_size = strcspn(at, "=&");
        bool known = size == 0;

        for (size_t i = 0; i < ARRAY_SIZE(filter_names) && !known; i++)
            known = strlen(filter_names[i]) == name_size &&
                    strncmp(filter_names[i], at, name_size) == 0;
        if (!known)
            return error_set(err, ERROR_INVALID,
                             "unknown parameter in the query; want user, userAgent, verb, "
                             "resource, namespace, name, fault, status, after or limit");
        at += size;
        at += *at == '&';
    }
    return true;
}

static bool read_filter(char *const *values, struct journal_filter *filter, struct error *err)
{
    uint64_t status = 0;
    uint64_t limit = REQUESTS_DEFAULT;

    *filter = (struct journal_filter){.user = values[0],
                                      .user_agent = values[1],
                                      .verb = values[2],
                                      .resource = values[3],
                                      .namespace = values[4],
                                      .name = values[5],
                                      .fault = values[6]};
    if ((values[7] != NULL && (!text_to_uint64(values[7], &status) || status > 999)) ||
        (values[8] != NULL && !text_to_uint64(values[8], &filter->after)) ||
        (values[9] != NULL && (!text_to_uint64(values[9], &limit) || limit == 0)))
        return error_set(err, ERROR_INVALID, "status, after and limit are whole numbers");
    filter->status = (unsigned)status;
    filter->count_max = (size_t)limit;
    return true;
}

static void serve_requests(struct admin_call *call)
{
    char *values[ARRAY_SIZE(filter_names)] = {NULL};
    struct journal_filter filter;
    struct error err = ERROR_INIT;
    bool ok = true;

    for (size_t i = 0; i < ARRAY_SIZE(filter_names) && ok; i++)
        ok = read_query(call, filter_names[i], &values[i]);
    if (ok && check_query(call, &err) && read_filter(values, &filter, &err))
        admin_answer(call, 200, journal_to_json(call->admin->journal, &filter));
    else if (ok)
        admin_answer_error(call, &err);
    for (size_t i = 0; i < ARRAY_SIZE(filter_names); i++)
        free(values[i]);
}

static void forget_requests(struct admin_call *call)
{
    journal_clear(call->admin->journal);
    admin_answer(call, 200, json_object_new_object());
}

static void add_stream(void *arg, const struct rest_note *note)
{
    json_add(arg, journal_note_to_json(note, 0));
}

static void serve_watches(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *streams = json_object_new_array();

    rest_each_stream(call->admin->rest_api, add_stream, streams);
    json_set_int64(tree, "watches", (int64_t)store_watch_count(call->admin->store));
    json_set(tree, "streams", streams);
    admin_answer(call, 200, tree);
}

static void end_watches(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();

    json_set_int64(tree, "ended", (int64_t)store_watch_count(call->admin->store));
    store_end_watches(call->admin->store, NULL, false);
    admin_answer(call, 200, tree);
}

static void serve_waiting(struct admin_call *call)
{
    struct json_object *tree = json_object_new_object();

    json_set(tree, "waiting", call->admin->host->waiting(call->admin->host_arg));
    admin_answer(call, 200, tree);
}

/* --- all of it --- */

#define SMALL ADMIN_BODY_BYTES_MAX
#define STATE ADMIN_STATE_BYTES_MAX

const struct admin_path admin_paths[] = {
    {"GET",    "/",              0,     serve_root,      "this list"                                         },
    {"GET",    "/status",        0,     serve_status,    "counts of what there is"                           },
    {"GET",    "/faults",        0,     serve_faults,    "fault rules and how often they acted"              },
    {"POST",   "/faults",        SMALL, add_faults,      "add rules: a list, as JSON or YAML"                },
    {"DELETE", "/faults",        0,     drop_faults,     "drop all rules"                                    },
    {"GET",    "/faults/*",      0,     serve_fault,     "one rule, by its id"                               },
    {"DELETE", "/faults/*",      0,     drop_fault,      "drop one rule, by its id"                          },
    {"GET",    "/requests",      0,     serve_requests,
     "the last requests; filters in the query are patterns: user, userAgent, verb, resource, "
     "namespace, name, fault; and status, after, limit"                                                      },
    {"DELETE", "/requests",      0,     forget_requests, "forget them"                                       },
    {"GET",    "/watches",       0,     serve_watches,   "open watches and log streams"                      },
    {"DELETE", "/watches",       0,     end_watches,     "end all watches, cleanly"                          },
    {"GET",    "/waiting",       0,     serve_waiting,   "what the cluster will do by itself, and when"      },
    {"POST",   "/pods",          SMALL, script_pods,     "what pods to come do: a list of scripts"           },
    {"GET",    "/clock",         0,     answer_clock,    "what time it is to the server"                     },
    {"POST",   "/clock/stop",    0,     stop_clock,      "stop it"                                           },
    {"POST",   "/clock/start",   0,     start_clock,     "let it run on"                                     },
    {"POST",   "/clock/advance", SMALL, advance_clock,   "move it on: {\"by\": \"1h\"}"                      },
    {"GET",    "/state",         0,     serve_state,     "all objects, as YAML"                              },
    {"POST",   "/state",         STATE, add_state,       "add or replace objects, as --load does"            },
    {"PUT",    "/state",         STATE, replace_state,   "a dump in the place of all objects"                },
    {"POST",   "/compact",       SMALL, compact,         "forget the history, all or up to {\"revision\": N}"},
    {"POST",   "/rewind",        SMALL, rewind_state,    "all as it was at {\"revision\": N}"                },
    {"POST",   "/reset",         0,     reset,           "as just started"                                   },
};
const size_t admin_path_count = ARRAY_SIZE(admin_paths);
