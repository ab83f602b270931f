/* Delivery over the simulated network: a sink that behaves as each row says. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/sinks/delivery.h"
#include "controller/sinks/envelope.h"
#include "scenarios/sim/sim.h"

#define TOLD_BYTES_MAX (1024 * 1024)

/* --- a sink that does as told --- */

enum deed { ANSWER, SILENCE, RESET, HANG, FLOOD, LATE };

struct sink {
    struct world *world;
    struct sim_process *process;
    struct listener *listener;
    enum deed deed;
    unsigned status;
    const char *location;
    struct request *request;
    struct buffer body;
    char *peers; /* of all requests, one after the other */
};

struct world {
    struct sim *sim;
    struct sim_process *ctl;
    struct sink a; /* on http://a */
    struct sink b;
    struct delivery *delivery;
    struct buffer told; /* what sinks got: "a:1|b:2|" */
    struct buffer logged;
    bool stopped;
    bool free_when_stopped;
    int64_t stopped_us;
};

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

static void sink_listen(struct sink *sink)
{
    static const struct http_service service = {sink_request};

    if (!runtime_listen(sim_process_runtime(sink->process),
                        &(struct listen_options){.address = "0.0.0.0", .port = 80}, &service, sink,
                        &sink->listener, NULL))
        fail_msg("listen");
}

static void sink_close(struct sink *sink)
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

static void sink_init(struct sink *sink, struct world *world, const char *name)
{
    sink->world = world;
    sink->process = start(world->sim, name);
    sink->status = 200;
    sink->body = BUFFER_INIT(2 * ENVELOPE_BYTES_MAX);
}

static void on_log(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    buffer_append_format(&world->logged, "%s\n", event->text);
}

static int set_up(void **state)
{
    const struct delivery_settings settings = delivery_settings_parse(NULL, NULL, NULL);
    struct world *world = xcalloc(1, sizeof(*world));

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

static int tear_down(void **state)
{
    struct world *world = *state;

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

static void run(struct world *world, int64_t until_us)
{
    assert_true(sim_run_until(world->sim, until_us));
}

static void send_bytes(struct world *world, const char *url, const void *bytes, size_t size)
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

static void send(struct world *world, const char *url, const char *text)
{
    send_bytes(world, url, text, strlen(text));
}

static void check(struct world *world, const char *told, uint64_t delivered, uint64_t failed,
                  uint64_t dropped)
{
    struct delivery_counts counts = delivery_counts(world->delivery);

    assert_string_equal(buffer_text(&world->told), told);
    assert_int_equal(counts.delivered, delivered);
    assert_int_equal(counts.failed, failed);
    assert_int_equal(counts.dropped, dropped);
    assert_null(strstr(buffer_text(&world->logged), "SECRET"));
}

static bool has_logged(const struct world *world, const char *text)
{
    return strstr(buffer_text(&world->logged), text) != NULL;
}

static size_t log_count(const struct world *world)
{
    size_t count = 0;

    for (const char *at = buffer_text(&world->logged); *at != '\0'; at++)
        count += *at == '\n';
    return count;
}

/* --- one sink, and what it does --- */

static const struct row {
    const char *name;
    enum deed deed;
    unsigned status;
    const char *location;
    bool delivered;   /* the first event; the second one always arrives as well */
    int64_t until_us; /* by when both are done */
    const char *logged;
} rows[] = {
    {"200",                          ANSWER,  200, NULL,       true,  US_PER_SECOND,      NULL               },
    {"204",                          ANSWER,  204, NULL,       true,  US_PER_SECOND,      NULL               },
    {"500 is not sent again",        ANSWER,  500, NULL,       false, US_PER_SECOND,      "status=500"       },
    {"301 is not followed",          ANSWER,  301, "http://b", false, US_PER_SECOND,      "status=301"       },
    {"307 is not followed",          ANSWER,  307, "http://b", false, US_PER_SECOND,      "status=307"       },
    {"429 is not sent again",        ANSWER,  429, NULL,       false, US_PER_SECOND,      "status=429"       },
    {"reset once it has the event",  RESET,   200, NULL,       false, US_PER_SECOND,      "end=reset"        },
    {"answers late",                 LATE,    200, NULL,       true,  6 * US_PER_SECOND,  NULL               },
    {"never answers",                SILENCE, 200, NULL,       false, 16 * US_PER_SECOND, "end=\"timed out\""},
    {"answer hangs behind its head", HANG,    200, NULL,       true,  16 * US_PER_SECOND, NULL               },
    {"huge answer",                  FLOOD,   200, NULL,       true,  US_PER_SECOND,      NULL               },
    {"huge answer of a failure",     FLOOD,   502, NULL,       false, US_PER_SECOND,      "status=502"       },
};

static void mend(void *arg)
{
    struct sink *sink = arg;

    sink->deed = ANSWER;
    sink->status = 200;
}

static void test_sinks(void **state)
{
    struct world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        struct delivery_counts counts;

        world->a.deed = row->deed;
        world->a.status = row->status;
        world->a.location = row->location;
        send(world, "http://a/x?SECRET", "1");
        run(world, sim_now_us(world->sim) + US_PER_MS * 100);
        mend(&world->a); /* before it gets the second */
        send(world, "http://a/x?SECRET", "2");
        run(world, sim_now_us(world->sim) + row->until_us);
        counts = delivery_counts(world->delivery);
        if (strcmp(buffer_text(&world->told), "a:1|a:2|") != 0 ||
            counts.delivered != 1 + (uint64_t)row->delivered || counts.dropped != 0)
            fail_msg("%s: got %s and %" PRIu64 " delivered", row->name, buffer_text(&world->told),
                     counts.delivered);
        if (row->logged == NULL ? world->logged.size != 0 : !has_logged(world, row->logged))
            fail_msg("%s: logged %s", row->name, buffer_text(&world->logged));
        assert_null(strstr(buffer_text(&world->logged), "SECRET"));
        assert_int_equal(delivery_waiting(world->delivery), 0);
        tear_down(state);
        set_up(state);
        world = *state;
    }
}

/* --- again, only where nothing was written --- */

static void test_refused_is_sent_again(void **state)
{
    struct world *world = *state;

    sink_close(&world->a);
    send(world, "http://a", "1");
    run(world, 100 * US_PER_MS);
    sink_listen(&world->a);
    run(world, 190 * US_PER_MS);
    check(world, "", 0, 0, 0);
    run(world, 300 * US_PER_MS); /* base: 200 ms after it was refused */
    check(world, "a:1|", 1, 0, 0);
    assert_int_equal(log_count(world), 0);
}

static void test_attempts_end(void **state)
{
    struct world *world = *state;

    sink_close(&world->a);
    send(world, "http://a", "1");
    run(world, 590 * US_PER_MS);
    assert_int_equal(delivery_waiting(world->delivery), 1);
    run(world, 700 * US_PER_MS); /* 200 and 400 ms later it was refused again */
    check(world, "", 0, 1, 0);
    assert_true(has_logged(world, "event not delivered agent=run-1 sink=http://a:80 attempts=3 "
                                  "status=0 end=refused"));
    sink_listen(&world->a);
    send(world, "http://a", "2");
    run(world, 2 * US_PER_SECOND);
    check(world, "a:2|", 1, 1, 0);
}

static void break_behind(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    (void)request;
    *fault = *(const struct sim_fault *)arg;
}

/* Whatever part of the request went out. */
static void test_broken_ways(void **state)
{
    static const struct {
        const char *name;
        struct sim_fault fault;
        const char *told;
    } faults[] = {
        {"reset before it was seen", {SIM_FAULT_RESET, 0, 0},         ""        },
        {"lost on the way",          {SIM_FAULT_LOSE, 0, 0},          ""        },
        {"reset behind its head",    {SIM_FAULT_RESET_REQUEST, 0, 0}, ""        },
        {"reset within its body",    {SIM_FAULT_RESET_REQUEST, 0, 3}, ""        },
        {"answer lost",              {SIM_FAULT_LOSE_ANSWER, 0, 0},   "a:event|"},
        {"reset instead of answer",  {SIM_FAULT_RESET_ANSWER, 0, 0},  "a:event|"},
    };
    struct world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct sim_fault fault = faults[i].fault;
        struct delivery_counts counts;

        sim_set_network_fault(world->sim, break_behind, &fault);
        send(world, "http://a", "event");
        run(world, US_PER_MINUTE);
        counts = delivery_counts(world->delivery);
        if (strcmp(buffer_text(&world->told), faults[i].told) != 0 || counts.failed != 1)
            fail_msg("%s: got %s", faults[i].name, buffer_text(&world->told));
        assert_true(has_logged(world, "attempts=1"));
        tear_down(state);
        set_up(state);
        world = *state;
    }
}

/* The answer's head decides, whatever comes of its body. */
static void test_answer_breaks_off(void **state)
{
    struct sim_fault fault = {SIM_FAULT_RESET_RESPONSE, 0, 1};
    struct world *world = *state;

    sim_set_network_fault(world->sim, break_behind, &fault);
    send(world, "http://a", "1");
    run(world, US_PER_SECOND);
    check(world, "a:1|", 1, 0, 0);
}

static void test_flapping(void **state)
{
    struct world *world = *state;
    char text[2] = "0";

    for (int i = 0; i < 5; i++) {
        sink_close(&world->a);
        text[0]++;
        send(world, "http://a", text);
        run(world, sim_now_us(world->sim) + 50 * US_PER_MS);
        sink_listen(&world->a);
        run(world, sim_now_us(world->sim) + US_PER_SECOND);
    }
    check(world, "a:1|a:2|a:3|a:4|a:5|", 5, 0, 0);
}

/* --- order, and connections --- */

static void test_order_is_kept(void **state)
{
    struct world *world = *state;
    struct buffer want = BUFFER_INIT(TOLD_BYTES_MAX);

    sink_close(&world->a);
    for (int i = 0; i < 200; i++) {
        char *text = xprintf("%d", i);

        send(world, "http://a", text);
        buffer_append_format(&want, "a:%d|", i);
        free(text);
    }
    run(world, 50 * US_PER_MS);
    sink_listen(&world->a);
    run(world, US_PER_MINUTE);
    check(world, buffer_text(&want), 200, 0, 0);
    buffer_release(&want);
}

static void test_sinks_do_not_wait_for_each_other(void **state)
{
    struct world *world = *state;

    world->a.deed = SILENCE;
    send(world, "http://a", "1");
    send(world, "http://nobody", "2");
    send(world, "http://b", "3");
    run(world, US_PER_SECOND);
    assert_non_null(strstr(buffer_text(&world->told), "a:1|"));
    assert_non_null(strstr(buffer_text(&world->told), "b:3|"));
    assert_int_equal(delivery_counts(world->delivery).delivered, 1);
    assert_int_equal(delivery_counts(world->delivery).failed, 1);
    assert_int_equal(delivery_waiting(world->delivery), 1);
}

static void test_connections_are_not_shared(void **state)
{
    struct world *world = *state;

    send(world, "http://a", "1");
    send(world, "http://a", "2");
    run(world, US_PER_SECOND);
    check(world, "a:1|a:2|", 2, 0, 0);
    assert_string_equal(world->a.peers, "ctl:40000|ctl:40001|");
}

/* --- bounds --- */

static void test_count_limit(void **state)
{
    struct world *world = *state;
    struct buffer want = BUFFER_INIT(TOLD_BYTES_MAX);

    world->a.deed = LATE;
    for (int i = 0; i < DELIVERY_QUEUE_EVENTS_MAX + 2; i++) {
        char *text = xprintf("%d", i);

        send(world, "http://a", text);
        if (i == 0 || i > 2) /* the first is under way, the next two are the oldest */
            buffer_append_format(&want, "a:%d|", i);
        free(text);
    }
    assert_int_equal(delivery_waiting(world->delivery), DELIVERY_QUEUE_EVENTS_MAX);
    mend(&world->a);
    run(world, US_PER_MINUTE);
    check(world, buffer_text(&want), DELIVERY_QUEUE_EVENTS_MAX, 0, 2);
    assert_true(has_logged(world, "event for a sink dropped cause=\"too many wait for this sink\" "
                                  "sink=http://a:80 dropped=1"));
    assert_int_equal(log_count(world), 1);
    buffer_release(&want);
}

static void test_drops_are_logged_by_powers_of_ten(void **state)
{
    struct world *world = *state;

    world->a.deed = SILENCE;
    for (int i = 0; i < DELIVERY_QUEUE_EVENTS_MAX + 1000; i++)
        send(world, "http://a", "x");
    assert_int_equal(delivery_counts(world->delivery).dropped, 1000);
    assert_int_equal(log_count(world), 4);
    assert_true(has_logged(world, "dropped=1000"));
}

static void test_size_limit(void **state)
{
    struct world *world = *state;
    char *large = xcalloc(ENVELOPE_BYTES_MAX, 1);

    memset(large, 'x', ENVELOPE_BYTES_MAX);
    world->a.deed = LATE;
    send(world, "http://a", "1");
    send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    send(world, "http://a", "2");
    send(world, "http://a", "3");
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 1); /* the older large one */
    mend(&world->a);
    run(world, US_PER_MINUTE);
    check(world, "a:1|a:4194304 bytes|a:2|a:3|a:4194304 bytes|", 5, 0, 1);
    free(large);
}

/* One sink's flood does not take the room of another's. */
static void test_limit_of_all(void **state)
{
    struct world *world = *state;
    char *large = xcalloc(ENVELOPE_BYTES_MAX, 1);

    memset(large, 'x', ENVELOPE_BYTES_MAX);
    world->a.deed = LATE;
    world->b.deed = LATE;
    send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    send_bytes(world, "http://b", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    send_bytes(world, "http://b/2", large, ENVELOPE_BYTES_MAX); /* a's second goes */
    assert_int_equal(delivery_counts(world->delivery).dropped, 1);
    send_bytes(world, "http://b/3", large, ENVELOPE_BYTES_MAX); /* all others are under way */
    assert_int_equal(delivery_counts(world->delivery).dropped, 2);
    assert_true(has_logged(world, "cause=\"too much waits for all sinks\" sink=http://a:80"));
    send(world, "http://b/3", "small");
    assert_int_equal(delivery_counts(world->delivery).dropped, 2);
    assert_int_equal(delivery_waiting(world->delivery), 4);
    free(large);
}

static void test_limit_of_sinks(void **state)
{
    struct world *world = *state;

    world->a.deed = SILENCE;
    for (int i = 0; i <= DELIVERY_SINKS_MAX; i++) {
        char *url = xprintf("http://a/%d", i);

        send(world, url, "x");
        free(url);
    }
    assert_int_equal(delivery_waiting(world->delivery), DELIVERY_SINKS_MAX);
    assert_true(has_logged(world, "cause=\"too many sinks at once\" sink=http://a:80 dropped=1"));
    send(world, "http://a/0", "y"); /* one that is there has room */
    assert_int_equal(delivery_counts(world->delivery).dropped, 1);
}

/* --- the end --- */

static void on_stopped(void *arg)
{
    struct world *world = arg;

    assert_false(world->stopped);
    world->stopped = true;
    world->stopped_us = sim_now_us(world->sim);
    if (world->free_when_stopped) {
        delivery_free(world->delivery);
        world->delivery = NULL;
    }
}

static void test_stop_of_nothing(void **state)
{
    struct world *world = *state;

    delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
    assert_false(world->stopped); /* never from inside the call */
    run(world, 0);
    assert_true(world->stopped);
    send(world, "http://a", "1");
    run(world, US_PER_SECOND);
    check(world, "", 0, 0, 1);
    assert_true(has_logged(world, "cause=\"the controller stops\""));
}

static void test_stop_lets_events_arrive(void **state)
{
    struct world *world = *state;

    world->a.deed = LATE;
    send(world, "http://a", "1");
    send(world, "http://a", "2");
    send(world, "http://b", "3");
    run(world, 100 * US_PER_MS);
    delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
    send(world, "http://b", "4");
    run(world, 6 * US_PER_SECOND);
    assert_false(world->stopped);
    run(world, 11 * US_PER_SECOND);
    assert_true(world->stopped);
    check(world, "a:1|b:3|a:2|", 3, 0, 1);
    run(world, 2 * US_PER_MINUTE); /* the limit of time says nothing more */
}

static void test_stop_ends_in_time(void **state)
{
    struct world *world = *state;

    world->a.deed = SILENCE;
    sink_close(&world->b);
    send(world, "http://a", "1");
    send(world, "http://a", "2");
    send(world, "http://b", "3"); /* waits to be sent again then */
    run(world, 250 * US_PER_MS);
    delivery_stop(world->delivery, 200 * US_PER_MS, on_stopped, world);
    run(world, 449 * US_PER_MS);
    assert_false(world->stopped);
    run(world, 450 * US_PER_MS);
    assert_true(world->stopped);
    check(world, "a:1|", 0, 0, 3);
    assert_int_equal(delivery_waiting(world->delivery), 0);
    run(world, US_PER_MINUTE);
    check(world, "a:1|", 0, 0, 3);
}

static void test_free_when_stopped(void **state)
{
    for (int late = 0; late < 3; late++) {
        struct world *world = *state;

        world->free_when_stopped = true;
        world->a.deed = late == 2 ? SILENCE : ANSWER;
        if (late > 0)
            send(world, "http://a", "1");
        delivery_stop(world->delivery, US_PER_SECOND, on_stopped, world);
        run(world, US_PER_MINUTE);
        assert_true(world->stopped);
        assert_null(world->delivery);
        tear_down(state);
        set_up(state);
    }
}

static void free_it(void *arg)
{
    struct world *world = arg;

    delivery_free(world->delivery);
    world->delivery = NULL;
}

/* At any moment: connecting, under way, waiting for the next attempt, stopping. */
static void test_free_in_mid_flight(void **state)
{
    for (int64_t at_us = 0; at_us < 800 * US_PER_MS; at_us += 37 * US_PER_MS / 10) {
        struct world *world = *state;

        world->a.deed = SILENCE;
        sink_close(&world->b);
        send(world, "http://a", "1");
        send(world, "http://a", "2");
        send(world, "http://b", "3");
        sim_at(world->sim, at_us, free_it, world);
        if (at_us % 2 == 0)
            delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
        run(world, US_PER_MINUTE);
        assert_false(world->stopped);
        assert_null(strstr(buffer_text(&world->told), "a:2"));
        tear_down(state);
        set_up(state);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sinks),
        TEST(test_refused_is_sent_again),
        TEST(test_attempts_end),
        TEST(test_broken_ways),
        TEST(test_answer_breaks_off),
        TEST(test_flapping),
        TEST(test_order_is_kept),
        TEST(test_sinks_do_not_wait_for_each_other),
        TEST(test_connections_are_not_shared),
        TEST(test_count_limit),
        TEST(test_drops_are_logged_by_powers_of_ten),
        TEST(test_size_limit),
        TEST(test_limit_of_all),
        TEST(test_limit_of_sinks),
        TEST(test_stop_of_nothing),
        TEST(test_stop_lets_events_arrive),
        TEST(test_stop_ends_in_time),
        TEST(test_free_when_stopped),
        TEST(test_free_in_mid_flight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
