/* reader - YAML mappings into structs, driven by tables that describe each key.
 *
 * The same tables tell people what a key does and editors what may stand where, so whatever is
 * read is described. A wrong value leaves the key's default and adds a problem; reading goes on. */
#ifndef SCENARIOS_LANGUAGE_READER_H
#define SCENARIOS_LANGUAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/yaml.h"
#include "scenarios/language/arena.h"
#include "scenarios/language/problems.h"

struct schemas;

/** Where what is read goes, and where its mistakes go. */
struct reader {
    struct arena *arena;
    struct problems *problems;
    struct problems *unused;       /* what is there and not used; NULL: nobody asks */
    const struct schemas *schemas; /* see schemas.h; NULL: fields are not looked into */
    size_t generated_bytes;        /* of the objects that 'count' has made so far */
};

struct texts {
    char **items;
    size_t count;
};

struct setting {
    struct place place;
    char *name;
    char *value;
};

struct settings {
    struct setting *items; /* in file order */
    size_t count;
};

/** What a key's value must be, and the type of the field that it fills. */
enum value_type {
    VALUE_TEXT,     /* char *; NULL when absent */
    VALUE_TEXTS,    /* struct texts */
    VALUE_DURATION, /* int64_t microseconds; -1 when absent */
    VALUE_INTEGER,  /* int64_t; -1 when absent */
    VALUE_FLAG,     /* bool; false when absent */
    VALUE_CHOICE,   /* int, the index into choices; -1 when absent */
    VALUE_SETTINGS, /* struct settings: a mapping of names to scalars */
    VALUE_MAPPING,  /* pointer to a struct of table, NULL when absent */
    VALUE_LIST,     /* pointer to structs of table, and at count_offset their size_t count */
    VALUE_CUSTOM,   /* what read() makes of it */
};

/** What may be written for a VALUE_CUSTOM, as far as a schema can say it. */
enum value_form {
    FORM_ANYTHING,
    FORM_ONE_OR_MORE,        /* a mapping of the key's table, or a list of them */
    FORM_NAMES,              /* a text or a list of texts */
    FORM_PAIR,               /* a list of two texts */
    FORM_PAIR_OR_ALL,        /* such a list, or the word all */
    FORM_COMPARISON,         /* a number, or a text such as ">= 3" */
    FORM_INTEGER_OR_MAPPING, /* the mapping of the key's table */
    FORM_SCALAR,
    FORM_TRUE,          /* only that */
    FORM_TRUE_OR_NAMES, /* that, or a list of texts */
    FORM_MAPPING,
    FORM_LIST,
    FORM_VALUE, /* any value at all */
};

struct key_table;

/** A row of a table of keys. Every row has a help, an example, and either a fallback, an unless,
 * required or an action: what "scenario explain" prints and a test asks for. */
struct key {
    const char *name;
    enum value_type type;
    size_t offset;
    const char *help;     /* one sentence, or a few */
    const char *fallback; /* the default as it would be written; NULL: absent */
    const char *unless;   /* what holds without the key, for people, where fallback cannot say it */
    const char *example;  /* a value, on one line of YAML */
    const char *also;     /* what others call it, with blanks between: a suggestion finds it */
    enum value_form form; /* of a VALUE_CUSTOM; its table then only describes */
    bool required;
    int action;      /* above 0: one of those of which a mapping has exactly one */
    int64_t minimum; /* of a duration or an integer; both 0: 0 to a large number */
    int64_t maximum;
    const char *const *choices; /* ends in NULL */
    const struct key_table *table;
    size_t count_offset;
    const char *shape; /* of a VALUE_CUSTOM, for people: "an object or a list of them" */
    void (*read)(struct reader *reader, const struct yaml_node *node, void *field);
};

/** A row: the key, its type, the struct and the field it fills, its help, and the other members by
 * name. */
#define KEY(word, value_type, owner, field, text, ...)                                             \
    {                                                                                              \
        .name = (word), .type = (value_type), .offset = offsetof(owner, field), .help = (text),    \
        __VA_ARGS__                                                                                \
    }

/** A row that only describes: whoever reads the mapping does so by himself. */
#define DESCRIBED(word, value_type, text, ...)                                                     \
    {                                                                                              \
        .name = (word), .type = (value_type), .help = (text), __VA_ARGS__                          \
    }

struct key_table {
    const char *what;   /* with its article: "a step" */
    const char *id;     /* of its definition in the schema; NULL: made from what */
    const char *others; /* what other keys there may be: "the fields of the object"; NULL: none */
    const struct key_table *next; /* more keys of the same mapping, which others read; or NULL */
    const struct key *keys;
    size_t key_count;
    size_t size; /* of the struct, which begins with a struct place */
    bool has_actions;
    bool may_lack_action; /* the schema does not ask for one, since another key may be enough */
    size_t action_offset; /* of the int that gets the action found; 0 when there was a mistake */
    /* rules between keys; may be NULL; called only when every key was read without a problem */
    void (*check)(struct reader *reader, const struct yaml_node *node, void *item);
};

/** Fills item, which has table->size zeroed bytes. False when any problem was added. */
bool read_mapping(struct reader *reader, const struct yaml_node *node,
                  const struct key_table *table, void *item);

/** Reads a list of mappings (or, where single is set, also one mapping alone) into the arena. */
void read_list(struct reader *reader, const struct yaml_node *node, const struct key_table *table,
               bool single, void **ret_items, size_t *ret_count);

/** A scalar's text in the arena; NULL after a problem. */
char *read_text(struct reader *reader, const struct yaml_node *node, const char *what);

/** An integer of minimum to maximum; false after a problem. */
bool read_integer(struct reader *reader, const struct yaml_node *node, const char *what,
                  int64_t minimum, int64_t maximum, int64_t *ret_value);

/** Frees value (NULL is fine) with the arena; returns it. */
struct json_object *reader_own(struct reader *reader, struct json_object *value);

struct place node_place(const struct yaml_node *node);
struct place key_place(const struct yaml_member *member);

/** {count: .., has: [..]} and the like, in a claim, speak of a list: no kind has an object of such
 * members alone. */
bool node_speaks_of_list(const struct yaml_node *node);

/** "a list", "a mapping", "nothing" or "'text'" in the arena: what a message says was found. */
const char *node_found(struct reader *reader, const struct yaml_node *node);

/** A plain empty value, or null. */
bool node_is_empty(const struct yaml_node *node);

void reader_problem(struct reader *reader, const struct yaml_node *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

/** NULL when the table, those after it included, has no such key. */
const struct key *key_find(const struct key_table *table, const char *name);

/** "; did you mean 'x'?", or the list of what there is when that is short, or "". In the arena. */
const char *suggestion(struct reader *reader, const char *written, const char *const *known,
                       size_t known_count);

#endif
