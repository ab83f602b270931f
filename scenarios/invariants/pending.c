/* pending - see pending.h. */
#include "scenarios/invariants/pending.h"

#include <stdlib.h>

#include "controller/base/memory.h"

void pending_put(struct pending *pending, uint64_t id, char *note)
{
    struct pending_call *call = xcalloc(1, sizeof(*call));

    free(pending_take(pending, id));
    call->id = id;
    call->note = note;
    HASH_ADD(hh, pending->calls, id, sizeof(call->id), call);
}

char *pending_take(struct pending *pending, uint64_t id)
{
    struct pending_call *call;
    char *note;

    HASH_FIND(hh, pending->calls, &id, sizeof(id), call);
    if (call == NULL)
        return NULL;
    HASH_DEL(pending->calls, call);
    note = call->note;
    free(call);
    return note;
}

void pending_release(struct pending *pending)
{
    while (pending->calls != NULL)
        free(pending_take(pending, pending->calls->id));
}
