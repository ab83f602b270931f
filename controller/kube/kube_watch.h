/* kube_watch - one stream of changes, from a resource version to its end (RULES 4.4).
 *
 * Opening it again, and from where, is the caller's: this knows one stream. */
#ifndef CONTROLLER_KUBE_KUBE_WATCH_H
#define CONTROLLER_KUBE_KUBE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/kube/kube.h"

/* RULES 4.1 */
#define KUBE_WATCH_TIMEOUT_S 300
/** No byte for this long: the peer is gone, whatever TCP thinks (half-open). */
#define KUBE_WATCH_IDLE_TIMEOUT_US (360 * US_PER_SECOND)
#define KUBE_WATCH_LINE_BYTES_MAX ((size_t)4 * 1024 * 1024)

struct kube_watch;

enum kube_event_type {
    KUBE_ADDED,
    KUBE_MODIFIED,
    KUBE_DELETED,
    KUBE_BOOKMARK,
    KUBE_OTHER, /* a type we do not know: only its resource version counts */
};

/** One change; borrowed for the callback. */
struct kube_event {
    enum kube_event_type type;
    struct json_slice object;     /* checked JSON, an object */
    const char *resource_version; /* metadata.resourceVersion; NULL when absent */
};

enum kube_watch_end {
    KUBE_WATCH_CLEAN,  /* the server ended the stream, as after timeoutSeconds */
    KUBE_WATCH_GONE,   /* 410, as HTTP status or as an ERROR event: list again */
    KUBE_WATCH_FAILED, /* any other status, ERROR event, transport failure, line too long */
};

/** How a stream ended; borrowed for the callback. */
struct kube_watch_result {
    enum kube_watch_end end;
    unsigned status;        /* HTTP; 0 when no head arrived */
    int64_t retry_after_us; /* how long the server asks to be left alone; or 0 */
    size_t malformed;       /* lines that were ignored */
    struct error error;     /* why, unless clean; for log lines */
};

struct kube_watch_events {
    void (*on_event)(void *arg, const struct kube_event *event);
    /* Last call, exactly once unless stopped; the watch is gone when it is called. */
    void (*on_end)(void *arg, const struct kube_watch_result *result);
};

struct kube_watch_options {
    const struct kube_resource *resource;
    const char *namespace_name;
    const char *label_selector;   /* or NULL */
    const char *resource_version; /* where to go on from */
    bool bookmarks;               /* allowWatchBookmarks */
    bool table; /* ask for Tables of one row, whose object is the metadata alone */
};

/** Opens a stream with timeoutSeconds=300. events is kept by pointer. */
struct kube_watch *kube_watch_start(struct kube *kube, const struct kube_watch_options *options,
                                    const struct kube_watch_events *events, void *arg) MUST_CHECK;
/** Frees it, calling nobody; allowed in on_event. Takes NULL. */
void kube_watch_stop(struct kube_watch *watch);

#endif
