/* cel_evaluate - a compiled CEL expression at work on values. Values are JSON. */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/cel.h"
#include "fakeapi/schema/cel_tree.h"

/* Bytes of text that count as one step. */
#define BYTES_PER_STEP 10

/* A macro's variable. */
struct binding {
    const char *name;
    const struct json_object *value;
    const struct binding *outer;
};

struct evaluation {
    const struct json_object *self;
    const struct json_object *old_self;
    uint64_t *steps;
    struct error *err;
};

static bool evaluate(struct evaluation *e, const struct cel_node *node,
                     const struct binding *binding, struct json_object **ret_value);

static bool spend(struct evaluation *e, uint64_t steps)
{
    if (*e->steps < steps) {
        *e->steps = 0;
        return error_set(e->err, ERROR_INVALID,
                         "validation failed due to running out of cost budget, no further "
                         "validation rules will be run");
    }
    *e->steps -= steps;
    return true;
}

static bool no_overload(struct evaluation *e)
{
    return error_set(e->err, ERROR_INVALID, "no such overload");
}

/* Another hold on a value that the object owns. */
static struct json_object *hold(const struct json_object *value)
{
    return json_object_get((struct json_object *)(uintptr_t)value);
}

static struct json_object *boolean(bool value)
{
    return json_object_new_boolean(value);
}

static bool is_text(const struct json_object *value)
{
    return json_is(value, json_type_string);
}

static const char *bytes_of(const struct json_object *text, size_t *ret_size)
{
    *ret_size = (size_t)json_object_get_string_len(text);
    return json_object_get_string((struct json_object *)(uintptr_t)text);
}

/* --- logic: an error on one side does not matter when the other decides --- */

static bool evaluate_bool(struct evaluation *e, const struct cel_node *node,
                          const struct binding *binding, bool *ret_value)
{
    struct json_object *value = NULL;
    bool ok;

    if (!evaluate(e, node, binding, &value))
        return false;
    ok = json_is(value, json_type_boolean) || no_overload(e);
    *ret_value = json_object_get_boolean(value);
    json_object_put(value);
    return ok;
}

static bool evaluate_either(struct evaluation *e, const struct cel_node *node,
                            const struct binding *binding, struct json_object **ret_value)
{
    bool decides = node->op == CEL_OR;
    bool left = !decides;
    bool right = !decides;
    bool ok = evaluate_bool(e, node->children[0], binding, &left);
    struct error first = *e->err;

    if (ok && left == decides) {
        *ret_value = boolean(decides);
        return true;
    }
    if (!evaluate_bool(e, node->children[1], binding, &right))
        return false;
    if (!ok && right != decides) {
        *e->err = first;
        return false;
    }
    *ret_value = boolean(right);
    return true;
}

static bool evaluate_conditional(struct evaluation *e, const struct cel_node *node,
                                 const struct binding *binding, struct json_object **ret_value)
{
    bool condition;

    if (!evaluate_bool(e, node->children[0], binding, &condition))
        return false;
    return evaluate(e, node->children[condition ? 1 : 2], binding, ret_value);
}

/* --- fields and items --- */

static bool select_member(struct evaluation *e, const struct cel_node *node,
                          const struct json_object *from, struct json_object **ret_value)
{
    struct json_object *value = NULL;
    bool found =
        json_is(from, json_type_object) && json_object_object_get_ex(from, node->name, &value);

    if (node->op == CEL_HAS) {
        *ret_value = boolean(found);
        return json_is(from, json_type_object) || no_overload(e);
    }
    if (!found)
        return error_set(e->err, ERROR_INVALID, "no such key: %s", node->name);
    *ret_value = json_object_get(value);
    return true;
}

static bool index_into(struct evaluation *e, const struct json_object *from,
                       const struct json_object *index, struct json_object **ret_value)
{
    struct json_object *value;

    if (json_is(from, json_type_array) && json_is(index, json_type_int)) {
        int64_t position = json_object_get_int64(index);

        if (position < 0 || (uint64_t)position >= json_object_array_length(from))
            return error_set(e->err, ERROR_INVALID, "index out of bounds: %lld",
                             (long long)position);
        *ret_value = json_object_get(json_object_array_get_idx(from, (size_t)position));
        return true;
    }
    if (!json_is(from, json_type_object) || json_text(index) == NULL)
        return no_overload(e);
    if (!json_object_object_get_ex(from, json_text(index), &value))
        return error_set(e->err, ERROR_INVALID, "no such key: %s", json_text(index));
    *ret_value = json_object_get(value);
    return true;
}

static bool find_in(struct evaluation *e, const struct json_object *value,
                    const struct json_object *in, struct json_object **ret_value)
{
    bool found = false;

    if (json_is(in, json_type_array)) {
        size_t count = json_object_array_length(in);

        if (!spend(e, count))
            return false;
        for (size_t i = 0; !found && i < count; i++)
            found = json_equal(value, json_object_array_get_idx(in, i));
    } else if (json_is(in, json_type_object)) {
        found = json_text(value) != NULL && json_object_object_get_ex(in, json_text(value), NULL);
    } else {
        return no_overload(e);
    }
    *ret_value = boolean(found);
    return true;
}

static bool evaluate_list(struct evaluation *e, const struct cel_node *node,
                          const struct binding *binding, struct json_object **ret_value)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < node->count; i++) {
        struct json_object *item = NULL;

        if (!evaluate(e, node->children[i], binding, &item)) {
            json_object_put(list);
            return false;
        }
        json_add(list, item);
    }
    *ret_value = list;
    return true;
}

/* --- comparing --- */

static bool is_number(const struct json_object *value)
{
    return json_is(value, json_type_int) || json_is(value, json_type_double);
}

static int sign_of(double left, double right)
{
    return left < right ? -1 : left > right;
}

static bool order(struct evaluation *e, const struct json_object *a, const struct json_object *b,
                  int *ret_sign)
{
    if (json_is(a, json_type_int) && json_is(b, json_type_int)) {
        int64_t left = json_object_get_int64(a);
        int64_t right = json_object_get_int64(b);

        *ret_sign = left < right ? -1 : left > right;
    } else if (is_number(a) && is_number(b)) {
        *ret_sign = sign_of(json_object_get_double(a), json_object_get_double(b));
    } else if (is_text(a) && is_text(b)) {
        size_t a_size;
        size_t b_size;
        const char *left = bytes_of(a, &a_size);
        const char *right = bytes_of(b, &b_size);
        int sign = memcmp(left, right, a_size < b_size ? a_size : b_size);

        *ret_sign = sign != 0 ? sign : sign_of((double)a_size, (double)b_size);
    } else if (json_is(a, json_type_boolean) && json_is(b, json_type_boolean)) {
        *ret_sign = json_object_get_boolean(a) - json_object_get_boolean(b);
    } else {
        return no_overload(e);
    }
    return true;
}

static bool compare(struct evaluation *e, enum cel_op op, const struct json_object *a,
                    const struct json_object *b, struct json_object **ret_value)
{
    int sign = 0;

    if (op == CEL_EQUAL || op == CEL_UNEQUAL) {
        *ret_value = boolean(json_equal(a, b) == (op == CEL_EQUAL));
        return true;
    }
    if (!order(e, a, b, &sign))
        return false;
    *ret_value = boolean(op == CEL_LESS         ? sign < 0
                         : op == CEL_LESS_EQUAL ? sign <= 0
                         : op == CEL_GREATER    ? sign > 0
                                                : sign >= 0);
    return true;
}

/* --- computing --- */

static bool compute_whole(struct evaluation *e, enum cel_op op, int64_t a, int64_t b,
                          struct json_object **ret_value)
{
    int64_t result = 0;
    bool overflow = false;

    if ((op == CEL_DIVIDE || op == CEL_MODULO) && b == 0)
        return error_set(e->err, ERROR_INVALID,
                         op == CEL_DIVIDE ? "division by zero" : "modulus by zero");
    if (op == CEL_ADD)
        overflow = __builtin_add_overflow(a, b, &result);
    else if (op == CEL_SUBTRACT)
        overflow = __builtin_sub_overflow(a, b, &result);
    else if (op == CEL_MULTIPLY)
        overflow = __builtin_mul_overflow(a, b, &result);
    else if (a == INT64_MIN && b == -1)
        overflow = true;
    else
        result = op == CEL_DIVIDE ? a / b : a % b;
    if (overflow)
        return error_set(e->err, ERROR_INVALID, "integer overflow");
    *ret_value = json_object_new_int64(result);
    return true;
}

static bool join(struct evaluation *e, const struct json_object *a, const struct json_object *b,
                 struct json_object **ret_value)
{
    size_t a_size;
    size_t b_size;
    const char *left = bytes_of(a, &a_size);
    const char *right = bytes_of(b, &b_size);
    char *both;

    if (!spend(e, (a_size + b_size) / BYTES_PER_STEP))
        return false;
    both = xrealloc(NULL, a_size + b_size);
    memcpy(both, left, a_size);
    memcpy(both + a_size, right, b_size);
    *ret_value = json_object_new_string_len(both, (int)(a_size + b_size));
    free(both);
    return true;
}

static bool compute(struct evaluation *e, enum cel_op op, const struct json_object *a,
                    const struct json_object *b, struct json_object **ret_value)
{
    double left = json_object_get_double(a);
    double right = json_object_get_double(b);

    if (json_is(a, json_type_int) && json_is(b, json_type_int))
        return compute_whole(e, op, json_object_get_int64(a), json_object_get_int64(b), ret_value);
    if (op == CEL_ADD && is_text(a) && is_text(b))
        return join(e, a, b, ret_value);
    if (!json_is(a, json_type_double) || !json_is(b, json_type_double) || op == CEL_MODULO)
        return no_overload(e);
    *ret_value = json_object_new_double(op == CEL_ADD        ? left + right
                                        : op == CEL_SUBTRACT ? left - right
                                        : op == CEL_MULTIPLY ? left * right
                                                             : left / right);
    return true;
}

static bool negate(struct evaluation *e, const struct json_object *value,
                   struct json_object **ret_value)
{
    if (json_is(value, json_type_double)) {
        *ret_value = json_object_new_double(-json_object_get_double(value));
        return true;
    }
    if (!json_is(value, json_type_int))
        return no_overload(e);
    return compute_whole(e, CEL_SUBTRACT, 0, json_object_get_int64(value), ret_value);
}

/* --- functions --- */

static bool size_of(struct evaluation *e, const struct json_object *value,
                    struct json_object **ret_value)
{
    size_t count = 0;

    if (json_is(value, json_type_array)) {
        count = json_object_array_length(value);
    } else if (json_is(value, json_type_object)) {
        count = (size_t)json_object_object_length(value);
    } else if (is_text(value)) {
        size_t size;
        const char *bytes = bytes_of(value, &size);

        if (!spend(e, size / BYTES_PER_STEP))
            return false;
        for (size_t i = 0; i < size; i++)
            count += ((unsigned char)bytes[i] & 0xc0) != 0x80 ? 1 : 0;
    } else {
        return no_overload(e);
    }
    *ret_value = json_object_new_int64((int64_t)count);
    return true;
}

static bool holds_bytes(const char *bytes, size_t size, const char *part, size_t part_size)
{
    for (size_t i = 0; i + part_size <= size; i++)
        if (memcmp(bytes + i, part, part_size) == 0)
            return true;
    return false;
}

static bool look_at_text(struct evaluation *e, const struct cel_node *node,
                         const struct json_object *text, const struct json_object *part,
                         struct json_object **ret_value)
{
    size_t size;
    size_t part_size;
    const char *bytes;
    const char *wanted;
    bool found;

    if (!is_text(text) || !is_text(part))
        return no_overload(e);
    bytes = bytes_of(text, &size);
    wanted = bytes_of(part, &part_size);
    if (!spend(e, (size + part_size) / BYTES_PER_STEP))
        return false;
    if (node->op == CEL_MATCHES) {
        if (!pattern_match_within(node->pattern, bytes, size, e->steps, &found, e->err))
            return *e->steps > 0 ? false : spend(e, 1);
    } else if (node->op == CEL_CONTAINS) {
        found = holds_bytes(bytes, size, wanted, part_size);
    } else {
        size_t from = node->op == CEL_ENDS_WITH ? size - part_size : 0;

        found = part_size <= size && memcmp(bytes + from, wanted, part_size) == 0;
    }
    *ret_value = boolean(found);
    return true;
}

/* --- macros --- */

struct tally {
    size_t holds;
    size_t fails;
    bool failed; /* an item could not be evaluated; why is in first */
    struct error first;
};

/* Asks the body about one item; true while it must go on. */
static bool ask_item(struct evaluation *e, const struct cel_node *node, const struct binding *outer,
                     const struct json_object *item, struct tally *tally)
{
    struct binding inner = {node->name, item, outer};
    bool holds = false;

    if (!evaluate_bool(e, node->children[1], &inner, &holds)) {
        if (!tally->failed)
            tally->first = *e->err;
        tally->failed = true;
        return *e->steps > 0;
    }
    if (holds)
        tally->holds++;
    else
        tally->fails++;
    return !(node->op == CEL_ALL && !holds) && !(node->op == CEL_EXISTS && holds);
}

static void ask_all(struct evaluation *e, const struct cel_node *node, const struct binding *outer,
                    const struct json_object *range, struct tally *tally)
{
    if (json_is(range, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(range); i++)
            if (!ask_item(e, node, outer, json_object_array_get_idx(range, i), tally))
                return;
        return;
    }
    json_object_object_foreach((struct json_object *)(uintptr_t)range, key, value)
    {
        struct json_object *name = json_object_new_string(key);
        bool more = ask_item(e, node, outer, name, tally);

        (void)value;
        json_object_put(name);
        if (!more)
            return;
    }
}

static bool evaluate_macro(struct evaluation *e, const struct cel_node *node,
                           const struct binding *binding, struct json_object **ret_value)
{
    struct json_object *range = NULL;
    struct tally tally = {0};
    bool decided;

    if (!evaluate(e, node->children[0], binding, &range))
        return false;
    if (!json_is(range, json_type_array) && !json_is(range, json_type_object)) {
        json_object_put(range);
        return no_overload(e);
    }
    ask_all(e, node, binding, range, &tally);
    json_object_put(range);
    decided = (node->op == CEL_ALL && tally.fails > 0) ||
              (node->op == CEL_EXISTS && tally.holds > 0) || !tally.failed;
    if (!decided) {
        *e->err = tally.first;
        return false;
    }
    *ret_value = boolean(node->op == CEL_ALL      ? tally.fails == 0
                         : node->op == CEL_EXISTS ? tally.holds > 0
                                                  : tally.holds == 1);
    return true;
}

/* --- all of it --- */

static bool apply(struct evaluation *e, const struct cel_node *node,
                  const struct json_object *first, const struct json_object *second,
                  struct json_object **ret_value)
{
    switch (node->op) {
    case CEL_SELECT:
    case CEL_HAS:
        return select_member(e, node, first, ret_value);
    case CEL_INDEX:
        return index_into(e, first, second, ret_value);
    case CEL_NOT:
        *ret_value = boolean(!json_object_get_boolean(first));
        return json_is(first, json_type_boolean) || no_overload(e);
    case CEL_NEGATE:
        return negate(e, first, ret_value);
    case CEL_IN:
        return find_in(e, first, second, ret_value);
    case CEL_ADD:
    case CEL_SUBTRACT:
    case CEL_MULTIPLY:
    case CEL_DIVIDE:
    case CEL_MODULO:
        return compute(e, node->op, first, second, ret_value);
    case CEL_SIZE:
        return size_of(e, first, ret_value);
    case CEL_STARTS_WITH:
    case CEL_ENDS_WITH:
    case CEL_CONTAINS:
    case CEL_MATCHES:
        return look_at_text(e, node, first, second, ret_value);
    default:
        return compare(e, node->op, first, second, ret_value);
    }
}

static bool evaluate_operands(struct evaluation *e, const struct cel_node *node,
                              const struct binding *binding, struct json_object **ret_value)
{
    struct json_object *first = NULL;
    struct json_object *second = NULL;
    struct json_object *value = NULL;
    bool ok = evaluate(e, node->children[0], binding, &first) &&
              (node->count < 2 || evaluate(e, node->children[1], binding, &second)) &&
              apply(e, node, first, second, &value);

    json_object_put(first);
    json_object_put(second);
    if (ok)
        *ret_value = value;
    else
        json_object_put(value);
    return ok;
}

static struct json_object *bound(const struct binding *binding, const char *name)
{
    while (!text_equal(binding->name, name))
        binding = binding->outer;
    return hold(binding->value);
}

static bool evaluate(struct evaluation *e, const struct cel_node *node,
                     const struct binding *binding, struct json_object **ret_value)
{
    if (!spend(e, 1))
        return false;
    switch (node->op) {
    case CEL_LITERAL:
        *ret_value = hold(node->literal);
        return true;
    case CEL_SELF:
        *ret_value = hold(e->self);
        return true;
    case CEL_OLD_SELF:
        *ret_value = hold(e->old_self);
        return true;
    case CEL_VARIABLE:
        *ret_value = bound(binding, node->name);
        return true;
    case CEL_LIST:
        return evaluate_list(e, node, binding, ret_value);
    case CEL_AND:
    case CEL_OR:
        return evaluate_either(e, node, binding, ret_value);
    case CEL_CONDITIONAL:
        return evaluate_conditional(e, node, binding, ret_value);
    case CEL_ALL:
    case CEL_EXISTS:
    case CEL_EXISTS_ONE:
        return evaluate_macro(e, node, binding, ret_value);
    default:
        return evaluate_operands(e, node, binding, ret_value);
    }
}

bool cel_evaluate(const struct cel_program *program, const struct json_object *self,
                  const struct json_object *old_self, uint64_t *steps,
                  struct json_object **ret_value, struct error *err)
{
    struct evaluation e = {self, old_self, steps, err};
    enum json_type want = program->result == CEL_GIVES_BOOL ? json_type_boolean : json_type_string;
    struct json_object *value = NULL;

    if (!evaluate(&e, program->root, NULL, &value))
        return false;
    if (!json_is(value, want)) {
        json_object_put(value);
        return no_overload(&e);
    }
    *ret_value = value;
    return true;
}
