/* message - a request or an answer on its way: head and, when it is whole, body. */
#ifndef SCENARIOS_SIM_MESSAGE_H
#define SCENARIOS_SIM_MESSAGE_H

#include "controller/runtime/runtime.h"

struct message {
    const char *method; /* of a request */
    const char *target;
    unsigned status; /* of an answer */
    const struct http_header *headers;
    size_t header_count;
    size_t head_bytes;  /* about what it takes on the wire */
    struct bytes *body; /* NULL: none, or streamed */
};

/** A copy, all in one block. Those of extra whose value is NULL are left out. Takes the reference
 * to message->body over. */
struct message *message_new(const struct message *message, const struct http_header *extra,
                            size_t extra_count) MUST_CHECK;
/** Takes NULL. */
void message_free(struct message *message);
size_t message_body_size(const struct message *message);

#endif
