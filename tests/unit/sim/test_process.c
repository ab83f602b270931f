/* Processes: lives, timers, clocks, signals, input and output. */
#include "tests/unit/sim/fixture.h"

/* --- a program that remembers --- */

struct worker {
    struct runtime *rt;
    struct timer *timer;
    char *memory;
    unsigned ticks;
    struct buffer lines;
    bool input_ended;
    unsigned signals;
};

static void on_tick(void *arg)
{
    struct worker *worker = arg;

    worker->ticks++;
    worker->timer = runtime_after(worker->rt, US_PER_SECOND, on_tick, worker);
}

static void on_line(void *arg, const char *line)
{
    struct worker *worker = arg;

    if (line == NULL)
        worker->input_ended = true;
    else
        buffer_append_format(&worker->lines, "<%s>", line);
}

static void on_signal(void *arg)
{
    ((struct worker *)arg)->signals++;
}

static bool worker_start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                         struct error *err)
{
    struct worker *worker;

    if (argc > 1 && strcmp(argv[1], "bad") == 0)
        return error_set(err, ERROR_USAGE, "%s: bad: no such argument", argv[0]);
    worker = xcalloc(1, sizeof(*worker));
    worker->rt = rt;
    worker->memory = xstrdup(text_or(runtime_setting(rt, "GREETING"), "none"));
    worker->lines = BUFFER_INIT(4096);
    worker->timer = runtime_after(rt, US_PER_SECOND, on_tick, worker);
    runtime_read_lines(rt, on_line, worker);
    if (argc > 1 && strcmp(argv[1], "polite") == 0)
        runtime_on_signal(rt, on_signal, worker);
    if (argc > 1 && strcmp(argv[1], "brief") == 0)
        runtime_stop(rt, 7);
    *ret_root = worker;
    return true;
}

static void worker_free(void *root)
{
    struct worker *worker = root;

    timer_cancel(worker->timer);
    /* A dead process's calls do nothing, and what they return is freed with it. */
    runtime_after(worker->rt, 0, on_tick, worker);
    free(worker->memory);
    buffer_release(&worker->lines);
    free(worker);
}

static const struct program worker_program = {"worker", worker_start, worker_free};

static struct sim_process *new_worker(struct sim *sim, const char *argument)
{
    const struct sim_setting settings[] = {
        {"GREETING", "hello"}
    };
    const struct sim_process_options options = {
        .name = "ctl-0",
        .program = &worker_program,
        .arguments = &argument,
        .argument_count = argument == NULL ? 0 : 1,
        .settings = settings,
        .setting_count = 1,
    };

    return sim_process_new(sim, &options);
}

static void run_for(struct sim *sim, int64_t for_us)
{
    assert_true(sim_run_until(sim, sim_now_us(sim) + for_us));
}

static unsigned ticks(const struct sim_process *process)
{
    return ((const struct worker *)sim_process_root(process))->ticks;
}

/* --- lives --- */

static void test_a_life(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    assert_int_equal(sim_process_state(process), SIM_PROCESS_NEW);
    sim_process_start(process);
    run_for(sim, 10 * US_PER_SECOND);
    assert_int_equal(ticks(process), 10);
    assert_string_equal(((struct worker *)sim_process_root(process))->memory, "hello");
    sim_process_crash(process);
    assert_int_equal(sim_process_state(process), SIM_PROCESS_ENDED);
    assert_null(sim_process_root(process));
    assert_null(sim_process_runtime(process));
    assert_int_equal(sim_process_exit_status(process), 137);
    run_for(sim, 10 * US_PER_SECOND);
    assert_int_equal(sim_next_us(sim), INT64_MAX); /* nothing of it is left */
    sim_process_restart(process);
    run_for(sim, 3 * US_PER_SECOND);
    assert_int_equal(ticks(process), 3);
    assert_int_equal(sim_process_incarnation(process), 2);
    sim_free(sim);
}

static const struct ending {
    const char *argument;
    int want;
} endings[] = {
    {"bad",   2},
    {"brief", 7},
};

static void test_endings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        struct sim *sim = new_world(1);
        struct sim_process *process = new_worker(sim, endings[i].argument);

        sim_process_start(process);
        run_for(sim, US_PER_SECOND);
        assert_int_equal(sim_process_state(process), SIM_PROCESS_ENDED);
        assert_int_equal(sim_process_exit_status(process), endings[i].want);
        sim_free(sim);
    }
}

static void crash_it(void *arg)
{
    sim_process_crash(arg);
}

static void restart_it(void *arg)
{
    struct sim_process *process = arg;

    sim_process_restart(process);
    assert_int_equal(sim_process_state(process), SIM_PROCESS_ENDING);
}

static void test_crash_and_restart_by_alarm(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    sim_process_start(process);
    sim_at(sim, 2500 * US_PER_MS, restart_it, process);
    sim_at(sim, 5 * US_PER_SECOND, crash_it, process);
    run_for(sim, 4 * US_PER_SECOND);
    assert_int_equal(ticks(process), 1);
    run_for(sim, 4 * US_PER_SECOND);
    assert_false(sim_process_is_alive(process));
    sim_free(sim);
}

/* A tap that kills in the middle of what happens to a process. */
static void crash_tap(void *arg, const struct sim_event *event)
{
    (void)event;
    sim_process_crash(arg);
}

static void test_crash_by_tap_at_a_timer(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    sim_add_tap(sim, SIM_EVENT_BIT(SIM_EVENT_TIMER), crash_tap, process);
    sim_process_start(process);
    run_for(sim, 4 * US_PER_SECOND);
    assert_false(sim_process_is_alive(process));
    sim_free(sim);
}

static void test_pause_and_resume(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);
    int64_t before_us;

    (void)state;
    sim_process_start(process);
    run_for(sim, 3500 * US_PER_MS);
    before_us = sim_process_elapsed_us(process);
    sim_process_pause(process);
    run_for(sim, US_PER_MINUTE);
    assert_int_equal(ticks(process), 3);
    assert_int_equal(sim_process_elapsed_us(process) - before_us, US_PER_MINUTE);
    sim_process_resume(process);
    assert_true(sim_step(sim));
    assert_int_equal(ticks(process), 4); /* late, at once */
    run_for(sim, US_PER_SECOND);
    assert_int_equal(ticks(process), 5);
    sim_process_pause(process);
    run_for(sim, US_PER_MINUTE);
    sim_process_crash(process);
    sim_free(sim);
}

static void test_signals(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, "polite");

    (void)state;
    sim_process_start(process);
    run_for(sim, US_PER_SECOND);
    sim_process_signal(process, SIM_TERM);
    run_for(sim, US_PER_SECOND);
    assert_int_equal(((struct worker *)sim_process_root(process))->signals, 1);
    sim_process_signal(process, SIM_INT);
    run_for(sim, US_PER_SECOND);
    assert_int_equal(sim_process_exit_status(process), 130);
    sim_free(sim);
}

static void test_signal_without_handler(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    sim_process_start(process);
    run_for(sim, US_PER_SECOND);
    sim_process_pause(process);
    sim_process_signal(process, SIM_TERM);
    run_for(sim, US_PER_SECOND);
    assert_true(sim_process_is_alive(process)); /* stopped processes do not see it */
    sim_process_resume(process);
    run_for(sim, US_PER_SECOND);
    assert_false(sim_process_is_alive(process));
    assert_int_equal(sim_process_exit_status(process), 0);
    sim_free(sim);
}

static void test_input(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);
    const struct worker *worker;

    (void)state;
    sim_process_set_input(process, "one\n\ntwo\nlast");
    sim_process_start(process);
    run_for(sim, 1);
    worker = sim_process_root(process);
    assert_string_equal(buffer_text(&worker->lines), "<one><><two><last>");
    assert_true(worker->input_ended);
    runtime_print(sim_process_runtime(process), "said", 4);
    assert_string_equal(buffer_text(sim_process_output(process)), "said");
    sim_free(sim);
}

static void test_settings_are_seen_by_the_next_start(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);
    const char *seen;

    (void)state;
    sim_process_start(process);
    seen = runtime_setting(sim_process_runtime(process), "GREETING");
    sim_process_set_setting(process, "GREETING", "bye");
    assert_string_equal(seen, "hello");
    sim_process_restart(process);
    assert_string_equal(runtime_setting(sim_process_runtime(process), "GREETING"), "bye");
    sim_process_set_setting(process, "GREETING", NULL);
    sim_process_restart(process);
    assert_null(runtime_setting(sim_process_runtime(process), "GREETING"));
    sim_free(sim);
}

/* --- clocks --- */

static void test_skew_and_drift(void **state)
{
    const struct sim_clock clock = {.wall_offset_us = -US_PER_HOUR, .wall_drift_ppm = 100};
    struct sim *sim = new_world(1);
    struct sim_process *process = new_process(sim, "ctl-0", NULL);
    struct runtime *rt = sim_process_runtime(process);
    int64_t elapsed_us = runtime_elapsed_us(rt);

    (void)state;
    assert_int_equal(runtime_wall_us(rt), START_US);
    sim_process_set_clock(process, &clock);
    assert_int_equal(runtime_wall_us(rt), START_US - US_PER_HOUR);
    run_for(sim, 10000 * US_PER_SECOND);
    assert_int_equal(runtime_wall_us(rt),
                     START_US - US_PER_HOUR + 10000 * US_PER_SECOND + US_PER_SECOND);
    assert_int_equal(runtime_elapsed_us(rt) - elapsed_us, 10000 * US_PER_SECOND);
    sim_process_step_clock(process, 5 * US_PER_SECOND);
    assert_int_equal(runtime_wall_us(rt),
                     START_US - US_PER_HOUR + 10000 * US_PER_SECOND + 6 * US_PER_SECOND);
    sim_free(sim);
}

static void test_timers_follow_the_elapsed_clock(void **state)
{
    const struct sim_clock slow = {.elapsed_drift_ppm = -200000};
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    sim_process_start(process);
    run_for(sim, 500 * US_PER_MS); /* half of the first second is over */
    sim_process_set_clock(process, &slow);
    run_for(sim, 625 * US_PER_MS - 1);
    assert_int_equal(ticks(process), 0);
    run_for(sim, 1);
    assert_int_equal(ticks(process), 1);
    run_for(sim, 10 * US_PER_SECOND);
    assert_int_equal(ticks(process), 9);
    sim_free(sim);
}

static void test_elapsed_clocks_differ_between_hosts(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *a = new_process(sim, "a", NULL);
    struct sim_process *b = new_process(sim, "b", NULL);

    (void)state;
    assert_int_not_equal(sim_process_elapsed_us(a), sim_process_elapsed_us(b));
    sim_free(sim);
}

/* --- timers --- */

static void append_letter(void *arg)
{
    buffer_append_char(arg, (char)('a' + (char)((struct buffer *)arg)->size));
}

static void append_x(void *arg)
{
    buffer_append_char(arg, 'x');
}

static void test_timers_of_one_instant_in_order(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_process(sim, "ctl-0", NULL);
    struct runtime *rt = sim_process_runtime(process);
    struct buffer seen = BUFFER_INIT(100);
    struct timer *cancelled;

    (void)state;
    runtime_after(rt, 10, append_letter, &seen);
    cancelled = runtime_after(rt, 10, append_x, &seen);
    runtime_after(rt, 10, append_letter, &seen);
    runtime_after(rt, 5, append_letter, &seen);
    timer_cancel(cancelled);
    run_for(sim, 20);
    assert_string_equal(buffer_text(&seen), "abc");
    buffer_release(&seen);
    sim_free(sim);
}

static void again(void *arg)
{
    runtime_after(arg, 0, again, arg);
}

static void test_a_spinning_program_is_found_out(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_process(sim, "ctl-0", NULL);

    (void)state;
    again(sim_process_runtime(process));
    assert_false(sim_run_until(sim, US_PER_SECOND));
    assert_true(sim_is_stuck(sim));
    assert_false(sim_step(sim));
    assert_int_equal(sim_now_us(sim), 0);
    sim_free(sim);
}

static bool not_yet(void *arg)
{
    return ticks(arg) < 3;
}

static void test_run_while(void **state)
{
    struct sim *sim = new_world(1);
    struct sim_process *process = new_worker(sim, NULL);

    (void)state;
    sim_process_start(process);
    assert_true(sim_step(sim));
    assert_true(sim_run_while(sim, US_PER_HOUR, not_yet, process));
    assert_int_equal(sim_now_us(sim), 3 * US_PER_SECOND);
    sim_process_restart(process);
    assert_true(sim_step(sim));
    assert_false(sim_run_while(sim, 5 * US_PER_SECOND, not_yet, process));
    assert_int_equal(sim_now_us(sim), 5 * US_PER_SECOND);
    sim_free(sim);
}

/* --- randomness --- */

static uint64_t draw(uint64_t seed, const char *name, unsigned restarts, bool with_fault)
{
    struct sim *sim = new_world(seed);
    struct sim_process *process = new_process(sim, name, NULL);
    uint64_t number;

    if (with_fault)
        sim_random(sim);
    while (restarts-- > 0)
        sim_process_restart(process);
    number = runtime_random(sim_process_runtime(process));
    sim_free(sim);
    return number;
}

static void test_streams_of_their_own(void **state)
{
    uint64_t first = draw(1, "a", 0, false);

    (void)state;
    assert_true(first == draw(1, "a", 0, false));
    assert_true(first == draw(1, "a", 0, true)); /* the scenario's draws change nothing */
    assert_true(first != draw(2, "a", 0, false));
    assert_true(first != draw(1, "b", 0, false));
    assert_true(first != draw(1, "a", 1, false)); /* another life */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_life),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_crash_and_restart_by_alarm),
        cmocka_unit_test(test_crash_by_tap_at_a_timer),
        cmocka_unit_test(test_pause_and_resume),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_signal_without_handler),
        cmocka_unit_test(test_input),
        cmocka_unit_test(test_settings_are_seen_by_the_next_start),
        cmocka_unit_test(test_skew_and_drift),
        cmocka_unit_test(test_timers_follow_the_elapsed_clock),
        cmocka_unit_test(test_elapsed_clocks_differ_between_hosts),
        cmocka_unit_test(test_timers_of_one_instant_in_order),
        cmocka_unit_test(test_a_spinning_program_is_found_out),
        cmocka_unit_test(test_run_while),
        cmocka_unit_test(test_streams_of_their_own),
    };

    return cmocka_run_group_tests_name("sim/process", tests, NULL, NULL);
}
