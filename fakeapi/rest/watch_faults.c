/* watch_faults - what fault rules make of a watch's events. */
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/watch_stream.h"

#define LONG_LINE_HEAD "{\"type\":\"ADDED\",\"object\":{\"padding\":\""
#define LONG_LINE_END "\"}}\n"

bool watch_loses_bookmark(struct watch_stream *stream)
{
    const struct rest *rest = stream->call->rest;
    struct fault_effect effect = {.action = FAULT_NONE};
    struct fault_call view;
    char resource[512];

    if (rest->faults == NULL || !faults_are_asked(rest->faults))
        return false;
    view = call_fault_view(stream->call, resource, sizeof(resource));
    view.random = faults_draw(rest->faults) ? runtime_random(rest->rt) : 0;
    faults_decide_bookmark(rest->faults, &view, &effect);
    return effect.action == FAULT_WATCH_NO_MARK;
}

bool watch_spoil(struct watch_stream *stream, const struct fault_effect *effect)
{
    switch (effect->action) {
    case FAULT_WATCH_CLOSE:
        stream->over = true;
        return true;
    case FAULT_WATCH_STALL:
        stream->stalled = true;
        return true;
    case FAULT_WATCH_SWALLOW:
        return true;
    case FAULT_WATCH_GAP:
        stream->gap = effect->amount - 1;
        return true;
    case FAULT_WATCH_ERROR:
        watch_emit_error(stream, effect->status, fault_reason(effect->status, effect->reason),
                         text_or(effect->message, "injected fault"));
        return true;
    case FAULT_WATCH_GARBAGE:
        emit_text(&stream->emit, "}no json{\n");
        return true;
    case FAULT_WATCH_LONG:
        emit_text(&stream->emit, LONG_LINE_HEAD);
        stream->padding = effect->amount;
        stream->padding_end = true;
        return true;
    default:
        return false;
    }
}

void watch_halve(struct watch_stream *stream)
{
    size_t size = 0;

    for (size_t i = 0; i < stream->emit.piece_count; i++)
        size += stream->emit.pieces[i].size;
    stream->halved = true;
    stream->half_left = size / 2;
}

static size_t copy_half(struct watch_stream *stream, char *room, size_t room_size)
{
    size_t most = room_size < stream->half_left ? room_size : stream->half_left;
    size_t copied = emit_copy(&stream->emit, room, most);

    stream->half_left -= copied;
    if (stream->half_left == 0) {
        emit_begin(&stream->emit);
        stream->halved = false;
        stream->over = true;
    }
    return copied;
}

size_t watch_copy(struct watch_stream *stream, char *room, size_t room_size)
{
    size_t copied;

    if (stream->halved)
        return copy_half(stream, room, room_size);
    copied = emit_copy(&stream->emit, room, room_size);
    if (copied > 0 || !stream->padding_end)
        return copied;
    if (stream->padding == 0) {
        stream->padding_end = false;
        emit_begin(&stream->emit);
        emit_text(&stream->emit, LONG_LINE_END);
        return emit_copy(&stream->emit, room, room_size);
    }
    copied = room_size < stream->padding ? room_size : (size_t)stream->padding;
    memset(room, 'x', copied);
    stream->padding -= copied;
    return copied;
}
