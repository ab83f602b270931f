/* marks - their names and sentences. */
#include "controller/runtime/marks.h"

static const struct {
    const char *name;
    const char *sentence;
} rows[] = {
#define MARK_ROW(name, sentence) [MARK_##name] = {"MARK_" #name, sentence},
    MARKS(MARK_ROW)
#undef MARK_ROW
};

const char *mark_name(enum mark mark)
{
    return rows[mark].name;
}

const char *mark_sentence(enum mark mark)
{
    return rows[mark].sentence;
}
