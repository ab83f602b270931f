#include "controller/base/log_limit.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/duration.h"

#define WINDOW_US US_PER_MINUTE

static bool is_over(const struct log_limit_message *message, int64_t now_us)
{
    return now_us - message->begin_us >= WINDOW_US;
}

/* Behind a minute in which lines were left out, or nothing was said, or neither. */
static void begin_window(struct log_limit_message *message, int64_t now_us)
{
    message->on_and_on = message->left_out > 0 && now_us - message->begin_us < 2 * WINDOW_US;
    message->begin_us = now_us;
    message->written = 0;
    message->left_out = 0;
}

/* NULL where there is no room for one more. */
static struct log_limit_message *find(struct log_limit *limit, const char *text, int64_t now_us)
{
    struct log_limit_message *message;

    for (size_t i = 0; i < limit->count; i++)
        if (strncmp(limit->messages[i].text, text, LOG_LIMIT_MESSAGE_SIZE - 1) == 0)
            return &limit->messages[i];
    if (limit->count == LOG_LIMIT_MESSAGES_MAX)
        return NULL;
    message = &limit->messages[limit->count++];
    snprintf(message->text, sizeof(message->text), "%s", text);
    message->begin_us = now_us;
    return message;
}

static bool admits(struct log_limit *limit, const struct log_record *record, int64_t now_us)
{
    struct log_limit_message *message;
    int64_t most;

    if (record->level < LOG_WARN)
        return true;
    message = find(limit, record->message, now_us);
    if (message == NULL)
        return true;
    if (is_over(message, now_us))
        begin_window(message, now_us);
    most = message->on_and_on ? LOG_LIMIT_LINES_ON_AND_ON : LOG_LIMIT_LINES;
    if (message->written >= most) {
        message->left_out++;
        return false;
    }
    message->written++;
    return true;
}

void log_limit_pass(struct log_limit *limit, const struct log_record *record, int64_t now_us,
                    void (*write)(void *arg, const struct log_record *record), void *arg)
{
    for (size_t i = 0; i < limit->count; i++) {
        struct log_limit_message *message = &limit->messages[i];
        const struct log_field fields[] = {LOG_TEXT("message", message->text),
                                           LOG_NUMBER("lines", message->left_out)};
        const struct log_record left_out = {LOG_WARN, "log lines left out", fields,
                                            ARRAY_SIZE(fields)};

        if (message->left_out == 0 || !is_over(message, now_us))
            continue;
        write(arg, &left_out);
        begin_window(message, now_us);
    }
    if (admits(limit, record, now_us))
        write(arg, record);
}
