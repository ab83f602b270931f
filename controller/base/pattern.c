#define PCRE2_CODE_UNIT_WIDTH 8

#include "controller/base/pattern.h"

#include <assert.h>
#include <pcre2.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* PCRE2's own limit counts for each place where a match may begin anew, and not what is skipped
 * over: a callout in front of every item counts both (PATTERN_STEPS_MAX). */
#define BYTES_PER_STEP 16

/* Memory of one search for its backtracking, in KiB. */
#define MATCH_HEAP_KIB_MAX 4096

/* Parentheses within one another. */
#define NESTING_MAX 100

struct pattern {
    pcre2_code *code;
    bool counted; /* its steps are, by callouts */
};

static void describe(int code, char *text, size_t size)
{
    if (pcre2_get_error_message(code, (PCRE2_UCHAR *)text, size) < 0)
        text[0] = '\0';
}

static pcre2_code *compile(const char *text, size_t size, uint32_t options, struct error *err)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code;
    int failure;
    PCRE2_SIZE offset;
    char why[256];

    assert(context != NULL);
    options |= PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    pcre2_set_parens_nest_limit(context, NESTING_MAX);
    code = pcre2_compile((PCRE2_SPTR)text, size, options, &failure, &offset, context);
    pcre2_compile_context_free(context);
    if (code == NULL) {
        describe(failure, why, sizeof(why));
        error_set(err, ERROR_MALFORMED, "pattern: at byte %zu: %s", (size_t)offset, why);
    }
    return code;
}

bool pattern_new(const char *text, struct pattern **ret_pattern, struct error *err)
{
    size_t size = strlen(text);
    struct pattern *pattern;
    pcre2_code *code;
    bool counted;

    if (size > PATTERN_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "pattern: more than %d bytes", PATTERN_BYTES_MAX);
    /* Callouts make it larger: the largest that are there at all have no room for them. */
    code = compile(text, size, PCRE2_AUTO_CALLOUT, err);
    counted = code != NULL;
    if (!counted)
        code = compile(text, size, 0, err);
    if (code == NULL)
        return false;
    pattern = xcalloc(1, sizeof(*pattern));
    pattern->code = code;
    pattern->counted = counted;
    *ret_pattern = pattern;
    return true;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern == NULL)
        return;
    pcre2_code_free(pattern->code);
    free(pattern);
}

/* Memory of one search that needs no more than most do: PCRE2 takes 20 KiB of it at once, for which
 * malloc() tidies up all that it holds. */
struct scratch {
    alignas(max_align_t) char room[24 * 1024];
    size_t used;
};

static bool is_within(const struct scratch *scratch, const void *memory)
{
    const char *at = memory;

    return at >= scratch->room && at < scratch->room + sizeof(scratch->room);
}

static void *take(PCRE2_SIZE size, void *arg)
{
    struct scratch *scratch = arg;
    size_t start = (scratch->used + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);

    if (size > sizeof(scratch->room) || start > sizeof(scratch->room) - size)
        return malloc(size);
    scratch->used = start + size;
    return scratch->room + start;
}

static void give_back(void *memory, void *arg)
{
    if (!is_within(arg, memory))
        free(memory);
}

struct search {
    uint64_t steps; /* left */
    size_t at;      /* where the last item was tried */
};

static int count_step(pcre2_callout_block *block, void *arg)
{
    struct search *search = arg;
    size_t now = block->current_position;
    size_t moved = now > search->at ? now - search->at : search->at - now;
    uint64_t steps = 1 + moved / BYTES_PER_STEP;

    search->at = now;
    if (steps > search->steps) {
        search->steps = 0;
        return PCRE2_ERROR_MATCHLIMIT;
    }
    search->steps -= steps;
    return 0;
}

/* What a search without callouts may take at most: skipping from every place, and a limit on the
 * rest that every place has. */
static bool take_steps_ahead(struct search *search, size_t size, pcre2_match_context *limits)
{
    uint64_t skipping = (uint64_t)size * size / (BYTES_PER_STEP * 1024);
    uint64_t most = search->steps / (size + 1);

    if (skipping >= search->steps) {
        search->steps = 0;
        return false;
    }
    search->steps -= skipping;
    pcre2_set_match_limit(limits, (uint32_t)(most < 100 ? 100 : most));
    return true;
}

static int match(const struct pattern *pattern, const char *subject, size_t size,
                 struct search *search)
{
    struct scratch scratch;
    pcre2_general_context *memory;
    pcre2_match_context *limits;
    pcre2_match_data *data;
    int result = PCRE2_ERROR_MATCHLIMIT;

    scratch.used = 0;
    memory = pcre2_general_context_create(take, give_back, &scratch);
    assert(memory != NULL);
    limits = pcre2_match_context_create(memory);
    assert(limits != NULL);
    pcre2_set_heap_limit(limits, MATCH_HEAP_KIB_MAX);
    pcre2_set_callout(limits, count_step, search);
    data = pcre2_match_data_create(1, memory);
    assert(data != NULL);
    if (pattern->counted || take_steps_ahead(search, size, limits))
        result = pcre2_match(pattern->code, (PCRE2_SPTR)(size == 0 ? "" : subject), size, 0, 0,
                             data, limits);
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_general_context_free(memory);
    return result;
}

bool pattern_match_within(const struct pattern *pattern, const char *subject, size_t size,
                          uint64_t *steps, bool *ret_matches, struct error *err)
{
    struct search search = {.steps = *steps};
    int result = match(pattern, subject, size, &search);
    char why[256];

    *steps = search.steps;
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH) {
        *ret_matches = result >= 0;
        return true;
    }
    describe(result, why, sizeof(why));
    if (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21)
        return error_set(err, ERROR_MALFORMED, "subject of a pattern: %s", why);
    return error_set(err, ERROR_TOO_LARGE, "search for a pattern: %s", why);
}

bool pattern_match(const struct pattern *pattern, const char *subject, size_t size,
                   bool *ret_matches, struct error *err)
{
    uint64_t steps = PATTERN_STEPS_MAX;

    return pattern_match_within(pattern, subject, size, &steps, ret_matches, err);
}
