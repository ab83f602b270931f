/* index_set - sorted intervals of indexes. */
#include "fakeapi/rest/index_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

void index_set_release(struct index_set *set)
{
    free(set->intervals);
    *set = (struct index_set){0};
}

/* The first interval that ends at index or behind it. */
static size_t find(const struct index_set *set, int64_t index)
{
    size_t low = 0;
    size_t high = set->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (set->intervals[middle].last < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool index_set_has(const struct index_set *set, int64_t index)
{
    size_t at = find(set, index);

    return at < set->count && set->intervals[at].first <= index;
}

static void insert(struct index_set *set, size_t at, struct index_interval interval)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 4 : 2 * set->capacity;
        set->intervals = xrealloc(set->intervals, set->capacity * sizeof(*set->intervals));
    }
    memmove(&set->intervals[at + 1], &set->intervals[at],
            (set->count - at) * sizeof(*set->intervals));
    set->intervals[at] = interval;
    set->count++;
}

/* Takes out the intervals from first to end. */
static void cut(struct index_set *set, size_t first, size_t end)
{
    if (first == end)
        return;
    memmove(&set->intervals[first], &set->intervals[end],
            (set->count - end) * sizeof(*set->intervals));
    set->count -= end - first;
}

/* All intervals that touch the new one become one with it. */
static void add_interval(struct index_set *set, struct index_interval added)
{
    size_t first = find(set, added.first - 1);
    size_t end = first;

    while (end < set->count && set->intervals[end].first <= added.last + 1) {
        if (set->intervals[end].first < added.first)
            added.first = set->intervals[end].first;
        if (set->intervals[end].last > added.last)
            added.last = set->intervals[end].last;
        end++;
    }
    cut(set, first, end);
    insert(set, first, added);
}

void index_set_add(struct index_set *set, int64_t index)
{
    add_interval(set, (struct index_interval){index, index});
}

void index_set_merge(struct index_set *set, const struct index_set *from)
{
    for (size_t i = 0; i < from->count; i++)
        add_interval(set, from->intervals[i]);
}

int64_t index_set_total(const struct index_set *set)
{
    int64_t total = 0;

    for (size_t i = 0; i < set->count; i++)
        total += set->intervals[i].last - set->intervals[i].first + 1;
    return total;
}

/* How many indexes both have; *ret_first is the lowest, -1 for none. */
static int64_t intersect(const struct index_set *a, const struct index_set *b, int64_t *ret_first)
{
    int64_t total = 0;
    size_t i = 0;
    size_t k = 0;

    *ret_first = -1;
    while (i < a->count && k < b->count) {
        const struct index_interval *left = &a->intervals[i];
        const struct index_interval *right = &b->intervals[k];
        int64_t first = left->first > right->first ? left->first : right->first;
        int64_t last = left->last < right->last ? left->last : right->last;

        if (first <= last && total == 0)
            *ret_first = first;
        if (first <= last)
            total += last - first + 1;
        if (left->last < right->last)
            i++;
        else
            k++;
    }
    return total;
}

int64_t index_set_common(const struct index_set *a, const struct index_set *b)
{
    int64_t first;

    return intersect(a, b, &first);
}

int64_t index_set_first_common(const struct index_set *a, const struct index_set *b)
{
    int64_t first;

    (void)intersect(a, b, &first);
    return first;
}

int64_t index_set_first_missing(const struct index_set *set, int64_t from)
{
    size_t at = find(set, from);

    /* Intervals do not touch: what follows one is missing. */
    return at < set->count && set->intervals[at].first <= from ? set->intervals[at].last + 1 : from;
}

void index_set_append(struct buffer *buffer, const struct index_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct index_interval *interval = &set->intervals[i];

        buffer_append_format(buffer, "%s%" PRId64, i == 0 ? "" : ",", interval->first);
        if (interval->last > interval->first)
            buffer_append_format(buffer, "%c%" PRId64,
                                 interval->last == interval->first + 1 ? ',' : '-', interval->last);
    }
}

/* --- parsing --- */

/* One end of an interval. */
static bool parse_limit(const char *text, int64_t completions, int64_t *ret_index,
                        struct error *err)
{
    int64_t index;

    if (!text_to_int64(text, &index) || index < 0)
        return error_set(err, ERROR_INVALID, "cannot convert string to integer for index: \"%s\"",
                         text);
    if (index >= completions)
        return error_set(err, ERROR_INVALID, "too large index: \"%s\"", text);
    *ret_index = index;
    return true;
}

/* "3" or "0-2"; the text is parted in place. */
static bool parse_interval(char *text, int64_t completions, struct index_interval *ret_interval,
                           struct error *err)
{
    char *dash = strchr(text, '-');

    if (dash != NULL && strchr(dash + 1, '-') != NULL)
        return error_set(err, ERROR_INVALID,
                         "the fragment \"%s\" violates the requirement that an index interval can "
                         "have at most two parts separated by '-'",
                         text);
    if (dash != NULL)
        *dash = '\0';
    if (!parse_limit(text, completions, &ret_interval->first, err))
        return false;
    ret_interval->last = ret_interval->first;
    if (dash == NULL)
        return true;
    if (!parse_limit(dash + 1, completions, &ret_interval->last, err))
        return false;
    if (ret_interval->first >= ret_interval->last)
        return error_set(err, ERROR_INVALID,
                         "non-increasing order, previous: %" PRId64 ", current: %" PRId64,
                         ret_interval->first, ret_interval->last);
    return true;
}

static bool parse_into(char *text, int64_t completions, struct index_set *set, struct error *err)
{
    int64_t before = -1;

    for (char *next = text; next != NULL;) {
        char *comma = strchr(next, ',');
        struct index_interval interval;

        if (comma != NULL)
            *comma = '\0';
        if (!parse_interval(next, completions, &interval, err))
            return false;
        if (interval.first <= before)
            return error_set(err, ERROR_INVALID,
                             "non-increasing order, previous: %" PRId64 ", current: %" PRId64,
                             before, interval.first);
        before = interval.last;
        add_interval(set, interval);
        next = comma == NULL ? NULL : comma + 1;
    }
    return true;
}

bool index_set_parse(const char *text, int64_t completions, struct index_set *ret_set,
                     struct error *err)
{
    struct index_set set = {0};
    char *copy;
    bool ok;

    if (text[0] == '\0') {
        *ret_set = set;
        return true;
    }
    copy = xstrdup(text);
    ok = parse_into(copy, completions, &set, err);
    free(copy);
    if (ok)
        *ret_set = set;
    else
        index_set_release(&set);
    return ok;
}
