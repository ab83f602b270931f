#include "controller/agents/refs.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

struct ref {
    struct station *station; /* or */
    struct definition *definition;
    int64_t sent_us;  /* when the request was sent that read it */
    unsigned holders; /* the table among them */
    UT_hash_handle hh;
};

struct refs {
    struct ref *stations;    /* by name, in the order in which they were read */
    struct ref *definitions; /* likewise */
};

int64_t refs_believed_since(int64_t since_us, int64_t now_us)
{
    int64_t oldest_us = now_us - REFS_AGE_MAX_US;

    return since_us > oldest_us ? since_us : oldest_us;
}

struct refs *refs_new(void)
{
    return xcalloc(1, sizeof(struct refs));
}

void ref_drop(struct ref *ref)
{
    if (ref == NULL || --ref->holders > 0)
        return;
    station_free(ref->station);
    definition_free(ref->definition);
    free(ref);
}

static void remove_ref(struct ref **table, struct ref *ref)
{
    HASH_DEL(*table, ref);
    ref_drop(ref);
}

static void clear_table(struct ref **table)
{
    struct ref *ref;
    struct ref *next = NULL;

    HASH_ITER (hh, *table, ref, next)
        remove_ref(table, ref);
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

static struct ref *find(struct ref *table, const char *name)
{
    struct ref *ref;

    HASH_FIND_STR(table, name, ref);
    return ref;
}

static struct ref *hold(struct ref *ref, int64_t since_us)
{
    if (ref == NULL || ref->sent_us < since_us)
        return NULL;
    ref->holders++;
    return ref;
}

struct ref *refs_station(const struct refs *refs, const char *name, int64_t since_us)
{
    return hold(find(refs->stations, name), since_us);
}

struct ref *refs_definition(const struct refs *refs, const char *name, int64_t since_us)
{
    return hold(find(refs->definitions, name), since_us);
}

/* Puts a new ref, which the caller has, into the table too, unless what is there is newer. */
static void enter(struct ref **table, struct ref *ref, const char *name)
{
    struct ref *known = find(*table, name);

    if (known != NULL && known->sent_us > ref->sent_us)
        return;
    if (known != NULL)
        remove_ref(table, known);
    else if (HASH_COUNT(*table) >= REFS_MAX)
        remove_ref(table, *table);
    ref->holders++;
    HASH_ADD_KEYPTR(hh, *table, name, strlen(name), ref);
}

static struct ref *new_ref(int64_t sent_us)
{
    struct ref *ref = xcalloc(1, sizeof(*ref));

    ref->sent_us = sent_us;
    ref->holders = 1;
    return ref;
}

struct ref *refs_add_station(struct refs *refs, struct station *station, int64_t sent_us)
{
    struct ref *ref = new_ref(sent_us);

    ref->station = station;
    enter(&refs->stations, ref, station->name);
    return ref;
}

struct ref *refs_add_definition(struct refs *refs, struct definition *definition, int64_t sent_us)
{
    struct ref *ref = new_ref(sent_us);

    ref->definition = definition;
    enter(&refs->definitions, ref, definition->name);
    return ref;
}

const struct station *ref_station(const struct ref *ref)
{
    return ref->station;
}

const struct definition *ref_definition(const struct ref *ref)
{
    return ref->definition;
}
