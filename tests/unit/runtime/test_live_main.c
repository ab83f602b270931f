/* Programs as live_main() runs them, each in a child process: what they print, what they end with,
 * and how signals end them. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/runtime/live.h"

#define OUTPUT_BYTES 4096
#define CHILD_SECONDS 20 /* then it hangs */
#define LOG_LINES 4000   /* more than a pipe holds */
#define LOG_BYTES (1024 * 1024)
#define LOG_PAUSE_US (500 * 1000)

struct child {
    pid_t pid;
    int out; /* its standard output and error */
    char output[OUTPUT_BYTES];
    size_t size;
};

static void child_start(struct child *child, const struct program *program, const char *word)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    *child = (struct child){.out = ends[0]};
    child->pid = fork();
    assert_true(child->pid >= 0);
    if (child->pid == 0) {
        char name[] = "program";
        char *text = xstrdup(word);
        char *arguments[] = {name, text, NULL};
        int status;

        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        status = live_main(program, NULL, word == NULL ? 1 : 2, arguments);
        free(text);
        _exit(status);
    }
    close(ends[1]);
}

/* Reads until that was printed, or the end. */
static void child_read(struct child *child, const char *text)
{
    ssize_t size = 1;

    while (size > 0 && (text == NULL || strstr(child->output, text) == NULL)) {
        size = read(child->out, child->output + child->size, OUTPUT_BYTES - 1 - child->size);
        child->size += size > 0 ? (size_t)size : 0;
    }
}

static int child_end(struct child *child)
{
    int status = 0;

    child_read(child, NULL);
    close(child->out);
    assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* --- programs --- */

struct root {
    struct runtime *rt;
    bool patient;
};

static void say(struct runtime *rt, const char *text)
{
    runtime_print(rt, text, strlen(text));
}

static void on_signal(void *arg)
{
    struct root *root = arg;

    say(root->rt, "signal\n");
    while (root->patient) /* a callback that never returns */
        pause();
    runtime_stop(root->rt, 4);
}

static void on_turn(void *arg)
{
    struct root *root = arg;

    say(root->rt, "ready\n");
}

/* More than a pipe holds, then one line when there is room again. */
static void on_room(void *arg)
{
    static const struct log_record record = {.level = LOG_INFO, .message = "after"};

    runtime_log(arg, &record);
    runtime_stop(arg, 0);
}

static void log_much(struct runtime *rt)
{
    static const struct log_record record = {.level = LOG_INFO, .message = "before"};

    for (unsigned i = 0; i < LOG_LINES; i++)
        runtime_log(rt, &record);
    say(rt, "logged\n");
    (void)runtime_after(rt, LOG_PAUSE_US, on_room, rt);
}

static bool start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                  struct error *err)
{
    const char *word = argc < 2 ? "" : argv[1];
    struct root *root;

    if (text_equal(word, "refuse"))
        return error_set(err, ERROR_USAGE, "refuse: not a flag");
    root = xcalloc(1, sizeof(*root));
    root->rt = rt;
    root->patient = text_equal(word, "stuck");
    if (text_equal(word, "stop")) {
        say(rt, "stopping\n");
        runtime_stop(rt, 3);
        runtime_stop(rt, 9); /* the first word counts */
    }
    if (text_equal(word, "print")) {
        say(rt, "bytes\n");
        runtime_stop(rt, 0);
    }
    if (text_equal(word, "log"))
        log_much(rt);
    if (text_equal(word, "handle") || root->patient)
        runtime_on_signal(rt, on_signal, root);
    (void)runtime_after(rt, 0, on_turn, root);
    *ret_root = root;
    return true;
}

static void free_root(void *root)
{
    free(root);
}

static const struct program program = {"program", start, free_root};

/* --- tests --- */

static void test_bad_usage(void **state)
{
    struct child child;

    (void)state;
    child_start(&child, &program, "refuse");
    assert_int_equal(child_end(&child), 2);
    assert_string_equal(child.output, "program: refuse: not a flag\n");
}

static void test_stop_in_start(void **state)
{
    struct child child;

    (void)state;
    child_start(&child, &program, "stop");
    assert_int_equal(child_end(&child), 3);
    assert_string_equal(child.output, "stopping\n");
}

static void test_signal_without_handler(void **state)
{
    static const int numbers[] = {SIGTERM, SIGINT};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        struct child child;

        child_start(&child, &program, NULL);
        child_read(&child, "ready");
        kill(child.pid, numbers[i]);
        assert_int_equal(child_end(&child), 0);
    }
}

static void test_signal_with_handler(void **state)
{
    struct child child;

    (void)state;
    child_start(&child, &program, "handle");
    child_read(&child, "ready");
    kill(child.pid, SIGINT);
    assert_int_equal(child_end(&child), 4);
    assert_string_equal(child.output, "ready\nsignal\n");
}

static void test_second_signal_ends_a_stuck_program(void **state)
{
    static const int numbers[] = {SIGTERM, SIGINT};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        struct child child;

        child_start(&child, &program, "stuck");
        child_read(&child, "ready");
        kill(child.pid, SIGTERM);
        child_read(&child, "signal");
        kill(child.pid, numbers[i]);
        assert_int_equal(child_end(&child), 128 + numbers[i]);
    }
}

static void test_output_to_nobody(void **state)
{
    struct child child;

    (void)state;
    child_start(&child, &program, "handle");
    child_read(&child, "ready");
    close(child.out); /* SIGPIPE ends no program of ours */
    child.out = open("/dev/null", O_RDONLY);
    kill(child.pid, SIGTERM);
    assert_int_equal(child_end(&child), 4);
}

/* Runs the program with its streams replaced; what it writes to standard error goes to err. */
static int run_with(const char *word, const char *out, int err, unsigned closed)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        char name[] = "program";
        char *text = xstrdup(word);
        char *arguments[] = {name, text, NULL};

        dup2(open(out, O_WRONLY), STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        for (int fd = 0; fd <= 2; fd++)
            if (closed & 1U << fd)
                close(fd);
        alarm(CHILD_SECONDS);
        status = live_main(&program, NULL, 2, arguments);
        free(text);
        _exit(status);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void test_output_that_cannot_be_written(void **state)
{
    static const char want[] = "program: standard output: No space left on device\n";
    char text[256] = "";
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(run_with("print", "/dev/full", ends[1], 0), 2);
    close(ends[1]);
    assert_int_equal(read(ends[0], text, sizeof(text) - 1), sizeof(want) - 1);
    assert_string_equal(text, want);
    close(ends[0]);
}

static void test_closed_streams(void **state)
{
    int null = open("/dev/null", O_WRONLY);

    (void)state;
    for (unsigned closed = 0; closed < 8; closed++) {
        assert_int_equal(run_with("print", "/dev/null", null, closed), 0);
        assert_int_equal(run_with("log", "/dev/null", null, closed), 0);
        assert_int_equal(run_with("refuse", "/dev/null", null, closed), 2);
    }
    close(null);
}

/* Nobody reads standard error: the program goes on all the same. */
static void test_stuck_log(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(run_with("log", "/dev/null", ends[1], 0), 0);
    assert_int_equal(run_with("refuse", "/dev/null", ends[1], 0), 2);
    close(ends[0]);
    close(ends[1]);
}

/* Lines, and the number of those that a line says were dropped, are all that were logged. */
static void test_dropped_lines_are_counted(void **state)
{
    char *text = xcalloc(1, LOG_BYTES);
    unsigned long dropped = 0;
    unsigned lines = 0;
    const char *at;
    size_t size = 0;
    ssize_t more = 1;
    char path[32];
    char said[16] = "";
    int out[2];
    int ends[2];
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", out[1]);
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        _exit(run_with("log", path, ends[1], 0));
    }
    close(out[1]);
    close(ends[1]);
    assert_int_equal(read(out[0], said, 7), 7); /* a reader that comes late */
    assert_string_equal(said, "logged\n");
    close(out[0]);
    while (more > 0) {
        more = read(ends[0], text + size, LOG_BYTES - 1 - size);
        size += more > 0 ? (size_t)more : 0;
    }
    close(ends[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    for (at = strstr(text, " before\n"); at != NULL; at = strstr(at + 1, " before\n"))
        lines++;
    at = strstr(text, "log lines dropped lines=");
    assert_non_null(at);
    dropped = strtoul(strchr(at, '=') + 1, NULL, 10);
    assert_true(lines > 0 && dropped > 0);
    assert_int_equal(lines + dropped, LOG_LINES);
    assert_non_null(strstr(at, " after\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_stop_in_start),
        cmocka_unit_test(test_signal_without_handler),
        cmocka_unit_test(test_signal_with_handler),
        cmocka_unit_test(test_second_signal_ends_a_stuck_program),
        cmocka_unit_test(test_output_to_nobody),
        cmocka_unit_test(test_output_that_cannot_be_written),
        cmocka_unit_test(test_closed_streams),
        cmocka_unit_test(test_stuck_log),
        cmocka_unit_test(test_dropped_lines_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
