/* live_process - what belongs to the process: its settings, signals, lines and log. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/runtime/live_internal.h"

#define LOG_LINE_BYTES_MAX (64 * 1024)
#define INPUT_LINE_BYTES_MAX (1024 * 1024)
#define INPUT_READ_BYTES 4096

/* From the kernel many at a time: a request takes several. None is kept once it is given out. */
uint64_t live_random(struct runtime *rt)
{
    struct live_randoms *randoms = &live_of(rt)->randoms;
    uint64_t value;

    if (randoms->count == 0) {
        /* The kernel gives up to 256 bytes whole. */
        if (getrandom(randoms->values, sizeof(randoms->values), 0) !=
            (ssize_t)sizeof(randoms->values))
            abort(); /* secrets are made of these: better none than weak ones */
        randoms->count = ARRAY_SIZE(randoms->values);
    }
    value = randoms->values[--randoms->count];
    randoms->values[randoms->count] = 0;
    return value;
}

const char *live_setting(struct runtime *rt, const char *name)
{
    (void)rt;
    return getenv(name);
}

/* All of it, also to a pipe that somebody made non-blocking. False when nobody takes it. */
static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        struct pollfd room = {.fd = fd, .events = POLLOUT};

        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* What is taken at once, so that nobody who does not read holds the program up. A pipe that shows
 * room takes PIPE_BUF bytes without blocking; its flags are not ours, other processes share them.
 */
static size_t write_ready(int fd, const char *bytes, size_t size)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    size_t done = 0;

    while (done < size && poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0) {
        size_t piece = size - done < PIPE_BUF ? size - done : PIPE_BUF;
        ssize_t written = write(fd, bytes + done, piece);

        if (written <= 0)
            break;
        done += (size_t)written;
    }
    return done;
}

void live_open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            abort(); /* the lowest free descriptor is this one: without /dev/null nothing is safe */
}

void live_complain(struct live_runtime *live, const char *text)
{
    struct buffer line = BUFFER_INIT(LOG_LINE_BYTES_MAX);

    if (live->name != NULL)
        buffer_append_format(&line, "%s: ", live->name);
    buffer_append_format(&line, "%s\n", text);
    (void)write_ready(STDERR_FILENO, buffer_text(&line), line.size); /* there is no other place */
    buffer_release(&line);
}

void live_print(struct runtime *rt, const void *bytes, size_t size)
{
    struct live_runtime *live = live_of(rt);
    char text[256];

    if (write_all(STDOUT_FILENO, bytes, size) || live->print_failed)
        return;
    live->print_failed = true;
    snprintf(text, sizeof(text), "standard output: %s", strerror(errno));
    live_complain(live, text);
}

/* --- log --- */

void live_log_configure(struct runtime *rt, enum log_level level, bool json)
{
    live_of(rt)->log_level = level;
    live_of(rt)->log_json = json;
}

/* False when the line was not taken whole. */
static bool write_record(struct live_runtime *live, const struct log_record *record)
{
    struct buffer line = BUFFER_INIT(LOG_LINE_BYTES_MAX);
    int64_t now_us = runtime_wall_us(&live->base);
    char text[TIME_TEXT_SIZE];
    size_t written;
    bool whole;

    if (live->line_broken)
        buffer_append_char(&line, '\n');
    if (live->log_json) {
        log_append_json(&line, record, now_us);
    } else {
        time_format_micro(now_us, text);
        buffer_append_format(&line, "%s %s ", text, log_level_name(record->level));
        log_append_text(&line, record);
    }
    buffer_append_char(&line, '\n');
    written = write_ready(STDERR_FILENO, buffer_text(&line), line.size);
    whole = written == line.size;
    if (written > 0)
        live->line_broken = !whole;
    buffer_release(&line);
    return whole;
}

static void write_or_drop(void *arg, const struct log_record *record)
{
    struct live_runtime *live = arg;
    const struct log_field fields[] = {LOG_NUMBER("lines", live->lines_dropped)};
    const struct log_record dropped = {.level = LOG_WARN,
                                       .message = "log lines dropped",
                                       .fields = fields,
                                       .field_count = ARRAY_SIZE(fields)};

    if (live->lines_dropped > 0 && write_record(live, &dropped))
        live->lines_dropped = 0;
    if (live->lines_dropped > 0 || !write_record(live, record))
        live->lines_dropped++;
}

void live_log(struct runtime *rt, const struct log_record *record)
{
    struct live_runtime *live = live_of(rt);

    if (record->level >= live->log_level)
        log_limit_pass(&live->log_limit, record, live_elapsed_us(), write_or_drop, live);
}

/* --- signals --- */

/* From the first one on the kernel itself ends the process: no stuck callback can hold it up. */
static void end_at_once(int number)
{
    _exit(128 + number);
}

static void run_signal(struct live_task *task)
{
    struct live_runtime *live =
        (struct live_runtime *)((char *)task - offsetof(struct live_runtime, signals.task));

    if (live->signals.fn == NULL)
        runtime_stop(&live->base, 0);
    else
        live->signals.fn(live->signals.arg);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct live_runtime *live = handle->data;
    struct sigaction second = {.sa_handler = end_at_once};

    if (live->signals.seen++ > 0)
        end_at_once(number); /* it came before the handler below was set */
    sigaction(SIGTERM, &second, NULL);
    sigaction(SIGINT, &second, NULL);
    live_task_add(live, &live->signals.task);
}

void live_signals_start(struct live_runtime *live)
{
    static const int numbers[] = {SIGTERM, SIGINT};

    live->signals.task.run = run_signal;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        uv_signal_t *handle = xcalloc(1, sizeof(*handle));

        handle->data = live;
        uv_signal_init(&live->loop, handle);
        uv_signal_start(handle, on_signal, numbers[i]);
        live->signals.handles[i] = handle;
    }
}

void live_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg)
{
    live_of(rt)->signals.fn = fn;
    live_of(rt)->signals.arg = arg;
}

/* The parent's end makes its descriptor readable, once and for all. */
static void on_parent_exit(void *arg, int events)
{
    struct live_runtime *live = arg;

    (void)events;
    live_poll_watch(live->signals.parent_poll, 0);
    if (live->signals.seen == 0)
        raise(SIGTERM);
}

void live_follow_parent(struct runtime *rt)
{
    struct live_runtime *live = live_of(rt);
    pid_t parent = getppid();
    int fd = pidfd_open(parent, 0);

    if (fd < 0 || getppid() != parent) { /* it ended in between */
        if (fd >= 0)
            close(fd);
        raise(SIGTERM);
        return;
    }
    live->signals.parent = fd;
    live->signals.parent_poll = live_poll_new(live, fd, on_parent_exit, live);
    live_poll_watch(live->signals.parent_poll, UV_READABLE);
}

static void release_parent(struct live_runtime *live)
{
    live_poll_free(live->signals.parent_poll);
    if (live->signals.parent > 0)
        close(live->signals.parent);
}

static void on_signal_closed(uv_handle_t *handle)
{
    free(handle);
}

/* --- standard input --- */

struct live_lines {
    struct live_runtime *live;
    void (*fn)(void *arg, const char *line);
    void *arg;
    struct live_poll *poll; /* NULL: a file, read at every turn */
    struct live_task task;
    struct buffer bytes;
    int flags; /* of the descriptor before it was watched; it is shared with other processes */
    bool ended;
};

/* Calls fn for the first whole line. False when there is none. */
static bool deliver_line(struct live_lines *lines)
{
    char *end = lines->bytes.size == 0 ? NULL : memchr(lines->bytes.bytes, '\n', lines->bytes.size);
    char *line;

    if (end == NULL && !(lines->ended && lines->bytes.size > 0))
        return false;
    line = xmemdup(lines->bytes.bytes,
                   end == NULL ? lines->bytes.size : (size_t)(end - lines->bytes.bytes));
    buffer_drop(&lines->bytes,
                end == NULL ? lines->bytes.size : (size_t)(end - lines->bytes.bytes) + 1);
    lines->fn(lines->arg, line);
    free(line);
    return true;
}

static void read_input(struct live_lines *lines)
{
    static const struct log_record too_long = {.level = LOG_ERROR,
                                               .message = "line of standard input too long"};
    char bytes[INPUT_READ_BYTES];
    ssize_t size = read(STDIN_FILENO, bytes, sizeof(bytes));

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0)
        buffer_append(&lines->bytes, bytes, (size_t)size);
    if (lines->bytes.overflowed) {
        live_log(&lines->live->base, &too_long);
        buffer_clear(&lines->bytes);
        size = 0;
    }
    lines->ended = size <= 0;
}

static void run_lines(struct live_task *task)
{
    struct live_lines *lines =
        (struct live_lines *)((char *)task - offsetof(struct live_lines, task));

    if (!lines->ended)
        read_input(lines);
    while (!lines->live->stopped && deliver_line(lines))
        ;
    if (lines->live->stopped)
        return;
    if (lines->ended) {
        if (lines->poll != NULL)
            live_poll_watch(lines->poll, 0);
        lines->fn(lines->arg, NULL);
    } else if (lines->poll == NULL) {
        live_task_add(lines->live, task);
    } else {
        live_poll_watch(lines->poll, UV_READABLE);
    }
}

static void on_input(void *arg, int events)
{
    struct live_lines *lines = arg;

    (void)events;
    live_poll_watch(lines->poll, 0);
    live_task_add(lines->live, &lines->task);
}

void live_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line), void *arg)
{
    struct live_runtime *live = live_of(rt);
    struct live_lines *lines;

    if (live->lines != NULL)
        return; /* one reader */
    lines = xcalloc(1, sizeof(*lines));
    live->lines = lines;
    lines->live = live;
    lines->fn = fn;
    lines->arg = arg;
    lines->bytes = BUFFER_INIT(INPUT_LINE_BYTES_MAX);
    lines->task.run = run_lines;
    lines->flags = fcntl(STDIN_FILENO, F_GETFL);
    lines->poll = live_poll_new(live, STDIN_FILENO, on_input, lines);
    if (lines->poll == NULL)
        live_task_add(live, &lines->task);
    else
        live_poll_watch(lines->poll, UV_READABLE);
}

void live_process_release(struct live_runtime *live)
{
    struct live_lines *lines = live->lines;

    for (size_t i = 0; i < ARRAY_SIZE(live->signals.handles); i++)
        uv_close((uv_handle_t *)live->signals.handles[i], on_signal_closed);
    live_task_drop(live, &live->signals.task);
    release_parent(live);
    if (lines == NULL)
        return;
    live_poll_free(lines->poll);
    if (lines->flags >= 0)
        (void)fcntl(STDIN_FILENO, F_SETFL, lines->flags);
    live_task_drop(live, &lines->task);
    buffer_release(&lines->bytes);
    free(lines);
}
