/* chatter - I-CHATTER: nobody of ours says the same thing again and again, however long a fault
 * lasts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/invariants/rows.h"

/** Ten at the end of one minute of log_limit.h, and ten at the begin of the next. */
#define REPEATS_MAX 20
#define WINDOW_US US_PER_MINUTE

struct said {
    char *key; /* the process and the message */
    int64_t window_start_us;
    uint64_t count;
    UT_hash_handle hh;
};

struct state {
    struct said *said;
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void forget(struct state *state, struct said *said)
{
    HASH_DEL(state->said, said);
    free(said->key);
    free(said);
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->said != NULL)
        forget(state, state->said);
    free(state);
}

/* "Station not read" of "Station not read agent=a error=...". */
static size_t message_size(const char *line)
{
    size_t size = strcspn(line, "=");

    while (size > 0 && line[size] != '\0' && line[size] != ' ')
        size--;
    return size;
}

static struct said *find(struct state *state, const char *process, const char *line, int64_t at_us)
{
    char *key = xprintf("%s %.*s", process, (int)message_size(line), line);
    struct said *said;

    HASH_FIND_STR(state->said, key, said);
    if (said != NULL) {
        free(key);
        return said;
    }
    said = xcalloc(1, sizeof(*said));
    said->key = key;
    said->window_start_us = at_us;
    HASH_ADD_KEYPTR(hh, state->said, said->key, strlen(said->key), said);
    return said;
}

static void on_log(struct judge *judge, int64_t at_us, const char *process, enum log_level level,
                   const char *line)
{
    struct said *said;

    if (level < LOG_WARN)
        return; /* of something else each time */
    said = find(judge->state, process, line, at_us);
    if (at_us - said->window_start_us >= WINDOW_US) {
        said->window_start_us = at_us;
        said->count = 0;
    }
    if (++said->count == REPEATS_MAX + 1)
        judge_violation(judge, at_us, "%s warned %" PRIu64 " times within %" PRId64 " s: %s",
                        process, said->count, WINDOW_US / US_PER_SECOND, line);
}

/** A new process has said nothing: who dies again and again says it each time. */
static void on_process(struct judge *judge, int64_t at_us, const char *process,
                       enum process_change change)
{
    struct state *state = judge->state;
    struct said *said;
    struct said *next;
    size_t size = strlen(process);

    (void)at_us;
    (void)change;
    HASH_ITER (hh, state->said, said, next) {
        if (strncmp(said->key, process, size) == 0 && said->key[size] == ' ')
            forget(state, said);
    }
}

const struct invariant invariant_chatter = {
    .id = "I-CHATTER",
    .what = "no replica gives one warning again and again",
    .create = create,
    .destroy = destroy,
    .on_log = on_log,
    .on_process = on_process,
};
