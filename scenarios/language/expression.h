/* expression - what stands between "${" and "}" in a scenario: names, numbers, texts in single
 * quotes, true and false; ! - * / % + == != < <= > >= && || and c ? a : b, with parentheses.
 *
 * Numbers are whole and checked; / rounds towards zero. == and != compare values of one type. */
#ifndef SCENARIOS_LANGUAGE_EXPRESSION_H
#define SCENARIOS_LANGUAGE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "scenarios/language/arena.h"

/** Longest text that is filled in, before and after. */
#define EXPRESSION_BYTES_MAX 65536
/** Deepest parentheses. */
#define EXPRESSION_DEPTH_MAX 32

enum expression_type { EXPRESSION_NUMBER, EXPRESSION_TEXT, EXPRESSION_FLAG };

struct expression_value {
    enum expression_type type;
    int64_t number;   /* of a flag: 0 or 1 */
    const char *text; /* of a text */
};

struct expression_name {
    const char *name;
    struct expression_value value;
    bool later; /* its value comes while the scenario runs */
    bool local; /* of a template: gone by then */
    bool *used; /* set when it is looked at; NULL: nobody asks */
};

struct expression_names {
    const struct expression_name *items; /* a later one hides those before it */
    size_t count;
    bool open; /* what is not among them comes later */
};

enum filling {
    FILLING_NONE,  /* the text has no "${" */
    FILLING_DONE,  /* *ret_text is it, with values */
    FILLING_VALUE, /* the text is one expression, and this its value */
    FILLING_LATER, /* *ret_text still has some whose values come later */
    FILLING_WRONG, /* err; *ret_offset is where in the text */
};

/** Fills in every "${...}" of a text; "$${" stands for "${". Texts are in the arena. */
enum filling expression_fill(struct arena *arena, const char *text,
                             const struct expression_names *names, char **ret_text,
                             struct expression_value *ret_value, size_t *ret_offset,
                             struct error *err) MUST_CHECK;

/** The value as it is written. In the arena. */
const char *expression_text(struct arena *arena, const struct expression_value *value);

/** A letter or '_', and then letters, digits and '_'; at most 64 characters. */
bool expression_is_name(const char *text);

#endif
