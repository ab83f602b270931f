#include "fakeapi/faults/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

bool reading_fail(struct reading *r, unsigned line, unsigned column, const char *format, ...)
{
    char what[ERROR_TEXT_SIZE / 2];
    va_list values;

    va_start(values, format);
    vsnprintf(what, sizeof(what), format, values);
    va_end(values);
    r->mistake(r->arg, line, column, what);
    return false;
}

bool reading_fail_at(struct reading *r, const struct yaml_node *node, const char *what)
{
    return reading_fail(r, node->line, node->column, "%s", what);
}

/* --- values --- */

bool reading_count(struct reading *r, const struct yaml_node *node, uint64_t least, uint64_t most,
                   uint64_t *ret_value)
{
    bool ok = node->kind == YAML_SCALAR && text_to_uint64(node->text, ret_value) &&
              *ret_value >= least && *ret_value <= most;

    if (!ok && most >= INT64_MAX)
        return reading_fail(r, node->line, node->column, "a whole number from %llu on is wanted",
                            (unsigned long long)least);
    if (!ok)
        return reading_fail(r, node->line, node->column,
                            "a whole number from %llu to %llu is wanted", (unsigned long long)least,
                            (unsigned long long)most);
    return true;
}

/** "20" lacks its unit. */
static bool fail_duration(struct reading *r, const struct yaml_node *node)
{
    if (node->kind == YAML_SCALAR && *node->text != '\0' &&
        strspn(node->text, "0123456789") == strlen(node->text))
        return reading_fail(r, node->line, node->column,
                            "a duration such as 1m30s is wanted; did you mean '%ss'?", node->text);
    return reading_fail_at(r, node, "a duration such as 1m30s is wanted");
}

bool reading_duration(struct reading *r, const struct yaml_node *node, int64_t *ret_us)
{
    if (node->kind != YAML_SCALAR || !duration_parse(node->text, ret_us) || *ret_us < 0)
        return fail_duration(r, node);
    return true;
}

bool reading_text(struct reading *r, const struct yaml_node *node, const char **ret_text)
{
    if (node->kind != YAML_SCALAR)
        return reading_fail_at(r, node, "a text is wanted");
    *ret_text = node->text;
    return true;
}

/* A matcher is one pattern or a list of them. */
const struct yaml_node *reading_pattern_at(const struct yaml_node *node, size_t index)
{
    return node->kind == YAML_SEQUENCE ? node->members[index].value : node;
}

bool reading_patterns(struct reading *r, const struct yaml_node *node,
                      struct fault_patterns *patterns)
{
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;
    bool ok = true;

    if (count > FAULT_PATTERNS_MAX || count == 0)
        return reading_fail(r, node->line, node->column, "from 1 to %d patterns are wanted",
                            FAULT_PATTERNS_MAX);
    for (size_t i = 0; i < count; i++)
        ok = reading_text(r, reading_pattern_at(node, i), &patterns->items[i]) && ok;
    patterns->count = count;
    return ok;
}

/* Only "true": what is not wanted is left out. */
bool reading_true(struct reading *r, const struct yaml_node *node)
{
    return (node->kind == YAML_SCALAR && node->plain && text_equal(node->text, "true")) ||
           reading_fail_at(r, node, "only true can be said here");
}

/* --- keys --- */

#define KEYS_MAX 32
/** So many known keys are listed. */
#define LISTED_MAX 14
#define LISTED_BYTES_MAX 1024

/** Names no known one where there are too many for a line. */
static bool fail_far(struct reading *r, const struct yaml_member *member, const char *const *names,
                     size_t count)
{
    struct buffer known = BUFFER_INIT(LISTED_BYTES_MAX);
    bool ok;

    for (size_t i = 0; i < count && count <= LISTED_MAX; i++)
        buffer_append_format(&known, "%s%s", i == 0 ? "; known are " : ", ", names[i]);
    ok = reading_fail(r, member->key_line, member->key_column, "unknown key '%s'%s", member->key,
                      buffer_text(&known));
    buffer_release(&known);
    return ok;
}

static bool fail_unknown(struct reading *r, const struct yaml_member *member,
                         const struct reading_key *keys, size_t key_count)
{
    const char *names[KEYS_MAX];
    const char *closest;

    for (size_t i = 0; i < key_count && i < KEYS_MAX; i++)
        names[i] = keys[i].name;
    closest = text_closest(member->key, names, key_count);
    if (closest == NULL)
        return fail_far(r, member, names, key_count);
    return reading_fail(r, member->key_line, member->key_column,
                        "unknown key '%s'; did you mean '%s'?", member->key, closest);
}

static bool read_member(struct reading *r, const struct yaml_member *member,
                        const struct reading_key *keys, size_t key_count)
{
    for (size_t i = 0; i < key_count; i++)
        if (strcmp(keys[i].name, member->key) == 0)
            return keys[i].read(r, member->value);
    return fail_unknown(r, member, keys, key_count);
}

bool reading_mapping(struct reading *r, const struct yaml_node *node,
                     const struct reading_key *keys, size_t key_count)
{
    bool ok = true;

    if (node->kind != YAML_MAPPING)
        return reading_fail_at(r, node, "a mapping is wanted");
    for (size_t i = 0; i < node->member_count; i++)
        ok = read_member(r, &node->members[i], keys, key_count) && ok;
    return ok;
}
