/* log - GET pods/NAME/log: which container, from where, and then line by line (WIRE.md K29, K30).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/call.h"

struct log_options {
    char *container; /* NULL: the only one */
    bool follow;
    bool previous;
    bool timestamps;
    int64_t tail_lines;  /* -1: all */
    int64_t limit_bytes; /* -1: no limit */
    int64_t since_us;    /* wall time; INT64_MIN: from the start */
};

struct log_stream {
    struct call *call;
    char *uid;
    char *container;
    bool previous;
    bool follow;
    bool timestamps;
    int64_t since_us;
    int64_t left_bytes; /* -1: no limit */
    size_t line;        /* next to send */
    struct buffer text; /* of the line being sent */
    size_t sent;
    bool stopping;
    uint64_t run; /* of the container: the stream ends with it */
};

/* Longest line with its time: a whole log, which its source bounds (KUBELET_LOG_BYTES_MAX). */
#define LINE_BYTES_MAX ((size_t)16 * 1024 * 1024 + 64)

/* --- the stream --- */

static void stream_free(void *arg)
{
    struct log_stream *stream = arg;

    buffer_release(&stream->text);
    free(stream->uid);
    free(stream->container);
    free(stream);
}

static bool read_run(const struct log_stream *stream, bool previous, struct rest_log *ret_log)
{
    const struct rest *rest = stream->call->rest;

    return rest->logs != NULL &&
           rest->logs->read(rest->logs_arg, stream->uid, stream->container, previous, ret_log);
}

/* The log of the run that the stream began with, which may be the previous one by now. */
static bool read_log(const struct log_stream *stream, struct rest_log *ret_log)
{
    if (!read_run(stream, stream->previous, ret_log))
        return false;
    return ret_log->run == stream->run ||
           (read_run(stream, true, ret_log) && ret_log->run == stream->run);
}

static void append_time(struct buffer *text, int64_t at_us)
{
    char time[TIME_TEXT_SIZE];
    size_t size;

    time_format_micro(at_us, time);
    size = strlen(time) - 1; /* "…123456" without its Z, then nanoseconds */
    buffer_append(text, time, size);
    buffer_append_text(text, "000Z ");
}

/* Takes up the next line; false when there is none now. */
static bool next_line(struct log_stream *stream, const struct rest_log *log)
{
    buffer_clear(&stream->text);
    stream->sent = 0;
    while (stream->line < log->line_count) {
        const struct rest_log_line *line = &log->lines[stream->line++];

        if (line->at_us < stream->since_us)
            continue;
        if (stream->timestamps)
            append_time(&stream->text, line->at_us);
        buffer_append(&stream->text, line->text, line->size);
        if (stream->left_bytes >= 0 && (int64_t)stream->text.size > stream->left_bytes)
            stream->text.size = (size_t)stream->left_bytes;
        if (stream->left_bytes >= 0)
            stream->left_bytes -= (int64_t)stream->text.size;
        return true;
    }
    return false;
}

static size_t copy_line(struct log_stream *stream, char *room, size_t room_size)
{
    size_t left = stream->text.size - stream->sent;
    size_t size = left < room_size ? left : room_size;

    if (size > 0)
        memcpy(room, stream->text.bytes + stream->sent, size);
    stream->sent += size;
    return size;
}

static enum body_pull pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct log_stream *stream = arg;
    struct rest_log log = {.ended = true};
    bool there = read_log(stream, &log);
    size_t used = 0;

    while (used < room_size) {
        size_t copied = copy_line(stream, room + used, room_size - used);

        used += copied;
        if (copied > 0)
            continue;
        if (!there || stream->left_bytes == 0 || !next_line(stream, &log))
            break;
    }
    *ret_size = used;
    if (used > 0)
        return BODY_BYTES;
    if (stream->follow && there && !log.ended && !stream->stopping && stream->left_bytes != 0)
        return BODY_WAIT;
    return BODY_END;
}

static void stop(void *arg)
{
    struct log_stream *stream = arg;

    stream->stopping = true;
    call_wake(stream->call);
}

static const struct stream_ops log_ops = {.pull = pull, .free = stream_free, .stop = stop};

void rest_set_log_source(struct rest *rest, const struct rest_log_source *source, void *arg)
{
    rest->logs = source;
    rest->logs_arg = arg;
}

void rest_log_changed(struct rest *rest, const char *pod_uid)
{
    for (struct call *call = rest->calls; call != NULL; call = call->next) {
        if (call->stream_ops != &log_ops)
            continue;
        if (strcmp(((const struct log_stream *)call->stream)->uid, pod_uid) == 0)
            call_wake(call);
    }
}

/* --- options --- */

/* A whole number of at least minimum; -1 when absent. Adds what is wrong. */
static int64_t read_number(const struct call *call, const char *name, int64_t minimum,
                           const char *detail, struct field_errors *errors)
{
    char *text = route_query(&call->route, name);
    int64_t value = -1;

    if (!text_is_empty(text) && (!text_to_int64(text, &value) || value < minimum))
        field_errors_add(errors, FIELD_INVALID, name, "Invalid value: %s: %s", text, detail);
    free(text);
    return value;
}

static void read_since(const struct call *call, struct log_options *options,
                       struct field_errors *errors)
{
    int64_t seconds = read_number(call, "sinceSeconds", 1, "must be greater than 0", errors);
    char *time = route_query(&call->route, "sinceTime");
    int64_t now_us = runtime_wall_us(call->rest->rt);

    options->since_us = INT64_MIN;
    if (seconds > 0 && !text_is_empty(time))
        field_errors_add(errors, FIELD_FORBIDDEN, "",
                         "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be "
                         "specified");
    else if (seconds > 0 && seconds < now_us / US_PER_SECOND)
        options->since_us = now_us - seconds * US_PER_SECOND;
    else if (!text_is_empty(time) && !time_parse(time, &options->since_us))
        field_errors_add(errors, FIELD_INVALID, "sinceTime",
                         "Invalid value: \"%s\": must be an RFC 3339 time", time);
    free(time);
}

static bool read_options(const struct call *call, struct log_options *options,
                         struct rest_status *status)
{
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct rest_subject subject = {
        .group = "", .plural = "pods", .kind = "PodLogOptions", .name = call->route.name};
    bool ok;

    options->container = route_query(&call->route, "container");
    options->follow = route_query_flag(&call->route, "follow");
    options->previous = route_query_flag(&call->route, "previous");
    options->timestamps = route_query_flag(&call->route, "timestamps");
    options->tail_lines =
        read_number(call, "tailLines", 0, "must be greater than or equal to 0", &errors);
    options->limit_bytes = read_number(call, "limitBytes", 1, "must be greater than 0", &errors);
    read_since(call, options, &errors);
    ok = errors.count == 0;
    if (!ok)
        rest_status_invalid(status, &subject, &errors);
    field_errors_release(&errors);
    return ok;
}

/* --- the container --- */

static size_t list_count(struct json_slice list)
{
    struct json_slice item;
    size_t count = 0;

    for (size_t next = 0; json_slice_next(list, &next, &item);)
        count++;
    return count;
}

/* The name of an item of a list; free() it. */
static char *name_of(struct json_slice item)
{
    return json_slice_text(json_slice_get(item, "name"));
}

/* Without bytes when there is none of that name. */
static struct json_slice find_named(struct json_slice list, const char *name)
{
    struct json_slice item;

    for (size_t next = 0; json_slice_next(list, &next, &item);) {
        char *text = name_of(item);
        bool found = text_equal(text, name);

        free(text);
        if (found)
            return item;
    }
    return (struct json_slice){NULL, 0};
}

static void append_names(struct buffer *names, struct json_slice list)
{
    struct json_slice item;

    for (size_t next = 0; json_slice_next(list, &next, &item);) {
        char *text = name_of(item);

        buffer_append_format(names, "%s%s", names->size > 0 ? " " : "", text_or(text, ""));
        free(text);
    }
}

/* The container that is meant, in *name on the heap. */
static bool choose_container(const struct store_object *pod, char **name,
                             struct rest_status *status)
{
    struct json_slice spec = store_object_spec(pod);
    struct json_slice containers = json_slice_get(spec, "containers");
    struct json_slice init = json_slice_get(spec, "initContainers");
    struct buffer names = BUFFER_INIT(64 * 1024);

    if (text_is_empty(*name)) {
        append_names(&names, containers);
        if (list_count(containers) == 1) {
            free(*name);
            *name = buffer_take(&names, NULL);
            return true;
        }
        rest_status_bad_request(
            status, "a container name must be specified for pod %s, choose one of: [%s]", pod->name,
            buffer_text(&names));
        buffer_release(&names);
        return false;
    }
    if (find_named(containers, *name).bytes != NULL || find_named(init, *name).bytes != NULL)
        return true;
    return rest_status_bad_request(status, "container %s is not valid for pod %s", *name,
                                   pod->name);
}

static struct json_slice container_status(const struct store_object *pod, const char *name)
{
    struct json_slice status = store_object_status(pod);
    struct json_slice found = find_named(json_slice_get(status, "containerStatuses"), name);

    return found.bytes != NULL ? found
                               : find_named(json_slice_get(status, "initContainerStatuses"), name);
}

static bool has(struct json_slice object, const char *key)
{
    struct json_slice value = json_slice_get(object, key);

    return value.bytes != NULL && value.bytes[0] != 'n';
}

/* Whether the container has a log, by what its status says. */
static bool check_started(const struct store_object *pod, const struct log_options *options,
                          struct rest_status *status)
{
    struct json_slice container = container_status(pod, options->container);
    struct json_slice state = json_slice_get(container, "state");
    bool had_run = has(json_slice_get(container, "lastState"), "terminated");
    char *reason;

    if (options->previous) {
        if (had_run)
            return true;
        return rest_status_bad_request(
            status, "previous terminated container \"%s\" in pod \"%s\" not found",
            options->container, pod->name);
    }
    if (has(state, "running") || has(state, "terminated") || had_run)
        return true;
    reason = json_slice_text(json_slice_get(json_slice_get(state, "waiting"), "reason"));
    rest_status_bad_request(status, "container \"%s\" in pod \"%s\" is waiting to start: %s",
                            options->container, pod->name,
                            text_equal(reason, "ErrImagePull") ||
                                    text_equal(reason, "ImagePullBackOff")
                                ? "trying and failing to pull image"
                                : text_or(reason, "ContainerCreating"));
    free(reason);
    return false;
}

static bool is_bound(const struct store_object *pod)
{
    char *node = json_slice_text(json_slice_get(store_object_spec(pod), "nodeName"));
    bool bound = !text_is_empty(node);

    free(node);
    return bound;
}

/* The first line to send so that tail_lines lines are (L, 0: none). */
static size_t first_line(struct log_stream *stream, int64_t tail_lines)
{
    struct rest_log log = {.ended = true};
    bool there = read_run(stream, stream->previous, &log);

    stream->run = log.run;
    if (tail_lines < 0 || !there || (uint64_t)tail_lines >= log.line_count)
        return 0;
    return log.line_count - (size_t)tail_lines;
}

static void answer_log(struct call *call, const struct store_object *object,
                       struct log_options *options)
{
    struct log_stream *stream = xcalloc(1, sizeof(*stream));

    stream->call = call;
    stream->uid = xstrdup(object->uid);
    stream->container = xstrdup(options->container);
    stream->previous = options->previous;
    stream->follow = options->follow;
    stream->timestamps = options->timestamps;
    stream->since_us = options->since_us;
    stream->left_bytes = options->limit_bytes;
    stream->text = BUFFER_INIT(LINE_BYTES_MAX);
    stream->line = first_line(stream, options->tail_lines);
    call_answer_stream(call, "text/plain", NULL, &log_ops, stream);
}

static void answer_pod(struct call *call, const struct store_object *pod,
                       struct log_options *options)
{
    struct rest_status status = {0};

    if (!choose_container(pod, &options->container, &status))
        call_fail(call, &status);
    else if (!is_bound(pod))
        call_answer_bytes(call, 204, NULL, 0, NULL, 0);
    else if (!check_started(pod, options, &status))
        call_fail(call, &status);
    else
        answer_log(call, pod, options);
}

void call_log(struct call *call)
{
    const struct store_object *object =
        store_get(call->kind->objects, call->route.namespace, call->route.name);
    struct rest_subject subject = {
        .group = "", .plural = "pods", .kind = "Pod", .name = call->route.name};
    struct log_options options = {.container = NULL};
    struct rest_status status = {0};

    if (!read_options(call, &options, &status)) {
        call_fail(call, &status);
    } else if (object == NULL) {
        rest_status_not_found(&status, &subject);
        call_fail(call, &status);
    } else {
        answer_pod(call, object, &options);
    }
    free(options.container);
}
