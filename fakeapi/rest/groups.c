/* groups - sorting the table of kinds for discovery and OpenAPI. */
#include "fakeapi/rest/groups.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* The place of a built-in group; those of CRDs come after, by name. */
static size_t group_rank(const char *group)
{
    static const char *const known[] = {"",
                                        "apps",
                                        "authentication.k8s.io",
                                        "authorization.k8s.io",
                                        "batch",
                                        "networking.k8s.io",
                                        "rbac.authorization.k8s.io",
                                        "apiextensions.k8s.io",
                                        "coordination.k8s.io"};
    size_t i = 0;

    while (i < ARRAY_SIZE(known) && strcmp(known[i], group) != 0)
        i++;
    return i;
}

static int compare_entries(const void *a, const void *b)
{
    const struct group_entry *left = a;
    const struct group_entry *right = b;
    size_t left_rank = group_rank(left->kind->group);
    size_t right_rank = group_rank(right->kind->group);
    int order = (left_rank > right_rank) - (left_rank < right_rank);

    if (order == 0)
        order = strcmp(left->kind->group, right->kind->group);
    if (order == 0)
        order = kind_compare_versions(left->version->name, right->version->name);
    return order != 0 ? order : strcmp(left->kind->plural, right->kind->plural);
}

struct group_entry *groups_list(const struct kinds *kinds, size_t *ret_count)
{
    struct group_entry *entries = NULL;
    size_t count = 0;

    for (size_t i = 0; i < kinds_count(kinds); i++) {
        const struct kind *kind = kinds_at(kinds, i);

        for (size_t k = 0; k < kind->version_count; k++) {
            if (!kind->versions[k].served)
                continue;
            entries = xrealloc(entries, (count + 1) * sizeof(*entries));
            entries[count++] = (struct group_entry){kind, &kind->versions[k]};
        }
    }
    if (count > 0)
        qsort(entries, count, sizeof(*entries), compare_entries);
    *ret_count = count;
    return entries;
}

size_t groups_group_end(const struct group_entry *entries, size_t count, size_t index)
{
    const char *group = entries[index].kind->group;

    while (index < count && strcmp(entries[index].kind->group, group) == 0)
        index++;
    return index;
}

size_t groups_version_end(const struct group_entry *entries, size_t count, size_t index)
{
    size_t end = groups_group_end(entries, count, index);
    const char *version = entries[index].version->name;

    while (index < end && strcmp(entries[index].version->name, version) == 0)
        index++;
    return index;
}
