/* model - what an API server does, told as plainly as can be.
 *
 * All it remembers is a list of events: every write that was accepted, in order. What an object is
 * at a revision is found by reading that list, from the end or from the start; there is no index
 * and no current state. It shares no code with the server and is slow, which is its virtue.
 *
 * What only the server can choose stands in an expected answer as a placeholder: "<uid>" for a uid
 * never seen before, "<name:base>" for base and five random characters, "<token>" for a continue
 * token. Once the answer is there, model_learn() tells the model what they are. */
#ifndef TESTS_MODEL_MODEL_H
#define TESTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/ask.h"

enum change { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

/** One accepted write. */
struct event {
    uint64_t revision;
    enum change change;
    const struct kind *kind;
    struct json_object *object; /* as stored by it; for CHANGE_DELETED what was there last, with the
                                   revision of the deletion */
};

/** What a continue token stands for. */
struct token {
    char *text;
    const struct kind *kind;
    char *namespace;   /* "" for all */
    uint64_t revision; /* 0: whatever is there by then */
    char *last;        /* key of the last object that was shown; the next ones are behind it */
};

#define TOKENS_MAX 16

struct model {
    struct event *events;
    size_t event_count;
    uint64_t first;                  /* the revision of the world as it was found */
    uint64_t revision;               /* of the last write */
    uint64_t compacted;              /* what is at this revision and above can be asked for */
    uint64_t history;                /* and so many events at most */
    int64_t now_us;                  /* UTC; the caller's */
    struct token tokens[TOKENS_MAX]; /* a ring of those last seen */
    size_t token_count;              /* seen so far */
    struct token pending;            /* that "<token>" in the last answer stands for */
    size_t fresh;                    /* events of the last write */
};

/** What is expected of a request. */
struct answer {
    int code;
    struct json_object *body;
    struct json_object *warnings; /* texts of Warning headers; NULL: none */
};

void model_init(struct model *model, uint64_t history);
void model_release(struct model *model);
/** An object that was there when the world was found. */
void model_found(struct model *model, const struct kind *kind, const struct json_object *object);

/** What the server must answer; does the write, if it is one. Not for watches. */
void model_ask(struct model *model, const struct ask *ask, struct answer *answer);
void answer_release(struct answer *answer);
/** What the placeholders of the last answer stood for; "" where there was none. */
void model_learn(struct model *model, const char *uid, const char *name, const char *token);

/* --- what there is --- */

/** The last event of an object at that revision or before; NULL when it is not there. */
const struct event *model_find(const struct model *model, const struct kind *kind,
                               const char *namespace, const char *name, uint64_t revision);
/** The objects of a kind at a revision, in the order of their keys; namespace "" for all. Returns
 * their count; events[] has room for model->event_count. */
size_t model_objects(const struct model *model, const struct kind *kind, const char *namespace,
                     uint64_t revision, const struct event **events);
/** The event of the same object before this one; NULL when it was not there. */
const struct event *model_before(const struct model *model, const struct event *event);
/** The lowest revision that can be listed at or watched from. */
uint64_t model_oldest(const struct model *model);
/** "namespace/name" or "name". */
char *key_of(const struct json_object *object);
/** The seconds since 1970 of "2024-06-01T00:00:00Z". */
int64_t time_of(const char *text);
/** An object as it is shown: in the version that is asked for. */
struct json_object *shown(const struct kind *kind, bool other, const struct json_object *object);
/** Whether an object is in a namespace ("" or NULL: all) and matches both selectors (may be NULL).
 */
bool is_wanted(const struct json_object *object, const char *namespace, const char *labels,
               const char *fields);

/* --- for the parts of the model --- */

void model_add(struct model *model, enum change change, const struct kind *kind,
               struct json_object *object); /* takes object over; at the next revision */
void model_read(struct model *model, const struct ask *ask, struct answer *answer);
void model_create(struct model *model, const struct ask *ask, struct answer *answer);
void model_update(struct model *model, const struct ask *ask, struct answer *answer);
void model_delete(struct model *model, const struct ask *ask, struct answer *answer);
/** A Status as the answer. */
void answer_refuse(struct answer *answer, struct json_object *status);
void answer_warn(struct answer *answer, const char *text);
/** What a selector that does not fit the kind is told; NULL when it is good. */
struct json_object *check_selectors(const struct ask *ask);

#endif
