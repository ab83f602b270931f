/* Copies of this process: what they tell, how they die, and that nothing of it stays. */
#include "scenarios/workers/fork.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "tests/unit/rows.h"

#define ANSWER_BYTES 100000
#define MEMORY_BYTES ((size_t)64 * 1024 * 1024)

enum deed { TELLS, TELLS_MUCH, TELLS_TOO_MUCH, TELLS_NOTHING, DIES, LEAVES, HANGS, EATS };

static const struct row {
    const char *name;
    enum deed deed;
    const char *death; /* what is in it; NULL: it told all */
    size_t size;
} rows[] = {
    {"tells its answer",             TELLS,          NULL,                     6           },
    {"tells as much as it may",      TELLS_MUCH,     NULL,                     ANSWER_BYTES},
    {"tells one byte more",          TELLS_TOO_MUCH, "its answer is too long", 0           },
    {"has nothing to tell",          TELLS_NOTHING,  NULL,                     0           },
    {"is killed",                    DIES,           "signal 9 (Killed)",      0           },
    {"leaves without a word",        LEAVES,         "exit status 7",          0           },
    {"eats more memory than it may", EATS,           "",                       0           },
    {"does not end",                 HANGS,          "it did not end in time", 0           },
};

static void act(enum deed deed, int line)
{
    static const char
        much[ANSWER_BYTES + 1]; /* on no heap: a checker of leaks counts in a copy, too */

    switch (deed) {
    case TELLS:
        fork_end(line, "hello\n", 6);
    case TELLS_MUCH:
        fork_end(line, much, ANSWER_BYTES);
    case TELLS_TOO_MUCH:
        fork_end(line, much, ANSWER_BYTES + 1);
    case TELLS_NOTHING:
        fork_end(line, NULL, 0);
    case DIES:
        (void)raise(SIGKILL);
        break;
    case LEAVES:
        _exit(7);
    case HANGS:
        for (;;)
            (void)pause();
    case EATS:
        free(xrealloc(NULL, MEMORY_BYTES + 1)); /* where a sanitizer allows it, it leaves */
        break;
    }
    _exit(1);
}

static void test_copy(void **state)
{
    const struct row *row = *state;
    const struct fork_limits limits = {row->deed == HANGS ? 100000 : 60000000, MEMORY_BYTES,
                                       ANSWER_BYTES};
    struct buffer answer = BUFFER_INIT(2 * ANSWER_BYTES);
    struct error err = ERROR_INIT;
    char *death = NULL;
    int line = -1;
    enum fork_side side = fork_try(&limits, &answer, &death, &line, &err);

    if (side == FORK_COPY)
        act(row->deed, line);
    assert_int_equal(side, FORK_TRIED);
    if (row->death == NULL) {
        assert_null(death);
        assert_int_equal(answer.size, row->size);
    } else {
        assert_non_null(death);
        assert_non_null(strstr(death, row->death));
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing of it is left */
    free(death);
    buffer_release(&answer);
}

int main(void)
{
    return ROWS_RUN(rows, test_copy);
}
