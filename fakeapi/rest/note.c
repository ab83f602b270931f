/* note - requests as they are told to those who look on. */
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"

/* resource is room for "pods/log". */
static struct rest_note make_note(const struct call *call, unsigned status, char *resource,
                                  size_t resource_size)
{
    struct fault_call view = call_fault_view(call, resource, resource_size);
    int64_t now_us = runtime_elapsed_us(call->rest->rt);
    bool acted = call->effect.action != FAULT_NONE;

    return (struct rest_note){
        .at_us = call->came_at_us,
        .took_us = now_us - call->came_us,
        .status = status,
        .user = text_or(view.user, ""),
        .user_agent = view.user_agent,
        .peer = view.peer,
        .verb = view.verb,
        .resource = view.resource,
        .namespace = view.namespace,
        .name = view.name,
        .fault = text_or(call->effect_name, ""),
        .fault_action = acted ? fault_action_name(call->effect.action) : "",
    };
}

void call_note(struct call *call, unsigned status)
{
    struct rest *rest = call->rest;
    char resource[512];
    struct rest_note note;

    if (rest->journal == NULL || call->noted || call->route.path == NULL)
        return;
    call->noted = true;
    note = make_note(call, status, resource, sizeof(resource));
    rest->journal(rest->journal_arg, &note);
}

void rest_set_journal(struct rest *rest, rest_note_fn *fn, void *arg)
{
    rest->journal = fn;
    rest->journal_arg = arg;
}

void rest_each_stream(const struct rest *rest, rest_note_fn *fn, void *arg)
{
    for (const struct call *call = rest->calls; call != NULL; call = call->next) {
        char resource[512];
        struct rest_note note;

        if (call->stream_ops == NULL || call->stream_ops->stop == NULL)
            continue;
        note = make_note(call, 200, resource, sizeof(resource));
        fn(arg, &note);
    }
}
