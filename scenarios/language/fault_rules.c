/* fault_rules - faults in a scenario: those at the API in the words of fakeapi/faults, and those of
 * processes, which happen when a request that a rule describes passes by. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/fault_keys.h"
#include "scenarios/language/targets.h"

/** Keys of a rule beside those of fakeapi/faults. */
#define KEY_OPTIONAL "optional"

static const struct {
    const char *key;
    enum fault_target kind;
} process_actions[] = {
    {"crash",     FAULT_CRASH    },
    {"pause",     FAULT_PAUSE    },
    {"restart",   FAULT_RESTART  },
    {"terminate", FAULT_TERMINATE},
    {"late",      FAULT_LATE     },
};

/** What "do" holds when a fault hits a process. */
struct process_fault {
    struct place place;
    int kind;
    char *crash;
    char *pause;
    char *restart;
    char *terminate;
    int64_t late_us;
    int moment;
    int64_t pause_us;
};

static const char *const moments[] = {"sent", "applied", "answered", NULL};

static const struct key process_keys[] = {
    KEY("crash", VALUE_TEXT, struct process_fault, crash, "Kills this process at once.",
        .action = FAULT_CRASH, .example = "ctl-0"),
    KEY("pause", VALUE_TEXT, struct process_fault, pause, "Stops this process; its clocks go on.",
        .action = FAULT_PAUSE, .example = "leader"),
    KEY("restart", VALUE_TEXT, struct process_fault, restart,
        "Kills this process and starts it again.", .action = FAULT_RESTART, .example = "ctl-0"),
    KEY("terminate", VALUE_TEXT, struct process_fault, terminate,
        "Asks this process to end (SIGTERM).", .action = FAULT_TERMINATE, .example = "ctl-0"),
    KEY("late", VALUE_DURATION, struct process_fault, late_us,
        "The request arrives so much later, whatever becomes of its sender meanwhile.",
        .action = FAULT_LATE, .example = "25s"),
    KEY("moment", VALUE_CHOICE, struct process_fault, moment,
        "When: as the request is sent, once the server has applied it but before the answer "
        "arrives, or once the answer has arrived.",
        .choices = moments, .fallback = "applied", .example = "sent"),
    KEY("for", VALUE_DURATION, struct process_fault, pause_us, "How long a pause lasts.",
        .unless = "until a step resumes the process", .example = "40s"),
};

static const struct key_table process_table = {
    .what = "a fault of a process",
    .keys = process_keys,
    .key_count = ARRAY_SIZE(process_keys),
    .size = sizeof(struct process_fault),
    .has_actions = true,
    .action_offset = offsetof(struct process_fault, kind),
    .next = &api_fault_table,
};

static const struct key fault_keys[] = {
    DESCRIBED("name", VALUE_TEXT, "What a step lifts it by, and reports call it.",
              .unless = "it has none", .example = "busy"),
    DESCRIBED("match", VALUE_MAPPING, "Which requests.", .unless = "all", .table = &match_table,
              .example = "{peer: ctl-0, verb: create, resource: jobs}"),
    DESCRIBED("when", VALUE_MAPPING, "Which of the requests that match.", .unless = "all of them",
              .table = &when_table, .example = "{nth: 1}"),
    DESCRIBED("do", VALUE_MAPPING, "What happens.", .required = true, .table = &process_table,
              .example = "{crash: ctl-0}"),
    DESCRIBED(KEY_OPTIONAL, VALUE_CUSTOM, "It is no failure if it never happens.", .shape = "true",
              .form = FORM_TRUE, .unless = "it must happen", .example = "true"),
};

const struct key_table fault_table = {
    .what = "a fault",
    .keys = fault_keys,
    .key_count = ARRAY_SIZE(fault_keys),
};

static bool hits_process(const struct yaml_node *node)
{
    const struct yaml_node *what = yaml_get(node, "do");

    for (size_t i = 0; what != NULL && i < ARRAY_SIZE(process_actions); i++) {
        if (yaml_get(what, process_actions[i].key) != NULL)
            return true;
    }
    return false;
}

static void read_process_fault(struct reader *reader, const struct yaml_node *what,
                               struct fault *fault)
{
    struct process_fault read = {0};

    if (!read_mapping(reader, what, &process_table, &read))
        return;
    fault->kind = (enum fault_target)read.kind;
    fault->moment = (enum fault_moment)read.moment;
    fault->pause_us = read.pause_us;
    fault->process = read.crash;
    if (read.kind == FAULT_PAUSE)
        fault->process = read.pause;
    else if (read.kind == FAULT_RESTART)
        fault->process = read.restart;
    else if (read.kind == FAULT_TERMINATE)
        fault->process = read.terminate;
    fault->late_us = read.late_us;
    if (read.kind != FAULT_LATE)
        (void)process_name_check(reader, what, fault->process);
    else if (yaml_get(what, "moment") != NULL)
        reader_problem(reader, what, "a request that is late has no 'moment'");
    if (read.pause_us >= 0 && read.kind != FAULT_PAUSE)
        reader_problem(reader, what, "only a pause has a 'for'");
}

/** Without the "line L, column C: " that the error begins with. */
static const char *bare(const char *text)
{
    const char *colon = text_starts_with(text, "line ") ? strstr(text, ": ") : NULL;

    return colon == NULL ? text : colon + 2;
}

/** The rule's node as fakeapi/faults reads it: without our keys, and with an action of its own
 * where the fault hits a process. The caller frees the members. */
static struct yaml_node rule_node(const struct yaml_node *node, bool process,
                                  struct yaml_node *stand_in)
{
    struct yaml_node rule = *node;

    rule.member_count = 0;
    rule.members = xcalloc(node->member_count + 1, sizeof(*rule.members));
    for (size_t i = 0; i < node->member_count; i++) {
        struct yaml_member member = node->members[i];

        if (strcmp(member.key, KEY_OPTIONAL) == 0)
            continue;
        if (process && strcmp(member.key, "do") == 0)
            member.value = stand_in;
        rule.members[rule.member_count++] = member;
    }
    return rule;
}

static void read_rule(struct reader *reader, const struct yaml_node *node, bool process,
                      struct fault *fault)
{
    struct yaml_node yes = {.kind = YAML_SCALAR, .plain = true, .text = "true"};
    struct yaml_member refuse = {.key = "refuse", .value = &yes};
    struct yaml_node stand_in = {.kind = YAML_MAPPING, .members = &refuse, .member_count = 1};
    struct yaml_node rule = rule_node(node, process, &stand_in);
    struct error err = ERROR_INIT;
    unsigned line = node->line;
    unsigned column = node->column;

    if (!fault_rule_parse(&rule, &fault->rule, &line, &column, &err))
        problems_add(reader->problems, (struct place){line, column}, "%s", bare(err.text));
    fault->name = fault->rule.name;
    free(rule.members);
}

/** Of what a rule matches with; of the rule where it says nothing. */
static struct place matcher_place(const struct yaml_node *node, const char *key)
{
    const struct yaml_node *match = yaml_get(node, "match");
    const struct yaml_node *matcher =
        match == NULL || match->kind != YAML_MAPPING ? NULL : yaml_get(match, key);

    return node_place(matcher == NULL ? node : matcher);
}

static void read_fault(struct reader *reader, const struct yaml_node *node, struct fault *fault)
{
    const struct yaml_node *optional;
    bool process;

    fault->place = node_place(node);
    fault->pause_us = -1;
    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node,
                       "a fault must be a mapping of 'match', 'when' and 'do', not %s",
                       node_found(reader, node));
        return;
    }
    optional = yaml_get(node, KEY_OPTIONAL);
    if (optional != NULL && (optional->kind != YAML_SCALAR || strcmp(optional->text, "true") != 0))
        reader_problem(reader, optional, "'optional' can only be true; leave it out otherwise");
    fault->optional = optional != NULL;
    fault->peer_place = matcher_place(node, "peer");
    fault->resource_place = matcher_place(node, "resource");
    process = hits_process(node);
    if (process)
        read_process_fault(reader, yaml_get(node, "do"), fault);
    read_rule(reader, node, process, fault);
}

void read_faults(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct fault_list *list = field;
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;

    list->items = arena_alloc(reader->arena, count * sizeof(*list->items));
    list->count = count;
    for (size_t i = 0; i < count; i++)
        read_fault(reader, node->kind == YAML_SEQUENCE ? node->members[i].value : node,
                   &list->items[i]);
}
