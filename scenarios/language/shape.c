/* shape - reading expectations; see shape.h. */
#include "scenarios/language/shape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

static void free_pattern(void *pattern)
{
    pattern_free(pattern);
}

static struct shape *new_shape(struct reader *reader, const struct yaml_node *node,
                               enum shape_kind kind)
{
    struct shape *shape = arena_alloc(reader->arena, sizeof(*shape));

    shape->kind = kind;
    shape->place = node_place(node);
    shape->written = node->kind == YAML_SCALAR ? arena_text(reader->arena, node->text) : "";
    return shape;
}

/** The scalar in text as a value of its own, typed as YAML would. */
static struct json_object *value_of(struct reader *reader, const struct yaml_node *node,
                                    const char *text)
{
    struct yaml_node alone = *node;

    alone.text = text;
    return reader_own(reader, yaml_to_json(&alone));
}

/* --- comparisons --- */

static const struct {
    const char *text;
    enum shape_relation relation;
} relations[] = {
    {">=", SHAPE_AT_LEAST}, /* before ">" */
    {"<=", SHAPE_AT_MOST },
    {">",  SHAPE_ABOVE   },
    {"<",  SHAPE_BELOW   },
};

static bool number_of(const char *text, double *ret_number)
{
    char *end;
    double number;

    if (strspn(text, "+-.0123456789eE") != strlen(text) || *text == '\0')
        return false;
    errno = 0;
    number = strtod(text, &end);
    if (*end != '\0' || errno != 0 || !isfinite(number))
        return false;
    *ret_number = number;
    return true;
}

/** Reads ">= 3" into shape. False when text is no comparison at all. */
static bool read_relation(struct reader *reader, const struct yaml_node *node, struct shape *shape)
{
    for (size_t i = 0; i < ARRAY_SIZE(relations); i++) {
        size_t size = strlen(relations[i].text);
        const char *operand = node->text + size;

        if (strncmp(node->text, relations[i].text, size) != 0)
            continue;
        operand += strspn(operand, " ");
        shape->relation = relations[i].relation;
        if (number_of(operand, &shape->number)) {
            shape->kind = SHAPE_NUMBER;
            return true;
        }
        if (time_parse(operand, &shape->at_us)) {
            shape->kind = SHAPE_TIME;
            return true;
        }
        if (node->text[size] != ' ' || node->later)
            return false; /* "<none>" is a text like any other */
        reader_problem(reader, node, "'%s' compares with neither a number nor an RFC 3339 time",
                       node->text);
        return true;
    }
    return false;
}

static void read_pattern(struct reader *reader, const struct yaml_node *node, struct shape *shape)
{
    char *text = xmemdup(node->text + 1, strlen(node->text) - 2);
    struct pattern *pattern = NULL;
    struct error err = ERROR_INIT;

    if (pattern_new(text, &pattern, &err)) {
        arena_own(reader->arena, pattern, free_pattern);
        shape->pattern = pattern;
        shape->kind = SHAPE_PATTERN;
    } else {
        reader_problem(reader, node, "'%s' is no regular expression: %s", node->text, err.text);
    }
    free(text);
}

static const struct shape *read_scalar(struct reader *reader, const struct yaml_node *node)
{
    struct shape *shape = new_shape(reader, node, SHAPE_VALUE);
    size_t size = strlen(node->text);

    if (node_is_empty(node)) {
        shape->kind = SHAPE_ABSENT;
        shape->written = "nothing";
    } else if (size >= 2 && node->text[0] == '/' && node->text[size - 1] == '/') {
        read_pattern(reader, node, shape);
    } else if (text_starts_with(node->text, "!= ")) {
        struct yaml_node plain = *node;

        plain.plain = true;
        shape->kind = SHAPE_UNLIKE;
        shape->value = value_of(reader, &plain, node->text + strlen("!= "));
    } else if (text_starts_with(node->text, "= ")) {
        shape->value = value_of(reader, node, node->text + strlen("= "));
    } else if (!read_relation(reader, node, shape)) {
        shape->value = value_of(reader, node, node->text);
    }
    return shape;
}

/* --- mappings and lists --- */

static void read_items(struct reader *reader, const struct yaml_node *node, struct shape *shape,
                       enum shape_order order)
{
    if (node->kind != YAML_SEQUENCE) {
        reader_problem(reader, node, "expected a list of items, found %s",
                       node_found(reader, node));
        return;
    }
    if (shape->members != NULL) {
        reader_problem(reader, node, "one of 'has', 'ordered' and 'exactly' is enough");
        return;
    }
    shape->order = order;
    shape->member_count = node->member_count;
    shape->members = arena_alloc(reader->arena, node->member_count * sizeof(*shape->members));
    for (size_t i = 0; i < node->member_count; i++)
        shape->members[i].shape = shape_read(reader, node->members[i].value);
}

static void read_list_words(struct reader *reader, const struct yaml_node *node,
                            struct shape *shape)
{
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (strcmp(member->key, "count") == 0)
            shape->size = shape_read_count(reader, member->value);
        else if (strcmp(member->key, "has") == 0)
            read_items(reader, member->value, shape, SHAPE_ANY_ORDER);
        else if (strcmp(member->key, "ordered") == 0)
            read_items(reader, member->value, shape, SHAPE_ORDERED);
        else
            read_items(reader, member->value, shape, SHAPE_EXACTLY);
    }
}

static const struct shape *read_members(struct reader *reader, const struct yaml_node *node)
{
    struct shape *shape = new_shape(reader, node, SHAPE_MAPPING);

    if (node_speaks_of_list(node)) {
        shape->kind = SHAPE_LIST;
        read_list_words(reader, node, shape);
        return shape;
    }
    shape->member_count = node->member_count;
    shape->members = arena_alloc(reader->arena, node->member_count * sizeof(*shape->members));
    for (size_t i = 0; i < node->member_count; i++) {
        shape->members[i].name = arena_text(reader->arena, node->members[i].key);
        shape->members[i].shape = shape_read(reader, node->members[i].value);
    }
    return shape;
}

const struct shape *shape_read(struct reader *reader, const struct yaml_node *node)
{
    struct shape *shape;

    switch (node->kind) {
    case YAML_SCALAR:
        return read_scalar(reader, node);
    case YAML_MAPPING:
        return read_members(reader, node);
    case YAML_SEQUENCE:
        break;
    }
    shape = new_shape(reader, node, SHAPE_LIST);
    read_items(reader, node, shape, SHAPE_ANY_ORDER);
    return shape;
}

const struct shape *shape_read_count(struct reader *reader, const struct yaml_node *node)
{
    const struct shape *shape = shape_read(reader, node);
    bool number = shape->kind == SHAPE_NUMBER ||
                  ((shape->kind == SHAPE_VALUE || shape->kind == SHAPE_UNLIKE) &&
                   json_is(shape->value, json_type_int));

    if (!number && !node->later)
        reader_problem(reader, node,
                       "a count must be a number or a comparison such as \">= 2\", "
                       "not %s",
                       node_found(reader, node));
    return shape;
}
