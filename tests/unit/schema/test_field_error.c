#include "fakeapi/schema/field_error.h"

#include "tests/unit/schema/quoted.h"

static void test_values(void **state)
{
    static const struct {
        const char *json;
        const char *want;
    } rows[] = {
        {"null",                         "\"null\""             },
        {"true",                         "true"                 },
        {"5",                            "5"                    },
        {"-9223372036854775808",         "-9223372036854775808" },
        {"18446744073709551615",         "18446744073709551615" },
        {"1.5",                          "1.5"                  },
        {"2.0",                          "2"                    },
        {"0.1",                          "0.1"                  },
        {"1e20",                         "100000000000000000000"},
        {"1e21",                         "1e+21"                },
        {"0.0001",                       "0.0001"               },
        {"0.00001",                      "1e-05"                },
        {"'a\\u0001\\t\\\\b'",           "\"a\\x01\\t\\\\b\""   },
        {"'\xc3\xa9'",                   "\"\xc3\xa9\""         },
        {"'\xc2\xa0'",                   "\"\\u00a0\""          },
        {"{'b':[1,null],'a':{'x':'y'}}",
         "map[string]interface {}{\"a\":map[string]interface {}{\"x\":\"y\"}, "
         "\"b\":[]interface {}{1, interface {}(nil)}}"          },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *value = quoted(rows[i].json);
        struct buffer buffer = BUFFER_INIT(TEXT_BYTES_MAX);

        field_error_append_value(&buffer, value);
        if (strcmp(buffer_text(&buffer), rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].json, buffer_text(&buffer));
        buffer_release(&buffer);
        json_object_put(value);
    }
}

static void test_message(void **state)
{
    struct field_errors errors = FIELD_ERRORS_INIT;
    char *message;

    (void)state;
    message = message_of(&errors);
    assert_string_equal(message, "");
    free(message);
    field_errors_add(&errors, FIELD_REQUIRED, "a", "Required value");
    field_errors_add(&errors, FIELD_REQUIRED, "a", "Required value");
    message = message_of(&errors);
    assert_string_equal(message, "a: Required value");
    free(message);
    field_errors_add(&errors, FIELD_REQUIRED, "a", "Required value");
    field_errors_add(&errors, FIELD_FORBIDDEN, "b[0]", "Forbidden: %d", 7);
    assert_string_equal(field_error_reason(errors.items[1].type), "FieldValueForbidden");
    message = message_of(&errors);
    assert_string_equal(message, "[a: Required value, b[0]: Forbidden: 7]");
    free(message);
}

static void test_limit(void **state)
{
    struct field_errors errors = FIELD_ERRORS_INIT;
    char *message;

    (void)state;
    for (int i = 0; i < FIELD_ERRORS_MAX; i++)
        field_errors_add(&errors, FIELD_REQUIRED, "a", "%d", i);
    assert_int_equal(errors.left_out, 0);
    field_errors_add(&errors, FIELD_REQUIRED, "a", "one too many");
    assert_int_equal(errors.count, FIELD_ERRORS_MAX);
    message = message_of(&errors);
    assert_non_null(strstr(message, "a: 199, and 1 more]"));
    free(message);
    field_errors_release(&errors);

    /* and so many bytes */
    for (int i = 0; i < 4; i++) {
        assert_false(field_errors_skip(&errors));
        field_errors_add(&errors, FIELD_REQUIRED, "a", "%0*d", (int)(FIELD_ERRORS_BYTES_MAX / 4),
                         i);
    }
    assert_false(field_errors_skip(&errors));
    field_errors_add(&errors, FIELD_REQUIRED, "a", "x");
    assert_int_equal(errors.left_out, 0);
    assert_true(field_errors_skip(&errors));
    field_errors_add(&errors, FIELD_REQUIRED, "a", "y");
    assert_int_equal(errors.left_out, 2);
    assert_int_equal(errors.count, 5);
    field_errors_release(&errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
