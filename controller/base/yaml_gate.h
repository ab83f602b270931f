/* yaml_gate - looks through YAML bytes before libfyaml sees them.
 *
 * For yaml.c alone. libfyaml hangs or crashes on some inputs with directives and explicit keys, so
 * after the gate there is no line that begins with '%' and no '?' that a blank, a line end, the
 * end or one of ",[]{}" follows, wherever it stands: where such a '?' may be a key's indicator the
 * text is refused, and inside scalars and comments a stand-in takes its place, a control
 * character that the text neither holds nor spells. What is a scalar is guessed well but not
 * exactly (quoted ones, block ones by their indentation, plain ones line by line); a wrong guess
 * refuses a text or changes a malformed one, and never lets such a '?' through. */
#ifndef CONTROLLER_BASE_YAML_GATE_H
#define CONTROLLER_BASE_YAML_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

struct yaml_position {
    unsigned line; /* both from 1 */
    unsigned column;
};

struct yaml_gate {
    char *bytes; /* a copy of the text with its stand-ins, each line end as "\n"; owned */
    size_t size;
    char stand_in; /* put '?' back in its place; '\0': there is none */
};

/** Fills *ret_gate, or says what is wrong and sets *ret_at to where. */
bool yaml_gate_open(const char *bytes, size_t size, struct yaml_gate *ret_gate,
                    struct yaml_position *ret_at, struct error *err) MUST_CHECK;

void yaml_gate_release(struct yaml_gate *gate);

#endif
