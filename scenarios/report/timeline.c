/* timeline - see timeline.h. */
#include "scenarios/report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Of the page itself and the head of its data. */
#define PAGE_BYTES_MAX ((size_t)1024 * 1024)

/** timeline/page.html, page.css and the scripts in their order; see CMakeLists.txt. */
extern const char *const timeline_files[];

struct timeline timeline_new(void)
{
    return (struct timeline){.failed = BUFFER_INIT(TIMELINE_BYTES_MAX - PAGE_BYTES_MAX),
                             .others = BUFFER_INIT(TIMELINE_BYTES_MAX - PAGE_BYTES_MAX)};
}

/** In JSON '<' stands in texts alone; so written, nothing in the data can end its element. */
static void append_data(struct buffer *buffer, const char *json)
{
    while (*json != '\0') {
        size_t size = strcspn(json, "<");

        buffer_append(buffer, json, size);
        json += size;
        if (*json == '<') {
            buffer_append_text(buffer, "\\u003c");
            json++;
        }
    }
}

/** What only a machine compares, in a trace that has everything, is not drawn. */
static bool is_drawn(const char *line)
{
    static const char *const others[] = {"clock", "random", "timer", "body", "body sent", "file"};
    const char *event = strstr(line, "\"event\":\"");

    for (size_t i = 0; event != NULL && i < ARRAY_SIZE(others); i++) {
        size_t size = strlen(others[i]);

        if (strncmp(event + 9, others[i], size) == 0 && event[9 + size] == '"')
            return false;
    }
    return true;
}

static void append_events(struct buffer *buffer, const char *trace)
{
    while (*trace != '\0') {
        size_t size = strcspn(trace, "\n");
        char *line = xmemdup(trace, size);

        if (is_drawn(line)) {
            append_data(buffer, line);
            buffer_append_char(buffer, '\n');
        }
        free(line);
        trace += size + (trace[size] == '\n' ? 1 : 0);
    }
}

static void append_head(struct buffer *buffer, const struct result *result, const char *program)
{
    struct buffer command = BUFFER_INIT(PAGE_BYTES_MAX);
    struct buffer head = BUFFER_INIT(TIMELINE_BYTES_MAX);
    struct result shown = *result;

    shown.trace = NULL;
    shown.kept = NULL;
    result_append_command(result, program, &command);
    result_append(&shown, &head);
    buffer_append_text(buffer, "{\"run\":");
    append_data(buffer, buffer_text(&head));
    buffer_append_text(buffer, ",\"command\":");
    buffer_clear(&head);
    json_append_quoted(&head, buffer_text(&command), command.size);
    append_data(buffer, buffer_text(&head));
    buffer_append_text(buffer, "}\n");
    buffer_release(&head);
    buffer_release(&command);
}

void timeline_add(struct timeline *timeline, const struct result *result, const char *program)
{
    struct buffer run = BUFFER_INIT(TIMELINE_BYTES_MAX);
    struct buffer *into = result->kind == RESULT_FAILED ? &timeline->failed : &timeline->others;

    if (result->kind == RESULT_SKIPPED)
        return;
    append_head(&run, result, program);
    append_events(&run, text_or(result->trace, ""));
    if (result->trace == NULL || run.overflowed || run.size > into->size_max - into->size)
        timeline->left_out++;
    else
        buffer_append(into, run.bytes, run.size);
    if (into == &timeline->others && !run.overflowed)
        timeline->other_count++;
    buffer_release(&run);
}

/* --- the page --- */

static void append_source(struct buffer *policy, const char *kind, const char *text)
{
    uint8_t digest[SHA256_SIZE];
    char *base64;

    digest_sha256(text, strlen(text), digest);
    base64 = base64_encode(digest, sizeof(digest), false);
    buffer_append_format(policy, "; %s 'sha256-%s'", kind, base64);
    free(base64);
}

/** Nothing may be fetched, and no style or script may act but the two of the page. */
static void append_policy(struct buffer *buffer, const char *style, const char *script)
{
    buffer_append_text(buffer, "default-src 'none'; base-uri 'none'; form-action 'none'");
    append_source(buffer, "style-src", style);
    append_source(buffer, "script-src", script);
}

/** Where there is no room for all, those that failed have it. */
static void append_runs(const struct timeline *timeline, struct buffer *buffer)
{
    bool all = timeline->failed.size + timeline->others.size <= timeline->failed.size_max;

    buffer_append_format(buffer, "{\"format\":1,\"left_out\":%zu}\n",
                         timeline->left_out + (all ? 0 : timeline->other_count));
    buffer_append(buffer, buffer_text(&timeline->failed), timeline->failed.size);
    if (all)
        buffer_append(buffer, buffer_text(&timeline->others), timeline->others.size);
}

void timeline_append(const struct timeline *timeline, struct buffer *buffer)
{
    struct buffer script = BUFFER_INIT(PAGE_BYTES_MAX);
    const char *at = timeline_files[0];
    const char *style = timeline_files[1];
    const char *mark;

    for (size_t i = 2; timeline_files[i] != NULL; i++)
        buffer_append_text(&script, timeline_files[i]);
    for (mark = strchr(at, '@'); mark != NULL; mark = strchr(at, '@')) {
        buffer_append(buffer, at, (size_t)(mark - at));
        at = mark + 1;
        if (text_starts_with(at, "policy@"))
            append_policy(buffer, style, buffer_text(&script));
        else if (text_starts_with(at, "style@"))
            buffer_append_text(buffer, style);
        else if (text_starts_with(at, "script@"))
            buffer_append_text(buffer, buffer_text(&script));
        else
            append_runs(timeline, buffer);
        at = strchr(at, '@') + 1;
    }
    buffer_append_text(buffer, at);
    buffer_release(&script);
}

void timeline_release(struct timeline *timeline)
{
    buffer_release(&timeline->failed);
    buffer_release(&timeline->others);
}
