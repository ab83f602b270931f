#include "controller/telemetry/shutdown.h"

#include <assert.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/telemetry/shutdown_decide.h"

struct shutdown {
    struct runtime *rt;
    struct shutdown_options options;
    struct shutdown_view view;
    struct timer *timer; /* while there is something to wait for */
};

struct shutdown *shutdown_new(struct runtime *rt, const struct shutdown_options *options)
{
    struct shutdown *shutdown = xcalloc(1, sizeof(*shutdown));

    shutdown->rt = rt;
    shutdown->options = *options;
    shutdown->view.min_delay_us = options->min_delay_us;
    shutdown->view.timeout_us = options->timeout_us;
    return shutdown;
}

void shutdown_free(struct shutdown *shutdown)
{
    if (shutdown == NULL)
        return;
    timer_cancel(shutdown->timer);
    free(shutdown);
}

static void go_on(struct shutdown *shutdown);

static void on_timer(void *arg)
{
    struct shutdown *shutdown = arg;

    shutdown->timer = NULL;
    go_on(shutdown);
}

/* What it calls may free it: last. */
static void go_on(struct shutdown *shutdown)
{
    const struct shutdown_options *options = &shutdown->options;
    int64_t now_us = runtime_elapsed_us(shutdown->rt);
    int64_t wake_us;
    enum shutdown_step step = shutdown_decide(&shutdown->view, now_us, &wake_us);

    timer_cancel(shutdown->timer);
    shutdown->timer = NULL;
    if (wake_us != INT64_MAX)
        shutdown->timer = runtime_after(shutdown->rt, wake_us - now_us, on_timer, shutdown);
    if (step == SHUTDOWN_DRAIN && !shutdown->view.draining) {
        shutdown->view.draining = true;
        shutdown->view.drain_us = now_us;
        options->drain(options->arg);
    } else if (step == SHUTDOWN_LEAVE || step == SHUTDOWN_CUT) {
        options->leave(options->arg, step == SHUTDOWN_CUT);
    }
}

void shutdown_begin(struct shutdown *shutdown)
{
    assert(!shutdown->view.asked);
    shutdown->view.asked = true;
    shutdown->view.asked_us = runtime_elapsed_us(shutdown->rt);
    go_on(shutdown);
}

bool shutdown_is_asked(const struct shutdown *shutdown)
{
    return shutdown->view.asked;
}

void shutdown_finished(struct shutdown *shutdown)
{
    assert(shutdown->view.draining);
    shutdown->view.finished = true;
    go_on(shutdown);
}
