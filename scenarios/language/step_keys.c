/* step_keys - what a step of a scenario can be. */
#include "scenarios/language/step_keys.h"

#include <string.h>

#include "scenarios/language/scenario.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/targets.h"

/** Clocks go wrong by at most ten years and half their speed. */
#define CLOCK_US_MAX (INT64_C(3652) * 24 * 3600 * 1000000)
#define DRIFT_PPM_MAX 500000
/** No run that people wait for is longer. */
#define MOMENTS_MAX 10000000

/* --- patch and delete --- */

static const struct key patch_keys[] = {
    KEY("kind", VALUE_TEXT, struct patch_action, kind, "The object's kind.", .required = true,
        .example = "Agent"),
    KEY("apiVersion", VALUE_TEXT, struct patch_action, api_version,
        "Of a kind that the language does not know.", .unless = "the kind's own",
        .example = "batch/v1"),
    KEY("name", VALUE_TEXT, struct patch_action, name, "The object's name.", .required = true,
        .example = "hello"),
    KEY("namespace", VALUE_TEXT, struct patch_action, namespace, "The object's namespace.",
        .unless = SCENARIO_NAMESPACE, .example = "other"),
    KEY("status", VALUE_FLAG, struct patch_action, status, "Patches the status subresource.",
        .fallback = "false", .example = "true"),
    KEY("merge", VALUE_CUSTOM, struct patch_action, merge,
        "A JSON merge patch: what is given is set, null removes.", .read = read_json,
        .shape = "a part of the object", .form = FORM_MAPPING, .unless = "a json patch",
        .example = "{metadata: {labels: {team: a}}}"),
    KEY("json", VALUE_CUSTOM, struct patch_action, json, "A JSON patch: operations in order.",
        .read = read_operations, .shape = "a list of operations", .form = FORM_LIST,
        .unless = "a merge patch", .example = "[{op: remove, path: /metadata/labels}]"),
};

static void check_patch(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct patch_action *patch = item;
    struct target_texts texts = {patch->kind, patch->api_version, patch->namespace, patch->name};

    if ((patch->merge == NULL) == (patch->json == NULL))
        reader_problem(reader, node, "a patch needs either 'merge' or 'json'");
    (void)target_resolve(reader, node, &texts, &patch->target);
}

static const struct key_table patch_table = {
    .what = "a patch",
    .keys = patch_keys,
    .key_count = ARRAY_SIZE(patch_keys),
    .size = sizeof(struct patch_action),
    .check = check_patch,
};

static const char *const propagations[] = {"Background", "Foreground", "Orphan", NULL};

static const struct key delete_keys[] = {
    KEY("kind", VALUE_TEXT, struct delete_action, kind, "The object's kind.", .required = true,
        .example = "Agent"),
    KEY("apiVersion", VALUE_TEXT, struct delete_action, api_version,
        "Of a kind that the language does not know.", .unless = "the kind's own",
        .example = "batch/v1"),
    KEY("name", VALUE_TEXT, struct delete_action, name,
        "The object's name; with *, the first such object.", .required = true, .example = "hello"),
    KEY("namespace", VALUE_TEXT, struct delete_action, namespace, "The object's namespace.",
        .unless = SCENARIO_NAMESPACE, .example = "other"),
    KEY("propagation", VALUE_CHOICE, struct delete_action, propagation,
        "What becomes of the objects that it owns.", .choices = propagations,
        .unless = "what the kind does by itself", .example = "Foreground"),
};

static void check_delete(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct delete_action *deletion = item;
    struct target_texts texts = {deletion->kind, deletion->api_version, deletion->namespace,
                                 deletion->name};

    (void)target_resolve(reader, node, &texts, &deletion->target);
}

static const struct key_table delete_table = {
    .what = "a deletion",
    .keys = delete_keys,
    .key_count = ARRAY_SIZE(delete_keys),
    .size = sizeof(struct delete_action),
    .check = check_delete,
};

/* --- clocks and links --- */

static void check_process(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct clock_setting *clock = item;

    (void)process_name_check(reader, node, clock->of);
}

static const struct key clock_keys[] = {
    KEY("of", VALUE_TEXT, struct clock_setting, of, "Whose clock.", .required = true,
        .example = "ctl-1"),
    KEY("skew", VALUE_DURATION, struct clock_setting, skew_us,
        "How far its wall clock is ahead of the truth (negative: behind).", .fallback = "0s",
        .example = "-20s", .minimum = -CLOCK_US_MAX, .maximum = CLOCK_US_MAX),
    KEY("drift", VALUE_INTEGER, struct clock_setting, drift_ppm,
        "How much faster its wall clock runs, in parts per million (negative: slower).",
        .fallback = "0", .example = "500", .minimum = -DRIFT_PPM_MAX, .maximum = DRIFT_PPM_MAX),
    KEY("jump", VALUE_DURATION, struct clock_setting, jump_us,
        "A step of its wall clock, instead of a skew.", .fallback = "0s", .example = "-1h",
        .minimum = -CLOCK_US_MAX, .maximum = CLOCK_US_MAX),
};

const struct key_table clock_table = {
    .what = "a clock",
    .keys = clock_keys,
    .key_count = ARRAY_SIZE(clock_keys),
    .size = sizeof(struct clock_setting),
    .check = check_process,
};

static const struct key link_keys[] = {
    KEY("between", VALUE_CUSTOM, struct link_setting, between, "The two ends; both ways are alike.",
        .required = true, .read = read_process_pair, .shape = "two processes, such as [ctl-0, api]",
        .form = FORM_PAIR, .example = "[ctl-0, api]"),
    KEY("latency", VALUE_DURATION, struct link_setting, latency_us,
        "How long bytes are on their way.", .unless = "200 us, or what it was", .example = "2s"),
    KEY("jitter", VALUE_DURATION, struct link_setting, jitter_us,
        "At most this is added to the latency, at random.", .unless = "none, or what it was",
        .example = "50ms"),
    KEY("bytesPerSecond", VALUE_INTEGER, struct link_setting, bytes_per_second,
        "How much gets through.", .unless = "no limit, or what it was", .example = "100000",
        .minimum = 1, .maximum = INT64_MAX),
    KEY("pieceBytes", VALUE_INTEGER, struct link_setting, piece_bytes,
        "The most that arrives at once.", .unless = "no limit, or what it was", .example = "1400",
        .minimum = 1, .maximum = 1024 * 1024),
};

const struct key_table link_table = {
    .what = "a link",
    .keys = link_keys,
    .key_count = ARRAY_SIZE(link_keys),
    .size = sizeof(struct link_setting),
};

/* --- kills --- */

static void check_victim(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct kill_action *kill = item;

    (void)process_name_check(reader, node, kill->of);
}

static const struct key kill_keys[] = {
    KEY("of", VALUE_TEXT, struct kill_action, of, "Which process.", .required = true,
        .example = "leader"),
    KEY("among", VALUE_INTEGER, struct kill_action, among,
        "It happens right after one of the next so many things that happen to it, drawn from the "
        "seed: requests sent, arrived, carried out or answered, timers and log lines. As many must "
        "come before the last step has ended.",
        .required = true, .example = "200", .minimum = 1, .maximum = MOMENTS_MAX),
    KEY("back", VALUE_DURATION, struct kill_action, back_us, "How long after that it starts again.",
        .unless = "when all faults are lifted", .example = "2s"),
};

static const struct key_table kill_table = {
    .what = "a kill",
    .keys = kill_keys,
    .key_count = ARRAY_SIZE(kill_keys),
    .size = sizeof(struct kill_action),
    .check = check_victim,
};

/* --- answers --- */

static const struct key answer_keys[] = {
    DESCRIBED("code", VALUE_CUSTOM, "The HTTP status.", .shape = "a number or a comparison",
              .form = FORM_COMPARISON, .unless = "any", .example = "409"),
    DESCRIBED("reason", VALUE_CUSTOM, "The reason that the answer gives.",
              .shape = "a text or a /pattern/", .form = FORM_SCALAR, .unless = "any",
              .example = "Conflict"),
    DESCRIBED("message", VALUE_CUSTOM, "What it says to people.", .shape = "a text or a /pattern/",
              .form = FORM_SCALAR, .unless = "any", .example = "/exceeded quota/"),
    DESCRIBED("causes", VALUE_CUSTOM, "Its causes: each has a reason, a message and a field.",
              .shape = "a list of {reason, message, field}", .form = FORM_ANYTHING, .unless = "any",
              .example = "[{reason: FieldValueRequired, field: spec.stationRef}]"),
    DESCRIBED("body", VALUE_CUSTOM, "A part of its body, which is JSON.",
              .shape = "a part of what is answered", .form = FORM_ANYTHING, .unless = "any",
              .example = "{metadata: {generation: 2}}"),
    DESCRIBED("bind", VALUE_CUSTOM,
              "Gives names to fields of its body, for the steps behind; of several objects the "
              "last answer's count.",
              .shape = "a mapping of names to fields", .form = FORM_MAPPING, .unless = "none",
              .example = "{uid: metadata.uid}"),
};

static const struct key_table answer_table = {
    .what = "an answer",
    .keys = answer_keys,
    .key_count = ARRAY_SIZE(answer_keys),
};

static void check_answer_keys(struct reader *reader, const struct yaml_node *node)
{
    const char *known[ARRAY_SIZE(answer_keys)];

    for (size_t i = 0; i < ARRAY_SIZE(answer_keys); i++)
        known[i] = answer_keys[i].name;
    for (size_t i = 0; i < node->member_count; i++) {
        if (key_find(&answer_table, node->members[i].key) == NULL)
            problems_add(reader->problems, key_place(&node->members[i]),
                         "unknown key '%s' in an answer%s", node->members[i].key,
                         suggestion(reader, node->members[i].key, known, ARRAY_SIZE(known)));
    }
}

/** What is bound says nothing of what the answer must be. */
static void read_wanted(struct reader *reader, const struct yaml_node *node,
                        struct wanted_answer *answer)
{
    const struct yaml_node *bind = yaml_get(node, "bind");
    struct yaml_node *rest = arena_alloc(reader->arena, sizeof(*rest));

    *rest = *node;
    rest->member_count = 0;
    rest->members = arena_alloc(reader->arena, (node->member_count + 1) * sizeof(*rest->members));
    for (size_t i = 0; i < node->member_count; i++) {
        if (node->members[i].value != bind)
            rest->members[rest->member_count++] = node->members[i];
    }
    if (bind != NULL)
        answer->bindings = read_answer_bindings(reader, bind, &answer->binding_count);
    if (bind == NULL || rest->member_count > 0)
        answer->shape = shape_read(reader, rest);
}

static void read_answer(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct wanted_answer *answer = field;

    if (node->kind == YAML_MAPPING) {
        check_answer_keys(reader, node);
        read_wanted(reader, node, answer);
    } else if (!node->later) {
        (void)read_integer(reader, node, "'answer'", 200, 599, &answer->code);
    }
}

/* --- steps --- */

#define PROCESS_ACTION(word, kind, text)                                                           \
    {                                                                                              \
        .name = (word), .type = VALUE_CUSTOM, .offset = offsetof(struct step, processes),          \
        .action = (kind), .read = read_process_names, .shape = "a process or a list of them",      \
        .help = (text), .form = FORM_NAMES, .example = "ctl-0"                                     \
    }
#define LINK_ACTION(word, kind, text)                                                              \
    {                                                                                              \
        .name = (word), .type = VALUE_CUSTOM, .offset = offsetof(struct step, processes),          \
        .action = (kind), .read = read_process_pair, .shape = "two processes, such as [a, b]",     \
        .help = (text), .form = FORM_PAIR, .example = "[ctl-0, api]"                               \
    }
#define CLAIM_ACTION(word, kind, text, written)                                                    \
    {                                                                                              \
        .name = (word), .type = VALUE_CUSTOM, .offset = offsetof(struct step, claims),             \
        .action = (kind), .read = read_claims, .shape = "an expectation or a list of them",        \
        .help = (text), .form = FORM_ONE_OR_MORE, .table = &claim_table, .example = (written)      \
    }

static void read_heal(struct reader *reader, const struct yaml_node *node, void *field)
{
    if (node->kind != YAML_SCALAR || strcmp(node->text, "all") != 0)
        read_process_pair(reader, node, field);
}

static const struct key step_keys[] = {
    KEY("note", VALUE_TEXT, struct step, note, "A line for readers; it also stands in the trace.",
        .unless = "none", .example = "the first replica is gone for good"),
    KEY("at", VALUE_DURATION, struct step, at_us,
        "Takes the step at this time since the start, whatever the steps without a time do.",
        .unless = "once the step before it is done", .example = "1m30s"),
    KEY("within", VALUE_DURATION, struct step, within_us,
        "How long a wait may take, in virtual time.", .unless = "10m", .example = "5s",
        .also = "timeout deadline"),
    KEY("for", VALUE_DURATION, struct step, for_us,
        "How long an always or never must hold, in virtual time; it begins now.",
        .unless = "an always or never needs it", .example = "1m"),
    KEY("answer", VALUE_CUSTOM, struct step, answer,
        "What the API must answer an apply, patch, delete or send with: a status, or more "
        "precisely a "
        "mapping.",
        .read = read_answer, .shape = "a status from 200 to 599, or a mapping",
        .form = FORM_INTEGER_OR_MAPPING, .minimum = 200, .maximum = 599, .table = &answer_table,
        .unless = "a good one", .example = "{code: 422, causes: [{field: spec.stationRef}]}"),
    KEY("optional", VALUE_FLAG, struct step, optional,
        "It is no failure if it comes to nothing: whatever the API answers a write, nobody of that "
        "name or role there, a kill whose moment never comes.",
        .fallback = "false", .example = "true"),
    KEY("as", VALUE_TEXT, struct step, as,
        "Who applies, patches or deletes: a person with a host and a name of their own.",
        .unless = "user", .example = "alice"),
    KEY("mayChange", VALUE_CUSTOM, struct step, may_change,
        "One more fault may change how this step goes: a sweep does not judge it then.",
        .read = read_mark, .shape = "true, or a list of kinds of faults",
        .form = FORM_TRUE_OR_NAMES, .unless = "no fault may but those that have the last word",
        .example = "true"),
    KEY("apply", VALUE_CUSTOM, struct step, objects,
        "Creates objects, or merges them into those of their name, as a person with kubectl.",
        .action = STEP_APPLY, .also = "create", .read = read_manifests,
        .shape = "an object or a list of them", .form = FORM_ONE_OR_MORE, .table = &manifest_table,
        .example = "{kind: Agent, name: hello}"),
    KEY("patch", VALUE_MAPPING, struct step, patch, "Patches an object, as a person with kubectl.",
        .action = STEP_PATCH, .table = &patch_table,
        .example = "{kind: Agent, name: hello, merge: {metadata: {labels: {team: a}}}}"),
    KEY("delete", VALUE_MAPPING, struct step, deletion,
        "Deletes an object, as a person with kubectl.", .action = STEP_DELETE,
        .table = &delete_table, .example = "{kind: Agent, name: hello}"),
    KEY("bind", VALUE_CUSTOM, struct step, bindings,
        "Gives names to what objects have now; ${name} stands for it in the steps behind and in "
        "what "
        "is expected. A value in the place of kind, name and field is the name's own.",
        .action = STEP_BIND, .read = read_bindings,
        .shape = "a mapping of names to values, or to {kind, name, field}", .form = FORM_MAPPING,
        .table = &binding_table,
        .example = "{uid: {kind: Agent, name: hello, field: metadata.uid}}"),
    CLAIM_ACTION("wait", STEP_WAIT, "Goes on once all of this holds; fails after 'within'.",
                 "{kind: Agent, name: hello, status: {phase: Running}}"),
    CLAIM_ACTION("assert", STEP_ASSERT, "All of this holds now.", "{kind: Job, count: 1}"),
    CLAIM_ACTION("error", STEP_ERROR, "None of this holds now.",
                 "{kind: Agent, status: {phase: Failed}}"),
    CLAIM_ACTION("always", STEP_ALWAYS, "All of this holds at every instant, 'for' so long.",
                 "{kind: Job, count: \"<= 1\"}"),
    CLAIM_ACTION("never", STEP_NEVER, "None of this holds at any instant, 'for' so long.",
                 "{kind: Pod, count: \">= 2\"}"),
    KEY("advance", VALUE_DURATION, struct step, advance_us, "Lets virtual time go by.",
        .action = STEP_ADVANCE, .example = "30s", .also = "sleep delay"),
    PROCESS_ACTION("start", STEP_START, "Starts a process that has ended."),
    PROCESS_ACTION("crash", STEP_CRASH, "Kills a process at once (SIGKILL)."),
    KEY("kill", VALUE_MAPPING, struct step, kill,
        "Kills a process (SIGKILL) at a moment drawn from the seed; the steps go on meanwhile.",
        .action = STEP_KILL, .table = &kill_table, .example = "{of: leader, among: 200, back: 2s}"),
    PROCESS_ACTION("pause", STEP_PAUSE, "Stops a process; its clocks go on (SIGSTOP)."),
    PROCESS_ACTION("resume", STEP_RESUME, "Lets a paused process go on (SIGCONT)."),
    PROCESS_ACTION("restart", STEP_RESTART, "Kills a process and starts it again."),
    PROCESS_ACTION("terminate", STEP_TERMINATE, "Asks a process to end (SIGTERM)."),
    LINK_ACTION("partition", STEP_PARTITION, "Nothing gets through between the two."),
    LINK_ACTION("halfOpen", STEP_HALF_OPEN,
                "Nothing gets through from the first to the second; the other way is fine."),
    LINK_ACTION("strand", STEP_STRAND,
                "Connections that exist between the two go silent; new ones work."),
    KEY("heal", VALUE_CUSTOM, struct step, processes, "The link is as at the start again.",
        .action = STEP_HEAL, .read = read_heal, .shape = "two processes, such as [a, b], or all",
        .form = FORM_PAIR_OR_ALL, .example = "[ctl-0, api]"),
    KEY("slow", VALUE_MAPPING, struct step, link, "Makes a link slow.", .action = STEP_SLOW,
        .table = &link_table, .example = "{between: [ctl-0, api], latency: 2s}"),
    KEY("clock", VALUE_MAPPING, struct step, clock, "Sets or steps a process's wall clock.",
        .action = STEP_CLOCK, .table = &clock_table, .example = "{of: ctl-1, jump: -1h}"),
    KEY("fault", VALUE_CUSTOM, struct step, faults, "Adds faults from now on.",
        .action = STEP_FAULT, .read = read_faults, .shape = "a fault or a list of them",
        .form = FORM_ONE_OR_MORE, .table = &fault_table,
        .example = "{name: busy, match: {verb: create}, do: {status: 503}}"),
    KEY("lift", VALUE_TEXTS, struct step, lifted, "Takes the faults of these names away.",
        .action = STEP_LIFT, .example = "[busy]"),
    KEY("compact", VALUE_FLAG, struct step, flag,
        "Makes the API server forget its history, so that watches and continue tokens of before "
        "are gone.",
        .action = STEP_COMPACT, .example = "true"),
    KEY("cluster", VALUE_MAPPING, struct step, chores,
        "Changes what the cluster does behind its API; faults of it end with the last step.",
        .action = STEP_CHORES, .table = &chores_table, .example = "{collector: off}"),
    KEY("send", VALUE_MAPPING, struct step, send,
        "Sends a request from outside, as GitHub does for a webhook, from the host 'github'.",
        .action = STEP_SEND, .table = &send_table,
        .example = "{to: ctl-0, port: 8081, method: GET, path: /healthz}"),
    KEY("meddle", VALUE_MAPPING, struct step, meddle,
        "Steps that people take at exactly the moment at which a request has come so far, between "
        "the controller's read and its write.",
        .action = STEP_MEDDLE, .table = &meddle_table,
        .example = "{match: {peer: ctl-0, verb: patch, resource: agents/status}, "
                   "steps: [{delete: {kind: Agent, name: hello}}]}"),
    KEY("deny", VALUE_MAPPING, struct step, deny,
        "Requests are refused from now on: as when RBAC has lost a right, or by an admission "
        "webhook.",
        .action = STEP_DENY, .table = &deny_table,
        .example = "{match: {peer: ctl-*, verb: create, resource: jobs}, for: 3m}"),
    KEY("uninstall", VALUE_TEXT, struct step, custom_kind,
        "Deletes the CRD of one of our kinds, and all objects of it with it.",
        .action = STEP_UNINSTALL, .example = "Station"),
    KEY("install", VALUE_TEXT, struct step, custom_kind, "Brings such a CRD back.",
        .action = STEP_INSTALL, .example = "Station"),
};

static bool is_answered(int action)
{
    return action == STEP_APPLY || action == STEP_PATCH || action == STEP_DELETE ||
           action == STEP_SEND;
}

static bool has_answer(const struct step *step)
{
    return step->answer.code > 0 || step->answer.shape != NULL || step->answer.binding_count > 0;
}

static bool is_write(int action)
{
    return action == STEP_APPLY || action == STEP_PATCH || action == STEP_DELETE;
}

/** What depends on how things stand when the step is taken. */
static bool may_come_to_nothing(int action)
{
    return is_write(action) || (action >= STEP_START && action <= STEP_TERMINATE);
}

static void check_custom_kind(struct reader *reader, const struct yaml_node *node, const char *name)
{
    static const char *const kinds[] = {"Agent", "AgentDefinition", "AgentSpawner", "Station"};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i], name) == 0)
            return;
    }
    reader_problem(reader, node, "'%s' is none of our kinds%s", name,
                   suggestion(reader, name, kinds, ARRAY_SIZE(kinds)));
}

static void check_step(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct step *step = item;
    bool spans = step->action == STEP_ALWAYS || step->action == STEP_NEVER;

    if (step->action == STEP_PATCH && step->patch->kind != NULL)
        patch_check(reader, yaml_get(yaml_get(node, "patch"), "merge"), step->patch->kind);
    if (step->within_us >= 0 && step->action != STEP_WAIT)
        reader_problem(reader, yaml_get(node, "within"), "only a wait has a 'within'");
    if (step->for_us >= 0 && !spans)
        reader_problem(reader, yaml_get(node, "for"), "only always and never have a 'for'");
    if (spans && step->for_us < 0)
        reader_problem(reader, node, "'%s' needs a 'for': how long it must hold",
                       step_action_name(step->action));
    if (has_answer(step) && !is_answered(step->action))
        reader_problem(reader, yaml_get(node, "answer"),
                       "only apply, patch, delete and send have an 'answer'");
    if (step->optional && !may_come_to_nothing(step->action))
        reader_problem(reader, yaml_get(node, "optional"), "'%s' cannot be optional",
                       step_action_name(step->action));
    if (step->as != NULL && !is_write(step->action))
        reader_problem(reader, yaml_get(node, "as"), "only apply, patch and delete have an 'as'");
    if (step->as != NULL && !process_name_is_free(step->as))
        reader_problem(reader, yaml_get(node, "as"),
                       "'%s' is no name for a person: letters, digits and '-'", step->as);
    if (step->custom_kind != NULL)
        check_custom_kind(reader, node, step->custom_kind);
    if (step->at_us >= 0 && (step->action == STEP_WAIT || step->action == STEP_ADVANCE))
        reader_problem(reader, yaml_get(node, "at"), "'%s' cannot have a time of its own",
                       step_action_name(step->action));
}

const struct key_table step_table = {
    .what = "a step",
    .keys = step_keys,
    .key_count = ARRAY_SIZE(step_keys),
    .size = sizeof(struct step),
    .has_actions = true,
    .action_offset = offsetof(struct step, action),
    .check = check_step,
};

const char *step_action_name(int action)
{
    for (size_t i = 0; i < ARRAY_SIZE(step_keys); i++) {
        if (step_keys[i].action == action && action != STEP_NONE)
            return step_keys[i].name;
    }
    return "nothing";
}
