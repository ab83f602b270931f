/* future - reads of a state that is not there yet wait for it a while (WIRE.md G1, L3), and creates
 * of a kind that has just been established (R5).
 *
 * A client that has seen a revision asks for one no older; behind several servers it may know more
 * than the one it asks. */
#include <stdlib.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/call.h"

/* The real server's patience with its own cache. */
#define PATIENCE_US (3 * US_PER_SECOND)

static void resume(struct call *call)
{
    timer_cancel(call->delay);
    call->delay = NULL;
    call->awaited = 0;
    call->rest->awaiting_count--;
    call->waited = true;
    call_dispatch_again(call);
}

static void on_patience_over(void *arg)
{
    struct call *call = arg;

    call->delay = NULL; /* it has fired */
    resume(call);
}

bool call_awaits_revision(struct call *call)
{
    char *text = route_query(&call->route, "resourceVersion");
    bool future = text_to_uint64(text_or(text, ""), &call->awaited) &&
                  call->awaited > store_revision(call->rest->store);

    free(text);
    if (call->waited || !future || call->effect.action == FAULT_STALE) {
        call->awaited = 0;
        return false;
    }
    call->rest->awaiting_count++;
    call->delay = runtime_after(call->rest->rt, PATIENCE_US, on_patience_over, call);
    return true;
}

/* Those whose revision is there; with all, the others too. */
static void resume_some(struct rest *rest, bool all)
{
    uint64_t revision = store_revision(rest->store);
    struct call *next;

    for (struct call *call = rest->calls; call != NULL && rest->awaiting_count > 0; call = next) {
        next = call->next;
        if (call->awaited != 0 && (all || call->awaited <= revision))
            resume(call);
    }
}

void future_give_up(struct rest *rest)
{
    resume_some(rest, true);
}

static void on_change(void *arg, const struct store_event *event)
{
    (void)event;
    resume_some(arg, false);
}

const struct store_observer future_observer = {on_change};

/* --- creates behind an establishment --- */

static void on_hold_over(void *arg)
{
    struct call *call = arg;

    call->delay = NULL; /* it has fired */
    call->waited = true;
    call_dispatch_again(call);
}

bool call_is_held(struct call *call)
{
    if (call->waited || call->verb != VERB_CREATE ||
        runtime_elapsed_us(call->rest->rt) >= call->kind->hold_until_us)
        return false;
    call->delay = runtime_after(call->rest->rt, ESTABLISHMENT_HOLD_US, on_hold_over, call);
    return true;
}
