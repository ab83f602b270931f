/* matrix - see matrix.h. */
#include "scenarios/language/matrix.h"

#include <string.h>

#include "controller/base/text.h"
#include "scenarios/language/expand.h"
#include "scenarios/language/scenario.h"

/** Letters of a value: it is a part of a name that people type and shells see. */
static bool is_fit(const char *text)
{
    size_t size = strlen(text);

    return size > 0 && size <= MATRIX_VALUE_BYTES_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/:%") ==
               size;
}

static bool read_value(struct reader *reader, const struct yaml_node *node,
                       struct matrix_parameter *parameter)
{
    struct expression_value value;
    const char *text;

    if (node->kind != YAML_SCALAR || !is_fit(node->text)) {
        reader_problem(reader, node,
                       "a value of a matrix must be a word of letters, digits and ._-+/:%%, not %s",
                       node_found(reader, node));
        return false;
    }
    value = node_value(reader, node);
    text = expression_text(reader->arena, &value);
    for (size_t i = 0; i < parameter->count; i++) {
        if (strcmp(expression_text(reader->arena, &parameter->values[i]), text) == 0) {
            reader_problem(reader, node, "'%s' is there already: it would be the same scenario",
                           text);
            return false;
        }
    }
    parameter->values[parameter->count++] = value;
    return true;
}

static bool read_parameter(struct reader *reader, const struct yaml_member *member,
                           struct matrix *matrix)
{
    struct matrix_parameter *parameter = &matrix->parameters[matrix->count++];
    const struct yaml_node *list = member->value;
    bool ok = true;

    parameter->name = member->key;
    if (!expression_is_name(member->key)) {
        problems_add(reader->problems, key_place(member),
                     "'%s' cannot be a name: letters, digits and _ only", member->key);
        return false;
    }
    if (list->kind != YAML_SEQUENCE || list->member_count == 0 ||
        list->member_count > SCENARIO_VARIANTS_MAX) {
        reader_problem(reader, list, "'%s' must be a list of values such as [1, 3], not %s",
                       member->key, node_found(reader, list));
        return false;
    }
    parameter->values = arena_alloc(reader->arena, list->member_count * sizeof(*parameter->values));
    for (size_t i = 0; i < list->member_count; i++)
        ok = read_value(reader, list->members[i].value, parameter) && ok;
    matrix->variants *= parameter->count;
    return ok;
}

bool matrix_read(struct reader *reader, const struct yaml_node *node, struct matrix *ret_matrix)
{
    *ret_matrix = (struct matrix){.variants = 1};
    if (node == NULL)
        return true;
    if (node->kind != YAML_MAPPING || node->member_count == 0 ||
        node->member_count > MATRIX_PARAMETERS_MAX) {
        reader_problem(reader, node,
                       "'matrix' must be a mapping of 1 to %d names to lists of values, such as "
                       "{replicas: [1, 3]}",
                       MATRIX_PARAMETERS_MAX);
        return false;
    }
    for (size_t i = 0; i < node->member_count; i++) {
        if (!read_parameter(reader, &node->members[i], ret_matrix))
            return false;
        if (ret_matrix->variants > SCENARIO_VARIANTS_MAX) {
            reader_problem(reader, node, "this matrix makes more than %d scenarios",
                           SCENARIO_VARIANTS_MAX);
            return false;
        }
    }
    return true;
}

/** Which value of parameter number at the variant has. */
static size_t digit(const struct matrix *matrix, size_t index, size_t at)
{
    for (size_t i = matrix->count; i-- > at + 1;)
        index /= matrix->parameters[i].count;
    return index % matrix->parameters[at].count;
}

void matrix_names(const struct matrix *matrix, size_t index, struct expression_name *names)
{
    for (size_t i = 0; i < matrix->count; i++)
        names[i] = (struct expression_name){
            .name = matrix->parameters[i].name,
            .value = matrix->parameters[i].values[digit(matrix, index, i)],
        };
}

static bool read_size(struct reader *reader, const struct yaml_member *member, bool small,
                      struct expression_name *ret_name)
{
    const struct yaml_node *values = member->value;

    if (!expression_is_name(member->key)) {
        problems_add(reader->problems, key_place(member),
                     "'%s' cannot be a name: letters, digits and _ only", member->key);
        return false;
    }
    if (values->kind != YAML_SEQUENCE || values->member_count != 2 ||
        values->members[0].value->kind != YAML_SCALAR ||
        values->members[1].value->kind != YAML_SCALAR) {
        reader_problem(reader, values,
                       "'%s' must be two values, as it is run and as a sweep runs it, such as "
                       "[1500, 20], not %s",
                       member->key, node_found(reader, values));
        return false;
    }
    *ret_name = (struct expression_name){
        .name = member->key, .value = node_value(reader, values->members[small ? 1 : 0].value)};
    return true;
}

static bool is_named(const struct expression_name *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i].name, name) == 0)
            return true;
    }
    return false;
}

bool sizes_read(struct reader *reader, const struct yaml_node *node, bool small,
                struct expression_name *names, size_t *count)
{
    if (node == NULL)
        return true;
    if (node->kind != YAML_MAPPING || node->member_count == 0 || node->member_count > SIZES_MAX) {
        reader_problem(reader, node,
                       "'sizes' must be a mapping of 1 to %d names to two values each, such as "
                       "{agents: [1500, 20]}",
                       SIZES_MAX);
        return false;
    }
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (is_named(names, *count, member->key)) {
            problems_add(reader->problems, key_place(member), "'%s' is there already, in 'matrix'",
                         member->key);
            return false;
        }
        if (!read_size(reader, member, small, &names[*count]))
            return false;
        ++*count;
    }
    return true;
}

char *matrix_variant(struct arena *arena, const struct matrix *matrix, size_t index)
{
    char *text = matrix->count == 0 ? NULL : arena_text(arena, "");

    for (size_t i = 0; i < matrix->count; i++)
        text = arena_format(
            arena, "%s%s%s=%s", text, i == 0 ? "" : ",", matrix->parameters[i].name,
            expression_text(arena, &matrix->parameters[i].values[digit(matrix, index, i)]));
    return text;
}
