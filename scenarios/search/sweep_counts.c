/* sweep_counts - see sweep_counts.h. */
#include "scenarios/search/sweep_counts.h"

#include <inttypes.h>

#include "controller/base/text.h"

size_t fault_kind_index(const struct fault_kind *kind)
{
    return (size_t)(kind - fault_kind_at(0));
}

void sweep_counts_place(struct sweep_counts *counts, const struct site *site, bool tried)
{
    const struct fault_kind *kinds[POINTS_KINDS_MAX];
    size_t count = points_at(site, kinds);

    counts->calls += site->stage == SITE_SENT; /* of its moments the one that every call has */
    counts->timers += site->stage == SITE_TIMER;
    counts->events += site->stage == SITE_EVENT;
    for (size_t i = 0; i < count; i++) {
        counts->possible[fault_kind_index(kinds[i])]++;
        counts->folded[fault_kind_index(kinds[i])] += !tried;
    }
}

void sweep_counts_add(struct sweep_counts *counts, const struct sweep_counts *more)
{
    counts->scenarios += more->scenarios;
    counts->calls += more->calls;
    counts->timers += more->timers;
    counts->events += more->events;
    for (size_t i = 0; i < POINTS_KINDS_MAX; i++) {
        counts->possible[i] += more->possible[i];
        counts->folded[i] += more->folded[i];
        counts->tried[i] += more->tried[i];
        counts->failed[i] += more->failed[i];
    }
}

uint64_t sweep_counts_sum(const uint64_t by_kind[POINTS_KINDS_MAX])
{
    uint64_t sum = 0;

    for (size_t i = 0; i < POINTS_KINDS_MAX; i++)
        sum += by_kind[i];
    return sum;
}

static void append_row(struct buffer *text, const char *name, uint64_t possible, uint64_t tried,
                       uint64_t folded, uint64_t failed)
{
    buffer_append_format(text, "%-20s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n",
                         name, possible, tried, folded, failed);
}

void sweep_counts_append(const struct sweep_counts *counts, struct buffer *text)
{
    buffer_append_format(text, "%-20s %10s %10s %10s %10s\n", "kind of fault", "possible", "tried",
                         "folded", "failed");
    for (size_t i = 0; i < fault_kind_count(); i++) {
        if (counts->possible[i] > 0)
            append_row(text, fault_kind_at(i)->name, counts->possible[i], counts->tried[i],
                       counts->folded[i], counts->failed[i]);
    }
    append_row(text, "all", sweep_counts_sum(counts->possible), sweep_counts_sum(counts->tried),
               sweep_counts_sum(counts->folded), sweep_counts_sum(counts->failed));
    buffer_append_format(text,
                         "places: %" PRIu64 " call%s, %" PRIu64 " timer%s and %" PRIu64
                         " event%s of watches in %" PRIu64 " scenario%s\n",
                         counts->calls, text_plural(counts->calls), counts->timers,
                         text_plural(counts->timers), counts->events, text_plural(counts->events),
                         counts->scenarios, text_plural(counts->scenarios));
}
