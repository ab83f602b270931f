/* tap - see tap.h. */
#include "scenarios/report/tap.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/report/escape.h"
#include "scenarios/report/summary.h"

#define NAME_BYTES_MAX ((size_t)64 * 1024)

void tap_append_head(size_t count, struct buffer *buffer)
{
    buffer_append_format(buffer, "TAP version 14\n1..%zu\n", count);
}

/** A description: '#' would begin a directive. */
static void append_description(struct buffer *buffer, const char *text)
{
    struct buffer line = BUFFER_INIT(NAME_BYTES_MAX);

    plain_append_line(&line, text);
    for (const char *at = buffer_text(&line); *at != '\0'; at++) {
        if (*at == '#' || *at == '\\')
            buffer_append_char(buffer, '\\');
        buffer_append_char(buffer, *at);
    }
    buffer_release(&line);
}

/** The "2" says how far the block is indented, whatever its first line begins with. */
static void append_text(struct buffer *buffer, const char *key, const char *text)
{
    if (text_is_empty(text))
        return;
    buffer_append_format(buffer, "  %s: |2\n", key);
    append_indented(buffer, text, 4);
}

static void append_check(const struct check *check, size_t number, struct buffer *buffer)
{
    char begun[TIME_TEXT_SIZE];
    char ended[TIME_TEXT_SIZE];

    buffer_append_format(buffer, "    %sok %zu - ", check->verdict == CHECK_FAILED ? "not " : "",
                         number);
    append_description(buffer, check->name);
    if (check->verdict == CHECK_NOT_REACHED) {
        buffer_append_text(buffer, " # SKIP not reached\n");
        return;
    }
    duration_format(check->begun_us, begun);
    duration_format(check->ended_us, ended);
    buffer_append_text(buffer, "\n      ---\n");
    if (check->line > 0)
        buffer_append_format(buffer, "      line: %u\n", check->line);
    buffer_append_format(buffer, "      virtual: %s to %s\n      duration_ms: %.3f\n      ...\n",
                         begun, ended, (double)check->real_us / 1000);
}

static void append_checks(const struct result *result, struct buffer *buffer)
{
    const struct checks *checks = &result->checks;

    if (checks->count == 0)
        return;
    buffer_append_text(buffer, "# Subtest: ");
    append_description(buffer, result->name);
    buffer_append_format(buffer, "\n    1..%zu\n", checks->count);
    for (size_t i = 0; i < checks->count; i++)
        append_check(&checks->items[i], i + 1, buffer);
    if (checks->left_out > 0)
        buffer_append_format(buffer, "    # and %zu more\n", checks->left_out);
}

void tap_append(const struct result *result, size_t number, struct buffer *buffer)
{
    char virtual_text[TIME_TEXT_SIZE];

    append_checks(result, buffer);
    buffer_append_format(buffer, "%sok %zu - ", result->kind == RESULT_FAILED ? "not " : "",
                         number);
    append_description(buffer, result->name);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_text(buffer, " # SKIP ");
        append_description(buffer, text_or(result->reason, ""));
        buffer_append_char(buffer, '\n');
        return;
    }
    duration_format(result->virtual_us, virtual_text);
    buffer_append_format(buffer,
                         "\n  ---\n  virtual: %s\n  duration_ms: %.3f\n  seed: %" PRIu64 "\n",
                         virtual_text, (double)result->real_us / 1000, result->seed);
    append_text(buffer, "message", result->reason);
    append_text(buffer, "difference", result->details);
    append_text(buffer, "story", result->story);
    append_text(buffer, "cleanup", result->cleanup);
    buffer_append_text(buffer, "  ...\n");
}
