/* Scenarios as trees: the form of what is written, and that it reads back equal. */
#include "scenarios/search/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/prng.h"
#include "scenarios/language/scenario.h"

#define TEXT_BYTES_MAX ((size_t)1024 * 1024)

static struct json_object *read(const char *text)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!document_read(text, strlen(text), &tree, &err))
        fail_msg("%s: %s", text, err.text);
    return tree;
}

static void check_reads_back(const struct json_object *tree, const char *comment)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct json_object *again;

    document_append(&text, tree, comment);
    again = read(buffer_text(&text));
    if (!json_equal(tree, again))
        fail_msg("reads back otherwise: %s", buffer_text(&text));
    json_object_put(again);
    buffer_release(&text);
}

static const struct {
    const char *name;
    const char *text;
    const char *comment;
    const char *want;
} rows[] = {
    {"scalars",                                    "a: one\nb: \"1\"\nc: 1\nd:\ne: true\nf: 2s\n",                                   NULL,
     "a: one\nb: \"1\"\nc: 1\nd: null\ne: true\nf: 2s\n"                                                                                                                                                                                           },
    {"a small mapping and a list of texts",        "controllers:\n  replicas: 3\ntags:\n- a\n- b\n",                                 NULL,
     "controllers: {replicas: 3}\ntags: [a, b]\n"                                                                                                                                                                                                  },
    {"each item of a list at the top in its line",
     "pods: [{agent: a, runs: 1s}, {exit: 1}]\nlinks: [[a]]\n",                                                                      NULL,
     "pods:\n- {agent: a, runs: 1s}\n- exit: 1\nlinks:\n- [a]\n"                                                                                                                                                                                   },
    {"steps",                                      "steps: [{apply: {kind: Agent, name: a}, within: 5s}, {at: 1s, crash: ctl-0}]\n",
     NULL,                                                                                                                                                      "steps:\n- {apply: {kind: Agent, name: a}, within: 5s}\n- {at: 1s, crash: ctl-0}\n"},
    {"a list within",
     "steps: [{apply: [{kind: Agent, name: a}, {kind: Agent, name: b}], answer: 409}]\n",                                            NULL,
     "steps:\n- apply:\n  - {kind: Agent, name: a}\n  - {kind: Agent, name: b}\n  answer: 409\n"                                                                                                                                                   },
    {"a list of one within",                       "objects: [{kind: Station, spec: {containers: [{name: a}]}}]\n",                  NULL,
     "objects:\n- {kind: Station, spec: {containers: [{name: a}]}}\n"                                                                                                                                                                              },
    {"what is too long for a line",
     "objects: [{kind: Station, spec: {a: \"0123456789 0123456789 0123456789 0123456789 "
     "01234567\", "
     "b: {c: \"0123456789 0123456789 0123456789 0123456789 01234567\"}}}]\n",                                                        NULL,
     "objects:\n- kind: Station\n  spec:\n"
     "    a: 0123456789 0123456789 0123456789 0123456789 01234567\n"
     "    b: {c: 0123456789 0123456789 0123456789 0123456789 01234567}\n"                                                                                                                                                                          },
    {"empty collections",                          "a: {}\nb: []\nc: [{}, []]\n",                                                    NULL,                      "a: {}\nb: []\nc: [{}, []]\n"                                                      },
    {"a comment",                                  "a: 1\n",                                                                         "what happens\n\nand how", "# what happens\n#\n# and how\na: 1\n"                                             },
    {"nothing at all",                             "{}\n",                                                                           "empty\n",                 "# empty\n{}\n"                                                                    },
};

static void test_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *tree = read(rows[i].text);
        struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);

        document_append(&text, tree, rows[i].comment);
        if (strcmp(buffer_text(&text), rows[i].want) != 0)
            fail_msg("%s: got\n%s", rows[i].name, buffer_text(&text));
        check_reads_back(tree, rows[i].comment);
        json_object_put(tree);
        buffer_release(&text);
    }
}

/* A line of as many columns as there may be, and of one more. */
static void test_width(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct json_object *tree = json_object_new_object();
        struct json_object *inner = json_object_new_object();
        struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
        char letters[DOCUMENT_COLUMNS] = "";

        memset(letters, 'x', DOCUMENT_COLUMNS - strlen("a: {b: }") + more);
        json_set_text(inner, "b", letters);
        json_set(tree, "a", inner);
        document_append(&text, tree, NULL);
        assert_int_equal(strcspn(buffer_text(&text), "\n"), more == 0 ? DOCUMENT_COLUMNS : 2);
        check_reads_back(tree, NULL);
        json_object_put(tree);
        buffer_release(&text);
    }
}

/* --- whatever the tree --- */

static struct json_object *make_text(struct prng *prng)
{
    static const char *const pieces[] = {"a", "B", "9", " ", ":", ",",  "#",  "-",  "?", "{",   "}",
                                         "[", "]", "*", "&", "|", ">",  "'",  "\"", "%", "@",   "`",
                                         "!", "=", "/", "^", ".", "\n", "\t", "é",  "~", "true"};
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct json_object *made;
    uint64_t count = prng_below(prng, prng_below(prng, 8) == 0 ? 60 : 6);

    for (uint64_t i = 0; i < count; i++)
        buffer_append_text(&text, pieces[prng_below(prng, ARRAY_SIZE(pieces))]);
    made = json_object_new_string(buffer_text(&text));
    buffer_release(&text);
    return made;
}

static struct json_object *make(struct prng *prng, unsigned depth)
{
    uint64_t what = prng_below(prng, depth == 0 ? 5 : 9);
    struct json_object *made = NULL;

    if (what < 2) {
        made = make_text(prng);
    } else if (what == 2) {
        made = json_object_new_int64((int64_t)prng_next(prng));
    } else if (what == 3) {
        made = json_object_new_boolean(prng_below(prng, 2) == 0);
    } else if (what > 4) {
        uint64_t count = prng_below(prng, 5);

        made = what < 7 ? json_object_new_array() : json_object_new_object();
        for (uint64_t i = 0; i < count; i++) {
            struct json_object *item = make(prng, depth - 1);

            if (what < 7) {
                json_add(made, item);
            } else {
                struct json_object *key = make_text(prng);

                json_set(made, json_object_get_string(key), item);
                json_object_put(key);
            }
        }
    }
    return made;
}

static void test_any_tree_reads_back(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    for (int i = 0; i < 3000; i++) {
        struct json_object *tree = json_object_new_object();
        uint64_t count = 1 + prng_below(&prng, 5);

        for (uint64_t k = 0; k < count; k++) {
            struct json_object *key = make_text(&prng);

            json_set(tree, json_object_get_string(key), make(&prng, 5));
            json_object_put(key);
        }
        check_reads_back(tree, "any tree");
        json_object_put(tree);
    }
}

static void test_refused(void **state)
{
    static const char *const texts[] = {"",    "# nothing\n", "- a\n",
                                        "a\n", "a: &x 1\n",   "a: 1\na: 2\n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct json_object *tree = NULL;
        struct error err = ERROR_INIT;

        if (document_read(texts[i], strlen(texts[i]), &tree, &err))
            fail_msg("'%s' is taken", texts[i]);
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
}

/** A file that was read is not filled in again. */
static void test_of_what_was_read(void **state)
{
    static const char text[] = "description: x\nmatrix: {n: [7]}\n"
                               "steps:\n- bind: {later: 1}\n"
                               "- {advance: 1s, note: \"${n} $${n} ${later}\"}\n"
                               "- {advance: 1s, note: \"$${n} and $\"}\n";
    struct problems problems = {0};
    struct scenario **items = NULL;
    struct buffer written = BUFFER_INIT(TEXT_BYTES_MAX);
    struct json_object *tree;
    struct scenario *again;
    size_t count = 0;

    (void)state;
    if (!scenario_read_all(NULL, "a.yaml", text, strlen(text), NULL, &problems, &items, &count))
        fail_msg("%s", problems.items[0].text);
    tree = document_of(items[0]->root);
    document_append(&written, tree, NULL);
    again = scenario_read("b.yaml", written.bytes, written.size, &problems);
    if (again == NULL)
        fail_msg("%s\n%s", problems.items[0].text, buffer_text(&written));
    assert_string_equal(again->steps[2].note, items[0]->steps[2].note);
    assert_string_equal(again->steps[1].note, items[0]->steps[1].note);
    (void)json_object_put(tree);
    scenario_free(again);
    scenario_free(items[0]);
    free(items);
    problems_release(&problems);
    buffer_release(&written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_any_tree_reads_back),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_of_what_was_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
