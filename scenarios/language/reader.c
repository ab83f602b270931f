/* reader - see reader.h. */
#include "scenarios/language/reader.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/explain.h"

/** What a key without bounds of its own may be at most: 100 years, or any count. */
#define DURATION_US_MAX (36525 * US_PER_DAY)
#define INTEGER_MAX INT64_MAX
/** So many known names are listed in a message where none is close. */
#define LISTED_NAMES_MAX 14
/** Longest stretch of a file that a message quotes. */
#define QUOTED_BYTES_MAX 60

struct place node_place(const struct yaml_node *node)
{
    return (struct place){node->line, node->column, node->file};
}

struct place key_place(const struct yaml_member *member)
{
    return (struct place){member->key_line, member->key_column, member->key_file};
}

static void put_json(void *value)
{
    (void)json_object_put(value);
}

struct json_object *reader_own(struct reader *reader, struct json_object *value)
{
    if (value != NULL)
        arena_own(reader->arena, value, put_json);
    return value;
}

bool node_is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->plain &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

static const char *const list_words[] = {"count", "has", "ordered", "exactly"};

static bool is_list_word(const char *key)
{
    for (size_t i = 0; i < ARRAY_SIZE(list_words); i++) {
        if (strcmp(key, list_words[i]) == 0)
            return true;
    }
    return false;
}

bool node_speaks_of_list(const struct yaml_node *node)
{
    for (size_t i = 0; i < node->member_count; i++) {
        if (!is_list_word(node->members[i].key))
            return false;
    }
    return node->member_count > 0;
}

const char *node_found(struct reader *reader, const struct yaml_node *node)
{
    if (node->kind == YAML_SEQUENCE)
        return "a list";
    if (node->kind == YAML_MAPPING)
        return "a mapping";
    if (node_is_empty(node))
        return "nothing";
    if (strlen(node->text) > QUOTED_BYTES_MAX)
        return "a long text";
    return arena_format(reader->arena, "'%s'", node->text);
}

void reader_problem(struct reader *reader, const struct yaml_node *node, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    problems_add_list(reader->problems, node_place(node), format, values);
    va_end(values);
}

const char *suggestion(struct reader *reader, const char *written, const char *const *known,
                       size_t known_count)
{
    const char *closest = text_closest(written, known, known_count);
    char *text;

    if (closest != NULL)
        return arena_format(reader->arena, "; did you mean '%s'?", closest);
    if (known_count == 0 || known_count > LISTED_NAMES_MAX)
        return "";
    text = arena_text(reader->arena, "; known are ");
    for (size_t i = 0; i < known_count; i++)
        text = arena_format(reader->arena, "%s%s%s", text, i == 0 ? "" : ", ", known[i]);
    return text;
}

/** Whether it is one of the words, which have blanks between them; words may be NULL. */
static bool is_word_of(const char *words, const char *word)
{
    size_t size = strlen(word);

    for (const char *at = words; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");

        if (length == size && size > 0 && memcmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}

/* --- scalars --- */

char *read_text(struct reader *reader, const struct yaml_node *node, const char *what)
{
    if (node->kind != YAML_SCALAR || node_is_empty(node)) {
        reader_problem(reader, node, "%s must be a text, not %s", what, node_found(reader, node));
        return NULL;
    }
    return arena_text(reader->arena, node->text);
}

/** What "30", "30 s", "30 seconds" or "2d" means; NULL: nobody knows. */
static const char *duration_meant(struct reader *reader, const struct yaml_node *node)
{
    static const struct {
        const char *words;
        const char *unit;
        int64_t factor;
    } units[] = {
        {" s sec second seconds",  "s",  1 },
        {"ms millis milliseconds", "ms", 1 },
        {"m min minute minutes",   "m",  1 },
        {"h hour hours",           "h",  1 },
        {"d day days",             "h",  24},
    };
    size_t digits = node->kind == YAML_SCALAR ? strspn(node->text, "0123456789") : 0;
    const char *word = digits == 0 ? "" : node->text + digits + strspn(node->text + digits, " ");
    int64_t number;

    if (digits == 0 || digits > 9 ||
        !text_to_int64(arena_format(reader->arena, "%.*s", (int)digits, node->text), &number))
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if ((i == 0 && *word == '\0') || is_word_of(units[i].words, word))
            return arena_format(reader->arena, "%" PRId64 "%s", number * units[i].factor,
                                units[i].unit);
    }
    return NULL;
}

static bool duration_of(struct reader *reader, const struct yaml_node *node, const char *what,
                        int64_t minimum, int64_t maximum, int64_t *ret_us)
{
    char text[TIME_TEXT_SIZE];
    int64_t us;

    if (node->kind != YAML_SCALAR || !duration_parse(node->text, &us)) {
        const char *meant = duration_meant(reader, node);

        reader_problem(reader, node, "%s must be a duration such as 30s or 1h30m, not %s%s%s%s",
                       what, node_found(reader, node), meant == NULL ? "" : "; did you mean '",
                       text_or(meant, ""), meant == NULL ? "" : "'?");
        return false;
    }
    if (us < minimum || us > maximum) {
        duration_format(us < minimum ? minimum : maximum, text);
        reader_problem(reader, node, "%s must be at %s %s", what, us < minimum ? "least" : "most",
                       text);
        return false;
    }
    *ret_us = us;
    return true;
}

/** "$n" is how shells say "${n}". */
static const char *hint_of_dollar(struct reader *reader, const struct yaml_node *node)
{
    if (node->kind != YAML_SCALAR || node->text[0] != '$')
        return "";
    return arena_format(reader->arena, "; write \"${%s}\"", node->text + strspn(node->text, "${("));
}

static bool integer_of(struct reader *reader, const struct yaml_node *node, const char *what,
                       int64_t minimum, int64_t maximum, int64_t *ret_value)
{
    int64_t value;

    if (node->kind != YAML_SCALAR || !text_to_int64(node->text, &value)) {
        reader_problem(reader, node, "%s must be an integer, not %s%s", what,
                       node_found(reader, node), hint_of_dollar(reader, node));
        return false;
    }
    if (value < minimum || value > maximum) {
        reader_problem(reader, node, "%s must be at %s %" PRId64, what,
                       value < minimum ? "least" : "most", value < minimum ? minimum : maximum);
        return false;
    }
    *ret_value = value;
    return true;
}

bool read_integer(struct reader *reader, const struct yaml_node *node, const char *what,
                  int64_t minimum, int64_t maximum, int64_t *ret_value)
{
    return integer_of(reader, node, what, minimum, maximum, ret_value);
}

static void flag_of(struct reader *reader, const struct yaml_node *node, const char *what,
                    bool *ret_flag)
{
    if (node->kind == YAML_SCALAR && strcmp(node->text, "true") == 0)
        *ret_flag = true;
    else if (node->kind == YAML_SCALAR && strcmp(node->text, "false") == 0)
        *ret_flag = false;
    else
        reader_problem(reader, node, "%s must be true or false, not %s", what,
                       node_found(reader, node));
}

static size_t count_choices(const char *const *choices)
{
    size_t count = 0;

    while (choices[count] != NULL)
        count++;
    return count;
}

static void choice_of(struct reader *reader, const struct yaml_node *node, const struct key *key,
                      int *ret_choice)
{
    size_t count = count_choices(key->choices);
    const char *text = node->kind == YAML_SCALAR ? node->text : "";

    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, key->choices[i]) == 0) {
            *ret_choice = (int)i;
            return;
        }
    }
    reader_problem(reader, node, "'%s' cannot be %s%s", key->name, node_found(reader, node),
                   suggestion(reader, text, key->choices, count));
}

/* --- lists and mappings of scalars --- */

static void texts_of(struct reader *reader, const struct yaml_node *node, const char *name,
                     struct texts *texts)
{
    if (node->kind != YAML_SEQUENCE) {
        reader_problem(reader, node, "'%s' must be a list of texts such as [one, two], not %s",
                       name, node_found(reader, node));
        return;
    }
    texts->items = arena_alloc(reader->arena, node->member_count * sizeof(*texts->items));
    for (size_t i = 0; i < node->member_count; i++) {
        char *text = read_text(reader, node->members[i].value, "an item of this list");

        if (text != NULL)
            texts->items[texts->count++] = text;
    }
}

static void settings_of(struct reader *reader, const struct yaml_node *node, const char *name,
                        struct settings *settings)
{
    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node, "'%s' must be a mapping of names to values, not %s", name,
                       node_found(reader, node));
        return;
    }
    settings->items = arena_alloc(reader->arena, node->member_count * sizeof(*settings->items));
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];
        struct setting *setting = &settings->items[settings->count];

        if (member->value->kind != YAML_SCALAR) {
            reader_problem(reader, member->value, "'%s' must be a single value, not %s",
                           member->key, node_found(reader, member->value));
            continue;
        }
        setting->place = key_place(member);
        setting->name = arena_text(reader->arena, member->key);
        setting->value = arena_text(reader->arena, member->value->text);
        settings->count++;
    }
}

/* --- mappings by table --- */

void read_list(struct reader *reader, const struct yaml_node *node, const struct key_table *table,
               bool single, void **ret_items, size_t *ret_count)
{
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;
    char *items;

    if (node->kind != YAML_SEQUENCE && !(single && node->kind == YAML_MAPPING)) {
        reader_problem(reader, node, "expected a list, found %s; begin each item with '- '",
                       node_found(reader, node));
        return;
    }
    items = arena_alloc(reader->arena, count * table->size);
    for (size_t i = 0; i < count; i++)
        (void)read_mapping(reader, node->kind == YAML_SEQUENCE ? node->members[i].value : node,
                           table, items + i * table->size);
    *ret_items = items;
    *ret_count = count;
}

static void read_value(struct reader *reader, const struct yaml_node *node, const struct key *key,
                       char *item)
{
    bool bounded = key->minimum != 0 || key->maximum != 0;
    const char *what = arena_format(reader->arena, "'%s'", key->name);
    void *field = item + key->offset;
    void *items = NULL;
    size_t count = 0;

    if (node->later && key->type != VALUE_TEXT && key->type != VALUE_CUSTOM)
        return; /* it is read again when its value is there */
    switch (key->type) {
    case VALUE_TEXT:
        items = read_text(reader, node, what);
        memcpy(field, &items, sizeof(items));
        break;
    case VALUE_TEXTS:
        texts_of(reader, node, key->name, field);
        break;
    case VALUE_DURATION:
        (void)duration_of(reader, node, what, bounded ? key->minimum : 0,
                          bounded ? key->maximum : DURATION_US_MAX, field);
        break;
    case VALUE_INTEGER:
        (void)integer_of(reader, node, what, bounded ? key->minimum : 0,
                         bounded ? key->maximum : INTEGER_MAX, field);
        break;
    case VALUE_FLAG:
        flag_of(reader, node, what, field);
        break;
    case VALUE_CHOICE:
        choice_of(reader, node, key, field);
        break;
    case VALUE_SETTINGS:
        settings_of(reader, node, key->name, field);
        break;
    case VALUE_MAPPING:
        items = arena_alloc(reader->arena, key->table->size);
        (void)read_mapping(reader, node, key->table, items);
        memcpy(field, &items, sizeof(items));
        break;
    case VALUE_LIST:
        read_list(reader, node, key->table, false, &items, &count);
        memcpy(field, &items, sizeof(items));
        memcpy(item + key->count_offset, &count, sizeof(count));
        break;
    case VALUE_CUSTOM:
        key->read(reader, node, field);
        break;
    }
}

/** Fills in what holds where a key is not written, by reading the default as if it were. */
static void read_fallbacks(struct reader *reader, const struct yaml_node *node,
                           const struct key_table *table, char *item)
{
    for (size_t i = 0; i < table->key_count; i++) {
        const struct key *key = &table->keys[i];
        const int64_t absent = -1;
        const int no_choice = -1;

        if (key->fallback != NULL) {
            struct yaml_node written = {.kind = YAML_SCALAR,
                                        .line = node->line,
                                        .column = node->column,
                                        .plain = true,
                                        .text = key->fallback};

            read_value(reader, &written, key, item);
        } else if (key->type == VALUE_DURATION || key->type == VALUE_INTEGER) {
            memcpy(item + key->offset, &absent, sizeof(absent));
        } else if (key->type == VALUE_CHOICE) {
            memcpy(item + key->offset, &no_choice, sizeof(no_choice));
        }
    }
}

/** Without the tables after it. */
static const struct key *own_key(const struct key_table *table, const char *name)
{
    for (size_t i = 0; i < table->key_count; i++) {
        if (strcmp(table->keys[i].name, name) == 0)
            return &table->keys[i];
    }
    return NULL;
}

const struct key *key_find(const struct key_table *table, const char *name)
{
    const struct key *key = NULL;

    for (; key == NULL && table != NULL; table = table->next)
        key = own_key(table, name);
    return key;
}

/** Names of all keys, or of the actions alone; in the arena. */
static const char **key_names(struct reader *reader, const struct key_table *table, bool actions,
                              size_t *ret_count)
{
    const char **names = arena_alloc(reader->arena, table->key_count * sizeof(*names));
    size_t count = 0;

    for (size_t i = 0; i < table->key_count; i++) {
        if (!actions || table->keys[i].action != 0)
            names[count++] = table->keys[i].name;
    }
    *ret_count = count;
    return names;
}

/** What to write instead of an unknown key. */
static const char *hint_for(struct reader *reader, const char *written,
                            const struct key_table *table, const char *const *names, size_t count)
{
    const char *hint;
    const char *elsewhere;

    for (size_t i = 0; i < table->key_count; i++) {
        if (is_word_of(table->keys[i].also, written))
            return arena_format(reader->arena, "; write '%s'", table->keys[i].name);
    }
    if (text_closest(written, names, count) != NULL)
        return suggestion(reader, written, names, count);
    elsewhere = explain_path_of(reader->arena, written);
    if (elsewhere != NULL)
        return arena_format(reader->arena, "; there is %s: is its indentation right?", elsewhere);
    hint = suggestion(reader, written, names, count);
    return *hint != '\0' ? hint : "; 'scenario explain' lists what there is";
}

static void unknown_key(struct reader *reader, const struct yaml_member *member,
                        const struct key_table *table)
{
    struct place place = key_place(member);
    size_t count;
    const char **names = key_names(reader, table, false, &count);

    if (member->key[0] == '-' && own_key(table, member->key + 1) != NULL)
        problems_add(reader->problems, place, "'%s' needs a blank behind its '-': '- %s'",
                     member->key, member->key + 1);
    else
        problems_add(reader->problems, place, "unknown key '%s' in %s%s", member->key, table->what,
                     hint_for(reader, member->key, table, names, count));
}

/** Of the keys that are actions a mapping has one. */
static void check_action(struct reader *reader, const struct yaml_node *node,
                         const struct key_table *table, const struct key *first,
                         const struct yaml_member *second, char *item)
{
    size_t count;
    const char **names;
    const char *hint;

    if (first == NULL) {
        names = key_names(reader, table, true, &count);
        hint = suggestion(reader, "", names, count);
        reader_problem(reader, node, "%s needs one of its actions%s", table->what,
                       *hint != '\0' ? hint
                                     : arena_format(reader->arena, ", such as %s, %s or %s",
                                                    names[0], names[1], names[2]));
    } else if (second != NULL) {
        problems_add(reader->problems, key_place(second),
                     "%s does one thing: '%s' and '%s' cannot stand together", table->what,
                     first->name, second->key);
    } else {
        memcpy(item + table->action_offset, &first->action, sizeof(first->action));
    }
}

/** False when there are none. */
static bool tell_unknown_keys(struct reader *reader, const struct yaml_node *node,
                              const struct key_table *table)
{
    bool unknown = false;

    for (size_t i = 0; i < node->member_count; i++) {
        if (own_key(table, node->members[i].key) == NULL) {
            unknown_key(reader, &node->members[i], table);
            unknown = true;
        }
    }
    return unknown;
}

static bool is_list(const struct key *key)
{
    return key->type == VALUE_LIST || key->form == FORM_ONE_OR_MORE;
}

static void read_members(struct reader *reader, const struct yaml_node *node,
                         const struct key_table *table, char *item)
{
    const struct key *action = NULL;
    const struct yaml_member *second = NULL;
    bool unknown = tell_unknown_keys(reader, node, table);

    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];
        const struct key *key = own_key(table, member->key);

        if (key == NULL)
            continue;
        if (key->action != 0 && action != NULL) { /* its field is taken */
            second = second == NULL ? member : second;
            continue;
        }
        if (key->action != 0)
            action = key;
        if (!(unknown && node_is_empty(member->value) && is_list(key))) /* one mistake: "-apply" */
            read_value(reader, member->value, key, item);
    }
    /* a misspelt action is one mistake, not two */
    if (table->has_actions && !(action == NULL && unknown))
        check_action(reader, node, table, action, second, item);
    for (size_t i = 0; !unknown && i < table->key_count; i++) {
        if (table->keys[i].required && yaml_get(node, table->keys[i].name) == NULL)
            reader_problem(reader, node, "%s needs a '%s': %s", table->what, table->keys[i].name,
                           table->keys[i].help);
    }
}

/** "; write {of: ..., among: ...}": what must be there, or else the first two keys. */
static const char *hint_of_table(struct reader *reader, const struct key_table *table)
{
    const char *text = "";
    size_t count = 0;
    bool required = false;

    for (size_t i = 0; i < table->key_count; i++)
        required = required || table->keys[i].required;
    for (size_t i = 0; i < table->key_count && (required || count < 2); i++) {
        const struct key *key = &table->keys[i];

        if ((required && !key->required) || key->example == NULL)
            continue;
        text = arena_format(reader->arena, "%s%s%s: %s", text, count == 0 ? "" : ", ", key->name,
                            key->example);
        count++;
    }
    return count == 0 ? "" : arena_format(reader->arena, "; write {%s}", text);
}

/** "advance:5s" and "crash" are keys with something missing. */
static const char *hint_of_word(struct reader *reader, const struct yaml_node *node,
                                const struct key_table *table)
{
    size_t size = node->kind == YAML_SCALAR ? strcspn(node->text, ":") : 0;
    const char *word = arena_format(reader->arena, "%.*s", (int)size, size > 0 ? node->text : "");
    const struct key *key = own_key(table, word);

    if (key == NULL)
        return table->has_actions || node->column == 1 ? "" /* the file */
                                                       : hint_of_table(reader, table);
    if (node->text[size] == ':')
        return arena_format(reader->arena, "; put a blank behind the colon: '%s: %s'", word,
                            node->text + size + 1);
    return arena_format(reader->arena, "; write '%s: %s'", word, key->example);
}

bool read_mapping(struct reader *reader, const struct yaml_node *node,
                  const struct key_table *table, void *item)
{
    size_t before = reader->problems->count + reader->problems->left_out;
    struct place place = node_place(node);

    memcpy(item, &place, sizeof(place));
    read_fallbacks(reader, node, table, item);
    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node, "%s must be a mapping of keys to values, not %s%s",
                       table->what, node_found(reader, node), hint_of_word(reader, node, table));
        return false;
    }
    read_members(reader, node, table, item);
    if (before == reader->problems->count + reader->problems->left_out && table->check != NULL)
        table->check(reader, node, item);
    return before == reader->problems->count + reader->problems->left_out;
}
