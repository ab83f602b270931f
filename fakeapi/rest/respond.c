/* respond - answers leave, and what faults do to them on the way out. */
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/call.h"

/* Headers of an answer whose Content-Type a fault replaces. */
#define HEADERS_MAX 256

static enum body_pull pull_stream(void *arg, char *room, size_t room_size, size_t *ret_size);
const struct body_source call_stream_source = {pull_stream};

/* A whole body that a fault wants in parts goes out as a stream. */
static enum body_pull pull_whole(void *stream, char *room, size_t room_size, size_t *ret_size)
{
    struct call *call = stream;
    size_t left = call->whole->size - (size_t)call->sent;

    if (left == 0)
        return BODY_END;
    *ret_size = left < room_size ? left : room_size;
    memcpy(room, call->whole->data + call->sent, *ret_size);
    return BODY_BYTES;
}

static void free_nothing(void *stream)
{
    (void)stream;
}

static const struct stream_ops whole_ops = {.pull = pull_whole, .free = free_nothing};

static void make_stream(struct call *call, struct http_response *response)
{
    call->whole = bytes_new(response->body, response->body_size);
    call->stream_ops = &whole_ops;
    call->stream = call;
    response->body = NULL;
    response->body_size = 0;
    response->source = &call_stream_source;
    response->source_arg = call;
}

/* The same headers with another Content-Type. */
static void respond_as(struct call *call, struct http_response *response, const char *type)
{
    struct http_header headers[HEADERS_MAX];
    size_t count = response->header_count < HEADERS_MAX ? response->header_count : HEADERS_MAX;

    memcpy(headers, response->headers, count * sizeof(headers[0]));
    for (size_t i = 0; i < count; i++)
        if (text_equal_ignoring_case(headers[i].name, "Content-Type"))
            headers[i].value = type;
    response->headers = headers;
    response->header_count = count;
    request_respond(call->request, response);
}

void call_respond(struct call *call, struct http_response *response)
{
    bool whole = response->source == NULL;

    call->answered = true;
    response->close = response->close || call->rest->stopping;
    call_note(call, response->status);
    switch (call->effect.action) {
    case FAULT_DROP_ANSWER:
        runtime_mark(call->rest->rt, MARK_API_ANSWER_DROPPED);
        call_reset(call);
        return;
    case FAULT_CONTENT_TYPE:
        respond_as(call, response, call->effect_type);
        return;
    case FAULT_TRUNCATE:
        if (whole && call->effect.amount < response->body_size)
            response->body_size = (size_t)call->effect.amount;
        break;
    case FAULT_CUT:
    case FAULT_SLOW_BODY:
        if (whole)
            make_stream(call, response);
        break;
    default:
        break;
    }
    request_respond(call->request, response);
}

/* --- streams --- */

static void on_pace(void *arg)
{
    struct call *call = arg;

    call->pace = NULL;
    call_wake(call);
}

/* How much may go out now; false: nothing, and *ret_pull says why. */
static bool allows(struct call *call, size_t *room_size, enum body_pull *ret_pull)
{
    const struct fault_effect *effect = &call->effect;
    uint64_t limit = effect->action == FAULT_CUT        ? effect->cut_at
                     : effect->action == FAULT_TRUNCATE ? effect->amount
                                                        : UINT64_MAX;

    if (call->sent >= limit) {
        if (effect->action == FAULT_CUT)
            runtime_mark(call->rest->rt, MARK_API_ANSWER_CUT);
        *ret_pull = effect->action == FAULT_CUT ? BODY_RESET : BODY_END;
        return false;
    }
    if (limit - call->sent < *room_size)
        *room_size = (size_t)(limit - call->sent);
    if (effect->action != FAULT_SLOW_BODY)
        return true;
    *ret_pull = BODY_WAIT;
    *room_size = 1;
    return call->pace == NULL;
}

static enum body_pull pull_stream(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct call *call = arg;
    enum body_pull pulled;

    call->waiting = false;
    if (allows(call, &room_size, &pulled))
        pulled = call->stream_ops->pull(call->stream, room, room_size, ret_size);
    if (pulled == BODY_BYTES) {
        call->sent += *ret_size;
        if (call->effect.action == FAULT_SLOW_BODY)
            call->pace = runtime_after(call->rest->rt, call->effect.wait_us, on_pace, call);
    }
    call->waiting = pulled == BODY_WAIT;
    return pulled;
}

void call_wake(struct call *call)
{
    if (!call->waiting)
        return;
    call->waiting = false;
    request_wake(call->request);
}
