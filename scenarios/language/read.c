/* read - from the bytes of a file to its scenarios: parsed, expanded, checked. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/expand.h"
#include "scenarios/language/matrix.h"
#include "scenarios/language/scenario.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/step_keys.h"
#include "scenarios/language/syntax.h"
#include "scenarios/language/targets.h"

/** "suites/first/run-succeeds.yaml" is "first/run-succeeds". */
static char *name_of(struct arena *arena, const char *path)
{
    size_t size = strlen(path);
    const char *from = path + size;
    unsigned slashes = 0;
    char *name;

    if (text_ends_with(path, ".yaml"))
        size -= strlen(".yaml");
    while (from > path) {
        if (from[-1] == '/' && ++slashes == 2)
            break;
        from--;
    }
    name = arena_text(arena, from);
    name[size - (size_t)(from - path)] = '\0';
    return name;
}

/** Without the "line L, column C: " that the error begins with. */
static const char *bare(const char *text)
{
    const char *colon = text_starts_with(text, "line ") ? strstr(text, ": ") : NULL;

    return colon == NULL ? text : colon + 2;
}

static void free_document(void *document)
{
    yaml_free(document);
}

/* --- names --- */

/** What a file says of names that are filled in. */
struct names {
    struct expression_name items[MATRIX_PARAMETERS_MAX + SIZES_MAX + EXPAND_NAMES_MAX];
    bool used[MATRIX_PARAMETERS_MAX + SIZES_MAX + EXPAND_NAMES_MAX];
    struct place places[MATRIX_PARAMETERS_MAX + SIZES_MAX + EXPAND_NAMES_MAX];
    size_t count;
};

/** Room for one more, with a place of its own to mark that it is used. */
static void add_name(struct names *names, struct expression_name name, struct place place)
{
    name.used = &names->used[names->count];
    names->places[names->count] = place;
    names->items[names->count++] = name;
}

static void tell_unused(struct reader *reader, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (!names->used[i])
            problems_add(reader->unused, names->places[i], "nothing uses '%s'",
                         names->items[i].name);
    }
}

static bool read_matrix(struct reader *reader, const struct yaml_node *root, size_t index,
                        bool small, struct scenario *scenario, struct names *names)
{
    struct expression_name values[MATRIX_PARAMETERS_MAX];
    struct matrix matrix;

    if (!matrix_read(reader, yaml_get(root, "matrix"), &matrix))
        return false;
    scenario->variants = matrix.variants;
    scenario->variant = matrix_variant(reader->arena, &matrix, index);
    matrix_names(&matrix, index, values);
    for (size_t i = 0; i < matrix.count; i++)
        add_name(names, values[i], key_place(&yaml_get(root, "matrix")->members[i]));
    if (!sizes_read(reader, yaml_get(root, "sizes"), small, names->items, &names->count))
        return false;
    for (size_t i = matrix.count; i < names->count; i++) {
        names->items[i].used = &names->used[i];
        names->places[i] = key_place(&yaml_get(root, "sizes")->members[i - matrix.count]);
    }
    return true;
}

/** Whatever is left to be filled in must have been bound before. */
static void check_names(struct reader *reader, const struct yaml_node *node,
                        const struct names *names)
{
    const struct expression_names known = {names->items, names->count, false};
    const struct yaml_node *filled;

    if (node_has_later(node))
        (void)expand_values(reader, node, &known, &filled);
}

static const struct expression_name *find_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].name, name) == 0)
            return &names->items[i];
    }
    return NULL;
}

static void bind_names(struct reader *reader, const struct yaml_node *bind, struct names *names)
{
    for (size_t i = 0; bind != NULL && bind->kind == YAML_MAPPING && i < bind->member_count; i++) {
        const struct expression_name *known = find_name(names, bind->members[i].key);

        if (known != NULL && !known->later)
            problems_add(reader->problems, key_place(&bind->members[i]),
                         "'%s' is a name of the matrix", known->name);
        if (known != NULL)
            continue; /* it gets another value */
        if (names->count == ARRAY_SIZE(names->items)) {
            reader_problem(reader, bind, "more than %d names are bound", EXPAND_NAMES_MAX);
            return;
        }
        add_name(names, (struct expression_name){.name = bind->members[i].key, .later = true},
                 key_place(&bind->members[i]));
    }
}

static const struct yaml_node *member_of(const struct yaml_node *node, const char *key)
{
    return node != NULL && node->kind == YAML_MAPPING ? yaml_get(node, key) : NULL;
}

static void check_step_names(struct reader *reader, const struct yaml_node *steps,
                             struct names *names)
{
    for (size_t i = 0; steps->kind == YAML_SEQUENCE && i < steps->member_count; i++) {
        const struct yaml_node *step = steps->members[i].value;

        check_names(reader, step, names);
        /* what a step binds, or its answer, is known behind it */
        bind_names(reader, member_of(step, "bind"), names);
        bind_names(reader, member_of(member_of(step, "answer"), "bind"), names);
    }
}

static void check_all_names(struct reader *reader, const struct yaml_node *root,
                            struct names *names)
{
    static const char *const in_order[] = {"steps", "cleanup", "expect"};

    for (size_t i = 0; i < root->member_count; i++) {
        const struct yaml_member *member = &root->members[i];
        bool ordered = false;

        for (size_t j = 0; j < ARRAY_SIZE(in_order); j++)
            ordered = ordered || strcmp(member->key, in_order[j]) == 0;
        if (!ordered)
            check_names(reader, member->value, names);
    }
    for (size_t i = 0; i < ARRAY_SIZE(in_order); i++) {
        const struct yaml_node *node = yaml_get(root, in_order[i]);

        if (node != NULL && strcmp(in_order[i], "expect") == 0)
            check_names(reader, node, names);
        else if (node != NULL)
            check_step_names(reader, node, names);
    }
}

/* --- one scenario --- */

/** Most files need none of this. */
static bool needs_expansion(const void *bytes, size_t size)
{
    static const char *const words[] = {"${", "template", "include:", "matrix:", "sizes:"};
    char *text = xmemdup(bytes, size);
    bool found = false;

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        found = found || strstr(text, words[i]) != NULL;
    free(text);
    return found;
}

struct source {
    const struct schemas *schemas;
    const char *path;
    const void *bytes;
    size_t size;
    const struct scenario_files *files;
};

/** NULL after a problem. */
static const struct yaml_node *expanded(struct reader *reader, const struct source *source,
                                        const struct yaml_node *root, size_t index,
                                        struct scenario *scenario)
{
    struct names names = {0};
    struct expression_names open = {names.items, 0, true};

    bool small = source->files != NULL && source->files->small;

    if (!read_matrix(reader, root, index, small, scenario, &names))
        return NULL;
    open.count = names.count;
    root = expand(reader, source->path, source->files, root, &open);
    if (root->kind != YAML_MAPPING || reader->problems->count > 0)
        return reader->problems->count > 0 ? NULL : root;
    check_all_names(reader, root, &names);
    scenario->names = arena_alloc(reader->arena, sizeof(names.items));
    memcpy(scenario->names, names.items, sizeof(names.items));
    scenario->name_count = names.count;
    for (size_t i = 0; i < names.count; i++)
        scenario->names[i].used = NULL;
    tell_unused(reader, &names);
    return reader->problems->count > 0 ? NULL : root;
}

static void mark_later_steps(struct step *steps, size_t count, const struct yaml_node *list)
{
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *node = list->members[i].value;

        steps[i].node = node_has_later(node) ? node : NULL;
    }
}

static void mark_later(struct scenario *scenario, const struct yaml_node *root)
{
    const struct yaml_node *expect = yaml_get(root, "expect");

    mark_later_steps(scenario->steps, scenario->step_count, yaml_get(root, "steps"));
    mark_later_steps(scenario->cleanup, scenario->cleanup_count, yaml_get(root, "cleanup"));
    if (expect != NULL && node_has_later(expect))
        scenario->expect_node = expect;
}

static void read_document(struct reader *reader, const struct source *source,
                          const struct yaml_document *document, size_t index,
                          struct scenario *scenario)
{
    const struct yaml_node *root = yaml_root(document);

    if (root == NULL) {
        problems_add(reader->problems, (struct place){1, 1, NULL}, "the file is empty");
        return;
    }
    if (root->kind == YAML_MAPPING && needs_expansion(source->bytes, source->size))
        root = expanded(reader, source, root, index, scenario);
    if (root == NULL)
        return;
    scenario_take(reader, root, scenario);
    scenario->root = root;
    if (reader->problems->count == 0)
        mark_later(scenario, root);
}

/** NULL after a problem. Counts in *generated_bytes what the variants make together. */
static struct scenario *read_variant(const struct source *source, size_t index,
                                     size_t *generated_bytes, struct problems *problems)
{
    struct scenario *scenario = xcalloc(1, sizeof(*scenario));
    struct reader reader = {
        .arena = &scenario->arena,
        .problems = problems,
        .unused = &scenario->unused,
        .schemas = source->schemas,
        .generated_bytes = *generated_bytes,
    };
    struct yaml_document *document = NULL;
    struct place place = {1, 1, NULL};
    struct error err = ERROR_INIT;

    scenario->variants = 1;
    if (!yaml_parse(source->bytes, source->size, SCENARIO_BYTES_MAX, &document, &place.line,
                    &place.column, &err)) {
        syntax_problem(problems, place, source->bytes, source->size, bare(err.text));
    } else {
        arena_own(&scenario->arena, document, free_document);
        read_document(&reader, source, document, index, scenario);
    }
    *generated_bytes = reader.generated_bytes;
    if (problems->count > 0) {
        scenario_free(scenario);
        return NULL;
    }
    scenario->path = arena_text(&scenario->arena, source->path);
    scenario->name = name_of(&scenario->arena, source->path);
    if (scenario->variant != NULL)
        scenario->name =
            arena_format(&scenario->arena, "%s[%s]", scenario->name, scenario->variant);
    return scenario;
}

const struct step *scenario_fill_step(const struct step *step, const struct expression_names *names,
                                      struct arena *arena, struct problems *problems)
{
    struct reader reader = {.arena = arena, .problems = problems};
    struct step *filled = arena_alloc(arena, sizeof(*filled));
    const struct yaml_node *node;

    if (!expand_values(&reader, step->node, names, &node) ||
        !read_mapping(&reader, node, &step_table, filled))
        return NULL;
    filled->origin = step;
    return filled;
}

bool scenario_fill_expect(const struct scenario *scenario, const struct expression_names *names,
                          struct arena *arena, struct problems *problems, struct claims *ret_claims)
{
    struct reader reader = {.arena = arena, .problems = problems};
    const struct yaml_node *node;

    *ret_claims = (struct claims){0};
    if (!expand_values(&reader, scenario->expect_node, names, &node))
        return false;
    read_claims(&reader, node, ret_claims);
    return problems->count == 0;
}

bool scenario_read_all(const struct schemas *schemas, const char *path, const void *bytes,
                       size_t size, const struct scenario_files *files, struct problems *problems,
                       struct scenario ***ret_items, size_t *ret_count)
{
    struct schemas *own = schemas == NULL ? schemas_new() : NULL;
    const struct source source = {own == NULL ? schemas : own, path, bytes, size, files};
    struct scenario **items = NULL;
    size_t count = 0;
    size_t variants = 1;
    size_t generated_bytes = 0;

    while (count < variants && problems->count == 0) {
        struct scenario *scenario = read_variant(&source, count, &generated_bytes, problems);

        if (scenario == NULL)
            break;
        variants = scenario->variants;
        items = xrealloc(items, (count + 1) * sizeof(struct scenario *));
        items[count++] = scenario;
    }
    schemas_free(own);
    if (count == variants) {
        *ret_items = items;
        *ret_count = count;
        return true;
    }
    while (count > 0)
        scenario_free(items[--count]);
    free(items);
    return false;
}

struct scenario *scenario_read_with(const struct schemas *schemas, const char *path,
                                    const void *bytes, size_t size, struct problems *problems)
{
    const struct source source = {schemas, path, bytes, size, NULL};
    size_t generated_bytes = 0;
    struct scenario *scenario = read_variant(&source, 0, &generated_bytes, problems);

    if (scenario == NULL || scenario->variants == 1)
        return scenario;
    problems_add(problems, scenario->place, "a file with a matrix is several scenarios");
    scenario_free(scenario);
    return NULL;
}

struct scenario *scenario_read(const char *path, const void *bytes, size_t size,
                               struct problems *problems)
{
    struct schemas *schemas = schemas_new();
    struct scenario *scenario = scenario_read_with(schemas, path, bytes, size, problems);

    schemas_free(schemas);
    return scenario;
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    problems_release(&scenario->unused);
    arena_release(&scenario->arena);
    free(scenario);
}
