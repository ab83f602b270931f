/* junit - see junit.h. Elements, their order and their attributes are those of Jenkins' schema, and
 * "file" and "line" of a case, which GitLab and others read. */
#include "scenarios/report/junit.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/report/escape.h"

#define VALUE_BYTES_MAX ((size_t)64 * 1024)

/** What a suite, or all of them, add up to. */
struct counts {
    size_t cases;
    size_t failed;
    size_t skipped;
    int64_t real_us;
};

/** A scenario without checks, as one that is skipped, is a case itself. */
static void count(const struct result *result, struct counts *counts)
{
    const struct checks *checks = &result->checks;

    counts->real_us += result->real_us;
    counts->cases += checks->count;
    for (size_t i = 0; i < checks->count; i++) {
        counts->failed += checks->items[i].verdict == CHECK_FAILED ? 1 : 0;
        counts->skipped += checks->items[i].verdict == CHECK_NOT_REACHED ? 1 : 0;
    }
    if (result_failed_check(result) != NULL || (checks->count > 0 && result->kind != RESULT_FAILED))
        return;
    counts->cases++;
    counts->failed += result->kind == RESULT_FAILED ? 1 : 0;
    counts->skipped += result->kind == RESULT_SKIPPED ? 1 : 0;
}

static void append_counts(const struct counts *counts, struct buffer *buffer)
{
    buffer_append_format(buffer,
                         " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
                         "time=\"%.6f\">\n",
                         counts->cases, counts->failed, counts->skipped,
                         (double)counts->real_us / US_PER_SECOND);
}

static void append_property(const char *name, const char *value, struct buffer *buffer)
{
    buffer_append_text(buffer, "      <property");
    xml_append_attribute(buffer, "name", name);
    xml_append_attribute(buffer, "value", value);
    buffer_append_text(buffer, "/>\n");
}

static void append_properties(const struct result *result, const char *program,
                              struct buffer *buffer)
{
    struct buffer value = BUFFER_INIT(VALUE_BYTES_MAX);

    buffer_append_text(buffer, "    <properties>\n");
    buffer_append_format(&value, "%" PRIu64, result->seed);
    append_property("seed", buffer_text(&value), buffer);
    buffer_clear(&value);
    buffer_append_format(&value, "%.6f", (double)result->virtual_us / US_PER_SECOND);
    append_property("virtual.seconds", buffer_text(&value), buffer);
    if (*result->hash != '\0')
        append_property("trace.hash", result->hash, buffer);
    buffer_clear(&value);
    result_append_command(result, program, &value);
    append_property("repeat", buffer_text(&value), buffer);
    buffer_append_text(buffer, "    </properties>\n");
    buffer_release(&value);
}

static void append_failure(const struct result *result, const char *program, struct buffer *buffer)
{
    struct buffer command = BUFFER_INIT(VALUE_BYTES_MAX);

    result_append_command(result, program, &command);
    buffer_append_text(buffer, "      <failure");
    xml_append_attribute(buffer, "message", text_or(result->reason, "unknown"));
    xml_append_attribute(buffer, "type", text_or(result->failure, "failed"));
    buffer_append_char(buffer, '>');
    xml_append(buffer, result->details);
    xml_append(buffer, result->story);
    buffer_append_text(buffer, "to repeat it: ");
    xml_append(buffer, buffer_text(&command));
    buffer_append_text(buffer, "\n</failure>\n");
    buffer_release(&command);
}

/** What failed in the cleanup, apart from what failed before. */
static void append_failed_cleanup(const struct result *result, struct buffer *buffer)
{
    buffer_append_text(buffer, "      <failure message=\"the cleanup failed\" type=\"cleanup\">");
    xml_append(buffer, result->cleanup);
    buffer_append_text(buffer, "</failure>\n");
}

/** "first/bad" as "first.bad": what stands before the last point is taken for a package. */
static void append_class(const char *name, struct buffer *buffer)
{
    struct buffer text = BUFFER_INIT(VALUE_BYTES_MAX);

    for (; *name != '\0'; name++)
        buffer_append_char(&text, *name == '/' ? '.' : *name);
    xml_append_attribute(buffer, "classname", buffer_text(&text));
    buffer_release(&text);
}

static void open_case(const struct result *result, const char *name, unsigned line, int64_t real_us,
                      struct buffer *buffer)
{
    buffer_append_text(buffer, "    <testcase");
    xml_append_attribute(buffer, "name", name);
    append_class(result->name, buffer);
    xml_append_attribute(buffer, "file", result->path);
    if (line > 0)
        buffer_append_format(buffer, " line=\"%u\"", line);
    buffer_append_format(buffer, " time=\"%.6f\">\n", (double)real_us / US_PER_SECOND);
}

static void append_check(const struct result *result, const struct check *check,
                         const char *program, struct buffer *buffer)
{
    char begun[TIME_TEXT_SIZE];
    char ended[TIME_TEXT_SIZE];

    open_case(result, check->name, check->line, check->real_us, buffer);
    if (check->verdict == CHECK_NOT_REACHED)
        buffer_append_text(buffer, "      <skipped message=\"the run ended before it\"/>\n");
    if (check->verdict == CHECK_FAILED && check->cleanup)
        append_failed_cleanup(result, buffer);
    else if (check->verdict == CHECK_FAILED)
        append_failure(result, program, buffer);
    if (check->begun_us >= 0 && check->ended_us >= 0) {
        duration_format(check->begun_us, begun);
        duration_format(check->ended_us, ended);
        buffer_append_format(buffer, "      <system-out>virtual time: %s to %s</system-out>\n",
                             begun, ended);
    }
    buffer_append_text(buffer, "    </testcase>\n");
}

static void append_whole(const struct result *result, const char *program, struct buffer *buffer)
{
    open_case(result, "whole", 0, result->real_us, buffer);
    if (result->kind == RESULT_SKIPPED) {
        buffer_append_text(buffer, "      <skipped");
        xml_append_attribute(buffer, "message", text_or(result->reason, ""));
        buffer_append_text(buffer, "/>\n");
    } else if (result->kind == RESULT_FAILED) {
        append_failure(result, program, buffer);
    }
    buffer_append_text(buffer, "    </testcase>\n");
}

static void append_suite(const struct result *result, size_t index, const char *program,
                         struct buffer *buffer)
{
    struct counts counts = {0};

    count(result, &counts);
    buffer_append_text(buffer, "  <testsuite");
    xml_append_attribute(buffer, "name", result->name);
    buffer_append_format(buffer, " id=\"%zu\"", index);
    append_counts(&counts, buffer);
    append_properties(result, program, buffer);
    for (size_t i = 0; i < result->checks.count; i++)
        append_check(result, &result->checks.items[i], program, buffer);
    if (counts.cases > result->checks.count)
        append_whole(result, program, buffer);
    buffer_append_text(buffer, "  </testsuite>\n");
}

void junit_append(const struct result *results, size_t result_count, const char *program,
                  struct buffer *buffer)
{
    struct counts counts = {0};

    for (size_t i = 0; i < result_count; i++)
        count(&results[i], &counts);
    buffer_append_text(buffer, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<testsuites name=\"scenarios\"");
    append_counts(&counts, buffer);
    for (size_t i = 0; i < result_count; i++)
        append_suite(&results[i], i, program, buffer);
    buffer_append_text(buffer, "</testsuites>\n");
}
