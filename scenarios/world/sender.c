/* sender - requests from outside, as GitHub makes them for a webhook. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/actor_rules.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/sweep.h"

#define HOST "github"
/** GitHub waits this long for an answer. */
#define PATIENCE_US (10 * US_PER_SECOND)
#define ANSWER_BYTES_MAX ((size_t)1024 * 1024)
#define PORT_DEFAULT 80
/** Headers that are not the scenario's own. */
#define HEADERS_MAX 8
/** So much of an answer stands in a message. */
#define SHOWN_BYTES 200

struct sent_request {
    struct world *world;
    const struct step *step;
    unsigned status; /* 0 until the answer begins */
    struct buffer answer;
    bool done;
    struct sent_request *next;
};

/* --- its headers --- */

struct headers {
    struct http_header *items;
    size_t count;
};

static void set(struct headers *headers, const char *name, const char *value)
{
    for (size_t i = 0; i < headers->count; i++) {
        if (strcasecmp(headers->items[i].name, name) == 0) {
            headers->items[i].value = value;
            return;
        }
    }
    headers->items[headers->count++] = (struct http_header){name, value};
}

/** "sha256=" and the HMAC of the body. free() it. */
static char *signature_of(const struct send_action *send)
{
    uint8_t digest[SHA256_SIZE];
    char hex[SHA256_HEX_SIZE];
    const char *body = text_or(send->body, "");

    digest_hmac_sha256(send->secret, strlen(send->secret), body, strlen(body), digest);
    digest_hex(digest, sizeof(digest), hex);
    return xprintf("sha256=%s", hex);
}

/** The items are to be freed; texts are the action's and signature. */
static struct headers headers_of(const struct send_action *send, const char *signature)
{
    struct headers headers = {0};

    headers.items = xcalloc(HEADERS_MAX + send->headers.count, sizeof(*headers.items));
    set(&headers, "Accept", "*/*");
    if (send->body != NULL)
        set(&headers, "Content-Type", "application/json");
    if (send->event != NULL) {
        set(&headers, "User-Agent", "GitHub-Hookshot/044aadd");
        set(&headers, "X-GitHub-Event", send->event);
        set(&headers, "X-GitHub-Hook-ID", "1");
    }
    if (send->delivery != NULL)
        set(&headers, "X-GitHub-Delivery", send->delivery);
    if (signature != NULL)
        set(&headers, "X-Hub-Signature-256", signature);
    for (size_t i = 0; i < send->headers.count; i++)
        set(&headers, send->headers.items[i].name, send->headers.items[i].value);
    return headers;
}

/* --- its answer --- */

static void on_head(void *arg, const struct response_head *head)
{
    ((struct sent_request *)arg)->status = head->status;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct sent_request *)arg)->answer, bytes, size);
}

static void judge(const struct sent_request *sent)
{
    const struct answer answer = {sent->status, &sent->answer};
    struct buffer details = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);

    if (answer_is_wanted(sent->step, &answer)) {
        bindings_take_answer(sent->world, sent->step, &answer);
        checks_end(sent->world, sent->step);
        return;
    }
    answer_append_differences(sent->step, &answer, sent->world->scenario->path, &details);
    world_fail(sent->world, "send", buffer_text(&details), "line %u: %s answered with %u: %.*s",
               sent->step->send->place.line, sent->step->send->to, sent->status, SHOWN_BYTES,
               buffer_text(&sent->answer));
    buffer_release(&details);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct sent_request *sent = arg;
    const struct send_action *send = sent->step->send;

    sent->done = true;
    if (sweep_spares(sent->world, &sent->step->may_change))
        checks_end(sent->world, sent->step);
    else if (send->no_answer && end == EXCHANGE_COMPLETE)
        world_fail(sent->world, "send", NULL, "line %u: %s answered with %u, and was not to",
                   send->place.line, send->to, sent->status);
    else if (send->no_answer)
        checks_end(sent->world, sent->step);
    else if (end != EXCHANGE_COMPLETE)
        world_fail(sent->world, "send", NULL, "line %u: no answer from %s: %s%s%s",
                   send->place.line, send->to, exchange_end_name(end), *detail == '\0' ? "" : ": ",
                   detail);
    else
        judge(sent);
}

/* --- sending --- */

static int64_t port_of(const struct world *world, const struct send_action *send)
{
    const struct server *server = actors_find_server(world->scenario, send->to);

    if (send->port >= 0)
        return send->port;
    return server == NULL ? PORT_DEFAULT : server->port;
}

static void go(struct sent_request *sent, const struct sim_process *to)
{
    static const struct exchange_events events = {on_head, on_body, on_end};
    const struct send_action *own = sent->step->send;
    const struct send_action *send = own->original == NULL ? own : own->original;
    char *signature = send->secret == NULL ? NULL : signature_of(send);
    struct headers headers = headers_of(send, signature);
    char *url =
        xprintf("http://%s:%d%s", sim_process_name(to), (int)port_of(sent->world, own), send->path);
    const struct http_request request = {.method = send->method,
                                         .url = url,
                                         .headers = headers.items,
                                         .header_count = headers.count,
                                         .body = send->body,
                                         .body_size = send->body == NULL ? 0 : strlen(send->body),
                                         .total_timeout_us = PATIENCE_US,
                                         .response_bytes_max = ANSWER_BYTES_MAX};

    (void)runtime_request(sim_process_runtime(sent->world->actors->github), &request, &events,
                          sent);
    free(url);
    free(headers.items);
    free(signature);
}

struct sent_request *sender_begin(struct world *world, const struct step *step)
{
    struct sent_request *sent = xcalloc(1, sizeof(*sent));
    const struct sim_process *to = role_find(world, step->send->to);

    sent->world = world;
    sent->step = step;
    sent->answer = BUFFER_INIT(ANSWER_BYTES_MAX);
    sent->next = world->actors->sent;
    world->actors->sent = sent;
    sent->done = to == NULL;
    if (to == NULL)
        world_fail(world, "no such process", NULL, "line %u: there is no %s at this moment",
                   step->send->place.line, step->send->to);
    else
        go(sent, to);
    return sent;
}

bool sender_is_done(const struct sent_request *sent)
{
    return sent->done;
}

static void prepare(struct world *world, const struct send_action *send)
{
    if (send == NULL)
        return;
    if (send->secret != NULL)
        invariants_secret(world->invariants, send->secret);
    if (world->actors->github != NULL)
        return;
    world->actors->github =
        sim_process_new(world->sim, &(struct sim_process_options){.name = HOST});
    sim_process_start(world->actors->github);
}

void sender_start(struct world *world)
{
    const struct scenario *scenario = world->scenario;

    for (size_t i = 0; i < scenario->step_count; i++)
        prepare(world, scenario->steps[i].send);
    for (size_t i = 0; i < scenario->cleanup_count; i++)
        prepare(world, scenario->cleanup[i].send);
}

void sender_release(struct world *world)
{
    while (world->actors->sent != NULL) {
        struct sent_request *sent = world->actors->sent;

        world->actors->sent = sent->next;
        buffer_release(&sent->answer);
        free(sent);
    }
}
