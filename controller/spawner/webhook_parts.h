/* webhook_parts - what the files of the receiver share: webhook.c takes deliveries in and answers
 * them, webhook_desk.c reads, decides and records for one spawner. For webhook*.c alone. */
#ifndef CONTROLLER_SPAWNER_WEBHOOK_PARTS_H
#define CONTROLLER_SPAWNER_WEBHOOK_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/jobs/naming.h"
#include "controller/kube/kube.h"
#include "controller/runtime/runtime.h"
#include "controller/spawner/spawner_api.h"
#include "controller/spawner/webhook.h"
#include "controller/spawner/webhook_decide.h"

enum delivery_state {
    DELIVERY_RECEIVING,
    DELIVERY_WAITING,   /* in its desk's waiting, or of the reading under way */
    DELIVERY_QUEUED,    /* decided, to be created */
    DELIVERY_CREATING,  /* from here on it goes on without its sender */
    DELIVERY_RECORDING, /* in its desk's unrecorded, or of the write under way */
    DELIVERY_ANSWERED,
};

struct delivery {
    struct webhook *webhook;
    struct delivery *prev, *next;             /* in webhook->deliveries */
    struct delivery *queue_prev, *queue_next; /* in *queue */
    struct delivery **queue;                  /* where it stands in line; NULL: nowhere */
    enum delivery_state state;
    struct request *request; /* NULL: its sender is gone */
    const struct request_head *head;
    struct webhook_target target;
    struct buffer body;
    size_t charged; /* to the budget */
    bool chunked;
    struct desk *desk;
    char *id;                   /* once it is to be created */
    char agent[SAFE_NAME_SIZE]; /* likewise */
    struct buffer object;       /* likewise: the Agent */
    struct kube_call *create;
    bool created; /* else it was there already */
};

/* All that waits for one spawner. It lives as long as a delivery holds it. */
struct desk {
    struct webhook *webhook;
    struct desk *prev, *next; /* in webhook->desks */
    char *name;
    size_t holders;
    struct delivery *waiting; /* for the next reading */
    struct delivery *reading; /* those whom the one under way is for */
    struct kube_call *read;
    struct spawner *spawner; /* as last seen; NULL before */
    struct delivery *unrecorded;
    struct delivery *recording; /* those whom the write under way is for */
    struct kube_call *write;
    unsigned reapplied; /* how often that write was */
};

struct webhook {
    struct runtime *rt;
    struct metrics *metrics;
    char *namespace_name;
    struct spawner_api api;
    struct listener *listener;
    struct delivery *deliveries;
    struct desk *desks;
    struct delivery *to_create; /* in line */
    size_t creating;
    size_t recording;
    size_t charged;
    bool stopping;
    struct timer *end;
    void (*done)(void *arg);
    void *arg;
};

/* --- lines of deliveries --- */

void delivery_queue(struct delivery *delivery, struct delivery **queue);
/** Takes it out of the line that it stands in, if it does. */
void delivery_unqueue(struct delivery *delivery);

/* --- answers, which end what a delivery asks for; it may be gone after --- */

/** What strangers get: a status without a body. result is the metric's. */
void webhook_refuse(struct delivery *delivery, unsigned status, const char *result);
/** {"status":word,key:value}; key NULL: the word alone. */
void webhook_tell(struct delivery *delivery, unsigned status, const char *result, const char *word,
                  const char *key, const char *value);

/** Logs what is wrong with a spawner, its key or a write; texts of ours and of the API server. */
void webhook_warn(struct webhook *webhook, const char *message, const char *spawner,
                  const char *detail);

/** Puts a decided delivery in line to be created. */
void webhook_create(struct delivery *delivery);

/* --- desks --- */

/** The delivery, whose body is whole, waits for its spawner to be read. */
void desk_join(struct delivery *delivery);
/** Its Agent is there: it is to be recorded. */
void desk_record(struct delivery *delivery);
/** The delivery has no more to do with its desk. */
void desk_leave(struct delivery *delivery);
/** Frees it with all it has under way, calling nobody. */
void desk_free(struct desk *desk);

#endif
