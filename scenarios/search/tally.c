#include "scenarios/search/tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* Room for more calls is made for so many runs at a time. */
#define CALLS_STEP 4096

/* --- adding --- */

static bool add_failure(struct tally *tally, uint64_t seed, const char *failure)
{
    for (size_t i = 0; i < tally->failure_count; i++) {
        if (strcmp(tally->failures[i].failure, failure) == 0) {
            tally->failures[i].count++;
            return false;
        }
    }
    tally->failures =
        xrealloc(tally->failures, (tally->failure_count + 1) * sizeof(*tally->failures));
    tally->failures[tally->failure_count++] = (struct tally_failure){xstrdup(failure), seed, 1};
    return true;
}

bool tally_add(struct tally *tally, uint64_t seed, const struct outcome *outcome)
{
    if (tally->runs % CALLS_STEP == 0)
        tally->calls = xrealloc(tally->calls, (tally->runs + CALLS_STEP) * sizeof(*tally->calls));
    tally->calls[tally->runs++] = outcome->calls;
    tally->virtual_us += outcome->virtual_us;
    for (size_t i = 0; i < MARK_COUNT; i++)
        tally->reached[i] += outcome->marks[i / 64] >> (i % 64) & 1;
    if (outcome->passed)
        return false;
    tally->failed++;
    return add_failure(tally, seed, text_or(outcome->failure, ""));
}

void tally_release(struct tally *tally)
{
    for (size_t i = 0; i < tally->failure_count; i++)
        free(tally->failures[i].failure);
    free(tally->failures);
    free(tally->calls);
    *tally = (struct tally){0};
}

/* --- telling --- */

uint64_t tally_cold_count(const struct tally *tally)
{
    uint64_t count = 0;

    for (size_t i = 0; i < MARK_COUNT; i++)
        count += tally->reached[i] == 0;
    return count;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t left;
    uint64_t right;

    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return (left > right) - (left < right);
}

static void append_calls(const struct tally *tally, struct buffer *text)
{
    uint64_t *sorted = xcalloc(tally->runs, sizeof(*sorted));

    memcpy(sorted, tally->calls, tally->runs * sizeof(*sorted));
    qsort(sorted, tally->runs, sizeof(*sorted), compare_numbers);
    buffer_append_format(
        text, "API calls: %" PRIu64 " in the median seed, %" PRIu64 " to %" PRIu64 " in all\n",
        sorted[tally->runs / 2], sorted[0], sorted[tally->runs - 1]);
    free(sorted);
}

static void append_marks(const struct tally *tally, struct buffer *text)
{
    uint64_t cold = tally_cold_count(tally);

    buffer_append_text(text, "seeds that reached a mark:\n");
    for (int mark = 0; mark < MARK_COUNT; mark++)
        buffer_append_format(text, "%8" PRIu64 "  %-32s %s\n", tally->reached[mark],
                             mark_name((enum mark)mark), mark_sentence((enum mark)mark));
    if (cold == 0) {
        buffer_append_text(text, "no mark is cold\n");
        return;
    }
    buffer_append_format(text, "%" PRIu64 " of %d marks cold:", cold, MARK_COUNT);
    for (int mark = 0; mark < MARK_COUNT; mark++) {
        if (tally->reached[mark] == 0)
            buffer_append_format(text, " %s", mark_name((enum mark)mark));
    }
    buffer_append_char(text, '\n');
}

void tally_append(const struct tally *tally, int64_t real_us, struct buffer *text)
{
    int64_t real_ms = real_us / 1000 > 0 ? real_us / 1000 : 1;

    if (tally->runs == 0) {
        buffer_append_text(text, "no seed was run\n");
        return;
    }
    append_marks(tally, text);
    append_calls(tally, text);
    for (size_t i = 0; i < tally->failure_count; i++)
        buffer_append_format(text, "%8" PRIu64 "  %s (first: seed %" PRIu64 ")\n",
                             tally->failures[i].count, tally->failures[i].failure,
                             tally->failures[i].first_seed);
    buffer_append_format(text,
                         "%" PRIu64 " seed%s: %" PRIu64 " passed, %" PRIu64 " failed; %" PRIu64
                         " seeds a minute, %" PRId64 ".%03" PRId64 " virtual hours a second\n",
                         tally->runs, text_plural(tally->runs), tally->runs - tally->failed,
                         tally->failed, tally->runs * 60000 / (uint64_t)real_ms,
                         tally->virtual_us / 3600 / 1000 / real_ms,
                         tally->virtual_us / 3600 / real_ms % 1000);
}

/* --- between processes --- */

/** What of an outcome is no text. */
struct packed {
    bool passed;
    int64_t virtual_us;
    uint64_t events;
    uint64_t calls;
    uint64_t marks[MARK_WORDS];
    char hash[SHA256_HEX_SIZE];
};

void tally_pack(const struct outcome *outcome, struct buffer *bytes)
{
    const char *const texts[] = {outcome->failure, outcome->reason, outcome->details,
                                 outcome->story};
    struct packed packed = {.passed = outcome->passed,
                            .virtual_us = outcome->virtual_us,
                            .events = outcome->events,
                            .calls = outcome->calls};

    memcpy(packed.marks, outcome->marks, sizeof(packed.marks));
    memcpy(packed.hash, outcome->hash, sizeof(packed.hash));
    buffer_append(bytes, &packed, sizeof(packed));
    for (size_t i = 0; !packed.passed && i < ARRAY_SIZE(texts); i++)
        buffer_append(bytes, text_or(texts[i], ""), strlen(text_or(texts[i], "")) + 1);
}

bool tally_unpack(const char *bytes, size_t size, struct outcome *ret_outcome, struct error *err)
{
    struct outcome outcome = {0};
    char **const texts[] = {&outcome.failure, &outcome.reason, &outcome.details, &outcome.story};
    struct packed packed;
    const char *at = bytes + sizeof(packed);

    if (size < sizeof(packed) || (size > sizeof(packed) && bytes[size - 1] != '\0'))
        return error_set(err, ERROR_MALFORMED, "an outcome came in part");
    memcpy(&packed, bytes, sizeof(packed));
    outcome = (struct outcome){.passed = packed.passed,
                               .virtual_us = packed.virtual_us,
                               .events = packed.events,
                               .calls = packed.calls};
    memcpy(outcome.marks, packed.marks, sizeof(packed.marks));
    memcpy(outcome.hash, packed.hash, sizeof(packed.hash));
    for (size_t i = 0; i < ARRAY_SIZE(texts) && at < bytes + size; i++) {
        *texts[i] = xstrdup(at);
        at += strlen(at) + 1;
    }
    *ret_outcome = outcome;
    return true;
}
