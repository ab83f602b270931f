/* seeds - see seeds.h. */
#include "scenarios/report/seeds.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

static void add_kills(struct seeds *seeds, const char *lines)
{
    while (*lines != '\0') {
        size_t size = strcspn(lines, "\n");

        seeds->kills = xrealloc(seeds->kills, (seeds->kill_count + 1) * sizeof(char *));
        seeds->kills[seeds->kill_count++] = xmemdup(lines, size);
        lines += size;
        if (*lines == '\n')
            lines++;
    }
}

void seeds_add(struct seeds *seeds, const struct result *result)
{
    if (result->kind == RESULT_FAILED)
        seeds->failed++;
    else
        seeds->passed++;
    seeds->virtual_us += result->virtual_us;
    seeds->real_us += result->real_us;
    add_kills(seeds, text_or(result->kills, ""));
}

/* Equal texts in a row of the sorted kills. */
struct moment {
    const char *text;
    size_t count;
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** The most frequent first. */
static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a;
    const struct moment *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->text, y->text);
}

static size_t group(struct seeds *seeds, struct moment *moments)
{
    size_t count = 0;

    qsort(seeds->kills, seeds->kill_count, sizeof(*seeds->kills), compare_texts);
    for (size_t i = 0; i < seeds->kill_count; i++) {
        if (count == 0 || strcmp(moments[count - 1].text, seeds->kills[i]) != 0)
            moments[count++] = (struct moment){.text = seeds->kills[i]};
        moments[count - 1].count++;
    }
    qsort(moments, count, sizeof(*moments), compare_moments);
    return count;
}

static void append_kills(struct seeds *seeds, struct buffer *buffer)
{
    struct moment *moments = xcalloc(seeds->kill_count, sizeof(*moments));
    size_t count = group(seeds, moments);

    buffer_append_format(buffer, "  %zu kill%s, right after\n", seeds->kill_count,
                         text_plural(seeds->kill_count));
    for (size_t i = 0; i < count && i < SEEDS_MOMENTS_NAMED_MAX; i++)
        buffer_append_format(buffer, "    %5zu  %s\n", moments[i].count, moments[i].text);
    if (count > SEEDS_MOMENTS_NAMED_MAX)
        buffer_append_format(buffer, "    and %zu other thing%s\n", count - SEEDS_MOMENTS_NAMED_MAX,
                             text_plural(count - SEEDS_MOMENTS_NAMED_MAX));
    free(moments);
}

void seeds_append(struct seeds *seeds, const char *name, struct buffer *buffer)
{
    char virtual_text[TIME_TEXT_SIZE];

    duration_format(seeds->virtual_us / US_PER_SECOND * US_PER_SECOND, virtual_text);
    buffer_append_format(buffer, "%-7s %-40s %5zu seed%s", seeds->failed > 0 ? "FAILED" : "ok",
                         name, seeds->passed + seeds->failed,
                         text_plural(seeds->passed + seeds->failed));
    if (seeds->failed > 0)
        buffer_append_format(buffer, ", %zu FAILED", seeds->failed);
    buffer_append_format(buffer, " %11s %9.1f ms\n", virtual_text, (double)seeds->real_us / 1000);
    if (seeds->kill_count > 0)
        append_kills(seeds, buffer);
}

void seeds_release(struct seeds *seeds)
{
    for (size_t i = 0; i < seeds->kill_count; i++)
        free(seeds->kills[i]);
    free(seeds->kills);
    *seeds = (struct seeds){0};
}
