/* aggregate - the rules of some roles into others. */
#include "fakeapi/access/aggregate.h"

#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/access/rbac.h"

/* --- label selectors --- */

static bool has_value(const struct json_object *values, const char *value)
{
    size_t count = json_is(values, json_type_array) ? json_object_array_length(values) : 0;

    for (size_t i = 0; i < count; i++)
        if (text_equal(json_text(json_object_array_get_idx(values, i)), value))
            return true;
    return false;
}

static bool expression_matches(const struct json_object *expression,
                               const struct store_object *object)
{
    const char *operator= text_or(json_get_text(expression, "operator"), "");
    const char *value = store_object_label(object, text_or(json_get_text(expression, "key"), ""));
    const struct json_object *values = json_get(expression, "values");

    if (strcmp(operator, "In") == 0)
        return value != NULL && has_value(values, value);
    if (strcmp(operator, "NotIn") == 0)
        return value == NULL || !has_value(values, value);
    if (strcmp(operator, "Exists") == 0)
        return value != NULL;
    return strcmp(operator, "DoesNotExist") == 0 && value == NULL;
}

static bool labels_match(struct json_object *labels, const struct store_object *object)
{
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (!json_is(labels, json_type_object))
        return true;
    at = json_object_iter_begin(labels);
    end = json_object_iter_end(labels);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        if (!text_equal(store_object_label(object, json_object_iter_peek_name(&at)),
                        json_text(json_object_iter_peek_value(&at))))
            return false;
    return true;
}

static bool selects(const struct json_object *selector, const struct store_object *object)
{
    const struct json_object *expressions = json_get_array(selector, "matchExpressions");
    size_t count = expressions == NULL ? 0 : json_object_array_length(expressions);

    for (size_t i = 0; i < count; i++)
        if (!expression_matches(json_object_array_get_idx(expressions, i), object))
            return false;
    return labels_match(json_get(selector, "matchLabels"), object);
}

/* --- the rules of one --- */

static bool has_rule(const struct json_object *rules, const struct json_object *rule)
{
    for (size_t i = 0; i < json_object_array_length(rules); i++)
        if (json_equal(json_object_array_get_idx(rules, i), rule))
            return true;
    return false;
}

static void add_rules(struct json_object *rules, const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    const struct json_object *more = json_get_array(tree, "rules");
    size_t count = more == NULL ? 0 : json_object_array_length(more);

    for (size_t i = 0; i < count; i++) {
        struct json_object *rule = json_object_array_get_idx(more, i);

        if (!has_rule(rules, rule))
            json_add(rules, json_object_get(rule));
    }
    json_object_put(tree);
}

static struct json_object *gather(const struct store_snapshot *snapshot,
                                  const struct store_object *whole,
                                  const struct json_object *selectors)
{
    struct json_object *rules = json_object_new_array();

    for (size_t i = 0; i < json_object_array_length(selectors); i++)
        for (size_t j = 0; j < store_snapshot_count(snapshot); j++) {
            const struct store_object *part = store_snapshot_object(snapshot, j);

            if (strcmp(part->name, whole->name) != 0 &&
                selects(json_object_array_get_idx(selectors, i), part))
                add_rules(rules, part);
        }
    return rules;
}

/* Whether it is put together, and now of other parts. */
static bool aggregate(struct store_resource *resource, const struct store_snapshot *snapshot,
                      const struct store_object *whole)
{
    struct json_object *tree = store_object_parse(whole);
    const struct json_object *selectors =
        json_get_array(json_get_object(tree, "aggregationRule"), "clusterRoleSelectors");
    struct json_object *rules;
    struct error err = ERROR_INIT;
    bool changed = false;

    if (selectors != NULL) {
        rules = gather(snapshot, whole, selectors);
        if (!json_equal(rules, json_get(tree, "rules")) &&
            (json_object_array_length(rules) > 0 || json_get(tree, "rules") != NULL)) {
            json_set(tree, "rules", json_object_get(rules));
            changed = store_update(resource, whole, tree, NULL, &err);
        }
        json_object_put(rules);
    }
    json_object_put(tree);
    return changed;
}

bool aggregate_roles(struct store *store)
{
    struct store_resource *resource = store_find_resource(store, RBAC_GROUP, "clusterroles");
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    bool changed = false;

    for (size_t i = 0; i < store_snapshot_count(snapshot); i++) {
        if (!aggregate(resource, snapshot, store_snapshot_object(snapshot, i)))
            continue;
        store_snapshot_free(snapshot); /* the next are put together of what is now */
        snapshot = store_snapshot_new(resource);
        changed = true;
    }
    store_snapshot_free(snapshot);
    return changed;
}
