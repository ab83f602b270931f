/* fault_keys - see fault_keys.h. */
#include "scenarios/language/fault_keys.h"

#include "fakeapi/faults/faults.h"

/** As faults_wire.c has it. */
#define RETRY_AFTER_SECONDS_MAX 86400

#define PATTERNS(word, text, written)                                                              \
    DESCRIBED((word), VALUE_CUSTOM, (text), .shape = "a text or a list of them, with * and ?",     \
              .form = FORM_NAMES, .unless = "any", .example = (written))

static const struct key match_keys[] = {
    PATTERNS("caller", "The user agent of the request.", "agent-controller/*"),
    PATTERNS("service_account", "The ServiceAccount that asks, as namespace/name.",
             "ai-agents/agent-controller"),
    PATTERNS("peer", "The process that asks: ctl-0 and so on, user, or the role leader or standby.",
             "ctl-0"),
    PATTERNS("user", "Who the credentials name.", "admin"),
    PATTERNS("verb",
             "What is asked: get, list, watch, create, update, patch, delete or deletecollection.",
             "[create, patch]"),
    PATTERNS("resource", "A plural, with its subresource, or a path that is no resource.",
             "agents/status"),
    PATTERNS("namespace", "The namespace asked for.", "ai-agents"),
    PATTERNS("name", "The name of the object, or of the object of a watch's event.", "hello"),
};

const struct key_table match_table = {
    .what = "a match",
    .keys = match_keys,
    .key_count = ARRAY_SIZE(match_keys),
};

static const struct key when_keys[] = {
    DESCRIBED("nth", VALUE_INTEGER, "Only the n-th that matches, from 1.", .unless = "each",
              .minimum = 1, .maximum = INT64_MAX, .example = "1"),
    DESCRIBED("every", VALUE_INTEGER, "Only every so manieth that matches.", .unless = "each",
              .minimum = 1, .maximum = INT64_MAX, .example = "3"),
    DESCRIBED("probability", VALUE_CUSTOM, "Each that matches with this chance.",
              .shape = "a number from 0 to 1", .form = FORM_SCALAR, .unless = "1",
              .example = "0.25"),
    DESCRIBED("seed", VALUE_INTEGER, "Of the chances: the same ones in every run.",
              .unless = "drawn from the scenario's seed", .minimum = 1, .maximum = INT64_MAX,
              .example = "7"),
    DESCRIBED("from", VALUE_DURATION, "Not before this time since the start.", .unless = "0s",
              .example = "30s"),
    DESCRIBED("until", VALUE_DURATION, "Only before this time since the start.",
              .unless = "for ever", .minimum = 1, .maximum = INT64_MAX, .example = "1m30s"),
    DESCRIBED("count", VALUE_INTEGER, "At most so often.", .unless = "without limit", .minimum = 1,
              .maximum = INT64_MAX, .example = "5"),
};

const struct key_table when_table = {
    .what = "a when",
    .keys = when_keys,
    .key_count = ARRAY_SIZE(when_keys),
};

static const struct key stale_keys[] = {
    DESCRIBED("revision", VALUE_INTEGER, "The state at this revision of the store.",
              .unless = "an age is given", .minimum = 1, .maximum = INT64_MAX, .example = "5"),
    DESCRIBED("age", VALUE_DURATION, "The state of so long ago.", .unless = "a revision is given",
              .example = "30s"),
};

static const struct key_table stale_table = {
    .what = "a stale answer",
    .keys = stale_keys,
    .key_count = ARRAY_SIZE(stale_keys),
};

#define SWITCH(word, text)                                                                         \
    DESCRIBED((word), VALUE_CUSTOM, (text), .shape = "true", .form = FORM_TRUE, .unless = "no",    \
              .example = "true")

static const struct key api_fault_keys[] = {
    SWITCH("refuse", "The connection is closed before the request is read."),
    SWITCH("silent", "No answer ever comes; the connection stays open."),
    DESCRIBED("status", VALUE_INTEGER, "The answer is this HTTP status; nothing is carried out.",
              .unless = "no", .minimum = 400, .maximum = 599, .example = "503"),
    DESCRIBED("reason", VALUE_TEXT, "The reason in that answer.",
              .unless = "what the status usually says", .example = "Conflict"),
    DESCRIBED("message", VALUE_TEXT, "The message in that answer.",
              .unless = "what the status usually says", .example = "no quota left"),
    DESCRIBED("retry_after", VALUE_INTEGER, "Seconds in that answer's Retry-After.",
              .unless = "no Retry-After", .minimum = 1, .maximum = RETRY_AFTER_SECONDS_MAX,
              .example = "5"),
    DESCRIBED("delay", VALUE_DURATION, "The server waits so long before it does anything.",
              .unless = "0s", .example = "2s"),
    SWITCH("drop_answer", "It is carried out, but the connection breaks instead of an answer."),
    DESCRIBED("cut_at", VALUE_INTEGER,
              "It is carried out, and the connection breaks after so many bytes of the answer.",
              .unless = "no", .example = "100"),
    DESCRIBED("stale", VALUE_MAPPING, "A get or list is served from an older state.",
              .unless = "no", .table = &stale_table, .example = "{age: 30s}"),
    SWITCH("compact", "The server forgets its history first."),
    SWITCH("close_watch", "The watch's stream ends cleanly before the event at hand."),
    SWITCH("stall_watch", "The watch says nothing more; the connection stays open."),
    SWITCH("swallow_event", "The watch leaves this event out."),
};

const struct key_table api_fault_table = {
    .what = "a fault at the API server",
    .keys = api_fault_keys,
    .key_count = ARRAY_SIZE(api_fault_keys),
};
