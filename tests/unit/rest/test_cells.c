/* Table cells: ages in words, what kubectl shows of pods and Jobs, JSONPath (WIRE.md L15 to L20).
 */
#include "fakeapi/rest/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"
#include "fakeapi/rest/builtin_cells.h"
#include "fakeapi/rest/jsonpath.h"

/* 2024-06-01T00:00:00Z */
#define NOW_US INT64_C(1717200000000000)

static void test_ages(void **state)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } rows[] = {
        {-2,        "<invalid>"},
        {-1,        "0s"       },
        {0,         "0s"       },
        {119,       "119s"     },
        {120,       "2m"       },
        {185,       "3m5s"     },
        {599,       "9m59s"    },
        {600,       "10m"      },
        {10799,     "179m"     },
        {10800,     "3h"       },
        {11100,     "3h5m"     },
        {28799,     "7h59m"    },
        {28800,     "8h"       },
        {172799,    "47h"      },
        {172800,    "2d"       },
        {442800,    "5d3h"     },
        {691199,    "7d23h"    },
        {691200,    "8d"       },
        {63071999,  "729d"     },
        {63072000,  "2y"       },
        {66096000,  "2y35d"    },
        {252287999, "7y364d"   },
        {252288000, "8y"       },
        {300000000, "9y"       },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buffer text = BUFFER_INIT(100);

        cells_append_age(&text, NOW_US - rows[i].seconds * US_PER_SECOND, NOW_US);
        if (strcmp(buffer_text(&text), rows[i].want) != 0)
            fail_msg("%lld s: got %s", (long long)rows[i].seconds, buffer_text(&text));
        buffer_release(&text);
    }
}

static struct json_object *parse(const char *text)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(text, strlen(text), 1 << 20, &tree, &err))
        fail_msg("%s: %s", err.text, text);
    return tree;
}

#define CREATED "\"metadata\":{\"name\":\"x\",\"creationTimestamp\":\"2024-05-31T23:58:30Z\"}"
#define CONTAINER "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}"

static const struct {
    const char *name;
    void (*cells)(struct cells *cells, const struct json_object *tree);
    const char *tree;
    const char *want; /* the first cells */
} rows[] = {
    {"a pending pod",        cells_pod,   "{" CREATED "," CONTAINER ",\"status\":{\"phase\":\"Pending\"}}",
     "[\"x\",\"0/1\",\"Pending\",\"0\",\"90s\",\"<none>\""                                                                                                                       },
    {"a running one",        cells_pod,
     "{" CREATED "," CONTAINER ",\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{"
     "\"ready\":true,\"restartCount\":2,\"state\":{\"running\":{}},\"lastState\":{\"terminated\":{"
     "\"finishedAt\":\"2024-05-31T23:59:30Z\"}}}]}}",                                                       "[\"x\",\"1/1\",\"Running\",\"2 (30s ago)\",\"90s\""                 },
    {"one that ended",       cells_pod,
     "{" CREATED "," CONTAINER ",\"status\":{\"phase\":\"Succeeded\",\"containerStatuses\":[{"
     "\"state\":{\"terminated\":{\"exitCode\":0,\"reason\":\"Completed\"}}}]}}",                            "[\"x\",\"0/1\",\"Completed\",\"0\""                                 },
    {"one that failed",      cells_pod,
     "{" CREATED "," CONTAINER ",\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{"
     "\"state\":{\"terminated\":{\"exitCode\":7}}}]}}",                                                     "[\"x\",\"0/1\",\"ExitCode:7\",\"0\""                                },
    {"an evicted one",       cells_pod,
     "{" CREATED "," CONTAINER ",\"status\":{\"phase\":\"Failed\",\"reason\":\"Evicted\"}}",
     "[\"x\",\"0/1\",\"Evicted\",\"0\""                                                                                                                                          },
    {"one on its way out",   cells_pod,
     "{\"metadata\":{\"name\":\"x\",\"deletionTimestamp\":\"2024-06-01T00:00:00Z\"}," CONTAINER
     ",\"status\":{\"phase\":\"Running\"}}",                                                                "[\"x\",\"0/1\",\"Terminating\",\"0\",\"<unknown>\""                 },
    {"one that initializes", cells_pod,
     "{" CREATED ",\"spec\":{\"initContainers\":[{},{}],\"containers\":[{}]},"
     "\"status\":{\"phase\":\"Pending\",\"initContainerStatuses\":[{"
     "\"state\":{\"terminated\":{\"exitCode\":0}}},{\"state\":{\"running\":{}}}]}}",                        "[\"x\",\"0/1\",\"Init:1/2\",\"0\""                                  },
    {"a Job",                cells_job,
     "{" CREATED ",\"spec\":{\"completions\":3,\"selector\":{\"matchLabels\":{\"b\":\"2\",\"a\":"
     "\"1\"}},\"template\":{" CONTAINER "}},\"status\":{\"succeeded\":1,\"startTime\":"
     "\"2024-05-31T23:59:00Z\"}}",                                                                          "[\"x\",\"Running\",\"1/3\",\"60s\",\"90s\",\"c\",\"i\",\"a=1,b=2\"]"},
    {"a complete one",       cells_job,
     "{" CREATED ",\"spec\":{\"completions\":1},\"status\":{\"succeeded\":1,\"conditions\":[{"
     "\"type\":\"Complete\",\"status\":\"True\"}],\"startTime\":\"2024-05-31T23:59:00Z\","
     "\"completionTime\":\"2024-05-31T23:59:05Z\"}}",                                                       "[\"x\",\"Complete\",\"1/1\",\"5s\",\"90s\""                         },
    {"a failed one",         cells_job,
     "{" CREATED ",\"spec\":{\"parallelism\":2},\"status\":{\"conditions\":[{\"type\":\"Failed\","
     "\"status\":\"True\"}]}}",                                                                             "[\"x\",\"Failed\",\"0/1 of 2\",\"\",\"90s\""                        },
    {"a node",               cells_node,
     "{" CREATED ",\"spec\":{\"unschedulable\":true},\"status\":{\"conditions\":[{\"type\":"
     "\"Ready\",\"status\":\"False\"}]}}",                                                                  "[\"x\",\"NotReady,SchedulingDisabled\",\"<none>\",\"90s\""          },
    {"a lease",              cells_lease, "{" CREATED ",\"spec\":{\"holderIdentity\":\"me\"}}",
     "[\"x\",\"me\",\"90s\"]"                                                                                                                                                    },
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *tree = parse(rows[i].tree);
        struct cells cells = {.text = BUFFER_INIT(CELLS_BYTES_MAX)};
        struct buffer text = BUFFER_INIT(CELLS_BYTES_MAX);

        rows[i].cells(&cells, tree);
        cells_render(&text, cells.text.bytes, cells.text.size, NOW_US);
        if (strncmp(buffer_text(&text), rows[i].want, strlen(rows[i].want)) != 0)
            fail_msg("%s: got %s", rows[i].name, buffer_text(&text));
        buffer_release(&text);
        buffer_release(&cells.text);
        json_object_put(tree);
    }
}

/* All members of a map are shown, in the order of their names, however many there are. */
static void test_large_map(void **state)
{
    struct json_object *map = json_object_new_object();
    struct cells cells = {.text = BUFFER_INIT(CELLS_BYTES_MAX)};
    struct buffer want = BUFFER_INIT(CELLS_BYTES_MAX);

    (void)state;
    for (int i = 99; i >= 0; i--) {
        char name[16];

        snprintf(name, sizeof(name), "k%02d", i);
        json_set_text(map, name, "v");
    }
    for (int i = 0; i < 100; i++)
        buffer_append_format(&want, "%sk%02d=v", i == 0 ? "" : ",", i);
    cells_add_map(&cells, map);
    assert_non_null(strstr(buffer_text(&cells.text), buffer_text(&want)));
    buffer_release(&want);
    buffer_release(&cells.text);
    json_object_put(map);
}

static const char document[] =
    "{\"a\":{\"b.c\":1,\"d\":[{\"n\":\"x\",\"v\":2},{\"n\":\"y\",\"v\":3}]},\"l\":[4,5],"
    "\"e\":[],\"z\":null,\"q\":[{\"k\":\"\\u0061\",\"z\":null,\"v\":[6]},{\"k\":true,\"v\":{}}]}";

static const struct {
    const char *path;
    const char *want; /* NULL: does not compile; "": finds nothing */
} paths[] = {
    {".a['b.c']",              "1"     },
    {".a.b\\.c",               "1"     },
    {".a.d[0].v",              "2"     },
    {".a.d[-1].v",             "3"     },
    {".a.d[?(@.n==\"y\")].v",  "3"     },
    {".a.d[?(@.n=='y')].v",    "3"     },
    {".a.d[?(@.n!=\"x\")].v",  "3"     },
    {".a.d[?(@.v==2)].n",      "\"x\"" },
    {".a.d[?(@.n==\"z\")].v",  ""      },
    {".a.d[*].v",              "2"     },
    {".l[1]",                  "5"     },
    {".l[2]",                  ""      },
    {".l[-2]",                 "4"     },
    {".l[-3]",                 ""      },
    {".e[0]",                  ""      },
    {".e[-1]",                 ""      },
    {".z",                     ""      },
    {".z.y",                   ""      },
    {".q[?(@.z==\"null\")].v", ""      },
    {".q[?(@.k==\"a\")].v",    "[6]"   },
    {".q[?(@.k==true)].v",     "{}"    },
    {".q[*].z",                ""      },
    {".q[0]",                  "{\"k\""},
    {".l.x",                   ""      },
    {".none.x",                ""      },
    {"",                       "{"     },
    {"a",                      NULL    },
    {".",                      NULL    },
    {".a[",                    NULL    },
    {".a[x]",                  NULL    },
    {".a['x",                  NULL    },
    {".a[?(@.n=x)]",           NULL    },
    {".a[?(@.n==\"x\"]",       NULL    },
};

static void test_paths(void **state)
{
    const struct json_slice whole = {document, sizeof(document) - 1};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
        struct jsonpath *path = NULL;
        struct error err = ERROR_INIT;
        struct json_slice found;

        if (jsonpath_new(paths[i].path, &path, &err) != (paths[i].want != NULL))
            fail_msg("%s: %s", paths[i].path, err.text);
        if (paths[i].want == NULL)
            continue;
        found = jsonpath_find(path, whole);
        if ((found.bytes == NULL) != (paths[i].want[0] == '\0'))
            fail_msg("%s: found %d", paths[i].path, found.bytes != NULL);
        if (found.bytes != NULL)
            assert_int_equal(strncmp(found.bytes, paths[i].want, strlen(paths[i].want)), 0);
        jsonpath_free(path);
    }
}

static void test_path_limits(void **state)
{
    char text[JSONPATH_BYTES_MAX + 1];
    struct jsonpath *path = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    memset(text, 'x', sizeof(text));
    text[0] = '.';
    text[JSONPATH_BYTES_MAX - 1] = '\0';
    assert_true(jsonpath_new(text, &path, &err));
    jsonpath_free(path);
    text[JSONPATH_BYTES_MAX - 1] = 'x';
    text[JSONPATH_BYTES_MAX] = '\0';
    assert_false(jsonpath_new(text, &path, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    for (size_t i = 0; i < JSONPATH_STEPS_MAX + 1; i++)
        memcpy(text + 2 * i, ".x", 2);
    text[2 * JSONPATH_STEPS_MAX] = '\0';
    assert_true(jsonpath_new(text, &path, &err));
    jsonpath_free(path);
    memcpy(text + (size_t)2 * JSONPATH_STEPS_MAX, ".x", 3);
    assert_false(jsonpath_new(text, &path, &err));
}

static void test_version_order(void **state)
{
    static const char *const ordered[] = {"v10",      "v2",      "v1",        "v11beta2",
                                          "v10beta3", "v3beta1", "v12alpha1", "v11alpha2",
                                          "foo1",     "foo10"};

    (void)state;
    for (size_t i = 0; i + 1 < ARRAY_SIZE(ordered); i++)
        if (kind_compare_versions(ordered[i], ordered[i + 1]) >= 0)
            fail_msg("%s is not before %s", ordered[i], ordered[i + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ages),          cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_paths),         cmocka_unit_test(test_path_limits),
        cmocka_unit_test(test_version_order), cmocka_unit_test(test_large_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
