/* jsonpath - names, indices, wildcards and equality filters; the first match only. */
#include "fakeapi/rest/jsonpath.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

enum step_kind { STEP_NAME, STEP_INDEX, STEP_ALL, STEP_FILTER };

struct step {
    enum step_kind kind;
    char *name;  /* of NAME; of FILTER the member compared */
    char *value; /* of FILTER: what it must (or must not) equal, as text */
    bool not_equal;
    int64_t index; /* below 0 counts from the end */
};

struct jsonpath {
    struct step steps[JSONPATH_STEPS_MAX];
    size_t count;
};

/* Where the parser stands. */
struct reader {
    const char *text;
    const char *at;
    struct error *err;
};

static bool refuse(struct reader *reader, const char *what)
{
    return error_set(reader->err, ERROR_MALFORMED, "JSONPath at byte %zu: %s",
                     (size_t)(reader->at - reader->text), what);
}

static bool accept(struct reader *reader, const char *word)
{
    size_t size = strlen(word);

    if (strncmp(reader->at, word, size) != 0)
        return false;
    reader->at += size;
    return true;
}

static void skip_spaces(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

/* A name up to one of the stops; "\" takes the next character as it is. */
static bool read_name(struct reader *reader, const char *stops, char **ret_name)
{
    char name[JSONPATH_BYTES_MAX];
    size_t size = 0;

    while (*reader->at != '\0' && strchr(stops, *reader->at) == NULL) {
        if (*reader->at == '\\' && reader->at[1] != '\0')
            reader->at++;
        name[size++] = *reader->at++; /* fits: the whole text does */
    }
    if (size == 0)
        return refuse(reader, "a name is missing");
    name[size] = '\0';
    *ret_name = xstrdup(name);
    return true;
}

static bool read_quoted(struct reader *reader, char **ret_text)
{
    char quote[2] = {*reader->at, '\0'};

    if (*quote != '"' && *quote != '\'')
        return refuse(reader, "a quote is missing");
    reader->at++;
    if (accept(reader, quote)) {
        *ret_text = xstrdup("");
        return true;
    }
    if (!read_name(reader, quote, ret_text))
        return false;
    if (accept(reader, quote))
        return true;
    free(*ret_text);
    *ret_text = NULL;
    return refuse(reader, "the quote is not closed");
}

/* Behind "[?(": @.name=="value")] */
static bool read_filter(struct reader *reader, struct step *step)
{
    step->kind = STEP_FILTER;
    skip_spaces(reader);
    if (!accept(reader, "@."))
        return refuse(reader, "a filter begins with @.");
    if (!read_name(reader, " =!)]", &step->name))
        return false;
    skip_spaces(reader);
    step->not_equal = accept(reader, "!=");
    if (!step->not_equal && !accept(reader, "=="))
        return refuse(reader, "only == and != are known");
    skip_spaces(reader);
    if (*reader->at == '"' || *reader->at == '\'') {
        if (!read_quoted(reader, &step->value))
            return false;
    } else if (!read_name(reader, " )", &step->value)) {
        return false;
    }
    skip_spaces(reader);
    return accept(reader, ")]") || refuse(reader, "the filter is not closed");
}

static bool read_brackets(struct reader *reader, struct step *step)
{
    char *number;
    bool ok;

    if (accept(reader, "?("))
        return read_filter(reader, step);
    if (accept(reader, "*]")) {
        step->kind = STEP_ALL;
        return true;
    }
    if (*reader->at == '\'' || *reader->at == '"') {
        step->kind = STEP_NAME;
        if (!read_quoted(reader, &step->name))
            return false;
        return accept(reader, "]") || refuse(reader, "the bracket is not closed");
    }
    if (!read_name(reader, "]", &number))
        return false;
    step->kind = STEP_INDEX;
    ok = text_to_int64(number, &step->index) && accept(reader, "]");
    free(number);
    return ok || refuse(reader, "an index or a name in quotes is missing");
}

static bool read_step(struct reader *reader, struct step *step)
{
    if (accept(reader, "["))
        return read_brackets(reader, step);
    if (!accept(reader, "."))
        return refuse(reader, "a dot or a bracket is missing");
    if (*reader->at == '[')
        return read_step(reader, step);
    if (accept(reader, "*")) {
        step->kind = STEP_ALL;
        return true;
    }
    step->kind = STEP_NAME;
    return read_name(reader, ".[", &step->name);
}

bool jsonpath_new(const char *text, struct jsonpath **ret_path, struct error *err)
{
    struct reader reader = {text, text, err};
    struct jsonpath *path;

    if (strlen(text) >= JSONPATH_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "JSONPath longer than %d bytes",
                         JSONPATH_BYTES_MAX - 1);
    path = xcalloc(1, sizeof(*path));
    while (*reader.at != '\0') {
        bool read;

        if (path->count == JSONPATH_STEPS_MAX) {
            jsonpath_free(path);
            return error_set(err, ERROR_TOO_LARGE, "more than %d steps", JSONPATH_STEPS_MAX);
        }
        read = read_step(&reader, &path->steps[path->count]);
        path->count++; /* also a step half read is freed */
        if (!read) {
            jsonpath_free(path);
            return false;
        }
    }
    *ret_path = path;
    return true;
}

void jsonpath_free(struct jsonpath *path)
{
    if (path == NULL)
        return;
    for (size_t i = 0; i < path->count; i++) {
        free(path->steps[i].name);
        free(path->steps[i].value);
    }
    free(path);
}

static const struct json_slice none = {NULL, 0};

static bool is_null(struct json_slice value)
{
    return value.bytes == NULL || value.bytes[0] == 'n';
}

static bool filter_matches(const struct step *step, struct json_slice item)
{
    struct json_slice member = json_slice_get(item, step->name);
    bool equal;
    char *text;

    if (is_null(member))
        return false;
    text = member.bytes[0] == '"' ? json_slice_text(member) : xmemdup(member.bytes, member.size);
    equal = text_equal(text, step->value);
    free(text);
    return equal != step->not_equal;
}

static struct json_slice find(const struct jsonpath *path, size_t index, struct json_slice value);

/* The first item of a list in which the rest of the path is found. */
static struct json_slice find_among(const struct jsonpath *path, size_t index,
                                    struct json_slice list)
{
    const struct step *step = &path->steps[index];
    struct json_slice item;
    size_t next = 0;

    while (json_slice_next(list, &next, &item)) {
        struct json_slice found;

        if (step->kind == STEP_FILTER && !filter_matches(step, item))
            continue;
        found = find(path, index + 1, item);
        if (found.bytes != NULL)
            return found;
    }
    return none;
}

/* The item of that number, which counts from the end when it is below 0. */
static struct json_slice item_at(struct json_slice list, int64_t index)
{
    struct json_slice item;
    size_t next = 0;

    if (index < 0) {
        while (json_slice_next(list, &next, &item))
            index++;
        /* -1 of three has become 2 */
        if (index < 0)
            return none;
        next = 0;
    }
    while (json_slice_next(list, &next, &item))
        if (index-- == 0)
            return item;
    return none;
}

/* Depth is bounded by JSONPATH_STEPS_MAX. */
static struct json_slice find(const struct jsonpath *path, size_t index, struct json_slice value)
{
    const struct step *step;

    if (is_null(value))
        return none;
    if (index == path->count)
        return value;
    step = &path->steps[index];
    switch (step->kind) {
    case STEP_NAME:
        return find(path, index + 1, json_slice_get(value, step->name));
    case STEP_INDEX:
        return find(path, index + 1, item_at(value, step->index));
    case STEP_ALL:
    case STEP_FILTER:
        break;
    }
    return find_among(path, index, value);
}

struct json_slice jsonpath_find(const struct jsonpath *path, struct json_slice value)
{
    return find(path, 0, value);
}

const char *jsonpath_first_name(const struct jsonpath *path)
{
    return path->count > 0 && path->steps[0].kind == STEP_NAME ? path->steps[0].name : NULL;
}

struct json_slice jsonpath_find_below(const struct jsonpath *path, struct json_slice member)
{
    return find(path, 1, member);
}
