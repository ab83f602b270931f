/* faults_json - a rule as it is read. */
#include "controller/base/time.h"
#include "fakeapi/faults/faults.h"

static void set_patterns(struct json_object *tree, const char *key,
                         const struct fault_patterns *patterns)
{
    struct json_object *list;

    if (patterns->count == 1)
        json_set_text(tree, key, patterns->items[0]);
    if (patterns->count < 2)
        return;
    list = json_object_new_array();
    for (size_t i = 0; i < patterns->count; i++)
        json_add(list, json_object_new_string(patterns->items[i]));
    json_set(tree, key, list);
}

static void set_duration(struct json_object *tree, const char *key, int64_t duration_us)
{
    char text[DURATION_TEXT_SIZE];

    if (duration_us == 0)
        return;
    duration_format(duration_us, text);
    json_set_text(tree, key, text);
}

static void set_number(struct json_object *tree, const char *key, uint64_t number)
{
    if (number != 0)
        json_set(tree, key, json_object_new_uint64(number));
}

static void set_text(struct json_object *tree, const char *key, const char *text)
{
    if (text != NULL)
        json_set_text(tree, key, text);
}

static struct json_object *match_to_json(const struct fault_rule *rule)
{
    struct json_object *tree = json_object_new_object();

    set_patterns(tree, "caller", &rule->caller);
    set_patterns(tree, "peer", &rule->peer);
    set_patterns(tree, "user", &rule->user);
    set_patterns(tree, "service_account", &rule->account);
    set_patterns(tree, "verb", &rule->verb);
    set_patterns(tree, "resource", &rule->resource);
    set_patterns(tree, "namespace", &rule->namespace);
    set_patterns(tree, "name", &rule->object);
    return tree;
}

static struct json_object *when_to_json(const struct fault_rule *rule)
{
    struct json_object *tree = json_object_new_object();

    set_number(tree, "nth", rule->nth);
    set_number(tree, "every", rule->every);
    if (rule->has_probability)
        json_set(tree, "probability", json_object_new_double(rule->probability));
    set_number(tree, "seed", rule->seed);
    set_duration(tree, "from", rule->from_us);
    set_duration(tree, "until", rule->until_us);
    set_number(tree, "count", rule->count);
    return tree;
}

static void set_status(struct json_object *tree, const struct fault_effect *effect)
{
    set_number(tree, fault_action_key(effect->action), effect->status);
    set_text(tree, "reason", effect->reason);
    set_text(tree, "message", effect->message);
    set_number(tree, "retry_after", (uint64_t)effect->retry_after_seconds);
}

static struct json_object *stale_to_json(const struct fault_effect *effect)
{
    struct json_object *stale = json_object_new_object();

    set_number(stale, "revision", effect->stale_revision);
    set_duration(stale, "age", effect->stale_age_us);
    return stale;
}

static void set_action(struct json_object *tree, const struct fault_effect *effect)
{
    const char *key = fault_action_key(effect->action);

    switch (effect->action) {
    case FAULT_STATUS:
    case FAULT_WATCH_ERROR:
    case FAULT_HTML:
        set_status(tree, effect);
        break;
    case FAULT_CUT:
        json_set(tree, key, json_object_new_uint64(effect->cut_at));
        break;
    case FAULT_TRUNCATE:
    case FAULT_WATCH_GAP:
    case FAULT_WATCH_LONG:
        json_set(tree, key, json_object_new_uint64(effect->amount));
        break;
    case FAULT_SLOW_BODY:
    case FAULT_WATCH_DELAY:
        set_duration(tree, key, effect->wait_us);
        break;
    case FAULT_CONTENT_TYPE:
        set_text(tree, key, effect->content_type);
        break;
    case FAULT_STALE:
        json_set(tree, key, stale_to_json(effect));
        break;
    case FAULT_REFUSE:
    case FAULT_SILENT:
    case FAULT_DROP_ANSWER:
    case FAULT_WATCH_CLOSE:
    case FAULT_WATCH_STALL:
    case FAULT_WATCH_SWALLOW:
    case FAULT_WATCH_REPEAT:
    case FAULT_WATCH_GARBAGE:
    case FAULT_WATCH_HALF:
    case FAULT_WATCH_NO_MARK:
        json_set_bool(tree, key, true);
        break;
    case FAULT_NONE:
    case FAULT_DELAY:
    case FAULT_COMPACT:
    case FAULT_ACTION_COUNT:
        break; /* said below */
    }
    set_duration(tree, "delay", effect->delay_us);
    if (effect->compact)
        json_set_bool(tree, "compact", true);
}

/* An empty mapping says nothing. Takes it over. */
static void set_mapping(struct json_object *tree, const char *key, struct json_object *mapping)
{
    if (json_object_object_length(mapping) > 0)
        json_set(tree, key, mapping);
    else
        json_object_put(mapping);
}

struct json_object *fault_rule_to_json(const struct fault_rule *rule)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *deed = json_object_new_object();

    set_text(tree, "name", rule->name);
    set_mapping(tree, "match", match_to_json(rule));
    set_mapping(tree, "when", when_to_json(rule));
    set_action(deed, &rule->effect);
    json_set(tree, "do", deed);
    return tree;
}
