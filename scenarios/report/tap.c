/* tap - see tap.h. */
#include "scenarios/report/tap.h"

#include <inttypes.h>

#include "controller/base/json.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/report/summary.h"

void tap_append_head(size_t count, struct buffer *buffer)
{
    buffer_append_format(buffer, "TAP version 13\n1..%zu\n", count);
}

static void append_text(struct buffer *buffer, const char *key, const char *text)
{
    if (text_is_empty(text))
        return;
    buffer_append_format(buffer, "  %s: |\n", key);
    append_indented(buffer, text, 4);
}

void tap_append(const struct result *result, size_t number, struct buffer *buffer)
{
    char virtual_text[TIME_TEXT_SIZE];

    buffer_append_format(buffer, "%sok %zu - %s", result->kind == RESULT_FAILED ? "not " : "",
                         number, result->name);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_format(buffer, " # SKIP %s\n", text_or(result->reason, ""));
        return;
    }
    duration_format(result->virtual_us, virtual_text);
    buffer_append_format(buffer,
                         "\n  ---\n  virtual: %s\n  duration_ms: %.3f\n  seed: %" PRIu64 "\n",
                         virtual_text, (double)result->real_us / 1000, result->seed);
    append_text(buffer, "message", result->reason);
    append_text(buffer, "difference", result->details);
    append_text(buffer, "story", result->story);
    buffer_append_text(buffer, "  ...\n");
}
