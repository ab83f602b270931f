/* explain - scenario explain: what a key does, and what holds without it. */
#include "scenarios/language/explain.h"
#include "controller/base/buffer.h"
#include "scenarios/commands/commands.h"
#include "scenarios/language/json_schema.h"

/** All keys with all that is said of them. */
#define TEXT_BYTES_MAX ((size_t)1024 * 1024)

struct options {
    bool schema;
};

static const struct flag flags[] = {
    FLAG_IS_SWITCH("--schema", struct options, schema,
                   "prints the JSON Schema of the language, for completion in editors"),
};

static void append_schema(struct buffer *text)
{
    struct json_object *schema = json_schema_make();

    json_append_pretty(text, schema);
    buffer_append_char(text, '\n');
    (void)json_object_put(schema);
}

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;
    bool ok = true;

    if (options->schema)
        append_schema(&text);
    else if (line->word_count == 0)
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
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .run = run,
};
