/* expression - see expression.h. */
#include "scenarios/language/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define NAME_BYTES_MAX 64
/** Most names that a suggestion is sought among. */
#define NAMES_MAX 64

struct parser {
    struct arena *arena;
    const struct expression_names *names;
    const char *at;
    unsigned depth;
    bool later; /* a name of such was met: values are not to be trusted */
    bool local;
    bool skipping; /* the branch that is not taken: values are not looked at */
    struct error *err;
};

static const struct expression_value nothing = {EXPRESSION_NUMBER, 0, NULL};

static bool expression(struct parser *parser, struct expression_value *ret_value);

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool expression_is_name(const char *text)
{
    size_t size = strlen(text);

    if (size == 0 || size > NAME_BYTES_MAX || isdigit((unsigned char)*text))
        return false;
    for (; *text != '\0'; text++) {
        if (!is_name_character(*text))
            return false;
    }
    return true;
}

const char *expression_text(struct arena *arena, const struct expression_value *value)
{
    switch (value->type) {
    case EXPRESSION_NUMBER:
        return arena_format(arena, "%" PRId64, value->number);
    case EXPRESSION_TEXT:
        return value->text;
    case EXPRESSION_FLAG:
        return value->number != 0 ? "true" : "false";
    }
    return "";
}

/* --- parsing --- */

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ')
        parser->at++;
}

/** Takes the word if it stands here. */
static bool take(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    if (!text_starts_with(parser->at, word))
        return false;
    parser->at += strlen(word);
    return true;
}

static bool unknown_name(struct parser *parser, const char *name)
{
    const char *known[NAMES_MAX];
    const char *closest;
    size_t count = 0;

    for (; count < parser->names->count && count < NAMES_MAX; count++)
        known[count] = parser->names->items[count].name;
    closest = text_closest(name, known, count);
    if (closest != NULL)
        return error_set(parser->err, ERROR_INVALID, "nothing is named '%s'; did you mean '%s'?",
                         name, closest);
    return error_set(parser->err, ERROR_INVALID,
                     "nothing is named '%s': neither matrix nor bind nor 'with' has it (write $${ "
                     "for ${)",
                     name);
}

static bool name_value(struct parser *parser, struct expression_value *ret_value)
{
    size_t size = 0;
    const char *name;

    while (is_name_character(parser->at[size]))
        size++;
    name = arena_format(parser->arena, "%.*s", (int)size, parser->at);
    *ret_value = (struct expression_value){EXPRESSION_FLAG, strcmp(name, "true") == 0, NULL};
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        parser->at += size;
        return true;
    }
    for (size_t i = parser->names->count; i-- > 0;) {
        const struct expression_name *known = &parser->names->items[i];

        if (strcmp(known->name, name) != 0)
            continue;
        parser->at += size;
        parser->later = parser->later || known->later;
        parser->local = parser->local || known->local;
        if (known->used != NULL)
            *known->used = true;
        *ret_value = known->later ? nothing : known->value;
        return true;
    }
    if (!parser->names->open)
        return unknown_name(parser, name);
    parser->at += size;
    parser->later = true;
    *ret_value = nothing;
    return true;
}

static bool number_value(struct parser *parser, struct expression_value *ret_value)
{
    size_t size = strspn(parser->at, "0123456789");
    char *digits = xmemdup(parser->at, size);
    bool ok = text_to_int64(digits, &ret_value->number);

    free(digits);
    ret_value->type = EXPRESSION_NUMBER;
    if (!ok)
        return error_set(parser->err, ERROR_INVALID, "this number is too large");
    parser->at += size;
    return true;
}

static bool text_value(struct parser *parser, struct expression_value *ret_value)
{
    const char *end = strchr(parser->at + 1, '\'');

    if (end == NULL)
        return error_set(parser->err, ERROR_INVALID, "the text that begins here has no second '");
    ret_value->type = EXPRESSION_TEXT;
    ret_value->text =
        arena_format(parser->arena, "%.*s", (int)(end - parser->at - 1), parser->at + 1);
    parser->at = end + 1;
    return true;
}

static bool in_parentheses(struct parser *parser, struct expression_value *ret_value)
{
    if (!expression(parser, ret_value))
        return false;
    return take(parser, ")") || error_set(parser->err, ERROR_INVALID, "a ')' is missing here");
}

/** Of the operand's type, or nobody knows it yet. */
static bool is_typed(struct parser *parser, const struct expression_value *value,
                     enum expression_type type, const char *what)
{
    return parser->later || parser->skipping || value->type == type ||
           error_set(parser->err, ERROR_INVALID, "'%s' needs %s, not '%s'", what,
                     type == EXPRESSION_NUMBER ? "numbers" : "true or false",
                     expression_text(parser->arena, value));
}

static bool unary(struct parser *parser, struct expression_value *ret_value)
{
    bool ok;

    if (parser->depth == EXPRESSION_DEPTH_MAX)
        return error_set(parser->err, ERROR_INVALID, "nested too deeply");
    parser->depth++;
    skip_blanks(parser);
    if (take(parser, "!")) {
        ok = unary(parser, ret_value) && is_typed(parser, ret_value, EXPRESSION_FLAG, "!");
        *ret_value = (struct expression_value){EXPRESSION_FLAG, ret_value->number == 0, NULL};
    } else if (take(parser, "-")) {
        ok = unary(parser, ret_value) && is_typed(parser, ret_value, EXPRESSION_NUMBER, "-");
        ret_value->number = ret_value->number == INT64_MIN ? 0 : -ret_value->number;
    } else if (take(parser, "(")) {
        ok = in_parentheses(parser, ret_value);
    } else if (*parser->at == '\'') {
        ok = text_value(parser, ret_value);
    } else if (isdigit((unsigned char)*parser->at)) {
        ok = number_value(parser, ret_value);
    } else if (is_name_character(*parser->at)) {
        ok = name_value(parser, ret_value);
    } else {
        ok = error_set(parser->err, ERROR_INVALID, "a name, a number or a 'text' is missing here");
    }
    parser->depth--;
    return ok;
}

/* --- operators, the loosest first --- */

enum operation {
    OPERATOR_OR,
    OPERATOR_AND,
    OPERATOR_EQUAL,
    OPERATOR_UNEQUAL,
    OPERATOR_AT_MOST,
    OPERATOR_AT_LEAST,
    OPERATOR_BELOW,
    OPERATOR_ABOVE,
    OPERATOR_PLUS,
    OPERATOR_MINUS,
    OPERATOR_TIMES,
    OPERATOR_DIVIDE,
    OPERATOR_REST,
};

static const struct {
    const char *text;
    enum operation operation;
    int level; /* 0 binds least */
} operators[] = {
    {"||", OPERATOR_OR,       0},
    {"&&", OPERATOR_AND,      1},
    {"==", OPERATOR_EQUAL,    2},
    {"!=", OPERATOR_UNEQUAL,  2},
    {"<=", OPERATOR_AT_MOST,  2}, /* before "<" */
    {">=", OPERATOR_AT_LEAST, 2},
    {"<",  OPERATOR_BELOW,    2},
    {">",  OPERATOR_ABOVE,    2},
    {"+",  OPERATOR_PLUS,     3},
    {"-",  OPERATOR_MINUS,    3},
    {"*",  OPERATOR_TIMES,    4},
    {"/",  OPERATOR_DIVIDE,   4},
    {"%",  OPERATOR_REST,     4},
};
#define LEVELS 5

static bool calculate(struct parser *parser, size_t row, const struct expression_value *a,
                      const struct expression_value *b, int64_t *ret_number)
{
    bool overflow = false;

    switch (operators[row].operation) {
    case OPERATOR_PLUS:
        overflow = __builtin_add_overflow(a->number, b->number, ret_number);
        break;
    case OPERATOR_MINUS:
        overflow = __builtin_sub_overflow(a->number, b->number, ret_number);
        break;
    case OPERATOR_TIMES:
        overflow = __builtin_mul_overflow(a->number, b->number, ret_number);
        break;
    default:
        if (b->number == 0)
            return error_set(parser->err, ERROR_INVALID, "a division by 0");
        overflow = a->number == INT64_MIN && b->number == -1;
        if (!overflow)
            *ret_number = operators[row].operation == OPERATOR_DIVIDE ? a->number / b->number
                                                                      : a->number % b->number;
        break;
    }
    return !overflow || error_set(parser->err, ERROR_INVALID, "the number becomes too large");
}

static bool equal(const struct expression_value *a, const struct expression_value *b)
{
    return a->type == b->type &&
           (a->type == EXPRESSION_TEXT ? strcmp(a->text, b->text) == 0 : a->number == b->number);
}

static bool compare(struct parser *parser, size_t row, const struct expression_value *a,
                    const struct expression_value *b, int64_t *ret_number)
{
    switch (operators[row].operation) {
    case OPERATOR_EQUAL:
    case OPERATOR_UNEQUAL:
        if (a->type != b->type)
            return error_set(parser->err, ERROR_INVALID,
                             "'%s' and '%s' are of different types and never equal",
                             expression_text(parser->arena, a), expression_text(parser->arena, b));
        *ret_number = equal(a, b) == (operators[row].operation == OPERATOR_EQUAL);
        return true;
    case OPERATOR_AT_MOST:
        *ret_number = a->number <= b->number;
        return true;
    case OPERATOR_AT_LEAST:
        *ret_number = a->number >= b->number;
        return true;
    case OPERATOR_BELOW:
        *ret_number = a->number < b->number;
        return true;
    default:
        *ret_number = a->number > b->number;
        return true;
    }
}

static bool apply(struct parser *parser, size_t row, struct expression_value *a,
                  const struct expression_value *b)
{
    const char *text = operators[row].text;
    int level = operators[row].level;
    enum expression_type type = level < 2 ? EXPRESSION_FLAG : EXPRESSION_NUMBER;
    struct expression_value result = {level < 3 ? EXPRESSION_FLAG : EXPRESSION_NUMBER, 0, NULL};

    if (parser->later || parser->skipping) {
        *a = result;
        return true;
    }
    if (operators[row].operation != OPERATOR_EQUAL &&
        operators[row].operation != OPERATOR_UNEQUAL &&
        (!is_typed(parser, a, type, text) || !is_typed(parser, b, type, text)))
        return false;
    if (level == 0)
        result.number = a->number != 0 || b->number != 0;
    else if (level == 1)
        result.number = a->number != 0 && b->number != 0;
    else if (!(level == 2 ? compare : calculate)(parser, row, a, b, &result.number))
        return false;
    *a = result;
    return true;
}

static bool binary(struct parser *parser, int level, struct expression_value *ret_value)
{
    bool found = true;

    if (level == LEVELS)
        return unary(parser, ret_value);
    if (!binary(parser, level + 1, ret_value))
        return false;
    while (found) {
        found = false;
        for (size_t i = 0; i < ARRAY_SIZE(operators) && !found; i++) {
            struct expression_value right;

            if (operators[i].level != level || !take(parser, operators[i].text))
                continue;
            found = true;
            if (!binary(parser, level + 1, &right) || !apply(parser, i, ret_value, &right))
                return false;
        }
    }
    return true;
}

/** What of c ? a : b is not taken must be well formed, and no more. */
static bool branch(struct parser *parser, bool taken, struct expression_value *ret_value)
{
    bool outer = parser->skipping;
    bool ok;

    parser->skipping = outer || !taken;
    ok = expression(parser, ret_value);
    parser->skipping = outer;
    return ok;
}

static bool expression(struct parser *parser, struct expression_value *ret_value)
{
    struct expression_value other;
    bool first;

    if (parser->depth == EXPRESSION_DEPTH_MAX)
        return error_set(parser->err, ERROR_INVALID, "nested too deeply");
    parser->depth++;
    if (!binary(parser, 0, ret_value))
        return false;
    if (take(parser, "?")) {
        if (!is_typed(parser, ret_value, EXPRESSION_FLAG, "?"))
            return false;
        first = ret_value->number != 0;
        if (!branch(parser, first, ret_value))
            return false;
        if (!take(parser, ":"))
            return error_set(parser->err, ERROR_INVALID, "a ':' is missing here");
        if (!branch(parser, !first, &other))
            return false;
        if (!first)
            *ret_value = other;
    }
    parser->depth--;
    return true;
}

/* --- texts with expressions in them --- */

struct filler {
    struct parser parser;
    struct buffer made;
    bool any_later;
    bool keep;                     /* what is left is filled in once more, later */
    struct expression_value value; /* of the last expression */
};

/** What is filled in now is not read as an expression later. */
static void append_value(struct filler *filler, const char *text)
{
    for (; *text != '\0'; text++) {
        if (filler->keep && text_starts_with(text, "${"))
            buffer_append_char(&filler->made, '$');
        buffer_append_char(&filler->made, *text);
    }
}

/** Reads one "${...}" at the parser's place. */
static bool fill_one(struct filler *filler)
{
    struct parser *parser = &filler->parser;
    const char *from = parser->at;

    parser->later = false;
    parser->local = false;
    parser->at += strlen("${");
    if (!expression(parser, &filler->value))
        return false;
    if (!take(parser, "}"))
        return error_set(parser->err, ERROR_INVALID, "a '}' is missing here");
    if (parser->later && parser->local)
        return error_set(parser->err, ERROR_INVALID,
                         "a value that comes later cannot stand with one of a template");
    filler->any_later = filler->any_later || parser->later;
    if (parser->later)
        buffer_append(&filler->made, from, (size_t)(parser->at - from));
    else
        append_value(filler, expression_text(parser->arena, &filler->value));
    return true;
}

static bool fill_all(struct filler *filler)
{
    struct parser *parser = &filler->parser;

    while (*parser->at != '\0') {
        if (text_starts_with(parser->at, "$${")) {
            buffer_append_text(&filler->made, filler->keep ? "$${" : "${");
            parser->at += 3;
        } else if (text_starts_with(parser->at, "${")) {
            if (!fill_one(filler))
                return false;
        } else {
            buffer_append_char(&filler->made, *parser->at++);
        }
        if (filler->made.overflowed)
            return error_set(parser->err, ERROR_TOO_LARGE, "the text becomes too long");
    }
    return true;
}

/** The text is "${...}" and nothing else. */
static bool is_alone(struct arena *arena, const char *text, const struct expression_names *names)
{
    struct error err = ERROR_INIT;
    struct parser parser = {.arena = arena, .names = names, .at = text + 2, .err = &err};
    struct expression_value value;

    return text_starts_with(text, "${") && expression(&parser, &value) && take(&parser, "}") &&
           *parser.at == '\0';
}

enum filling expression_fill(struct arena *arena, const char *text,
                             const struct expression_names *names, char **ret_text,
                             struct expression_value *ret_value, size_t *ret_offset,
                             struct error *err)
{
    struct filler filler = {
        .parser = {.arena = arena, .names = names, .at = text, .err = err},
        .made = BUFFER_INIT(EXPRESSION_BYTES_MAX)
    };
    enum filling result;
    bool ok;

    if (strstr(text, "${") == NULL)
        return FILLING_NONE;
    ok = fill_all(&filler);
    if (ok && filler.any_later) {
        buffer_clear(&filler.made);
        filler.keep = true;
        filler.parser.at = text;
        ok = fill_all(&filler);
    }
    if (!ok) {
        *ret_offset = (size_t)(filler.parser.at - text);
        result = FILLING_WRONG;
    } else if (filler.any_later) {
        *ret_text = arena_text(arena, buffer_text(&filler.made));
        result = FILLING_LATER;
    } else if (is_alone(arena, text, names)) {
        *ret_value = filler.value;
        result = FILLING_VALUE;
    } else {
        *ret_text = arena_text(arena, buffer_text(&filler.made));
        result = FILLING_DONE;
    }
    buffer_release(&filler.made);
    return result;
}
