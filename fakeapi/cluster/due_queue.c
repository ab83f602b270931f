/* due_queue - keys that want attention: a heap by time, a table by key. */
#include "fakeapi/cluster/due_queue.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"

struct entry {
    char *key;
    int64_t due_us;  /* elapsed clock */
    uint64_t number; /* of adding: earlier ones first */
    size_t position; /* in the heap */
    UT_hash_handle hh;
};

struct due_queue {
    struct runtime *rt;
    void (*work)(void *arg, const char *key);
    void *arg;
    struct entry *by_key;
    struct entry **heap; /* the earliest first */
    size_t count;
    size_t capacity;
    uint64_t next_number;
    struct timer *timer; /* NULL: none is running */
    int64_t timer_due_us;
};

static void on_timer(void *arg);

struct due_queue *due_queue_new(struct runtime *rt, void (*work)(void *arg, const char *key),
                                void *arg)
{
    struct due_queue *queue = xcalloc(1, sizeof(*queue));

    queue->rt = rt;
    queue->work = work;
    queue->arg = arg;
    return queue;
}

/* --- the heap --- */

static bool is_before(const struct entry *a, const struct entry *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->number < b->number;
}

static void put(struct due_queue *queue, size_t position, struct entry *entry)
{
    queue->heap[position] = entry;
    entry->position = position;
}

static void move_up(struct due_queue *queue, struct entry *entry)
{
    size_t at = entry->position;

    while (at > 0 && is_before(entry, queue->heap[(at - 1) / 2])) {
        put(queue, at, queue->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(queue, at, entry);
}

static void move_down(struct due_queue *queue, struct entry *entry)
{
    size_t at = entry->position;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && is_before(queue->heap[child + 1], queue->heap[child]))
            child++;
        if (!is_before(queue->heap[child], entry))
            break;
        put(queue, at, queue->heap[child]);
        at = child;
    }
    put(queue, at, entry);
}

static void take_out(struct due_queue *queue, struct entry *entry)
{
    struct entry *last = queue->heap[--queue->count];

    HASH_DEL(queue->by_key, entry);
    if (last != entry) {
        put(queue, entry->position, last);
        move_up(queue, last);
        move_down(queue, last);
    }
}

static void free_entry(struct entry *entry)
{
    free(entry->key);
    free(entry);
}

/* --- time --- */

/* The timer runs for the first entry, and for no other. */
static void set_timer(struct due_queue *queue)
{
    int64_t now_us;

    if (queue->count == 0) {
        timer_cancel(queue->timer);
        queue->timer = NULL;
        return;
    }
    if (queue->timer != NULL && queue->timer_due_us == queue->heap[0]->due_us)
        return;
    timer_cancel(queue->timer);
    now_us = runtime_elapsed_us(queue->rt);
    queue->timer_due_us = queue->heap[0]->due_us;
    queue->timer = runtime_after(queue->rt, queue->timer_due_us - now_us, on_timer, queue);
}

/* Works on what is due now; what is added meanwhile waits for the next turn of the loop. */
static void on_timer(void *arg)
{
    struct due_queue *queue = arg;
    int64_t now_us = runtime_elapsed_us(queue->rt);
    uint64_t end = queue->next_number;

    queue->timer = NULL;
    while (queue->count > 0 && queue->heap[0]->due_us <= now_us && queue->heap[0]->number < end) {
        struct entry *entry = queue->heap[0];

        take_out(queue, entry);
        queue->work(queue->arg, entry->key);
        free_entry(entry);
    }
    set_timer(queue);
}

/* --- keys --- */

static struct entry *insert(struct due_queue *queue, const char *key)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));

    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? 16 : 2 * queue->capacity;
        queue->heap = xrealloc(queue->heap, queue->capacity * sizeof(struct entry *));
    }
    entry->key = xstrdup(key);
    entry->due_us = INT64_MAX;
    entry->number = queue->next_number++;
    put(queue, queue->count++, entry);
    HASH_ADD_KEYPTR(hh, queue->by_key, entry->key, strlen(entry->key), entry);
    return entry;
}

void due_queue_add(struct due_queue *queue, const char *key, int64_t delay_us)
{
    int64_t due_us = runtime_elapsed_us(queue->rt);
    struct entry *entry;

    due_us += delay_us < 0 ? 0 : delay_us;
    HASH_FIND_STR(queue->by_key, key, entry);
    if (entry == NULL)
        entry = insert(queue, key);
    if (due_us >= entry->due_us)
        return;
    entry->due_us = due_us;
    move_up(queue, entry);
    set_timer(queue);
}

void due_queue_remove(struct due_queue *queue, const char *key)
{
    struct entry *entry;

    HASH_FIND_STR(queue->by_key, key, entry);
    if (entry == NULL)
        return;
    take_out(queue, entry);
    free_entry(entry);
    set_timer(queue);
}

static void drop_all(struct due_queue *queue)
{
    while (queue->count > 0) {
        struct entry *entry = queue->heap[queue->count - 1];

        take_out(queue, entry);
        free_entry(entry);
    }
}

void due_queue_clear(struct due_queue *queue)
{
    drop_all(queue);
    set_timer(queue);
}

size_t due_queue_count(const struct due_queue *queue)
{
    return queue->count;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *const *left = a;
    const struct entry *const *right = b;

    return is_before(*left, *right) ? -1 : 1;
}

void due_queue_each(const struct due_queue *queue,
                    void (*fn)(void *arg, const char *key, int64_t due_elapsed_us), void *arg)
{
    struct entry **sorted;

    if (queue->count == 0)
        return;
    sorted = xcalloc(queue->count, sizeof(struct entry *));
    memcpy(sorted, queue->heap, queue->count * sizeof(struct entry *));
    qsort(sorted, queue->count, sizeof(struct entry *), compare_entries);
    for (size_t i = 0; i < queue->count; i++)
        fn(arg, sorted[i]->key, sorted[i]->due_us);
    free(sorted);
}

void due_queue_free(struct due_queue *queue)
{
    if (queue == NULL)
        return;
    timer_cancel(queue->timer);
    drop_all(queue);
    free(queue->heap);
    free(queue);
}
