/* cel - compiling: fields and operand types of an expression against a schema. */
#include "fakeapi/schema/cel.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/cel_lex.h"
#include "fakeapi/schema/cel_tree.h"
#include "fakeapi/schema/node.h"

/* What is known of a value before there is one. */
enum kind { DYN, NONE, BOOL, INT, DOUBLE, STRING, LIST, MAP };

struct type {
    enum kind kind;
    const struct schema *schema; /* of a LIST or MAP, where known */
};

/* A macro's variable. */
struct scope {
    const char *name;
    struct type type;
    const struct scope *outer;
};

struct check {
    const struct schema *schema; /* of self */
    bool root;
    bool uses_old_self;
    struct error *err;
};

static bool check(struct check *c, const struct cel_node *node, const struct scope *scope,
                  struct type *ret_type);

static const char *kind_name(enum kind kind)
{
    static const char *const names[] = {
        [DYN] = "dyn",       [NONE] = "null",     [BOOL] = "bool", [INT] = "int",
        [DOUBLE] = "double", [STRING] = "string", [LIST] = "list", [MAP] = "map",
    };

    return names[kind];
}

static struct type type_of(const struct schema *schema)
{
    static const enum kind kinds[] = {
        [SCHEMA_ANY] = DYN,       [SCHEMA_OBJECT] = MAP,        [SCHEMA_ARRAY] = LIST,
        [SCHEMA_STRING] = STRING, [SCHEMA_INTEGER] = INT,       [SCHEMA_NUMBER] = DOUBLE,
        [SCHEMA_BOOLEAN] = BOOL,  [SCHEMA_INT_OR_STRING] = DYN,
    };

    return (struct type){kinds[schema->type], schema};
}

static struct type of_kind(enum kind kind)
{
    return (struct type){kind, NULL};
}

/* --- fields --- */

static bool check_field(struct check *c, const struct cel_node *node, struct type of,
                        struct type *ret_type)
{
    const struct schema *member;

    *ret_type = of_kind(DYN);
    if (of.kind == DYN || (of.kind == MAP && of.schema == NULL))
        return true;
    if (of.kind != MAP)
        return cel_error(c->err, node->column, "type '%s' does not support field selection",
                         kind_name(of.kind));
    member = schema_member(of.schema, node->name);
    if (member != NULL) {
        *ret_type = type_of(member);
        return true;
    }
    if ((c->root && of.schema == c->schema) || of.schema->embedded)
        if (text_equal(node->name, "apiVersion") || text_equal(node->name, "kind") ||
            text_equal(node->name, "metadata"))
            return true;
    return cel_error(c->err, node->column, "undefined field '%s'", node->name);
}

static bool check_index(struct check *c, const struct cel_node *node, const struct type *of,
                        struct type *ret_type)
{
    enum kind want = of[0].kind == LIST ? INT : of[0].kind == MAP ? STRING : DYN;
    const struct schema *schema = of[0].schema;

    if ((of[0].kind != DYN && want == DYN) ||
        (want != DYN && of[1].kind != DYN && of[1].kind != want))
        return cel_error(c->err, node->column,
                         "found no matching overload for '_[_]' applied to '(%s, %s)'",
                         kind_name(of[0].kind), kind_name(of[1].kind));
    *ret_type = of_kind(DYN);
    if (schema != NULL && of[0].kind == LIST && schema->items != NULL)
        *ret_type = type_of(schema->items);
    if (schema != NULL && of[0].kind == MAP && schema->additional != NULL)
        *ret_type = type_of(schema->additional);
    return true;
}

/* --- operators --- */

static bool is_number(enum kind kind)
{
    return kind == INT || kind == DOUBLE;
}

static bool may_equal(enum kind a, enum kind b)
{
    return a == DYN || b == DYN || a == NONE || b == NONE || a == b ||
           (is_number(a) && is_number(b));
}

static bool may_order(enum kind a, enum kind b)
{
    return may_equal(a, b) && a != LIST && a != MAP && a != NONE && b != LIST && b != MAP &&
           b != NONE;
}

static bool may_compute(enum cel_op op, enum kind a, enum kind b)
{
    if (a != DYN && b != DYN && a != b)
        return false;
    for (size_t i = 0; i < 2; i++) {
        enum kind kind = i == 0 ? a : b;

        if (kind != DYN && !is_number(kind) && !(op == CEL_ADD && kind == STRING))
            return false;
        if (op == CEL_MODULO && kind != DYN && kind != INT)
            return false;
    }
    return true;
}

static bool refuse(struct check *c, const struct cel_node *node, const char *what,
                   const struct type *of)
{
    if (node->count == 1)
        return cel_error(c->err, node->column,
                         "found no matching overload for '%s' applied to '(%s)'", what,
                         kind_name(of[0].kind));
    return cel_error(c->err, node->column,
                     "found no matching overload for '%s' applied to '(%s, %s)'", what,
                     kind_name(of[0].kind), kind_name(of[1].kind));
}

static bool is(enum kind kind, enum kind want)
{
    return kind == DYN || kind == want;
}

static bool check_logic(struct check *c, const struct cel_node *node, const struct type *of,
                        struct type *ret_type)
{
    static const char *const names[] = {
        [CEL_NOT] = "!_", [CEL_AND] = "_&&_", [CEL_OR] = "_||_", [CEL_CONDITIONAL] = "_?_:_"};

    *ret_type = of_kind(BOOL);
    if (node->op == CEL_CONDITIONAL) {
        *ret_type = of[1].kind == of[2].kind ? of[1] : of_kind(DYN);
        return is(of[0].kind, BOOL) || refuse(c, node, names[node->op], of);
    }
    return (is(of[0].kind, BOOL) && (node->count == 1 || is(of[1].kind, BOOL))) ||
           refuse(c, node, names[node->op], of);
}

static bool check_computation(struct check *c, const struct cel_node *node, const struct type *of,
                              struct type *ret_type)
{
    static const char *const names[] = {
        [CEL_NEGATE] = "-_",    [CEL_ADD] = "_+_",    [CEL_SUBTRACT] = "_-_",
        [CEL_MULTIPLY] = "_*_", [CEL_DIVIDE] = "_/_", [CEL_MODULO] = "_%_"};
    bool fits = node->op == CEL_NEGATE ? of[0].kind == DYN || is_number(of[0].kind)
                                       : may_compute(node->op, of[0].kind, of[1].kind);

    *ret_type = of_kind(of[0].kind == DYN && node->count > 1 ? of[1].kind : of[0].kind);
    return fits || refuse(c, node, names[node->op], of);
}

static bool check_comparison(struct check *c, const struct cel_node *node, const struct type *of,
                             struct type *ret_type)
{
    static const char *const names[] = {
        [CEL_EQUAL] = "_==_",      [CEL_UNEQUAL] = "_!=_", [CEL_LESS] = "_<_",
        [CEL_LESS_EQUAL] = "_<=_", [CEL_GREATER] = "_>_",  [CEL_GREATER_EQUAL] = "_>=_",
        [CEL_IN] = "@in"};
    bool fits;

    *ret_type = of_kind(BOOL);
    if (node->op == CEL_IN)
        fits = of[1].kind == DYN || of[1].kind == LIST ||
               (of[1].kind == MAP && is(of[0].kind, STRING));
    else if (node->op == CEL_EQUAL || node->op == CEL_UNEQUAL)
        fits = may_equal(of[0].kind, of[1].kind);
    else
        fits = may_order(of[0].kind, of[1].kind);
    return fits || refuse(c, node, names[node->op], of);
}

static bool check_function(struct check *c, const struct cel_node *node, const struct type *of,
                           struct type *ret_type)
{
    static const char *const names[] = {[CEL_SIZE] = "size",
                                        [CEL_STARTS_WITH] = "startsWith",
                                        [CEL_ENDS_WITH] = "endsWith",
                                        [CEL_CONTAINS] = "contains",
                                        [CEL_MATCHES] = "matches"};
    bool fits;

    if (node->op == CEL_SIZE) {
        *ret_type = of_kind(INT);
        fits = of[0].kind == DYN || of[0].kind == STRING || of[0].kind == LIST || of[0].kind == MAP;
    } else {
        *ret_type = of_kind(BOOL);
        fits = is(of[0].kind, STRING) && is(of[1].kind, STRING);
    }
    return fits || refuse(c, node, names[node->op], of);
}

/* --- names and macros --- */

static bool check_name(struct check *c, const struct cel_node *node, const struct scope *scope,
                       struct type *ret_type)
{
    for (; scope != NULL; scope = scope->outer) {
        if (text_equal(scope->name, node->name)) {
            *ret_type = scope->type;
            return true;
        }
    }
    return cel_error(c->err, node->column, "undeclared reference to '%s' (in container '')",
                     node->name);
}

static bool check_macro(struct check *c, const struct cel_node *node, const struct scope *scope,
                        struct type *ret_type)
{
    struct scope inner = {
        node->name, {DYN, NULL},
         scope
    };
    struct type of;
    struct type body;

    if (!check(c, node->children[0], scope, &of))
        return false;
    if (of.kind != DYN && of.kind != LIST && of.kind != MAP)
        return cel_error(c->err, node->column,
                         "expression of type '%s' cannot be range of a comprehension",
                         kind_name(of.kind));
    if (of.kind == LIST && of.schema != NULL && of.schema->items != NULL)
        inner.type = type_of(of.schema->items);
    if (of.kind == MAP)
        inner.type = of_kind(STRING);
    *ret_type = of_kind(BOOL);
    if (!check(c, node->children[1], &inner, &body))
        return false;
    return is(body.kind, BOOL) || cel_error(c->err, node->column,
                                            "found no matching overload for '_&&_' applied to "
                                            "'(bool, %s)'",
                                            kind_name(body.kind));
}

static struct type type_of_literal(const struct json_object *literal)
{
    switch (json_object_get_type(literal)) {
    case json_type_null:
        return of_kind(NONE);
    case json_type_boolean:
        return of_kind(BOOL);
    case json_type_int:
        return of_kind(INT);
    case json_type_double:
        return of_kind(DOUBLE);
    case json_type_string:
        return of_kind(STRING);
    case json_type_object:
    case json_type_array:
        break;
    }
    return of_kind(DYN);
}

/* A node that has children, each checked before. */
static bool check_parent(struct check *c, const struct cel_node *node, const struct type *of,
                         struct type *ret_type)
{
    switch (node->op) {
    case CEL_SELECT:
        return check_field(c, node, of[0], ret_type);
    case CEL_HAS:
        if (!check_field(c, node, of[0], ret_type))
            return false;
        *ret_type = of_kind(BOOL);
        return true;
    case CEL_INDEX:
        return check_index(c, node, of, ret_type);
    case CEL_NOT:
    case CEL_AND:
    case CEL_OR:
    case CEL_CONDITIONAL:
        return check_logic(c, node, of, ret_type);
    case CEL_EQUAL:
    case CEL_UNEQUAL:
    case CEL_LESS:
    case CEL_LESS_EQUAL:
    case CEL_GREATER:
    case CEL_GREATER_EQUAL:
    case CEL_IN:
        return check_comparison(c, node, of, ret_type);
    case CEL_NEGATE:
    case CEL_ADD:
    case CEL_SUBTRACT:
    case CEL_MULTIPLY:
    case CEL_DIVIDE:
    case CEL_MODULO:
        return check_computation(c, node, of, ret_type);
    default:
        return check_function(c, node, of, ret_type);
    }
}

static bool check_list(struct check *c, const struct cel_node *node, const struct scope *scope,
                       struct type *ret_type)
{
    struct type ignored;

    for (size_t i = 0; i < node->count; i++)
        if (!check(c, node->children[i], scope, &ignored))
            return false;
    *ret_type = of_kind(LIST);
    return true;
}

static bool check(struct check *c, const struct cel_node *node, const struct scope *scope,
                  struct type *ret_type)
{
    struct type of[3] = {
        {DYN, NULL},
        {DYN, NULL},
        {DYN, NULL}
    };

    switch (node->op) {
    case CEL_LITERAL:
        *ret_type = type_of_literal(node->literal);
        return true;
    case CEL_OLD_SELF:
        c->uses_old_self = true;
        *ret_type = type_of(c->schema);
        return true;
    case CEL_SELF:
        *ret_type = type_of(c->schema);
        return true;
    case CEL_VARIABLE:
        return check_name(c, node, scope, ret_type);
    case CEL_LIST:
        return check_list(c, node, scope, ret_type);
    case CEL_ALL:
    case CEL_EXISTS:
    case CEL_EXISTS_ONE:
        return check_macro(c, node, scope, ret_type);
    default:
        for (size_t i = 0; i < node->count; i++)
            if (!check(c, node->children[i], scope, &of[i]))
                return false;
        return check_parent(c, node, of, ret_type);
    }
}

bool cel_compile(const char *text, const struct schema *schema, bool root, enum cel_result result,
                 struct cel_program **ret_program, struct error *err)
{
    struct check c = {.schema = schema, .root = root, .err = err};
    enum kind want = result == CEL_GIVES_BOOL ? BOOL : STRING;
    struct cel_node *tree;
    struct type type = {DYN, NULL};

    if (!cel_parse(text, &tree, err))
        return false;
    if (!check(&c, tree, NULL, &type) ||
        (!is(type.kind, want) &&
         !error_set(err, ERROR_INVALID, "must evaluate to a %s", kind_name(want)))) {
        cel_node_free(tree);
        return false;
    }
    *ret_program = xcalloc(1, sizeof(**ret_program));
    **ret_program = (struct cel_program){tree, result, c.uses_old_self};
    return true;
}

void cel_free(struct cel_program *program)
{
    if (program == NULL)
        return;
    cel_node_free(program->root);
    free(program);
}

bool cel_uses_old_self(const struct cel_program *program)
{
    return program->uses_old_self;
}
