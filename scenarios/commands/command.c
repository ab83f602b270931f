/* command - see command.h. */
#include "scenarios/commands/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/workers/files.h"

#define PROGRAM "scenario"
#define HELP_BYTES_MAX ((size_t)64 * 1024)
/** Columns of the left part of --help. */
#define HELP_LEFT 18

bool command_print(const char *text)
{
    struct error err = ERROR_INIT;

    if (output_write(text, strlen(text), &err))
        return true;
    command_complain("%s", err.text);
    return false;
}

void command_complain(const char *format, ...)
{
    struct buffer text = BUFFER_INIT(HELP_BYTES_MAX);
    va_list values;

    buffer_append_text(&text, PROGRAM ": ");
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    buffer_append_text(&text, "\n");
    output_error(buffer_text(&text));
    buffer_release(&text);
}

bool command_read(const struct command_line *line, const char *filter, struct suite *suite)
{
    if (!suite_read(suite, line->words, line->word_count, filter))
        return false;
    if (suite->count > 0)
        return true;
    command_complain("no scenario there%s%s", filter == NULL ? "" : " is like ",
                     filter == NULL ? "" : filter);
    return false;
}

/* --- help --- */

static void append_usage(const struct command *command, struct buffer *text)
{
    buffer_append_format(
        text, PROGRAM " %s%s%s%s", command->name, command->words == NULL ? "" : " ",
        command->words == NULL ? "" : command->words, command->flag_count == 0 ? "" : " [FLAG...]");
}

static void append_flag(const struct flag *flag, struct buffer *text)
{
    char *left = xprintf("%s%s%s", flag->name, flag->value == NULL ? "" : " ",
                         flag->value == NULL ? "" : flag->value);
    const char *line = flag->what;

    if (strlen(left) >= HELP_LEFT)
        buffer_append_format(text, "  %s\n  %-*s", left, HELP_LEFT, "");
    else
        buffer_append_format(text, "  %-*s", HELP_LEFT, left);
    for (const char *end = strchr(line, '\n'); end != NULL; end = strchr(line, '\n')) {
        buffer_append_format(text, "%.*s\n  %-*s", (int)(end - line), line, HELP_LEFT, "");
        line = end + 1;
    }
    buffer_append_format(text, "%s\n", line);
    free(left);
}

static int help_of(const struct command *command)
{
    struct buffer text = BUFFER_INIT(HELP_BYTES_MAX);
    bool printed;

    buffer_append_text(&text, "usage: ");
    append_usage(command, &text);
    buffer_append_format(&text, "\n\n%s\n\n", command->what);
    for (size_t i = 0; i < command->flag_count; i++)
        append_flag(&command->flags[i], &text);
    buffer_append_text(&text, "  --help\n");
    printed = command_print(buffer_text(&text));
    buffer_release(&text);
    return printed ? SUITE_GOOD : SUITE_UNUSABLE;
}

static int help(const struct command *const *commands, size_t count)
{
    struct buffer text = BUFFER_INIT(HELP_BYTES_MAX);
    bool printed;

    for (size_t i = 0; i < count; i++) {
        buffer_append_text(&text, i == 0 ? "usage: " : "       ");
        append_usage(commands[i], &text);
        buffer_append_format(&text, "\n           %s\n", commands[i]->what);
    }
    buffer_append_text(
        &text, "\n"
               "'" PROGRAM " COMMAND --help' tells the flags of each; --version.\n"
               "\n"
               "Exit status: 0 all is well, 1 something failed, 2 wrong usage, a mistake in\n"
               "a file, or a report that cannot be written.\n");
    printed = command_print(buffer_text(&text));
    buffer_release(&text);
    return printed ? SUITE_GOOD : SUITE_UNUSABLE;
}

/* --- the command line --- */

static void complain_of(const char *what, const char *which, const char *const *known, size_t count)
{
    const char *closest = text_closest(which, known, count);

    command_complain("%s '%s'%s%s%s (see --help)", what, which,
                     closest == NULL ? "" : "; did you mean '", closest == NULL ? "" : closest,
                     closest == NULL ? "" : "'?");
}

static const struct command *find_command(const struct command *const *commands, size_t count,
                                          const char *name)
{
    const char **names = xcalloc(count, sizeof(*names));
    const struct command *found = NULL;

    for (size_t i = 0; i < count; i++) {
        names[i] = commands[i]->name;
        if (strcmp(names[i], name) == 0)
            found = commands[i];
    }
    if (found == NULL)
        complain_of("unknown command", name, names, count);
    free(names);
    return found;
}

/** NULL after a complaint. */
static const struct flag *find_flag(const struct command *command, const char *name)
{
    const char **names = xcalloc(command->flag_count + 1, sizeof(*names));
    const struct flag *found = NULL;

    for (size_t i = 0; i < command->flag_count; i++) {
        names[i] = command->flags[i].name;
        if (strcmp(names[i], name) == 0)
            found = &command->flags[i];
    }
    names[command->flag_count] = "--help";
    if (found == NULL)
        complain_of("unknown flag", name, names, command->flag_count + 1);
    free(names);
    return found;
}

static bool take_number(const struct flag *flag, const char *text, uint64_t *ret_number)
{
    if (text_to_uint64(text, ret_number) && *ret_number >= flag->minimum &&
        *ret_number <= flag->maximum)
        return true;
    command_complain("%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", flag->name,
                     flag->minimum, flag->maximum, text);
    return false;
}

static bool take_value(const struct flag *flag, const char *value, char *options)
{
    if (flag->given != FLAG_NOWHERE)
        *(bool *)(void *)(options + flag->given) = true;
    switch (flag->kind) {
    case FLAG_SWITCH:
        *(bool *)(void *)(options + flag->offset) = true;
        return true;
    case FLAG_TEXT:
        *(const char **)(void *)(options + flag->offset) = value;
        return true;
    case FLAG_NUMBER:
        return take_number(flag, value, (uint64_t *)(void *)(options + flag->offset));
    }
    return false;
}

/** "--jobs=2" and "--jobs 2"; *at is the last word that was taken. */
static bool take_flag(const struct command *command, char *options, int count, char **words,
                      int *at)
{
    const char *word = words[*at];
    const char *equals = strchr(word, '=');
    char *name = equals == NULL ? xstrdup(word) : xmemdup(word, (size_t)(equals - word));
    const struct flag *flag = find_flag(command, name);
    const char *value = equals == NULL ? NULL : equals + 1;

    free(name);
    if (flag == NULL)
        return false;
    if (flag->kind == FLAG_SWITCH && value != NULL) {
        command_complain("%s takes no value (see --help)", flag->name);
        return false;
    }
    if (flag->kind != FLAG_SWITCH && value == NULL) {
        if (*at + 1 == count) {
            command_complain("%s needs a value (see --help)", flag->name);
            return false;
        }
        value = words[++*at];
    }
    return take_value(flag, value, options);
}

/** taken has room for all of them. */
static bool take_words(const struct command *command, struct command_line *line, int count,
                       char **words, const char **taken)
{
    for (int i = 0; i < count; i++) {
        if (words[i][0] != '-')
            taken[line->word_count++] = words[i];
        else if (!take_flag(command, line->options, count, words, &i))
            return false;
    }
    if (command->words == NULL && line->word_count > 0)
        command_complain("'%s' takes no '%s' (see --help)", command->name, line->words[0]);
    else if (command->needs_words && line->word_count == 0)
        command_complain("which files? name at least one (see --help)");
    else
        return true;
    return false;
}

static int carry_out(const struct command *command, const char *program, int count, char **words)
{
    const char **taken = xcalloc((size_t)count + 1, sizeof(*taken));
    struct command_line line = {.program = program, .words = taken};
    int status = SUITE_UNUSABLE;

    line.options = xcalloc(1, command->options_size + 1);
    if (command->prepare != NULL)
        command->prepare(line.options);
    if (take_words(command, &line, count, words, taken))
        status = command->run(&line);
    free(taken);
    free(line.options);
    return status;
}

static bool asks_for(int count, char **words, const char *flag)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], flag) == 0)
            return true;
    }
    return false;
}

int command_main(const struct command *const *commands, size_t count, int word_count, char **words)
{
    const struct command *command = NULL;

    output_prepare();
    if (asks_for(word_count, words, "--version"))
        return command_print(PROGRAM " " PROGRAM_VERSION "\n") ? SUITE_GOOD : SUITE_UNUSABLE;
    if (word_count > 1 && words[1][0] != '-') {
        command = find_command(commands, count, words[1]);
        if (command == NULL)
            return SUITE_UNUSABLE;
    }
    if (asks_for(word_count, words, "--help"))
        return command == NULL ? help(commands, count) : help_of(command);
    if (command == NULL) {
        command_complain("what to do? name a command first (see --help)");
        return SUITE_UNUSABLE;
    }
    return carry_out(command, words[0], word_count - 2, words + 2);
}
