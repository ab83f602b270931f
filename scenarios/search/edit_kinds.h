/* edit_kinds - the walks behind edits.h. */
#ifndef SCENARIOS_SEARCH_EDIT_KINDS_H
#define SCENARIOS_SEARCH_EDIT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/json.h"

struct edit_walk {
    size_t left;       /* edits to pass by */
    const char *kills; /* never NULL */
    bool bounded_faults;
    bool done;
};

/** Counts an edit that could be made now; whether it is the one. */
bool edit_is_due(struct edit_walk *walk);

/* edits_chance.c */
void edit_certain(struct edit_walk *walk, struct json_object *tree);
void edit_seed(struct edit_walk *walk, struct json_object *tree);

/* edits_values.c */
void edit_sooner(struct edit_walk *walk, struct json_object *tree);
void edit_values(struct edit_walk *walk, struct json_object *tree);

#endif
