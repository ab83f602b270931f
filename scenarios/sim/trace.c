#include "scenarios/sim/trace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* The numbers of one record in front of its texts and bytes; each takes 10 bytes at most. */
#define RECORD_NUMBERS 9
#define NUMBER_BYTES_MAX 10

void trace_init(struct trace *trace)
{
    *trace = (struct trace){0};
    trace->hash = sha256_new();
    trace->pending = xrealloc(NULL, TRACE_BUFFER_BYTES);
}

void trace_release(struct trace *trace)
{
    sha256_free(trace->hash);
    free(trace->pending);
    *trace = (struct trace){0};
}

/* Seven bits a byte, the lowest first, as in LEB128. */
static uint8_t *put_number(uint8_t *at, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

/* SHA-256 takes a digest of each full buffer: over every byte of a run it was an eighth of it. */
static void flush(struct trace *trace)
{
    uint64_t digest = digest_quick64(trace->pending, trace->pending_size);
    uint8_t bytes[NUMBER_BYTES_MAX];

    sha256_add(trace->hash, bytes, (size_t)(put_number(bytes, digest) - bytes));
    trace->pending_size = 0;
}

static void add_bytes(struct trace *trace, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    while (size > 0) {
        size_t room = TRACE_BUFFER_BYTES - trace->pending_size;
        size_t piece = size < room ? size : room;

        memcpy(trace->pending + trace->pending_size, at, piece);
        trace->pending_size += piece;
        at += piece;
        size -= piece;
        if (trace->pending_size == TRACE_BUFFER_BYTES)
            flush(trace);
    }
}

/* A text with its NUL; NULL as one byte that no text holds. */
static void add_text(struct trace *trace, const char *text)
{
    if (text == NULL)
        add_bytes(trace, "\xff", 1);
    else
        add_bytes(trace, text, strlen(text) + 1);
}

static uint64_t process_number(const struct sim_process *process)
{
    return process == NULL ? 0 : process->index + 1;
}

/* What was hashed when it was sent is not hashed again when it arrives: its size is enough. */
static bool is_arrival(enum sim_event_kind kind)
{
    return kind == SIM_EVENT_REQUEST || kind == SIM_EVENT_RESPONSE || kind == SIM_EVENT_BODY;
}

static void add_record(struct trace *trace, const struct sim_event *event)
{
    uint8_t record[RECORD_NUMBERS * NUMBER_BYTES_MAX];
    uint8_t *at = record;
    const uint64_t values[RECORD_NUMBERS] = {
        event->kind,
        (uint64_t)event->at_us,
        process_number(event->process),
        process_number(event->peer),
        event->exchange_id,
        event->status,
        event->header_count,
        event->size,
        (uint64_t)event->number,
    };

    for (size_t i = 0; i < RECORD_NUMBERS; i++)
        at = put_number(at, values[i]);
    add_bytes(trace, record, (size_t)(at - record));
    add_text(trace, event->text);
    if (is_arrival(event->kind))
        return;
    add_text(trace, event->method);
    add_text(trace, event->target);
    for (size_t i = 0; i < event->header_count; i++) {
        add_text(trace, event->headers[i].name);
        add_text(trace, event->headers[i].value);
    }
    add_bytes(trace, event->bytes, event->size);
}

static void show(struct trace *trace, const struct sim_event *event)
{
    for (size_t i = 0; i < trace->tap_count; i++)
        if ((trace->taps[i].kinds & SIM_EVENT_BIT(event->kind)) != 0)
            trace->taps[i].fn(trace->taps[i].arg, event);
}

void trace_event(struct sim *sim, struct sim_event *event)
{
    event->at_us = sim->now_us;
    if (!sim->trace.left)
        add_record(&sim->trace, event);
    show(&sim->trace, event);
}

void trace_mark(struct sim *sim, const struct sim_process *process, enum mark mark)
{
    struct sim_event event = {.kind = SIM_EVENT_MARK,
                              .at_us = sim->now_us,
                              .process = process,
                              .number = mark,
                              .text = mark_name(mark)};

    show(&sim->trace, &event);
}

void trace_number(struct sim *sim, enum sim_event_kind kind, const struct sim_process *process,
                  int64_t number, const char *text)
{
    struct sim_event event = {.kind = kind, .process = process, .number = number, .text = text};

    trace_event(sim, &event);
}

void sim_add_tap(struct sim *sim, uint64_t kinds,
                 void (*fn)(void *arg, const struct sim_event *event), void *arg)
{
    assert(sim->trace.tap_count < SIM_TAPS_MAX);
    sim->trace.taps[sim->trace.tap_count++] = (struct tap){kinds, fn, arg};
}

void sim_note(struct sim *sim, const char *text)
{
    trace_number(sim, SIM_EVENT_NOTE, NULL, 0, text);
}

void sim_leave_hash(struct sim *sim)
{
    sim->trace.left = true;
}

/* Where a buffer ends depends on nothing but what is in it: so what is pending is not flushed. */
void sim_trace_hash(struct sim *sim, uint8_t digest[SHA256_SIZE])
{
    uint8_t bytes[SHA256_SIZE + NUMBER_BYTES_MAX];
    uint8_t *end = bytes + SHA256_SIZE;

    if (sim->trace.left) {
        memset(digest, 0, SHA256_SIZE);
        return;
    }
    sha256_peek(sim->trace.hash, bytes);
    end = put_number(end, digest_quick64(sim->trace.pending, sim->trace.pending_size));
    digest_sha256(bytes, (size_t)(end - bytes), digest);
}

const char *sim_event_kind_name(enum sim_event_kind kind)
{
    static const char *const names[SIM_EVENT_KIND_COUNT] = {
        [SIM_EVENT_STARTED] = "started",
        [SIM_EVENT_EXITED] = "exited",
        [SIM_EVENT_CRASHED] = "crashed",
        [SIM_EVENT_PAUSED] = "paused",
        [SIM_EVENT_RESUMED] = "resumed",
        [SIM_EVENT_SIGNALLED] = "signalled",
        [SIM_EVENT_TIMER] = "timer",
        [SIM_EVENT_REQUEST_SENT] = "request sent",
        [SIM_EVENT_REQUEST] = "request",
        [SIM_EVENT_RESPONSE_SENT] = "response sent",
        [SIM_EVENT_BODY_SENT] = "body sent",
        [SIM_EVENT_REQUEST_CLOSED] = "request closed",
        [SIM_EVENT_RESPONSE] = "response",
        [SIM_EVENT_BODY] = "body",
        [SIM_EVENT_END] = "end",
        [SIM_EVENT_CANCELLED] = "cancelled",
        [SIM_EVENT_LOG] = "log",
        [SIM_EVENT_PRINT] = "print",
        [SIM_EVENT_FILE] = "file",
        [SIM_EVENT_CLOCK] = "clock",
        [SIM_EVENT_RANDOM] = "random",
        [SIM_EVENT_NOTE] = "note",
        [SIM_EVENT_MARK] = "mark",
    };

    return names[kind];
}
