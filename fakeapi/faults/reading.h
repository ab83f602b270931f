/* reading - a fault rule while it is read from YAML: values, and who is told of mistakes. */
#ifndef FAKEAPI_FAULTS_READING_H
#define FAKEAPI_FAULTS_READING_H

#include "controller/base/yaml.h"
#include "fakeapi/faults/faults.h"

/* What is being read, and who is told of mistakes. */
struct reading {
    struct fault_rule rule;
    size_t actions; /* how many of those that exclude each other */
    fault_mistake_fn *mistake;
    void *arg;
};

/* One key of a mapping, and what reads its value. */
struct reading_key {
    const char *name;
    bool (*read)(struct reading *r, const struct yaml_node *node);
};

/** Tells of a mistake; false. */
bool reading_fail(struct reading *r, unsigned line, unsigned column, const char *format, ...)
    PRINTF_LIKE(4, 5);
bool reading_fail_at(struct reading *r, const struct yaml_node *node, const char *what);

/** Each is false after a mistake. */
bool reading_mapping(struct reading *r, const struct yaml_node *node,
                     const struct reading_key *keys, size_t key_count);
bool reading_count(struct reading *r, const struct yaml_node *node, uint64_t least, uint64_t most,
                   uint64_t *ret_value);
bool reading_duration(struct reading *r, const struct yaml_node *node, int64_t *ret_us);
bool reading_text(struct reading *r, const struct yaml_node *node, const char **ret_text);
/** Only "true": what is not wanted is left out. */
bool reading_true(struct reading *r, const struct yaml_node *node);
/** A matcher is one pattern or a list of them. */
bool reading_patterns(struct reading *r, const struct yaml_node *node,
                      struct fault_patterns *patterns);
const struct yaml_node *reading_pattern_at(const struct yaml_node *node, size_t index);

/** What "do" holds. */
bool reading_deed(struct reading *r, const struct yaml_node *node);

#endif
