/* pool - see pool.h. Each worker has a pipe for the numbers of its pieces and one for answers: a
 * size_t, then so many bytes. */
#include "scenarios/workers/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/workers/clock.h"
#include "scenarios/workers/fork.h"

#define PIECE_BYTES 65536
#define NO_INDEX SIZE_MAX

struct worker {
    pid_t pid;
    int to;         /* our end: numbers of pieces */
    int from;       /* our end: answers */
    size_t index;   /* what it works on; NO_INDEX: nothing */
    int64_t due_us; /* when it has worked on that for too long, by the real clock */
    bool is_late;   /* it has been killed for that */
    struct buffer answer;
};

/** An answer that has come before its turn. */
struct answer {
    bool there;
    char *bytes; /* NULL: the worker died */
    size_t size;
    char *death;
};

struct pool {
    const struct pool_work *work;
    struct worker workers[POOL_WORKERS_MAX];
    unsigned worker_count;
    struct answer *answers;
    size_t next_index; /* to hand out */
    size_t next_done;  /* to deliver */
    bool stopped;
    bool is_worker; /* this process is one of the workers */
};

/* --- in the worker --- */

static bool read_all(int file, void *into, size_t size)
{
    char *at = into;

    while (size > 0) {
        ssize_t got = read(file, at, size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t done = write(file, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static void serve(const struct pool_work *work, int from, int to)
{
    size_t index;

    while (read_all(from, &index, sizeof(index))) {
        struct buffer answer = BUFFER_INIT(POOL_ANSWER_BYTES_MAX);
        bool sent;

        work->work(work->arg, index, &answer);
        sent = write_all(to, &answer.size, sizeof(answer.size)) &&
               write_all(to, answer.bytes, answer.size);
        buffer_release(&answer);
        if (!sent)
            return;
    }
}

/* --- starting and ending workers --- */

static void close_both(int ends[2])
{
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/** A worker must not hold the others' pipes open, or their ends would go unnoticed. */
static void let_go_of_others(struct pool *pool)
{
    for (unsigned i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];

        if (worker->pid > 0) {
            (void)close(worker->to);
            (void)close(worker->from);
            buffer_release(&worker->answer);
            worker->pid = 0;
        }
    }
}

/** False in the new worker too, once it has done its part. */
static bool start(struct pool *pool, struct worker *worker, struct error *err)
{
    int down[2];
    int up[2];
    pid_t parent = getpid();
    pid_t pid;

    if (pipe(down) != 0)
        return error_set(err, ERROR_IO, "pipe: %s", strerror(errno));
    if (pipe(up) != 0) {
        close_both(down);
        return error_set(err, ERROR_IO, "pipe: %s", strerror(errno));
    }
    (void)fflush(NULL);
    pid = fork();
    if (pid < 0) {
        close_both(down);
        close_both(up);
        return error_set(err, ERROR_IO, "fork: %s", strerror(errno));
    }
    if (pid == 0) {
        fork_end_with(parent);
        pool->is_worker = true;
        let_go_of_others(pool);
        (void)close(down[1]);
        (void)close(up[0]);
        serve(pool->work, down[0], up[1]);
        (void)close(down[0]);
        (void)close(up[1]);
        return false;
    }
    (void)close(down[0]);
    (void)close(up[1]);
    *worker = (struct worker){.pid = pid,
                              .to = down[1],
                              .from = up[0],
                              .index = NO_INDEX,
                              .answer = BUFFER_INIT(POOL_ANSWER_BYTES_MAX + sizeof(size_t))};
    return true;
}

/** Ends a worker; how it ended, free() it. */
static char *end(struct worker *worker)
{
    int status = 0;

    (void)close(worker->to);
    (void)close(worker->from);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    worker->pid = 0;
    buffer_release(&worker->answer);
    if (WIFSIGNALED(status))
        return xprintf("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return xprintf("exit status %d", WEXITSTATUS(status));
}

/* --- answers --- */

static void deliver(struct pool *pool)
{
    while (!pool->stopped && pool->next_done < pool->work->count &&
           pool->answers[pool->next_done].there) {
        struct answer *answer = &pool->answers[pool->next_done];

        pool->stopped = !pool->work->done(pool->work->arg, pool->next_done, answer->bytes,
                                          answer->size, answer->death);
        free(answer->bytes);
        free(answer->death);
        *answer = (struct answer){.there = true};
        pool->next_done++;
    }
}

static bool give(struct pool *pool, struct worker *worker)
{
    if (pool->next_index == pool->work->count)
        return true;
    worker->index = pool->next_index++;
    worker->due_us = real_clock_us() + pool->work->limit_us;
    return write_all(worker->to, &worker->index, sizeof(worker->index));
}

static bool on_death(struct pool *pool, struct worker *worker, struct error *err)
{
    size_t index = worker->index;
    bool is_late = worker->is_late;
    char *death = end(worker);
    char limit[TIME_TEXT_SIZE];

    if (is_late) {
        free(death);
        duration_format(pool->work->limit_us, limit);
        death = xprintf("it took longer than %s of real time", limit);
    }
    if (index == NO_INDEX) {
        free(death);
        return true;
    }
    pool->answers[index] = (struct answer){.there = true, .death = death};
    return start(pool, worker, err) && give(pool, worker);
}

/** Takes an answer out once it is whole. */
static bool on_bytes(struct pool *pool, struct worker *worker)
{
    struct answer *answer;
    size_t size;

    if (worker->answer.size < sizeof(size))
        return true;
    memcpy(&size, worker->answer.bytes, sizeof(size));
    if (worker->answer.size < sizeof(size) + size)
        return true;
    answer = &pool->answers[worker->index];
    answer->bytes = xmemdup(worker->answer.bytes + sizeof(size), size);
    answer->size = size;
    answer->there = true;
    buffer_clear(&worker->answer);
    worker->index = NO_INDEX;
    return give(pool, worker);
}

static bool take(struct pool *pool, struct worker *worker, struct error *err)
{
    char *room = buffer_reserve(&worker->answer, PIECE_BYTES);
    ssize_t got = room == NULL ? 0 : read(worker->from, room, PIECE_BYTES);

    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return on_death(pool, worker, err);
    buffer_extend(&worker->answer, (size_t)got);
    return on_bytes(pool, worker) || on_death(pool, worker, err);
}

/** How long to wait for answers, in milliseconds, as poll() has it. */
static int patience_ms(const struct pool *pool)
{
    int64_t now_us = real_clock_us();
    int64_t least_us = INT64_MAX;

    for (unsigned i = 0; i < pool->worker_count; i++) {
        const struct worker *worker = &pool->workers[i];

        if (worker->index != NO_INDEX && !worker->is_late && worker->due_us - now_us < least_us)
            least_us = worker->due_us - now_us;
    }
    if (pool->work->limit_us == 0 || least_us == INT64_MAX)
        return -1;
    if (least_us < 0)
        return 0;
    return least_us > US_PER_HOUR ? (int)(US_PER_HOUR / US_PER_MS)
                                  : (int)(least_us / US_PER_MS) + 1;
}

/** Their ends are noticed like any other death. */
static void kill_late(struct pool *pool)
{
    int64_t now_us = real_clock_us();

    for (unsigned i = 0; i < pool->worker_count; i++) {
        struct worker *worker = &pool->workers[i];

        if (pool->work->limit_us == 0 || worker->index == NO_INDEX || worker->is_late ||
            now_us < worker->due_us)
            continue;
        worker->is_late = true;
        (void)kill(worker->pid, SIGKILL);
    }
}

static bool wait_for_answers(struct pool *pool, struct error *err)
{
    struct pollfd files[POOL_WORKERS_MAX];

    for (unsigned i = 0; i < pool->worker_count; i++)
        files[i] = (struct pollfd){
            .fd = pool->workers[i].index == NO_INDEX ? -1 : pool->workers[i].from,
            .events = POLLIN,
        };
    if (poll(files, pool->worker_count, patience_ms(pool)) < 0 && errno != EINTR)
        return error_set(err, ERROR_IO, "poll: %s", strerror(errno));
    for (unsigned i = 0; i < pool->worker_count; i++) {
        if (files[i].revents != 0 && !take(pool, &pool->workers[i], err))
            return false;
    }
    kill_late(pool);
    return true;
}

/* --- the whole --- */

static void run_here(const struct pool_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        struct buffer answer = BUFFER_INIT(POOL_ANSWER_BYTES_MAX);
        bool more;

        work->work(work->arg, i, &answer);
        more = work->done(work->arg, i, buffer_text(&answer), answer.size, NULL);
        buffer_release(&answer);
        if (!more)
            break;
    }
}

static bool run_spread(struct pool *pool, struct error *err)
{
    for (unsigned i = 0; i < pool->work->workers && i < POOL_WORKERS_MAX; i++) {
        if (!start(pool, &pool->workers[i], err))
            return false;
        pool->worker_count++;
        if (!give(pool, &pool->workers[i]))
            return error_set(err, ERROR_IO, "a worker does not take work");
    }
    while (!pool->stopped && pool->next_done < pool->work->count) {
        if (!wait_for_answers(pool, err))
            return false;
        deliver(pool);
    }
    return true;
}

static void free_pool(struct pool *pool)
{
    for (unsigned i = 0; i < pool->worker_count; i++) {
        if (pool->workers[i].pid > 0 && pool->workers[i].index != NO_INDEX)
            (void)kill(pool->workers[i].pid, SIGKILL); /* nobody waits for its answer any more */
        if (pool->workers[i].pid > 0)
            free(end(&pool->workers[i]));
    }
    for (size_t i = 0; i < pool->work->count; i++) {
        free(pool->answers[i].bytes);
        free(pool->answers[i].death);
    }
    free(pool->answers);
    free(pool);
}

enum pool_end pool_run(const struct pool_work *work, struct error *err)
{
    enum pool_end end = POOL_DONE;
    struct pool *pool;

    if (work->workers <= 1 && work->limit_us == 0) {
        run_here(work);
        return POOL_DONE;
    }
    pool = xcalloc(1, sizeof(*pool));
    pool->work = work;
    pool->answers = xcalloc(work->count + 1, sizeof(*pool->answers));
    if (!run_spread(pool, err))
        end = POOL_FAILED;
    if (pool->is_worker)
        end = POOL_WORKER;
    free_pool(pool);
    return end;
}
