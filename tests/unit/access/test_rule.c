/* What one rule allows (WIRE.md A8), and what some rules cover of others (A11). */
#include "fakeapi/access/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

static struct rules parse(const char *json)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;
    struct rules rules;

    if (!json_parse(json, strlen(json), strlen(json), &tree, &err))
        fail_msg("%s: %s", err.text, json);
    rules = rules_parse(tree);
    json_object_put(tree);
    return rules;
}

#define PODS "[{\"verbs\":[\"get\",\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"]}]"
#define LOGS "[{\"verbs\":[\"get\"],\"apiGroups\":[\"\"],\"resources\":[\"pods/log\"]}]"
#define ALL "[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}]"
#define ANY_LOG "[{\"verbs\":[\"*\"],\"apiGroups\":[\"\"],\"resources\":[\"*/log\"]}]"
#define NAMED                                                                                      \
    "[{\"verbs\":[\"get\",\"create\",\"list\",\"deletecollection\"],\"apiGroups\":[\"\"],"         \
    "\"resources\":[\"pods\"],\"resourceNames\":[\"a\",\"b\"]}]"
#define URLS "[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"/healthz\",\"/api/*\",\"/x*y\"]}]"
#define ALL_URLS "[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]"
#define EMPTY_NAME                                                                                 \
    "[{\"verbs\":[\"list\"],\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"resourceNames\":"      \
    "[\"\"]}]"

static void test_allows(void **state)
{
    static const struct {
        const char *name;
        const char *rules;
        struct attributes asked; /* user, verb, resource_request, group, resource, subresource,
                                    namespace, name, path */
        bool want;
    } rows[] = {
        {"the verb",                     PODS,             {NULL, "get", true, "", "pods", "", "n", "a", ""},             true },
        {"another verb",                 PODS,             {NULL, "watch", true, "", "pods", "", "n", "", ""},            false},
        {"verbs have a case",            PODS,             {NULL, "GET", true, "", "pods", "", "n", "a", ""},             false},
        {"another group",                PODS,             {NULL, "get", true, "batch", "pods", "", "n", "a", ""},        false},
        {"another resource",             PODS,             {NULL, "get", true, "", "podsx", "", "n", "a", ""},            false},
        {"a shorter resource",           PODS,             {NULL, "get", true, "", "pod", "", "n", "a", ""},              false},
        {"not its subresource",          PODS,             {NULL, "get", true, "", "pods", "log", "n", "a", ""},          false},
        {"the subresource",              LOGS,             {NULL, "get", true, "", "pods", "log", "n", "a", ""},          true },
        {"not the resource of it",       LOGS,             {NULL, "get", true, "", "pods", "", "n", "a", ""},             false},
        {"not another's",                LOGS,             {NULL, "get", true, "", "jobs", "log", "n", "a", ""},          false},
        {"not a longer one",             LOGS,             {NULL, "get", true, "", "pods", "logs", "n", "a", ""},         false},
        {"any resource's",               ANY_LOG,          {NULL, "get", true, "", "jobs", "log", "n", "a", ""},          true },
        {"any resource's, another",
         ANY_LOG,                                          {NULL, "get", true, "", "jobs", "status", "n", "a", ""},
         false                                                                                                                 },
        {"any resource's, none",         ANY_LOG,          {NULL, "get", true, "", "jobs", "", "n", "a", ""},             false},
        {"everything",                   ALL,              {NULL, "x", true, "y", "z", "s", "n", "a", ""},                true },
        {"everything, but no path",
         ALL,                                              {NULL, "get", false, "", "", "", "", "", "/healthz"},
         false                                                                                                                 },
        {"a name",                       NAMED,            {NULL, "get", true, "", "pods", "", "n", "b", ""},             true },
        {"another name",                 NAMED,            {NULL, "get", true, "", "pods", "", "n", "c", ""},             false},
        {"create knows no name",         NAMED,            {NULL, "create", true, "", "pods", "", "n", "", ""},           false},
        {"nor does deletecollection",
         NAMED,                                            {NULL, "deletecollection", true, "", "pods", "", "n", "", ""},
         false                                                                                                                 },
        {"list of everything",           NAMED,            {NULL, "list", true, "", "pods", "", "n", "", ""},             false},
        {"list of one name",             NAMED,            {NULL, "list", true, "", "pods", "", "n", "a", ""},            true },
        {"an empty name, said",
         EMPTY_NAME,                                       {NULL, "list", true, "", "pods", "", "n", "", ""},
         true                                                                                                                  },
        {"a path",                       URLS,             {NULL, "get", false, "", "", "", "", "", "/healthz"},          true },
        {"a longer path",                URLS,             {NULL, "get", false, "", "", "", "", "", "/healthz/ping"},     false},
        {"below a path",                 URLS,             {NULL, "get", false, "", "", "", "", "", "/api/v1"},           true },
        {"the path itself is not below",
         URLS,                                             {NULL, "get", false, "", "", "", "", "", "/api"},
         false                                                                                                                 },
        {"a star in the middle is none",
         URLS,                                             {NULL, "get", false, "", "", "", "", "", "/xay"},
         false                                                                                                                 },
        {"but itself",                   URLS,             {NULL, "get", false, "", "", "", "", "", "/x*y"},              true },
        {"another method",               URLS,             {NULL, "post", false, "", "", "", "", "", "/healthz"},         false},
        {"a path is no resource",
         ALL_URLS,                                         {NULL, "get", true, "", "pods", "", "n", "a", ""},
         false                                                                                                                 },
        {"every path",                   ALL_URLS,         {NULL, "post", false, "", "", "", "", "", "/any/where"},       true },
        {"no rules",                     "[]",             {NULL, "get", true, "", "pods", "", "n", "a", ""},             false},
        {"rules that are none",
         "[1,null,{\"verbs\":\"get\",\"resources\":[3]}]", {NULL, "get", true, "", "pods", "", "n", "a", ""},
         false                                                                                                                 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct rules rules = parse(rows[i].rules);
        bool got = false;

        for (size_t k = 0; k < rules.count; k++)
            got = got || rule_allows(&rules.items[k], &rows[i].asked);
        if (got != rows[i].want)
            fail_msg("%s: got %d", rows[i].name, got);
        rules_release(&rules);
    }
}

#define RULE(verbs, groups, resources)                                                             \
    "{\"verbs\":[" verbs "],\"apiGroups\":[" groups "],\"resources\":[" resources "]}"
#define NAMED_RULE(verbs, resources, names)                                                        \
    "{\"verbs\":[" verbs "],\"apiGroups\":[\"\"],\"resources\":[" resources                        \
    "],\"resourceNames\":[" names "]}"
#define URL_RULE(verbs, urls) "{\"verbs\":[" verbs "],\"nonResourceURLs\":[" urls "]}"

static void test_missing(void **state)
{
    static const struct {
        const char *name;
        const char *held;
        const char *wanted;
        const char *missing; /* parted by spaces */
    } rows[] = {
        {"the same",                                                             "[" RULE("\"get\"",          "\"\"", "\"pods\"") "]",
         "[" RULE("\"get\"",                                                                                                                                                                                                                              "\"\"",                                                                   "\"pods\"") "]",                 ""},
        {"nothing wanted",                                                                      "[]",                                                                                  "[]",               ""                },
        {"held in parts",
         "[" RULE("\"get\"",                                                            "\"\"", "\"pods\"") "," RULE("\"list\"",                                                                         "\"\"",                                          "\"pods\"") "]",
         "[" RULE("\"get\",\"list\"",                                                                                                                   "\"\"", "\"pods\"") "]", ""},
        {"a verb less",                                                                      "[" RULE("\"get\"",                                                                                     "\"\"",    "\"pods\"") "]",
         "[" RULE("\"get\",\"list\",\"watch\"",                                                                                                                                                                                                                     "\"\"",                                                                                                                                                                                                                                                                                       "\"pods\"") "]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\" \"watch\"]}"},
        {"nothing held, two resources", "[]",                            "[" RULE("\"get\"",      "\"\",\"a\"",                                                                                         "\"pods\"") "]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]} "
         "{APIGroups:[\"a\"], Resources:[\"pods\"], Verbs:[\"get\"]}"                                                                                                                                                                                                                                                                                    },
        {"stars cover",                                                                      "[" RULE("\"*\"",                                                                                     "\"*\"",      "\"*\"") "]",
         "[" RULE("\"get\",\"*\"",                                                                                     "\"a\",\"*\"",                                                                                                                                            "\"pods/log\",\"*\"") "]",                                                                                          ""},
        {"a star is not covered by all that is named",                                                                    "[" RULE("\"get\"",                                                                                               "\"\"",                                                          "\"pods\"") "]",
         "[" RULE("\"*\"",                          "\"\"",                                                                                                                                                                                                                                                                                                  "\"pods\"") "]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"*\"]}"},
        {"any log covers a log",                                                       "[" RULE("\"get\"",                                           "\"\"",                                                 "\"*/log\"") "]",
         "[" RULE("\"get\"", "\"\"", "\"pods/log\"") "]",                                                                                                                                                                                                                                ""},
        {"names are covered by no names",                                                                "[" RULE("\"get\"",                                                                        "\"\"",                                                                            "\"pods\"") "]",
         "[" NAMED_RULE("\"get\"",                                                                                    "\"pods\"",                                                                                                            "\"a\"") "]",                                                                                                                                                                                                                                                                                                                                           ""},
        {"no names are not by names",                                               "[" NAMED_RULE("\"get\"",                                                                "\"pods\"",                                                          "\"a\"") "]",
         "[" RULE("\"get\"",                                                                                                                                                                              "\"\"",                                                                                                                                                                     "\"pods\"") "]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}"},
        {"a name more",                                                          "[" NAMED_RULE("\"get\"",                                                                                  "\"pods\"",                                                                                  "\"a\"") "]",
         "[" NAMED_RULE("\"get\"",                                                                                                     "\"pods\"",                                        "\"a\",\"b\"") "]",
         "{APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"b\"], Verbs:[\"get\"]}"},
        {"paths",                                                            "[" URL_RULE("\"get\"","\"/a/*\"") "]",
         "[" URL_RULE("\"get\"",                                                                                                                                                                 "\"/a/b\",\"/a/*\",\"/b\"") "]",
         "{NonResourceURLs:[\"/b\"], Verbs:[\"get\"]}"                                                                                                                                                                                                                                                            },
        {"resources cover no paths","[" RULE("\"*\"",        "\"*\"",                                                                                      "\"*\"") "]",
         "[" URL_RULE("\"get\"",                                                                                    "\"/a\"") "]",                                                                                                                                                                                                                                        "{NonResourceURLs:[\"/a\"], Verbs:[\"get\"]}"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct rules held = parse(rows[i].held);
        struct rules wanted = parse(rows[i].wanted);
        struct rules missing = {0};
        struct buffer text = BUFFER_INIT(4096);

        assert_true(rules_missing(&held, &wanted, &missing));
        for (size_t k = 0; k < missing.count; k++) {
            buffer_append_text(&text, k > 0 ? " " : "");
            rule_append_compact(&text, &missing.items[k]);
        }
        if (strcmp(buffer_text(&text), rows[i].missing) != 0)
            fail_msg("%s: got %s", rows[i].name, buffer_text(&text));
        buffer_release(&text);
        rules_release(&held);
        rules_release(&wanted);
        rules_release(&missing);
    }
}

/* count distinct texts */
static void fill(struct words *texts, size_t count)
{
    char text[32];

    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof(text), "t%zu", i);
        words_add(texts, text);
    }
}

static bool compares(size_t groups, size_t resources, size_t verbs)
{
    struct rules held = {0};
    struct rules wanted = {0};
    struct rules missing = {0};
    struct rule rule = {0};
    bool ok;

    fill(&rule.groups, groups);
    fill(&rule.resources, resources);
    fill(&rule.verbs, verbs);
    rules_add(&wanted, &rule);
    ok = rules_missing(&held, &wanted, &missing);
    assert_true(missing.count <= RULES_MISSING_MAX);
    rule_release(&rule);
    rules_release(&wanted);
    rules_release(&missing);
    return ok;
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(compares(1, 100, RULES_GRANTS_MAX / 100));
    assert_false(compares(1, 100, RULES_GRANTS_MAX / 100 + 1));
    assert_true(compares(1, 1, RULES_GRANTS_MAX));
    assert_false(compares(1, 1, RULES_GRANTS_MAX + 1));
    assert_false(compares(1000, 1000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allows),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
