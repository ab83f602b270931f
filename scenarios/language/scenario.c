/* scenario - the keys of a scenario file, and the rules between them. */
#include "scenarios/language/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/step_keys.h"
#include "scenarios/language/targets.h"

/* --- pods --- */

static const struct key pod_keys[] = {
    {.name = "agent",
     .type = VALUE_TEXT,
     .offset = offsetof(struct pod_script, agent),
     .fallback = "*",
     .help = "Which Agents' pods: a name, with * for any text."},
    {.name = "starts",
     .type = VALUE_DURATION,
     .offset = offsetof(struct pod_script, starts_us),
     .fallback = "0s",
     .help = "How long the pod is pending."},
    {.name = "runs",
     .type = VALUE_DURATION,
     .offset = offsetof(struct pod_script, runs_us),
     .fallback = "1s",
     .help = "How long it runs."},
    {.name = "exit",
     .type = VALUE_INTEGER,
     .offset = offsetof(struct pod_script, exit_code),
     .fallback = "0",
     .minimum = 0,
     .maximum = 255,
     .help = "The exit code of its container."},
    {.name = "log",
     .type = VALUE_TEXT,
     .offset = offsetof(struct pod_script, log),
     .help = "What its container writes."},
    {.name = "hangs",
     .type = VALUE_FLAG,
     .offset = offsetof(struct pod_script, hangs),
     .fallback = "false",
     .help = "It runs until it is killed."},
    {.name = "neverStarts",
     .type = VALUE_FLAG,
     .offset = offsetof(struct pod_script, never_starts),
     .fallback = "false",
     .help = "It is pending until it is deleted."},
};

static const struct key_table pod_table = {
    .what = "a pod's script",
    .keys = pod_keys,
    .key_count = ARRAY_SIZE(pod_keys),
    .size = sizeof(struct pod_script),
};

/* --- controllers --- */

static const struct key controllers_keys[] = {
    {.name = "replicas",
     .type = VALUE_INTEGER,
     .offset = offsetof(struct controllers, replicas),
     .fallback = "2",
     .minimum = 0,
     .maximum = SCENARIO_REPLICAS_MAX,
     .help = "How many replicas of agent-controller there are: ctl-0, ctl-1, ..."},
    {.name = "stagger",
     .type = VALUE_DURATION,
     .offset = offsetof(struct controllers, stagger_us),
     .fallback = "1s",
     .help = "How long after the one before it each replica starts."},
    {.name = "settings",
     .type = VALUE_SETTINGS,
     .offset = offsetof(struct controllers, settings),
     .help = "Environment variables of all replicas."},
    {.name = "clocks",
     .type = VALUE_LIST,
     .offset = offsetof(struct controllers, clocks),
     .count_offset = offsetof(struct controllers, clock_count),
     .table = &clock_table,
     .help = "Wrong clocks from the start."},
};

static const struct key_table controllers_table = {
    .what = "controllers",
    .keys = controllers_keys,
    .key_count = ARRAY_SIZE(controllers_keys),
    .size = sizeof(struct controllers),
};

/* --- the file --- */

static const struct key scenario_keys[] = {
    {.name = "description",
     .type = VALUE_TEXT,
     .offset = offsetof(struct scenario, description),
     .required = true,
     .help = "What happens and what must hold, in a sentence or two."},
    {.name = "tags",
     .type = VALUE_TEXTS,
     .offset = offsetof(struct scenario, tags),
     .help = "Words to choose scenarios by."},
    {.name = "skip",
     .type = VALUE_TEXT,
     .offset = offsetof(struct scenario, skip),
     .help = "Why it is not run."},
    {.name = "seed",
     .type = VALUE_INTEGER,
     .offset = offsetof(struct scenario, seed),
     .fallback = "1",
     .help = "Where all random numbers come from."},
    {.name = "defaults",
     .type = VALUE_FLAG,
     .offset = offsetof(struct scenario, defaults),
     .fallback = "true",
     .help = "Whether there are a Station 'station' and an AgentDefinition 'recipe'."},
    {.name = "controllers",
     .type = VALUE_MAPPING,
     .offset = offsetof(struct scenario, controllers),
     .table = &controllers_table,
     .help = "The replicas of agent-controller."},
    {.name = "objects",
     .type = VALUE_CUSTOM,
     .offset = offsetof(struct scenario, objects),
     .read = read_manifests,
     .shape = "a list of objects",
     .help = "What is in the cluster at the start, status included."},
    {.name = "pods",
     .type = VALUE_LIST,
     .offset = offsetof(struct scenario, pods),
     .count_offset = offsetof(struct scenario, pod_count),
     .table = &pod_table,
     .help = "What the pods of Agents do; the first that fits counts."},
    {.name = "faults",
     .type = VALUE_CUSTOM,
     .offset = offsetof(struct scenario, faults),
     .read = read_faults,
     .shape = "a list of faults",
     .help = "What goes wrong from the start."},
    {.name = "links",
     .type = VALUE_LIST,
     .offset = offsetof(struct scenario, links),
     .count_offset = offsetof(struct scenario, link_count),
     .table = &link_table,
     .help = "Slow links from the start."},
    {.name = "steps",
     .type = VALUE_LIST,
     .offset = offsetof(struct scenario, steps),
     .count_offset = offsetof(struct scenario, step_count),
     .table = &step_table,
     .help = "What happens: steps one after another, and steps at a time."},
    {.name = "expect",
     .type = VALUE_CUSTOM,
     .offset = offsetof(struct scenario, expect),
     .read = read_claims,
     .shape = "a list of expectations",
     .help = "What holds at the end, once all faults have stopped and everything has settled."},
    {.name = "duration",
     .type = VALUE_DURATION,
     .offset = offsetof(struct scenario, duration_us),
     .fallback = "24h",
     .help = "How long the steps take at most, in virtual time."},
    {.name = "settle",
     .type = VALUE_DURATION,
     .offset = offsetof(struct scenario, settle_us),
     .fallback = "45m",
     .help = "Within what time after the last step, faults gone, every Agent has ended and every "
             "controller is at rest."},
};

static const struct key_table scenario_table = {
    .what = "a scenario",
    .keys = scenario_keys,
    .key_count = ARRAY_SIZE(scenario_keys),
    .size = sizeof(struct scenario),
};

/* --- rules between keys --- */

/** "suites/first/run-succeeds.yaml" is "first/run-succeeds". */
static char *name_of(struct arena *arena, const char *path)
{
    size_t size = strlen(path);
    const char *from = path + size;
    unsigned slashes = 0;
    char *name;

    if (text_ends_with(path, ".yaml"))
        size -= strlen(".yaml");
    while (from > path) {
        if (from[-1] == '/' && ++slashes == 2)
            break;
        from--;
    }
    name = arena_text(arena, from);
    name[size - (size_t)(from - path)] = '\0';
    return name;
}

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
                 scenario->controllers->replicas == 1 ? "" : "s");
}

static void check_faults(struct reader *reader, const struct scenario *scenario,
                         const struct fault_list *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        if (faults->items[i].process != NULL)
            check_replica(reader, scenario, faults->items[i].place, faults->items[i].process);
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

static void check_steps(struct reader *reader, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->step_count; i++) {
        const struct step *step = &scenario->steps[i];

        for (size_t j = 0; j < step->processes.count; j++)
            check_replica(reader, scenario, step->place, step->processes.items[j]);
        if (step->link != NULL && step->link->between.count == 2) {
            check_replica(reader, scenario, step->link->place, step->link->between.items[0]);
            check_replica(reader, scenario, step->link->place, step->link->between.items[1]);
        }
        if (step->clock != NULL && step->clock->of != NULL)
            check_replica(reader, scenario, step->clock->place, step->clock->of);
        check_faults(reader, scenario, &step->faults);
        check_lifted(reader, scenario, step);
        if (step->at_us > scenario->duration_us)
            problems_add(reader->problems, step->place,
                         "this step comes after the scenario's 'duration' has passed");
    }
}

static void check_whole(struct reader *reader, struct scenario *scenario)
{
    if (scenario->controllers == NULL) {
        struct yaml_node empty = {.kind = YAML_MAPPING, .line = 1, .column = 1};

        scenario->controllers = arena_alloc(reader->arena, sizeof(*scenario->controllers));
        (void)read_mapping(reader, &empty, &controllers_table, scenario->controllers);
    }
    check_faults(reader, scenario, &scenario->faults);
    check_steps(reader, scenario);
    for (size_t i = 0; i < scenario->controllers->clock_count; i++) {
        const struct clock_setting *clock = &scenario->controllers->clocks[i];

        if (clock->of != NULL)
            check_replica(reader, scenario, clock->place, clock->of);
    }
    if (scenario->step_count == 0 && scenario->expect.count == 0)
        problems_add(reader->problems, scenario->place, "a scenario needs 'steps' or 'expect'");
}

static void free_document(void *document)
{
    yaml_free(document);
}

/** Without the "line L, column C: " that the error begins with. */
static const char *bare(const char *text)
{
    const char *colon = text_starts_with(text, "line ") ? strstr(text, ": ") : NULL;

    return colon == NULL ? text : colon + 2;
}

static void read_document(struct reader *reader, const struct yaml_document *document,
                          struct scenario *scenario)
{
    const struct yaml_node *root = yaml_root(document);

    if (root == NULL) {
        problems_add(reader->problems, (struct place){1, 1}, "the file is empty");
        return;
    }
    (void)read_mapping(reader, root, &scenario_table, scenario);
    if (root->kind != YAML_MAPPING)
        return;
    check_whole(reader, scenario);
    if (scenario->defaults)
        add_default_objects(reader, &scenario->objects);
}

struct scenario *scenario_read(const char *path, const void *bytes, size_t size,
                               struct problems *problems)
{
    struct scenario *scenario = xcalloc(1, sizeof(*scenario));
    struct reader reader = {&scenario->arena, problems};
    struct yaml_document *document = NULL;
    struct place place = {1, 1};
    struct error err = ERROR_INIT;

    if (!yaml_parse(bytes, size, SCENARIO_BYTES_MAX, &document, &place.line, &place.column,
                    &err)) {
        problems_add(problems, place, "%s", bare(err.text));
    } else {
        arena_own(&scenario->arena, document, free_document);
        read_document(&reader, document, scenario);
    }
    if (problems->count > 0) {
        scenario_free(scenario);
        return NULL;
    }
    scenario->path = arena_text(&scenario->arena, path);
    scenario->name = name_of(&scenario->arena, path);
    return scenario;
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    arena_release(&scenario->arena);
    free(scenario);
}
