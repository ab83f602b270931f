/* secrets - I-SECRET: nothing stands in a log line that is nobody's business: no value of a Secret,
 * whole or in part, no token, no prompt, no query of a sink's URL. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "scenarios/invariants/rows.h"

/** Shorter values are no secrets that could be told from words. */
#define SECRET_BYTES_MIN 6
#define PROMPT_BYTES_MIN 16

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

/** A value as it is used: whole, each line, and what stands behind the colon of a header's. */
static void add_used(struct state *state, const char *value)
{
    while (*value != '\0') {
        size_t size = strcspn(value, "\r\n");
        char *line = xmemdup(value, size);
        const char *colon = strchr(line, ':');

        if (colon != NULL)
            add(state, xstrdup(colon + 1 + strspn(colon + 1, " \t")));
        add(state, line);
        value += size + (value[size] != '\0');
    }
}

/** Both as it is stored and as it is used. */
static void add_data(struct state *state, struct json_object *data)
{
    struct json_object_iterator at = json_object_iter_begin(data);
    struct json_object_iterator end = json_object_iter_end(data);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *stored = json_text(json_object_iter_peek_value(&at));
        size_t size;
        char *used = stored == NULL ? NULL : base64_decode(stored, false, &size);

        if (stored != NULL)
            add(state, xstrdup(stored));
        if (used != NULL) {
            add_used(state, used);
            add(state, used);
        }
    }
}

/** People put into prompts what is nobody else's business, and keys into the URLs of sinks. */
static void add_recipe(struct state *state, struct json_object *recipe)
{
    struct json_object *spec = json_get_object(recipe, "spec");
    const char *prompt = spec == NULL ? NULL : json_get_text(spec, "prompt");
    struct json_object *output = spec == NULL ? NULL : json_get_object(spec, "output");
    struct json_object *sinks = output == NULL ? NULL : json_get(output, "sinks");
    size_t count =
        json_object_is_type(sinks, json_type_array) ? json_object_array_length(sinks) : 0;

    if (prompt != NULL && strlen(prompt) >= PROMPT_BYTES_MIN)
        add(state, xstrdup(prompt));
    for (size_t i = 0; i < count; i++) {
        const char *url = json_get_text(json_object_array_get_idx(sinks, i), "url");
        const char *query = url == NULL ? NULL : strchr(url, '?');

        if (query != NULL)
            add(state, xstrdup(query + 1));
    }
}

static void on_change(struct judge *judge, const struct change *change)
{
    struct json_object *data;

    if (change->after == NULL)
        return;
    data = json_get_object(change->after, "data");
    if (strcmp(change->plural, "secrets") == 0 && data != NULL)
        add_data(judge->state, data);
    if (strcmp(change->plural, "agentdefinitions") == 0)
        add_recipe(judge->state, change->after);
}

static void on_secret(struct judge *judge, const char *text)
{
    add(judge->state, xstrdup(text));
}

/** What a replica shows to the server is as secret. */
static void on_log(struct judge *judge, int64_t at_us, const char *process, enum log_level level,
                   const char *line)
{
    const struct state *state = judge->state;

    (void)level;
    for (const struct secret *secret = state->secrets; secret != NULL; secret = secret->next) {
        if (strstr(line, secret->value) != NULL)
            judge_violation(judge, at_us,
                            "%s wrote the value of a Secret, or a prompt, to its log or metrics",
                            process);
    }
    if (strstr(line, "Bearer ") != NULL)
        judge_violation(judge, at_us, "%s wrote a bearer token to its log or metrics", process);
}

const struct invariant invariant_secrets = {
    .id = "I-SECRET",
    .what = "no value of a Secret, no token and no prompt stands in a log line or a metric",
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
    .on_log = on_log,
    .on_secret = on_secret,
};
