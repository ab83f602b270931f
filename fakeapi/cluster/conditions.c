/* conditions - status.conditions and times in trees of objects. */
#include "fakeapi/cluster/conditions.h"

#include <json-c/json.h>

#include "controller/base/text.h"
#include "controller/base/time.h"

static struct json_object *find_condition(const struct json_object *conditions, const char *type)
{
    size_t count = json_is(conditions, json_type_array) ? json_object_array_length(conditions) : 0;

    for (size_t i = 0; i < count; i++) {
        struct json_object *condition = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(condition, "type"), type))
            return condition;
    }
    return NULL;
}

struct json_object *cluster_condition(const struct json_object *tree, const char *type)
{
    return find_condition(json_walk(tree, "status", "conditions", NULL), type);
}

bool cluster_condition_holds(const struct json_object *tree, const char *type)
{
    return text_equal(json_get_text(cluster_condition(tree, type), "status"), "True");
}

static void set_or_drop(struct json_object *object, const char *key, const char *value)
{
    if (value == NULL)
        json_object_object_del(object, key);
    else
        json_set_text(object, key, value);
}

void cluster_set_condition(struct json_object *tree, const char *type, const char *status,
                           const char *reason, const char *message, bool probed, int64_t now_us)
{
    struct json_object *parent = json_ensure_object(tree, "status");
    struct json_object *conditions = json_get_array(parent, "conditions");
    struct json_object *condition = find_condition(conditions, type);
    bool changes;

    if (conditions == NULL) {
        conditions = json_object_new_array();
        json_set(parent, "conditions", conditions);
    }
    if (condition == NULL) {
        condition = json_object_new_object();
        json_set_text(condition, "type", type);
        json_add(conditions, condition);
    }
    changes = !text_equal(json_get_text(condition, "status"), status);
    json_set_text(condition, "status", status);
    if (probed && changes)
        cluster_set_time(condition, "lastProbeTime", now_us);
    if (changes)
        cluster_set_time(condition, "lastTransitionTime", now_us);
    set_or_drop(condition, "reason", reason);
    set_or_drop(condition, "message", message);
}

void cluster_set_time(struct json_object *object, const char *key, int64_t at_us)
{
    char text[TIME_TEXT_SIZE];

    time_format(at_us, text);
    json_set_text(object, key, text);
}

int64_t cluster_get_time(const struct json_object *object, const char *key)
{
    const char *text = json_get_text(object, key);
    int64_t at_us;

    return text != NULL && time_parse(text, &at_us) ? at_us : 0;
}
