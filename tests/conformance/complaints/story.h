/* story - our own client and a fakeapi in simulated time, for simulated.c. */
#ifndef TESTS_CONFORMANCE_COMPLAINTS_STORY_H
#define TESTS_CONFORMANCE_COMPLAINTS_STORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/kube/kube.h"
#include "controller/kube/kube_list.h"
#include "controller/kube/kube_watch.h"
#include "tests/unit/rest/server.h"

/** How long an answer may take, in virtual time. */
#define STORY_PATIENCE_US (300 * INT64_C(1000000))
/** Most events of one stream. */
#define EVENTS_MAX 256

extern const struct kube_resource configmaps;
extern const struct kube_resource pods;
extern const struct kube_resource namespaces;
extern const struct kube_resource leases;
extern const struct kube_resource definitions;
extern const struct kube_resource widgets;

struct story {
    struct server server;
    struct kube *kube;
};

/** With one flag for the server and its value, or NULL. */
void open_story(struct story *story, const char *flag, const char *value);
void close_story(struct story *story);
/** Makes the custom kind, and waits until it is served. */
void install_widgets(struct story *story);

/* --- one request --- */

struct outcome {
    unsigned status;
    bool ended;
    char *text; /* the body, or "reason: message" of a refusal */
    int64_t retry_after_s;
};

/** What is asked, and what of the answer is looked at. */
struct ask_line {
    const char *what;
    enum kube_verb verb;
    const struct kube_resource *resource;
    const char *name;
    const char *query;
    const char *body;
    unsigned status;
    const char *want;   /* must be in the answer; NULL: anything */
    const char *refuse; /* must not; NULL: nothing */
    const char *subresource;
};

/** Sends and waits for the end; free() the text. */
struct outcome ask(struct story *story, const struct ask_line *line);
/** Fails the test at the first line whose answer is not the wanted one. */
void tell(struct story *story, const struct ask_line *lines, size_t count);
#define TELL(story, lines) tell(story, lines, ARRAY_SIZE(lines))

#define CREATE(name, rest)                                                                         \
    {                                                                                              \
        "create " name, KUBE_CREATE, &configmaps, NULL, NULL,                                      \
            "{\"metadata\":{\"name\":\"" name "\"" rest "}}", 201, NULL, NULL, NULL                \
    }

/** metadata.resourceVersion of an object as it is now; of a list of them when name is NULL. */
long long version_of(struct story *story, const struct kube_resource *resource, const char *name);

/* --- a watch and what came of it --- */

struct stream {
    struct kube_watch *watch;
    size_t count;
    struct {
        enum kube_event_type type;
        long long version;
        char *object;
    } events[EVENTS_MAX];
    bool ended;
    enum kube_watch_end end;
};

void stream_open(struct story *story, struct stream *stream, const struct kube_resource *resource,
                 const char *labels, long long from, bool bookmarks);
void stream_close(struct stream *stream);
/** The types in order: "AMD". */
void assert_types(struct story *story, const struct stream *stream, const char *types);

#endif
