/* metrics - numbers about this process, rendered in the text format of Prometheus (version 0.0.4).
 *
 * All metrics, labels and label values are declared up front in a table, so nothing that comes from
 * outside can grow the set. Output is in the table's order, label values in theirs. */
#ifndef CONTROLLER_TELEMETRY_METRICS_H
#define CONTROLLER_TELEMETRY_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

#define METRIC_LABELS_MAX 2
#define METRIC_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"
/** Largest rendering. */
#define METRIC_BYTES_MAX (1024 * 1024)

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_SUMMARY, METRIC_HISTOGRAM };

/** A label and all the values that it can take: those listed, or the decimal numbers below
 * number_count and "other", which stands for any further value. A value that is not listed is a
 * mistake of ours. */
struct metric_label {
    const char *name; /* NULL: no label */
    const char *const *values;
    size_t value_count;
    size_t number_count; /* above 0: instead of values */
};

struct metric_description {
    const char *name;
    const char *help;
    enum metric_type type;
    struct metric_label labels[METRIC_LABELS_MAX];
    const int64_t *buckets_s; /* of a histogram: upper bounds in seconds, rising, without +Inf */
    size_t bucket_count;
    bool sparse; /* shows only the series that were touched */
    bool in_us;  /* of a counter or gauge: its value is in microseconds, and shown in seconds */
};

struct metrics;

/** A registry of count metrics, an id being the index in descriptions, which is kept by pointer.
 * All series start at 0. */
struct metrics *metrics_new(const struct metric_description *descriptions, size_t count) MUST_CHECK;
void metrics_free(struct metrics *metrics);

/* Label values come in the order of the labels; NULL where there is no label. */

/** Adds one to a counter. */
void metrics_count(struct metrics *metrics, unsigned id, const char *label, const char *label2);
/** Sets a gauge, or a counter that somebody else counts. */
void metrics_set(struct metrics *metrics, unsigned id, const char *label, int64_t value);
/** Adds one observation to a summary or a histogram; a negative one counts as 0. */
void metrics_observe_us(struct metrics *metrics, unsigned id, const char *label,
                        int64_t duration_us);

/** What a counter or gauge stands at, or how many observations there were. */
int64_t metrics_value(const struct metrics *metrics, unsigned id, const char *label,
                      const char *label2);

void metrics_render(const struct metrics *metrics, struct buffer *into);

#endif
