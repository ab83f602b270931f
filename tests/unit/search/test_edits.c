/* Ways to make a scenario smaller: what each makes of a tree, in their order. */
#include "scenarios/search/edits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/yaml.h"
#include "scenarios/search/document.h"

#define TEXT_BYTES_MAX ((size_t)1024 * 1024)

static struct json_object *read(const char *text)
{
    struct json_object *tree = NULL;

    assert_true(document_read(text, strlen(text), &tree, NULL));
    return tree;
}

static const struct {
    const char *name;
    enum edit_kind kind;
    const char *text;
    const char *kills;
    const char *want; /* the trees, each in a line */
    bool bounded_faults;
} rows[] = {
    {"halves, quarters, ... of the lists at the top",    EDIT_CHUNKS,
     "description: x\nsteps: [1, 2, 3, 4, 5]\nfaults: [a, b]\nobjects: {list: [1, 2, 3, 4]}\n",                         NULL,
     "{description: x, steps: [3, 4, 5], faults: [a, b], objects: {list: [1, 2, 3, 4]}}\n"
     "{description: x, steps: [1, 2, 5], faults: [a, b], objects: {list: [1, 2, 3, 4]}}\n"
     "{description: x, steps: [1, 2, 3, 4], faults: [a, b], objects: {list: [1, 2, 3, 4]}}\n"                                                                  },
    {"every part but the description",                   EDIT_PARTS,   "description: x\nseed: 2\nsteps: [{a: 1}, 3]\n",
     NULL,                                                                                                                    "{description: x, steps: [{a: 1}, 3]}\n"
     "{description: x, seed: 2}\n"
     "{description: x, seed: 2, steps: [3]}\n"
     "{description: x, seed: 2, steps: [{}, 3]}\n"
     "{description: x, seed: 2, steps: [{a: 1}]}\n"                                                                                                  },
    {"a limit goes if there is none tighter without it", EDIT_PARTS,
     "settle: 45m\nduration: 25h\nwithin: 601s\n",                                                                      NULL, "{duration: 25h, within: 601s}\n"},
    {"one object, an item",                              EDIT_SINGLE,
     "steps:\n- {apply: {name: \"a-{index}\", count: 3, b: [{c: \"{index}{index}\"}]}}\n- {apply: "
     "[x]}\n",                                                                                                          NULL,
     "{steps: [{apply: {name: a-1, b: [{c: \"1{index}\"}]}}, {apply: [x]}]}\n"
     "{steps: [{apply: {name: \"a-{index}\", count: 3, b: {c: \"{index}{index}\"}}}, {apply: "
     "[x]}]}\n"
     "{steps: [{apply: {name: \"a-{index}\", count: 3, b: [{c: \"{index}{index}\"}]}}, {apply: "
     "x}]}\n"                                                                                                                                                  },
    {"a kill without a request stays",                   EDIT_CERTAIN, "steps: [{kill: {of: leader, among: 9}}]\n",
     "timer fired\n",                                                                                                         ""                               },
    {"times come sooner together",                       EDIT_SOONER,
     "steps: [{at: 1500ms}, {at: 3s}, {for: 2s}]\nuntil: 3s\n",                                                         NULL,
     "{steps: [{at: 0s}, {at: 1.5s}, {for: 2s}], until: 1.5s}\n"
     "{steps: [{at: 1ms}, {at: 1.501s}, {for: 2s}], until: 1.501s}\n"
     "{steps: [{at: 100ms}, {at: 1.6s}, {for: 2s}], until: 1.6s}\n"
     "{steps: [{at: 1s}, {at: 2.5s}, {for: 2s}], until: 2.5s}\n"
     "{steps: [{at: 1s}, {at: 2.5s}, {for: 2s}], until: 2.5s}\n"
     "{steps: [{at: 1500ms}, {at: 1.5s}, {for: 2s}], until: 1.5s}\n"
     "{steps: [{at: 1500ms}, {at: 1.501s}, {for: 2s}], until: 1.501s}\n"
     "{steps: [{at: 1500ms}, {at: 1.6s}, {for: 2s}], until: 1.6s}\n"
     "{steps: [{at: 1500ms}, {at: 2.5s}, {for: 2s}], until: 2.5s}\n"                                                                                           },
    {"limits and times are no values",                   EDIT_VALUES,
     "description: a long description of it\nseed: 9\nwithin: 2s\nsettle: 2s\nduration: 2s\nat: "
     "3s\n",                                                                                                            NULL, ""                               },
    {"shorter durations",                                EDIT_VALUES,  "for: 2100ms\n",                                 NULL,
     "{for: 0s}\n{for: 1ms}\n{for: 100ms}\n{for: 1s}\n{for: 2s}\n{for: 2s}\n"                                                                                  },
    {"smaller numbers",                                  EDIT_VALUES,  "k: 6\n",                                        NULL,
     "{k: 0}\n{k: 1}\n{k: 2}\n{k: 3}\n{k: 5}\n{k: 3}\n{k: 5}\n"                                                                                                },
    {"no smaller number",                                EDIT_VALUES,  "k: 0\nm: -1\n",                                 NULL, ""                               },
    {"texts that are long",                              EDIT_VALUES,  "t: 123456789 abc\nu: 123456789 ab\n",           NULL,
     "{t: x, u: 123456789 ab}\n"                                                                                                                               },
    {"smaller seeds",                                    EDIT_SEED,    "seed: 4\n",                                     NULL, "{seed: 2}\n{seed: 3}\n"         },
    {"no smaller seed than the usual one",               EDIT_SEED,    "a: 1\n",                                        NULL, ""                               },
};

static void check_row(size_t i)
{
    const struct edit_context context = {rows[i].kills, rows[i].bounded_faults};
    struct json_object *tree = read(rows[i].text);
    struct buffer got = BUFFER_INIT(TEXT_BYTES_MAX);
    struct json_object *made;

    for (size_t k = 0; (made = edit_make(tree, rows[i].kind, k, &context)) != NULL; k++) {
        yaml_append_flow(&got, made);
        buffer_append_char(&got, '\n');
        json_object_put(made);
    }
    if (strcmp(buffer_text(&got), rows[i].want) != 0)
        fail_msg("%s: got\n%s", rows[i].name, buffer_text(&got));
    buffer_release(&got);
    json_object_put(tree);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(i);
}

/* --- chance --- */

static void has_edit(const char *text, const char *kills, const char *want)
{
    const struct edit_context context = {kills, true};
    struct json_object *tree = read(text);
    struct json_object *wanted = read(want);
    struct json_object *made;
    bool found = false;

    for (size_t k = 0; (made = edit_make(tree, EDIT_CERTAIN, k, &context)) != NULL; k++) {
        found = found || json_equal(made, wanted);
        json_object_put(made);
    }
    if (!found)
        fail_msg("%s does not become %s", text, want);
    json_object_put(wanted);
    json_object_put(tree);
}

static void test_certain(void **state)
{
    (void)state;
    has_edit("faults: [{when: {probability: 0.5, seed: 3, from: 1s}, do: {refuse: true}}]\n", NULL,
             "faults: [{when: {from: 1s, nth: 8}, do: {refuse: true}}]\n");
    has_edit("steps: [{at: 1s, kill: {of: leader, among: 70, back: 2s}}]\n",
             "timer fired\nanswer sent: create jobs\nanswer sent: create jobs\n",
             "steps:\n"
             "- at: 1s\n"
             "  fault:\n"
             "    match: {peer: leader, verb: create, resource: jobs}\n"
             "    when: {nth: 3}\n"
             "    do: {restart: leader, moment: answered}\n");
    has_edit("steps: [{kill: {of: ctl-1, among: 70}}]\n", "request sent: patch agents/status\n",
             "steps:\n"
             "- fault:\n"
             "    match: {peer: ctl-1, verb: patch, resource: agents/status}\n"
             "    when: {nth: 1}\n"
             "    do: {crash: ctl-1, moment: sent}\n");
}

static void test_reseeded(void **state)
{
    const struct edit_context context = {NULL, false};
    struct json_object *tree = read("a: 1\nseed: 9\n");
    struct json_object *made;
    size_t count = 0;

    (void)state;
    for (; (made = edit_make(tree, EDIT_RESEEDED, count, &context)) != NULL; count++) {
        assert_int_equal(json_get_int64(made, "seed", 0), 1 + count % 5);
        assert_null(json_get(made, "a"));
        json_object_put(made);
    }
    assert_int_equal(count, 5);
    json_object_put(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_certain),
        cmocka_unit_test(test_reseeded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
