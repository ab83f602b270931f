/* Faults on the way, and links that break bodies. */
#include "tests/unit/sim/fixture.h"

static void give_fault(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    assert_string_equal(request->target, "/echo");
    assert_string_equal(sim_process_name(request->from), "ctl");
    assert_string_equal(sim_process_name(request->to), "api");
    assert_int_equal(request->body_size, 10);
    *fault = *(struct sim_fault *)arg;
}

static const struct row {
    const char *name;
    enum sim_fault_kind kind;
    int64_t delay_ms;
    size_t after_bytes;
    bool ended;
    enum exchange_end end;
    unsigned status;
    size_t size;
    unsigned handled; /* requests whose body the server got whole, and answered */
} rows[] = {
    {"none",        SIM_FAULT_NONE,           0,      0,  true,  EXCHANGE_COMPLETE, 200, 10, 1},
    {"delay",       SIM_FAULT_NONE,           500,    0,  true,  EXCHANGE_COMPLETE, 200, 10, 1},
    {"long delay",  SIM_FAULT_NONE,           120000, 0,  false, 0,                 0,   0,  0},
    {"refuse",      SIM_FAULT_REFUSE,         0,      0,  true,  EXCHANGE_REFUSED,  0,   0,  0},
    {"lose",        SIM_FAULT_LOSE,           0,      0,  false, 0,                 0,   0,  0},
    {"reset",       SIM_FAULT_RESET,          0,      0,  true,  EXCHANGE_RESET,    0,   0,  0},
    {"up at 0",     SIM_FAULT_RESET_REQUEST,  0,      0,  true,  EXCHANGE_RESET,    0,   0,  0},
    {"up at 3",     SIM_FAULT_RESET_REQUEST,  0,      3,  true,  EXCHANGE_RESET,    0,   0,  0},
    {"up at end",   SIM_FAULT_RESET_REQUEST,  0,      10, true,  EXCHANGE_RESET,    0,   0,  0},
    {"up behind",   SIM_FAULT_RESET_REQUEST,  0,      11, true,  EXCHANGE_COMPLETE, 200, 10, 1},
    {"down at 0",   SIM_FAULT_RESET_RESPONSE, 0,      0,  true,  EXCHANGE_RESET,    200, 0,  1},
    {"down at 4",   SIM_FAULT_RESET_RESPONSE, 0,      4,  true,  EXCHANGE_RESET,    200, 4,  1},
    {"down at end", SIM_FAULT_RESET_RESPONSE, 0,      10, true,  EXCHANGE_RESET,    200, 10, 1},
    {"down lost",   SIM_FAULT_LOSE_ANSWER,    0,      0,  false, 0,                 0,   0,  1},
    {"down reset",  SIM_FAULT_RESET_ANSWER,   0,      0,  true,  EXCHANGE_RESET,    0,   0,  1},
};

static struct sim_fault fault_of(const struct row *row)
{
    return (struct sim_fault){row->kind, row->delay_ms * US_PER_MS, row->after_bytes};
}

static void check_row(const struct row *row, const struct asked *asked, const struct pair *pair)
{
    unsigned handled = pair->server.finished - pair->server.undelivered;

    if (asked->ended != row->ended || asked->end != row->end)
        fail_msg("%s: ended %d, %s", row->name, asked->ended, exchange_end_name(asked->end));
    if (asked->status != row->status || asked->size != row->size)
        fail_msg("%s: status %u, %zu bytes", row->name, asked->status, asked->size);
    if (handled != row->handled)
        fail_msg("%s: handled %u times", row->name, handled);
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sim_fault fault = fault_of(&rows[i]);
        struct asked asked = {0};
        struct pair pair;

        pair_init(&pair, 1);
        sim_set_network_fault(pair.sim, give_fault, &fault);
        ask(&asked, pair.ctl, "http://api/echo", "0123456789", 10);
        pair_run(&pair, US_PER_MINUTE);
        check_row(&rows[i], &asked, &pair);
        pair_release(&pair);
    }
}

/* The same on a connection that served before; what comes after a fault is as if it never was. */
static void test_kinds_on_a_kept_connection(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct sim_fault fault = fault_of(&rows[i]);
        struct asked first = {0};
        struct asked asked = {0};
        struct asked last = {0};
        struct pair pair;

        pair_init(&pair, 1);
        ask(&first, pair.ctl, "http://api/echo", "0123456789", 10);
        pair_run(&pair, US_PER_SECOND);
        pair.server.finished = 0;
        sim_set_network_fault(pair.sim, give_fault, &fault);
        ask(&asked, pair.ctl, "http://api/echo", "0123456789", 10);
        pair_run(&pair, US_PER_MINUTE);
        check_row(&rows[i], &asked, &pair);
        sim_set_network_fault(pair.sim, NULL, NULL);
        ask(&last, pair.ctl, "http://api/echo", "0123456789", 10);
        pair_run(&pair, US_PER_MINUTE);
        assert_int_equal(last.end, EXCHANGE_COMPLETE);
        assert_int_equal(last.size, 10);
        pair_release(&pair);
    }
}

/* A link that breaks every body at byte k, in either direction. */
static void test_link_breaks_bodies(void **state)
{
    (void)state;
    for (int64_t k = 0; k <= 11; k++) {
        for (int up = 0; up <= 1; up++) {
            struct sim_link link = sim_link_default;
            struct asked asked = {0};
            struct pair pair;

            pair_init(&pair, 1);
            link.reset_after_bytes = k;
            sim_set_link(pair.sim, up ? pair.ctl : pair.api, up ? pair.api : pair.ctl, &link);
            ask(&asked, pair.ctl, "http://api/echo", "0123456789", 10);
            pair_run(&pair, US_PER_MINUTE);
            assert_int_equal(asked.end, k > 10 ? EXCHANGE_COMPLETE : EXCHANGE_RESET);
            assert_int_equal(asked.size, k > 10 ? 10 : up ? 0 : k);
            pair_release(&pair);
        }
    }
}

static void test_streams_break_too(void **state)
{
    static const size_t edges[] = {
        0, 1, SIM_PIECE_BYTES, SIM_PIECE_BYTES + 1, SIM_WINDOW_BYTES, SIM_WINDOW_BYTES + 1};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
        struct sim_link link = sim_link_default;
        struct asked asked = {0};
        struct pair pair;

        pair_init(&pair, 1);
        link.reset_after_bytes = (int64_t)edges[i];
        sim_set_link(pair.sim, pair.api, pair.ctl, &link);
        pair.server.stream_left = 10 * SIM_WINDOW_BYTES;
        ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
        pair_run(&pair, US_PER_MINUTE);
        assert_int_equal(asked.end, EXCHANGE_RESET);
        assert_int_equal(asked.status, 200);
        assert_int_equal(asked.size, edges[i]);
        assert_int_equal(pair.server.undelivered, 1);
        pair_release(&pair);
    }
}

static void test_reset_connections(void **state)
{
    struct asked asked = {0};
    struct pair pair;

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_reset_connections(pair.sim, pair.ctl, pair.api);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.end, EXCHANGE_RESET);
    assert_int_equal(pair.server.undelivered, 1);
    pair_release(&pair);
}

/* The hook may kill whom it likes. */
static void crash_client(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    (void)arg;
    (void)fault;
    sim_process_crash(request->from);
}

static void test_hook_may_crash_the_client(void **state)
{
    struct asked asked = {0};
    struct pair pair;

    (void)state;
    pair_init(&pair, 1);
    sim_set_network_fault(pair.sim, crash_client, NULL);
    ask(&asked, pair.ctl, "http://api/echo", "0123456789", 10);
    pair_run(&pair, US_PER_SECOND);
    assert_false(asked.ended);
    assert_false(sim_process_is_alive(pair.ctl));
    assert_int_equal(pair.server.started, 0);
    pair_release(&pair);
}

/* A tap that kills the process it is about, at every kind of event in turn: nothing is left, and
 * nothing is touched again. */
struct killer {
    enum sim_event_kind kind;
    struct sim *sim;
};

static void kill_it(void *arg, const struct sim_event *event)
{
    const struct killer *killer = arg;
    struct sim_process *process = sim_process_find(killer->sim, sim_process_name(event->process));

    assert_int_equal(event->kind, killer->kind);
    if (sim_process_index(process) < 2)
        sim_process_crash(process);
}

static void test_taps_may_crash_anybody_anywhere(void **state)
{
    static const enum sim_event_kind kinds[] = {
        SIM_EVENT_REQUEST_SENT,   SIM_EVENT_REQUEST,  SIM_EVENT_RESPONSE_SENT, SIM_EVENT_BODY_SENT,
        SIM_EVENT_REQUEST_CLOSED, SIM_EVENT_RESPONSE, SIM_EVENT_BODY,          SIM_EVENT_END,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct pair pair;
        struct killer killer = {.kind = kinds[i]};
        struct asked asked = {0};

        pair_init(&pair, 1);
        killer.sim = pair.sim;
        pair.server.stream_left = 100;
        sim_add_tap(pair.sim, SIM_EVENT_BIT(kinds[i]), kill_it, &killer);
        ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
        pair_run(&pair, US_PER_MINUTE);
        assert_true(!sim_process_is_alive(pair.ctl) || !sim_process_is_alive(pair.api));
        pair_release(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_kinds_on_a_kept_connection),
        cmocka_unit_test(test_link_breaks_bodies),
        cmocka_unit_test(test_streams_break_too),
        cmocka_unit_test(test_reset_connections),
        cmocka_unit_test(test_hook_may_crash_the_client),
        cmocka_unit_test(test_taps_may_crash_anybody_anywhere),
    };

    return cmocka_run_group_tests_name("sim/faults", tests, NULL, NULL);
}
