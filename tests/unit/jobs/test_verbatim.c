/* What a kubelet would change in a text is written so that it does not (RULES 2.5, 2.7). */
#include "tests/unit/rows.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/jobs/verbatim.h"

static const struct row {
    const char *text;
    const char *want;
} rows[] = {
    {"", ""},
    {"plain", "plain"},
    {"$", "$"},
    {"$HOME ${HOME} $5", "$HOME ${HOME} $5"},
    {"$(GH_TOKEN)", "$$(GH_TOKEN)"},
    {"a $(ls) b", "a $$(ls) b"},
    {"$(", "$$("},
    {"$$", "$$$"},
    {"$$(A)", "$$$$(A)"},
    {"$$$(A)$", "$$$$$$(A)$"},
    {"$(A)$(B)", "$$(A)$$(B)"},
    {"costs $$5", "costs $$$5"},
};

/* As a kubelet does it, in a world where every variable is X. */
static void expand(const char *at, struct buffer *into)
{
    while (*at != '\0') {
        const char *end = at[0] == '$' && at[1] == '(' ? strchr(at, ')') : NULL;

        if (end != NULL) {
            buffer_append_char(into, 'X');
            at = end + 1;
        } else if (at[0] == '$' && at[1] != '\0') {
            buffer_append(into, at, at[1] == '$' ? 1 : 2);
            at += 2;
        } else {
            buffer_append_char(into, *at++);
        }
    }
}

static void test_row(void **state)
{
    const struct row *row = *state;
    struct buffer read = BUFFER_INIT(256);
    char *got = verbatim(row->text);

    expand(got, &read);
    if (strcmp(got, row->want) != 0 || strcmp(buffer_text(&read), row->text) != 0)
        fail_msg("%s: got %s, read as %s", row->text, got, buffer_text(&read));
    buffer_release(&read);
    free(got);
}

int main(void)
{
    return ROWS_RUN(rows, test_row);
}
