/* ask - one request: what is wanted, apart from how it is written on the wire. */
#ifndef TESTS_MODEL_ASK_H
#define TESTS_MODEL_ASK_H

#include <stdbool.h>

#include "tests/model/kinds.h"

enum verb {
    VERB_GET,
    VERB_LIST,
    VERB_WATCH,
    VERB_CREATE,
    VERB_UPDATE,
    VERB_MERGE, /* PATCH with a merge patch */
    VERB_PATCH, /* PATCH with a JSON patch */
    VERB_DELETE,
    VERB_DELETE_ALL, /* of a collection */
    VERB_COMPACT,    /* no request: history up to now is forgotten */
    VERB_WAIT,       /* no request: time goes by */
    VERB_COUNT,
};

/** Texts are the ask's own; NULL where the request says nothing. */
struct ask {
    enum verb verb;
    const struct kind *kind;
    bool other_version;
    char *namespace; /* NULL: of a cluster-scoped kind, or all namespaces */
    char *name;      /* NULL for collections and creates */
    const char *sub; /* "status", "finalize"; NULL for the object itself */
    struct json_object *body;
    /* Of the query. */
    char *labels;
    char *fields;
    char *revision;
    char *match;
    char *limit;
    char *token;
    char *dry_run;
    char *validation;
    char *policy; /* propagationPolicy, of a DELETE without a body */
    char *initial;
    char *timeout;
    bool bookmarks;
    int64_t wait_us; /* VERB_WAIT */
};

/** "create configmaps" and the like; static. */
const char *verb_name(enum verb verb);
const char *ask_method(const struct ask *ask);
/** NULL without a body. */
const char *ask_content_type(const struct ask *ask);
/** Path and query, as they are sent; free() it. */
char *ask_target(const struct ask *ask);
void ask_release(struct ask *ask);

#endif
