/* shrink - a scenario that fails becomes the smallest one that still fails alike.
 *
 * Delta debugging over the tree: every edit of edits.h, the largest first, again and again until
 * none is left that fails alike; then line by line, so that no line can be taken out of the file.
 * Who runs the texts is the host; which are tried, and in which order, does not depend on it. */
#ifndef SCENARIOS_SEARCH_SHRINK_H
#define SCENARIOS_SEARCH_SHRINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** Most texts that the host is given at once. */
#define SHRINK_TEXTS_MAX 32

struct shrink_host {
    /** Runs texts in their order until one fails alike; *ret_index is which, or count when none
     * does, and *ret_kills after what its kills happened (as in struct outcome; free() it). False:
     * it is to end here. */
    bool (*first)(void *arg, const char *const *texts, size_t count, size_t *ret_index,
                  char **ret_kills);
    /** Told of every step forward. trials is how many texts were run until now. */
    void (*better)(void *arg, const struct json_object *tree, size_t trials);
    void *arg;
};

enum shrink_end {
    SHRINK_DONE,      /* nothing can be taken away any more */
    SHRINK_EXHAUSTED, /* as small as it got within trials_max */
    SHRINK_STOPPED,   /* the host said so */
};

struct shrink_result {
    enum shrink_end end;
    size_t trials;
    struct json_object *tree; /* the smallest; json_object_put() it */
};

/** Shrinks a tree that fails. kills is of its run, may be NULL; bounded_faults as in struct
 * edit_context. */
void shrink(const struct json_object *tree, const char *kills, bool bounded_faults,
            size_t trials_max, const struct shrink_host *host, struct shrink_result *ret_result);

#endif
