/* watch_stream - a watch that is being answered, its lines, and what faults make of them. */
#ifndef FAKEAPI_REST_WATCH_STREAM_H
#define FAKEAPI_REST_WATCH_STREAM_H

#include "fakeapi/rest/call.h"
#include "fakeapi/rest/emit.h"
#include "fakeapi/rest/selector.h"

struct watch_stream {
    struct call *call;
    struct kind *kind; /* held */
    char *namespace;
    struct selector selector;
    struct emit emit;
    struct store_watch *watch;
    struct store_snapshot *initial; /* being sent; NULL once it was */
    size_t initial_next;
    size_t initial_last;
    bool initial_end;
    bool bookmarks;
    bool bookmark_due;
    bool columns_sent;
    bool over;    /* end the stream, cleanly */
    bool stalled; /* send nothing more (a fault) */
    bool stopping;
    const struct store_event *delayed; /* waits for its timer; the watch holds it */
    bool delay_over;
    struct timer *delay;
    struct timer *timeout;
    struct timer *bookmark;
    bool fallen; /* off the history */
    struct timer *cut;

    /* what faults do */
    const struct store_event *again; /* comes once more; the watch holds it */
    uint64_t gap;                    /* events left out from here on */
    uint64_t padding;                /* bytes of a long line still to come */
    bool padding_end;                /* and then its end */
    bool halved;                     /* only half_left bytes more of the line, then the end */
    size_t half_left;
};

/* --- watch_lines.c: each puts a line into emit --- */

/** revision is the deletion's for DELETED; 0: the object's own. */
void watch_emit_event(struct watch_stream *stream, const char *type,
                      const struct store_object *object, uint64_t revision);
void watch_emit_bookmark(struct watch_stream *stream, bool initial_end);
/** An ERROR event, and the end. reason may be NULL. */
void watch_emit_error(struct watch_stream *stream, unsigned code, const char *reason,
                      const char *message);

/* --- watch_faults.c --- */

/** Whether the bookmark that is due is left out. */
bool watch_loses_bookmark(struct watch_stream *stream);
/** Does what the effect says in the event's place, if it says so. True: the event is done with; a
 * line may be in emit. */
bool watch_spoil(struct watch_stream *stream, const struct fault_effect *effect);
/** Leaves all but the first half of the line in emit out, and ends behind it. */
void watch_halve(struct watch_stream *stream);
/** Copies the line on: what emit has, or the long line of a fault. How much; 0: it is over. */
size_t watch_copy(struct watch_stream *stream, char *room, size_t room_size);

#endif
