#include "tests/unit/sinks/delivery_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/sinks/envelope.h"

/* --- a sink that does as told --- */

static void sink_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct sink *)arg)->body, bytes, size);
}

static enum body_pull hang(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    (void)arg;
    (void)room;
    (void)room_size;
    (void)ret_size;
    return BODY_WAIT;
}

static enum body_pull flood(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    (void)arg;
    memset(room, 'x', room_size);
    *ret_size = room_size;
    return BODY_BYTES;
}

static void answer(struct sink *sink)
{
    static const struct body_source hanging = {hang};
    static const struct body_source flooding = {flood};
    const struct http_header location = {"Location", sink->location};
    struct http_response response = {.status = sink->status,
                                     .headers = &location,
                                     .header_count = sink->location == NULL ? 0 : 1,
                                     .body = "ok",
                                     .body_size = 2};

    if (sink->deed == HANG || sink->deed == FLOOD) {
        response.body = NULL;
        response.body_size = 0;
        response.source = sink->deed == HANG ? &hanging : &flooding;
    }
    request_respond(sink->request, &response);
}

static void answer_late(void *arg)
{
    struct sink *sink = arg;

    if (sink->request != NULL)
        answer(sink);
}

static void sink_end(void *arg)
{
    struct sink *sink = arg;

    if (sink->body.size > 40)
        buffer_append_format(&sink->world->told, "%s:%zu bytes|", sim_process_name(sink->process),
                             sink->body.size);
    else
        buffer_append_format(&sink->world->told, "%s:%s|", sim_process_name(sink->process),
                             buffer_text(&sink->body));
    buffer_clear(&sink->body);
    if (sink->deed == RESET) {
        request_reset(sink->request);
        sink->request = NULL;
    } else if (sink->deed == LATE) {
        runtime_after(sim_process_runtime(sink->process), 5 * US_PER_SECOND, answer_late, sink);
    } else if (sink->deed != SILENCE) {
        answer(sink);
    }
}

static void sink_closed(void *arg, bool delivered)
{
    (void)delivered;
    ((struct sink *)arg)->request = NULL;
}

static void sink_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {sink_body, sink_end, sink_closed};
    struct sink *sink = arg;
    char *peers = xprintf("%s%s|", text_or(sink->peers, ""), head->peer);

    if (!text_equal(head->method, "POST") ||
        !text_equal(http_header_get(head->headers, head->header_count, "Content-Type"),
                    "application/json"))
        buffer_append_text(&sink->world->told, "no POST of JSON: ");
    free(sink->peers);
    sink->peers = peers;
    sink->request = request;
    request_accept(request, &events, sink);
}

void sink_listen(struct sink *sink)
{
    static const struct http_service service = {sink_request};

    if (!runtime_listen(sim_process_runtime(sink->process),
                        &(struct listen_options){.address = "0.0.0.0", .port = 80}, &service, sink,
                        &sink->listener, NULL))
        fail_msg("listen");
}

void sink_close(struct sink *sink)
{
    listener_close(sink->listener);
    sink->listener = NULL;
    sink->request = NULL;
}

/* --- the world --- */

static struct sim_process *start(struct sim *sim, const char *name)
{
    struct sim_process *process = sim_process_new(sim, &(struct sim_process_options){.name = name});

    sim_process_start(process);
    return process;
}

static void sink_init(struct sink *sink, struct delivery_world *world, const char *name)
{
    sink->world = world;
    sink->process = start(world->sim, name);
    sink->status = 200;
    sink->body = BUFFER_INIT(2 * ENVELOPE_BYTES_MAX);
}

static void on_log(void *arg, const struct sim_event *event)
{
    struct delivery_world *world = arg;

    buffer_append_format(&world->logged, "%s\n", event->text);
}

int delivery_world_set_up(void **state)
{
    const struct delivery_settings settings = delivery_settings_parse(NULL, NULL, NULL);
    struct delivery_world *world = xcalloc(1, sizeof(*world));

    world->sim = sim_new(&(struct sim_options){.seed = 1});
    world->told = BUFFER_INIT(TOLD_BYTES_MAX);
    world->logged = BUFFER_INIT(TOLD_BYTES_MAX);
    world->ctl = start(world->sim, "ctl");
    sink_init(&world->a, world, "a");
    sink_init(&world->b, world, "b");
    sim_add_tap(world->sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, world);
    assert_true(sim_run_until(world->sim, 0));
    sink_listen(&world->a);
    sink_listen(&world->b);
    world->delivery = delivery_new(sim_process_runtime(world->ctl), &settings);
    *state = world;
    return 0;
}

int delivery_world_tear_down(void **state)
{
    struct delivery_world *world = *state;

    delivery_free(world->delivery);
    sim_free(world->sim);
    buffer_release(&world->a.body);
    buffer_release(&world->b.body);
    free(world->a.peers);
    free(world->b.peers);
    buffer_release(&world->told);
    buffer_release(&world->logged);
    free(world);
    return 0;
}

void delivery_world_run(struct delivery_world *world, int64_t until_us)
{
    assert_true(sim_run_until(world->sim, until_us));
}

void delivery_world_send_bytes(struct delivery_world *world, const char *url, const void *bytes,
                               size_t size)
{
    static const char headers[] = "X-Key: SECRET\n";
    struct bytes *event = bytes_new(bytes, size);
    struct target *target;
    struct error err = ERROR_INIT;

    if (!target_new(url, headers, strlen(headers), &target, &err))
        fail_msg("%s", err.text);
    delivery_add(world->delivery, target, event, "run-1");
    target_unref(target);
    bytes_unref(event);
}

void delivery_world_send(struct delivery_world *world, const char *url, const char *text)
{
    delivery_world_send_bytes(world, url, text, strlen(text));
}

void delivery_world_check(struct delivery_world *world, const char *told, uint64_t delivered,
                          uint64_t failed, uint64_t dropped)
{
    struct delivery_counts counts = delivery_counts(world->delivery);

    assert_string_equal(buffer_text(&world->told), told);
    assert_int_equal(counts.delivered, delivered);
    assert_int_equal(counts.failed, failed);
    assert_int_equal(counts.dropped, dropped);
    assert_null(strstr(buffer_text(&world->logged), "SECRET"));
}

bool delivery_world_has_logged(const struct delivery_world *world, const char *text)
{
    return strstr(buffer_text(&world->logged), text) != NULL;
}

size_t delivery_world_log_count(const struct delivery_world *world)
{
    size_t count = 0;

    for (const char *at = buffer_text(&world->logged); *at != '\0'; at++)
        count += *at == '\n';
    return count;
}
