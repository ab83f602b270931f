/* matrix - one file, several scenarios: the values of its parameters, combined. */
#ifndef SCENARIOS_LANGUAGE_MATRIX_H
#define SCENARIOS_LANGUAGE_MATRIX_H

#include "scenarios/language/expression.h"
#include "scenarios/language/reader.h"

/** Most parameters, and most bytes of a value: it stands in the scenario's name. */
#define MATRIX_PARAMETERS_MAX 8
#define MATRIX_VALUE_BYTES_MAX 64

struct matrix_parameter {
    const char *name;
    struct expression_value *values;
    size_t count;
};

struct matrix {
    struct matrix_parameter parameters[MATRIX_PARAMETERS_MAX];
    size_t count;
    size_t variants; /* 1 at least */
};

/** Reads 'matrix' (NULL: one variant without names). False after a problem. */
bool matrix_read(struct reader *reader, const struct yaml_node *node, struct matrix *ret_matrix);

/** The values of variant number index, the last parameter changing first, into names, which has
 * room for MATRIX_PARAMETERS_MAX. */
void matrix_names(const struct matrix *matrix, size_t index, struct expression_name *names);

/** Reads 'sizes' (NULL: none): each a name with two values, of which names get the second where
 * small is set, else the first. Appends to *count names, which have room for SIZES_MAX more. False
 * after a problem. */
#define SIZES_MAX 8
bool sizes_read(struct reader *reader, const struct yaml_node *node, bool small,
                struct expression_name *names, size_t *count);

/** "replicas=3,fault=refuse"; NULL where there is no matrix. In the arena. */
char *matrix_variant(struct arena *arena, const struct matrix *matrix, size_t index);

#endif
