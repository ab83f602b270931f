/* Content negotiation (WIRE.md T4 to T6, D10, L11). */
#include "fakeapi/rest/accept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

static const struct accept_offer objects = {.table = true, .partial = true};
static const struct accept_offer discovery = {.discovery = true};
static const struct accept_offer plain = {0};

static const struct {
    const char *name;
    const char *header;
    const struct accept_offer *offer;
    bool want;
    enum accept_form form;
    const char *version;
    bool yaml;
} rows[] = {
    {"none",                      NULL,                                                                        &objects,   true,  FORM_PLAIN,     "",        false},
    {"empty",                     "",                                                                          &objects,   true,  FORM_PLAIN,     "",        false},
    {"anything",                  "*/*",                                                                       &objects,   true,  FORM_PLAIN,     "",        false},
    {"any application",           "application/*",                                                             &objects,   true,  FORM_PLAIN,     "",        false},
    {"yaml",                      "application/yaml",                                                          &objects,   true,  FORM_PLAIN,     "",        true },
    {"protobuf alone",            "application/vnd.kubernetes.protobuf",                                       &objects,   false, FORM_PLAIN,     "",
     false                                                                                                                                                        },
    {"protobuf, then json",       "application/vnd.kubernetes.protobuf,application/json",                      &objects,   true,
     FORM_PLAIN,                                                                                                                                  "",        false},
    {"html",                      "text/html",                                                                 &objects,   false, FORM_PLAIN,     "",        false},
    {"charset is ignored",        "application/json; charset=utf-8",                                           &objects,   true,  FORM_PLAIN,     "",
     false                                                                                                                                                        },
    {"table",                     "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",             &objects,   true,
     FORM_TABLE,                                                                                                                                  "v1",      false},
    {"table where there is none", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
     &plain,                                                                                                               true,  FORM_PLAIN,     "",        false},
    {"table or nothing",          "application/json;as=Table;v=v1;g=meta.k8s.io",                              &plain,     false, FORM_PLAIN,
     "",                                                                                                                                                     false},
    {"quality orders",            "application/json;as=Table;v=v1;g=meta.k8s.io;q=0.5,application/yaml;q=0.8",
     &objects,                                                                                                             true,  FORM_PLAIN,     "",        true },
    {"quality 0 is never",        "application/json;q=0",                                                      &objects,   false, FORM_PLAIN,     "",        false},
    {"another group",             "application/json;as=Table;v=v1;g=x",                                        &objects,   false, FORM_PLAIN,     "",        false},
    {"discovery v2",
     "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",                  &discovery, true,  FORM_DISCOVERY, "v2",      false},
    {"discovery v2beta1",
     "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",                              &discovery, true,
     FORM_DISCOVERY,                                                                                                                              "v2beta1", false},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct accept accept = {.form = FORM_PLAIN, .version = ""};
        bool got = accept_choose(rows[i].header, rows[i].offer, &accept);

        if (got != rows[i].want ||
            (got && (accept.form != rows[i].form || accept.yaml != rows[i].yaml ||
                     strcmp(accept.version, rows[i].version) != 0)))
            fail_msg("%s: got %d, form %d, version %s", rows[i].name, got, accept.form,
                     accept.version);
    }
}

static void test_limits(void **state)
{
    char header[ACCEPT_BYTES_MAX + 1];
    struct accept accept;

    (void)state;
    memset(header, ' ', sizeof(header));
    memcpy(header, "*/*", 3);
    header[ACCEPT_BYTES_MAX - 1] = '\0';
    assert_true(accept_choose(header, &plain, &accept));
    header[ACCEPT_BYTES_MAX - 1] = ' ';
    header[ACCEPT_BYTES_MAX] = '\0';
    assert_false(accept_choose(header, &plain, &accept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
