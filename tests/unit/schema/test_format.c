#include "fakeapi/schema/format.h"

#include "tests/unit/schema/quoted.h"

/* clang-format off */
static const struct row {
    const char *format;
    const char *text;
    bool want;
} rows[] = {
    {"date-time", "2024-02-29T12:00:00Z", true},
    {"date-time", "2024-02-29t12:00:00.123456789z", true},
    {"date-time", "2024-02-29T23:59:59+01:00", true},
    {"date-time", "2023-02-29T12:00:00Z", false},
    {"date-time", "2024-02-29T24:00:00Z", false},
    {"date-time", "2024-02-29T12:60:00Z", false},
    {"date-time", "2024-02-29T12:00:60Z", false},
    {"date-time", "2024-02-29T12:00:00", false},
    {"date-time", "2024-02-29 12:00:00Z", false},
    {"date-time", "2024-02-29T12:00:00.Z", false},
    {"date-time", "2024-02-29T12:00:00Zx", false},
    {"date-time", "", false},
    {"datetime", "2024-02-29T12:00:00Z", true},
    {"datetime", "soon", false},
    {"date", "2024-02-29", true},
    {"date", "2024-13-01", false},
    {"duration", "1h5m", true},
    {"duration", "3 days", true},
    {"duration", "days", false},
    {"uri", "https://example.com/x?y=1", true},
    {"uri", "/path", true},
    {"uri", "relative/path", false},
    {"uri", "https://example.com/%zz", false},
    {"uri", "a b:c", false},
    {"email", "a@example.com", true},
    {"email", "a@b@c", false},
    {"email", "@example.com", false},
    {"hostname", "a.example.com", true},
    {"hostname", "-a.example.com", false},
    {"hostname", "a..b", false},
    {"ipv4", "10.0.0.1", true},
    {"ipv4", "10.0.0.256", false},
    {"ipv4", "::1", false},
    {"ipv6", "fe80::1", true},
    {"ipv6", "10.0.0.1", false},
    {"cidr", "10.0.0.0/8", true},
    {"cidr", "10.0.0.0/33", false},
    {"cidr", "::/128", true},
    {"cidr", "10.0.0.0", false},
    {"mac", "01:23:45:67:89:ab", true},
    {"mac", "01:23:45:67:89", false},
    {"uuid", "123e4567-e89b-12d3-a456-426614174000", true},
    {"uuid", "123e4567", false},
    {"uuid3", "123e4567-e89b-32d3-a456-426614174000", true},
    {"uuid4", "123e4567-e89b-42d3-a456-426614174000", true},
    {"uuid4", "123e4567-e89b-42d3-c456-426614174000", false},
    {"uuid5", "123e4567-e89b-42d3-a456-426614174000", false},
    {"byte", "aGk=", true},
    {"byte", "aGk", false},
    {"hexcolor", "#ffF", true},
    {"hexcolor", "#ffff", false},
    {"rgbcolor", "rgb(1,2,255)", true},
    {"rgbcolor", "rgb(1,2,256)", false},
    {"creditcard", "4111 1111 1111 1111", true},
    {"creditcard", "4111 1111 1111 1112", false},
    {"isbn", "0-306-40615-2", true},
    {"isbn10", "0-306-40615-3", false},
    {"isbn13", "978-0-306-40615-7", true},
    {"isbn13", "978-0-306-40615-8", false},
    {"ssn", "123-45-6789", true},
    {"ssn", "123-456-789", false},
    {"bsonobjectid", "507f1f77bcf86cd799439011", true},
    {"bsonobjectid", "507f1f77bcf86cd79943901", false},
    {"password", "anything", true},
    {"made-up", "anything", true},
    {"int32", "anything", true},
};
/* clang-format on */

static void test_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum format format = format_of(rows[i].format);

        if (format_matches(format, rows[i].text, strlen(rows[i].text)) != rows[i].want)
            fail_msg("%s: '%s'", rows[i].format, rows[i].text);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_int_equal(format_of(NULL), FORMAT_NONE);
    assert_string_equal(format_name(FORMAT_DATE_TIME), "date-time");
    assert_string_equal(format_name(FORMAT_NONE), "");
    /* a NUL inside is no part of any format */
    assert_false(format_matches(FORMAT_BYTE, "aGk=\0", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
