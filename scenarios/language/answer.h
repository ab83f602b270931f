/* answer - whether what came back for a step's request is what the step wants. */
#ifndef SCENARIOS_LANGUAGE_ANSWER_H
#define SCENARIOS_LANGUAGE_ANSWER_H

#include "controller/base/buffer.h"
#include "scenarios/language/scenario.h"

/** Largest body that is looked into. */
#define ANSWER_BODY_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct answer {
    unsigned status;
    const struct buffer *body;
};

/** A good one, where the step says nothing; any, where it is optional. */
bool answer_is_wanted(const struct step *step, const struct answer *answer);

/** What differs from what the step wants, as differences_append(). */
void answer_append_differences(const struct step *step, const struct answer *answer,
                               const char *path, struct buffer *why);

/** The message of a Status, or the beginning of whatever came. free() it. */
char *answer_message(const struct answer *answer) MUST_CHECK;

/** NULL when it is no JSON. json_object_put() it. */
struct json_object *answer_body(const struct answer *answer) MUST_CHECK;

#endif
