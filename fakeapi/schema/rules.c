/* rules - x-kubernetes-validations at work: every rule of a schema on the value it stands at. */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "fakeapi/schema/node.h"
#include "fakeapi/schema/path.h"

struct running {
    struct field_errors *errors;
    struct field_errors *warnings; /* what fails where nothing changed (R18); or NULL */
    struct path path;
    uint64_t steps; /* left for all rules together */
};

static void run(struct running *running, const struct schema *schema,
                const struct json_object *value, const struct json_object *old, bool unchanged);

/* What a failed rule says; free() it. */
static char *message_of(struct running *running, const struct schema_rule *rule,
                        const struct json_object *value, const struct json_object *old)
{
    struct json_object *text = NULL;
    struct error err = ERROR_INIT;
    char *message;

    if (rule->message_from != NULL &&
        cel_evaluate(rule->message_from, value, old, &running->steps, &text, &err) &&
        json_text(text) != NULL)
        message = xstrdup(json_text(text));
    else if (rule->message != NULL)
        message = xstrdup(rule->message);
    else
        message = xprintf("failed rule: %s", rule->text);
    json_object_put(text);
    return message;
}

static void say_failed(struct running *running, const struct schema *schema,
                       const struct schema_rule *rule, const char *message,
                       struct field_errors *errors)
{
    const char *type = schema_type_name(schema->type);
    size_t here = running->path.size;
    const char *path;

    if (rule->field_path[0] != '\0')
        path_member(&running->path, rule->field_path + 1);
    path = running->path.size == 0 ? "<nil>" : running->path.text;
    if (rule->reason == FIELD_REQUIRED)
        field_errors_add(errors, rule->reason, path, "Required value: %s", message);
    else if (rule->reason == FIELD_FORBIDDEN)
        field_errors_add(errors, rule->reason, path, "Forbidden: %s", message);
    else if (rule->reason == FIELD_DUPLICATE)
        field_errors_add(errors, rule->reason, path, "Duplicate value: \"%s\"", type);
    else
        field_errors_add(errors, FIELD_INVALID, path, "Invalid value: \"%s\": %s", type, message);
    path_back(&running->path, here);
}

static void run_rule(struct running *running, const struct schema *schema,
                     const struct schema_rule *rule, const struct json_object *value,
                     const struct json_object *old, bool unchanged)
{
    bool old_news = unchanged && !cel_uses_old_self(rule->program);
    struct field_errors *errors = old_news ? running->warnings : running->errors;
    struct json_object *holds = NULL;
    struct error err = ERROR_INIT;
    char *message;

    if (old == NULL && cel_uses_old_self(rule->program))
        return;
    if (!cel_evaluate(rule->program, value, old, &running->steps, &holds, &err)) {
        message = xprintf("%s evaluating rule: %s", err.text,
                          rule->message != NULL ? rule->message : rule->text);
        say_failed(running, schema, rule, message, running->errors);
        free(message);
        return;
    }
    if (!json_object_get_boolean(holds) && errors != NULL) {
        message = message_of(running, rule, value, old);
        say_failed(running, schema, rule, message, errors);
        free(message);
    }
    json_object_put(holds);
}

static void run_in_object(struct running *running, const struct schema *schema,
                          const struct json_object *object, const struct json_object *old,
                          bool unchanged)
{
    struct json_object_iterator at =
        json_object_iter_begin((struct json_object *)(uintptr_t)object);
    struct json_object_iterator end = json_object_iter_end(object);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        const struct schema *member = schema_member(schema, key);
        size_t here;

        if (member == NULL)
            continue;
        here = path_member(&running->path, key);
        run(running, member, json_object_iter_peek_value(&at), json_get(old, key), unchanged);
        path_back(&running->path, here);
    }
}

static void run_in_array(struct running *running, const struct schema *schema,
                         const struct json_object *array, const struct json_object *old,
                         bool unchanged)
{
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);
        size_t here = path_index(&running->path, i);

        run(running, schema->items, item, schema_old_item(schema, item, old), unchanged);
        path_back(&running->path, here);
    }
}

/* unchanged: what it is in is equal to what it was. */
static void run(struct running *running, const struct schema *schema,
                const struct json_object *value, const struct json_object *old, bool unchanged)
{
    if (!schema->rules_within || value == NULL)
        return;
    unchanged = unchanged || (old != NULL && json_equal(old, value));
    for (size_t i = 0; i < schema->rule_count; i++)
        run_rule(running, schema, &schema->rules[i], value, old, unchanged);
    if (json_is(value, json_type_object))
        run_in_object(running, schema, value, old, unchanged);
    else if (json_is(value, json_type_array) && schema->items != NULL)
        run_in_array(running, schema, value, old, unchanged);
}

void schema_run_rules(const struct schema *schema, const char *path,
                      const struct json_object *value, const struct json_object *old,
                      struct field_errors *errors, struct field_errors *warnings)
{
    struct running running = {.errors = errors, .warnings = warnings, .steps = CEL_STEPS_MAX};

    path_init(&running.path, path);
    run(&running, schema, value, old, false);
}
