/* Work over processes: every answer once, in order, whatever becomes of the workers. */
#include "scenarios/workers/pool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

#define PIECES 40
#define BIG_BYTES 200000

struct taken {
    size_t next;
    size_t deaths;
    size_t stop_at; /* 0: never */
};

/** Answers differ in size; one is larger than a pipe. */
static void work(void *arg, size_t index, struct buffer *answer)
{
    (void)arg;
    buffer_append_format(answer, "answer %zu", index);
    if (index == 7) {
        for (int i = 0; i < BIG_BYTES; i++)
            buffer_append_char(answer, 'x');
    }
}

static bool done(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct taken *taken = arg;
    char *want = xprintf("answer %zu", index);

    assert_int_equal(index, taken->next++);
    if (bytes == NULL) {
        assert_non_null(strstr(death, "signal 9"));
        taken->deaths++;
    } else {
        assert_true(strncmp(bytes, want, strlen(want)) == 0);
        assert_int_equal(size, strlen(want) + (index == 7 ? BIG_BYTES : 0));
    }
    free(want);
    return taken->next != taken->stop_at;
}

/** A worker has nothing to test. */
static void run(const struct pool_work *pool)
{
    struct error err = ERROR_INIT;
    enum pool_end end = pool_run(pool, &err);

    if (end == POOL_WORKER)
        _exit(0);
    assert_int_equal(end, POOL_DONE);
}

static void test_answers_come_in_order(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 5; workers++) {
        struct taken taken = {0};
        const struct pool_work pool = {PIECES, workers, work, done, &taken};

        run(&pool);
        assert_int_equal(taken.next, PIECES);
        assert_int_equal(taken.deaths, 0);
    }
}

static void test_no_work_is_fine(void **state)
{
    struct taken taken = {0};
    const struct pool_work pool = {0, 3, work, done, &taken};

    (void)state;
    run(&pool);
    assert_int_equal(taken.next, 0);
}

static void die_of_some(void *arg, size_t index, struct buffer *answer)
{
    if (index % 10 == 3)
        (void)raise(SIGKILL);
    work(arg, index, answer);
}

static void test_a_dead_worker_takes_one_answer_along(void **state)
{
    struct taken taken = {0};
    const struct pool_work pool = {PIECES, 2, die_of_some, done, &taken};

    (void)state;
    run(&pool);
    assert_int_equal(taken.next, PIECES);
    assert_int_equal(taken.deaths, 4);
}

static void test_it_can_be_stopped(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 3; workers++) {
        struct taken taken = {.stop_at = 5};
        const struct pool_work pool = {PIECES, workers, work, done, &taken};

        run(&pool);
        assert_int_equal(taken.next, 5);
    }
}

/** Two of them, the last one too, never end. */
static void hang_at_some(void *arg, size_t index, struct buffer *answer)
{
    while (index == 1 || index == 3)
        (void)pause();
    work(arg, index, answer);
}

static bool count_late(void *arg, size_t index, const char *bytes, size_t size, const char *death)
{
    struct taken *taken = arg;

    if (bytes != NULL)
        return done(arg, index, bytes, size, death);
    assert_int_equal(index, taken->next++);
    assert_string_equal(death, "it took longer than 2s of real time");
    taken->deaths++;
    return true;
}

static void test_a_piece_that_never_ends_is_given_up(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct taken taken = {0};
        const struct pool_work pool = {.count = 4,
                                       .workers = workers,
                                       .work = hang_at_some,
                                       .done = count_late,
                                       .arg = &taken,
                                       .limit_us = 2 * US_PER_SECOND};

        run(&pool);
        assert_int_equal(taken.next, 4);
        assert_int_equal(taken.deaths, 2);
    }
}

/** Says that it has begun, and never ends by itself. */
static void hang(void *arg, size_t index, struct buffer *answer)
{
    (void)index;
    (void)answer;
    assert_int_equal(write(*(int *)arg, "", 1), 1);
    for (;;)
        (void)pause();
}

/** Both workers hold the pipe: its end comes once they are gone. */
static void test_workers_end_with_a_runner_that_is_killed(void **state)
{
    char byte;
    int ends[2];
    pid_t runner;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    runner = fork();
    if (runner == 0) {
        run(&(struct pool_work){2, 2, hang, done, &ends[1]});
        _exit(0);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(runner, SIGKILL), 0);
    assert_int_equal(waitpid(runner, NULL, 0), runner);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    (void)close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_come_in_order),
        cmocka_unit_test(test_no_work_is_fine),
        cmocka_unit_test(test_a_dead_worker_takes_one_answer_along),
        cmocka_unit_test(test_it_can_be_stopped),
        cmocka_unit_test(test_a_piece_that_never_ends_is_given_up),
        cmocka_unit_test(test_workers_end_with_a_runner_that_is_killed),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
