#include "tests/model/selector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_SIZE 128

/* The next requirement, up to a comma that is not between parentheses; false behind the last. */
static bool next_part(const char **at, char part[PART_SIZE])
{
    size_t size = 0;
    bool inside = false;

    if (**at == '\0')
        return false;
    for (; **at != '\0' && (inside || **at != ','); (*at)++) {
        if (**at == '(')
            inside = true;
        if (**at == ')')
            inside = false;
        assert(size < PART_SIZE - 1);
        part[size++] = **at;
    }
    part[size] = '\0';
    if (**at == ',')
        (*at)++;
    return true;
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
    size_t size;

    text += strspn(text, " ");
    size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
    return text;
}

/* --- labels --- */

/* The value of a label; NULL when there is none. */
static const char *label(const struct json_object *object, const char *key)
{
    struct json_object *value = value_get(value_at(object, "metadata.labels"), key);

    return value == NULL ? NULL : json_object_get_string(value);
}

/* Whether value is one of "(a, b)". */
static bool is_in(const char *set, const char *value)
{
    char copy[PART_SIZE];
    char *at = copy + 1;

    snprintf(copy, sizeof(copy), "%s", set);
    assert(copy[0] == '(' && copy[strlen(copy) - 1] == ')');
    copy[strlen(copy) - 1] = '\0';
    for (;;) {
        size_t size = strcspn(at, ",");
        bool last = at[size] == '\0';

        at[size] = '\0';
        if (strcmp(trim(at), value) == 0)
            return true;
        if (last)
            return false;
        at += size + 1;
    }
}

static bool compare(const char *value, char op, const char *bound)
{
    char *end;
    long long number = value == NULL ? 0 : strtoll(value, &end, 10);

    if (value == NULL || *value == '\0' || *end != '\0')
        return false;
    return op == '>' ? number > strtoll(bound, NULL, 10) : number < strtoll(bound, NULL, 10);
}

/* key, and behind it " in (...)" or " notin (...)" or an operator and a value, or nothing. */
static bool label_matches(char *part, const struct json_object *object)
{
    char *rest = part + strcspn(part, " =!<>");
    char key[PART_SIZE];
    const char *value;

    snprintf(key, sizeof(key), "%.*s", (int)(rest - part), part);
    value = label(object, key);
    rest = trim(rest);
    if (*rest == '\0')
        return value != NULL;
    if (strncmp(rest, "in", 2) == 0)
        return value != NULL && is_in(trim(rest + 2), value);
    if (strncmp(rest, "notin", 5) == 0)
        return value == NULL || !is_in(trim(rest + 5), value);
    if (strncmp(rest, "!=", 2) == 0)
        return value == NULL || strcmp(value, trim(rest + 2)) != 0;
    if (*rest == '>' || *rest == '<')
        return compare(value, *rest, trim(rest + 1));
    rest += rest[1] == '=' ? 2 : 1;
    return value != NULL && strcmp(value, trim(rest)) == 0;
}

bool labels_match(const char *selector, const struct json_object *object)
{
    char part[PART_SIZE];

    while (next_part(&selector, part)) {
        char *one = trim(part);
        bool matches =
            *one == '!' ? label(object, trim(one + 1)) == NULL : label_matches(one, object);

        if (!matches)
            return false;
    }
    return true;
}

/* --- fields --- */

/* A scalar of an object as a text. */
static const char *field(const struct json_object *object, const char *path)
{
    struct json_object *value = value_at(object, path);

    return value == NULL ? "" : json_object_get_string(value);
}

bool fields_match(const char *selector, const struct json_object *object)
{
    char part[PART_SIZE];

    while (next_part(&selector, part)) {
        char *op = part + strcspn(part, "=!");
        bool differ = *op == '!';
        const char *value = op + (op[1] == '=' ? 2 : 1);
        bool equal;

        *op = '\0';
        equal = strcmp(field(object, part), value) == 0;
        if (equal == differ)
            return false;
    }
    return true;
}

void field_name(const char *selector, unsigned index, char *name, unsigned size)
{
    char part[PART_SIZE] = "";

    for (unsigned i = 0; i <= index; i++)
        if (!next_part(&selector, part))
            part[0] = '\0';
    part[strcspn(part, "=!")] = '\0';
    snprintf(name, size, "%s", part);
}

bool asks_one_name(const char *selector, char *name, unsigned size)
{
    static const char want[] = "metadata.name=";
    char part[PART_SIZE];

    while (next_part(&selector, part)) {
        const char *value = part + sizeof(want) - 1;

        if (strncmp(part, want, sizeof(want) - 1) != 0)
            continue;
        snprintf(name, size, "%s", *value == '=' ? value + 1 : value);
        return true;
    }
    return false;
}
