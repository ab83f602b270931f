/* fault_deed - the keys of a fault, and what goes with what in "do". */
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/language/targets.h"

/** Widest wrong clock, and fastest. */
#define CLOCK_US_MAX (3652 * US_PER_DAY)
#define DRIFT_PPM_MAX 500000

static const char *const moments[] = {"sent", "applied", "answered", NULL};

/** As faults_wire.c has it. */
#define RETRY_AFTER_SECONDS_MAX 86400

/** What fakeapi/faults reads. */
static void read_elsewhere(struct reader *reader, const struct yaml_node *node, void *field)
{
    (void)reader;
    (void)node;
    (void)field;
}

static void read_rewind(struct reader *reader, const struct yaml_node *node, void *field)
{
    int64_t *amount = field;
    int64_t us;

    if (node->kind == YAML_SCALAR && text_to_int64(node->text, amount) && *amount > 0)
        return;
    if (node->kind == YAML_SCALAR && duration_parse(node->text, &us) && us > 0)
        *amount = -us;
    else
        reader_problem(reader, node,
                       "'rewind' must be a number of revisions from 1, or a duration such as 30s");
}

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

/** What can only be true. */
#define SWITCH(word, text, ...)                                                                    \
    DESCRIBED((word), VALUE_CUSTOM, (text), .read = read_elsewhere, .shape = "true",               \
              .form = FORM_TRUE, .example = "true", __VA_ARGS__)
#define API_SWITCH(word, text) SWITCH(word, text, .action = FAULT_AT_API)
#define OF_PROCESS(word, target, text)                                                             \
    KEY(word, VALUE_TEXT, struct fault_deed, process, text, .action = (target), .example = "ctl-0")
#define OF_LINK(word, target, text)                                                                \
    KEY(word, VALUE_CUSTOM, struct fault_deed, link, text, .action = (target),                     \
        .read = read_process_pair, .form = FORM_PAIR, .shape = "two processes, such as [a, b]",    \
        .example = "[ctl-0, api]")
#define OF_REQUEST(word, target, text) SWITCH(word, text, .action = (target))
#define BYTES_OF_REQUEST(word, target, text)                                                       \
    KEY(word, VALUE_INTEGER, struct fault_deed, amount, text, .action = (target), .example = "10")

static const struct key deed_keys[] = {
    API_SWITCH("refuse", "The connection is closed before the request is read."),
    API_SWITCH("silent", "No answer ever comes; the connection stays open."),
    KEY("delay", VALUE_DURATION, struct fault_deed, ignored_number,
        "The server waits so long before it carries it out, or sends the event.", .unless = "0s",
        .example = "2s"),
    KEY("status", VALUE_INTEGER, struct fault_deed, ignored_number,
        "The answer is this HTTP status; nothing is carried out.", .minimum = 400, .maximum = 599,
        .example = "503", .also = "error code http answer", .action = FAULT_AT_API),
    KEY("reason", VALUE_TEXT, struct fault_deed, ignored_text, "The reason in that answer.",
        .unless = "what the status usually says", .example = "Conflict"),
    KEY("message", VALUE_TEXT, struct fault_deed, ignored_text, "The message in that answer.",
        .unless = "injected fault", .example = "no quota left"),
    KEY("retry_after", VALUE_INTEGER, struct fault_deed, ignored_number,
        "Seconds in that answer's Retry-After.", .unless = "no Retry-After", .minimum = 1,
        .maximum = RETRY_AFTER_SECONDS_MAX, .example = "5"),
    API_SWITCH("drop_answer", "It is carried out, but the connection breaks instead of an answer."),
    KEY("cut_at", VALUE_INTEGER, struct fault_deed, ignored_number,
        "It is carried out, and the connection breaks after so many bytes of the answer.",
        .example = "100", .action = FAULT_AT_API),
    DESCRIBED("stale", VALUE_CUSTOM, "A get or list is served from an older state.",
              .read = read_elsewhere, .shape = "a revision or an age", .form = FORM_MAPPING,
              .table = &stale_table, .example = "{age: 30s}", .action = FAULT_AT_API),
    KEY("html", VALUE_INTEGER, struct fault_deed, ignored_number,
        "A gateway answers with this HTTP status and a page of HTML; nothing is carried out.",
        .minimum = 200, .maximum = 599, .example = "502", .action = FAULT_AT_API),
    KEY("content_type", VALUE_TEXT, struct fault_deed, ignored_text,
        "It is carried out, and the answer says this Content-Type.", .example = "text/plain",
        .action = FAULT_AT_API),
    KEY("truncate", VALUE_INTEGER, struct fault_deed, ignored_number,
        "It is carried out, and the answer ends in order after so many bytes of its body.",
        .example = "100", .action = FAULT_AT_API),
    KEY("slow_body", VALUE_DURATION, struct fault_deed, ignored_number,
        "It is carried out, and the body of the answer comes a byte at a time, with this between.",
        .example = "1ms", .action = FAULT_AT_API),
    API_SWITCH("close_watch", "The watch's stream ends cleanly before the event at hand."),
    API_SWITCH("stall_watch", "The watch says nothing more; the connection stays open."),
    API_SWITCH("swallow_event", "The watch leaves this event out."),
    KEY("delay_event", VALUE_DURATION, struct fault_deed, ignored_number,
        "This event comes so much later, and those behind it too.", .example = "5s",
        .action = FAULT_AT_API),
    API_SWITCH("repeat_event", "The event comes twice."),
    KEY("gap", VALUE_INTEGER, struct fault_deed, ignored_number,
        "So many events are left out, this one the first; then the watch goes on.", .minimum = 1,
        .maximum = INT64_MAX, .example = "3", .action = FAULT_AT_API),
    KEY("error_event", VALUE_INTEGER, struct fault_deed, ignored_number,
        "An ERROR event with this status comes instead, and the watch ends.", .minimum = 400,
        .maximum = 599, .example = "410", .action = FAULT_AT_API),
    API_SWITCH("garbage_line", "A line that is no JSON comes instead of the event."),
    KEY("long_line", VALUE_INTEGER, struct fault_deed, ignored_number,
        "A line of so many bytes comes instead of the event.", .minimum = 1,
        .maximum = FAULT_LINE_BYTES_MAX, .example = "5000000", .action = FAULT_AT_API),
    API_SWITCH("half_line", "Half of the event's line comes, and the watch ends."),
    API_SWITCH("no_bookmark", "A bookmark that is due does not come."),
    SWITCH("compact", "The server forgets its history first.", .unless = "no"),
    OF_PROCESS("crash", FAULT_CRASH, "Kills this process at once."),
    OF_PROCESS("pause", FAULT_PAUSE, "Stops this process; its clocks go on."),
    OF_PROCESS("restart", FAULT_RESTART, "Kills this process and starts it again."),
    OF_PROCESS("terminate", FAULT_TERMINATE, "Asks this process to end (SIGTERM)."),
    OF_PROCESS("power_off", FAULT_POWER_OFF,
               "The power of this process's machine fails: as a crash, but nobody is told."),
    OF_PROCESS("clock_jump", FAULT_CLOCK_JUMP, "Its wall clock steps, and stays so."),
    OF_PROCESS("clock_skew", FAULT_CLOCK_SKEW, "Its wall clock is wrong by so much."),
    OF_PROCESS("clock_drift", FAULT_CLOCK_DRIFT, "Its wall clock runs too fast or too slow."),
    OF_PROCESS("clock_freeze", FAULT_CLOCK_FREEZE, "Its wall clock stands still."),
    OF_PROCESS("timers_drift", FAULT_TIMERS_DRIFT,
               "The clock that its timers go by runs too fast or too slow."),
    OF_LINK("cut", FAULT_CUT_LINK, "Nothing gets from the first to the second."),
    OF_LINK("partition", FAULT_PARTITION, "Nothing gets through between the two."),
    OF_LINK("latency", FAULT_LATENCY, "Bytes from the first to the second take so long."),
    OF_LINK("jitter", FAULT_JITTER,
            "Bytes from the first to the second take at most so much longer, at random."),
    OF_LINK("bandwidth", FAULT_BANDWIDTH,
            "So many bytes a second get from the first to the second."),
    OF_LINK("pieces", FAULT_PIECES,
            "What the first sends arrives in pieces of so many bytes at most."),
    OF_LINK("refuse_connect", FAULT_REFUSE_CONNECT,
            "New connections from the first to the second are refused."),
    OF_LINK("reset_after", FAULT_RESET_AFTER,
            "A connection breaks once so many bytes of a body went from the first to the second."),
    OF_LINK("strand", FAULT_STRAND,
            "Connections between the two that exist now go silent; new ones work."),
    OF_LINK("reset_connections", FAULT_RESET_CONNECTIONS,
            "Connections between the two that exist now break."),
    KEY("late", VALUE_DURATION, struct fault_deed, amount,
        "The request arrives so much later, whatever becomes of its sender meanwhile.",
        .action = FAULT_LATE, .example = "25s"),
    OF_REQUEST("lose_request", FAULT_LOSE_REQUEST,
               "The request never arrives, and nobody is told."),
    OF_REQUEST("lose_answer", FAULT_LOSE_ANSWER,
               "The request is carried out; its answer never arrives, and nobody is told."),
    BYTES_OF_REQUEST("reset_request", FAULT_RESET_REQUEST,
                     "The connection breaks once so many bytes of the request's body arrived."),
    BYTES_OF_REQUEST("reset_answer", FAULT_RESET_ANSWER,
                     "The connection breaks once so many bytes of the answer's body arrived."),
    OF_REQUEST("unreachable", FAULT_UNREACHABLE, "The request gets no connection: it is refused."),
    KEY("rewind", VALUE_CUSTOM, struct fault_deed, amount,
        "The API server's store is as so many revisions ago, or as so long ago, as after a backup "
        "was restored; all connections break, and its pods begin anew with their scripts.",
        .read = read_rewind, .shape = "a number of revisions, or a duration", .form = FORM_SCALAR,
        .action = FAULT_REWIND, .example = "30s"),
    KEY("by", VALUE_DURATION, struct fault_deed, amount, "How much.", .unless = "it must be said",
        .minimum = -CLOCK_US_MAX, .maximum = CLOCK_US_MAX, .example = "2s"),
    KEY("bytes", VALUE_INTEGER, struct fault_deed, amount, "How many bytes.",
        .unless = "it must be said", .maximum = INT64_MAX, .example = "100"),
    KEY("ppm", VALUE_INTEGER, struct fault_deed, amount,
        "How much faster, in parts per million (negative: slower).", .unless = "it must be said",
        .minimum = -DRIFT_PPM_MAX, .maximum = DRIFT_PPM_MAX, .example = "-200000"),
    KEY("both", VALUE_FLAG, struct fault_deed, both, "The other way too.", .fallback = "false",
        .example = "true"),
    KEY("moment", VALUE_CHOICE, struct fault_deed, moment,
        "When: as the request is sent, once the server has applied it but before the answer "
        "arrives, or once the answer has arrived.",
        .choices = moments, .unless = "applied", .example = "sent"),
    KEY("for", VALUE_DURATION, struct fault_deed, for_us,
        "How long it lasts; of a process that ends, when it starts again.",
        .unless = "until a step ends it, or all faults are lifted", .minimum = 1,
        .maximum = INT64_MAX, .example = "20s"),
    KEY("grace", VALUE_DURATION, struct fault_deed, grace_us,
        "How long it may take to end; then it is killed.", .unless = "as long as it likes",
        .example = "10s"),
};

/** Which keys go with an action beside it. What is not here stands alone. */
#define PARAMETERS_MAX 6
static const struct {
    const char *action;
    const char *parameters[PARAMETERS_MAX];
    const char *needed; /* one of them that must be there */
} companions[] = {
    {"refuse",                            {"delay", "compact"}                                    },
    {"silent",                            {"delay", "compact"}                                    },
    {"delay",                             {"compact"}                                             },
    {"status",                            {"reason", "message", "retry_after", "delay", "compact"}},
    {"drop_answer",                       {"delay", "compact"}                                    },
    {"cut_at",                            {"delay", "compact"}                                    },
    {"stale",                             {"delay", "compact"}                                    },
    {"html",                              {"delay", "compact"}                                    },
    {"content_type",                      {"delay", "compact"}                                    },
    {"truncate",                          {"delay", "compact"}                                    },
    {"slow_body",                         {"delay", "compact"}                                    },
    {"error_event",                       {"reason", "message"}                                   },
    {"compact",                           {"delay"}                                               },
    {"crash",                             {"for", "moment"}                                       },
    {"pause",                             {"for", "moment"}                                       },
    {"restart",                           {"moment"}                                              },
    {"terminate",                         {"grace", "for", "moment"}                              },
    {"power_off",                         {"for", "moment"}                                       },
    {"clock_jump",                        {"by", "moment"},                                         "by"},
    {"clock_skew",                                   {"by", "for", "moment"},                                                                                "by"},
    {"clock_drift",                               {"ppm", "for", "moment"},        "ppm"},
    {"clock_freeze",{"for", "moment"}                        },
    {"timers_drift",                      {"ppm", "for", "moment"},                                                                                 "ppm"},
    {"cut",                      {"both", "for", "moment"}                                },
    {"partition",                                   {"for", "moment"}                                                                                      },
    {"latency",                                   {"by", "both", "for", "moment"},                                                 "by"},
    {"jitter",                                   {"by", "both", "for", "moment"},"by"},
    {"bandwidth",                               {"bytes", "both", "for", "moment"},                                       "bytes"},
    {"pieces",{"bytes", "both", "for", "moment"},                          "bytes"},
    {"refuse_connect",                         {"both", "for", "moment"}                },
    {"reset_after",                                   {"bytes", "both", "for", "moment"},                                                                                    "bytes"},
    {"strand",                            {"moment"}                                                          },
    {"reset_connections",{"moment"}                         },
    {"rewind",{"moment"}},
};

static const char *const *parameters_of(const char *action, size_t *ret_count)
{
    *ret_count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
        if (strcmp(companions[i].action, action) != 0)
            continue;
        while (*ret_count < PARAMETERS_MAX && companions[i].parameters[*ret_count] != NULL)
            ++*ret_count;
        return companions[i].parameters;
    }
    return NULL;
}

const char *const *fault_kind_parameters(const struct fault_kind *kind, size_t *ret_count)
{
    return parameters_of(kind->key, ret_count);
}

/** The action of a "do" that has one: the key that all others go with. */
static const char *action_of(const struct yaml_node *node)
{
    for (size_t i = 0; i < ARRAY_SIZE(deed_keys); i++) {
        if (deed_keys[i].action != 0 && yaml_get(node, deed_keys[i].name) != NULL)
            return deed_keys[i].name;
    }
    if (yaml_get(node, "delay") != NULL)
        return "delay";
    return yaml_get(node, "compact") != NULL ? "compact" : NULL;
}

static bool goes_with(const char *key, const char *action)
{
    size_t count;
    const char *const *parameters = parameters_of(action, &count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(parameters[i], key) == 0)
            return true;
    }
    return strcmp(key, action) == 0;
}

static const char *needed_of(const char *action)
{
    for (size_t i = 0; i < ARRAY_SIZE(companions); i++) {
        if (strcmp(companions[i].action, action) == 0)
            return companions[i].needed;
    }
    return NULL;
}

/** A key that stands beside an action that has no use for it, and one that is missing. */
static void check_companions(struct reader *reader, const struct yaml_node *node,
                             const char *action)
{
    const char *needed = needed_of(action);

    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (!goes_with(member->key, action))
            problems_add(reader->problems, key_place(member), "'%s' does not go with '%s'",
                         member->key, action);
    }
    if (needed != NULL && yaml_get(node, needed) == NULL)
        reader_problem(reader, node, "'%s' needs a '%s' beside it", action, needed);
}

static void check_amount(struct reader *reader, const struct yaml_node *node,
                         const struct fault_deed *deed)
{
    bool takes_time = deed->target == FAULT_LATENCY || deed->target == FAULT_JITTER;
    bool takes_some = deed->target == FAULT_BANDWIDTH || deed->target == FAULT_PIECES;

    if (takes_time && deed->amount < 0 && yaml_get(node, "by") != NULL)
        reader_problem(reader, yaml_get(node, "by"), "bytes cannot arrive before they are sent");
    if (takes_some && deed->amount == 0)
        reader_problem(reader, yaml_get(node, "bytes"),
                       "'bytes' must be at least 1; cut the link if nothing is to get through");
}

static void check_deed(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct fault_deed *deed = item;

    check_companions(reader, node, action_of(node));
    check_amount(reader, node, deed);
    if (deed->process != NULL)
        (void)process_name_check(reader, node, deed->process);
}

#define DEED_TABLE                                                                                 \
    .what = "a fault", .keys = deed_keys, .key_count = ARRAY_SIZE(deed_keys),                      \
    .size = sizeof(struct fault_deed), .check = check_deed

const struct key_table fault_deed_table = {
    DEED_TABLE,
    .id = "deed",
    .has_actions = true,
    .may_lack_action = true,
    .action_offset = offsetof(struct fault_deed, target),
};

/** Where only a delay or a compaction happens. */
static const struct key_table besides_table = {DEED_TABLE};

static bool is_besides(const struct yaml_node *node)
{
    const char *action = node->kind == YAML_MAPPING ? action_of(node) : NULL;

    return action != NULL && (strcmp(action, "delay") == 0 || strcmp(action, "compact") == 0);
}

/** Without an action, and without a key that could be a misspelt one. */
static bool lacks_action(const struct yaml_node *node)
{
    if (node->kind != YAML_MAPPING || action_of(node) != NULL)
        return false;
    for (size_t i = 0; i < node->member_count; i++) {
        bool known = false;

        for (size_t j = 0; j < ARRAY_SIZE(deed_keys); j++)
            known = known || strcmp(deed_keys[j].name, node->members[i].key) == 0;
        if (!known)
            return false;
    }
    return true;
}

const char *fault_deed_read(struct reader *reader, const struct yaml_node *node,
                            struct fault_deed *ret_deed)
{
    bool besides = is_besides(node);

    *ret_deed = (struct fault_deed){0};
    if (lacks_action(node)) {
        reader_problem(reader, node, "a fault needs an action; 'scenario faults' lists them");
        return NULL;
    }
    if (!read_mapping(reader, node, besides ? &besides_table : &fault_deed_table, ret_deed))
        return NULL;
    if (besides)
        ret_deed->target = FAULT_AT_API;
    return action_of(node);
}

bool fault_target_is_request(enum fault_target target)
{
    return target >= FAULT_LATE && target <= FAULT_UNREACHABLE;
}

bool fault_target_is_sudden(enum fault_target target)
{
    return target == FAULT_RESTART || target == FAULT_CLOCK_JUMP || target == FAULT_STRAND ||
           target == FAULT_RESET_CONNECTIONS || target == FAULT_REWIND;
}
