/* fault_keys - see fault_keys.h. */
#include "scenarios/language/fault_keys.h"

#include "controller/base/attributes.h"

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
    DESCRIBED("timer", VALUE_TEXT, "No requests, but timers of this process as they fire.",
              .unless = "requests", .example = "ctl-0"),
    DESCRIBED("event", VALUE_CUSTOM,
              "No requests, but events of watches as they are sent, also for a fault of a process.",
              .shape = "true", .form = FORM_TRUE, .unless = "requests", .example = "true"),
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
