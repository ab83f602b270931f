/* strategic - strategic merge patches of built-in kinds.
 *
 * Source: k8s.io/apimachinery/pkg/util/strategicpatch, and the patch tags of k8s.io/api. */
#include "fakeapi/patch/strategic.h"

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/patch/go_value.h"
#include "fakeapi/patch/merge_list.h"

#define DIRECTIVE "$patch"
#define RETAIN_KEYS "$retainKeys"
#define ELEMENT_ORDER "$setElementOrder/"
#define DELETE_PRIMITIVES "$deleteFromPrimitiveList/"

/* Longest value in a message. */
#define SHOWN_BYTES_MAX ((size_t)4 * 1024)

struct merging {
    const char *kind;
    struct error *err;
};

/* Lists that merge: by which key, or (key NULL) as a set of scalars (P13). */
static const struct list_rule {
    const char *field;
    const char *kind; /* NULL: of any */
    const char *key;
} list_rules[] = {
    {"addresses",                 "Node",           "type"         },
    {"conditions",                NULL,             "type"         },
    {"containers",                NULL,             "name"         },
    {"env",                       NULL,             "name"         },
    {"ephemeralContainers",       NULL,             "name"         },
    {"finalizers",                NULL,             NULL           },
    {"hostAliases",               NULL,             "ip"           },
    {"hostIPs",                   NULL,             "ip"           },
    {"imagePullSecrets",          NULL,             "name"         },
    {"initContainers",            NULL,             "name"         },
    {"ownerReferences",           NULL,             "uid"          },
    {"podCIDRs",                  "Node",           NULL           },
    {"podIPs",                    NULL,             "ip"           },
    {"ports",                     "Service",        "port"         },
    {"ports",                     NULL,             "containerPort"},
    {"resourceClaims",            NULL,             "name"         },
    {"schedulingGates",           NULL,             "name"         },
    {"secrets",                   "ServiceAccount", "name"         },
    {"topologySpreadConstraints", NULL,             "topologyKey"  },
    {"volumeDevices",             NULL,             "devicePath"   },
    {"volumeMounts",              NULL,             "mountPath"    },
    {"volumes",                   NULL,             "name"         },
};

static const struct list_rule *find_rule(const struct merging *m, const char *field)
{
    for (size_t i = 0; i < ARRAY_SIZE(list_rules); i++)
        if (strcmp(list_rules[i].field, field) == 0 &&
            (list_rules[i].kind == NULL || text_equal(list_rules[i].kind, m->kind)))
            return &list_rules[i];
    return NULL;
}

/* target is the owner's; NULL is an empty one. *ret_result takes it over, also on failure. */
static bool merge_object(struct merging *m, struct json_object *target,
                         const struct json_object *patch, struct json_object **ret_result);

/* --- directives of an object (P15, P16) --- */

/* The object without what is meant for the patcher. Caller puts it. */
static struct json_object *without_directive(const struct json_object *patch)
{
    struct json_object *copy = json_copy(patch);

    json_object_object_del(copy, DIRECTIVE);
    return copy;
}

static bool unknown_directive(struct merging *m, const char *directive,
                              const struct json_object *patch)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    go_value_append(&shown, patch);
    error_set(m->err, ERROR_INTERNAL, "unknown patch type: %s in map: %s", directive,
              buffer_text(&shown));
    buffer_release(&shown);
    return false;
}

static bool retain_keys(struct merging *m, struct json_object *target,
                        const struct json_object *patch)
{
    const struct json_object *keys = json_get(patch, RETAIN_KEYS);

    if (keys == NULL)
        return true;
    if (!json_is(keys, json_type_array))
        return error_set(m->err, ERROR_MALFORMED, "invalid patch format of retainKeys");
    json_object_object_foreach(target, key, value)
    {
        (void)value;
        if (!merge_list_holds(keys, key))
            json_object_object_del(target, key);
    }
    return true;
}

static bool check_retained(struct merging *m, const struct json_object *patch)
{
    const struct json_object *keys = json_get(patch, RETAIN_KEYS);

    if (keys == NULL)
        return true;
    json_object_object_foreach((struct json_object *)(uintptr_t)patch, key, value)
    {
        if (key[0] != '$' && value != NULL && !merge_list_holds(keys, key))
            return error_set(m->err, ERROR_MALFORMED, "invalid patch format of retainKeys");
    }
    return true;
}

/* --- lists by key --- */

static bool needs_key(struct merging *m, const struct json_object *item, const char *key)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    go_value_append(&shown, item);
    error_set(m->err, ERROR_INTERNAL, "map: %s does not contain declared merge key: %s",
              buffer_text(&shown), key);
    buffer_release(&shown);
    return false;
}

/* Whether some item says that the others take the place of the whole list. */
static bool replaces_all(const struct json_object *patch)
{
    for (size_t i = 0; i < json_object_array_length(patch); i++)
        if (text_equal(json_get_text(json_object_array_get_idx(patch, i), DIRECTIVE), "replace"))
            return true;
    return false;
}

static bool merge_item(struct merging *m, struct json_object *target,
                       const struct json_object *item, const char *key)
{
    const char *directive = json_get_text(item, DIRECTIVE);
    const struct json_object *value = json_get(item, key);
    struct json_object *merged = NULL;
    size_t index;
    bool found;

    if (!json_is(item, json_type_object) || value == NULL)
        return needs_key(m, item, key);
    found = merge_list_find(target, key, value, &index);
    if (text_equal(directive, "delete")) {
        if (found)
            json_object_array_del_idx(target, index, 1);
        return true;
    }
    if (directive != NULL && strcmp(directive, "merge") != 0)
        return unknown_directive(m, directive, item);
    if (!merge_object(m, found ? json_object_get(json_object_array_get_idx(target, index)) : NULL,
                      item, &merged)) {
        json_object_put(merged);
        return false;
    }
    if (found)
        json_object_array_put_idx(target, index, merged);
    else
        json_add(target, merged);
    return true;
}

static bool merge_by_key(struct merging *m, struct json_object *target,
                         const struct json_object *patch, const char *key)
{
    bool afresh = replaces_all(patch);

    if (afresh)
        json_object_array_del_idx(target, 0, json_object_array_length(target));
    for (size_t i = 0; i < json_object_array_length(patch); i++) {
        const struct json_object *item = json_object_array_get_idx(patch, i);

        if (afresh && text_equal(json_get_text(item, DIRECTIVE), "replace"))
            continue;
        if (!merge_item(m, target, item, key))
            return false;
    }
    return true;
}

static void merge_set(struct json_object *target, const struct json_object *patch)
{
    size_t index;

    for (size_t i = 0; i < json_object_array_length(patch); i++) {
        const struct json_object *item = json_object_array_get_idx(patch, i);

        if (!merge_list_find(target, NULL, item, &index))
            json_add(target, json_copy(item));
    }
}

static bool check_length(struct merging *m, const struct json_object *list)
{
    return json_object_array_length(list) <= STRATEGIC_ITEMS_MAX ||
           error_set(m->err, ERROR_INVALID, "more than %d items to merge", STRATEGIC_ITEMS_MAX);
}

/* A list of the patch into the one in target, which may be missing: in the patch's order (P20). */
static bool merge_list(struct merging *m, struct json_object *target, const char *field,
                       const struct list_rule *rule, const struct json_object *patch)
{
    struct json_object *list = json_get_array(target, field);
    struct json_object *live;
    bool ok = true;

    if (list == NULL) {
        list = json_object_new_array();
        json_set(target, field, list);
    }
    if (!check_length(m, list) || !check_length(m, patch))
        return false;
    live = json_copy(list);
    if (rule->key == NULL)
        merge_set(list, patch);
    else
        ok = merge_by_key(m, list, patch, rule->key);
    if (ok)
        json_set(target, field, merge_list_ordered(list, rule->key, patch, live));
    json_object_put(live);
    return ok;
}

/* --- directives about a list beside it (P17, P18) --- */

static bool delete_primitives(struct merging *m, struct json_object *target, const char *field,
                              const struct json_object *values)
{
    struct json_object *list = json_get_array(target, field);
    size_t index;

    if (!json_is(values, json_type_array))
        return error_set(m->err, ERROR_MALFORMED, "invalid patch format of primitive list");
    if (list == NULL)
        return true;
    if (!check_length(m, list) || !check_length(m, values))
        return false;
    for (size_t i = 0; i < json_object_array_length(values); i++)
        while (merge_list_find(list, NULL, json_object_array_get_idx(values, i), &index))
            json_object_array_del_idx(list, index, 1);
    return true;
}

/* Whether the items of the patch's own list, but for those it deletes, are in that order too. */
static bool keeps_order(const struct json_object *list, const struct json_object *order,
                        const char *key)
{
    size_t at = 0;

    for (size_t i = 0; i < json_object_array_length(list); i++) {
        const struct json_object *item = json_object_array_get_idx(list, i);

        if (key != NULL && text_equal(json_get_text(item, DIRECTIVE), "delete"))
            continue;
        while (at < json_object_array_length(order) &&
               !merge_list_is_same(item, json_object_array_get_idx(order, at), key))
            at++;
        if (at++ >= json_object_array_length(order))
            return false;
    }
    return true;
}

static bool check_order(struct merging *m, const struct json_object *patch, const char *field,
                        const struct json_object *order)
{
    const struct list_rule *rule = find_rule(m, field);
    const struct json_object *list = json_get_array(patch, field);
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (rule == NULL || list == NULL || json_object_array_length(list) == 0 ||
        !json_is(order, json_type_array) || json_object_array_length(order) == 0 ||
        keeps_order(list, order, rule->key))
        return true;
    go_value_append(&shown, list);
    buffer_append_text(&shown, "\n doesn't match $setElementOrder list:\n");
    go_value_append(&shown, order);
    error_set(m->err, ERROR_INTERNAL, "The order in patch list:\n%s\n", buffer_text(&shown));
    buffer_release(&shown);
    return false;
}

/* live is the list as it was before the patch, NULL when there was none. */
static bool order_list(struct merging *m, struct json_object *target, const char *field,
                       const struct json_object *order, const struct json_object *live)
{
    const struct list_rule *rule = find_rule(m, field);
    struct json_object *list = json_get_array(target, field);

    if (!json_is(order, json_type_array))
        return error_set(m->err, ERROR_MALFORMED, "invalid patch format of setElementOrder list");
    if (rule == NULL || list == NULL)
        return true;
    if (!check_length(m, order) || !check_length(m, list))
        return false;
    json_set(target, field, merge_list_ordered(list, rule->key, order, live));
    return true;
}

/* --- objects --- */

static bool merge_member(struct merging *m, struct json_object *target, const char *key,
                         const struct json_object *value)
{
    const struct list_rule *rule;
    struct json_object *merged = NULL;
    bool ok;

    if (value == NULL) {
        json_object_object_del(target, key);
        return true;
    }
    if (json_is(value, json_type_object)) {
        struct json_object *before = json_get_object(target, key);

        ok = merge_object(m, before == NULL ? NULL : json_object_get(before), value, &merged);
        if (ok)
            json_set(target, key, merged);
        else
            json_object_put(merged);
        return ok;
    }
    rule = json_is(value, json_type_array) ? find_rule(m, key) : NULL;
    if (rule != NULL)
        return merge_list(m, target, key, rule, value);
    json_set(target, key, json_copy(value));
    return true;
}

/* Members first, then what is said about lists beside them. */
static bool merge_members(struct merging *m, struct json_object *target,
                          const struct json_object *patch)
{
    struct json_object *live = json_copy(target);
    bool ok = true;

    for (int pass = 0; ok && pass < 2; pass++) {
        json_object_object_foreach((struct json_object *)(uintptr_t)patch, key, value)
        {
            if (!ok)
                break;
            if (pass == 0 && text_starts_with(key, DELETE_PRIMITIVES))
                ok = delete_primitives(m, target, key + strlen(DELETE_PRIMITIVES), value);
            else if (pass == 0 && text_starts_with(key, ELEMENT_ORDER))
                ok = check_order(m, patch, key + strlen(ELEMENT_ORDER), value);
            else if (pass == 0 && key[0] != '$')
                ok = merge_member(m, target, key, value);
            else if (pass == 1 && text_starts_with(key, ELEMENT_ORDER))
                ok = order_list(m, target, key + strlen(ELEMENT_ORDER), value,
                                json_get_array(live, key + strlen(ELEMENT_ORDER)));
        }
    }
    json_object_put(live);
    return ok;
}

static bool merge_object(struct merging *m, struct json_object *target,
                         const struct json_object *patch, struct json_object **ret_result)
{
    const char *directive = json_get_text(patch, DIRECTIVE);

    *ret_result = target == NULL ? json_object_new_object() : target;
    if (text_equal(directive, "replace") || text_equal(directive, "delete")) {
        json_object_put(*ret_result);
        *ret_result = directive[0] == 'r' ? without_directive(patch) : json_object_new_object();
        return true;
    }
    if (directive != NULL && strcmp(directive, "merge") != 0)
        return unknown_directive(m, directive, patch);
    return retain_keys(m, *ret_result, patch) && check_retained(m, patch) &&
           merge_members(m, *ret_result, patch);
}

bool patch_apply_strategic(const struct json_object *document, const struct json_object *patch,
                           const char *kind, struct json_object **ret_result, struct error *err)
{
    struct merging m = {kind, err};
    struct json_object *result = NULL;
    bool is_object = json_is(document, json_type_object);

    if (!json_is(patch, json_type_object))
        return error_set(err, ERROR_MALFORMED, "Invalid JSON Patch");
    if (!merge_object(&m, is_object ? json_copy(document) : NULL, patch, &result)) {
        json_object_put(result);
        return false;
    }
    *ret_result = result;
    return true;
}
