/* rule - what a rule allows and covers. */
#include "fakeapi/access/rule.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* --- reading --- */

static struct rule parse_rule(const struct json_object *object)
{
    return (struct rule){.verbs = words_parse(json_get(object, "verbs")),
                         .groups = words_parse(json_get(object, "apiGroups")),
                         .resources = words_parse(json_get(object, "resources")),
                         .names = words_parse(json_get(object, "resourceNames")),
                         .urls = words_parse(json_get(object, "nonResourceURLs"))};
}

void rule_release(struct rule *rule)
{
    words_release(&rule->verbs);
    words_release(&rule->groups);
    words_release(&rule->resources);
    words_release(&rule->names);
    words_release(&rule->urls);
}

/* Takes the rule over. */
static void take_rule(struct rules *rules, struct rule rule)
{
    rules->items = xrealloc(rules->items, (rules->count + 1) * sizeof(*rules->items));
    rules->items[rules->count++] = rule;
}

struct rules rules_parse(const struct json_object *array)
{
    struct rules rules = {0};
    size_t count = json_is(array, json_type_array) ? json_object_array_length(array) : 0;

    for (size_t i = 0; i < count; i++) {
        const struct json_object *object = json_object_array_get_idx(array, i);

        if (json_is(object, json_type_object))
            take_rule(&rules, parse_rule(object));
    }
    return rules;
}

void rules_release(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        rule_release(&rules->items[i]);
    free(rules->items);
    *rules = (struct rules){0};
}

void rules_add(struct rules *rules, const struct rule *rule)
{
    take_rule(rules, (struct rule){.verbs = words_copy(&rule->verbs),
                                   .groups = words_copy(&rule->groups),
                                   .resources = words_copy(&rule->resources),
                                   .names = words_copy(&rule->names),
                                   .urls = words_copy(&rule->urls)});
}

/* --- what it allows (A8) --- */

static bool has_or_all(const struct words *words, const char *text)
{
    return words_has(words, "*") || words_has(words, text);
}

/* "pods", "pods/log", "*", or any resource's subresource in the form of "*" and "/log" */
static bool resource_is(const char *ruled, const struct attributes *attributes)
{
    const char *sub = attributes->subresource;
    const char *resource = attributes->resource;
    size_t size = strlen(resource);

    if (strcmp(ruled, "*") == 0)
        return true;
    if (sub[0] == '\0')
        return strcmp(ruled, resource) == 0;
    if (ruled[0] == '*' && ruled[1] == '/' && strcmp(ruled + 2, sub) == 0)
        return true;
    return strncmp(ruled, resource, size) == 0 && ruled[size] == '/' &&
           strcmp(ruled + size + 1, sub) == 0;
}

static bool has_resource(const struct rule *rule, const struct attributes *attributes)
{
    for (size_t i = 0; i < rule->resources.count; i++)
        if (resource_is(rule->resources.items[i], attributes))
            return true;
    return false;
}

/* "/healthz" is itself; what ends in '*' is all that begins like it. */
static bool url_covers(const char *ruled, const char *path)
{
    size_t size = strlen(ruled);

    if (strcmp(ruled, path) == 0)
        return true;
    while (size > 0 && ruled[size - 1] == '*')
        size--;
    return ruled[size] == '*' && strncmp(ruled, path, size) == 0;
}

static bool has_url(const struct rule *rule, const char *path)
{
    for (size_t i = 0; i < rule->urls.count; i++)
        if (url_covers(rule->urls.items[i], path))
            return true;
    return false;
}

bool rule_allows(const struct rule *rule, const struct attributes *attributes)
{
    if (!has_or_all(&rule->verbs, attributes->verb))
        return false;
    if (!attributes->resource_request)
        return has_url(rule, attributes->path);
    return has_or_all(&rule->groups, attributes->group) && has_resource(rule, attributes) &&
           (rule->names.count == 0 || words_has(&rule->names, attributes->name));
}

/* --- what it covers of another (A11) --- */

/* A single permission: one verb on one resource, one name of it, or on one URL. */
struct grant {
    const char *verb;
    const char *group; /* NULL: it is of a URL */
    const char *resource;
    const char *name; /* NULL: all */
    const char *url;
};

static bool covers_resource(const struct words *resources, const char *resource)
{
    const char *slash = strchr(resource, '/');

    if (has_or_all(resources, resource))
        return true;
    for (size_t i = 0; slash != NULL && i < resources->count; i++)
        if (resources->items[i][0] == '*' && strcmp(resources->items[i] + 1, slash) == 0)
            return true;
    return false;
}

static bool covers(const struct rule *rule, const struct grant *grant)
{
    if (!has_or_all(&rule->verbs, grant->verb))
        return false;
    if (grant->group == NULL)
        return has_url(rule, grant->url);
    return has_or_all(&rule->groups, grant->group) &&
           covers_resource(&rule->resources, grant->resource) &&
           (rule->names.count == 0 ||
            (grant->name != NULL && words_has(&rule->names, grant->name)));
}

static bool is_held(const struct rules *held, const struct grant *grant)
{
    for (size_t i = 0; i < held->count; i++)
        if (covers(&held->items[i], grant))
            return true;
    return false;
}

static void add_text(struct words *words, const char *text)
{
    if (text != NULL)
        words_add(words, text);
}

static bool is_alone(const struct words *words, const char *text)
{
    return text == NULL ? words->count == 0
                        : words->count == 1 && strcmp(words->items[0], text) == 0;
}

/* Permissions on one resource are said together, those on URLs each by itself. */
static void add_missing(struct rules *missing, const struct grant *grant)
{
    struct rule rule = {0};

    for (size_t i = 0; grant->group != NULL && i < missing->count; i++) {
        struct rule *there = &missing->items[i];

        if (is_alone(&there->groups, grant->group) &&
            is_alone(&there->resources, grant->resource) && is_alone(&there->names, grant->name)) {
            words_add(&there->verbs, grant->verb);
            return;
        }
    }
    if (missing->count == RULES_MISSING_MAX)
        return;
    add_text(&rule.verbs, grant->verb);
    add_text(&rule.groups, grant->group);
    add_text(&rule.resources, grant->resource);
    add_text(&rule.names, grant->name);
    add_text(&rule.urls, grant->url);
    take_rule(missing, rule);
}

/* How many, or RULES_GRANTS_MAX + 1 when that is more. */
static size_t count_grants(const struct rule *rule)
{
    const size_t factors[] = {rule->groups.count, rule->resources.count, rule->verbs.count,
                              rule->names.count == 0 ? 1 : rule->names.count};
    size_t count = 1;
    size_t urls = rule->urls.count * rule->verbs.count;

    for (size_t i = 0; i < ARRAY_SIZE(factors); i++) {
        if (factors[i] > RULES_GRANTS_MAX)
            return RULES_GRANTS_MAX + 1;
        count *= factors[i];
        if (count > RULES_GRANTS_MAX)
            return RULES_GRANTS_MAX + 1;
    }
    return count + urls > RULES_GRANTS_MAX ? RULES_GRANTS_MAX + 1 : count + urls;
}

static void check_resource(const struct rules *held, const struct rule *rule,
                           const struct grant *of, struct rules *missing)
{
    struct grant grant = *of;

    for (size_t verb = 0; verb < rule->verbs.count; verb++) {
        grant.verb = rule->verbs.items[verb];
        for (size_t name = 0; name < rule->names.count || name == 0; name++) {
            grant.name = rule->names.count == 0 ? NULL : rule->names.items[name];
            if (!is_held(held, &grant))
                add_missing(missing, &grant);
        }
    }
}

static void check_rule(const struct rules *held, const struct rule *rule, struct rules *missing)
{
    for (size_t group = 0; group < rule->groups.count; group++)
        for (size_t resource = 0; resource < rule->resources.count; resource++) {
            struct grant grant = {.group = rule->groups.items[group],
                                  .resource = rule->resources.items[resource]};

            check_resource(held, rule, &grant, missing);
        }
    for (size_t url = 0; url < rule->urls.count; url++)
        for (size_t verb = 0; verb < rule->verbs.count; verb++) {
            struct grant grant = {.verb = rule->verbs.items[verb], .url = rule->urls.items[url]};

            if (!is_held(held, &grant))
                add_missing(missing, &grant);
        }
}

bool rules_missing(const struct rules *held, const struct rules *wanted, struct rules *ret_missing)
{
    struct rules missing = {0};
    size_t count = 0;

    for (size_t i = 0; i < wanted->count; i++) {
        count += count_grants(&wanted->items[i]);
        if (count > RULES_GRANTS_MAX)
            return false;
    }
    for (size_t i = 0; i < wanted->count && missing.count < RULES_MISSING_MAX; i++)
        check_rule(held, &wanted->items[i], &missing);
    *ret_missing = missing;
    return true;
}

/* --- writing --- */

void rule_append_compact(struct buffer *buffer, const struct rule *rule)
{
    const struct {
        const char *name;
        const struct words *words;
    } parts[] = {
        {"APIGroups",       &rule->groups   },
        {"Resources",       &rule->resources},
        {"NonResourceURLs", &rule->urls     },
        {"ResourceNames",   &rule->names    },
        {"Verbs",           &rule->verbs    },
    };
    const char *separator = "";

    buffer_append_char(buffer, '{');
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (parts[i].words->count == 0)
            continue;
        buffer_append_format(buffer, "%s%s:", separator, parts[i].name);
        words_append_quoted(buffer, parts[i].words);
        separator = ", ";
    }
    buffer_append_char(buffer, '}');
}

static void set_texts(struct json_object *object, const char *key, const struct words *words)
{
    if (words->count > 0)
        json_set(object, key, words_to_json(words));
}

struct json_object *rule_resource_json(const struct rule *rule)
{
    struct json_object *object = json_object_new_object();

    json_set(object, "verbs", words_to_json(&rule->verbs));
    set_texts(object, "apiGroups", &rule->groups);
    set_texts(object, "resources", &rule->resources);
    set_texts(object, "resourceNames", &rule->names);
    return object;
}

struct json_object *rule_url_json(const struct rule *rule)
{
    struct json_object *object = json_object_new_object();

    json_set(object, "verbs", words_to_json(&rule->verbs));
    set_texts(object, "nonResourceURLs", &rule->urls);
    return object;
}
