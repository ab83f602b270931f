/* scenario - the keys of a scenario file, and the rules between them. */
#include "scenarios/language/scenario.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/actor_rules.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/step_keys.h"
#include "scenarios/language/targets.h"

/* --- controllers --- */

static const struct key controllers_keys[] = {
    KEY("replicas", VALUE_INTEGER, struct controllers, replicas,
        "How many replicas of agent-controller there are: ctl-0, ctl-1, ...", .fallback = "2",
        .example = "3", .minimum = 0, .maximum = SCENARIO_REPLICAS_MAX),
    KEY("stagger", VALUE_DURATION, struct controllers, stagger_us,
        "How long after the one before it each replica starts.", .fallback = "1s",
        .example = "20s"),
    KEY("settings", VALUE_SETTINGS, struct controllers, settings,
        "Environment variables of all replicas.", .unless = "as deployed",
        .example = "{LEASE_DURATION: 15s}"),
    KEY("clocks", VALUE_LIST, struct controllers, clocks, "Wrong clocks from the start.",
        .unless = "all are right", .example = "[{of: ctl-1, skew: 20s}]",
        .count_offset = offsetof(struct controllers, clock_count), .table = &clock_table),
};

static const struct key_table controllers_table = {
    .what = "controllers",
    .keys = controllers_keys,
    .key_count = ARRAY_SIZE(controllers_keys),
    .size = sizeof(struct controllers),
};

/* --- the file --- */

static const struct key expected_failure_keys[] = {
    KEY("reason", VALUE_TEXT, struct expected_failure, reason, "Why it fails.", .required = true,
        .example = "the queue is not fair yet"),
    KEY("failure", VALUE_TEXT, struct expected_failure, failure,
        "What fails, as a run says it: an invariant, or a step and what it is about.",
        .required = true, .example = "\"wait: Agent hello\""),
};

static const struct key_table expected_failure_table = {
    .what = "an expected failure",
    .keys = expected_failure_keys,
    .key_count = ARRAY_SIZE(expected_failure_keys),
    .size = sizeof(struct expected_failure),
};

/** expand.c has taken it out before. */
static void read_nothing(struct reader *reader, const struct yaml_node *node, void *field)
{
    (void)reader;
    (void)node;
    (void)field;
}

#define DESCRIBED_BY_HAND(word, text, ...)                                                         \
    DESCRIBED(word, VALUE_CUSTOM, text, .read = read_nothing, __VA_ARGS__)

static const struct key scenario_keys[] = {
    KEY("description", VALUE_TEXT, struct scenario, description,
        "What happens and what must hold, in a sentence or two.", .required = true,
        .example = "An Agent runs and ends."),
    KEY("tags", VALUE_TEXTS, struct scenario, tags, "Words to choose scenarios by.",
        .unless = "none", .example = "[slow, leader]"),
    KEY("skip", VALUE_TEXT, struct scenario, skip, "Why it is not run.", .unless = "it is run",
        .example = "needs two clusters"),
    KEY("expectFailure", VALUE_MAPPING, struct scenario, expected_failure,
        "It is known to fail in this way; it is a failure when it passes, or fails otherwise.",
        .table = &expected_failure_table, .unless = "it must pass",
        .example = "{reason: the queue is not fair yet, failure: I-LIVE}"),
    KEY("seed", VALUE_INTEGER, struct scenario, seed, "Where all random numbers come from.",
        .fallback = "1", .example = "42"),
    KEY("defaults", VALUE_FLAG, struct scenario, defaults,
        "Whether there are a Station 'station' and an AgentDefinition 'recipe'.",
        .fallback = "true", .example = "false"),
    DESCRIBED_BY_HAND("matrix",
                      "Parameters and their values: each combination is a scenario of its own, "
                      "named leader/x[replicas=3]; ${replicas} stands for the value.",
                      .shape = "a mapping of names to lists of values", .form = FORM_MAPPING,
                      .unless = "one scenario", .example = "{replicas: [1, 3]}"),
    DESCRIBED_BY_HAND("sizes",
                      "Names with two values: ${agents} is the first in a run, and the second in a "
                      "sweep, which runs the scenario ten thousand times.",
                      .shape = "a mapping of names to two values each", .form = FORM_MAPPING,
                      .unless = "one size for all", .example = "{agents: [1500, 20]}"),
    DESCRIBED_BY_HAND("templates",
                      "What 'template: NAME' stands for, wherever a mapping may be: other keys "
                      "beside it are laid over, and 'with' gives values to its ${names}. 'include: "
                      "PATH' does the "
                      "same with a file, and here takes its templates in.",
                      .shape = "a mapping of names to anything", .form = FORM_MAPPING,
                      .unless = "none", .example = "{run: {kind: Agent, name: \"${name}\"}}"),
    KEY("controllers", VALUE_MAPPING, struct scenario, controllers,
        "The replicas of agent-controller.", .unless = "two, as deployed",
        .example = "{replicas: 3}", .table = &controllers_table),
    KEY("objects", VALUE_CUSTOM, struct scenario, objects,
        "What is in the cluster at the start, status included.", .read = read_manifests,
        .shape = "a list of objects", .form = FORM_ONE_OR_MORE, .table = &manifest_table,
        .unless = "nothing more than the defaults", .example = "[{kind: Agent, name: hello}]"),
    KEY("pods", VALUE_LIST, struct scenario, pods,
        "What the pods of Agents do; the first that fits counts.",
        .unless = "they run for 1s and exit with 0",
        .example = "[{agent: hello, runs: 30s, exit: 1}]",
        .count_offset = offsetof(struct scenario, pod_count), .table = &pod_table),
    KEY("cluster", VALUE_MAPPING, struct scenario, cluster,
        "What the cluster does behind its API, and how quickly.",
        .unless = "all that a cluster does", .example = "{jobController: off}",
        .table = &chores_table),
    KEY("servers", VALUE_LIST, struct scenario, servers,
        "HTTP servers on hosts of their own, which answer by a script and keep what they get.",
        .unless = "none", .example = "[{host: hooks.example, answers: [{status: 202}]}]",
        .count_offset = offsetof(struct scenario, server_count), .table = &server_table),
    KEY("rivals", VALUE_LIST, struct scenario, rivals,
        "Other controllers, which want fields of objects otherwise, until the last step is done.",
        .unless = "none",
        .example = "[{name: labeller, kind: Agent, merge: {metadata: {labels: {team: a}}}}]",
        .count_offset = offsetof(struct scenario, rival_count), .table = &rival_table),
    KEY("faults", VALUE_CUSTOM, struct scenario, faults, "What goes wrong from the start.",
        .read = read_faults, .shape = "a list of faults", .form = FORM_ONE_OR_MORE,
        .table = &fault_table, .unless = "nothing",
        .example = "[{match: {verb: create, resource: jobs}, when: {nth: 1}, do: {status: 503}}]"),
    KEY("links", VALUE_LIST, struct scenario, links, "Slow links from the start.",
        .unless = "all are quick", .example = "[{between: [ctl-0, api], latency: 2s}]",
        .count_offset = offsetof(struct scenario, link_count), .table = &link_table),
    KEY("steps", VALUE_LIST, struct scenario, steps,
        "What happens: steps one after another, and steps at a time.", .unless = "nothing",
        .example = "[{apply: {kind: Agent, name: hello}}, {advance: 30s}]",
        .count_offset = offsetof(struct scenario, step_count), .table = &step_table),
    KEY("cleanup", VALUE_LIST, struct scenario, cleanup,
        "Steps that are taken once all is judged, after a failure too, the last one first and each "
        "whatever became of the others. They are told apart, and never hide a failure of before; "
        "servers, pods and the cluster go on until they are done.",
        .unless = "nothing", .example = "[{delete: {kind: Agent, name: hello}}]",
        .count_offset = offsetof(struct scenario, cleanup_count), .table = &step_table),
    KEY("expect", VALUE_CUSTOM, struct scenario, expect,
        "What holds at the end, once all faults have stopped and everything has settled.",
        .read = read_claims, .shape = "a list of expectations", .form = FORM_ONE_OR_MORE,
        .table = &claim_table, .unless = "the invariants alone",
        .example = "[{kind: Agent, name: hello, status: {phase: Succeeded}}]"),
    KEY("duration", VALUE_DURATION, struct scenario, duration_us,
        "How long the steps take at most, in virtual time.", .fallback = "24h", .example = "1h"),
    KEY("settle", VALUE_DURATION, struct scenario, settle_us,
        "How long after the last step, faults gone, everything may stand still before every Agent "
        "has ended and every controller is at rest.",
        .fallback = "45m", .example = "10m"),
};

const struct key_table scenario_table = {
    .what = "a scenario",
    .keys = scenario_keys,
    .key_count = ARRAY_SIZE(scenario_keys),
    .size = sizeof(struct scenario),
};

/** Most resources that are looked up by name. */
#define RESOURCES_MAX 64

/* --- rules between keys --- */

/** A replica that the scenario does not have. */
static void check_replica(struct reader *reader, const struct scenario *scenario,
                          struct place place, const char *name)
{
    int64_t index;

    if (!text_starts_with(name, "ctl-") || !text_to_int64(name + 4, &index) ||
        index < scenario->controllers->replicas)
        return;
    problems_add(reader->problems, place, "there is no %s with %d replica%s", name,
                 (int)scenario->controllers->replicas,
                 text_plural((uint64_t)scenario->controllers->replicas));
}

/** Neither does a person crash, nor is the machine of the API server a process of this world. */
static void check_mortal(struct reader *reader, struct place place, const char *name, bool crashes)
{
    if (strcmp(name, "api") == 0 && !crashes)
        problems_add(reader->problems, place,
                     "the API server cannot end like that here; crash, restart or pause it");
    else if (strcmp(name, "user") == 0)
        problems_add(reader->problems, place, "nothing can happen to the user");
    else if (strchr(name, '.') != NULL)
        problems_add(reader->problems, place,
                     "a server cannot end here; partition or pause it, or let it drop requests");
}

/* A matcher that matches nobody makes a fault that never happens; where that is allowed, nobody
 * would ever know. */

static void check_peers(struct reader *reader, const struct scenario *scenario,
                        const struct fault *fault)
{
    static const char *const others[] = {"user", "leader", "standby", "api"};

    for (size_t i = 0; i < fault->rule.peer.count; i++) {
        const char *peer = fault->rule.peer.items[i];
        bool known = false;

        for (size_t j = 0; j < ARRAY_SIZE(others); j++)
            known = known || fnmatch(peer, others[j], 0) == 0;
        for (int64_t j = 0; j < scenario->controllers->replicas; j++)
            known = known || fnmatch(peer, arena_format(reader->arena, "ctl-%" PRId64, j), 0) == 0;
        known = known || actors_have_peer(scenario, peer);
        if (!known)
            problems_add(reader->problems, fault->peer_place,
                         "no process is called '%s'; there are ctl-0 and so on, user, leader and "
                         "standby",
                         peer);
    }
}

static bool is_resource(const char *pattern, const char *plural, struct arena *arena)
{
    static const char *const parts[] = {"", "/status", "/log", "/scale"};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (fnmatch(pattern, arena_format(arena, "%s%s", plural, parts[i]), 0) == 0)
            return true;
    }
    return false;
}

/** Only a file's own CRDs bring resources that the language does not know. */
static bool has_own_kinds(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->objects.count; i++) {
        if (strcmp(scenario->objects.items[i].target.plural, "customresourcedefinitions") == 0)
            return true;
    }
    return false;
}

static void check_resources(struct reader *reader, const struct scenario *scenario,
                            const struct fault *fault)
{
    const char *known[RESOURCES_MAX];
    size_t count = 0;

    for (; count < kind_count() && count < RESOURCES_MAX; count++)
        known[count] = kind_at(count)->plural;
    for (size_t i = 0; i < fault->rule.resource.count; i++) {
        const char *resource = fault->rule.resource.items[i];
        bool right = *resource == '/' || has_own_kinds(scenario);

        for (size_t j = 0; !right && j < count; j++)
            right = is_resource(resource, known[j], reader->arena);
        if (!right)
            problems_add(reader->problems, fault->resource_place, "there is no resource '%s'%s",
                         resource, suggestion(reader, resource, known, count));
    }
}

/** Its clocks are the truth, and its machine the cluster's. */
static bool can_happen_to_api(enum fault_target target)
{
    return target == FAULT_CRASH || target == FAULT_RESTART || target == FAULT_PAUSE;
}

static void check_faults(struct reader *reader, const struct scenario *scenario,
                         const struct fault_list *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        check_peers(reader, scenario, &faults->items[i]);
        check_resources(reader, scenario, &faults->items[i]);
        for (size_t j = 0; j < faults->items[i].link.count; j++)
            check_replica(reader, scenario, faults->items[i].place, faults->items[i].link.items[j]);
        if (faults->items[i].process == NULL)
            continue;
        check_replica(reader, scenario, faults->items[i].place, faults->items[i].process);
        check_mortal(reader, faults->items[i].place, faults->items[i].process,
                     can_happen_to_api(faults->items[i].kind));
    }
}

static bool fault_is_named(const struct fault_list *faults, const char *name)
{
    for (size_t i = 0; i < faults->count; i++) {
        if (text_equal(faults->items[i].name, name))
            return true;
    }
    return false;
}

static void check_lifted(struct reader *reader, const struct scenario *scenario,
                         const struct step *step)
{
    for (size_t i = 0; i < step->lifted.count; i++) {
        bool known = fault_is_named(&scenario->faults, step->lifted.items[i]);

        for (size_t j = 0; !known && j < scenario->step_count; j++)
            known = fault_is_named(&scenario->steps[j].faults, step->lifted.items[i]);
        if (!known)
            problems_add(reader->problems, step->place, "no fault is named '%s'",
                         step->lifted.items[i]);
    }
}

static bool ends_processes(int action)
{
    return action == STEP_START || action == STEP_CRASH || action == STEP_RESTART ||
           action == STEP_TERMINATE;
}

/** Of a meddle or a denial: as those of a fault. */
static void check_trigger(struct reader *reader, const struct scenario *scenario,
                          const struct fault_rule *rule, struct place place)
{
    const struct fault fault = {
        .place = place, .rule = *rule, .peer_place = place, .resource_place = place};

    check_peers(reader, scenario, &fault);
    check_resources(reader, scenario, &fault);
}

static void check_processes(struct reader *reader, const struct scenario *scenario,
                            const struct step *step)
{
    for (size_t i = 0; i < step->processes.count; i++) {
        check_replica(reader, scenario, step->place, step->processes.items[i]);
        if (ends_processes(step->action))
            check_mortal(reader, step->place, step->processes.items[i],
                         step->action != STEP_TERMINATE);
    }
    if (step->link != NULL && step->link->between.count == 2) {
        check_replica(reader, scenario, step->link->place, step->link->between.items[0]);
        check_replica(reader, scenario, step->link->place, step->link->between.items[1]);
    }
    if (step->clock != NULL && step->clock->of != NULL)
        check_replica(reader, scenario, step->clock->place, step->clock->of);
    if (step->kill != NULL && step->kill->of != NULL) {
        check_replica(reader, scenario, step->kill->place, step->kill->of);
        check_mortal(reader, step->kill->place, step->kill->of, false);
    }
    if (step->send != NULL)
        check_replica(reader, scenario, step->send->place, step->send->to);
}

static void check_step(struct reader *reader, const struct scenario *scenario,
                       const struct step *step)
{
    char duration[TIME_TEXT_SIZE];
    bool too_long = step->action == STEP_ADVANCE && step->advance_us > scenario->duration_us;

    check_processes(reader, scenario, step);
    check_faults(reader, scenario, &step->faults);
    check_lifted(reader, scenario, step);
    if (step->deny != NULL)
        check_trigger(reader, scenario, &step->deny->rule, step->deny->place);
    if (step->meddle != NULL)
        check_trigger(reader, scenario, &step->meddle->rule, step->meddle->place);
    for (size_t i = 0; step->meddle != NULL && i < step->meddle->step_count; i++)
        check_processes(reader, scenario, &step->meddle->steps[i]);
    if (too_long || step->at_us > scenario->duration_us) {
        duration_format(scenario->duration_us, duration);
        problems_add(reader->problems, step->place,
                     "this step %s the scenario's 'duration' of %s; make that longer",
                     too_long ? "takes longer than" : "comes after", duration);
    }
}

/** By then nothing goes wrong any more, and nobody asks for names. */
static bool cleans(int action)
{
    switch (action) {
    case STEP_APPLY:
    case STEP_PATCH:
    case STEP_DELETE:
    case STEP_SEND:
    case STEP_WAIT:
    case STEP_ASSERT:
    case STEP_ERROR:
    case STEP_ALWAYS:
    case STEP_NEVER:
    case STEP_ADVANCE:
    case STEP_NONE: /* which has been told already */
        return true;
    default:
        return false;
    }
}

static void check_cleanup(struct reader *reader, const struct scenario *scenario,
                          const struct step *step)
{
    check_step(reader, scenario, step);
    if (!cleans(step->action))
        problems_add(reader->problems, step->place,
                     "'%s' cleans nothing up; in 'cleanup' people write, send, wait and assert",
                     step_action_name(step->action));
    if (step->at_us >= 0)
        problems_add(reader->problems, step->place, "a step of 'cleanup' has no time of its own");
    if (step->answer.binding_count > 0)
        problems_add(reader->problems, step->place, "in 'cleanup' nobody asks for names");
    if (step->send != NULL && step->send->redelivers != NULL)
        problems_add(reader->problems, step->place, "in 'cleanup' nothing is sent again");
}

static void check_steps(struct reader *reader, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->step_count; i++)
        check_step(reader, scenario, &scenario->steps[i]);
    for (size_t i = 0; i < scenario->cleanup_count; i++)
        check_cleanup(reader, scenario, &scenario->cleanup[i]);
}

/* --- objects --- */

static int compare_manifests(const void *a, const void *b)
{
    const struct manifest *x = *(const struct manifest *const *)a;
    const struct manifest *y = *(const struct manifest *const *)b;
    int order = strcmp(x->target.plural, y->target.plural);

    if (order == 0)
        order = strcmp(x->target.group, y->target.group);
    if (order == 0)
        order = strcmp(x->target.namespace, y->target.namespace);
    if (order == 0)
        order = strcmp(x->target.name, y->target.name);
    return order;
}

static int compare_places(const void *a, const void *b)
{
    const struct manifest *x = *(const struct manifest *const *)a;
    const struct manifest *y = *(const struct manifest *const *)b;
    int order = compare_manifests(a, b);

    return order != 0 ? order : (x > y) - (x < y); /* both of one array: as in the file */
}

/** The second would take the place of the first, or be refused. */
static void check_objects(struct reader *reader, const struct manifests *objects)
{
    const struct manifest **sorted = xcalloc(objects->count + 1, sizeof(*sorted));

    for (size_t i = 0; i < objects->count; i++)
        sorted[i] = &objects->items[i];
    qsort(sorted, objects->count, sizeof(*sorted), compare_places);
    for (size_t i = 1; i < objects->count; i++) {
        if (compare_manifests(&sorted[i - 1], &sorted[i]) == 0)
            problems_add(reader->problems, sorted[i]->place, "%s '%s' is there already, at line %u",
                         sorted[i]->target.kind, sorted[i]->target.name, sorted[i - 1]->place.line);
    }
    free(sorted);
}

static void check_whole(struct reader *reader, struct scenario *scenario)
{
    if (scenario->controllers == NULL) {
        struct yaml_node empty = {.kind = YAML_MAPPING, .line = 1, .column = 1};

        scenario->controllers = arena_alloc(reader->arena, sizeof(*scenario->controllers));
        (void)read_mapping(reader, &empty, &controllers_table, scenario->controllers);
    }
    check_objects(reader, &scenario->objects);
    actors_check(reader, scenario);
    check_faults(reader, scenario, &scenario->faults);
    check_steps(reader, scenario);
    for (size_t i = 0; i < scenario->controllers->clock_count; i++) {
        const struct clock_setting *clock = &scenario->controllers->clocks[i];

        if (clock->of != NULL)
            check_replica(reader, scenario, clock->place, clock->of);
    }
    /* a misspelt one has been reported already */
    if (scenario->step_count == 0 && scenario->expect.count == 0 && reader->problems->count == 0)
        problems_add(reader->problems, scenario->place, "a scenario needs 'steps' or 'expect'");
}

void scenario_take(struct reader *reader, const struct yaml_node *root, struct scenario *scenario)
{
    (void)read_mapping(reader, root, &scenario_table, scenario);
    if (root->kind != YAML_MAPPING)
        return;
    check_whole(reader, scenario);
    if (scenario->defaults)
        add_default_objects(reader, &scenario->objects);
}
