/* kinds - what the language knows of Kubernetes' kinds, so that files need not say it. */
#ifndef SCENARIOS_LANGUAGE_KINDS_H
#define SCENARIOS_LANGUAGE_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/** Most fields that a kind has beside apiVersion, kind and metadata. */
#define KIND_FIELDS_MAX 8

struct kind {
    const char *name;
    const char *group; /* "" for core */
    const char *version;
    const char *plural;
    bool namespaced;
    const char *fields[KIND_FIELDS_MAX]; /* beside apiVersion, kind, metadata; NULL ends */
};

/** NULL when the language does not know it. */
const struct kind *kind_find(const char *name);
size_t kind_count(void);
const struct kind *kind_at(size_t index);

/** The group of an apiVersion: "batch" of "batch/v1", "" of "v1". Borrowed from a static text or
 * written to room. */
void kind_group_of(const char *api_version, char *room, size_t room_size);

#endif
