/* caller - requests one at a time, over real sockets: each call waits for its answer. */
#ifndef SCENARIOS_LIVE_CALLER_H
#define SCENARIOS_LIVE_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Largest answer. */
#define CALLER_ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct caller;

struct caller *caller_new(void) MUST_CHECK;
/** Takes NULL. */
void caller_free(struct caller *caller);

/** Of the machine, see runtime_elapsed_us(). */
int64_t caller_now_us(struct caller *caller);
/** Of the machine, see runtime_random(). */
uint64_t caller_random(struct caller *caller);
/** Lets so much time go by. */
void caller_sleep(struct caller *caller, int64_t us);

/** Where a request goes. */
struct caller_server {
    const char *url;         /* "http://127.0.0.1:40000" */
    const char *unix_socket; /* or NULL */
    const char *token;       /* or NULL */
};

struct caller_answer {
    unsigned status;
    struct buffer body;
};

/** Sends it and waits. type and body may be NULL. ERROR_IO where no whole answer came. Release the
 * answer's body in any case. */
bool caller_ask(struct caller *caller, const struct caller_server *server, const char *method,
                const char *path, const char *type, const char *body, struct caller_answer *answer,
                struct error *err) MUST_CHECK;

/** GET, and what came, parsed: *ret_tree is NULL for a 404. ERROR_IO for any other status. */
bool caller_read(struct caller *caller, const struct caller_server *server, const char *path,
                 struct json_object **ret_tree, struct error *err) MUST_CHECK;

#endif
