/* fold - see fold.h. */
#include "scenarios/search/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

/** Places that are alike, or that one rule counts. */
struct alike {
    char *key;
    char *texts;      /* those of the site, one after another */
    struct site site; /* of a class */
    uint64_t count;
    size_t first;
    size_t last;
    UT_hash_handle hh;
};

struct fold {
    struct alike *counted; /* by what a rule sees */
    struct alike *classes; /* by what makes places alike */
    const struct alike **places;
    size_t count;
    size_t capacity;
};

struct fold *fold_new(void)
{
    return xcalloc(1, sizeof(struct fold));
}

static void free_all(struct alike **items)
{
    while (*items != NULL) {
        struct alike *item = *items;

        HASH_DEL(*items, item);
        free(item->texts);
        free(item->key);
        free(item);
    }
}

void fold_free(struct fold *fold)
{
    if (fold == NULL)
        return;
    free_all(&fold->counted);
    free_all(&fold->classes);
    free(fold->places);
    free(fold);
}

/** Takes ownership of key. */
static struct alike *note(struct alike **items, char *key, size_t index)
{
    struct alike *item;

    HASH_FIND_STR(*items, key, item);
    if (item == NULL) {
        item = xcalloc(1, sizeof(*item));
        item->key = key;
        item->first = index;
        HASH_ADD_KEYPTR(hh, *items, item->key, strlen(item->key), item);
    } else {
        free(key);
    }
    item->last = index;
    item->count++;
    return item;
}

/** Keeps what the place is. */
static void keep(struct alike *class, const struct site *site)
{
    const char **texts[] = {&class->site.peer, &class->site.verb, &class->site.resource,
                            &class->site.name};
    size_t at = 0;

    class->site = *site;
    class->texts = xprintf("%s %s %s %s", site->peer, site->verb, site->resource, site->name);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        size_t size = strlen(*texts[i]);

        *texts[i] = class->texts + at;
        class->texts[at + size] = '\0';
        at += size + 1;
    }
}

uint64_t fold_add(struct fold *fold, const struct site *site)
{
    char *key =
        xprintf("%d %s %s %s %s", site->stage, site->peer, site->verb, site->resource, site->name);
    struct alike *class =
        note(&fold->classes, xprintf("%" PRIu64 " %" PRIuPTR " %s", site->turn, site->origin, key),
             fold->count);

    if (fold->count == fold->capacity) {
        fold->capacity = fold->capacity == 0 ? 1024 : 2 * fold->capacity;
        fold->places = xrealloc(fold->places, fold->capacity * sizeof(const struct alike *));
    }
    if (class->count == 1)
        keep(class, site);
    fold->places[fold->count] = class;
    return note(&fold->counted, key, fold->count++)->count;
}

const struct site *fold_site(const struct fold *fold, size_t index)
{
    return &fold->places[index]->site;
}

size_t fold_count(const struct fold *fold)
{
    return fold->count;
}

bool fold_is_tried(const struct fold *fold, size_t index)
{
    const struct alike *class = fold->places[index];

    return index == class->first || index == class->last;
}
