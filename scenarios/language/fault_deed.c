/* fault_deed - the keys of a fault, and what goes with what in "do". */
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/language/targets.h"

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

static const struct key deed_keys[] = {
    API_SWITCH("refuse", "The connection is closed before the request is read."),
    API_SWITCH("silent", "No answer ever comes; the connection stays open."),
    KEY("delay", VALUE_DURATION, struct fault_deed, ignored_number,
        "The server waits so long before it carries it out, or sends the event.", .unless = "0s",
        .example = "2s"),
    KEY("status", VALUE_INTEGER, struct fault_deed, ignored_number,
        "The answer is this HTTP status; nothing is carried out.", .minimum = 400, .maximum = 599,
        .example = "503", .action = FAULT_AT_API),
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
    KEY("late", VALUE_DURATION, struct fault_deed, late_us,
        "The request arrives so much later, whatever becomes of its sender meanwhile.",
        .action = FAULT_LATE, .example = "25s"),
    KEY("moment", VALUE_CHOICE, struct fault_deed, moment,
        "When: as the request is sent, once the server has applied it but before the answer "
        "arrives, or once the answer has arrived.",
        .choices = moments, .unless = "applied", .example = "sent"),
    KEY("for", VALUE_DURATION, struct fault_deed, for_us, "How long it lasts.",
        .unless = "until a step ends it, or all faults are lifted", .example = "20s"),
};

/** Which keys go with an action beside it. What is not here stands alone. */
#define PARAMETERS_MAX 6
static const struct {
    const char *action;
    const char *parameters[PARAMETERS_MAX];
} companions[] = {
    {"refuse",       {"delay", "compact"}                                    },
    {"silent",       {"delay", "compact"}                                    },
    {"delay",        {"compact"}                                             },
    {"status",       {"reason", "message", "retry_after", "delay", "compact"}},
    {"drop_answer",  {"delay", "compact"}                                    },
    {"cut_at",       {"delay", "compact"}                                    },
    {"stale",        {"delay", "compact"}                                    },
    {"html",         {"delay", "compact"}                                    },
    {"content_type", {"delay", "compact"}                                    },
    {"truncate",     {"delay", "compact"}                                    },
    {"slow_body",    {"delay", "compact"}                                    },
    {"error_event",  {"reason", "message"}                                   },
    {"compact",      {"delay"}                                               },
    {"crash",        {"moment"}                                              },
    {"pause",        {"for", "moment"}                                       },
    {"restart",      {"moment"}                                              },
    {"terminate",    {"moment"}                                              },
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

/** A key that stands beside an action that has no use for it. */
static void check_companions(struct reader *reader, const struct yaml_node *node,
                             const char *action)
{
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (!goes_with(member->key, action))
            problems_add(reader->problems, key_place(member), "'%s' does not go with '%s'",
                         member->key, action);
    }
}

static void check_deed(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct fault_deed *deed = item;

    check_companions(reader, node, action_of(node));
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

const char *fault_deed_read(struct reader *reader, const struct yaml_node *node,
                            struct fault_deed *ret_deed)
{
    bool besides = is_besides(node);

    *ret_deed = (struct fault_deed){0};
    if (!read_mapping(reader, node, besides ? &besides_table : &fault_deed_table, ret_deed))
        return NULL;
    if (besides)
        ret_deed->target = FAULT_AT_API;
    return action_of(node);
}
