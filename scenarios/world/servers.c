/* servers - scripted HTTP endpoints on hosts of their own: they keep what they get, and answer by
 * the first row that fits. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/actors.h"

/** Most bytes of one request's body, and most requests to all servers of a world. */
#define REQUEST_BYTES_MAX ((size_t)8 * 1024 * 1024)
#define REQUESTS_MAX 20000

/** One that a server got, from its head to its end. */
struct server_request {
    struct server_host *host;
    struct request *request; /* NULL: it is over */
    struct json_object *told;
    struct buffer body;
    bool whole;
    const struct server_answer *answer; /* NULL: the usual one */
    struct timer *delay;                /* NULL: none runs */
    struct server_request *next;
};

struct server_host {
    struct world *world;
    const struct server *server;
    struct sim_process *process;
    struct listener *listener;
    struct server_request *requests; /* the newest first */
    uint64_t *fitted;                /* by the rows but for their nth, so many requests so far */
    size_t count;
    struct server_host *next;
};

/* --- what came --- */

static struct json_object *headers_of(const struct request_head *head)
{
    struct json_object *headers = json_object_new_object();

    for (size_t i = 0; i < head->header_count; i++) {
        char *name = xstrdup(head->headers[i].name);

        for (char *letter = name; *letter != 0; letter++)
            *letter = (char)tolower((unsigned char)*letter);
        json_set_text(headers, name, head->headers[i].value);
        free(name);
    }
    return headers;
}

static struct json_object *tell_head(const struct request_head *head)
{
    struct json_object *told = json_object_new_object();
    const char *query = strchr(head->target, '?');
    const char *colon = strrchr(head->peer, ':');
    char *path = query == NULL ? xstrdup(head->target)
                               : xmemdup(head->target, (size_t)(query - head->target));
    char *from =
        colon == NULL ? xstrdup(head->peer) : xmemdup(head->peer, (size_t)(colon - head->peer));

    json_set_text(told, "method", head->method);
    json_set_text(told, "path", path);
    if (query != NULL)
        json_set_text(told, "query", query + 1);
    json_set_text(told, "from", from);
    json_set(told, "headers", headers_of(head));
    free(path);
    free(from);
    return told;
}

/** JSON where it is JSON, else the text. */
static void tell_body(struct server_request *item)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (item->body.size == 0)
        return;
    if (json_parse(item->body.bytes, item->body.size, REQUEST_BYTES_MAX, &tree, &err))
        json_set(item->told, "body", tree);
    else
        json_set_text(item->told, "body", buffer_text(&item->body));
}

/* --- what is answered --- */

static bool fits(const struct server_answer *answer, const struct json_object *told)
{
    return (answer->method == NULL || strcmp(answer->method, json_get_text(told, "method")) == 0) &&
           (answer->path == NULL || fnmatch(answer->path, json_get_text(told, "path"), 0) == 0);
}

/** The first row that fits; all that fit but for their nth count the request. */
static const struct server_answer *choose(struct server_host *host, const struct json_object *told)
{
    const struct server_answer *chosen = NULL;

    for (size_t i = 0; i < host->server->answer_count; i++) {
        const struct server_answer *answer = &host->server->answers[i];

        if (!fits(answer, told))
            continue;
        host->fitted[i]++;
        if (chosen == NULL && (answer->nth == 0 || host->fitted[i] == (uint64_t)answer->nth))
            chosen = answer;
    }
    return chosen;
}

static unsigned status_of(const struct server_request *item)
{
    if (item->answer != NULL)
        return (unsigned)item->answer->status;
    return item->host->server->answer_count == 0 ? 200 : 404;
}

static void respond(struct server_request *item)
{
    const struct server_answer *answer = item->answer;
    size_t count = answer == NULL ? 0 : answer->headers.count;
    struct http_header *headers = xcalloc(count + 1, sizeof(*headers));
    const char *body = answer == NULL ? NULL : answer->body;
    const struct http_response response = {.status = status_of(item),
                                           .headers = headers,
                                           .header_count = count,
                                           .body = body,
                                           .body_size = body == NULL ? 0 : strlen(body)};

    for (size_t i = 0; i < count; i++)
        headers[i] =
            (struct http_header){answer->headers.items[i].name, answer->headers.items[i].value};
    request_respond(item->request, &response);
    free(headers);
}

static void finish(struct server_request *item)
{
    if (item->answer != NULL && item->answer->drop) {
        request_reset(item->request);
        item->request = NULL;
        return;
    }
    respond(item);
}

static void on_delay(void *arg)
{
    struct server_request *item = arg;

    item->delay = NULL;
    finish(item);
}

/* --- requests --- */

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct server_request *)arg)->body, bytes, size);
}

static void on_body_end(void *arg)
{
    struct server_request *item = arg;
    struct server_host *host = item->host;
    struct error err = ERROR_INIT;

    if (!buffer_check(&item->body, &err))
        world_fail(host->world, "server", NULL, "%s got a request that is too large",
                   host->server->host);
    tell_body(item);
    item->whole = true;
    item->answer = choose(host, item->told);
    if (item->answer == NULL || !item->answer->drop)
        json_set_int64(item->told, "answer", status_of(item));
    if (host->world->watched != NULL)
        host->world->changed = true;
    if (item->answer != NULL && item->answer->delay_us > 0)
        item->delay = runtime_after(item->request->rt, item->answer->delay_us, on_delay, item);
    else
        finish(item);
}

static void on_closed(void *arg, bool delivered)
{
    struct server_request *item = arg;

    (void)delivered;
    timer_cancel(item->delay);
    item->delay = NULL;
    item->request = NULL;
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {on_body, on_body_end, on_closed};
    struct server_host *host = arg;
    struct server_request *item = xcalloc(1, sizeof(*item));

    item->host = host;
    item->request = request;
    item->told = tell_head(head);
    item->body = BUFFER_INIT(REQUEST_BYTES_MAX);
    item->next = host->requests;
    host->requests = item;
    if (++host->count > REQUESTS_MAX)
        world_fail(host->world, "server", NULL, "%s got more than %d requests", host->server->host,
                   REQUESTS_MAX);
    request_accept(request, &events, item);
}

/* --- the host --- */

static void listen(struct server_host *host)
{
    static const struct http_service service = {on_request};
    const struct listen_options options = {.address = "::", .port = (uint16_t)host->server->port};
    struct error err = ERROR_INIT;

    if (!runtime_listen(sim_process_runtime(host->process), &options, &service, host,
                        &host->listener, &err))
        world_fail(host->world, "server", NULL, "%s cannot listen: %s", host->server->host,
                   err.text);
}

void servers_start(struct world *world)
{
    for (size_t i = 0; i < world->scenario->server_count; i++) {
        struct server_host *host = xcalloc(1, sizeof(*host));

        host->world = world;
        host->server = &world->scenario->servers[i];
        host->fitted = xcalloc(host->server->answer_count + 1, sizeof(*host->fitted));
        host->process =
            sim_process_new(world->sim, &(struct sim_process_options){.name = host->server->host});
        host->next = world->actors->servers;
        world->actors->servers = host;
        sim_process_start(host->process);
        listen(host);
    }
}

size_t servers_requests(const struct world *world, const char *name,
                        struct json_object ***ret_items)
{
    const struct server_host *host = world->actors->servers;
    struct json_object **items;
    size_t count = 0;

    while (host != NULL && strcmp(host->server->host, name) != 0)
        host = host->next;
    items = xcalloc((host == NULL ? 0 : host->count) + 1, sizeof(struct json_object *));
    for (const struct server_request *item = host == NULL ? NULL : host->requests; item != NULL;
         item = item->next) {
        if (item->whole)
            items[count++] = json_object_get(item->told);
    }
    for (size_t i = 0; i < count / 2; i++) { /* the first one first */
        struct json_object *last = items[count - 1 - i];

        items[count - 1 - i] = items[i];
        items[i] = last;
    }
    *ret_items = items;
    return count;
}

static void free_requests(struct server_host *host)
{
    while (host->requests != NULL) {
        struct server_request *item = host->requests;

        host->requests = item->next;
        (void)json_object_put(item->told);
        buffer_release(&item->body);
        free(item);
    }
}

void servers_release(struct world *world)
{
    while (world->actors->servers != NULL) {
        struct server_host *host = world->actors->servers;

        world->actors->servers = host->next;
        free_requests(host);
        free(host->fitted);
        free(host);
    }
}
