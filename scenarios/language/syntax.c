/* syntax - see syntax.h. */
#include "scenarios/language/syntax.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Deepest brackets, and most columns that lines above begin at, that are looked at. */
#define BRACKETS_MAX 64
#define COLUMNS_MAX 32
/** So many lines below the place of an error its cause may stand. */
#define LINES_BELOW 2

/* --- lines --- */

/** The line, from 1, without its end; "" behind the last. Not ended by a NUL. */
static const char *line_at(const char *text, unsigned line, size_t *ret_size)
{
    for (unsigned i = 1; i < line && *text != '\0'; i++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    *ret_size = strcspn(text, "\r\n");
    return text;
}

/** The column, from 1, of the first character that is no blank; 0 of a line without one, or of a
 * comment. */
static unsigned begins_at(const char *line, size_t size)
{
    size_t blanks = 0;

    while (blanks < size && line[blanks] == ' ')
        blanks++;
    return blanks == size || line[blanks] == '#' ? 0 : (unsigned)blanks + 1;
}

/* --- brackets --- */

struct bracket {
    char open;
    struct place place;
};

struct scan {
    struct bracket items[BRACKETS_MAX];
    size_t count;
};

static void scan_character(struct scan *scan, char c, struct place place)
{
    if ((c == '{' || c == '[') && scan->count < BRACKETS_MAX)
        scan->items[scan->count++] = (struct bracket){c, place};
    else if ((c == '}' || c == ']') && scan->count > 0)
        scan->count--;
}

/** Which brackets are open in front of a place. Quoted texts and comments do not count. */
static void scan_brackets(struct scan *scan, const char *text, struct place until)
{
    struct place at = {1, 1, until.file};
    char quote = '\0';
    char before = '\n';

    scan->count = 0;
    for (; *text != '\0' &&
           (at.line < until.line || (at.line == until.line && at.column < until.column));
         text++) {
        if (quote != '\0') {
            quote = *text == quote ? '\0' : quote;
        } else if ((*text == '"' || *text == '\'') && strchr(" [{,:\n", before) != NULL) {
            quote = *text;
        } else if (*text == '#' && strchr(" \n", before) != NULL) {
            text += strcspn(text, "\n") - 1;
            continue;
        } else {
            scan_character(scan, *text, at);
        }
        before = *text;
        at.column++;
        if (*text == '\n') {
            at.line++;
            at.column = 1;
        }
    }
}

static char closing(char open)
{
    return open == '{' ? '}' : ']';
}

/** Whether the '{' of "${" stands at place. */
static bool is_dollar(const char *text, struct place place)
{
    size_t size;
    const char *line = line_at(text, place.line, &size);

    return place.column >= 2 && place.column <= size && line[place.column - 1] == '{' &&
           line[place.column - 2] == '$';
}

/** False where no bracket is at fault. */
static bool bracket_problem(struct problems *problems, struct place place, const char *text,
                            const char *error)
{
    struct scan scan;
    const struct bracket *last;

    scan_brackets(&scan, text, place);
    if (scan.count == 0 && strstr(error, "closing") != NULL) {
        problems_add(problems, place, "one bracket too many: none is open here");
        return true;
    }
    if (scan.count == 0)
        return false;
    last = &scan.items[scan.count - 1];
    if (strstr(error, "mismatched") != NULL)
        problems_add(problems, place,
                     "this does not close the '%c' of line %u, column %u; write '%c'", last->open,
                     last->place.line, last->place.column, closing(last->open));
    else if (last->place.line < place.line)
        problems_add(problems, last->place,
                     "the '%c' that begins here is not closed; put a '%c' behind its last entry",
                     last->open, closing(last->open));
    else if (strstr(error, "missing comma") != NULL && is_dollar(text, place))
        problems_add(problems, place, "a text with '${' in it needs quotes: \"${...}\"");
    else if (strstr(error, "missing comma") != NULL)
        problems_add(
            problems, place,
            "a ',' is missing between two entries of the '%c'; a text with ': ' in it needs "
            "quotes",
            last->open);
    else
        return false;
    return true;
}

/* --- indentation --- */

struct columns {
    unsigned items[COLUMNS_MAX]; /* falling */
    size_t count;
};

static void add_column(struct columns *columns, unsigned column)
{
    if (columns->count < COLUMNS_MAX)
        columns->items[columns->count++] = column;
}

/** The columns at which a line may begin, by those above it. */
static void columns_above(const char *text, unsigned line, struct columns *columns)
{
    unsigned least = UINT32_MAX;

    columns->count = 0;
    while (--line > 0 && least > 1) {
        size_t size;
        const char *above = line_at(text, line, &size);
        unsigned column = begins_at(above, size);

        if (column == 0 || column >= least)
            continue;
        if (size > column && above[column - 1] == '-' && above[column] == ' ' && column + 2 < least)
            add_column(columns, column + 2);
        add_column(columns, column);
        least = column;
    }
}

static bool has(const struct columns *columns, unsigned column)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (columns->items[i] == column)
            return true;
    }
    return false;
}

/** The first line from there on that begins where none above it does. */
static bool indentation_problem(struct problems *problems, struct place place, const char *text)
{
    for (unsigned line = place.line; line <= place.line + LINES_BELOW; line++) {
        struct columns columns;
        size_t size;
        const char *begun = line_at(text, line, &size);
        unsigned column = begins_at(begun, size);
        unsigned smaller = 0;
        unsigned larger = 0;

        columns_above(text, line, &columns);
        if (column == 0 || columns.count == 0 || has(&columns, column))
            continue;
        for (size_t i = 0; i < columns.count; i++) {
            if (columns.items[i] > column)
                larger = columns.items[i];
            else if (smaller == 0)
                smaller = columns.items[i];
        }
        place.line = line;
        place.column = column;
        if (smaller > 0 && larger > 0)
            problems_add(
                problems, place,
                "wrong indentation: no line above begins here; write this one at column %u "
                "or %u",
                smaller, larger);
        else
            problems_add(
                problems, place,
                "wrong indentation: no line above begins here; write this one at column %u",
                smaller > 0 ? smaller : larger);
        return true;
    }
    return false;
}

/* --- the others --- */

static const struct {
    const char *error; /* a part of it */
    const char *words;
} others[] = {
    {"a tab in the indentation",                      "a tab in the indentation; use blanks, two for each level"},
    {"quoted scalar without closing quote",           "the quote that begins here is not closed"                },
    {"trailing content after single-quoted",
     "the text in quotes ends before this; write '' for a ' in it, or put it in \"\""                           },
    {"trailing content after double-quoted",
     "the text in quotes ends before this; write \\\" for a \" in it"                                           },
    {"invalid nested block mapping on the same line",
     "a second ': ' on one line; put the text in quotes"                                                        },
    {"alias",                                         "a text that begins with '*' needs quotes: \"*\""         },
    {"anchors are not taken",
     "a text that begins with '&' needs quotes; what is written often can be a template"                        },
    {"tags are not taken",                            "a text that begins with '!' needs quotes: \"!\""         },
    {"a second document",
     "a second document; a file holds one scenario: take '---' out, or what follows into a file of "
     "its own"                                                                                                  },
    {"lines that begin with '%'",                     "a line cannot begin with '%'; put the text in quotes"    },
};

/** "plain scalar cannot start with '@'". */
static bool first_character_problem(struct problems *problems, struct place place,
                                    const char *error)
{
    const char *what = strstr(error, "scalar cannot start with '");

    if (what == NULL)
        return false;
    what += strlen("scalar cannot start with '");
    problems_add(problems, place, "a text that begins with '%c' needs quotes: \"%c\"", *what,
                 *what);
    return true;
}

static bool other_problem(struct problems *problems, struct place place, const char *error)
{
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        if (strstr(error, others[i].error) == NULL)
            continue;
        problems_add(problems, place, "%s", others[i].words);
        return true;
    }
    return first_character_problem(problems, place, error);
}

static bool speaks_of(const char *error, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(error, words[i]) != NULL)
            return true;
    }
    return false;
}

void syntax_problem(struct problems *problems, struct place place, const char *bytes, size_t size,
                    const char *error)
{
    static const char *const of_brackets[] = {"flow", "expected node content"};
    static const char *const of_indentation[] = {
        "indentation", "indendation", "multiline plain key", "block mapping", "block sequence"};
    char *text = xmemdup(bytes, size);
    bool said = other_problem(problems, place, error);

    if (!said && speaks_of(error, of_brackets, ARRAY_SIZE(of_brackets)))
        said = bracket_problem(problems, place, text, error);
    if (!said && speaks_of(error, of_indentation, ARRAY_SIZE(of_indentation)))
        said = indentation_problem(problems, place, text);
    if (!said && text_starts_with(error, "key '"))
        problems_add(problems, place, "%s; leave one of the two out", error);
    else if (!said)
        problems_add(problems, place, "%s", error);
    free(text);
}
