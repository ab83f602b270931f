#define PCRE2_CODE_UNIT_WIDTH 8

#include "controller/base/pattern.h"

#include <assert.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

/* Backtracking steps of one search: some tens of milliseconds at most. */
#define MATCH_STEPS_MAX 1000000

/* Memory of one search for its backtracking, in KiB. */
#define MATCH_HEAP_KIB_MAX 4096

/* Parentheses within one another. */
#define NESTING_MAX 100

struct pattern {
    pcre2_code *code;
    pcre2_match_context *limits;
};

static void describe(int code, char *text, size_t size)
{
    if (pcre2_get_error_message(code, (PCRE2_UCHAR *)text, size) < 0)
        text[0] = '\0';
}

static pcre2_code *compile(const char *text, size_t size, struct error *err)
{
    uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code;
    int failure;
    PCRE2_SIZE offset;
    char why[256];

    assert(context != NULL);
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

    if (size > PATTERN_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "pattern: more than %d bytes", PATTERN_BYTES_MAX);
    code = compile(text, size, err);
    if (code == NULL)
        return false;
    pattern = xcalloc(1, sizeof(*pattern));
    pattern->code = code;
    pattern->limits = pcre2_match_context_create(NULL);
    assert(pattern->limits != NULL);
    pcre2_set_match_limit(pattern->limits, MATCH_STEPS_MAX);
    pcre2_set_heap_limit(pattern->limits, MATCH_HEAP_KIB_MAX);
    *ret_pattern = pattern;
    return true;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern == NULL)
        return;
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    free(pattern);
}

bool pattern_match(const struct pattern *pattern, const char *subject, size_t size,
                   bool *ret_matches, struct error *err)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    char why[256];
    int result;

    assert(data != NULL);
    result = pcre2_match(pattern->code, (PCRE2_SPTR)(size == 0 ? "" : subject), size, 0, 0, data,
                         pattern->limits);
    pcre2_match_data_free(data);
    if (result >= 0 || result == PCRE2_ERROR_NOMATCH) {
        *ret_matches = result >= 0;
        return true;
    }
    describe(result, why, sizeof(why));
    if (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21)
        return error_set(err, ERROR_MALFORMED, "subject of a pattern: %s", why);
    return error_set(err, ERROR_TOO_LARGE, "search for a pattern: %s", why);
}
