/* junit - see junit.h. */
#include "scenarios/report/junit.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"

/** XML 1.0 has no way to write most control characters: they become '?'. */
static void append_escaped(struct buffer *buffer, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '<')
            buffer_append_text(buffer, "&lt;");
        else if (byte == '>')
            buffer_append_text(buffer, "&gt;");
        else if (byte == '&')
            buffer_append_text(buffer, "&amp;");
        else if (byte == '"')
            buffer_append_text(buffer, "&quot;");
        else if (byte < ' ' && byte != '\n' && byte != '\t')
            buffer_append_char(buffer, '?');
        else
            buffer_append_char(buffer, *text);
    }
}

static void append_attribute(struct buffer *buffer, const char *name, const char *text)
{
    buffer_append_format(buffer, " %s=\"", name);
    append_escaped(buffer, text);
    buffer_append_char(buffer, '"');
}

/** The folder of "first/run-succeeds" is "first". */
static size_t folder_size(const struct result *result)
{
    const char *slash = strchr(result->name, '/');

    return slash == NULL ? 0 : (size_t)(slash - result->name);
}

static bool same_folder(const struct result *a, const struct result *b)
{
    return folder_size(a) == folder_size(b) && strncmp(a->name, b->name, folder_size(a)) == 0;
}

static void append_case(const struct result *result, struct buffer *buffer)
{
    size_t size = folder_size(result);
    char virtual_text[TIME_TEXT_SIZE];

    buffer_append_text(buffer, "    <testcase");
    append_attribute(buffer, "name", result->name + size + (size == 0 ? 0 : 1));
    buffer_append_text(buffer, " classname=\"");
    buffer_append_format(buffer, "%.*s\"", (int)size, result->name);
    append_attribute(buffer, "file", result->path);
    buffer_append_format(buffer, " time=\"%.6f\">\n", (double)result->real_us / US_PER_SECOND);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_text(buffer, "      <skipped");
        append_attribute(buffer, "message", text_or(result->reason, ""));
        buffer_append_text(buffer, "/>\n");
    } else if (result->kind == RESULT_FAILED) {
        buffer_append_text(buffer, "      <failure");
        append_attribute(buffer, "message", text_or(result->reason, "unknown"));
        buffer_append_char(buffer, '>');
        append_escaped(buffer, text_or(result->details, ""));
        append_escaped(buffer, text_or(result->story, ""));
        buffer_append_text(buffer, "</failure>\n");
    }
    duration_format(result->virtual_us, virtual_text);
    buffer_append_format(buffer,
                         "      <system-out>seed %" PRIu64 ", %s of virtual time</system-out>\n"
                         "    </testcase>\n",
                         result->seed, virtual_text);
}

static void append_counts(const struct result *results, size_t count, struct buffer *buffer)
{
    size_t failed = 0;
    size_t skipped = 0;
    int64_t real_us = 0;

    for (size_t i = 0; i < count; i++) {
        failed += results[i].kind == RESULT_FAILED ? 1 : 0;
        skipped += results[i].kind == RESULT_SKIPPED ? 1 : 0;
        real_us += results[i].real_us;
    }
    buffer_append_format(buffer,
                         " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
                         "time=\"%.6f\">\n",
                         count, failed, skipped, (double)real_us / US_PER_SECOND);
}

void junit_append(const struct result *results, size_t count, struct buffer *buffer)
{
    size_t first = 0;

    buffer_append_text(buffer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    append_counts(results, count, buffer);
    while (first < count) {
        size_t end = first + 1;

        while (end < count && same_folder(&results[first], &results[end]))
            end++;
        buffer_append_format(buffer, "  <testsuite name=\"%.*s\"",
                             (int)folder_size(&results[first]), results[first].name);
        append_counts(results + first, end - first, buffer);
        for (size_t i = first; i < end; i++)
            append_case(&results[i], buffer);
        buffer_append_text(buffer, "  </testsuite>\n");
        first = end;
    }
    buffer_append_text(buffer, "</testsuites>\n");
}
