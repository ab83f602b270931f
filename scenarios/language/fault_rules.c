/* fault_rules - faults in a scenario: those at the API in the words of fakeapi/faults, and those of
 * processes, which happen when a request that a rule describes passes by. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/fault_keys.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/language/targets.h"

/** Keys of a rule beside those of fakeapi/faults. */
#define KEY_OPTIONAL "optional"
#define KEY_SWEEP "sweep"
/** Keys of its match. */
#define KEY_TIMER "timer"
#define KEY_EVENT "event"

static const struct key fault_keys[] = {
    DESCRIBED("name", VALUE_TEXT, "What a step lifts it by, and reports call it.",
              .unless = "it has none", .example = "busy"),
    DESCRIBED("match", VALUE_MAPPING, "Which requests.", .unless = "all", .table = &match_table,
              .example = "{peer: ctl-0, verb: create, resource: jobs}"),
    DESCRIBED("when", VALUE_MAPPING, "Which of the requests that match.", .unless = "all of them",
              .table = &when_table, .example = "{nth: 1}"),
    DESCRIBED("do", VALUE_MAPPING, "What happens.", .required = true, .table = &fault_deed_table,
              .example = "{crash: ctl-0}"),
    DESCRIBED(KEY_OPTIONAL, VALUE_CUSTOM, "It is no failure if it never happens.", .shape = "true",
              .form = FORM_TRUE, .unless = "it must happen", .example = "true"),
    DESCRIBED(KEY_SWEEP, VALUE_CUSTOM,
              "It is the one more fault of a sweep: it comes before the others, may also happen "
              "while the world settles, and from then on what it may change is not judged.",
              .shape = "true", .form = FORM_TRUE, .unless = "it is part of the story",
              .example = "true"),
};

const struct key_table fault_table = {
    .what = "a fault",
    .keys = fault_keys,
    .key_count = ARRAY_SIZE(fault_keys),
};

static void read_deed(struct reader *reader, const struct yaml_node *what, struct fault *fault)
{
    struct fault_deed deed;

    fault->key = fault_deed_read(reader, what, &deed);
    if (fault->key == NULL)
        return;
    fault->kind = (enum fault_target)deed.target;
    fault->process = deed.process;
    fault->moment = deed.moment < 0 ? MOMENT_APPLIED : (enum fault_moment)deed.moment;
    fault->link = deed.link;
    fault->both = deed.both || fault->kind == FAULT_PARTITION;
    fault->amount = deed.amount;
    fault->for_us = deed.for_us;
    fault->grace_us = deed.grace_us;
}

/** What speaks of requests: with it a fault waits for one. */
static bool speaks_of_requests(const struct yaml_node *node)
{
    static const char *const keys[] = {"nth", "every", "count", "probability", "seed"};
    const struct yaml_node *when = yaml_get(node, "when");

    if (yaml_get(node, "match") != NULL)
        return true;
    for (size_t i = 0; when != NULL && i < ARRAY_SIZE(keys); i++) {
        if (yaml_get(when, keys[i]) != NULL)
            return true;
    }
    return false;
}

/** Where a fault waits for no request its times are its own. */
static void read_times(struct reader *reader, const struct yaml_node *node, struct fault *fault)
{
    const struct yaml_node *what = yaml_get(node, "do");
    const struct yaml_node *moment = yaml_get(what, "moment");

    if (fault->key == NULL || fault->kind == FAULT_AT_API || fault_target_is_request(fault->kind) ||
        speaks_of_requests(node))
        return;
    fault->timed = true;
    if (moment != NULL)
        reader_problem(reader, moment, "a 'moment' is one of a request; say with 'match' of which");
    if (fault->rule.until_us == 0)
        return;
    if (fault_target_is_sudden(fault->kind))
        reader_problem(reader, node, "'%s' is over at once: it has no 'until'", fault->key);
    else if (fault->for_us >= 0)
        reader_problem(reader, node, "either 'for' or 'until' says how long it lasts");
    else
        fault->for_us = fault->rule.until_us - fault->rule.from_us;
}

/** A mapping without some keys. The caller frees the members. */
static struct yaml_node without(const struct yaml_node *node, const char *first, const char *second)
{
    struct yaml_node rest = *node;

    rest.member_count = 0;
    rest.members = xcalloc(node->member_count + 1, sizeof(*rest.members));
    for (size_t i = 0; i < node->member_count; i++) {
        if (strcmp(node->members[i].key, first) != 0 && strcmp(node->members[i].key, second) != 0)
            rest.members[rest.member_count++] = node->members[i];
    }
    return rest;
}

/** The rule's node as fakeapi/faults reads it: without our keys, and with an action of its own
 * where the fault hits a process. The caller frees the members. */
static struct yaml_node rule_node(const struct yaml_node *node, bool process,
                                  struct yaml_node *match, struct yaml_node *stand_in)
{
    struct yaml_node rule = without(node, KEY_OPTIONAL, KEY_SWEEP);

    for (size_t i = 0; i < rule.member_count; i++) {
        struct yaml_member *member = &rule.members[i];

        if (process && strcmp(member->key, "do") == 0)
            member->value = stand_in;
        if (member->value->kind == YAML_MAPPING && strcmp(member->key, "match") == 0)
            member->value = match;
    }
    return rule;
}

static void mistake(void *arg, unsigned line, unsigned column, const char *what)
{
    const struct reader *reader = arg;

    problems_add(reader->problems, (struct place){line, column}, "%s", what);
}

static void read_rule(struct reader *reader, const struct yaml_node *node, bool process,
                      struct fault *fault)
{
    struct yaml_node yes = {.kind = YAML_SCALAR, .plain = true, .text = "true"};
    struct yaml_member refuse = {.key = "refuse", .value = &yes};
    struct yaml_node stand_in = {.kind = YAML_MAPPING, .members = &refuse, .member_count = 1};
    const struct yaml_node *written = yaml_get(node, "match");
    struct yaml_node nothing = {.kind = YAML_MAPPING};
    struct yaml_node match =
        without(written != NULL && written->kind == YAML_MAPPING ? written : &nothing, KEY_TIMER,
                KEY_EVENT);
    struct yaml_node rule = rule_node(node, process, &match, &stand_in);

    if (!fault_rule_parse_all(&rule, &fault->rule, mistake, reader))
        fault->rule = (struct fault_rule){0};
    fault->name = fault->rule.name;
    free(rule.members);
    free(match.members);
}

/** What can only be true. */
static bool read_true(struct reader *reader, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);

    if (value != NULL && (value->kind != YAML_SCALAR || strcmp(value->text, "true") != 0))
        reader_problem(reader, value, "'%s' can only be true; leave it out otherwise", key);
    return value != NULL;
}

/** Where else than at calls it happens. */
static void read_site(struct reader *reader, const struct yaml_node *match, struct fault *fault)
{
    const struct yaml_node *timer = yaml_get(match, KEY_TIMER);

    fault->at_event = read_true(reader, match, KEY_EVENT);
    fault->at_timer = timer != NULL;
    if (timer == NULL)
        return;
    if (match->member_count > 1)
        reader_problem(reader, timer, "beside 'timer' there is nothing else to match");
    else if (fault->kind == FAULT_AT_API || fault_target_is_request(fault->kind))
        reader_problem(reader, timer, "'%s' happens to requests, not to timers", fault->key);
    else if (timer->kind != YAML_SCALAR || !process_name_check(reader, timer, timer->text))
        return;
    fault->rule.peer = (struct fault_patterns){.items = {timer->text}, .count = 1};
}

bool read_trigger(struct reader *reader, const struct yaml_node *node, struct fault_rule *rule)
{
    struct yaml_node yes = {.kind = YAML_SCALAR, .plain = true, .text = "true"};
    struct yaml_member refuse = {.key = "refuse", .value = &yes};
    struct yaml_node stand_in = {.kind = YAML_MAPPING, .members = &refuse, .member_count = 1};
    struct yaml_member members[3];
    struct yaml_node trigger = *node;
    bool ok;

    trigger.members = members;
    trigger.member_count = 0;
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (strcmp(member->key, "match") == 0 || strcmp(member->key, "when") == 0)
            members[trigger.member_count++] = *member;
    }
    members[trigger.member_count++] = (struct yaml_member){.key = "do", .value = &stand_in};
    ok = fault_rule_parse_all(&trigger, rule, mistake, reader);
    if (!ok)
        *rule = (struct fault_rule){0};
    return ok;
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
    const struct yaml_node *match = yaml_get(node, "match");

    fault->place = node_place(node);
    fault->for_us = -1;
    fault->grace_us = -1;
    if (node->kind != YAML_MAPPING) {
        reader_problem(reader, node,
                       "a fault must be a mapping of 'match', 'when' and 'do', not %s",
                       node_found(reader, node));
        return;
    }
    fault->optional = read_true(reader, node, KEY_OPTIONAL);
    fault->swept = read_true(reader, node, KEY_SWEEP);
    fault->peer_place = matcher_place(node, "peer");
    fault->resource_place = matcher_place(node, "resource");
    if (yaml_get(node, "do") == NULL) {
        reader_problem(reader, node, "a fault needs a 'do': what happens");
        return;
    }
    read_deed(reader, yaml_get(node, "do"), fault);
    read_rule(reader, node, fault->kind != FAULT_AT_API, fault);
    if (match != NULL && match->kind == YAML_MAPPING && fault->key != NULL)
        read_site(reader, match, fault);
    read_times(reader, node, fault);
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

static void free_document(void *document)
{
    yaml_free(document);
}

struct fault *fault_read(const char *text, struct arena *arena, struct problems *problems)
{
    struct reader reader = {.arena = arena, .problems = problems};
    size_t before = problems->count;
    struct yaml_document *document = NULL;
    struct place place = {1, 1};
    struct error err = ERROR_INIT;
    struct fault *fault = arena_alloc(arena, sizeof(*fault));

    if (!yaml_parse(text, strlen(text), SCENARIO_BYTES_MAX, &document, &place.line, &place.column,
                    &err)) {
        problems_add(problems, place, "%s", err.text);
        return NULL;
    }
    arena_own(arena, document, free_document);
    read_fault(&reader, yaml_root(document), fault);
    return problems->count == before ? fault : NULL;
}
