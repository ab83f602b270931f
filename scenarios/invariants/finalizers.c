/* finalizers - I-FIN: finalizers of others stay exactly as their owners left them. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/invariants/rows.h"

/** Ours alone. */
#define OUR_PREFIX "agents.re-cinq.com/"
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define FINALIZERS_BYTES_MAX 65536

struct kept {
    char *uid;
    char *others; /* their finalizers, each with its line end */
    UT_hash_handle hh;
};

struct state {
    struct kept *kept;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void forget(struct state *state, const char *uid)
{
    struct kept *kept;

    HASH_FIND_STR(state->kept, uid, kept);
    if (kept == NULL)
        return;
    HASH_DEL(state->kept, kept);
    free(kept->uid);
    free(kept->others);
    free(kept);
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->kept != NULL)
        forget(state, state->kept->uid);
    free(state);
}

static char *others_of(const struct json_object *object)
{
    struct json_object *list = json_get_array(json_get(object, "metadata"), "finalizers");
    struct buffer text = BUFFER_INIT(FINALIZERS_BYTES_MAX);
    size_t size;

    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++) {
        const char *finalizer = json_text(json_object_array_get_idx(list, i));

        if (finalizer != NULL && !text_starts_with(finalizer, OUR_PREFIX))
            buffer_append_format(&text, "%s\n", finalizer);
    }
    return buffer_take(&text, &size);
}

static void keep(struct state *state, const struct json_object *object)
{
    struct kept *kept = xcalloc(1, sizeof(*kept));

    forget(state, object_uid(object));
    kept->uid = xstrdup(object_uid(object));
    kept->others = others_of(object);
    HASH_ADD_KEYPTR(hh, state->kept, kept->uid, strlen(kept->uid), kept);
}

static void on_change(struct judge *judge, const struct change *change)
{
    if (strcmp(change->plural, "agents") != 0)
        return;
    if (change->kind == CHANGE_DELETED)
        forget(judge->state, object_uid(change->before));
    else
        keep(judge->state, change->after);
}

/** The answer to a write of ours shows the object right after it. The store's own word may come
 * just before or just after: either way others' finalizers are the same. */
static void on_call(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;
    struct json_object *after = NULL;
    struct error err = ERROR_INIT;
    struct kept *kept;
    char *others;

    if (call->stage != CALL_ANSWERED || !call->by_controller || call->status >= 300 ||
        strcmp(call->path->plural, "agents") != 0 || call->answer == NULL ||
        (strcmp(call->method, "PATCH") != 0 && strcmp(call->method, "PUT") != 0) ||
        !json_parse(call->answer, call->answer_size, ANSWER_BYTES_MAX, &after, &err))
        return;
    HASH_FIND_STR(state->kept, object_uid(after), kept);
    others = others_of(after);
    if (kept != NULL && strcmp(kept->others, others) != 0)
        judge_violation(judge, call->at_us, "%s changed finalizers of others on Agent %s",
                        call->client, object_name(after));
    free(others);
    (void)json_object_put(after);
}

const struct invariant invariant_finalizers = {
    .id = "I-FIN",
    .what = "finalizers of others stay exactly as their owners left them",
    .of_store = true,
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
    .on_call = on_call,
};
