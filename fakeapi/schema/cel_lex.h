/* cel_lex - the words of a CEL expression. */
#ifndef FAKEAPI_SCHEMA_CEL_LEX_H
#define FAKEAPI_SCHEMA_CEL_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

enum cel_token_kind {
    CEL_TOKEN_END,
    CEL_TOKEN_NAME,
    CEL_TOKEN_INT,
    CEL_TOKEN_DOUBLE,
    CEL_TOKEN_STRING,
    CEL_TOKEN_SIGN, /* text: "&&", "(", ... */
};

/** One word. text is of the lexer, until the next one. */
struct cel_token {
    enum cel_token_kind kind;
    const char *text; /* a string's without quotes and escapes */
    int64_t whole;
    double fraction;
    size_t column; /* from 1 */
};

struct cel_lexer {
    const char *text;
    const char *next;
    char *word;
    struct cel_token token; /* the word at hand */
};

void cel_lexer_init(struct cel_lexer *lexer, const char *text);
void cel_lexer_release(struct cel_lexer *lexer);

/** Goes to the next word. ERROR_INVALID as cel_parse(). */
bool cel_lexer_advance(struct cel_lexer *lexer, struct error *err) MUST_CHECK;

/** Whether the word at hand is this sign, or this name. */
bool cel_lexer_at(const struct cel_lexer *lexer, const char *sign);

/** error_set() with "ERROR: <input>:1:COLUMN: " in front. */
bool cel_error(struct error *err, size_t column, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
