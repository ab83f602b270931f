/* A fault that lasts does not flood the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/duration.h"
#include "controller/base/log_limit.h"

/* Begins somewhere: the zero of elapsed time means nothing. */
#define BEGIN_US (-7 * US_PER_HOUR)

/* So many lines of one message, every step_ms from from_s on; and the lines that come out, each
 * number of written ones and what it says of those left out. */
struct burst {
    double from_s;
    int step_ms;
    int lines;
    enum log_level level;
};

/* clang-format off */
static const struct row {
    const char *name;
    struct burst bursts[3];
    const char *want;
} rows[] = {
    {"as many as a minute may have", {{0, 0, 10, LOG_WARN}}, "10"},
    {"one more", {{0, 0, 11, LOG_WARN}}, "10"},
    {"one more, and the next minute", {{0, 0, 11, LOG_WARN}, {60, 0, 1, LOG_WARN}}, "10 (1) 1"},
    {"just before the minute is over", {{0, 0, 11, LOG_WARN}, {59.999, 0, 1, LOG_WARN}}, "10"},
    {"errors too", {{0, 0, 11, LOG_ERROR}, {60, 0, 1, LOG_ERROR}}, "10 (1) 1"},
    {"what was done is never left out", {{0, 0, 500, LOG_INFO}}, "500"},
    {"nor is what helps to look", {{0, 0, 500, LOG_DEBUG}}, "500"},
    {"on and on: one a minute", {{0, 0, 20, LOG_WARN}, {60, 0, 20, LOG_WARN}, {120, 0, 1, LOG_WARN}},
     "10 (10) 1 (19) 1"},
    {"a quiet minute, and all is new",
     {{0, 0, 11, LOG_WARN}, {120, 0, 20, LOG_WARN}, {180, 0, 1, LOG_WARN}}, "10 (1) 10 (10) 1"},
    {"slower, and all is new",
     {{0, 0, 11, LOG_WARN}, {60, 0, 1, LOG_WARN}, {120, 0, 11, LOG_WARN}}, "10 (1) 11"},
    {"an hour of a fault every 5 s", {{0, 5000, 720, LOG_WARN}, {3600, 0, 1, LOG_INFO}},
     "10 (2)" " 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11)"
     " 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11)"
     " 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11)"
     " 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11)"
     " 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1 (11) 1"},
};

/* clang-format on */

struct written {
    int run; /* lines since the last that told of others */
    struct buffer text;
};

static void flush(struct written *written)
{
    if (written->run > 0)
        buffer_append_format(&written->text, "%s%d", written->text.size > 0 ? " " : "",
                             written->run);
    written->run = 0;
}

static void on_write(void *arg, const struct log_record *record)
{
    struct written *written = arg;

    if (strcmp(record->message, "log lines left out") != 0) {
        written->run++;
        return;
    }
    flush(written);
    assert_int_equal(record->level, LOG_WARN);
    assert_int_equal(record->field_count, 2);
    assert_string_equal(record->fields[0].text, "it fails");
    buffer_append_format(&written->text, " (%lld)", (long long)record->fields[1].number);
}

static void check_row(const struct row *row)
{
    struct log_limit limit = {0};
    struct written written = {0, BUFFER_INIT(4096)};

    for (size_t i = 0; i < ARRAY_SIZE(row->bursts); i++) {
        const struct burst *burst = &row->bursts[i];
        const struct log_record record = {.level = burst->level, .message = "it fails"};
        int64_t now_us = BEGIN_US + (int64_t)(burst->from_s * 1e6);

        for (int line = 0; line < burst->lines; line++)
            log_limit_pass(&limit, &record, now_us + line * burst->step_ms * US_PER_MS, on_write,
                           &written);
    }
    flush(&written);
    if (strcmp(buffer_text(&written.text), row->want) != 0)
        fail_msg("%s: got %s", row->name, buffer_text(&written.text));
    buffer_release(&written.text);
}

static void test_repeats(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

static void count(void *arg, const struct log_record *record)
{
    (void)record;
    ++*(int *)arg;
}

/* Each message has lines of its own; those beyond what is kept are not limited. */
static void test_many_messages(void **state)
{
    struct log_limit limit = {0};
    int written = 0;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < LOG_LIMIT_MESSAGES_MAX + 1; i++) {
            char text[2 * LOG_LIMIT_MESSAGE_SIZE];
            struct log_record record = {.level = LOG_WARN, .message = text};

            snprintf(text, sizeof(text), "%d %0*d", i, LOG_LIMIT_MESSAGE_SIZE + i % 3, 0);
            log_limit_pass(&limit, &record, round, count, &written);
        }
    }
    assert_int_equal(written, LOG_LIMIT_MESSAGES_MAX * LOG_LIMIT_LINES + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_many_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
