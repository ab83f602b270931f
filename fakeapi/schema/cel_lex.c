/* cel_lex - the words of a CEL expression. */
#include "fakeapi/schema/cel_lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

bool cel_error(struct error *err, size_t column, const char *format, ...)
{
    char text[ERROR_TEXT_SIZE / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    return error_set(err, ERROR_INVALID, "ERROR: <input>:1:%zu: %s", column, text);
}

void cel_lexer_init(struct cel_lexer *lexer, const char *text)
{
    *lexer = (struct cel_lexer){.text = text, .next = text, .word = xcalloc(strlen(text) + 1, 1)};
}

void cel_lexer_release(struct cel_lexer *lexer)
{
    free(lexer->word);
    lexer->word = NULL;
}

bool cel_lexer_at(const struct cel_lexer *lexer, const char *sign)
{
    return (lexer->token.kind == CEL_TOKEN_SIGN || lexer->token.kind == CEL_TOKEN_NAME) &&
           strcmp(lexer->token.text, sign) == 0;
}

/* Takes size bytes as the word. */
static void take(struct cel_lexer *lexer, enum cel_token_kind kind, size_t size)
{
    memcpy(lexer->word, lexer->next, size);
    lexer->word[size] = '\0';
    lexer->next += size;
    lexer->token.kind = kind;
    lexer->token.text = lexer->word;
}

static bool take_number(struct cel_lexer *lexer, struct error *err)
{
    const char *at = lexer->next;
    size_t size = strspn(at, "0123456789");
    bool whole = true;

    if (at[size] == '.' && isdigit((unsigned char)at[size + 1])) {
        whole = false;
        size += 1 + strspn(at + size + 1, "0123456789");
    }
    if (at[size] == 'e' || at[size] == 'E') {
        size_t sign = at[size + 1] == '-' || at[size + 1] == '+' ? 2 : 1;
        size_t digits = strspn(at + size + sign, "0123456789");

        if (digits > 0) {
            whole = false;
            size += sign + digits;
        }
    }
    take(lexer, whole ? CEL_TOKEN_INT : CEL_TOKEN_DOUBLE, size);
    if (isalnum((unsigned char)*lexer->next) || *lexer->next == '_')
        return cel_error(err, lexer->token.column, "Syntax error: not a decimal number");
    if (whole)
        return text_to_int64(lexer->word, &lexer->token.whole) ||
               cel_error(err, lexer->token.column, "invalid int literal");
    lexer->token.fraction = strtod(lexer->word, NULL);
    return isfinite(lexer->token.fraction) ||
           cel_error(err, lexer->token.column, "invalid double literal");
}

/* The character that an escape stands for; 0 for those that are not taken. */
static char escaped(char letter)
{
    static const char letters[] = "abfnrtv\\?\"'`";
    static const char meanings[] = "\a\b\f\n\r\t\v\\?\"'`";
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);

    return found == NULL ? '\0' : meanings[found - letters];
}

static bool take_string(struct cel_lexer *lexer, struct error *err)
{
    bool raw = *lexer->next == 'r' || *lexer->next == 'R';
    const char *at = lexer->next + (raw ? 1 : 0);
    char quote = *at++;
    size_t used = 0;

    if (at[0] == quote && at[1] == quote)
        return cel_error(err, lexer->token.column, "triple-quoted strings are not supported");
    for (; *at != quote; at++) {
        char character = *at;

        if (character == '\0' || character == '\n')
            return cel_error(err, lexer->token.column, "Syntax error: unterminated string");
        if (character == '\\' && !raw) {
            character = escaped(*++at);
            if (character == '\0')
                return cel_error(err, lexer->token.column,
                                 "Syntax error: escape sequence not supported");
        }
        lexer->word[used++] = character;
    }
    lexer->word[used] = '\0';
    lexer->next = at + 1;
    lexer->token.kind = CEL_TOKEN_STRING;
    lexer->token.text = lexer->word;
    return true;
}

static bool take_sign(struct cel_lexer *lexer, struct error *err)
{
    static const char *const signs[] = {"&&", "||", "==", "!=", "<=", ">="};
    char character = *lexer->next;

    for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
        if (strncmp(lexer->next, signs[i], 2) == 0) {
            take(lexer, CEL_TOKEN_SIGN, 2);
            return true;
        }
    }
    if (strchr("()[].,?:!<>+-*/%", character) == NULL)
        return cel_error(err, lexer->token.column, "Syntax error: token recognition error at: '%c'",
                         isprint((unsigned char)character) ? character : '?');
    take(lexer, CEL_TOKEN_SIGN, 1);
    return true;
}

bool cel_lexer_advance(struct cel_lexer *lexer, struct error *err)
{
    char character;

    lexer->next += strspn(lexer->next, " \t\r\n");
    character = *lexer->next;
    lexer->token.column = (size_t)(lexer->next - lexer->text) + 1;
    if (character == '\0') {
        take(lexer, CEL_TOKEN_END, 0);
        return true;
    }
    if (character == '"' || character == '\'' ||
        ((character == 'r' || character == 'R') &&
         (lexer->next[1] == '"' || lexer->next[1] == '\'')))
        return take_string(lexer, err);
    if (isdigit((unsigned char)character))
        return take_number(lexer, err);
    if (isalpha((unsigned char)character) || character == '_') {
        size_t size = 1;

        while (isalnum((unsigned char)lexer->next[size]) || lexer->next[size] == '_')
            size++;
        take(lexer, CEL_TOKEN_NAME, size);
        return true;
    }
    return take_sign(lexer, err);
}
