/* cel_parse - a CEL expression into a tree. Source: cel-spec langdef, "Syntax". */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/cel.h"
#include "fakeapi/schema/cel_lex.h"
#include "fakeapi/schema/cel_tree.h"

/* Most items of one list. */
#define LIST_ITEMS_MAX 1000

struct parser {
    struct cel_lexer lexer;
    struct error *err;
    unsigned depth;
};

static struct cel_node *parse_expression(struct parser *parser);
static struct cel_node *parse_unary(struct parser *parser);

void cel_node_free(struct cel_node *node)
{
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->count; i++)
        cel_node_free(node->children[i]);
    free(node->children);
    free(node->name);
    json_object_put(node->literal);
    pattern_free(node->pattern);
    free(node);
}

static struct cel_node *node_new(enum cel_op op, size_t column)
{
    struct cel_node *node = xcalloc(1, sizeof(*node));

    node->op = op;
    node->column = column;
    return node;
}

/* Takes ownership of child. */
static void add_child(struct cel_node *node, struct cel_node *child)
{
    node->children = xrealloc(node->children, (node->count + 1) * sizeof(struct cel_node *));
    node->children[node->count++] = child;
}

/* A node over children, each of which it owns; frees them and gives NULL when one is NULL. */
static struct cel_node *node_of(enum cel_op op, size_t column, struct cel_node *first,
                                struct cel_node *second)
{
    struct cel_node *node;

    if (first == NULL || second == NULL) {
        cel_node_free(first);
        cel_node_free(second);
        return NULL;
    }
    node = node_new(op, column);
    add_child(node, first);
    add_child(node, second);
    return node;
}

static struct cel_node *node_over(enum cel_op op, size_t column, struct cel_node *child)
{
    struct cel_node *node;

    if (child == NULL)
        return NULL;
    node = node_new(op, column);
    add_child(node, child);
    return node;
}

static struct cel_node *fail(struct parser *parser, const char *what)
{
    cel_error(parser->err, parser->lexer.token.column, "%s", what);
    return NULL;
}

static bool advance(struct parser *parser)
{
    return cel_lexer_advance(&parser->lexer, parser->err);
}

static bool at(const struct parser *parser, const char *sign)
{
    return cel_lexer_at(&parser->lexer, sign);
}

/* Goes past a sign that must be there. */
static bool expect(struct parser *parser, const char *sign)
{
    const struct cel_token *token = &parser->lexer.token;

    if (at(parser, sign))
        return advance(parser);
    return cel_error(parser->err, token->column,
                     "Syntax error: mismatched input '%s' expecting '%s'",
                     token->kind == CEL_TOKEN_END ? "<EOF>" : token->text, sign);
}

/* Goes past a name, and gives a copy of it; NULL when there is none. */
static char *take_name(struct parser *parser)
{
    char *name;

    if (parser->lexer.token.kind != CEL_TOKEN_NAME) {
        fail(parser, "Syntax error: a name is expected");
        return NULL;
    }
    name = xstrdup(parser->lexer.token.text);
    if (advance(parser))
        return name;
    free(name);
    return NULL;
}

/* Undoes what stands for characters that names may not hold: "__dash__" is "-" (R19). */
static void unescape_name(char *name)
{
    static const struct {
        const char *escape;
        const char *meaning;
    } escapes[] = {
        {"__underscores__", "__"},
        {"__dot__",         "." },
        {"__dash__",        "-" },
        {"__slash__",       "/" },
    };
    size_t size = strlen(name);
    char *to = name;

    /* "__in__" and its kin: a reserved word. */
    if (size > 4 && text_starts_with(name, "__") && text_ends_with(name, "__") &&
        strstr(name + 2, "__") == name + size - 2 && !text_equal(name, "__dot__") &&
        !text_equal(name, "__dash__") && !text_equal(name, "__slash__") &&
        !text_equal(name, "__underscores__")) {
        memmove(name, name + 2, size - 4);
        name[size - 4] = '\0';
        return;
    }
    for (const char *from = name; *from != '\0';) {
        size_t used = 1;
        char plain[] = {*from, '\0'};
        const char *meaning = plain;

        for (size_t i = 0; i < ARRAY_SIZE(escapes); i++) {
            if (text_starts_with(from, escapes[i].escape)) {
                used = strlen(escapes[i].escape);
                meaning = escapes[i].meaning;
                break;
            }
        }
        memcpy(to, meaning, strlen(meaning));
        to += strlen(meaning);
        from += used;
    }
    *to = '\0';
}

/* --- primaries --- */

static struct cel_node *parse_literal(struct parser *parser)
{
    const struct cel_token *token = &parser->lexer.token;
    struct cel_node *node = node_new(CEL_LITERAL, token->column);

    if (token->kind == CEL_TOKEN_INT)
        node->literal = json_object_new_int64(token->whole);
    else if (token->kind == CEL_TOKEN_DOUBLE)
        node->literal = json_object_new_double(token->fraction);
    else if (token->kind == CEL_TOKEN_STRING)
        node->literal = json_object_new_string(token->text);
    else if (!at(parser, "null"))
        node->literal = json_object_new_boolean(at(parser, "true"));
    if (advance(parser))
        return node;
    cel_node_free(node);
    return NULL;
}

/* Expressions parted by commas, behind the opening sign, up to and past the closing one. */
static bool parse_arguments(struct parser *parser, const char *end, struct cel_node *into)
{
    while (!at(parser, end)) {
        struct cel_node *item = parse_expression(parser);

        if (item == NULL)
            return false;
        add_child(into, item);
        if (into->count > LIST_ITEMS_MAX)
            return fail(parser, "too many items") != NULL;
        if (!at(parser, end) && !expect(parser, ","))
            return false;
    }
    return advance(parser);
}

static struct cel_node *parse_list(struct parser *parser)
{
    struct cel_node *node = node_new(CEL_LIST, parser->lexer.token.column);

    if (advance(parser) && parse_arguments(parser, "]", node))
        return node;
    cel_node_free(node);
    return NULL;
}

/* Behind "has (": a selection, turned into the question whether it is there. */
static struct cel_node *parse_has(struct parser *parser, size_t column)
{
    struct cel_node *node = parse_expression(parser);

    if (node != NULL && node->op != CEL_SELECT) {
        cel_error(parser->err, column, "invalid argument to has() macro");
        cel_node_free(node);
        return NULL;
    }
    if (node == NULL || !expect(parser, ")")) {
        cel_node_free(node);
        return NULL;
    }
    node->op = CEL_HAS;
    return node;
}

static struct cel_node *parse_global_call(struct parser *parser, const char *name, size_t column)
{
    struct cel_node *node;

    if (!advance(parser))
        return NULL;
    if (text_equal(name, "has"))
        return parse_has(parser, column);
    if (!text_equal(name, "size")) {
        cel_error(parser->err, column, "undeclared reference to '%s' (in container '')", name);
        return NULL;
    }
    node = node_over(CEL_SIZE, column, parse_expression(parser));
    if (node != NULL && expect(parser, ")"))
        return node;
    cel_node_free(node);
    return NULL;
}

static struct cel_node *parse_name(struct parser *parser)
{
    size_t column = parser->lexer.token.column;
    char *name = take_name(parser);
    struct cel_node *node;

    if (name == NULL)
        return NULL;
    if (at(parser, "(")) {
        node = parse_global_call(parser, name, column);
        free(name);
        return node;
    }
    node = node_new(text_equal(name, "self")      ? CEL_SELF
                    : text_equal(name, "oldSelf") ? CEL_OLD_SELF
                                                  : CEL_VARIABLE,
                    column);
    node->name = name;
    return node;
}

static struct cel_node *parse_primary(struct parser *parser)
{
    struct cel_node *node;

    if (at(parser, "(")) {
        if (!advance(parser))
            return NULL;
        node = parse_expression(parser);
        if (node != NULL && expect(parser, ")"))
            return node;
        cel_node_free(node);
        return NULL;
    }
    if (at(parser, "["))
        return parse_list(parser);
    if (parser->lexer.token.kind == CEL_TOKEN_INT || parser->lexer.token.kind == CEL_TOKEN_DOUBLE ||
        parser->lexer.token.kind == CEL_TOKEN_STRING || at(parser, "true") || at(parser, "false") ||
        at(parser, "null"))
        return parse_literal(parser);
    if (parser->lexer.token.kind == CEL_TOKEN_NAME)
        return parse_name(parser);
    return fail(parser, parser->lexer.token.kind == CEL_TOKEN_END
                            ? "Syntax error: mismatched input '<EOF>'"
                            : "Syntax error: an expression is expected");
}

/* --- what stands behind a primary --- */

static const struct method {
    const char *name;
    enum cel_op op;
} methods[] = {
    {"size",       CEL_SIZE       },
    {"startsWith", CEL_STARTS_WITH},
    {"endsWith",   CEL_ENDS_WITH  },
    {"contains",   CEL_CONTAINS   },
    {"matches",    CEL_MATCHES    },
    {"all",        CEL_ALL        },
    {"exists",     CEL_EXISTS     },
    {"exists_one", CEL_EXISTS_ONE },
};

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (text_equal(methods[i].name, name))
            return &methods[i];
    return NULL;
}

/* Behind "target.all(": a variable's name, a comma and what must hold. */
static bool parse_macro(struct parser *parser, struct cel_node *node)
{
    struct cel_node *body;

    node->name = take_name(parser);
    if (node->name == NULL || !expect(parser, ","))
        return false;
    body = parse_expression(parser);
    if (body == NULL)
        return false;
    add_child(node, body);
    return expect(parser, ")");
}

/* The pattern of matches() must be a literal, so that it is compiled once. */
static bool compile_pattern(struct parser *parser, struct cel_node *node)
{
    const char *text = json_text(node->children[1]->literal);
    struct error why = ERROR_INIT;

    if (text == NULL)
        return cel_error(parser->err, node->column, "matches() takes a literal here");
    return pattern_new(text, &node->pattern, &why) ||
           cel_error(parser->err, node->column, "invalid matches argument: %s", why.text);
}

static bool parse_method_arguments(struct parser *parser, struct cel_node *node)
{
    size_t want = node->op == CEL_SIZE ? 1 : 2;

    if (node->op == CEL_ALL || node->op == CEL_EXISTS || node->op == CEL_EXISTS_ONE)
        return parse_macro(parser, node);
    if (!parse_arguments(parser, ")", node))
        return false;
    if (node->count != want)
        return cel_error(parser->err, node->column, "found no matching overload: %zu arguments",
                         node->count - 1);
    return node->op != CEL_MATCHES || compile_pattern(parser, node);
}

/* Behind "target.name(". Takes ownership of target. */
static struct cel_node *parse_method(struct parser *parser, struct cel_node *target,
                                     const char *name, size_t column)
{
    const struct method *method = find_method(name);
    struct cel_node *node;

    if (method == NULL) {
        cel_error(parser->err, column, "undeclared reference to '%s' (in container '')", name);
        cel_node_free(target);
        return NULL;
    }
    node = node_over(method->op, column, target);
    if (advance(parser) && parse_method_arguments(parser, node))
        return node;
    cel_node_free(node);
    return NULL;
}

/* Behind a dot. Takes ownership of target. */
static struct cel_node *parse_selection(struct parser *parser, struct cel_node *target)
{
    size_t column = parser->lexer.token.column;
    char *name = advance(parser) ? take_name(parser) : NULL;
    struct cel_node *node;

    if (name == NULL) {
        cel_node_free(target);
        return NULL;
    }
    if (at(parser, "(")) {
        node = parse_method(parser, target, name, column);
        free(name);
        return node;
    }
    unescape_name(name);
    node = node_over(CEL_SELECT, column, target);
    node->name = name;
    return node;
}

static struct cel_node *parse_member(struct parser *parser)
{
    struct cel_node *node = parse_primary(parser);
    unsigned links = 0;

    while (node != NULL && (at(parser, ".") || at(parser, "["))) {
        size_t column = parser->lexer.token.column;

        if (++links > CEL_DEPTH_MAX) {
            cel_node_free(node);
            return fail(parser, "expression is nested too deep");
        }
        if (at(parser, ".")) {
            node = parse_selection(parser, node);
            continue;
        }
        node = node_of(CEL_INDEX, column, node, advance(parser) ? parse_expression(parser) : NULL);
        if (node != NULL && !expect(parser, "]")) {
            cel_node_free(node);
            return NULL;
        }
    }
    return node;
}

/* --- operators --- */

static struct cel_node *parse_prefixed(struct parser *parser, enum cel_op op)
{
    size_t column = parser->lexer.token.column;

    return advance(parser) ? node_over(op, column, parse_unary(parser)) : NULL;
}

static struct cel_node *parse_unary(struct parser *parser)
{
    struct cel_node *node;

    if (++parser->depth > CEL_DEPTH_MAX)
        return fail(parser, "expression is nested too deep");
    if (at(parser, "!"))
        node = parse_prefixed(parser, CEL_NOT);
    else if (at(parser, "-"))
        node = parse_prefixed(parser, CEL_NEGATE);
    else
        node = parse_member(parser);
    parser->depth--;
    return node;
}

static const struct operator_sign {
    const char *sign;
    enum cel_op op;
    unsigned level; /* the higher, the tighter */
} operators[] = {
    {"||", CEL_OR,            1},
    {"&&", CEL_AND,           2},
    {"==", CEL_EQUAL,         3},
    {"!=", CEL_UNEQUAL,       3},
    {"<",  CEL_LESS,          3},
    {"<=", CEL_LESS_EQUAL,    3},
    {">",  CEL_GREATER,       3},
    {">=", CEL_GREATER_EQUAL, 3},
    {"in", CEL_IN,            3},
    {"+",  CEL_ADD,           4},
    {"-",  CEL_SUBTRACT,      4},
    {"*",  CEL_MULTIPLY,      5},
    {"/",  CEL_DIVIDE,        5},
    {"%",  CEL_MODULO,        5},
};

static const struct operator_sign *operator_at(const struct parser *parser, unsigned level)
{
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
        if (operators[i].level == level && at(parser, operators[i].sign))
            return &operators[i];
    return NULL;
}

#define TIGHTEST_LEVEL 5

/* Most operators of one level in a row: the tree is as deep as they are many. */
#define CHAIN_MAX 200

static struct cel_node *parse_binary(struct parser *parser, unsigned level)
{
    struct cel_node *left =
        level > TIGHTEST_LEVEL ? parse_unary(parser) : parse_binary(parser, level + 1);
    unsigned links = 0;

    while (left != NULL && level <= TIGHTEST_LEVEL) {
        const struct operator_sign *operator= operator_at(parser, level);
        size_t column = parser->lexer.token.column;

        if (operator== NULL)
            break;
        if (++links > CHAIN_MAX) {
            cel_node_free(left);
            return fail(parser, "too many operators in a row");
        }
        left = node_of(operator->op, column, left,
                       advance(parser) ? parse_binary(parser, level + 1) : NULL);
    }
    return left;
}

static struct cel_node *parse_conditional(struct parser *parser)
{
    struct cel_node *condition = parse_binary(parser, 1);
    size_t column = parser->lexer.token.column;
    struct cel_node *first;
    struct cel_node *node;
    struct cel_node *second;

    if (condition == NULL || !at(parser, "?"))
        return condition;
    first = advance(parser) ? parse_binary(parser, 1) : NULL;
    node = node_of(CEL_CONDITIONAL, column, condition, first);
    second = node != NULL && expect(parser, ":") ? parse_expression(parser) : NULL;
    if (second == NULL) {
        cel_node_free(node);
        return NULL;
    }
    add_child(node, second);
    return node;
}

static struct cel_node *parse_expression(struct parser *parser)
{
    struct cel_node *node;

    if (++parser->depth > CEL_DEPTH_MAX)
        return fail(parser, "expression is nested too deep");
    node = parse_conditional(parser);
    parser->depth--;
    return node;
}

bool cel_parse(const char *text, struct cel_node **ret_root, struct error *err)
{
    struct parser parser = {.err = err};
    struct cel_node *root = NULL;

    if (strlen(text) > CEL_BYTES_MAX)
        return error_set(err, ERROR_INVALID, "longer than %d bytes", CEL_BYTES_MAX);
    cel_lexer_init(&parser.lexer, text);
    if (advance(&parser))
        root = parse_expression(&parser);
    if (root != NULL && parser.lexer.token.kind != CEL_TOKEN_END) {
        fail(&parser, "Syntax error: extraneous input");
        cel_node_free(root);
        root = NULL;
    }
    cel_lexer_release(&parser.lexer);
    if (root == NULL)
        return false;
    *ret_root = root;
    return true;
}
