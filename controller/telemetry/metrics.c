#include "controller/telemetry/metrics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

struct series {
    int64_t value;  /* of a counter or gauge; else how many observations */
    int64_t sum_us; /* of a summary or histogram */
    bool touched;
    int64_t *buckets; /* of a histogram: observations per bucket, not cumulative */
};

struct metric {
    const struct metric_description *description;
    struct series *series; /* the second label changes fastest */
    size_t series_count;
};

struct metrics {
    struct metric *metrics;
    size_t count;
};

/* --- labels --- */

static size_t label_size(const struct metric_label *label)
{
    if (label->name == NULL)
        return 1;
    return label->number_count > 0 ? label->number_count + 1 : label->value_count;
}

static size_t find_number(const struct metric_label *label, const char *value)
{
    uint64_t number;

    /* "007" is no number that we write, so it is none of the listed ones. */
    if (text_to_uint64(value, &number) && number < label->number_count &&
        (value[0] != '0' || value[1] == '\0'))
        return (size_t)number;
    return label->number_count;
}

static size_t find_value(const struct metric_label *label, const char *value)
{
    size_t index = 0;

    if (label->name == NULL)
        return 0;
    assert(value != NULL);
    if (label->number_count > 0)
        return find_number(label, value);
    while (index < label->value_count && !text_equal(label->values[index], value))
        index++;
    assert(index < label->value_count);
    return index;
}

static void append_label(struct buffer *into, const struct metric_label *label, size_t index)
{
    buffer_append_format(into, "%s=\"", label->name);
    if (label->number_count == 0)
        buffer_append_text(into, label->values[index]);
    else if (index == label->number_count)
        buffer_append_text(into, "other");
    else
        buffer_append_format(into, "%zu", index);
    buffer_append_char(into, '"');
}

/* --- the registry --- */

static void metric_init(struct metric *metric, const struct metric_description *description)
{
    assert(description->bucket_count == 0 || description->type == METRIC_HISTOGRAM);
    metric->description = description;
    metric->series_count =
        label_size(&description->labels[0]) * label_size(&description->labels[1]);
    metric->series = xcalloc(metric->series_count, sizeof(*metric->series));
    if (description->type != METRIC_HISTOGRAM)
        return;
    for (size_t i = 0; i < metric->series_count; i++)
        metric->series[i].buckets = xcalloc(description->bucket_count + 1, sizeof(int64_t));
}

struct metrics *metrics_new(const struct metric_description *descriptions, size_t count)
{
    struct metrics *metrics = xcalloc(1, sizeof(*metrics));

    metrics->count = count;
    metrics->metrics = xcalloc(count, sizeof(*metrics->metrics));
    for (size_t i = 0; i < count; i++)
        metric_init(&metrics->metrics[i], &descriptions[i]);
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (metrics == NULL)
        return;
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t k = 0; k < metrics->metrics[i].series_count; k++)
            free(metrics->metrics[i].series[k].buckets);
        free(metrics->metrics[i].series);
    }
    free(metrics->metrics);
    free(metrics);
}

static struct series *find_series(const struct metrics *metrics, unsigned id, const char *label,
                                  const char *label2)
{
    const struct metric *metric;
    const struct metric_label *labels;

    assert(id < metrics->count);
    metric = &metrics->metrics[id];
    labels = metric->description->labels;
    return &metric->series[find_value(&labels[0], label) * label_size(&labels[1]) +
                           find_value(&labels[1], label2)];
}

void metrics_count(struct metrics *metrics, unsigned id, const char *label, const char *label2)
{
    struct series *series = find_series(metrics, id, label, label2);

    assert(metrics->metrics[id].description->type == METRIC_COUNTER);
    series->value++;
    series->touched = true;
}

void metrics_set(struct metrics *metrics, unsigned id, const char *label, int64_t value)
{
    struct series *series = find_series(metrics, id, label, NULL);

    assert(metrics->metrics[id].description->type == METRIC_GAUGE ||
           metrics->metrics[id].description->type == METRIC_COUNTER);
    series->value = value;
    series->touched = true;
}

void metrics_observe_us(struct metrics *metrics, unsigned id, const char *label,
                        int64_t duration_us)
{
    struct series *series = find_series(metrics, id, label, NULL);
    const struct metric_description *description = metrics->metrics[id].description;
    size_t bucket = 0;

    assert(description->type == METRIC_SUMMARY || description->type == METRIC_HISTOGRAM);
    if (duration_us < 0)
        duration_us = 0;
    series->value++;
    series->touched = true;
    /* Durations may come from objects' timestamps: two far ones must not wrap the sum. */
    if (__builtin_add_overflow(series->sum_us, duration_us, &series->sum_us))
        series->sum_us = INT64_MAX;
    if (series->buckets == NULL)
        return;
    while (bucket < description->bucket_count &&
           duration_us > description->buckets_s[bucket] * US_PER_SECOND)
        bucket++;
    series->buckets[bucket]++;
}

int64_t metrics_value(const struct metrics *metrics, unsigned id, const char *label,
                      const char *label2)
{
    return find_series(metrics, id, label, label2)->value;
}

/* --- rendering --- */

static const char *type_name(enum metric_type type)
{
    static const char *const names[] = {
        [METRIC_COUNTER] = "counter",
        [METRIC_GAUGE] = "gauge",
        [METRIC_SUMMARY] = "summary",
        [METRIC_HISTOGRAM] = "histogram",
    };

    return names[type];
}

/* "name_suffix{a="x",le="60"} " with only the braces that are needed. */
static void append_name(struct buffer *into, const struct metric *metric, size_t index,
                        const char *suffix, const char *bound)
{
    const struct metric_label *labels = metric->description->labels;
    size_t width = label_size(&labels[1]);
    const size_t indexes[METRIC_LABELS_MAX] = {index / width, index % width};
    char separator = '{';

    buffer_append_format(into, "%s%s", metric->description->name, suffix);
    for (size_t i = 0; i < METRIC_LABELS_MAX; i++) {
        if (labels[i].name == NULL)
            continue;
        buffer_append_char(into, separator);
        append_label(into, &labels[i], indexes[i]);
        separator = ',';
    }
    if (bound != NULL) {
        buffer_append_format(into, "%cle=\"%s\"", separator, bound);
        separator = ',';
    }
    if (separator == ',')
        buffer_append_char(into, '}');
    buffer_append_char(into, ' ');
}

static void append_count(struct buffer *into, int64_t count)
{
    buffer_append_format(into, "%lld\n", (long long)count);
}

/* Microseconds, 0 or more, as seconds, exactly, without zeros at the end. */
static void append_seconds(struct buffer *into, int64_t duration_us)
{
    int64_t fraction = duration_us % US_PER_SECOND;
    int digits = 6;

    buffer_append_format(into, "%lld", (long long)(duration_us / US_PER_SECOND));
    if (fraction > 0) {
        for (; fraction % 10 == 0; digits--)
            fraction /= 10;
        buffer_append_format(into, ".%0*lld", digits, (long long)fraction);
    }
    buffer_append_char(into, '\n');
}

static void append_buckets(struct buffer *into, const struct metric *metric, size_t index)
{
    const struct metric_description *description = metric->description;
    int64_t total = 0;

    for (size_t i = 0; i <= description->bucket_count; i++) {
        char bound[24] = "+Inf";

        if (i < description->bucket_count)
            snprintf(bound, sizeof(bound), "%lld", (long long)description->buckets_s[i]);
        total += metric->series[index].buckets[i];
        append_name(into, metric, index, "_bucket", bound);
        append_count(into, total);
    }
}

static void append_series(struct buffer *into, const struct metric *metric, size_t index)
{
    const struct series *series = &metric->series[index];
    enum metric_type type = metric->description->type;

    if (metric->description->sparse && !series->touched)
        return;
    if (type == METRIC_COUNTER || type == METRIC_GAUGE) {
        append_name(into, metric, index, "", NULL);
        if (metric->description->in_us)
            append_seconds(into, series->value);
        else
            append_count(into, series->value);
        return;
    }
    if (type == METRIC_HISTOGRAM)
        append_buckets(into, metric, index);
    append_name(into, metric, index, "_sum", NULL);
    append_seconds(into, series->sum_us);
    append_name(into, metric, index, "_count", NULL);
    append_count(into, series->value);
}

void metrics_render(const struct metrics *metrics, struct buffer *into)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->metrics[i];

        buffer_append_format(into, "# HELP %s %s\n# TYPE %s %s\n", metric->description->name,
                             metric->description->help, metric->description->name,
                             type_name(metric->description->type));
        for (size_t k = 0; k < metric->series_count; k++)
            append_series(into, metric, k);
    }
}
