/* secrets - I-SECRET: no value of a Secret and no token stands in a log line. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "scenarios/invariants/rows.h"

/** Shorter values are no secrets that could be told from words. */
#define SECRET_BYTES_MIN 6

struct secret {
    char *value;
    struct secret *next;
};

struct state {
    struct secret *secrets;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->secrets != NULL) {
        struct secret *secret = state->secrets;

        state->secrets = secret->next;
        free(secret->value);
        free(secret);
    }
    free(state);
}

/** Takes ownership of value. */
static void add(struct state *state, char *value)
{
    struct secret *secret;

    for (secret = state->secrets; secret != NULL; secret = secret->next) {
        if (strcmp(secret->value, value) == 0)
            break;
    }
    if (secret != NULL || strlen(value) < SECRET_BYTES_MIN) {
        free(value);
        return;
    }
    secret = xcalloc(1, sizeof(*secret));
    secret->value = value;
    secret->next = state->secrets;
    state->secrets = secret;
}

/** Both as it is stored and as it is used. */
static void on_change(struct judge *judge, const struct change *change)
{
    struct json_object *data;
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (strcmp(change->plural, "secrets") != 0 || change->after == NULL)
        return;
    data = json_get_object(change->after, "data");
    if (data == NULL)
        return;
    at = json_object_iter_begin(data);
    end = json_object_iter_end(data);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *stored = json_text(json_object_iter_peek_value(&at));
        size_t size;
        char *used = stored == NULL ? NULL : base64_decode(stored, false, &size);

        if (stored != NULL)
            add(judge->state, xstrdup(stored));
        if (used != NULL)
            add(judge->state, used);
    }
}

static void on_secret(struct judge *judge, const char *text)
{
    add(judge->state, xstrdup(text));
}

/** What a replica shows to the server is as secret. */
static void on_log(struct judge *judge, int64_t at_us, const char *process, const char *line)
{
    const struct state *state = judge->state;

    for (const struct secret *secret = state->secrets; secret != NULL; secret = secret->next) {
        if (strstr(line, secret->value) != NULL)
            judge_violation(judge, at_us, "%s wrote the value of a Secret to its log or metrics",
                            process);
    }
    if (strstr(line, "Bearer ") != NULL)
        judge_violation(judge, at_us, "%s wrote a bearer token to its log or metrics", process);
}

const struct invariant invariant_secrets = {
    .id = "I-SECRET",
    .what = "no value of a Secret and no token stands in a log line or a metric",
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
    .on_log = on_log,
    .on_secret = on_secret,
};
