/* AgentDefinitions: defaults, enums, lists, and what makes one unusable (RULES 0, 1.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/kinds/definition.h"

static bool read_spec(const char *spec, struct definition **ret_definition, struct error *err)
{
    struct buffer text = BUFFER_INIT(4096);
    struct json_object *ignored = NULL;
    bool ok;

    buffer_append_format(&text, "{\"metadata\":{\"name\":\"d\"},\"spec\":%s}", spec);
    assert_true(json_parse(text.bytes, text.size, 4096, &ignored, err));
    json_object_put(ignored);
    ok = definition_read((struct json_slice){text.bytes, text.size}, ret_definition, err);
    buffer_release(&text);
    return ok;
}

static const struct row {
    const char *name;
    const char *spec;
    enum execution execution;
    bool bypass;
    enum tool_command command;
} rows[] = {
    {"1.3: defaults",                "{}",                                        EXECUTION_INTERACTIVE, false, COMMAND_ABSENT    },
    {"1.3: batch",                   "{\"execution\":\"batch\"}",                 EXECUTION_BATCH,       false, COMMAND_ABSENT    },
    {"1.3: realtime",                "{\"execution\":\"realtime\"}",              EXECUTION_REALTIME,    false, COMMAND_ABSENT    },
    {"1.3: unknown execution",       "{\"execution\":\"Batch\"}",                 EXECUTION_INTERACTIVE, false,
     COMMAND_ABSENT                                                                                                               },
    {"1.3: bypass",                  "{\"permission_mode\":\"bypass\"}",          EXECUTION_INTERACTIVE, true,
     COMMAND_ABSENT                                                                                                               },
    {"1.3: auto",                    "{\"permission_mode\":\"auto\"}",            EXECUTION_INTERACTIVE, false, COMMAND_ABSENT    },
    {"1.3: unknown is never bypass", "{\"permission_mode\":\"Bypass\"}",          EXECUTION_INTERACTIVE,
     false,                                                                                                     COMMAND_ABSENT    },
    {"2.7: a command",               "{\"tool_config\":{\"command\":[\"a\"]}}",   EXECUTION_INTERACTIVE, false,
     COMMAND_OK                                                                                                                   },
    {"2.7: an empty command",        "{\"tool_config\":{\"command\":[]}}",        EXECUTION_INTERACTIVE, false,
     COMMAND_NOT_A_LIST                                                                                                           },
    {"2.7: a text as a command",     "{\"tool_config\":{\"command\":\"a\"}}",     EXECUTION_INTERACTIVE,
     false,                                                                                                     COMMAND_NOT_A_LIST},
    {"2.7: numbers in a command",    "{\"tool_config\":{\"command\":[\"a\",1]}}",
     EXECUTION_INTERACTIVE,                                                                              false, COMMAND_NOT_TEXTS },
    {"2.7: other tool_config",       "{\"tool_config\":{\"other\":1}}",           EXECUTION_INTERACTIVE, false,
     COMMAND_ABSENT                                                                                                               },
};

static void test_modes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct definition *got = NULL;
        struct error err = ERROR_INIT;

        if (!read_spec(rows[i].spec, &got, &err))
            fail_msg("%s: %s", rows[i].name, err.text);
        if (got->execution != rows[i].execution || got->bypass != rows[i].bypass ||
            got->tool_command != rows[i].command)
            fail_msg("%s: differs", rows[i].name);
        definition_free(got);
    }
}

static void test_lists(void **state)
{
    struct definition *got = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(read_spec(
        "{\"model\":\"m\",\"prompt\":\"p\",\"max_turns\":4,\"allowed_tools\":[\"A\",\"B\"],"
        "\"resources\":{\"env\":[{\"name\":\"N\",\"value\":\"V\"}],"
        "\"secrets\":[{\"name\":\"S\",\"ref\":\"r\"}],"
        "\"mcp_servers\":[{\"name\":\"m\",\"transport\":\"stdio\",\"command\":\"c\",\"args\":["
        "\"x\"]}],"
        "\"repos\":[{\"name\":\"r\",\"url\":\"u\"},{\"token_secret\":\"t\"}],"
        "\"skills\":[\"k\"],\"skills_source\":\"src\",\"conversation\":{\"pin\":\"P\"}},"
        "\"output\":{\"select\":[{\"event\":\"result\"}],\"sinks\":[{\"type\":\"http\"}],"
        "\"watch\":[{\"event\":\"e\",\"path\":\"p\",\"upload\":{\"url\":\"U\"}},{\"event\":\"f\"}]}"
        "}",
        &got, &err));
    assert_string_equal(got->model, "m");
    assert_int_equal(got->max_turns, 4);
    assert_int_equal(got->allowed_tools.count, 2);
    assert_string_equal(got->allowed_tools.items[1], "B");
    assert_string_equal(got->env[0].value, "V");
    assert_string_equal(got->secrets[0].ref, "r");
    assert_string_equal(got->servers[0].args.items[0], "x");
    assert_int_equal(got->repo_count, 2);
    assert_string_equal(got->repos[0].token_secret, "");
    assert_string_equal(got->repos[1].token_secret, "t");
    assert_string_equal(got->skills.items[0], "k");
    assert_string_equal(got->conversation.pin, "P");
    assert_string_equal(got->conversation.id, "");
    assert_string_equal(got->selects[0].event, "result");
    assert_string_equal(got->sinks[0].type, "http");
    assert_string_equal(got->watches[0].upload_url, "U");
    assert_string_equal(got->watches[1].upload_url, "");
    definition_free(got);
}

static void test_unusable(void **state)
{
    static const char *const specs[] = {
        "[]",
        "{\"model\":5}",
        "{\"prompt\":[]}",
        "{\"allowed_tools\":\"A\"}",
        "{\"disallowed_tools\":[1]}",
        "{\"max_turns\":\"4\"}",
        "{\"tool_config\":[]}",
        "{\"execution\":true}",
        "{\"resources\":[]}",
        "{\"resources\":{\"env\":[5]}}",
        "{\"resources\":{\"env\":[{\"name\":\"a\"},{\"name\":5}]}}",
        "{\"resources\":{\"mcp_servers\":[{\"args\":[5]}]}}",
        "{\"resources\":{\"skills\":{}}}",
        "{\"resources\":{\"conversation\":\"c\"}}",
        "{\"output\":{\"watch\":[{\"upload\":\"u\"}]}}",
        "{\"output\":{\"sinks\":{}}}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct definition *got = NULL;
        struct error err = ERROR_INIT;

        if (read_spec(specs[i], &got, &err))
            fail_msg("%s was taken", specs[i]);
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_unusable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
