/* scenario faults - lists what can go wrong: kinds of faults, and what to write for each. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "scenarios/commands/commands.h"
#include "scenarios/language/fault_kinds.h"

#define LISTING_BYTES_MAX ((size_t)1024 * 1024)

struct options {
    bool json;
};

static const struct flag flags[] = {
    FLAG_IS_SWITCH("--json", struct options, json, "as a list of objects, for machines"),
};

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < fault_deed_table.key_count; i++) {
        if (strcmp(fault_deed_table.keys[i].name, name) == 0)
            return &fault_deed_table.keys[i];
    }
    return NULL;
}

static const char *meaning(const struct fault_kind *kind)
{
    return kind->help != NULL ? kind->help : find_key(kind->key)->help;
}

/* --- for people --- */

/** Columns of the names. */
#define LEFT 18

static void append_kind(const struct fault_kind *kind, struct buffer *text)
{
    char *deed = fault_kind_deed(kind, "ctl-0");
    size_t count;
    const char *const *parameters = fault_kind_parameters(kind, &count);

    buffer_append_format(text, "%-*s %s%s\n", LEFT, kind->name, meaning(kind),
                         kind->final ? " (final)" : "");
    buffer_append_format(text, "%-*s %s", LEFT, "", deed);
    for (size_t i = 0; i < count; i++)
        buffer_append_format(text, "%s%s", i == 0 ? "; also " : ", ", parameters[i]);
    buffer_append_text(text, "\n");
    free(deed);
}

static bool is_parameter_of(const char *glob, const char *name)
{
    for (size_t i = 0; i < fault_kind_count(); i++) {
        size_t count;
        const char *const *parameters = fault_kind_parameters(fault_kind_at(i), &count);

        for (size_t j = 0; j < count; j++) {
            if (strcmp(parameters[j], name) == 0 && fnmatch(glob, fault_kind_at(i)->name, 0) == 0)
                return true;
        }
    }
    return false;
}

/** What may stand beside the actions, each once. */
static void append_parameters(const char *glob, struct buffer *text)
{
    buffer_append_text(text, "\nBeside them:\n\n");
    for (size_t i = 0; i < fault_deed_table.key_count; i++) {
        const struct key *key = &fault_deed_table.keys[i];

        if (is_parameter_of(glob, key->name))
            buffer_append_format(text, "%-*s %s\n", LEFT, key->name, key->help);
    }
}

static void append_area(enum fault_area area, const char *glob, struct buffer *text)
{
    bool first = true;

    for (size_t i = 0; i < fault_kind_count(); i++) {
        const struct fault_kind *kind = fault_kind_at(i);

        if (kind->area != area || fnmatch(glob, kind->name, 0) != 0)
            continue;
        if (first)
            buffer_append_format(text, "%s%s\n\n", text->size > 0 ? "\n" : "",
                                 fault_area_what(area));
        first = false;
        append_kind(kind, text);
    }
}

static void append_all(const char *glob, struct buffer *text)
{
    for (int area = 0; area < FAULT_AREA_COUNT; area++)
        append_area((enum fault_area)area, glob, text);
    if (text->size > 0)
        append_parameters(glob, text);
}

/* --- for machines --- */

static struct json_object *parameters_to_json(const struct fault_kind *kind)
{
    struct json_object *list = json_object_new_array();
    size_t count;
    const char *const *parameters = fault_kind_parameters(kind, &count);

    for (size_t i = 0; i < count; i++) {
        struct json_object *tree = json_object_new_object();

        json_set_text(tree, "name", parameters[i]);
        json_set_text(tree, "meaning", find_key(parameters[i])->help);
        json_add(list, tree);
    }
    return list;
}

static struct json_object *kind_to_json(const struct fault_kind *kind)
{
    struct json_object *tree = json_object_new_object();
    char *deed = fault_kind_deed(kind, "ctl-0");

    json_set_text(tree, "name", kind->name);
    json_set_text(tree, "where", fault_area_name(kind->area));
    json_set_text(tree, "meaning", meaning(kind));
    json_set_text(tree, "key", kind->key);
    json_set(tree, "parameters", parameters_to_json(kind));
    json_set_text(tree, "example", deed);
    json_set_bool(tree, "final", kind->final);
    free(deed);
    return tree;
}

static void append_json(const char *glob, struct buffer *text)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < fault_kind_count(); i++) {
        if (fnmatch(glob, fault_kind_at(i)->name, 0) == 0)
            json_add(list, kind_to_json(fault_kind_at(i)));
    }
    buffer_append_format(text, "%s\n",
                         json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE));
    (void)json_object_put(list);
}

static int run(const struct command_line *line)
{
    const struct options *options = line->options;
    struct buffer text = BUFFER_INIT(LISTING_BYTES_MAX);
    bool ok;

    if (options->json)
        append_json(line->word_count > 0 ? line->words[0] : "*", &text);
    else
        append_all(line->word_count > 0 ? line->words[0] : "*", &text);
    ok = text.size > 0;
    if (ok)
        ok = command_print(buffer_text(&text));
    else
        command_complain("no kind of fault is like '%s'", line->words[0]);
    buffer_release(&text);
    return ok ? SUITE_GOOD : SUITE_UNUSABLE;
}

const struct command command_faults = {
    .name = "faults",
    .words = "[GLOB]",
    .what = "lists what can go wrong, and how to write it",
    .flags = flags,
    .flag_count = ARRAY_SIZE(flags),
    .options_size = sizeof(struct options),
    .run = run,
};
