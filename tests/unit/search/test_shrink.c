/* Shrinking, with a stand-in for the runs: what comes out, and what it may cost. */
#include "scenarios/search/shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/search/document.h"

#define TEXT_BYTES_MAX ((size_t)1024 * 1024)

/** A text fails while it holds all of these. */
struct stand_in {
    const char *const *needed; /* ended by NULL */
    size_t runs;
    size_t steps_forward;
    size_t stop_at; /* runs after which it wants no more; 0: never */
};

static bool fails(const struct stand_in *stand_in, const char *text)
{
    if (!text_starts_with(text, "description: d\n"))
        return false;
    for (const char *const *at = stand_in->needed; *at != NULL; at++) {
        if (strstr(text, *at) == NULL)
            return false;
    }
    return true;
}

static bool first(void *arg, const char *const *texts, size_t count, size_t *ret_index,
                  char **ret_kills)
{
    struct stand_in *stand_in = arg;

    assert_true(count > 0 && count <= SHRINK_TEXTS_MAX);
    *ret_kills = NULL;
    for (size_t i = 0; i < count; i++) {
        if (stand_in->stop_at > 0 && stand_in->runs == stand_in->stop_at)
            return false;
        stand_in->runs++;
        if (fails(stand_in, texts[i])) {
            *ret_index = i;
            return true;
        }
    }
    *ret_index = count;
    return true;
}

static void better(void *arg, const struct json_object *tree, size_t trials)
{
    struct stand_in *stand_in = arg;
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);

    document_append(&text, tree, NULL);
    assert_true(fails(stand_in, buffer_text(&text)));
    assert_int_equal(trials, stand_in->runs);
    stand_in->steps_forward++;
    buffer_release(&text);
}

static enum shrink_end run(struct stand_in *stand_in, const char *text, size_t trials_max,
                           char **ret_text)
{
    const struct shrink_host host = {first, better, stand_in};
    struct shrink_result result;
    struct json_object *tree = NULL;
    struct buffer written = BUFFER_INIT(TEXT_BYTES_MAX);
    size_t size;

    assert_true(document_read(text, strlen(text), &tree, NULL));
    shrink(tree, NULL, false, trials_max, &host, &result);
    document_append(&written, result.tree, NULL);
    *ret_text = buffer_take(&written, &size);
    assert_int_equal(result.trials, stand_in->runs);
    json_object_put(result.tree);
    json_object_put(tree);
    return result.end;
}

#define LARGE                                                                                      \
    "description: d\n"                                                                             \
    "seed: 77\n"                                                                                   \
    "controllers: {replicas: 3}\n"                                                                 \
    "objects:\n"                                                                                   \
    "- {kind: Station, name: a, spec: {x: 12, y: [1, 2, 3]}}\n"                                    \
    "- {kind: Station, name: b, spec: {x: 12, y: [1, 2, 3]}}\n"                                    \
    "faults:\n"                                                                                    \
    "- {match: {peer: ctl-0}, when: {probability: 0.5}, do: {refuse: true}}\n"                     \
    "- {match: {peer: ctl-1}, do: {delay: 20s}}\n"                                                 \
    "steps:\n"                                                                                     \
    "- {at: 20s, apply: {kind: Agent, name: \"q-{index}\", count: 18}}\n"                          \
    "- {at: 30s, crash: ctl-0}\n"                                                                  \
    "- {at: 40s, crash: ctl-1}\n"                                                                  \
    "- advance: 50s\n"

static const struct {
    const char *name;
    const char *needed[8];
    const char *want;
} rows[] = {
    {"nothing needed",                              {NULL},           "description: d\n"         },
    {"one step",
     {"\n- {at: 40s, crash: ctl-1", NULL},
     "description: d\nsteps:\n- {at: 40s, crash: ctl-1}\n"                                       },
    {"a fault and an object, with what holds them",
     {"delay: ", "steps:", "kind: Agent", "name: ", "t: 1", NULL},
     "description: d\nfaults:\n- do: {delay: 0s}\nsteps:\n- apply: {kind: Agent, name: "
     "\"q-{index}\", count: 1}\n"                                                                },
    {"a number, made smaller",
     {"replicas: ", NULL},
     "description: d\ncontrollers: {replicas: 0}\n"                                              },
    {"a smaller seed",                              {"seed: ", NULL}, "description: d\nseed: 2\n"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* what the edits lead to need not be there at the beginning */
        struct stand_in stand_in = {.needed = rows[i].needed};
        char *text;

        assert_int_equal(run(&stand_in, LARGE, 100000, &text), SHRINK_DONE);
        if (strcmp(text, rows[i].want) != 0)
            fail_msg("%s: got\n%s", rows[i].name, text);
        if (stand_in.runs > 1500)
            fail_msg("%s: %zu runs", rows[i].name, stand_in.runs);
        free(text);
    }
}

/* Without any one line it fails no more, or is no scenario. */
static void test_no_line_can_go(void **state)
{
    static const char *const needed[] = {"kind: Station", "name: b", "peer: ctl-0",
                                         "crash: ctl-1",  "advance", NULL};
    struct stand_in stand_in = {.needed = needed};
    char *text;

    (void)state;
    assert_int_equal(run(&stand_in, LARGE, 100000, &text), SHRINK_DONE);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        struct json_object *tree = NULL;
        char *without = xprintf("%.*s%s", (int)(line - text), text, line + strcspn(line, "\n") + 1);

        if (fails(&stand_in, without) && !text_starts_with(line, "description") &&
            document_read(without, strlen(without), &tree, NULL))
            fail_msg("can still go from\n%s: %.*s", text, (int)strcspn(line, "\n"), line);
        json_object_put(tree);
        free(without);
    }
    free(text);
}

static void test_so_many_runs(void **state)
{
    static const char *const needed[] = {"crash: ctl-1", NULL};
    size_t enough;
    char *text;
    struct stand_in all = {.needed = needed};

    (void)state;
    assert_int_equal(run(&all, LARGE, SIZE_MAX, &text), SHRINK_DONE);
    enough = all.runs;
    free(text);
    for (size_t less = 0; less < 2; less++) {
        struct stand_in stand_in = {.needed = needed};

        assert_int_equal(run(&stand_in, LARGE, enough - less, &text),
                         less == 0 ? SHRINK_DONE : SHRINK_EXHAUSTED);
        assert_int_equal(stand_in.runs, enough - less);
        free(text);
    }
}

/* What was found until then is the outcome. */
static void test_stopped(void **state)
{
    static const char *const needed[] = {"crash: ctl-1", NULL};
    struct stand_in stand_in = {.needed = needed, .stop_at = 5};
    char *text;

    (void)state;
    assert_int_equal(run(&stand_in, LARGE, 1000, &text), SHRINK_STOPPED);
    assert_true(stand_in.steps_forward > 0);
    assert_true(strlen(text) < strlen(LARGE) && fails(&stand_in, text));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_no_line_can_go),
        cmocka_unit_test(test_so_many_runs),
        cmocka_unit_test(test_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
