/* marks - what a sweep's one more fault may change: a claim or a step says so of itself. */
#include <string.h>

#include "scenarios/language/fault_kinds.h"
#include "scenarios/language/targets.h"

/** More than there are kinds. */
#define KINDS_MAX 256

static const char *read_kind(struct reader *reader, const struct yaml_node *node)
{
    const char *known[KINDS_MAX];
    size_t count = 0;
    char *name = read_text(reader, node, "a kind of fault");

    if (name == NULL || fault_kind_find(name) != NULL)
        return name;
    for (; count < fault_kind_count() && count < KINDS_MAX; count++)
        known[count] = fault_kind_at(count)->name;
    reader_problem(reader, node, "no kind of fault is called '%s'%s (see 'scenario faults')", name,
                   suggestion(reader, name, known, count));
    return NULL;
}

void read_mark(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct may_change *mark = field;

    if (node->kind == YAML_SCALAR && strcmp(node->text, "true") == 0) {
        mark->any = true;
        return;
    }
    if (node->kind != YAML_SEQUENCE || node->member_count == 0) {
        reader_problem(reader, node,
                       "'mayChange' must be true, or a list of kinds of faults such as [crash]");
        return;
    }
    mark->kinds = arena_alloc(reader->arena, node->member_count * sizeof(*mark->kinds));
    for (size_t i = 0; i < node->member_count; i++) {
        const char *kind = read_kind(reader, node->members[i].value);

        if (kind != NULL)
            mark->kinds[mark->kind_count++] = kind;
    }
}
