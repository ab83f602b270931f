/* finding - see finding.h. */
#include "scenarios/search/finding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/invariants/invariants.h"
#include "scenarios/language/scenario.h"
#include "scenarios/search/document.h"

/** Most letters of what failed in a name, and of the digest. */
#define NAME_LETTERS 40
#define NAME_DIGITS 6
/** Where a line of the story is cut. */
#define COMMENT_COLUMNS 100
/** Longest comment. */
#define COMMENT_BYTES_MAX ((size_t)64 * 1024)

/* --- its name and description --- */

static bool is_letter(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

/** "expect: Agent hello" is "expect-agent-hello". */
static void append_slug(struct buffer *buffer, const char *text)
{
    bool dash = false;

    for (; *text != '\0' && buffer->size < NAME_LETTERS; text++) {
        char small = (char)tolower((unsigned char)*text);

        if (is_letter(small) && dash && buffer->size > 0)
            buffer_append_char(buffer, '-');
        if (is_letter(small))
            buffer_append_char(buffer, small);
        dash = !is_letter(small);
    }
}

char *finding_name(const char *failure, const void *source, size_t source_size)
{
    struct buffer name = BUFFER_INIT(COMMENT_BYTES_MAX);
    uint8_t digest[SHA256_SIZE];
    char hex[SHA256_HEX_SIZE];
    size_t size;

    digest_sha256(source, source_size, digest);
    digest_hex(digest, sizeof(digest), hex);
    append_slug(&name, failure);
    buffer_append_format(&name, "%s%.*s.yaml", name.size == 0 ? "" : "-", NAME_DIGITS, hex);
    return buffer_take(&name, &size);
}

char *finding_description(const struct outcome *outcome)
{
    const struct invariant *invariant = invariant_find(outcome->failure);

    return invariant == NULL ? xprintf("What fails as '%s' does not fail.", outcome->failure)
                             : xprintf("%s holds: %s", invariant->id, invariant->what);
}

/* --- the comment --- */

/** Where the last so many lines begin. */
static const char *last_lines(const char *text, size_t count)
{
    const char *at = text + strlen(text);

    while (at > text) {
        if (at[-1] == '\n' && at[0] != '\0' && --count == 0)
            break;
        at--;
    }
    return at;
}

/** A line, cut to the width of a file, without what would not be printed. */
static void append_cut(struct buffer *comment, const char *line, size_t size)
{
    size_t kept = 0;

    while (kept < size) {
        size_t step = text_utf8_size(line + kept, size - kept);

        if (step == 0 || kept + step > COMMENT_COLUMNS - 2 || (unsigned char)line[kept] < ' ')
            break;
        kept += step;
    }
    buffer_append(comment, line, kept);
    buffer_append_char(comment, '\n');
}

static void append_cut_lines(struct buffer *comment, const char *text)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "\n");

        append_cut(comment, text, size);
        text += size + (text[size] == '\n' ? 1 : 0);
    }
}

void finding_append(struct buffer *buffer, const struct json_object *tree,
                    const struct outcome *outcome, const char *path, const char *origin)
{
    struct buffer comment = BUFFER_INIT(COMMENT_BYTES_MAX);
    const char *reason = text_or(outcome->reason, "it fails");

    append_cut(&comment, reason, strcspn(reason, "\n"));
    buffer_append_char(&comment, '\n');
    append_cut_lines(&comment, last_lines(text_or(outcome->story, ""), FINDING_STORY_LINES));
    buffer_append_format(&comment, "\n%s\nscenario run %s\n", origin, path);
    if (*outcome->hash != '\0')
        buffer_append_format(&comment, "trace hash %s\n", outcome->hash);
    document_append(buffer, tree, buffer_text(&comment));
    buffer_release(&comment);
}
