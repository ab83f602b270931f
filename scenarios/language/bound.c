/* bound - see bound.h. */
#include "scenarios/language/bound.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

void bound_start(struct bound *bound, const struct scenario *scenario)
{
    size_t count = scenario->name_count;

    *bound = (struct bound){.scenario = scenario, .name_count = count};
    bound->names = xcalloc(count + 1, sizeof(*bound->names));
    if (count > 0)
        memcpy(bound->names, scenario->names, count * sizeof(*bound->names));
}

void bound_release(struct bound *bound)
{
    free(bound->names);
    arena_release(&bound->arena);
}

/* --- finding --- */

/** The item that "[0]..." at *field means, which goes on behind it. */
static struct json_object *item_of(struct json_object *list, const char **field)
{
    size_t digits = strspn(*field + 1, "0123456789");
    char *text = xmemdup(*field + 1, digits);
    int64_t index = -1;
    bool ok = (*field)[1 + digits] == ']' && text_to_int64(text, &index);

    free(text);
    *field += ok ? digits + 2 : strlen(*field);
    return ok && json_is(list, json_type_array) ? json_object_array_get_idx(list, (size_t)index)
                                                : NULL;
}

/** Follows "status.conditions[0].type". NULL where there is nothing. */
static struct json_object *walk(struct json_object *value, const char *field)
{
    while (*field != '\0' && value != NULL) {
        size_t size = strcspn(field, ".[");
        char *key = xmemdup(field, size);

        value = json_get(value, key);
        free(key);
        field += size;
        while (*field == '[')
            value = item_of(value, &field);
        field += *field == '.';
    }
    return value;
}

static bool value_from(struct bound *bound, struct json_object *from,
                       struct expression_value *ret_value)
{
    if (json_is(from, json_type_int))
        *ret_value =
            (struct expression_value){EXPRESSION_NUMBER, json_object_get_int64(from), NULL};
    else if (json_is(from, json_type_boolean))
        *ret_value =
            (struct expression_value){EXPRESSION_FLAG, json_object_get_boolean(from), NULL};
    else if (json_text(from) != NULL)
        *ret_value = (struct expression_value){EXPRESSION_TEXT, 0,
                                               arena_text(&bound->arena, json_text(from))};
    else
        return false;
    return true;
}

bool bound_take(struct bound *bound, const struct binding *binding, struct json_object *object,
                struct error *err)
{
    struct expression_value value = binding->value;

    if (binding->field != NULL && !value_from(bound, walk(object, binding->field), &value))
        return error_set(err, ERROR_NOT_FOUND, "no number, text or flag at '%s'", binding->field);
    for (size_t i = 0; i < bound->name_count; i++) {
        struct expression_name *name = &bound->names[i];

        if (strcmp(name->name, binding->name) != 0)
            continue;
        name->value = value;
        name->later = false;
        break;
    }
    return true;
}

bool bound_take_answer(struct bound *bound, const struct step *step, const struct answer *answer,
                       const char **ret_name, struct error *err)
{
    const struct wanted_answer *wanted = &step->answer;
    struct json_object *body = wanted->binding_count == 0 ? NULL : answer_body(answer);
    bool ok = true;

    for (size_t i = 0; i < wanted->binding_count && ok; i++) {
        *ret_name = wanted->bindings[i].name;
        ok = bound_take(bound, &wanted->bindings[i], body, err);
    }
    (void)json_object_put(body);
    return ok;
}

/* --- filling in --- */

const struct step *bound_fill(struct bound *bound, const struct step *step,
                              struct problems *problems)
{
    const struct expression_names names = {bound->names, bound->name_count, false};
    const struct step *filled;

    if (step->node == NULL)
        return step;
    filled = scenario_fill_step(step, &names, &bound->arena, problems);
    return filled == NULL || filled->node != NULL ? NULL : filled;
}

const struct claims *bound_fill_expect(struct bound *bound, struct problems *problems)
{
    const struct expression_names names = {bound->names, bound->name_count, false};
    struct claims *filled;

    if (bound->scenario->expect_node == NULL)
        return &bound->scenario->expect;
    filled = arena_alloc(&bound->arena, sizeof(*filled));
    return scenario_fill_expect(bound->scenario, &names, &bound->arena, problems, filled) ? filled
                                                                                          : NULL;
}
