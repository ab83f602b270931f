#include "scenarios/sim/link.h"

#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

struct sim_link_entry {
    const struct sim_process *to;
    struct sim_link link;
    struct sim_link_entry *next;
};

const struct sim_link sim_link_default = {
    .latency_us = 200, .jitter_us = 100, .reset_after_bytes = -1};

static struct sim_link_entry *find(const struct sim_process *from, const struct sim_process *to)
{
    struct sim_link_entry *entry;

    LL_FOREACH (from->links, entry)
        if (entry->to == to)
            return entry;
    return NULL;
}

const struct sim_link *link_between(const struct sim_process *from, const struct sim_process *to)
{
    const struct sim_link_entry *entry = find(from, to);

    return entry == NULL ? &from->sim->default_link : &entry->link;
}

int64_t link_draw_latency_us(const struct sim_process *from, const struct sim_process *to)
{
    const struct sim_link *link = link_between(from, to);

    if (link->jitter_us <= 0)
        return link->latency_us;
    return link->latency_us +
           (int64_t)prng_below(&from->sim->network, (uint64_t)link->jitter_us + 1);
}

struct sim_process *link_resolve(struct sim_process *from, const char *host, bool *ret_loopback)
{
    *ret_loopback =
        text_equal(host, "localhost") || text_starts_with(host, "127.") || text_equal(host, "::1");
    return *ret_loopback ? from : sim_process_find(from->sim, host);
}

void links_free(struct sim_process *process)
{
    while (process->links != NULL) {
        struct sim_link_entry *entry = process->links;

        LL_DELETE(process->links, entry);
        free(entry);
    }
}

void sim_set_default_link(struct sim *sim, const struct sim_link *link)
{
    sim->default_link = *link;
}

void sim_set_link(struct sim *sim, struct sim_process *from, struct sim_process *to,
                  const struct sim_link *link)
{
    struct sim_link_entry *entry = find(from, to);

    (void)sim;
    if (entry == NULL) {
        entry = xcalloc(1, sizeof(*entry));
        entry->to = to;
        LL_PREPEND(from->links, entry);
    }
    entry->link = *link;
}

struct sim_link sim_get_link(const struct sim *sim, const struct sim_process *from,
                             const struct sim_process *to)
{
    (void)sim;
    return *link_between(from, to);
}

void sim_cut(struct sim *sim, struct sim_process *from, struct sim_process *to, bool cut)
{
    struct sim_link link = sim_get_link(sim, from, to);

    link.cut = cut;
    sim_set_link(sim, from, to, &link);
}

void sim_partition(struct sim *sim, struct sim_process *a, struct sim_process *b, bool cut)
{
    sim_cut(sim, a, b, cut);
    sim_cut(sim, b, a, cut);
}
