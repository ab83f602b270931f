/* Nodes that ask and answer each other at random, in a world that goes wrong at random: crashes,
 * pauses, cuts, broken connections, at any event. Under valgrind and the sanitizers this is the
 * test that nothing of a crashed process survives and nothing is touched after its end; and two
 * runs of one seed must be the same to the byte. */
#include "tests/unit/sim/fixture.h"

#define NODES 4
#define CALLS_MAX 8
#define WORLD_US (20 * US_PER_SECOND)

/* --- a node --- */

struct node;

struct call { /* one of its requests */
    struct node *node;
    struct exchange *exchange; /* NULL: free */
    bool paused;
};

struct visit { /* a request to it */
    struct node *node;
    struct request *request;
    size_t left; /* bytes to stream */
    bool answered;
    struct visit *prev, *next;
};

struct node {
    struct runtime *rt;
    struct listener *listener;
    struct call calls[CALLS_MAX];
    struct visit *visits;
    struct timer *timer;
    char *memory;
};

static uint64_t pick(struct node *node, uint64_t bound)
{
    return runtime_random(node->rt) % bound;
}

static void visit_free(struct visit *visit)
{
    DL_DELETE(visit->node->visits, visit);
    free(visit);
}

static enum body_pull visit_pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct visit *visit = arg;
    size_t size = visit->left < room_size ? visit->left : room_size;

    switch (pick(visit->node, 12)) {
    case 0:
        return BODY_RESET;
    case 1:
        return BODY_WAIT;
    case 2:
        request_wake(visit->request);
        return BODY_WAIT;
    default:
        break;
    }
    if (size == 0)
        return BODY_END;
    memset(room, 'x', size);
    visit->left -= size;
    *ret_size = size;
    return BODY_BYTES;
}

static void visit_answer(struct visit *visit)
{
    static const struct body_source source = {visit_pull};
    static const char body[3000];
    struct http_response response = {.status = 200, .close = pick(visit->node, 8) == 0};

    if (visit->answered)
        return;
    visit->answered = true;
    if (pick(visit->node, 2) == 0) {
        response.body = body;
        response.body_size = (size_t)pick(visit->node, sizeof(body));
    } else {
        visit->left = (size_t)pick(visit->node, 3 * SIM_WINDOW_BYTES);
        response.source = &source;
        response.source_arg = visit;
    }
    request_respond(visit->request, &response);
}

static void visit_body(void *arg, const void *bytes, size_t size)
{
    struct visit *visit = arg;

    (void)bytes;
    (void)size;
    switch (pick(visit->node, 20)) {
    case 0:
        request_reset(visit->request);
        visit_free(visit);
        break;
    case 1:
        visit_answer(visit);
        break;
    default:
        break;
    }
}

static void visit_end(void *arg)
{
    struct visit *visit = arg;

    if (pick(visit->node, 6) != 0)
        visit_answer(visit);
}

static void visit_closed(void *arg, bool delivered)
{
    struct visit *visit = arg;

    (void)delivered;
    if (pick(visit->node, 2) == 0)
        request_reset(visit->request); /* allowed, and nothing */
    visit_free(visit);
}

static void on_visit(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {visit_body, visit_end, visit_closed};
    struct node *node = arg;
    struct visit *visit;

    (void)head;
    if (pick(node, 10) == 0) {
        request_reset(request);
        return;
    }
    visit = xcalloc(1, sizeof(*visit));
    visit->node = node;
    visit->request = request;
    DL_APPEND(node->visits, visit);
    request_accept(request, &events, visit);
    if (pick(node, 10) == 0)
        visit_answer(visit);
}

static void maybe_cancel(struct call *call)
{
    if (call->exchange == NULL || pick(call->node, 8) != 0)
        return;
    exchange_cancel(call->exchange);
    call->exchange = NULL;
}

static void call_head(void *arg, const struct response_head *head)
{
    (void)head;
    maybe_cancel(arg);
}

static void call_body(void *arg, const void *bytes, size_t size)
{
    struct call *call = arg;

    (void)bytes;
    (void)size;
    maybe_cancel(call);
    if (call->exchange != NULL && pick(call->node, 4) == 0) {
        exchange_pause(call->exchange);
        call->paused = true;
    }
}

static void call_end(void *arg, enum exchange_end end, const char *detail)
{
    struct call *call = arg;

    (void)end;
    (void)detail;
    maybe_cancel(call);
    call->exchange = NULL;
}

static void call_somebody(struct node *node, struct call *call)
{
    static const struct exchange_events events = {call_head, call_body, call_end};
    static const char body[2 * SIM_WINDOW_BYTES];
    uint64_t whom = pick(node, NODES + 1); /* one more than there are */
    char *url = xprintf("http://node-%u/%u", (unsigned)whom, (unsigned)pick(node, 100));
    struct http_request request = {
        .method = "GET", .url = url, .response_bytes_max = 2 * SIM_WINDOW_BYTES};

    if (pick(node, 2) == 0) {
        request.method = "POST";
        request.body = body;
        request.body_size = (size_t)pick(node, pick(node, 4) == 0 ? sizeof(body) : 100);
    }
    if (pick(node, 2) == 0)
        request.total_timeout_us = (int64_t)pick(node, US_PER_SECOND) + 1;
    if (pick(node, 2) == 0)
        request.idle_timeout_us = (int64_t)pick(node, US_PER_SECOND) + 1;
    call->node = node;
    call->paused = false;
    call->exchange = runtime_request(node->rt, &request, &events, call);
    free(url);
}

static void on_tick(void *arg)
{
    struct node *node = arg;
    struct call *call = &node->calls[pick(node, CALLS_MAX)];

    node->timer = runtime_after(node->rt, (int64_t)pick(node, 100 * US_PER_MS), on_tick, node);
    if (call->exchange == NULL) {
        call_somebody(node, call);
    } else if (call->paused) {
        call->paused = false;
        exchange_resume(call->exchange);
    } else {
        maybe_cancel(call);
    }
    if (node->visits != NULL && node->visits->answered)
        request_wake(node->visits->request);
    if (pick(node, 500) == 0)
        runtime_stop(node->rt, 3);
}

static bool node_start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                       struct error *err)
{
    static const struct http_service service = {on_visit};
    const struct listen_options options = {
        .address = "::", .port = 80, .idle_timeout_us = 2 * US_PER_SECOND};
    struct node *node = xcalloc(1, sizeof(*node));

    (void)argc;
    (void)argv;
    node->rt = rt;
    if (!runtime_listen(rt, &options, &service, node, &node->listener, err)) {
        free(node);
        return false;
    }
    node->memory = xstrdup("something of its own");
    node->timer = runtime_after(rt, 0, on_tick, node);
    *ret_root = node;
    return true;
}

/* Cancels half of what it has; the rest is the runtime's to free. */
static void node_free(void *root)
{
    struct node *node = root;

    for (size_t i = 0; i < CALLS_MAX; i += 2)
        exchange_cancel(node->calls[i].exchange);
    if (node->visits != NULL)
        request_reset(node->visits->request);
    while (node->visits != NULL)
        visit_free(node->visits);
    timer_cancel(node->timer);
    free(node->memory);
    free(node);
}

static const struct program node_program = {"node", node_start, node_free};

/* --- a world that goes wrong --- */

struct chaos {
    struct sim *sim;
    uint64_t events; /* seen by the tap */
};

static struct sim_process *any_process(struct chaos *chaos)
{
    return sim_process_at(chaos->sim, (size_t)(sim_random(chaos->sim) % NODES));
}

static void change_link(struct chaos *chaos)
{
    struct sim_process *from = any_process(chaos);
    struct sim_process *to = any_process(chaos);
    struct sim_link link = sim_link_default;
    uint64_t dice = sim_random(chaos->sim);

    link.cut = dice % 4 == 0;
    link.refuse = dice / 4 % 8 == 0;
    link.reset_after_bytes = dice / 32 % 4 == 0 ? (int64_t)(dice / 128 % 5000) : -1;
    link.piece_bytes = dice / 1024 % 4 == 0 ? 100 : 0;
    link.bytes_per_second = dice / 8192 % 4 == 0 ? 100000 : 0;
    sim_set_link(chaos->sim, from, to, &link);
}

static void change_process(struct chaos *chaos)
{
    struct sim_process *process = any_process(chaos);
    const struct sim_clock clock = {.elapsed_drift_ppm =
                                        (int64_t)(sim_random(chaos->sim) % 2000) - 1000};

    switch (sim_random(chaos->sim) % 7) {
    case 0:
        sim_process_crash(process);
        break;
    case 1:
        sim_process_power_off(process);
        break;
    case 2:
        sim_process_restart(process);
        break;
    case 3:
        sim_process_pause(process);
        break;
    case 4:
        sim_process_resume(process);
        break;
    case 5:
        sim_process_signal(process, SIM_TERM);
        break;
    default:
        sim_process_set_clock(process, &clock);
        break;
    }
}

static void go_wrong(struct chaos *chaos)
{
    switch (sim_random(chaos->sim) % 8) {
    case 0:
        sim_strand(chaos->sim, any_process(chaos), any_process(chaos));
        break;
    case 1:
        sim_reset_connections(chaos->sim, any_process(chaos), any_process(chaos));
        break;
    case 2:
    case 3:
        change_link(chaos);
        break;
    default:
        change_process(chaos);
        break;
    }
}

/* Anything may happen in the middle of anything. */
static void on_event(void *arg, const struct sim_event *event)
{
    struct chaos *chaos = arg;

    (void)event;
    if (++chaos->events % 97 == 0)
        go_wrong(chaos);
}

static void on_heal(void *arg)
{
    struct chaos *chaos = arg;

    for (size_t i = 0; i < NODES; i++) {
        struct sim_process *process = sim_process_at(chaos->sim, i);

        sim_process_resume(process);
        sim_process_start(process);
    }
    if (sim_random(chaos->sim) % 2 == 0)
        go_wrong(chaos);
    sim_at(chaos->sim, sim_now_us(chaos->sim) + 300 * US_PER_MS, on_heal, chaos);
}

static void give_fault(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    struct chaos *chaos = arg;
    uint64_t dice = sim_random(chaos->sim);

    (void)request;
    if (dice % 4 != 0)
        return;
    fault->kind = (enum sim_fault_kind)(dice / 4 % (SIM_FAULT_RESET_ANSWER + 1));
    fault->after_bytes = (size_t)(dice / 64 % 3000);
    fault->delay_us = (int64_t)(dice / 4096 % US_PER_SECOND);
    if (dice / 8192 % 50 == 0)
        sim_process_crash(request->from);
}

static void run_world(uint64_t seed, char hex[SHA256_HEX_SIZE], uint64_t *ret_events)
{
    struct chaos chaos = {.sim = new_world(seed)};
    uint8_t digest[SHA256_SIZE];

    for (unsigned i = 0; i < NODES; i++) {
        char *name = xprintf("node-%u", i);

        new_process(chaos.sim, name, &node_program);
        free(name);
    }
    sim_add_tap(chaos.sim, SIM_EVENTS_ALL & ~SIM_EVENT_BIT(SIM_EVENT_RANDOM), on_event, &chaos);
    sim_set_network_fault(chaos.sim, give_fault, &chaos);
    sim_at(chaos.sim, 0, on_heal, &chaos);
    assert_true(sim_run_until(chaos.sim, WORLD_US));
    sim_trace_hash(chaos.sim, digest);
    digest_hex(digest, sizeof(digest), hex);
    *ret_events = sim_event_count(chaos.sim);
    sim_free(chaos.sim);
}

static void test_chaos_is_safe_and_repeats(void **state)
{
    const char *wanted = getenv("SIM_STRESS_SEEDS");
    uint64_t seeds = wanted == NULL ? 10 : strtoull(wanted, NULL, 10);

    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        char first[SHA256_HEX_SIZE];
        char second[SHA256_HEX_SIZE];
        uint64_t events;

        run_world(seed, first, &events);
        assert_true(events > 1000);
        run_world(seed, second, &events);
        if (strcmp(first, second) != 0)
            fail_msg("seed %u: two runs differ", (unsigned)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chaos_is_safe_and_repeats),
    };

    return cmocka_run_group_tests_name("sim/stress", tests, NULL, NULL);
}
