/* Scripts of pods to come, as one who runs a test tells them: all of a list is taken, or none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "fakeapi/pod_scripts.h"

/* Without a cluster nothing is added: so what is wrong with a list is said first. */
static const struct {
    const char *text;
    const char *why;
} rows[] = {
    {"nonsense",                                            ""                                                    },
    {"{}",                                                  "want a list of scripts"                              },
    {"[1]",                                                 "[0]: want an object"                                 },
    {"[{\"annotations\":{}}, {\"lable\":\"a\"}]",           "[1]: unknown key 'lable'"                            },
    {"[{\"label\":\"a\",\"annotations\":{}}]",              "[0]: want both 'label' and 'value', or none"         },
    {"[{\"value\":\"a\",\"annotations\":{}}]",              "[0]: want both 'label' and 'value', or none"         },
    {"[{\"first\":-1,\"annotations\":{}}]",                 "[0].first: want 0 or more"                           },
    {"[{}]",                                                "[0].annotations: want an object"                     },
    {"[{\"annotations\":[]}]",                              "[0].annotations: want an object"                     },
    {"[{\"annotations\":{\"run-seconds\":\"1\"}}]",
     "[0].annotations: 'run-seconds' does not begin with fakeapi/"                                                },
    {"[{\"annotations\":{\"fakeapi/run-seconds\":1}}]",
     "[0].annotations.fakeapi/run-seconds: want a string"                                                         },
    {"[{\"annotations\":{\"fakeapi/run-seconds\":\"1\"}}]",
     "there is no cluster (--no-cluster): no pod ever runs"                                                       },
    {"[]",                                                  "there is no cluster (--no-cluster): no pod ever runs"},
};

static void test_wrong_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error err = ERROR_INIT;

        if (pod_scripts_add(NULL, rows[i].text, strlen(rows[i].text), &err))
            fail_msg("%s is taken", rows[i].text);
        if (strstr(err.text, rows[i].why) == NULL)
            fail_msg("%s: %s, wanted: %s", rows[i].text, err.text, rows[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_lists)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
