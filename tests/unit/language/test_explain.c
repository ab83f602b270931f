/* What the tables of keys say of themselves, and how it is told. */
#include "scenarios/language/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/yaml.h"

#define TEXT_BYTES_MAX 65536
/** Room for the struct of any table. */
#define ITEM_BYTES 4096

static void fail_key(const struct explained *at, const char *what)
{
    struct buffer path = BUFFER_INIT(TEXT_BYTES_MAX);

    explain_append_path(at, &path);
    fail_msg("%s: %s", buffer_text(&path), what);
}

static void check_is_described(void *arg, const struct explained *at)
{
    const struct key *key = at->keys[at->depth - 1];

    ++*(size_t *)arg;
    if (key->help == NULL || key->help[strlen(key->help) - 1] != '.')
        fail_key(at, "needs a help: a sentence with its full stop");
    if (key->example == NULL)
        fail_key(at, "needs an example");
    if (!key->required && key->action == 0 && key->fallback == NULL && key->unless == NULL)
        fail_key(at, "needs a fallback or an unless: what holds without it");
    if (key->fallback != NULL && key->unless != NULL)
        fail_key(at, "has a fallback and an unless");
    if (key->type == VALUE_CUSTOM && key->shape == NULL)
        fail_key(at, "needs a shape");
    if (key->type == VALUE_CUSTOM && key->read != NULL && key->form == FORM_ANYTHING)
        fail_key(at, "needs a form");
}

static void test_every_key_is_described(void **state)
{
    size_t count = 0;

    (void)state;
    explain_each(check_is_described, &count);
    assert_true(count > 100);
}

/** A key alone, as its table reads it. */
static void check_example(void *arg, const struct explained *at)
{
    const struct key_table *table = at->tables[at->depth - 1];
    struct key key = *at->keys[at->depth - 1];
    struct key_table alone = {
        .what = table->what, .keys = &key, .key_count = 1, .size = ITEM_BYTES};
    struct arena arena = {0};
    struct problems problems = {0};
    struct reader reader = {.arena = &arena, .problems = &problems};
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    char *text = xprintf("%s: %s\n", key.name, key.example);
    char item[ITEM_BYTES] = {0};

    (void)arg;
    if (!yaml_parse(text, strlen(text), TEXT_BYTES_MAX, &document, NULL, NULL, &err))
        fail_key(at, err.text);
    else if (!(key.type == VALUE_CUSTOM && key.read == NULL) &&
             !(key.type == VALUE_MAPPING && key.table->size == 0) &&
             !read_mapping(&reader, yaml_root(document), &alone, item))
        fail_key(at, problems.items[0].text);
    yaml_free(document);
    problems_release(&problems);
    arena_release(&arena);
    free(text);
}

static void test_every_example_is_good(void **state)
{
    (void)state;
    explain_each(check_example, NULL);
}

static const struct row {
    const char *path;
    const char *wanted; /* NULL: none, and */
    const char *error;
} rows[] = {
    {"steps.wait",
     "steps.wait: an expectation or a list of them\n"
     "  Goes on once all of this holds; fails after 'within'.\n"
     "  example: wait: {kind: Agent, name: hello, status: {phase: Running}}\n"
     "  keys of an expectation: kind, server, apiVersion, namespace, name, count, absent, "
     "mayChange; and the fields "
     "of the object, as far as they matter\n",                                               NULL                                                      },
    {"wait",                     "steps.wait: an expectation",                               NULL                                                      },
    {"settle",                   "  unless said: 45m\n  example: settle: 10m\n",             NULL                                                      },
    {"steps.within",             "  unless said: 10m\n",                                     NULL                                                      },
    {"description",              "  must be there\n",                                        NULL                                                      },
    {"pods.exit",                "pods.exit: an integer from 0 to 255\n",                    NULL                                                      },
    {"pods.ending",              "one of exit, hang, oom, evict, image-pull, unschedulable", NULL                                                      },
    {"faults.do.delay",          "faults.do.delay: a duration such as 30s",                  NULL                                                      },
    {"faults.do.crash",          "  Kills this process at once.\n",                          NULL                                                      },
    {"steps.fault.do.stale.age", "steps.fault.do.stale.age: a duration",                     NULL                                                      },
    {"faults.match",             "  keys of a match: caller, ",                              NULL                                                      },
    {"skew",                     "controllers.clocks.skew: a duration",                      NULL                                                      },
    {"stpes.wait",               NULL,                                                       "there is no key 'stpes.wait'; did you mean 'steps.wait'?"},
    {"wiat",                     NULL,                                                       "there is no key 'wiat'; did you mean 'wait'?"            },
    {"",                         NULL,                                                       "there is no key ''"                                      },
    {".",                        NULL,                                                       "there is no key '.'"                                     },
    {"wait.",                    NULL,                                                       "there is no key 'wait.'"                                 },
    {"a.b.c.d.e.f.g.h",          NULL,                                                       "there is no key 'a.b.c.d.e.f.g.h'"                       },
    {"a.b.c.d.e.f.g.h.i",        NULL,                                                       "there is no key 'a.b.c.d.e.f.g.h.i'"                     },
    {"faults.do.stale.age.of",   NULL,                                                       "there is no key 'faults.do.stale.age.of'"                },
};

static void test_a_key_is_told_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
        struct error err = ERROR_INIT;
        bool found = explain_append(row->path, &text, &err);

        if (found != (row->wanted != NULL))
            fail_msg("%s: %s", row->path, found ? buffer_text(&text) : err.text);
        if (found && strstr(buffer_text(&text), row->wanted) == NULL)
            fail_msg("%s: told\n%swanted\n%s", row->path, buffer_text(&text), row->wanted);
        if (!found && strncmp(err.text, row->error, strlen(row->error)) != 0)
            fail_msg("%s: %s", row->path, err.text);
        buffer_release(&text);
    }
}

static void test_a_name_of_many_places_is_told_of_at_each(void **state)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(explain_append("for", &text, &err));
    assert_non_null(strstr(buffer_text(&text), "steps.for: "));
    assert_non_null(strstr(buffer_text(&text), "\n\nsteps.for: "));
    assert_non_null(strstr(buffer_text(&text), "faults.do.for: "));
    buffer_release(&text);
}

static void test_the_list_has_every_key_once(void **state)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    const char *first;

    (void)state;
    explain_list(&text);
    first = strstr(buffer_text(&text), "steps.wait ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "steps.wait "));
    assert_null(strstr(buffer_text(&text), "steps.assert.kind"));
    assert_memory_equal(buffer_text(&text), "description", strlen("description"));
    buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_described),
        cmocka_unit_test(test_every_example_is_good),
        cmocka_unit_test(test_a_key_is_told_of),
        cmocka_unit_test(test_a_name_of_many_places_is_told_of_at_each),
        cmocka_unit_test(test_the_list_has_every_key_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
