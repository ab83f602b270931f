/* invariants - the list, and showing each of them what happens; see invariants.h. */
#include "scenarios/invariants/invariants.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/invariants/rows.h"

#define VIOLATION_BYTES_MAX 4096

static const struct invariant *const rows[] = {
    &invariant_one_job,  &invariant_phase,        &invariant_exit_code,  &invariant_same_uid,
    &invariant_capacity, &invariant_precondition, &invariant_one_leader, &invariant_fence,
    &invariant_history,  &invariant_finalizers,   &invariant_storm,      &invariant_quiet,
    &invariant_secrets,  &invariant_chatter,      &invariant_numbers,    &invariant_live,
};

struct invariants {
    struct model model;
    struct violation violation;
    const struct invariant *rows[ARRAY_SIZE(rows)];
    struct judge judges[ARRAY_SIZE(rows)];
    size_t count;
};

size_t invariant_count(void)
{
    return ARRAY_SIZE(rows);
}

const struct invariant *invariant_at(size_t index)
{
    return rows[index];
}

const struct invariant *invariant_find(const char *id)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strcmp(rows[i]->id, id) == 0)
            return rows[i];
    }
    return NULL;
}

void judge_violation(struct judge *judge, int64_t at_us, const char *format, ...)
{
    struct buffer text = BUFFER_INIT(VIOLATION_BYTES_MAX);
    va_list values;

    if (judge->violation->id != NULL)
        return;
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    *judge->violation = (struct violation){judge->id, at_us, xstrdup(buffer_text(&text))};
    buffer_release(&text);
}

static void add_row(struct invariants *invariants, const struct invariant *row)
{
    struct judge *judge = &invariants->judges[invariants->count];

    invariants->rows[invariants->count++] = row;
    judge->model = &invariants->model;
    judge->id = row->id;
    judge->violation = &invariants->violation;
    judge->state = row->create == NULL ? NULL : row->create();
}

struct invariants *invariants_new(void)
{
    struct invariants *invariants = xcalloc(1, sizeof(*invariants));

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        add_row(invariants, rows[i]);
    return invariants;
}

struct invariants *invariants_new_one(const char *id)
{
    struct invariants *invariants = xcalloc(1, sizeof(*invariants));

    add_row(invariants, invariant_find(id));
    return invariants;
}

void invariants_free(struct invariants *invariants)
{
    if (invariants == NULL)
        return;
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->destroy != NULL)
            invariants->rows[i]->destroy(invariants->judges[i].state);
    }
    model_release(&invariants->model);
    free(invariants->violation.text);
    free(invariants);
}

void invariants_secret(struct invariants *invariants, const char *text)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_secret != NULL)
            invariants->rows[i]->on_secret(&invariants->judges[i], text);
    }
}

void invariants_change(struct invariants *invariants, const struct change *change)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_change != NULL)
            invariants->rows[i]->on_change(&invariants->judges[i], change);
    }
    model_apply(&invariants->model, change);
}

void invariants_call(struct invariants *invariants, const struct call *call)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_call != NULL)
            invariants->rows[i]->on_call(&invariants->judges[i], call);
    }
}

void invariants_log(struct invariants *invariants, int64_t at_us, const char *process,
                    enum log_level level, const char *line)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_log != NULL)
            invariants->rows[i]->on_log(&invariants->judges[i], at_us, process, level, line);
    }
}

void invariants_process(struct invariants *invariants, int64_t at_us, const char *process,
                        enum process_change change)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_process != NULL)
            invariants->rows[i]->on_process(&invariants->judges[i], at_us, process, change);
    }
}

void invariants_rest(struct invariants *invariants, int64_t at_us)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_rest != NULL)
            invariants->rows[i]->on_rest(&invariants->judges[i], at_us);
    }
}

void invariants_end(struct invariants *invariants, int64_t at_us)
{
    for (size_t i = 0; i < invariants->count; i++) {
        if (invariants->rows[i]->on_end != NULL)
            invariants->rows[i]->on_end(&invariants->judges[i], at_us);
    }
}

void invariants_set_back(struct invariants *invariants)
{
    for (size_t i = 0; i < invariants->count; i++) {
        const struct invariant *row = invariants->rows[i];

        if (row->on_set_back != NULL)
            row->on_set_back(invariants->judges[i].state);
        if (!row->of_store)
            continue;
        row->destroy(invariants->judges[i].state);
        invariants->judges[i].state = row->create();
    }
    model_release(&invariants->model);
    invariants->model = (struct model){0};
}

size_t invariants_unfinished(const struct invariants *invariants)
{
    return model_unfinished(&invariants->model);
}

const struct violation *invariants_violation(const struct invariants *invariants)
{
    return invariants->violation.id == NULL ? NULL : &invariants->violation;
}
