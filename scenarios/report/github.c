/* github - see github.h. */
#include "scenarios/report/github.h"

#include "controller/base/text.h"
#include "scenarios/report/escape.h"

#define MESSAGE_BYTES_MAX ((size_t)1024 * 1024)
/** More than this of the difference is not shown. */
#define DIFFERENCE_BYTES_MAX 4000

void github_append(const struct result *result, const char *program, struct buffer *buffer)
{
    const struct check *check = result_failed_check(result);
    struct buffer message = BUFFER_INIT(MESSAGE_BYTES_MAX);

    if (result->kind != RESULT_FAILED)
        return;
    buffer_append_text(buffer, "::error file=");
    github_append_property(buffer, result->path);
    if (check != NULL && check->line > 0)
        buffer_append_format(buffer, ",line=%u", check->line);
    buffer_append_text(buffer, ",title=");
    github_append_property(buffer, result->name);
    buffer_append_text(buffer, "::");
    if (check != NULL)
        buffer_append_format(&message, "%s\n", check->name);
    buffer_append_format(&message, "%s\n%.*s", text_or(result->reason, "unknown"),
                         DIFFERENCE_BYTES_MAX, text_or(result->details, ""));
    if (!text_is_empty(result->cleanup))
        buffer_append_format(&message, "in its cleanup:\n%s", result->cleanup);
    result_append_command(result, program, &message);
    github_append_message(buffer, buffer_text(&message));
    buffer_append_char(buffer, '\n');
    buffer_release(&message);
}
