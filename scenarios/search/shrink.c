/* shrink - see shrink.h. */
#include "scenarios/search/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "scenarios/language/scenario.h"
#include "scenarios/search/document.h"
#include "scenarios/search/edits.h"

struct shrinking {
    const struct shrink_host *host;
    struct json_object *tree; /* the smallest so far */
    char *kills;
    bool bounded_faults;
    struct json_object *tried; /* digests of texts that do not fail alike, or are the tree's */
    size_t trials;
    size_t trials_max;
    bool stopped;
    bool exhausted;
};

/** Texts that are to be tried together. */
struct batch {
    struct json_object *trees[SHRINK_TEXTS_MAX];
    char *texts[SHRINK_TEXTS_MAX];
    size_t indexes[SHRINK_TEXTS_MAX]; /* which edits they are */
    size_t count;
};

static char *text_of(const struct json_object *tree)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    size_t size;

    document_append(&text, tree, NULL);
    return buffer_take(&text, &size);
}

/* --- what was tried --- */

static void digest_of(const char *text, char hex[SHA256_HEX_SIZE])
{
    uint8_t digest[SHA256_SIZE];

    digest_sha256(text, strlen(text), digest);
    digest_hex(digest, sizeof(digest), hex);
}

/** Whether it is new; it is not any more. */
static bool remember(struct shrinking *shrinking, const char *text)
{
    char hex[SHA256_HEX_SIZE];

    digest_of(text, hex);
    if (json_get(shrinking->tried, hex) != NULL)
        return false;
    json_set_bool(shrinking->tried, hex, true);
    return true;
}

/** What came behind the one that was taken has not been tried. */
static void forget(struct shrinking *shrinking, const struct batch *batch, size_t from)
{
    char hex[SHA256_HEX_SIZE];

    for (size_t i = from; i < batch->count; i++) {
        digest_of(batch->texts[i], hex);
        json_object_object_del(shrinking->tried, hex);
    }
}

/* --- batches --- */

static void batch_release(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        (void)json_object_put(batch->trees[i]);
        free(batch->texts[i]);
    }
    batch->count = 0;
}

/** Takes ownership of tree. */
static void batch_add(struct shrinking *shrinking, struct batch *batch, struct json_object *tree,
                      size_t index)
{
    char *text = text_of(tree);

    if (!remember(shrinking, text)) {
        (void)json_object_put(tree);
        free(text);
        return;
    }
    batch->trees[batch->count] = tree;
    batch->texts[batch->count] = text;
    batch->indexes[batch->count++] = index;
}

/** Tries them; whether one of them is the tree now, and at which edit to go on. */
static bool try_batch(struct shrinking *shrinking, struct batch *batch, size_t *ret_index)
{
    const char *texts[SHRINK_TEXTS_MAX];
    size_t left = shrinking->trials_max - shrinking->trials;
    size_t count = batch->count < left ? batch->count : left;
    size_t found = count;
    char *kills = NULL;

    for (size_t i = 0; i < count; i++)
        texts[i] = batch->texts[i];
    if (count > 0 && !shrinking->host->first(shrinking->host->arg, texts, count, &found, &kills)) {
        shrinking->stopped = true;
        return false;
    }
    shrinking->trials += found < count ? found + 1 : count;
    if (found == count) {
        shrinking->exhausted = count < batch->count;
        return false;
    }
    forget(shrinking, batch, found + 1);
    (void)json_object_put(shrinking->tree);
    free(shrinking->kills);
    shrinking->tree = json_object_get(batch->trees[found]);
    shrinking->kills = kills;
    *ret_index = batch->indexes[found];
    shrinking->host->better(shrinking->host->arg, shrinking->tree, shrinking->trials);
    return true;
}

/* --- edits --- */

/** The tree after edit number index of some sort; false behind the last. *ret_tree may be NULL. */
typedef bool maker(const struct shrinking *shrinking, int kind, size_t index,
                   struct json_object **ret_tree);

static bool make_edit(const struct shrinking *shrinking, int kind, size_t index,
                      struct json_object **ret_tree)
{
    const struct edit_context context = {shrinking->kills, shrinking->bounded_faults};

    *ret_tree = edit_make(shrinking->tree, (enum edit_kind)kind, index, &context);
    return *ret_tree != NULL;
}

static bool make_without_line(const struct shrinking *shrinking, int kind, size_t index,
                              struct json_object **ret_tree)
{
    char *text = text_of(shrinking->tree);
    char *line = text;
    size_t size;
    bool there;

    (void)kind;
    for (size_t i = 0; i < index && *line != '\0'; i++)
        line += strcspn(line, "\n") + 1;
    there = *line != '\0';
    if (there) {
        size = strcspn(line, "\n") + 1;
        memmove(line, line + size, strlen(line + size) + 1);
        if (!document_read(text, strlen(text), ret_tree, NULL))
            *ret_tree = NULL;
    }
    free(text);
    return there;
}

/** Takes every edit of a sort that fails alike; whether there was any. */
static bool take_all(struct shrinking *shrinking, maker *make, int kind)
{
    struct batch batch = {.count = 0};
    size_t index = 0;
    bool any = false;
    bool more = true;

    while (more && !shrinking->stopped && !shrinking->exhausted) {
        while (more && batch.count < SHRINK_TEXTS_MAX) {
            struct json_object *tree = NULL;

            more = make(shrinking, kind, index, &tree);
            if (tree != NULL)
                batch_add(shrinking, &batch, tree, index);
            index++;
        }
        if (batch.count > 0 && try_batch(shrinking, &batch, &index))
            any = more = true;
        batch_release(&batch);
    }
    return any;
}

void shrink(const struct json_object *tree, const char *kills, bool bounded_faults,
            size_t trials_max, const struct shrink_host *host, struct shrink_result *ret_result)
{
    struct shrinking shrinking = {
        .host = host,
        .tree = json_copy(tree),
        .kills = xstrdup(kills),
        .bounded_faults = bounded_faults,
        .tried = json_object_new_object(),
        .trials_max = trials_max,
    };
    char *text = text_of(tree);
    bool any;

    (void)remember(&shrinking, text);
    do {
        any = false;
        for (int kind = 0; kind < EDIT_KIND_COUNT; kind++)
            any = take_all(&shrinking, make_edit, kind) || any;
        any = take_all(&shrinking, make_without_line, 0) || any;
    } while (any && !shrinking.stopped && !shrinking.exhausted);
    ret_result->end = shrinking.stopped     ? SHRINK_STOPPED
                      : shrinking.exhausted ? SHRINK_EXHAUSTED
                                            : SHRINK_DONE;
    ret_result->trials = shrinking.trials;
    ret_result->tree = shrinking.tree;
    (void)json_object_put(shrinking.tried);
    free(shrinking.kills);
    free(text);
}
