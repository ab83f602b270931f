/* Programs as live_main() runs them, each in a child process: what they print, what they end with,
 * and how signals end them. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
        status = live_main(program, word == NULL ? 1 : 2, arguments);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_stop_in_start),
        cmocka_unit_test(test_signal_without_handler),
        cmocka_unit_test(test_signal_with_handler),
        cmocka_unit_test(test_second_signal_ends_a_stuck_program),
        cmocka_unit_test(test_output_to_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
