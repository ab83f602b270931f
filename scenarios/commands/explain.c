/* explain - scenario explain: what a key does, and what holds without it. */
#include "scenarios/language/explain.h"
#include "controller/base/buffer.h"
#include "scenarios/commands/commands.h"

/** All keys with all that is said of them. */
#define TEXT_BYTES_MAX ((size_t)1024 * 1024)

static int run(const struct command_line *line)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;
    bool ok = true;

    if (line->word_count == 0)
        explain_list(&text);
    for (size_t i = 0; ok && i < line->word_count; i++) {
        ok = explain_append(line->words[i], &text, &err);
        if (!ok)
            command_complain("%s (all of them: scenario explain)", err.text);
    }
    ok = ok && command_print(buffer_text(&text));
    buffer_release(&text);
    return ok ? SUITE_GOOD : SUITE_UNUSABLE;
}

const struct command command_explain = {
    .name = "explain",
    .words = "[KEY...]",
    .what = "says what a key such as steps.wait does, its type, its default and an example",
    .run = run,
};
