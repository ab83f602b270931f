#include "controller/sinks/sinks.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/sinks/target.h"

struct sinks {
    struct runtime *rt;
    struct delivery *delivery;
};

struct sinks_run {
    struct sinks *sinks;
    struct sinks_run_options options;
    struct target *targets[SINKS_OF_RUN_MAX];
    size_t target_count;
};

struct sinks *sinks_new(struct runtime *rt)
{
    struct sinks *sinks = xcalloc(1, sizeof(*sinks));
    const char *attempts = runtime_setting(rt, "AGENT_SINK_RETRY_ATTEMPTS");
    const char *base_ms = runtime_setting(rt, "AGENT_SINK_RETRY_BASE_MS");
    const char *max_ms = runtime_setting(rt, "AGENT_SINK_RETRY_MAX_MS");
    const struct delivery_settings settings = delivery_settings_parse(attempts, base_ms, max_ms);

    sinks->rt = rt;
    sinks->delivery = delivery_new(rt, &settings);
    return sinks;
}

void sinks_stop(struct sinks *sinks, int64_t within_us, void (*on_stopped)(void *arg), void *arg)
{
    delivery_stop(sinks->delivery, within_us, on_stopped, arg);
}

struct delivery_counts sinks_counts(const struct sinks *sinks)
{
    return delivery_counts(sinks->delivery);
}

void sinks_free(struct sinks *sinks)
{
    if (sinks == NULL)
        return;
    delivery_free(sinks->delivery);
    free(sinks);
}

/* --- a run --- */

/* number is the sink's place in output.sinks, from 1; 0: all of them. */
static void warn(const struct sinks_run *run, const char *message, size_t number, const char *why)
{
    const struct log_field fields[] = {
        LOG_TEXT("agent", run->options.source.agent),
        LOG_TEXT("why", why),
        LOG_NUMBER("sink", (int64_t)number),
    };
    const struct log_record record = {LOG_WARN, message, fields,
                                      ARRAY_SIZE(fields) - (number == 0 ? 1 : 0)};

    runtime_log(run->sinks->rt, &record);
}

static void warn_headers(const struct sinks_run *run, size_t number,
                         const struct header_block *block)
{
    char *why = xprintf("line %zu: %s", block->fault_line, block->fault);

    warn(run, "headers of a sink left out", number, why);
    free(why);
}

static void add_target(struct sinks_run *run, const struct sinks_item *item, size_t number)
{
    struct error err = ERROR_INIT;
    struct target *target;

    if (run->target_count == SINKS_OF_RUN_MAX) {
        warn(run, "sink left out", number, "more sinks than a run can have");
        return;
    }
    if (!target_new(text_or(item->url, ""), item->headers, item->headers_size, &target, &err)) {
        warn(run, "sink left out", number, err.text);
        return;
    }
    if (target->headers.fault != NULL)
        warn_headers(run, number, &target->headers);
    run->targets[run->target_count++] = target;
}

struct sinks_run *sinks_run_new(struct sinks *sinks, const struct sinks_run_options *options)
{
    struct sinks_run *run = xcalloc(1, sizeof(*run));

    run->sinks = sinks;
    run->options = *options;
    for (size_t i = 0; i < options->item_count; i++)
        if (text_equal(options->items[i].type, "http"))
            add_target(run, &options->items[i], i + 1);
    return run;
}

static void send(struct sinks_run *run, const char *line, size_t size)
{
    struct error err = ERROR_INIT;
    struct bytes *event;

    if (run->target_count == 0)
        return;
    if (!envelope_new(&run->options.source, line, size, &event, &err)) {
        warn(run, "event not sent", 0, err.text);
        return;
    }
    for (size_t i = 0; i < run->target_count; i++)
        delivery_add(run->sinks->delivery, run->targets[i], event, run->options.source.agent);
    bytes_unref(event);
}

void sinks_run_line(struct sinks_run *run, const char *line, size_t size)
{
    const struct sinks_run_options *options = &run->options;

    if (selector_passes(options->selectors, options->selector_count, options->vendor, line, size))
        send(run, line, size);
}

void sinks_run_lifecycle(struct sinks_run *run, const struct lifecycle_event *event)
{
    char *text = lifecycle_to_text(event);

    send(run, text, strlen(text));
    free(text);
}

void sinks_run_free(struct sinks_run *run)
{
    if (run == NULL)
        return;
    for (size_t i = 0; i < run->target_count; i++)
        target_unref(run->targets[i]);
    free(run);
}
