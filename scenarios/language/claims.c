/* claims - what must hold of the cluster's objects. */
#include <ctype.h>
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/targets.h"

/** Those of a request that can be compared come first among what a claim says of it. */
#define REQUEST_PART_COUNT 7

/* Keys of a claim that are not members of the object. */
static const struct key claim_keys[] = {
    DESCRIBED("kind", VALUE_TEXT, "The objects' kind.", .unless = "a 'server' is named",
              .example = "Agent"),
    DESCRIBED("server", VALUE_TEXT,
              "It is about the requests that this server got, not about objects: their method, "
              "path, query, from (whose), headers, body and answer (the status).",
              .unless = "it is about objects", .example = "hooks.example"),
    DESCRIBED("apiVersion", VALUE_TEXT, "Of a kind that the language does not know.",
              .unless = "the kind's own", .example = "batch/v1"),
    DESCRIBED("namespace", VALUE_TEXT, "The objects' namespace.", .unless = SCENARIO_NAMESPACE,
              .example = "other"),
    DESCRIBED("name", VALUE_CUSTOM, "The object's name, or a pattern for names.",
              .shape = "a name or a /pattern/", .form = FORM_SCALAR, .unless = "any",
              .example = "/^run-/"),
    DESCRIBED("count", VALUE_CUSTOM, "How many objects are like that.",
              .shape = "a number or a comparison", .form = FORM_COMPARISON,
              .unless = "at least one", .example = "\">= 3\""),
    DESCRIBED("absent", VALUE_CUSTOM, "No object is like that.", .shape = "true", .form = FORM_TRUE,
              .unless = "there is one", .example = "true"),
    DESCRIBED("mayChange", VALUE_CUSTOM,
              "One more fault may change this: a sweep does not judge it then.",
              .shape = "true, or a list of kinds of faults", .form = FORM_TRUE_OR_NAMES,
              .unless = "no fault may but those that "
                        "have the last word",
              .example = "[crash, pause]"),
};

const struct key_table claim_table = {
    .what = "an expectation",
    .keys = claim_keys,
    .key_count = ARRAY_SIZE(claim_keys),
    .others = "the fields of the object, as far as they matter",
};

static bool is_claim_key(const char *key)
{
    return key_find(&claim_table, key) != NULL;
}

static void check_member(struct reader *reader, const struct yaml_member *member,
                         const struct kind *kind)
{
    const char *known[KIND_FIELDS_MAX + ARRAY_SIZE(claim_keys) + 1];
    size_t count = 0;

    for (; kind->fields[count] != NULL; count++)
        known[count] = kind->fields[count];
    known[count++] = "metadata";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(known[i], member->key) == 0)
            return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(claim_keys); i++) {
        if (strcmp(claim_keys[i].name, "server") != 0) /* then there would be no kind */
            known[count++] = claim_keys[i].name;
    }
    problems_add(reader->problems, key_place(member), "kind %s has no '%s'%s", kind->name,
                 member->key, field_hint(reader, kind->name, member->key, known, count));
}

/** What is left of a claim's mapping is what the object must have. */
static const struct shape *read_rest(struct reader *reader, const struct yaml_node *node,
                                     const struct kind *kind)
{
    struct shape *shape = arena_alloc(reader->arena, sizeof(*shape));

    shape->kind = SHAPE_MAPPING;
    shape->place = node_place(node);
    shape->written = "";
    shape->members = arena_alloc(reader->arena, node->member_count * sizeof(*shape->members));
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (is_claim_key(member->key))
            continue;
        if (kind != NULL) {
            check_member(reader, member, kind);
            schemas_check(reader, kind->name, member, SCHEMAS_CLAIM);
        }
        shape->members[shape->member_count].name = arena_text(reader->arena, member->key);
        shape->members[shape->member_count++].shape = shape_read(reader, member->value);
    }
    return shape;
}

static const char *text_member(struct reader *reader, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);

    return value == NULL ? NULL
                         : read_text(reader, value, arena_format(reader->arena, "'%s'", key));
}

static void read_name(struct reader *reader, const struct yaml_node *node, struct claim *claim)
{
    claim->name = shape_read(reader, node);
    switch (claim->name->kind) {
    case SHAPE_VALUE:
        if (node->kind == YAML_SCALAR)
            claim->target.name = claim->name->written;
        return;
    case SHAPE_PATTERN:
    case SHAPE_UNLIKE:
        return;
    default:
        reader_problem(reader, node, "a name must be a text or a /pattern/, not %s",
                       node_found(reader, node));
    }
}

static void read_absent(struct reader *reader, const struct yaml_node *node, struct claim *claim)
{
    if (node->kind == YAML_SCALAR && strcmp(node->text, "true") == 0)
        claim->absent = true;
    else
        reader_problem(reader, node, "'absent' can only be true; leave it out otherwise");
}

/* --- requests that a server got --- */

/** Names of headers are compared in lower case. */
static const struct shape *lower_names(struct reader *reader, const struct shape *shape)
{
    for (size_t i = 0; i < shape->member_count; i++) {
        char *name = arena_text(reader->arena, shape->members[i].name);

        for (char *letter = name; *letter != '\0'; letter++)
            *letter = (char)tolower((unsigned char)*letter);
        shape->members[i].name = name;
    }
    return shape;
}

static void read_request_member(struct reader *reader, const struct yaml_member *member,
                                struct shape *into)
{
    static const char *const known[] = {"method", "path",   "query", "from",   "headers",
                                        "body",   "answer", "count", "absent", "server"};
    const struct shape *shape;

    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (strcmp(known[i], member->key) != 0)
            continue;
        if (i >= REQUEST_PART_COUNT)
            return;
        shape = shape_read(reader, member->value);
        if (strcmp(member->key, "headers") == 0 && shape->kind == SHAPE_MAPPING)
            shape = lower_names(reader, shape);
        into->members[into->member_count].name = known[i];
        into->members[into->member_count++].shape = shape;
        return;
    }
    problems_add(reader->problems, key_place(member), "a request has no '%s'%s", member->key,
                 suggestion(reader, member->key, known, ARRAY_SIZE(known)));
}

static void read_request_claim(struct reader *reader, const struct yaml_node *node,
                               struct claim *claim)
{
    struct shape *shape = arena_alloc(reader->arena, sizeof(*shape));
    const struct yaml_node *count = yaml_get(node, "count");
    const struct yaml_node *absent = yaml_get(node, "absent");

    claim->server = text_member(reader, node, "server");
    claim->target = (struct target){.kind = "request", .group = "", .plural = "", .namespace = ""};
    shape->kind = SHAPE_MAPPING;
    shape->place = node_place(node);
    shape->written = "";
    shape->members = arena_alloc(reader->arena, node->member_count * sizeof(*shape->members));
    for (size_t i = 0; i < node->member_count; i++)
        read_request_member(reader, &node->members[i], shape);
    claim->shape = shape;
    if (count != NULL)
        claim->count = shape_read_count(reader, count);
    if (absent != NULL)
        read_absent(reader, absent, claim);
    if (claim->absent && claim->count != NULL)
        reader_problem(reader, absent, "'absent' and 'count' cannot stand together");
}

static void read_claim(struct reader *reader, const struct yaml_node *node, struct claim *claim)
{
    struct target_texts texts = {0};
    const struct yaml_node *name = yaml_get(node, "name");
    const struct yaml_node *count = yaml_get(node, "count");
    const struct yaml_node *absent = yaml_get(node, "absent");

    claim->place = node_place(node);
    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node, "what is expected of an object must be a mapping, not %s",
                       node_found(reader, node));
        return;
    }
    if (yaml_get(node, "server") != NULL) {
        read_request_claim(reader, node, claim);
        return;
    }
    texts.kind = text_member(reader, node, "kind");
    texts.api_version = text_member(reader, node, "apiVersion");
    texts.namespace = text_member(reader, node, "namespace");
    if (!target_resolve(reader, node, &texts, &claim->target))
        return;
    claim->shape = read_rest(reader, node, kind_find(claim->target.kind));
    if (name != NULL)
        read_name(reader, name, claim);
    if (count != NULL)
        claim->count = shape_read_count(reader, count);
    if (absent != NULL)
        read_absent(reader, absent, claim);
    if (yaml_get(node, "mayChange") != NULL)
        read_mark(reader, yaml_get(node, "mayChange"), &claim->may_change);
    if (claim->absent && claim->count != NULL)
        reader_problem(reader, absent, "'absent' and 'count' cannot stand together");
}

void read_claims(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct claims *claims = field;
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;

    claims->items = arena_alloc(reader->arena, count * sizeof(*claims->items));
    claims->count = count;
    for (size_t i = 0; i < count; i++)
        read_claim(reader, node->kind == YAML_SEQUENCE ? node->members[i].value : node,
                   &claims->items[i]);
    if (count == 0)
        reader_problem(reader, node, "an empty list expects nothing");
}
