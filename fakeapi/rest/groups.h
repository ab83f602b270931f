/* groups - the table of kinds seen from outside: groups, their versions, the kinds in each. */
#ifndef FAKEAPI_REST_GROUPS_H
#define FAKEAPI_REST_GROUPS_H

#include <stddef.h>

#include "fakeapi/rest/kinds.h"

/** A kind in one of its versions. Borrowed from the table. */
struct group_entry {
    const struct kind *kind;
    const struct kind_version *version;
};

/** All served kinds in their versions: groups in discovery order (core first), within a group the
 * preferred version first, within a version by plural name. free() the array. */
struct group_entry *groups_list(const struct kinds *kinds, size_t *ret_count);

/** The end of the run that begins at index and is of one group; of one group and version. */
size_t groups_group_end(const struct group_entry *entries, size_t count, size_t index);
size_t groups_version_end(const struct group_entry *entries, size_t count, size_t index);

#endif
