/* objects - manifests in a scenario: short forms filled in, generators unrolled. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/targets.h"

/** What generators replace. */
#define INDEX_TOKEN "{index}"
#define BYTES_TOKEN "{bytes:"
/** Most bytes of one filling. */
#define FILLING_BYTES_MAX 1000000
#define STATION_DEFAULT "station"
#define RECIPE_DEFAULT "recipe"
/** Longest text that a generator makes. */
#define GENERATED_BYTES_MAX (1024 * 1024)
/** Most of all generated objects of a file, its variants together, and what is reckoned for each
 * beside its texts. */
#define ALL_GENERATED_BYTES_MAX ((size_t)128 * 1024 * 1024)
#define OBJECT_BYTES 1024

/* Keys that are not fields of the object. */
static const struct key short_keys[] = {
    DESCRIBED("kind", VALUE_TEXT, "The object's kind.", .required = true, .example = "Agent"),
    DESCRIBED("apiVersion", VALUE_TEXT, "Of a kind that the language does not know.",
              .unless = "the kind's own", .example = "agents.re-cinq.com/v1beta1"),
    DESCRIBED("name", VALUE_TEXT, "The object's name; {index} is the number of a generated one.",
              .unless = "metadata.name", .example = "hello"),
    DESCRIBED("namespace", VALUE_TEXT, "The object's namespace.", .unless = SCENARIO_NAMESPACE,
              .example = "other"),
    DESCRIBED("labels", VALUE_SETTINGS, "The object's labels.", .unless = "none",
              .example = "{team: a}"),
    DESCRIBED("count", VALUE_INTEGER,
              "So many objects are made; {index} in any text, and in the name, is the number.",
              .unless = "one object", .minimum = 1, .maximum = SCENARIO_OBJECTS_MAX,
              .example = "100"),
    DESCRIBED("metadata", VALUE_CUSTOM, "As in any manifest.", .shape = "a mapping",
              .form = FORM_MAPPING, .unless = "what the short forms say",
              .example = "{finalizers: [example.com/hold]}"),
};

const struct key_table manifest_table = {
    .what = "an object",
    .keys = short_keys,
    .key_count = ARRAY_SIZE(short_keys),
    .others = "the fields of the object",
};

struct short_form {
    struct target_texts texts;
    const struct yaml_node *labels;
    int64_t count; /* of a generator; -1: one object */
};

static bool is_short_key(const char *key)
{
    return key_find(&manifest_table, key) != NULL;
}

/** Fields that the kind does not have are mistakes, where the language knows the kind. */
static void check_field(struct reader *reader, const struct yaml_member *member,
                        const struct kind *kind)
{
    const char *known[KIND_FIELDS_MAX + ARRAY_SIZE(short_keys)];
    size_t count = 0;

    for (; kind->fields[count] != NULL; count++)
        known[count] = kind->fields[count];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(known[i], member->key) == 0)
            return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(short_keys); i++)
        known[count++] = short_keys[i].name;
    problems_add(reader->problems, key_place(member), "unknown field '%s' of kind %s%s",
                 member->key, kind->name,
                 field_hint(reader, kind->name, member->key, known, count));
}

static const char *text_member(struct reader *reader, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);

    return value == NULL ? NULL
                         : read_text(reader, value, arena_format(reader->arena, "'%s'", key));
}

static void read_short_form(struct reader *reader, const struct yaml_node *node,
                            struct short_form *form)
{
    const struct yaml_node *metadata = yaml_get(node, "metadata");
    const struct yaml_node *count = yaml_get(node, "count");

    form->texts.kind = text_member(reader, node, "kind");
    form->texts.api_version = text_member(reader, node, "apiVersion");
    form->texts.name = text_member(reader, node, "name");
    form->texts.namespace = text_member(reader, node, "namespace");
    form->labels = yaml_get(node, "labels");
    if (metadata != NULL && form->texts.name == NULL)
        form->texts.name = text_member(reader, metadata, "name");
    if (metadata != NULL && form->texts.namespace == NULL)
        form->texts.namespace = text_member(reader, metadata, "namespace");
    form->count = -1;
    if (count != NULL)
        (void)read_integer(reader, count, "'count'", 1, SCENARIO_OBJECTS_MAX, &form->count);
}

/** The whole object as the API takes it, "{index}" still in it. */
static struct json_object *whole(struct reader *reader, const struct yaml_node *node,
                                 const struct short_form *form, const struct target *target)
{
    struct json_object *tree = json_object_new_object();
    const struct yaml_node *written = yaml_get(node, "metadata");
    struct json_object *metadata = written != NULL && written->kind == YAML_MAPPING
                                       ? yaml_to_json(written)
                                       : json_object_new_object();

    json_object_object_add(
        tree, "apiVersion",
        json_object_new_string(arena_format(reader->arena, "%s%s%s", target->group,
                                            *target->group == '\0' ? "" : "/", target->version)));
    json_set_text(tree, "kind", target->kind);
    json_set(tree, "metadata", metadata);
    if (target->name != NULL)
        json_set_text(metadata, "name", target->name);
    if (*target->namespace != '\0')
        json_set_text(metadata, "namespace", target->namespace);
    if (form->labels != NULL)
        json_set(metadata, "labels", yaml_to_json(form->labels));
    for (size_t i = 0; i < node->member_count; i++) {
        if (!is_short_key(node->members[i].key))
            json_set(tree, node->members[i].key, yaml_to_json(node->members[i].value));
    }
    return tree;
}

/** An Agent runs at the default Station unless it says otherwise. */
static void fill_in(struct json_object *tree, const struct target *target)
{
    struct json_object *spec;

    if (strcmp(target->kind, "Agent") != 0)
        return;
    spec = json_ensure_object(tree, "spec");
    if (json_get(spec, "stationRef") == NULL)
        json_set_text(spec, "stationRef", STATION_DEFAULT);
}

/* --- generators --- */

/** Appends what "{bytes:6000}" at text stands for, and says how long that word is; 0: it is none.
 */
static size_t append_filling(struct buffer *made, const char *text)
{
    size_t digits = strspn(text + strlen(BYTES_TOKEN), "0123456789");
    char *number = xmemdup(text + strlen(BYTES_TOKEN), digits);
    int64_t count = 0;
    bool ok = text[strlen(BYTES_TOKEN) + digits] == '}' && text_to_int64(number, &count) &&
              count <= FILLING_BYTES_MAX;

    free(number);
    for (int64_t i = 0; ok && i < count; i++)
        buffer_append_char(made, (char)('a' + i % 26));
    return ok ? strlen(BYTES_TOKEN) + digits + 1 : 0;
}

static char *with_index(const char *text, const char *index)
{
    struct buffer made = BUFFER_INIT(GENERATED_BYTES_MAX);
    size_t size;

    while (*text != '\0') {
        if (text_starts_with(text, INDEX_TOKEN)) {
            buffer_append_text(&made, index);
            text += strlen(INDEX_TOKEN);
            continue;
        }
        size = text_starts_with(text, BYTES_TOKEN) ? append_filling(&made, text) : 0;
        if (size == 0)
            buffer_append_char(&made, *text);
        text += size == 0 ? 1 : size;
    }
    return buffer_take(&made, &size);
}

static struct json_object *indexed(struct json_object *value, const char *index, size_t *bytes);

static struct json_object *indexed_members(struct json_object *value, const char *index,
                                           size_t *bytes)
{
    struct json_object *made = json_object_new_object();
    struct json_object_iterator at = json_object_iter_begin(value);
    struct json_object_iterator end = json_object_iter_end(value);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(made, json_object_iter_peek_name(&at),
                 indexed(json_object_iter_peek_value(&at), index, bytes));
    return made;
}

/** Adds to *bytes how long the texts in it are. */
static struct json_object *indexed(struct json_object *value, const char *index, size_t *bytes)
{
    struct json_object *made;
    char *text;

    if (json_is(value, json_type_object))
        return indexed_members(value, index, bytes);
    if (json_is(value, json_type_array)) {
        made = json_object_new_array();
        for (size_t i = 0; i < json_object_array_length(value); i++)
            json_add(made, indexed(json_object_array_get_idx(value, i), index, bytes));
        return made;
    }
    if (json_text(value) == NULL)
        return json_copy(value);
    text = with_index(json_text(value), index);
    *bytes += strlen(text);
    made = json_object_new_string(text);
    free(text);
    return made;
}

/** "007" of 100: as wide as the last one, so that names sort as they count. */
static const char *index_text(struct reader *reader, int64_t index, int64_t count)
{
    char last[24];
    int width = snprintf(last, sizeof(last), "%" PRId64, count);

    return arena_format(reader->arena, "%0*" PRId64, width, index);
}

static void add_manifest(struct reader *reader, struct manifests *into,
                         const struct yaml_node *node, const struct target *target,
                         struct json_object *tree)
{
    struct manifest *manifest = &into->items[into->count++];

    manifest->place = node_place(node);
    manifest->target = *target;
    manifest->target.name =
        arena_text(reader->arena, json_get_text(json_get(tree, "metadata"), "name"));
    manifest->tree = reader_own(reader, tree);
}

static void make_room(struct reader *reader, struct manifests *into, size_t more)
{
    struct manifest *items =
        arena_alloc(reader->arena, (into->count + more) * sizeof(*into->items));

    if (into->count > 0)
        memcpy(items, into->items, into->count * sizeof(*items));
    into->items = items;
}

static void generate(struct reader *reader, const struct yaml_node *node,
                     const struct short_form *form, const struct target *target,
                     struct json_object *tree, struct manifests *into)
{
    if (strstr(target->name, INDEX_TOKEN) == NULL) {
        reader_problem(reader, node, "the name of a generated object needs '%s', as in 'run-%s'",
                       INDEX_TOKEN, INDEX_TOKEN);
        return;
    }
    if (into->count + (size_t)form->count > SCENARIO_OBJECTS_MAX) {
        reader_problem(reader, node, "more than %d objects", SCENARIO_OBJECTS_MAX);
        return;
    }
    make_room(reader, into, (size_t)form->count);
    for (int64_t i = 1; i <= form->count; i++) {
        if (reader->generated_bytes > ALL_GENERATED_BYTES_MAX) {
            reader_problem(reader, node, "the generated objects have more than %zu bytes together",
                           ALL_GENERATED_BYTES_MAX);
            return;
        }
        reader->generated_bytes += OBJECT_BYTES;
        add_manifest(reader, into, node, target,
                     indexed(tree, index_text(reader, i, form->count), &reader->generated_bytes));
    }
}

static void read_manifest(struct reader *reader, const struct yaml_node *node,
                          struct manifests *into)
{
    struct short_form form = {0};
    struct target target;
    struct json_object *tree;

    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node, "an object must be a mapping, not %s",
                       node_found(reader, node));
        return;
    }
    read_short_form(reader, node, &form);
    if (!target_resolve(reader, node, &form.texts, &target))
        return;
    for (size_t i = 0; kind_find(target.kind) != NULL && i < node->member_count; i++) {
        if (strcmp(node->members[i].key, "metadata") == 0)
            schemas_check(reader, target.kind, &node->members[i], SCHEMAS_MANIFEST);
        if (is_short_key(node->members[i].key))
            continue;
        check_field(reader, &node->members[i], kind_find(target.kind));
        schemas_check(reader, target.kind, &node->members[i], SCHEMAS_MANIFEST);
    }
    if (target.name == NULL) {
        reader_problem(reader, node, "an object needs a 'name', such as name: hello");
        return;
    }
    tree = whole(reader, node, &form, &target);
    fill_in(tree, &target);
    if (form.count >= 0) {
        generate(reader, node, &form, &target, tree, into);
        (void)json_object_put(tree);
        return;
    }
    make_room(reader, into, 1);
    add_manifest(reader, into, node, &target, tree);
}

void read_manifests(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct manifests *into = field;

    if (node->kind != YAML_SEQUENCE) {
        read_manifest(reader, node, into);
        return;
    }
    for (size_t i = 0; i < node->member_count; i++)
        read_manifest(reader, node->members[i].value, into);
    if (into->count > SCENARIO_OBJECTS_MAX)
        reader_problem(reader, node, "more than %d objects", SCENARIO_OBJECTS_MAX);
}

/* --- what is there unless the file says otherwise --- */

static const char default_objects[] =
    "- kind: AgentDefinition\n"
    "  name: " RECIPE_DEFAULT "\n"
    "  spec: {prompt: Do the work.}\n"
    "- kind: Station\n"
    "  name: " STATION_DEFAULT "\n"
    "  spec:\n"
    "    agentDefRef: " RECIPE_DEFAULT "\n"
    "    template:\n"
    "      spec:\n"
    "        containers:\n"
    "        - {name: agent, image: \"registry.example/agent:1\"}\n";

static bool has(const struct manifests *objects, const struct target *target)
{
    for (size_t i = 0; i < objects->count; i++) {
        if (strcmp(objects->items[i].target.kind, target->kind) == 0 &&
            text_equal(objects->items[i].target.name, target->name))
            return true;
    }
    return false;
}

void add_default_objects(struct reader *reader, struct manifests *objects)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct manifests defaults = {0};

    if (!yaml_parse(default_objects, strlen(default_objects), SCENARIO_BYTES_MAX, &document, NULL,
                    NULL, &err))
        abort(); /* a constant of ours */
    read_manifests(reader, yaml_root(document), &defaults);
    yaml_free(document);
    make_room(reader, objects, defaults.count);
    for (size_t i = 0; i < defaults.count; i++) {
        if (!has(objects, &defaults.items[i].target))
            objects->items[objects->count++] = defaults.items[i];
    }
}
