/* story - our own client and a fakeapi in simulated time. */
#include "tests/conformance/complaints/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

const struct kube_resource configmaps = {"", "v1", "configmaps"};
const struct kube_resource pods = {"", "v1", "pods"};
const struct kube_resource namespaces = {"", "v1", "namespaces"};
const struct kube_resource leases = {"coordination.k8s.io", "v1", "leases"};
const struct kube_resource definitions = {"apiextensions.k8s.io", "v1",
                                          "customresourcedefinitions"};
const struct kube_resource widgets = {"example.com", "v1", "widgets"};

static const char widget_definition[] =
    "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":"
    "[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{\"status\":{}},"
    "\"selectableFields\":[{\"jsonPath\":\".spec.colour\"}],\"schema\":{\"openAPIV3Schema\":"
    "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"colour\":"
    "{\"type\":\"string\"}}},\"status\":{\"type\":\"object\",\"properties\":{\"phase\":"
    "{\"type\":\"string\"}}}}}}}]}}";

/* --- one request --- */

static char *slice_text(const char *bytes, size_t size)
{
    return xprintf("%.*s", (int)size, bytes);
}

static void on_done(void *arg, const struct kube_result *result)
{
    struct outcome *outcome = arg;

    outcome->ended = true;
    outcome->status = result->status;
    outcome->retry_after_s = result->refusal.retry_after_s;
    outcome->text = result->body.bytes != NULL
                        ? slice_text(result->body.bytes, result->body.size)
                        : xprintf("%s: %s", text_or(result->refusal.reason, ""),
                                  text_or(result->refusal.message, ""));
}

static bool is_going(void *arg)
{
    return !((const struct outcome *)arg)->ended;
}

static const char *namespace_of(const struct kube_resource *resource)
{
    return resource == &namespaces || resource == &definitions ? NULL : "default";
}

struct outcome ask(struct story *story, const struct ask_line *line)
{
    struct outcome outcome = {0};
    struct kube_request request = {
        .verb = line->verb,
        .resource = line->resource,
        .namespace_name = namespace_of(line->resource),
        .name = line->name,
        .subresource = line->subresource,
        .query = line->query,
        .body = line->body,
        .body_size = line->body == NULL ? 0 : strlen(line->body),
    };
    struct sim *sim = story->server.sim;

    kube_send(story->kube, &request, on_done, &outcome);
    sim_run_while(sim, sim_now_us(sim) + STORY_PATIENCE_US, is_going, &outcome);
    if (!outcome.ended)
        fail_msg("%s: no answer", line->what);
    return outcome;
}

void tell(struct story *story, const struct ask_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ask_line *line = &lines[i];
        struct outcome outcome = ask(story, line);

        if (outcome.status != line->status)
            fail_msg("%s: %u instead of %u: %s", line->what, outcome.status, line->status,
                     outcome.text);
        if (line->want != NULL && strstr(outcome.text, line->want) == NULL)
            fail_msg("%s: no %s in %s", line->what, line->want, outcome.text);
        if (line->refuse != NULL && strstr(outcome.text, line->refuse) != NULL)
            fail_msg("%s: %s in %s", line->what, line->refuse, outcome.text);
        free(outcome.text);
    }
}

/* metadata.resourceVersion of an answer. */
/* metadata.resourceVersion of an answer. */
static long long version_in(const char *text)
{
    const char *at = strstr(text, "\"resourceVersion\":\"");

    assert_non_null(at);
    return strtoll(at + strlen("\"resourceVersion\":\""), NULL, 10);
}

long long version_of(struct story *story, const struct kube_resource *resource, const char *name)
{
    struct outcome outcome =
        ask(story, &(struct ask_line){
                       .what = "version", .verb = KUBE_GET, .resource = resource, .name = name});
    long long version = version_in(outcome.text);

    free(outcome.text);
    return version;
}

/* --- a watch and what came of it --- */

static void on_event(void *arg, const struct kube_event *event)
{
    struct stream *stream = arg;

    assert_true(stream->count < EVENTS_MAX);
    stream->events[stream->count].type = event->type;
    stream->events[stream->count].version = strtoll(event->resource_version, NULL, 10);
    stream->events[stream->count].object = slice_text(event->object.bytes, event->object.size);
    stream->count++;
}

static void on_watch_end(void *arg, const struct kube_watch_result *result)
{
    struct stream *stream = arg;

    stream->watch = NULL;
    stream->ended = true;
    stream->end = result->end;
}

static const struct kube_watch_events watch_events = {on_event, on_watch_end};

void stream_open(struct story *story, struct stream *stream, const struct kube_resource *resource,
                 const char *labels, long long from, bool bookmarks)
{
    char version[32];

    snprintf(version, sizeof(version), "%lld", from);
    *stream = (struct stream){0};
    stream->watch = kube_watch_start(story->kube,
                                     &(struct kube_watch_options){.resource = resource,
                                                                  .namespace_name = "default",
                                                                  .label_selector = labels,
                                                                  .resource_version = version,
                                                                  .bookmarks = bookmarks},
                                     &watch_events, stream);
    server_run(&story->server, US_PER_SECOND);
}

void stream_close(struct stream *stream)
{
    kube_watch_stop(stream->watch);
    for (size_t i = 0; i < stream->count; i++)
        free(stream->events[i].object);
}

/* The types in order: "AMD". */
void assert_types(struct story *story, const struct stream *stream, const char *types)
{
    static const char letters[] = {
        [KUBE_ADDED] = 'A', [KUBE_MODIFIED] = 'M', [KUBE_DELETED] = 'D', [KUBE_BOOKMARK] = 'B'};
    char got[EVENTS_MAX + 1] = "";

    server_run(&story->server, US_PER_SECOND);
    for (size_t i = 0; i < stream->count; i++)
        got[i] = letters[stream->events[i].type];
    got[stream->count] = '\0';
    assert_string_equal(got, types);
}

/* --- worlds --- */

void open_story(struct story *story, const char *flag, const char *value)
{
    static const char kubeconfig[] =
        "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: "
        "c, user: u}}]\nclusters: [{name: c, cluster: {server: 'http://api:80'}}]\nusers: [{name: "
        "u, user: {}}]\n";
    const struct kube_config_options options = {.kubeconfig = "/kubeconfig"};
    struct kube_config *config;
    struct error err = ERROR_INIT;
    struct runtime *rt;

    server_start(&story->server, flag, value, NULL);
    rt = sim_process_runtime(story->server.client);
    sim_file_put(story->server.client, "/kubeconfig", kubeconfig, strlen(kubeconfig));
    if (!kube_config_load(rt, &options, &config, &err))
        fail_msg("kubeconfig: %s", err.text);
    story->kube = kube_new(rt, config, NULL);
}

void close_story(struct story *story)
{
    kube_free(story->kube);
    server_free(&story->server);
}

void install_widgets(struct story *story)
{
    static const struct ask_line lines[] = {
        {"the kind", KUBE_CREATE, &definitions, NULL, NULL, widget_definition, 201, NULL, NULL,
         NULL}
    };

    TELL(story, lines);
    server_run(&story->server, 10 * US_PER_SECOND);
}
