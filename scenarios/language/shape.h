/* shape - what a value must look like: a partial match, with the place of every expectation.
 *
 *     phase: Succeeded            that value
 *     exitCode: ">= 3"            >, >=, <, <= over numbers and RFC 3339 times; != over anything
 *     output: /done$/             a regular expression, searched
 *     failureReason: null         absent or null
 *     path: "= /tmp/"             exactly what follows "= "
 *     metadata: {labels: {a: b}}  at least these members
 *     conditions: [{type: A}]     at least these items, in any order
 *     conditions: {count: ">= 1", ordered: [...], exactly: [...], has: [...]}   of a list
 */
#ifndef SCENARIOS_LANGUAGE_SHAPE_H
#define SCENARIOS_LANGUAGE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/json.h"
#include "controller/base/pattern.h"
#include "scenarios/language/reader.h"

enum shape_kind {
    SHAPE_ABSENT,
    SHAPE_VALUE,
    SHAPE_NUMBER, /* compared with number */
    SHAPE_TIME,   /* compared with at_us */
    SHAPE_UNLIKE, /* anything but value */
    SHAPE_PATTERN,
    SHAPE_MAPPING,
    SHAPE_LIST,
};

enum shape_relation { SHAPE_EQUAL, SHAPE_ABOVE, SHAPE_AT_LEAST, SHAPE_BELOW, SHAPE_AT_MOST };

/** How the items of a list expectation find those of the list. */
enum shape_order {
    SHAPE_ANY_ORDER, /* each its own item, more may be there */
    SHAPE_ORDERED,   /* in this order, with others between */
    SHAPE_EXACTLY,   /* these and no others, in this order */
};

struct shape {
    enum shape_kind kind;
    struct place place;
    const char *written; /* for messages */
    struct json_object *value;
    enum shape_relation relation;
    double number;
    int64_t at_us;
    const struct pattern *pattern;
    struct shape_member *members; /* of a mapping; names are NULL for the items of a list */
    size_t member_count;
    enum shape_order order;
    const struct shape *size; /* of a list: its number of items; NULL: any */
};

struct shape_member {
    const char *name;
    const struct shape *shape;
};

/** Compiles an expectation; never NULL. What is wrong becomes a problem. */
const struct shape *shape_read(struct reader *reader, const struct yaml_node *node);

/** A comparison with a count, such as 3 or ">= 3". */
const struct shape *shape_read_count(struct reader *reader, const struct yaml_node *node);

/** One expectation that does not hold. Texts belong to the differences. */
struct difference {
    struct place place;
    char *path;     /* "status.conditions[0].type" */
    char *expected; /* as written */
    char *got;      /* compact JSON, shortened; "nothing" */
};

/** Differences kept of one comparison; the rest is counted. */
#define DIFFERENCES_MAX 40

struct differences {
    struct difference *items;
    size_t count;
    size_t left_out;
};

/** Whether value (NULL: absent) has the shape. Differences, if wanted, are appended. */
bool shape_match(const struct shape *shape, struct json_object *value,
                 struct differences *differences);

/** As shape_match, for a member at path. */
bool shape_match_at(const struct shape *shape, const char *path, struct json_object *value,
                    struct differences *differences);

void differences_release(struct differences *differences);

#endif
