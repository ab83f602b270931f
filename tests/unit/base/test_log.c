/* Log records as text and as JSON. */
#include "controller/base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/json.h"

static void test_levels(void **state)
{
    enum log_level level = LOG_DEBUG;

    (void)state;
    assert_string_equal(log_level_name(LOG_WARN), "warn");
    for (int i = LOG_DEBUG; i <= LOG_ERROR; i++) {
        assert_true(log_level_parse(log_level_name((enum log_level)i), &level));
        assert_int_equal(level, i);
    }
    assert_false(log_level_parse("Info", &level));
    assert_false(log_level_parse("", &level));
    assert_false(log_level_parse(NULL, &level));
}

static const struct {
    const char *value;
    const char *want;
} value_rows[] = {
    {"ctl-0",            "ctl-0"                       },
    {"a/b:c,[d]",        "a/b:c,[d]"                   },
    {"\xc3\xa9",         "\xc3\xa9"                    },
    {"",                 "\"\""                        },
    {NULL,               "\"\""                        },
    {"a b",              "\"a b\""                     },
    {"a=b",              "\"a=b\""                     },
    {"a\"b",             "\"a\\\"b\""                  },
    {"a\\b",             "\"a\\\\b\""                  },
    {"a\nx=y",           "\"a\\nx=y\""                 },
    {"\x1b[31m",         "\"\\u001b[31m\""             },
    {"a\x7f",            "\"a\\u007f\""                },
    {"\xc2\x9b[31m",     "\"\\u009b[31m\""             },
    {"\xc2\xa0",         "\xc2\xa0"                    },
    {"a\xe2\x80\xa8x",   "\"a\\u2028x\""               },
    {"\xe2\x80\xae"
     "gnp",         "\"\\u202egnp\""              },
    {"\xe2\x81\xa6x",    "\"\\u2066x\""                },
    {"\xe2\x80\xaf",     "\xe2\x80\xaf"                },
    {"\xd8\x9c",         "\"\\u061c\""                 },
    {"\xf0\x9f\x99\x82", "\xf0\x9f\x99\x82"            },
    {"\xe2\x80",         "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\xe2",             "\"\xef\xbf\xbd\""            },
    {"\xff",             "\"\xef\xbf\xbd\""            },
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(value_rows); i++) {
        const struct log_field fields[] = {LOG_TEXT("k", value_rows[i].value)};
        const struct log_record record = {LOG_INFO, "it", fields, 1};
        struct buffer buffer = BUFFER_INIT(10000);

        log_append_text(&buffer, &record);
        assert_memory_equal(buffer_text(&buffer), "it k=", 5);
        if (strcmp(buffer_text(&buffer) + 5, value_rows[i].want) != 0)
            fail_msg("row %zu: got %s", i, buffer_text(&buffer));
        buffer_release(&buffer);
    }
}

static void test_both_forms(void **state)
{
    const struct log_field fields[] = {
        LOG_TEXT("holder", "ctl-0"),
        LOG_NUMBER("age_s", 15),
        LOG_NUMBER("least", INT64_MIN),
        LOG_TEXT("why", "a \"b\""),
    };
    const struct log_record record = {LOG_WARN, "lease lapsed", fields, ARRAY_SIZE(fields)};
    struct buffer buffer = BUFFER_INIT(10000);

    (void)state;
    log_append_text(&buffer, &record);
    assert_string_equal(buffer_text(&buffer),
                        "lease lapsed holder=ctl-0 age_s=15 least=-9223372036854775808 "
                        "why=\"a \\\"b\\\"\"");
    buffer_clear(&buffer);
    log_append_json(&buffer, &record, 1709208000123456);
    assert_string_equal(buffer_text(&buffer),
                        "{\"time\":\"2024-02-29T12:00:00.123456Z\",\"level\":\"warn\","
                        "\"msg\":\"lease lapsed\",\"holder\":\"ctl-0\",\"age_s\":15,"
                        "\"least\":-9223372036854775808,\"why\":\"a \\\"b\\\"\"}");
    assert_true(json_check(buffer.bytes, buffer.size, buffer.size, NULL));
    buffer_release(&buffer);
}

static const struct {
    const char *name;
    size_t ascii; /* letters in front */
    const char *tail;
    size_t want; /* bytes shown; cut ones end in "..." */
    bool cut;
} cut_rows[] = {
    {"longest",                LOG_VALUE_BYTES_MAX,     "",             LOG_VALUE_BYTES_MAX,     false},
    {"one longer",             LOG_VALUE_BYTES_MAX + 1, "",             LOG_VALUE_BYTES_MAX,     true },
    {"cut inside a character", LOG_VALUE_BYTES_MAX - 4, "\xc3\xa9xxxx", LOG_VALUE_BYTES_MAX - 1,
     true                                                                                             },
    {"cut behind a character", LOG_VALUE_BYTES_MAX - 5, "\xc3\xa9xxxx", LOG_VALUE_BYTES_MAX,     true },
};

static void test_cutting(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cut_rows); i++) {
        char value[LOG_VALUE_BYTES_MAX + 16];
        const struct log_field fields[] = {LOG_TEXT("k", value)};
        const struct log_record record = {LOG_INFO, "it", fields, 1};
        struct buffer buffer = BUFFER_INIT(10000);

        memset(value, 'a', cut_rows[i].ascii);
        strcpy(value + cut_rows[i].ascii, cut_rows[i].tail);
        log_append_text(&buffer, &record);
        if (buffer.size - 5 != cut_rows[i].want)
            fail_msg("%s: %zu bytes", cut_rows[i].name, buffer.size - 5);
        if ((strcmp(buffer.bytes + buffer.size - 3, "...") == 0) != cut_rows[i].cut)
            fail_msg("%s: ends in %s", cut_rows[i].name, buffer.bytes + buffer.size - 3);
        buffer_release(&buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_both_forms),
        cmocka_unit_test(test_cutting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
