/* webhook_desk - reads, decides and records for the deliveries of one spawner. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/spawner/delivery_memory.h"
#include "controller/spawner/spawn.h"
#include "controller/spawner/webhook_parts.h"

/* How often a write is made again after a conflict (RULES.md 13.6). */
#define REAPPLIED_MAX 5

#define US_PER_MINUTE_OF_ENTRIES (60 * US_PER_SECOND)

/* --- lives of desks --- */

static struct desk *desk_of(struct webhook *webhook, const char *name)
{
    struct desk *desk;

    DL_FOREACH (webhook->desks, desk)
        if (text_equal(desk->name, name))
            return desk;
    desk = xcalloc(1, sizeof(*desk));
    desk->webhook = webhook;
    desk->name = xstrdup(name);
    DL_APPEND(webhook->desks, desk);
    return desk;
}

void desk_free(struct desk *desk)
{
    DL_DELETE(desk->webhook->desks, desk);
    kube_call_cancel(desk->read);
    kube_call_cancel(desk->write);
    spawner_free(desk->spawner);
    free(desk->name);
    free(desk);
}

static void let_go(struct desk *desk)
{
    if (--desk->holders == 0)
        desk_free(desk);
}

void desk_leave(struct delivery *delivery)
{
    struct desk *desk = delivery->desk;

    delivery->desk = NULL;
    if (desk != NULL)
        let_go(desk);
}

static void move_all(struct delivery **from, struct delivery **to)
{
    while (*from != NULL) {
        struct delivery *delivery = *from;

        delivery_unqueue(delivery);
        delivery_queue(delivery, to);
    }
}

/* What an object of the API says is how the spawner is now. */
static bool take_spawner(struct desk *desk, struct json_slice body)
{
    struct spawner *seen = NULL;
    struct error err = ERROR_INIT;

    if (!spawner_read(body, &seen, &err)) {
        webhook_warn(desk->webhook, "AgentSpawner not usable", desk->name, err.text);
        return false;
    }
    spawner_free(desk->spawner);
    desk->spawner = seen;
    return true;
}

/* --- reading --- */

static void read_next(struct desk *desk);

/* All of the reading get that answer, and the next one begins. */
static void end_reading(struct desk *desk, unsigned status, const char *result)
{
    desk->holders++;
    while (desk->reading != NULL)
        webhook_refuse(desk->reading, status, result);
    read_next(desk);
    let_go(desk);
}

static bool prepare(struct delivery *delivery, const struct webhook_decision *decision)
{
    const struct spawn spawn = {
        .spawner = delivery->desk->spawner,
        .name = decision->agent,
        .delivery = decision->id,
        .target_repo = decision->target_repo,
        .parameters = decision->parameters,
        .parameter_count = decision->parameter_count,
    };

    delivery->object = BUFFER_INIT(SPAWNER_BODY_BYTES_MAX);
    spawn_write(&spawn, &delivery->object);
    delivery->id = xstrdup(decision->id);
    memcpy(delivery->agent, decision->agent, sizeof(delivery->agent));
    buffer_release(&delivery->body);
    return !delivery->object.overflowed;
}

static void act(struct delivery *delivery, const struct webhook_decision *decision)
{
    switch (decision->verdict) {
    case WEBHOOK_UNSIGNED:
        webhook_refuse(delivery, 401, "unsigned");
        break;
    case WEBHOOK_UNSUPPORTED:
        webhook_tell(delivery, 415, "malformed", "refused", "reason", decision->reason);
        break;
    case WEBHOOK_MALFORMED:
        webhook_tell(delivery, 400, "malformed", "refused", "reason", decision->reason);
        break;
    case WEBHOOK_IGNORED:
        webhook_tell(delivery, 200, "ignored", "ignored", "reason", decision->reason);
        break;
    case WEBHOOK_DUPLICATE:
        webhook_tell(delivery, 200, "duplicate", "duplicate", "agent", decision->agent);
        break;
    case WEBHOOK_CREATE:
        if (prepare(delivery, decision))
            webhook_create(delivery);
        else
            webhook_tell(delivery, 500, "failed", "failed", "reason", "the Agent is too large");
        break;
    }
}

static void decide(struct delivery *delivery, const char *key, size_t key_size)
{
    const struct webhook_delivery seen = {
        .headers = delivery->head->headers,
        .header_count = delivery->head->header_count,
        .body = delivery->body.bytes == NULL ? "" : delivery->body.bytes,
        .body_size = delivery->body.size,
    };
    struct webhook_decision decision = {0};

    delivery_unqueue(delivery);
    webhook_decide(&seen, delivery->desk->spawner, key, key_size, &decision);
    act(delivery, &decision);
    webhook_decision_release(&decision);
}

static void end_reading_with_key(struct desk *desk, const char *key, size_t key_size)
{
    desk->holders++;
    while (desk->reading != NULL)
        decide(desk->reading, key, key_size);
    read_next(desk);
    let_go(desk);
}

/* The key's bytes; NULL when there is none, or nothing in it. free() it. */
static char *key_of(struct json_slice secret, const char *name, size_t *ret_size)
{
    struct json_slice data = json_slice_get(secret, "data");
    char *text = json_slice_begins(data, '{') ? json_slice_text(json_slice_get(data, name)) : NULL;
    char *key = text == NULL ? NULL : base64_decode(text, false, ret_size);

    free(text);
    if (key != NULL && *ret_size == 0) {
        free(key);
        return NULL;
    }
    return key;
}

/* A write that ended meanwhile may have brought a newer spawner, whose key it is then. */
static void on_secret(void *arg, const struct kube_result *result)
{
    struct desk *desk = arg;
    const struct spawner_github *github = desk->spawner->github;
    size_t size = 0;
    char *key;

    desk->read = NULL;
    if (github == NULL) {
        end_reading(desk, 404, "not_found");
        return;
    }
    if (!result->ok && !kube_result_is_missing(result)) {
        webhook_warn(desk->webhook, "Secret not read", desk->name, result->error.text);
        end_reading(desk, 503, "unavailable");
        return;
    }
    key = result->ok ? key_of(result->body, github->secret, &size) : NULL;
    if (key == NULL) {
        webhook_warn(desk->webhook, "key of webhooks not found", desk->name, github->secret);
        end_reading(desk, 500, "failed");
        return;
    }
    end_reading_with_key(desk, key, size);
    free(key);
}

static void on_spawner(void *arg, const struct kube_result *result)
{
    struct desk *desk = arg;

    desk->read = NULL;
    if (!result->ok && !kube_result_is_missing(result)) {
        webhook_warn(desk->webhook, "AgentSpawner not read", desk->name, result->error.text);
        end_reading(desk, 503, "unavailable");
    } else if (!result->ok || !take_spawner(desk, result->body) || desk->spawner->deleting ||
               desk->spawner->github == NULL) {
        end_reading(desk, 404, "not_found");
    } else {
        desk->read = spawner_api_get_secret(&desk->webhook->api, on_secret, desk);
    }
}

static void read_next(struct desk *desk)
{
    move_all(&desk->waiting, &desk->reading);
    if (desk->reading != NULL)
        desk->read = spawner_api_get(&desk->webhook->api, desk->name, on_spawner, desk);
}

void desk_join(struct delivery *delivery)
{
    struct desk *desk = desk_of(delivery->webhook, delivery->target.spawner);

    desk->holders++;
    delivery->desk = desk;
    delivery->state = DELIVERY_WAITING;
    delivery_queue(delivery, &desk->waiting);
    if (desk->read == NULL)
        read_next(desk);
}

/* --- recording --- */

static void write_next(struct desk *desk);

/* The answer of one that is recorded, or not. */
static void conclude(struct delivery *delivery, bool recorded)
{
    delivery_unqueue(delivery);
    if (!recorded)
        webhook_tell(delivery, 503, "unavailable", "unavailable", NULL, NULL);
    else if (delivery->created)
        webhook_tell(delivery, 201, "created", "created", "agent", delivery->agent);
    else
        webhook_tell(delivery, 200, "duplicate", "duplicate", "agent", delivery->agent);
}

static void end_write(struct desk *desk, bool recorded)
{
    desk->holders++;
    while (desk->recording != NULL)
        conclude(desk->recording, recorded);
    write_next(desk);
    let_go(desk);
}

/* The memory with those that wait; false when they are all in it. *ret_last is the newest Agent, or
 * NULL. */
static bool remember(struct desk *desk, struct text_list *memory, const char **ret_last)
{
    int64_t now_us = runtime_wall_us(desk->webhook->rt);
    struct delivery *delivery;
    const char **ids;
    size_t count = 0;
    bool any;

    DL_COUNT2(desk->recording, delivery, count, queue_next);
    ids = xcalloc(count, sizeof(*ids));
    count = 0;
    DL_FOREACH2(desk->recording, delivery, queue_next)
    {
        ids[count++] = delivery->id;
        if (delivery->created)
            *ret_last = delivery->agent;
    }
    any = delivery_remember(&desk->spawner->deliveries, ids, count,
                            now_us / US_PER_MINUTE_OF_ENTRIES, memory);
    free(ids);
    return any;
}

static void on_written(void *arg, const struct kube_result *result);

static void write_memory(struct desk *desk)
{
    struct text_list memory = {0};
    const char *last = NULL;

    if (remember(desk, &memory, &last))
        desk->write =
            spawner_api_remember(&desk->webhook->api, desk->name, desk->spawner->resource_version,
                                 &memory, last, on_written, desk);
    else
        end_write(desk, true);
    text_list_release(&memory);
}

static void give_up(struct desk *desk, const struct kube_result *result)
{
    webhook_warn(desk->webhook, "deliveries not recorded", desk->name, result->error.text);
    end_write(desk, false);
}

static void on_read_again(void *arg, const struct kube_result *result)
{
    struct desk *desk = arg;

    desk->write = NULL;
    if (result->ok && take_spawner(desk, result->body))
        write_memory(desk);
    else
        give_up(desk, result);
}

static void on_written(void *arg, const struct kube_result *result)
{
    struct desk *desk = arg;

    desk->write = NULL;
    if (kube_result_landed(result)) {
        if (result->ok)
            (void)take_spawner(desk, result->body);
        end_write(desk, true);
    } else if (result->status == 409 && desk->reapplied < REAPPLIED_MAX) {
        desk->reapplied++;
        desk->write = spawner_api_get(&desk->webhook->api, desk->name, on_read_again, desk);
    } else {
        give_up(desk, result);
    }
}

static void write_next(struct desk *desk)
{
    move_all(&desk->unrecorded, &desk->recording);
    desk->reapplied = 0;
    if (desk->recording != NULL)
        write_memory(desk);
}

void desk_record(struct delivery *delivery)
{
    struct desk *desk = delivery->desk;

    delivery_queue(delivery, &desk->unrecorded);
    if (desk->write == NULL && desk->recording == NULL)
        write_next(desk);
}
