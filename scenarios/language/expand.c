/* expand - see expand.h. */
#include "scenarios/language/expand.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/include.h"

/** Most templates. */
#define TEMPLATES_MAX 128

struct template
{
    const char *name;
    const struct yaml_node *body;
    struct place place;
    bool open; /* it is being put in at this moment */
    bool used;
};

struct expander {
    struct reader *reader;
    struct includes *includes; /* NULL: files and templates are not looked at */
    struct template templates[TEMPLATES_MAX];
    size_t template_count;
    const struct expression_names *globals;
    const struct expression_names *names; /* those that count at this moment */
    unsigned depth;
    size_t nodes;
    size_t bytes;
    bool wrong;
};

static const struct yaml_node *expand_node(struct expander *expander, const struct yaml_node *node);

static void wrong(struct expander *expander, struct place place, const char *format, ...)
    PRINTF_LIKE(3, 4);

static void wrong(struct expander *expander, struct place place, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    problems_add_list(expander->reader->problems, place, format, values);
    va_end(values);
    expander->wrong = true;
}

bool node_has_later(const struct yaml_node *node)
{
    if (node->kind == YAML_SCALAR)
        return node->later;
    for (size_t i = 0; i < node->member_count; i++) {
        if (node_has_later(node->members[i].value))
            return true;
    }
    return false;
}

struct expression_value node_value(struct reader *reader, const struct yaml_node *node)
{
    struct expression_value value = {EXPRESSION_TEXT, 0, node->text};
    int64_t number;

    if (node->plain && text_to_int64(node->text, &number))
        value = (struct expression_value){EXPRESSION_NUMBER, number, NULL};
    else if (node->plain && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0))
        value = (struct expression_value){EXPRESSION_FLAG, strcmp(node->text, "true") == 0, NULL};
    else
        value.text = arena_text(reader->arena, node->text);
    return value;
}

/* --- nodes --- */

/** NULL once there are too many. */
static struct yaml_node *new_node(struct expander *expander, const struct yaml_node *like)
{
    struct yaml_node *node;

    if (++expander->nodes == EXPAND_NODES_MAX)
        wrong(expander, node_place(like), "includes and templates make too much of this file");
    if (expander->nodes >= EXPAND_NODES_MAX)
        return NULL;
    node = arena_alloc(expander->reader->arena, sizeof(*node));
    *node = *like;
    return node;
}

static const struct yaml_node *fill_scalar(struct expander *expander, const struct yaml_node *node)
{
    struct expression_value value;
    struct error err = ERROR_INIT;
    struct yaml_node *filled;
    struct place place = node_place(node);
    char *text = NULL;
    size_t offset = 0;
    enum filling filling;

    if (expander->includes == NULL && !node->later)
        return node;
    filling = expression_fill(expander->reader->arena, node->text, expander->names, &text, &value,
                              &offset, &err);

    if (filling == FILLING_NONE)
        return node;
    if (filling == FILLING_WRONG) {
        if (strchr(node->text, '\n') == NULL)
            place.column += (unsigned)offset + (node->plain ? 0 : 1);
        wrong(expander, place, "%s", err.text);
        return node;
    }
    filled = new_node(expander, node);
    if (filled == NULL)
        return node;
    filled->later = filling == FILLING_LATER;
    filled->text =
        filling == FILLING_VALUE ? expression_text(expander->reader->arena, &value) : text;
    if (filling == FILLING_VALUE)
        filled->plain = value.type != EXPRESSION_TEXT;
    expander->bytes += strlen(filled->text);
    if (expander->bytes > EXPAND_BYTES_MAX && !expander->wrong)
        wrong(expander, place, "too much is filled in");
    return expander->bytes > EXPAND_BYTES_MAX ? node : filled;
}

/* --- mappings laid over others --- */

static const struct yaml_node *lay_over(struct expander *expander, const struct yaml_node *below,
                                        const struct yaml_node *above, unsigned depth);

static struct yaml_member *find_member(struct yaml_node *node, const char *key)
{
    for (size_t i = 0; i < node->member_count; i++) {
        if (strcmp(node->members[i].key, key) == 0)
            return &node->members[i];
    }
    return NULL;
}

static const struct yaml_node *lay_mapping_over(struct expander *expander,
                                                const struct yaml_node *below,
                                                const struct yaml_node *above, unsigned depth)
{
    struct yaml_node *made = new_node(expander, above);

    if (made == NULL)
        return above;
    made->member_count = below->member_count;
    made->members =
        arena_alloc(expander->reader->arena,
                    (below->member_count + above->member_count) * sizeof(*made->members));
    for (size_t i = 0; i < below->member_count; i++)
        made->members[i] = below->members[i];
    for (size_t i = 0; i < above->member_count; i++) {
        const struct yaml_member *member = &above->members[i];
        struct yaml_member *known = find_member(made, member->key);
        struct yaml_node *value;

        if (known == NULL) {
            made->members[made->member_count++] = *member;
            continue;
        }
        value = new_node(expander, lay_over(expander, known->value, member->value, depth + 1));
        *known = *member;
        if (value != NULL)
            known->value = value;
    }
    return made;
}

/** Members of both mappings, those above where both have one; anything else above alone. */
static const struct yaml_node *lay_over(struct expander *expander, const struct yaml_node *below,
                                        const struct yaml_node *above, unsigned depth)
{
    if (below->kind != YAML_MAPPING || above->kind != YAML_MAPPING || depth > YAML_DEPTH_MAX)
        return above;
    return lay_mapping_over(expander, below, above, depth);
}

/** The mapping without the words that ask for a template or a file. */
static struct yaml_node *rest_of(struct expander *expander, const struct yaml_node *node)
{
    struct yaml_node *rest = arena_alloc(expander->reader->arena, sizeof(*rest));

    *rest = *node;
    rest->member_count = 0;
    rest->members =
        arena_alloc(expander->reader->arena, node->member_count * sizeof(*rest->members));
    for (size_t i = 0; i < node->member_count; i++) {
        const char *key = node->members[i].key;

        if (strcmp(key, "template") != 0 && strcmp(key, "include") != 0 && strcmp(key, "with") != 0)
            rest->members[rest->member_count++] = node->members[i];
    }
    return rest;
}

/* --- templates and files --- */

static bool used_all(struct expander *expander, const struct yaml_node *with, const bool *used)
{
    for (size_t i = 0; with != NULL && i < with->member_count; i++) {
        if (!used[i]) {
            wrong(expander, key_place(&with->members[i]), "nothing uses '%s' there",
                  with->members[i].key);
            return false;
        }
    }
    return true;
}

/** The names of a 'with', behind those of the scenario. False after a problem. */
static bool bind_with(struct expander *expander, const struct yaml_node *with, bool *used,
                      struct expression_names *ret_names)
{
    size_t own = with == NULL ? 0 : with->member_count;
    size_t count = expander->globals->count;
    bool open = expander->globals->open;
    struct expression_name *items =
        arena_alloc(expander->reader->arena, (count + own) * sizeof(*items));

    if (with != NULL && (with->kind != YAML_MAPPING || own > EXPAND_NAMES_MAX)) {
        wrong(expander, node_place(with), "'with' must be a mapping of at most %d names to values",
              EXPAND_NAMES_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        items[i] = expander->globals->items[i];
    for (size_t i = 0; i < own; i++) {
        const struct yaml_node *value = with->members[i].value;

        if (value->kind != YAML_SCALAR) {
            wrong(expander, node_place(value), "'%s' must be a single value", with->members[i].key);
            return false;
        }
        items[count + i] = (struct expression_name){
            .name = with->members[i].key,
            .value = node_value(expander->reader, fill_scalar(expander, value)),
            .local = true,
            .used = &used[i]};
    }
    *ret_names = (struct expression_names){items, count + own, open};
    return !expander->wrong;
}

/** What body becomes with its own names. */
static const struct yaml_node *put_in(struct expander *expander, const struct yaml_node *body,
                                      const struct yaml_node *with)
{
    const struct expression_names *outer = expander->names;
    bool *used = arena_alloc(expander->reader->arena, EXPAND_NAMES_MAX + 1);
    struct expression_names names;
    const struct yaml_node *made;

    if (!bind_with(expander, with, used, &names))
        return body;
    expander->names = &names;
    made = expand_node(expander, body);
    expander->names = outer;
    (void)(expander->wrong || used_all(expander, with, used));
    return made;
}

static struct template *find_template(struct expander *expander, const struct yaml_node *name)
{
    const char *known[TEMPLATES_MAX];

    for (size_t i = 0; i < expander->template_count; i++) {
        known[i] = expander->templates[i].name;
        if (strcmp(known[i], name->text) == 0)
            return &expander->templates[i];
    }
    wrong(expander, node_place(name), "there is no template '%s'%s", name->text,
          suggestion(expander->reader, name->text, known, expander->template_count));
    return NULL;
}

static const struct yaml_node *put_template(struct expander *expander, const struct yaml_node *node,
                                            const struct yaml_node *name)
{
    struct template *template = find_template(expander, name);
    const struct yaml_node *made;

    if (template == NULL)
        return node;
    if (template->open || expander->depth == EXPAND_DEPTH_MAX) {
        wrong(expander, node_place(name),
              template->open ? "template '%s' would contain itself"
                             : "'%s': templates and files nest too deeply",
              name->text);
        return node;
    }
    template->open = true;
    template->used = true;
    expander->depth++;
    made = put_in(expander, template->body, yaml_get(node, "with"));
    expander->depth--;
    template->open = false;
    return made;
}

static const struct yaml_node *put_file(struct expander *expander, const struct yaml_node *node,
                                        const struct yaml_node *name)
{
    const struct yaml_node *root;
    const struct yaml_node *made = node;

    if (expander->depth == EXPAND_DEPTH_MAX) {
        wrong(expander, node_place(name), "'%s': templates and files nest too deeply", name->text);
        return node;
    }
    root = includes_open(expander->includes, expander->reader, name);
    if (root == NULL) {
        expander->wrong = true;
        return node;
    }
    expander->depth++;
    made = put_in(expander, root, yaml_get(node, "with"));
    expander->depth--;
    includes_close(expander->includes);
    return made;
}

static const struct yaml_node *scalar_member(const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = node->kind == YAML_MAPPING ? yaml_get(node, key) : NULL;

    return value != NULL && value->kind == YAML_SCALAR ? value : NULL;
}

/** What a mapping asks for with 'template' or 'include', under its other members; NULL: neither. */
static const struct yaml_node *borrowed(struct expander *expander, const struct yaml_node *node)
{
    const struct yaml_node *template = scalar_member(node, "template");
    const struct yaml_node *file = scalar_member(node, "include");
    const struct yaml_node *made;
    const struct yaml_node *rest;

    if (expander->includes == NULL || expander->wrong || (template == NULL && file == NULL))
        return NULL;
    if (template != NULL && file != NULL) {
        wrong(expander, node_place(file), "'template' and 'include' cannot stand together");
        return NULL;
    }
    made =
        template != NULL ? put_template(expander, node, template) : put_file(expander, node, file);
    rest = rest_of(expander, node);
    if (expander->wrong || rest->member_count == 0)
        return made;
    if (made->kind != YAML_MAPPING) {
        wrong(expander, key_place(&rest->members[0]),
              "'%s' cannot stand beside a list that is put in here", rest->members[0].key);
        return made;
    }
    return lay_over(expander, made, expand_node(expander, rest), 0);
}

/* --- walking --- */

/** A mapping or list that is being made. */
struct making {
    struct yaml_node *node;
    size_t room; /* for so many members */
};

static void add_member(struct expander *expander, struct making *making,
                       const struct yaml_member *like, const struct yaml_node *value)
{
    struct yaml_node *node = making->node;
    struct yaml_node *own = new_node(expander, value);

    if (own == NULL)
        return;
    if (node->member_count == making->room) {
        struct yaml_member *members;

        making->room = 2 * making->room + 8;
        members = arena_alloc(expander->reader->arena, making->room * sizeof(*members));
        if (node->member_count > 0)
            memcpy(members, node->members, node->member_count * sizeof(*members));
        node->members = members;
    }
    node->members[node->member_count] = *like;
    node->members[node->member_count++].value = own;
}

/** An item of a list; a list that takes its place is spliced in. */
static void expand_item(struct expander *expander, struct making *making,
                        const struct yaml_member *item)
{
    const struct yaml_node *taken = borrowed(expander, item->value);

    if (taken == NULL || taken->kind != YAML_SEQUENCE) {
        add_member(expander, making, item,
                   taken != NULL ? taken : expand_node(expander, item->value));
        return;
    }
    for (size_t i = 0; i < taken->member_count; i++)
        add_member(expander, making, &taken->members[i], taken->members[i].value);
}

static const struct yaml_node *expand_node(struct expander *expander, const struct yaml_node *node)
{
    struct making making = {0};
    const struct yaml_node *taken;

    if (node->kind == YAML_SCALAR)
        return fill_scalar(expander, node);
    taken = borrowed(expander, node);
    if (taken != NULL || expander->wrong)
        return taken != NULL ? taken : node;
    making.node = new_node(expander, node);
    if (making.node == NULL)
        return node;
    making.node->member_count = 0;
    making.node->members = NULL;
    for (size_t i = 0; i < node->member_count && expander->nodes < EXPAND_NODES_MAX; i++) {
        if (node->kind == YAML_SEQUENCE)
            expand_item(expander, &making, &node->members[i]);
        else
            add_member(expander, &making, &node->members[i],
                       expand_node(expander, node->members[i].value));
    }
    return making.node;
}

/* --- the file --- */

static void add_templates(struct expander *expander, const struct yaml_node *node)
{
    const struct yaml_node *file = scalar_member(node, "include");

    if (node->kind != YAML_MAPPING) {
        wrong(expander, node_place(node),
              "'templates' must be a mapping of names to what they "
              "stand for");
        return;
    }
    if (file != NULL) {
        const struct yaml_node *root = includes_open(expander->includes, expander->reader, file);

        expander->wrong = expander->wrong || root == NULL;
        if (root != NULL) {
            add_templates(expander, root);
            includes_close(expander->includes);
        }
    }
    for (size_t i = 0; i < node->member_count && !expander->wrong; i++) {
        const struct yaml_member *member = &node->members[i];

        if (file != NULL && member->value == file)
            continue;
        if (expander->template_count == TEMPLATES_MAX) {
            wrong(expander, key_place(member), "more than %d templates", TEMPLATES_MAX);
            return;
        }
        expander->templates[expander->template_count++] = (struct template){
            .name = member->key, .body = member->value, .place = key_place(member)};
    }
}

static const struct yaml_node *without(struct expander *expander, const struct yaml_node *root)
{
    struct yaml_node *made = arena_alloc(expander->reader->arena, sizeof(*made));

    *made = *root;
    made->member_count = 0;
    made->members =
        arena_alloc(expander->reader->arena, root->member_count * sizeof(*made->members));
    for (size_t i = 0; i < root->member_count; i++) {
        if (strcmp(root->members[i].key, "templates") != 0 &&
            strcmp(root->members[i].key, "matrix") != 0 &&
            strcmp(root->members[i].key, "sizes") != 0)
            made->members[made->member_count++] = root->members[i];
    }
    return made;
}

const struct yaml_node *expand(struct reader *reader, const char *path,
                               const struct scenario_files *files, const struct yaml_node *root,
                               const struct expression_names *names)
{
    struct expander *expander = arena_alloc(reader->arena, sizeof(*expander));
    const struct yaml_node *templates = yaml_get(root, "templates");

    expander->reader = reader;
    expander->includes = includes_new(reader->arena, path, files);
    expander->globals = names;
    expander->names = names;
    if (templates != NULL)
        add_templates(expander, templates);
    root = without(expander, root);
    if (!expander->wrong)
        root = expand_node(expander, root);
    for (size_t i = 0; reader->unused != NULL && i < expander->template_count; i++) {
        if (!expander->templates[i].used && expander->templates[i].place.file == NULL)
            problems_add(reader->unused, expander->templates[i].place,
                         "nothing uses the template '%s'", expander->templates[i].name);
    }
    return root;
}

bool expand_values(struct reader *reader, const struct yaml_node *node,
                   const struct expression_names *names, const struct yaml_node **ret_node)
{
    struct expander *expander = arena_alloc(reader->arena, sizeof(*expander));

    expander->reader = reader;
    expander->globals = names;
    expander->names = names;
    *ret_node = node_has_later(node) ? expand_node(expander, node) : node;
    return !expander->wrong;
}
