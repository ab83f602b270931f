/* Targets into words (WIRE.md D5, W2). */
#include "fakeapi/rest/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *target;
    bool parsed;
    const char *words; /* group|version|plural|namespace|name|subresource; NULL: no resource */
} rows[] = {
    {"/api/v1/pods",                               true,  "|v1|pods|||"               },
    {"/api/v1/pods/",                              true,  "|v1|pods|||"               },
    {"/api/v1/namespaces/a/pods?limit=5",          true,  "|v1|pods|a||"              },
    {"/api/v1/namespaces/a/pods/p/log",            true,  "|v1|pods|a|p|log"          },
    {"/api/v1/namespaces/a",                       true,  "|v1|namespaces||a|"        },
    {"/api/v1/namespaces/a/status",                true,  "|v1|namespaces||a|status"  },
    {"/api/v1/namespaces/a/finalize",              true,  "|v1|namespaces||a|finalize"},
    {"/api/v1/namespaces/status/pods",             true,  "|v1|pods|status||"         },
    {"/apis/batch/v1/namespaces/a/jobs/j/status",  true,  "batch|v1|jobs|a|j|status"  },
    {"/apis/x.io/v1/widgets",                      true,  "x.io|v1|widgets|||"        },
    {"/api/v1/watch/namespaces/a/pods/p",          true,  "|v1|pods|a|p|"             },
    {"/api/v1/namespaces/a/pods/a%2Fb",            true,  "|v1|pods|a|a/b|"           },
    {"/api/v1",                                    true,  NULL                        },
    {"/apis/batch/v1",                             true,  NULL                        },
    {"/apis",                                      true,  NULL                        },
    {"/",                                          true,  NULL                        },
    {"/version?timeout=32s",                       true,  NULL                        },
    {"/api/v1/%zz",                                false, NULL                        },
    {"/api/v1/%00",                                false, NULL                        },
    {"api/v1",                                     false, NULL                        },
    {"",                                           false, NULL                        },
    {"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16",    true,  NULL                        },
    {"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", false, NULL                        },
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct route route;
        char words[256];
        bool parsed = route_parse(rows[i].target, &route);

        if (parsed != rows[i].parsed)
            fail_msg("%s: parsed %d", rows[i].target, parsed);
        if (!parsed)
            continue;
        snprintf(words, sizeof(words), "%s|%s|%s|%s|%s|%s", route.group, route.version,
                 route.plural, route.namespace, route.name, route.subresource);
        if (route.resource != (rows[i].words != NULL) ||
            (route.resource && strcmp(words, rows[i].words) != 0))
            fail_msg("%s: got %s", rows[i].target, words);
        assert_int_equal(route.watch_prefix, strstr(rows[i].target, "/watch/") != NULL);
        route_release(&route);
    }
}

static void test_query(void **state)
{
    struct route route;
    char *value;

    (void)state;
    assert_true(route_parse("/api/v1/pods?a=b%20c&watch&x=&no=false&zero=0&yes=1", &route));
    value = route_query(&route, "a");
    assert_string_equal(value, "b c");
    free(value);
    value = route_query(&route, "none");
    assert_null(value);
    assert_true(route_query_flag(&route, "x")); /* W1: present and empty counts */
    assert_true(route_query_flag(&route, "yes"));
    assert_false(route_query_flag(&route, "no"));
    assert_false(route_query_flag(&route, "zero"));
    assert_false(route_query_flag(&route, "none"));
    route_release(&route);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
