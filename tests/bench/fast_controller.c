/* fast-controller - agent-controller on the live runtime with clocks that run FAST_CLOCK times as
 * fast: an hour of its life in a few minutes, with real processes and sockets. Below 1 they run
 * slowly, so that it can be looked at between two polls. Timeouts of requests stay real. */
#include <stdlib.h>

#include "controller/agent_controller.h"
#include "controller/base/memory.h"
#include "controller/runtime/live.h"

/* The live runtime's own table with other clocks, in its place. */
struct fast {
    struct runtime_ops ops;
    struct runtime *rt;
    const struct runtime_ops *real;
    double factor;
    int64_t wall_from_us;
    int64_t elapsed_from_us;
    void *root; /* the controller's */
};

static const struct fast *fast_of(const struct runtime *rt)
{
    return (const struct fast *)rt->ops;
}

/* How far the clocks have come since the start. */
static int64_t passed_us(struct runtime *rt)
{
    const struct fast *fast = fast_of(rt);
    int64_t real_us = fast->real->elapsed_us(rt) - fast->elapsed_from_us;

    return (int64_t)((double)real_us * fast->factor);
}

static int64_t elapsed_us(struct runtime *rt)
{
    return fast_of(rt)->elapsed_from_us + passed_us(rt);
}

static int64_t wall_us(struct runtime *rt)
{
    return fast_of(rt)->wall_from_us + passed_us(rt);
}

static struct timer *after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg)
{
    const struct fast *fast = fast_of(rt);

    return fast->real->after(rt, (int64_t)((double)delay_us / fast->factor), fn, arg);
}

static void fast_free(void *root)
{
    struct fast *fast = root;

    agent_controller_program.free(fast->root);
    fast->rt->ops = fast->real;
    free(fast);
}

static bool fast_start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                       struct error *err)
{
    struct fast *fast = xcalloc(1, sizeof(*fast));
    const char *factor = runtime_setting(rt, "FAST_CLOCK");

    fast->rt = rt;
    fast->real = rt->ops;
    fast->ops = *rt->ops;
    fast->ops.elapsed_us = elapsed_us;
    fast->ops.wall_us = wall_us;
    fast->ops.after = after;
    fast->factor = factor == NULL ? 0 : strtod(factor, NULL);
    fast->wall_from_us = runtime_wall_us(rt);
    fast->elapsed_from_us = runtime_elapsed_us(rt);
    if (!(fast->factor > 0)) {
        free(fast);
        return error_set(err, ERROR_USAGE, "FAST_CLOCK is not a number above 0");
    }
    rt->ops = &fast->ops;
    if (!agent_controller_program.start(rt, argc, argv, &fast->root, err)) {
        rt->ops = fast->real;
        free(fast);
        return false;
    }
    *ret_root = fast;
    return true;
}

static const struct program fast_program = {
    .name = "fast-controller",
    .start = fast_start,
    .free = fast_free,
};

int main(int argc, char **argv)
{
    memory_give_back();
    return live_main(&fast_program, live_client(), argc, argv);
}
