/* journal - the last requests to the API: who asked what, and what came of it.
 *
 * A ring of JOURNAL_ENTRIES_MAX; what is older is forgotten. Texts are cut at JOURNAL_TEXT_MAX
 * bytes. There is no query, no body and no header but User-Agent in it, so no secret either. */
#ifndef FAKEAPI_ADMIN_JOURNAL_H
#define FAKEAPI_ADMIN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/rest/rest.h"

#define JOURNAL_ENTRIES_MAX 10000
#define JOURNAL_TEXT_MAX 256

struct journal;

struct journal *journal_new(void) MUST_CHECK;
void journal_free(struct journal *journal);
void journal_add(struct journal *journal, const struct rest_note *note);
void journal_clear(struct journal *journal);

/** Which entries are wanted. Texts are globs; NULL: any. */
struct journal_filter {
    const char *user;
    const char *user_agent;
    const char *verb;
    const char *resource;
    const char *namespace;
    const char *name;
    const char *fault;
    unsigned status;  /* 0: any */
    uint64_t after;   /* numbers above this */
    size_t count_max; /* the last so many of those; 0: all */
};

/** {"total": all that were ever added, "forgotten": those that fell off, "requests": [...]}, the
 * oldest first. json_object_put() it. */
struct json_object *journal_to_json(const struct journal *journal,
                                    const struct journal_filter *filter) MUST_CHECK;
/** One request as it stands in "requests"; number 0: without one. json_object_put() it. */
struct json_object *journal_note_to_json(const struct rest_note *note, uint64_t number) MUST_CHECK;

#endif
