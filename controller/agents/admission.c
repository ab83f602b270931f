#include "controller/agents/admission.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

/* A Station where something is under way. */
struct place {
    char *station;
    struct admission_load load;
    UT_hash_handle hh;
};

struct admissions {
    struct place *places; /* by Station */
};

struct admissions *admissions_new(void)
{
    return xcalloc(1, sizeof(struct admissions));
}

static void free_place(struct admissions *admissions, struct place *place)
{
    HASH_DEL(admissions->places, place);
    free(place->station);
    free(place);
}

void admissions_free(struct admissions *admissions)
{
    struct place *place;
    struct place *next = NULL;

    if (admissions == NULL)
        return;
    HASH_ITER (hh, admissions->places, place, next)
        free_place(admissions, place);
    free(admissions);
}

static struct place *find(const struct admissions *admissions, const char *station)
{
    struct place *place;

    HASH_FIND_STR(admissions->places, station, place);
    return place;
}

static size_t *count_of(struct place *place, enum admission_part part)
{
    return part == ADMISSION_STARTING ? &place->load.starting : &place->load.ending;
}

void admissions_enter(struct admissions *admissions, const char *station, enum admission_part part)
{
    struct place *place = part == ADMISSION_NONE ? NULL : find(admissions, station);

    if (part == ADMISSION_NONE)
        return;
    if (place == NULL) {
        place = xcalloc(1, sizeof(*place));
        place->station = xstrdup(station);
        HASH_ADD_KEYPTR(hh, admissions->places, place->station, strlen(place->station), place);
    }
    ++*count_of(place, part);
}

void admissions_leave(struct admissions *admissions, const char *station, enum admission_part part)
{
    struct place *place = part == ADMISSION_NONE ? NULL : find(admissions, station);

    if (part == ADMISSION_NONE)
        return;
    assert(place != NULL);
    assert(*count_of(place, part) > 0);
    --*count_of(place, part);
    if (place->load.starting + place->load.ending == 0)
        free_place(admissions, place);
}

struct admission_load admissions_load(const struct admissions *admissions, const char *station)
{
    static const struct admission_load nothing = {0};
    const struct place *place = find(admissions, station);

    return place == NULL ? nothing : place->load;
}
