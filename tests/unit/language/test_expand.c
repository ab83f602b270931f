/* Matrices, templates and included files: what becomes of them, and how they are bounded. */
#include "scenarios/language/expand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "scenarios/language/include.h"

#define PATH "suites/leader/x.yaml"
#define REPORT_BYTES_MAX 65536

static const struct file {
    const char *path;
    const char *text;
} files[] = {
    {"suites/leader/two.part.yaml",
     "- {kind: Agent, name: \"${prefix}-1\"}\n- {kind: Agent, name: \"${prefix}-2\"}\n"       },
    {"suites/shared/stations.yaml",  "- include: one.yaml\n- {kind: Station, name: other}\n"  },
    {"suites/shared/one.yaml",       "{kind: Station, name: one}\n"                           },
    {"suites/shared/templates.yaml", "run: {kind: Agent, name: \"${name}\", labels: {a: b}}\n"},
    {"suites/leader/itself.yaml",    "- include: other.yaml\n"                                },
    {"suites/leader/other.yaml",     "- include: itself.yaml\n"                               },
    {"suites/leader/wrong.yaml",     "- kind: Agent\n  name: x\n  spec: {modle: y}\n"         },
    {"suites/leader/broken.yaml",    "- kind: Agent\n- }\n"                                   },
    {"suites/leader/empty.yaml",     "# nothing\n"                                            },
};

static bool read_file(void *arg, const char *path, struct buffer *bytes, struct error *err)
{
    (void)arg;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        if (strcmp(files[i].path, path) == 0) {
            buffer_append_text(bytes, files[i].text);
            return true;
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "%s: No such file or directory", path);
}

/** Every scenario of the text, as "name: objects and steps"; or its problems. */
static char *told(const char *text)
{
    const struct scenario_files source = {read_file, NULL};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct problems problems = {0};
    struct scenario **items = NULL;
    size_t count = 0;
    size_t size;

    if (!scenario_read_all(NULL, PATH, text, strlen(text), &source, &problems, &items, &count))
        problems_append(&problems, PATH, &report);
    for (size_t i = 0; i < count; i++) {
        const struct scenario *scenario = items[i];

        buffer_append_format(&report, "%s %d:", scenario->name,
                             (int)scenario->controllers->replicas);
        for (size_t j = 0; j < scenario->objects.count; j++)
            buffer_append_format(&report, " %s", scenario->objects.items[j].target.name);
        for (size_t j = 0; j < scenario->step_count; j++)
            buffer_append_format(&report, " %s", step_action_name(scenario->steps[j].action));
        buffer_append_char(&report, '\n');
        scenario_free(items[i]);
    }
    free(items);
    problems_release(&problems);
    return buffer_take(&report, &size);
}

#define HEAD "description: x\ndefaults: false\n"

/* clang-format off */
static const struct row {
    const char *name;
    const char *text;
    const char *want;
} rows[] = {
    {"a matrix",
     HEAD "matrix: {n: [1, 3]}\ncontrollers: {replicas: \"${n}\"}\nsteps: [{advance: 1s}]\n",
     "leader/x[n=1] 1: advance\nleader/x[n=3] 3: advance\n"                                                                                                    },
    {"of two parameters, the last first",
     HEAD "matrix: {a: [x, y], b: [1, 2]}\nobjects: [{kind: Agent, name: \"${a}-${b + 1}\"}]\n"
          "steps: [{advance: 1s}]\n",                                                                               "leader/x[a=x,b=1] 2: x-2 advance\nleader/x[a=x,b=2] 2: x-3 advance\n"
     "leader/x[a=y,b=1] 2: y-2 advance\nleader/x[a=y,b=2] 2: y-3 advance\n"                                               },
    {"a mistake of one value only",
     HEAD "matrix: {n: [1, 10]}\ncontrollers: {replicas: \"${n}\"}\nsteps: [{advance: 1s}]\n",
     PATH ":4:25: 'replicas' must be at most 9\n"                                                                                                              },
    {"an unknown name",                   HEAD "matrix: {node: [1]}\nsteps:\n- advance: ${nodes}s\n",
     PATH ":5:14: nothing is named 'nodes'; did you mean 'node'?\n"                                                                                                   },
    {"a name that is bound later",
     HEAD "steps:\n- note: ${uid}\n  advance: 1s\n"
          "- bind: {uid: {kind: Agent, name: a, field: metadata.uid}}\n",                                           PATH ":4:11: nothing is named 'uid': neither matrix nor bind nor 'with' has it (write $${ for "
          "${)\n"                                                                     },
    {"values that are alike",             HEAD "matrix: {n: [1, 1]}\nsteps: [{advance: 1s}]\n",
     PATH ":3:17: '1' is there already: it would be the same scenario\n"                                                                                       },
    {"values that are no words",          HEAD "matrix: {n: [\"a b\"]}\nsteps: [{advance: 1s}]\n",
     PATH ":3:14: a value of a matrix must be a word of letters, digits and ._-+/:%, not 'a b'\n"                                                              },
    {"a matrix of texts",                 HEAD "matrix: {n: 3}\nsteps: [{advance: 1s}]\n",
     PATH ":3:13: 'n' must be a list of values such as [1, 3], not '3'\n"                                                                                      },
    {"an empty matrix",                   HEAD "matrix: {}\nsteps: [{advance: 1s}]\n",
     PATH ":3:9: 'matrix' must be a mapping of 1 to 8 names to lists of values, such as "
          "{replicas: [1, 3]}\n"                                                                                                                               },
    {"a literal",                         HEAD "steps:\n- note: $${HOME}\n  advance: 1s\n",                         "leader/x 2: advance\n"                    },
 /* templates */
    {"a template",
     HEAD "templates: {run: {kind: Agent, name: \"r-${n}\"}}\nobjects:\n"
          "- {template: run, with: {n: 1}}\n- {template: run, with: {n: 2}, namespace: other}\n"
          "steps: [{advance: 1s}]\n",                                                                               "leader/x 2: r-1 r-2 advance\n"            },
    {"other keys are laid over",
     HEAD "templates: {run: {kind: Agent, name: a, spec: {taskId: x}}}\nobjects:\n"
          "- {template: run, name: b}\nsteps: [{advance: 1s}]\n",                                                   "leader/x 2: b advance\n"                  },
    {"a template of steps",
     HEAD "templates: {two: [{advance: 1s}, {crash: ctl-0}]}\nsteps:\n"
          "- template: two\n- template: two\n",                                                                     "leader/x 2: advance crash advance crash\n"},
    {"no such template",                  HEAD "templates: {run: {kind: Agent}}\nobjects: [{template: rnu}]\n",
     PATH ":4:22: there is no template 'rnu'; did you mean 'run'?\n"                                                                                           },
    {"a template in itself",
     HEAD "templates: {a: {template: b}, b: {template: a}}\nobjects: [{template: a}]\n",
     PATH ":3:45: template 'a' would contain itself\n"                                                                                                         },
    {"a value that is not used",
     HEAD "templates: {run: {kind: Agent, name: a}}\nobjects: [{template: run, with: {n: 1}}]\n",
     PATH ":4:34: nothing uses 'n' there\n"                                                                                                                    },
    {"a value that is missing",
     HEAD "templates: {run: {kind: Agent, name: \"${n}\"}}\nobjects: [{template: run}]\n"
          "steps: [{advance: 1s}]\n",                                                                               PATH ":3:41: nothing is named 'n': neither matrix nor bind nor 'with' has it (write $${ for "
          "${)\n"                                                                                                         },
    {"a field named template is none",
     HEAD "objects:\n- {kind: Job, name: j, spec: {template: {}}}\n"
          "steps: [{advance: 1s}]\n",                                                                               "leader/x 2: j advance\n"                  },
 /* files */
    {"a file of objects",
     HEAD
     "objects:\n- {kind: Agent, name: first}\n- {include: two.part.yaml, with: {prefix: run}}\n"
     "steps: [{advance: 1s}]\n",                                                                                    "leader/x 2: first run-1 run-2 advance\n"  },
    {"files that include files",
     HEAD "objects: {include: ../shared/stations.yaml}\n"
          "steps: [{advance: 1s}]\n",                                                                               "leader/x 2: one other advance\n"          },
    {"a file of templates",
     HEAD "templates: {include: ../shared/templates.yaml}\n"
          "objects: [{template: run, with: {name: z}}]\nsteps: [{advance: 1s}]\n",                                  "leader/x 2: z advance\n"                  },
    {"a file that includes itself",       HEAD "objects: [{include: itself.yaml}]\n",
     "suites/leader/other.yaml:1:12: 'itself.yaml' would include itself\n"                                                                                     },
    {"no such file",                      HEAD "objects: [{include: nowhere.yaml}]\n",
     PATH ":3:21: suites/leader/nowhere.yaml: No such file or directory\n"                                                                                     },
    {"a file outside",                    HEAD "objects: [{include: ../../etc/passwd}]\n",
     PATH ":3:21: '../../etc/passwd' is not a path within this folder or the one above it\n"                                                                   },
    {"a file from the root",              HEAD "objects: [{include: /etc/passwd}]\n",
     PATH ":3:21: '/etc/passwd' is not a path within this folder or the one above it\n"                                                                        },
    {"a mistake in a file",               HEAD "objects: [{include: wrong.yaml}]\nsteps: [{advance: 1s}]\n",
     "suites/leader/wrong.yaml:3:10: kind Agent has no field 'spec.modle'; did you mean "
     "'model'?\n"                                                                                                                                              },
    {"a malformed file",                  HEAD "objects: [{include: broken.yaml}]\n",
     "suites/leader/broken.yaml:2:3: "                                                                                                                         },
    {"an empty file",                     HEAD "objects: [{include: empty.yaml}]\n",
     "suites/leader/empty.yaml:1:1: the file is empty\n"                                                                                                       },
    {"keys beside a list",                HEAD "objects: [{include: two.part.yaml, name: x, with: {prefix: a}}]\n",
     PATH ":3:36: 'name' cannot stand beside a list that is put in here\n"                                                                                     },
};

/* clang-format on */
static void test_files_are_expanded(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *got = told(rows[i].text);
        size_t size = strlen(rows[i].want);

        /* a message of libfyaml is its own affair */
        if (strcmp(got, rows[i].want) != 0 &&
            (rows[i].want[size - 1] == '\n' || strncmp(got, rows[i].want, size) != 0))
            fail_msg("%s: got\n%swant\n%s", rows[i].name, got, rows[i].want);
        free(got);
    }
}

/* --- bounds --- */

static void test_a_bomb_of_templates_is_bounded(void **state)
{
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    char *got;

    (void)state;
    buffer_append_text(&text, HEAD "templates:\n  t0: [{advance: 1s}]\n");
    for (int i = 1; i < 8; i++) {
        buffer_append_format(&text, "  t%d: [", i);
        for (int j = 0; j < 20; j++)
            buffer_append_format(&text, "%s{template: t%d}", j == 0 ? "" : ", ", i - 1);
        buffer_append_text(&text, "]\n");
    }
    buffer_append_text(&text, "steps: [{template: t7}]\n");
    got = told(buffer_text(&text));
    assert_non_null(strstr(got, "includes and templates make too much of this file"));
    free(got);
    buffer_release(&text);
}

static void test_templates_nest_only_so_deep(void **state)
{
    (void)state;
    for (int depth = EXPAND_DEPTH_MAX; depth <= EXPAND_DEPTH_MAX + 1; depth++) {
        struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
        char *got;

        buffer_append_text(&text, HEAD "templates:\n  t1: {advance: 1s}\n");
        for (int i = 2; i <= depth; i++)
            buffer_append_format(&text, "  t%d: {template: t%d}\n", i, i - 1);
        buffer_append_format(&text, "steps: [{template: t%d}]\n", depth);
        got = told(buffer_text(&text));
        assert_true((strstr(got, "nest too deeply") != NULL) == (depth > EXPAND_DEPTH_MAX));
        free(got);
        buffer_release(&text);
    }
}

static void test_a_matrix_makes_only_so_many(void **state)
{
    static const char many[] = HEAD "matrix: {a: [1, 2, 3, 4], b: [1, 2, 3, 4], c: [1, 2, 3, 4], "
                                    "d: [1, 2, 3, 4], e: [1, 2]}\nsteps: [{advance: 1s}]\n";
    char *got = told(many);

    (void)state;
    assert_string_equal(got, PATH ":3:9: this matrix makes more than 256 scenarios\n");
    free(got);
}

/* clang-format off */
static const struct {
    const char *folder;
    const char *written;
    const char *want;
} paths[] = {
    {"",      "a.yaml",       "a.yaml"    },
    {"",      "./a//b.yaml",  "a/b.yaml"  },
    {"sub/",  "a.yaml",       "sub/a.yaml"},
    {"sub/",  "../a.yaml",    "a.yaml"    },
    {"",      "../a.yaml",    "../a.yaml" },
    {"../b/", "../a.yaml",    "../a.yaml" },
    {"",      "../../a.yaml", NULL        },
    {"../b/", "../../a.yaml", NULL        },
    {"",      "x/../../../a", NULL        },
    {"",      "/a",           NULL        },
    {"",      "",             NULL        },
    {"",      "..",           NULL        },
    {"",      ".",            NULL        },
};

/* clang-format on */
static void test_paths_stay_inside(void **state)
{
    struct arena arena = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        const char *got = include_path(&arena, paths[i].folder, paths[i].written, 1);

        if ((got == NULL) != (paths[i].want == NULL) ||
            (got != NULL && strcmp(got, paths[i].want) != 0))
            fail_msg("%s in '%s': got %s", paths[i].written, paths[i].folder, got);
    }
    arena_release(&arena);
}

static void test_a_single_scenario_has_no_matrix(void **state)
{
    static const char text[] = HEAD "matrix: {n: [1, 2]}\nsteps: [{advance: 1s}]\n";
    struct problems problems = {0};

    (void)state;
    assert_null(scenario_read(PATH, text, strlen(text), &problems));
    assert_string_equal(problems.items[0].text, "a file with a matrix is several scenarios");
    problems_release(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_expanded),
        cmocka_unit_test(test_a_bomb_of_templates_is_bounded),
        cmocka_unit_test(test_templates_nest_only_so_deep),
        cmocka_unit_test(test_a_matrix_makes_only_so_many),
        cmocka_unit_test(test_paths_stay_inside),
        cmocka_unit_test(test_a_single_scenario_has_no_matrix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
