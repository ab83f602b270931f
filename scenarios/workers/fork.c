/* fork - see fork.h. The answer goes through a pipe: its size, and so many bytes. */
#include "scenarios/workers/fork.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "scenarios/workers/clock.h"

#define PIECE_BYTES 4096

/* --- in the copy --- */

/** Address space of this process now; 0 when nobody says. */
static size_t size_now(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    (void)fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/** Under a sanitizer a process has all of the address space, and no such limit can be set. */
static void set_limits(size_t size, size_t memory_bytes)
{
    const struct rlimit none = {0, 0};
    const struct rlimit memory = {size + memory_bytes, size + memory_bytes};

    (void)setrlimit(RLIMIT_CORE, &none);
    if (size > 0 && size < (size_t)1 << 40)
        (void)setrlimit(RLIMIT_AS, &memory);
}

void fork_end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
}

void fork_end(int line, const void *bytes, size_t size)
{
    const char *parts[] = {(const char *)&size, bytes};
    size_t sizes[] = {sizeof(size), size};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        while (sizes[i] > 0) {
            ssize_t done = write(line, parts[i], sizes[i]);

            if (done < 0 && errno == EINTR)
                continue;
            if (done <= 0)
                _exit(1);
            parts[i] += done;
            sizes[i] -= (size_t)done;
        }
    }
    _exit(0);
}

/* --- in the process that waits --- */

struct trial {
    pid_t pid;
    int line;
    int64_t due_us;
    size_t bytes_max;
    struct buffer *answer;
    size_t told; /* bytes that came, those of the size among them */
    size_t size;
};

/** Takes some of what was told; false at its end. */
static bool take(struct trial *trial)
{
    char piece[PIECE_BYTES];
    size_t head = sizeof(trial->size);
    ssize_t got = read(trial->line, piece, sizeof(piece));
    size_t at = 0;

    if (got < 0)
        return errno == EINTR;
    for (; at < (size_t)got && trial->told < head; at++)
        ((char *)&trial->size)[trial->told++] = piece[at];
    buffer_append(trial->answer, piece + at, (size_t)got - at);
    trial->told += (size_t)got - at;
    return got > 0 && (trial->told < head ||
                       (trial->size <= trial->bytes_max && trial->told < head + trial->size));
}

/** Waits until it told all, or is to be ended; NULL, or why it has to be. */
static const char *listen_to(struct trial *trial)
{
    struct pollfd line = {.fd = trial->line, .events = POLLIN};

    for (;;) {
        int64_t left_us = trial->due_us - real_clock_us();

        if (left_us <= 0)
            return "it did not end in time";
        if (poll(&line, 1, (int)(left_us / 1000) + 1) <= 0)
            continue;
        if (!take(trial))
            return trial->told >= sizeof(trial->size) && trial->size > trial->bytes_max
                       ? "its answer is too long"
                       : NULL;
    }
}

static bool is_whole(const struct trial *trial)
{
    return trial->told >= sizeof(trial->size) && trial->size <= trial->bytes_max &&
           trial->told == sizeof(trial->size) + trial->size;
}

/** Waits for its end; how it died, or NULL. */
static char *bury(struct trial *trial, const char *why)
{
    int status = 0;

    if (why != NULL)
        (void)kill(trial->pid, SIGKILL);
    while (waitpid(trial->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (why != NULL)
        return xstrdup(why);
    if (is_whole(trial))
        return NULL;
    if (WIFSIGNALED(status))
        return xprintf("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return xprintf("exit status %d", WEXITSTATUS(status));
}

enum fork_side fork_try(const struct fork_limits *limits, struct buffer *answer, char **ret_death,
                        int *ret_line, struct error *err)
{
    struct trial trial = {.bytes_max = limits->answer_bytes, .answer = answer};
    size_t size = size_now();
    pid_t parent = getpid();
    int ends[2];

    if (pipe(ends) != 0) {
        (void)error_set(err, ERROR_IO, "pipe: %s", strerror(errno));
        return FORK_FAILED;
    }
    (void)fflush(NULL);
    trial.pid = fork();
    if (trial.pid < 0) {
        (void)error_set(err, ERROR_IO, "fork: %s", strerror(errno));
        (void)close(ends[0]);
        (void)close(ends[1]);
        return FORK_FAILED;
    }
    if (trial.pid == 0) {
        fork_end_with(parent);
        (void)close(ends[0]);
        set_limits(size, limits->memory_bytes);
        *ret_line = ends[1];
        return FORK_COPY;
    }
    (void)close(ends[1]);
    trial.line = ends[0];
    trial.due_us = real_clock_us() + limits->real_us;
    *ret_death = bury(&trial, listen_to(&trial));
    (void)close(ends[0]);
    return FORK_TRIED;
}
