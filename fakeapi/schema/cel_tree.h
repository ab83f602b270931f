/* cel_tree - a CEL expression taken apart, as its parser, its checker and its evaluator share it.
 */
#ifndef FAKEAPI_SCHEMA_CEL_TREE_H
#define FAKEAPI_SCHEMA_CEL_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/base/pattern.h"
#include "fakeapi/schema/cel.h"

enum cel_op {
    CEL_LITERAL,
    CEL_SELF,
    CEL_OLD_SELF,
    CEL_VARIABLE, /* of a macro; name */
    CEL_SELECT,   /* child . name */
    CEL_HAS,      /* has(child . name) */
    CEL_INDEX,    /* child [ child ] */
    CEL_LIST,
    CEL_NOT,
    CEL_NEGATE,
    CEL_AND,
    CEL_OR,
    CEL_CONDITIONAL,
    CEL_EQUAL,
    CEL_UNEQUAL,
    CEL_LESS,
    CEL_LESS_EQUAL,
    CEL_GREATER,
    CEL_GREATER_EQUAL,
    CEL_IN,
    CEL_ADD,
    CEL_SUBTRACT,
    CEL_MULTIPLY,
    CEL_DIVIDE,
    CEL_MODULO,
    CEL_SIZE,
    CEL_STARTS_WITH,
    CEL_ENDS_WITH,
    CEL_CONTAINS,
    CEL_MATCHES, /* child, against pattern */
    CEL_ALL,     /* child: the list; child: what must hold of name */
    CEL_EXISTS,
    CEL_EXISTS_ONE,
};

struct cel_node {
    enum cel_op op;
    size_t column; /* from 1 */
    struct cel_node **children;
    size_t count;
    char *name;
    struct json_object *literal;
    struct pattern *pattern;
};

struct cel_program {
    struct cel_node *root;
    enum cel_result result;
    bool uses_old_self;
};

/** Parses. ERROR_INVALID: "ERROR: <input>:1:6: what". */
bool cel_parse(const char *text, struct cel_node **ret_root, struct error *err) MUST_CHECK;
void cel_node_free(struct cel_node *node);

#endif
