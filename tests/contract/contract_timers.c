/* contract_timers - clocks, timers, randomness and stopping. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "tests/contract/contract.h"

struct marks {
    struct contract_world *world;
    struct buffer text;
    struct timer *other;
    bool done;
    unsigned count;
    int64_t at_us;
};

struct note {
    struct marks *marks;
    char letter;
};

static void marks_init(struct marks *marks, struct contract_world *world)
{
    *marks = (struct marks){.world = world, .text = BUFFER_INIT(4096)};
}

static void on_mark(void *arg)
{
    struct note *mark = arg;

    buffer_append_char(&mark->marks->text, mark->letter);
}

static void on_done(void *arg)
{
    struct marks *marks = arg;

    marks->at_us = runtime_elapsed_us(marks->world->client);
    marks->done = true;
}

static void same_instant_fires_in_order_of_creation(struct contract_world *world)
{
    struct marks marks;
    struct note list[] = {
        {&marks, 'a'},
        {&marks, 'b'},
        {&marks, 'c'},
        {&marks, 'd'}
    };

    marks_init(&marks, world);
    for (size_t i = 0; i < ARRAY_SIZE(list); i++)
        runtime_after(world->client, 1000, on_mark, &list[i]);
    runtime_after(world->client, 20000, on_done, &marks);
    contract_until(world, &marks.done, "the last timer");
    assert_string_equal(buffer_text(&marks.text), "abcd");
    buffer_release(&marks.text);
}

static void fires_in_order_of_time(struct contract_world *world)
{
    static const int64_t delays_ms[] = {15, 5, 25, 10, 20, 0};
    struct marks marks;
    struct note list[ARRAY_SIZE(delays_ms)];

    marks_init(&marks, world);
    for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
        list[i] = (struct note){&marks, (char)('a' + i)};
        runtime_after(world->client, delays_ms[i] * US_PER_MS, on_mark, &list[i]);
    }
    runtime_after(world->client, 30 * US_PER_MS, on_done, &marks);
    contract_until(world, &marks.done, "the last timer");
    assert_string_equal(buffer_text(&marks.text), "fbdaec");
    buffer_release(&marks.text);
}

static void never_fires_early(struct contract_world *world)
{
    int64_t before_us = runtime_elapsed_us(world->client);
    struct marks marks;

    marks_init(&marks, world);
    runtime_after(world->client, 10 * US_PER_MS, on_done, &marks);
    contract_until(world, &marks.done, "the timer");
    assert_true(marks.at_us - before_us >= 10 * US_PER_MS);
}

static void zero_and_less_wait_for_the_next_turn(struct contract_world *world)
{
    struct marks marks;
    struct note now = {&marks, 'a'};
    struct note past = {&marks, 'b'};

    marks_init(&marks, world);
    runtime_after(world->client, 0, on_mark, &now);
    runtime_after(world->client, -5, on_mark, &past);
    runtime_after(world->client, 0, on_done, &marks);
    assert_int_equal(marks.text.size, 0); /* not from inside the call */
    contract_until(world, &marks.done, "the timer");
    assert_int_equal(marks.text.size, 2);
    buffer_release(&marks.text);
}

static void on_fail(void *arg)
{
    (void)arg;
    fail_msg("a cancelled timer fired");
}

static void a_cancelled_one_never_fires(struct contract_world *world)
{
    struct marks marks;
    struct timer *timer = runtime_after(world->client, 1000, on_fail, NULL);

    marks_init(&marks, world);
    runtime_after(world->client, 20000, on_done, &marks);
    timer_cancel(timer);
    timer_cancel(NULL);
    contract_until(world, &marks.done, "the other timer");
}

static void on_cancel_other(void *arg)
{
    struct marks *marks = arg;

    timer_cancel(marks->other);
}

static void one_cancels_another_due_at_once(struct contract_world *world)
{
    struct marks marks;

    marks_init(&marks, world);
    runtime_after(world->client, 1000, on_cancel_other, &marks);
    marks.other = runtime_after(world->client, 1000, on_fail, NULL);
    runtime_after(world->client, 20000, on_done, &marks);
    contract_until(world, &marks.done, "the last timer");
}

static void on_again(void *arg)
{
    struct marks *marks = arg;

    if (++marks->count == 100)
        marks->done = true;
    else
        runtime_after(marks->world->client, 0, on_again, marks);
}

static void a_chain_of_zero_delays_starves_nobody(struct contract_world *world)
{
    struct marks marks;
    struct note other = {&marks, 'x'};

    marks_init(&marks, world);
    runtime_after(world->client, 0, on_again, &marks);
    runtime_after(world->client, 0, on_mark, &other);
    contract_until(world, &marks.done, "the end of the chain");
    assert_string_equal(buffer_text(&marks.text), "x");
    buffer_release(&marks.text);
}

static void many_timers_with_half_of_them_cancelled(struct contract_world *world)
{
    enum { COUNT = 1000 };
    struct timer **timers = xcalloc(COUNT, sizeof(struct timer *));
    struct marks marks;
    struct note mark = {&marks, 'x'};

    marks_init(&marks, world);
    for (size_t i = 0; i < COUNT; i++)
        timers[i] = runtime_after(world->client, (int64_t)(i * 7919 % 1000), on_mark, &mark);
    for (size_t i = 0; i < COUNT; i += 2)
        timer_cancel(timers[i]);
    runtime_after(world->client, 5000, on_done, &marks);
    contract_until(world, &marks.done, "the last timer");
    assert_int_equal(marks.text.size, COUNT / 2);
    buffer_release(&marks.text);
    free(timers);
}

static void elapsed_never_goes_back(struct contract_world *world)
{
    int64_t before_us = runtime_elapsed_us(world->client);

    for (unsigned i = 0; i < 1000; i++) {
        int64_t now_us = runtime_elapsed_us(world->client);

        assert_true(now_us >= before_us);
        before_us = now_us;
    }
}

static void wall_time_is_of_this_age(struct contract_world *world)
{
    int64_t first_us = runtime_wall_us(world->client);
    struct marks marks;
    int64_t second_us;

    marks_init(&marks, world);
    runtime_after(world->client, 5000, on_done, &marks);
    contract_until(world, &marks.done, "the timer");
    second_us = runtime_wall_us(world->client);
    assert_true(first_us > INT64_C(1000000000) * US_PER_SECOND); /* 2001 */
    assert_true(second_us > first_us);
}

static void randomness_does_not_repeat(struct contract_world *world)
{
    uint64_t seen[64];

    for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
        seen[i] = runtime_random(world->client);
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
    }
}

static void on_stop(void *arg)
{
    struct marks *marks = arg;

    runtime_stop(marks->world->server, 3);
    runtime_after(marks->world->server, 0, on_fail, NULL);
}

static void stopping_in_a_callback_ends_the_process_after_it(struct contract_world *world)
{
    struct marks marks;
    int status = -1;
    bool never = false;

    marks_init(&marks, world);
    runtime_after(world->server, 1000, on_stop, &marks);
    runtime_after(world->server, 1000, on_fail, NULL);
    world->run(world, &never);
    assert_true(world->stopped(world, world->server, &status));
    assert_int_equal(status, 3);
}

const struct contract_case contract_timers[] = {
    {"timer/same_instant_fires_in_order_of_creation", same_instant_fires_in_order_of_creation},
    {"timer/fires_in_order_of_time",                  fires_in_order_of_time                 },
    {"timer/never_fires_early",                       never_fires_early                      },
    {"timer/zero_and_less_wait_for_the_next_turn",    zero_and_less_wait_for_the_next_turn   },
    {"timer/a_cancelled_one_never_fires",             a_cancelled_one_never_fires            },
    {"timer/one_cancels_another_due_at_once",         one_cancels_another_due_at_once        },
    {"timer/a_chain_of_zero_delays_starves_nobody",   a_chain_of_zero_delays_starves_nobody  },
    {"timer/many_timers_with_half_of_them_cancelled", many_timers_with_half_of_them_cancelled},
    {"clock/elapsed_never_goes_back",                 elapsed_never_goes_back                },
    {"clock/wall_time_is_of_this_age",                wall_time_is_of_this_age               },
    {"random/does_not_repeat",                        randomness_does_not_repeat             },
    {"stop/in_a_callback_ends_the_process_after_it",
     stopping_in_a_callback_ends_the_process_after_it                                        },
    {NULL,                                            NULL                                   },
};
