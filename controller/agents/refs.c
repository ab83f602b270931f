#include "controller/agents/refs.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

/* One name: a Station, or a recipe. */
struct ref {
    struct station *station;
    struct definition *definition;
    UT_hash_handle hh;
};

struct refs {
    struct ref *stations;    /* by name */
    struct ref *definitions; /* by name */
};

struct refs *refs_new(void)
{
    return xcalloc(1, sizeof(struct refs));
}

static void clear_table(struct ref **table)
{
    struct ref *ref;
    struct ref *next = NULL;

    HASH_ITER (hh, *table, ref, next) {
        HASH_DEL(*table, ref);
        station_free(ref->station);
        definition_free(ref->definition);
        free(ref);
    }
}

void refs_clear(struct refs *refs)
{
    clear_table(&refs->stations);
    clear_table(&refs->definitions);
}

void refs_free(struct refs *refs)
{
    if (refs == NULL)
        return;
    refs_clear(refs);
    free(refs);
}

void refs_trim(struct refs *refs)
{
    if (HASH_COUNT(refs->stations) + HASH_COUNT(refs->definitions) >= REFS_MAX)
        refs_clear(refs);
}

static struct ref *find(struct ref *table, const char *name)
{
    struct ref *ref;

    HASH_FIND_STR(table, name, ref);
    return ref;
}

const struct station *refs_station(const struct refs *refs, const char *name)
{
    const struct ref *ref = find(refs->stations, name);

    return ref == NULL ? NULL : ref->station;
}

const struct definition *refs_definition(const struct refs *refs, const char *name)
{
    const struct ref *ref = find(refs->definitions, name);

    return ref == NULL ? NULL : ref->definition;
}

const struct station *refs_add_station(struct refs *refs, struct station *station)
{
    struct ref *ref = find(refs->stations, station->name);

    if (ref != NULL) {
        station_free(station);
        return ref->station;
    }
    ref = xcalloc(1, sizeof(*ref));
    ref->station = station;
    HASH_ADD_KEYPTR(hh, refs->stations, station->name, strlen(station->name), ref);
    return station;
}

const struct definition *refs_add_definition(struct refs *refs, struct definition *definition)
{
    struct ref *ref = find(refs->definitions, definition->name);

    if (ref != NULL) {
        definition_free(definition);
        return ref->definition;
    }
    ref = xcalloc(1, sizeof(*ref));
    ref->definition = definition;
    HASH_ADD_KEYPTR(hh, refs->definitions, definition->name, strlen(definition->name), ref);
    return definition;
}
