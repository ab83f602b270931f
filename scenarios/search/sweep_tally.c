/* sweep_tally - see sweep_tally.h. */
#include "scenarios/search/sweep_tally.h"

#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static struct sweep_tally_row *row_of(struct sweep_tally *tally, const char *scenario,
                                      const char *failure)
{
    /* scenarios come one after the other */
    for (size_t i = tally->count; i > 0 && text_equal(tally->rows[i - 1].scenario, scenario); i--) {
        if (text_equal(tally->rows[i - 1].failure, failure))
            return &tally->rows[i - 1];
    }
    tally->rows = xrealloc(tally->rows, (tally->count + 1) * sizeof(*tally->rows));
    tally->rows[tally->count] =
        (struct sweep_tally_row){.scenario = xstrdup(scenario), .failure = xstrdup(failure)};
    return &tally->rows[tally->count++];
}

uint64_t sweep_tally_add(struct sweep_tally *tally, const char *scenario, const char *failure,
                         size_t kind)
{
    struct sweep_tally_row *row = row_of(tally, scenario, failure);

    row->by_kind[kind]++;
    return ++row->count;
}

static void append_kinds(const struct sweep_tally_row *row, struct buffer *text)
{
    const char *between = "          ";

    for (size_t i = 0; i < fault_kind_count(); i++) {
        if (row->by_kind[i] == 0)
            continue;
        buffer_append_format(text, "%s%s %" PRIu64, between, fault_kind_at(i)->name,
                             row->by_kind[i]);
        between = ", ";
    }
    buffer_append_char(text, '\n');
}

void sweep_tally_append(const struct sweep_tally *tally, struct buffer *text)
{
    if (tally->count > 0)
        buffer_append_text(text, "failed points by scenario and claim:\n");
    for (size_t i = 0; i < tally->count; i++) {
        buffer_append_format(text, "%8" PRIu64 "  %s: %s\n", tally->rows[i].count,
                             tally->rows[i].scenario, tally->rows[i].failure);
        append_kinds(&tally->rows[i], text);
    }
}

void sweep_tally_release(struct sweep_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        free(tally->rows[i].scenario);
        free(tally->rows[i].failure);
    }
    free(tally->rows);
    *tally = (struct sweep_tally){0};
}
