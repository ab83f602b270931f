/* owner_index - every object of the store by uid, and which others own it: kept up by its changes.
 *
 * It knows what it was told: between a write and store_deliver() it is behind the store. */
#ifndef FAKEAPI_CLUSTER_OWNER_INDEX_H
#define FAKEAPI_CLUSTER_OWNER_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "fakeapi/store/store.h"

struct owner_index;

/** An object that is known. All of it belongs to the index. */
struct owner_node {
    const char *uid;
    const char *namespace;
    const char *name;
    struct store_resource *resource;
    uint64_t number; /* of its coming: the order of all lists here */
};

/** An index of what is in the store now. */
struct owner_index *owner_index_new(const struct store *store) MUST_CHECK;
void owner_index_free(struct owner_index *index);

/** Takes in one change. */
void owner_index_note(struct owner_index *index, const struct store_event *event);

/** NULL when there is no object of that uid. */
const struct owner_node *owner_index_find(const struct owner_index *index, const char *uid);

/** The object behind a node as it is now; NULL when the store has it no more. Borrowed. */
const struct store_object *owner_node_object(const struct owner_node *node);

/** Those that name uid as an owner, in the order of their coming: *ret_count uids in an array. Each
 * text and the array are the caller's, as work on one may make others go; owner_uids_free(). */
char **owner_index_dependents(const struct owner_index *index, const char *uid,
                              size_t *ret_count) MUST_CHECK;
size_t owner_index_dependent_count(const struct owner_index *index, const char *uid);
void owner_uids_free(char **uids, size_t count);

/** All uids there are, in the order of their coming; owner_uids_free(). */
char **owner_index_all(const struct owner_index *index, size_t *ret_count) MUST_CHECK;

#endif
