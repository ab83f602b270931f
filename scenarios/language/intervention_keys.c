/* intervention_keys - what people and gatekeepers do at somebody's request: meddle, deny. */
#include <string.h>

#include "scenarios/language/fault_keys.h"
#include "scenarios/language/scenario.h"
#include "scenarios/language/step_keys.h"
#include "scenarios/language/targets.h"

/** What the controller is called where RBAC speaks of it. */
#define CONTROLLER_USER "system:serviceaccount:" SCENARIO_NAMESPACE ":agent-controller"

/** 'match' and 'when' of a fault; check() reads them. */
static void read_later(struct reader *reader, const struct yaml_node *node, void *field)
{
    (void)reader;
    (void)node;
    (void)field;
}

#define TRIGGER_KEYS                                                                               \
    DESCRIBED("match", VALUE_CUSTOM, "Which requests, as of a fault.", .read = read_later,         \
              .shape = "a mapping such as {peer: ctl-0, verb: create}", .form = FORM_MAPPING,      \
              .table = &match_table, .required = true,                                             \
              .example = "{peer: ctl-0, verb: create, resource: jobs}"),                           \
        DESCRIBED("when", VALUE_CUSTOM, "Which of them, as of a fault.", .read = read_later,       \
                  .shape = "a mapping such as {nth: 1}", .form = FORM_MAPPING,                     \
                  .table = &when_table, .unless = "each; the first, of a meddle",                  \
                  .example = "{nth: 2}")

/* --- meddling --- */

static const char *const moments[] = {"sent", "applied", "answered", NULL};

static const struct key meddle_keys[] = {
    TRIGGER_KEYS,
    KEY("moment", VALUE_CHOICE, struct meddle_action, moment,
        "When: as the request is sent, and so before it arrives; once the server has applied it, "
        "before the answer arrives; or once that is there, before anything that is sent upon it "
        "arrives.",
        .choices = moments, .fallback = "sent", .example = "answered"),
    KEY("steps", VALUE_LIST, struct meddle_action, steps,
        "What is done, all at that instant: steps that take no time, and apply, delete and a "
        "patch with 'merge'.",
        .required = true, .example = "[{patch: {kind: Agent, name: hello, merge: {spec: {}}}}]",
        .count_offset = offsetof(struct meddle_action, step_count), .table = &step_table),
    KEY("optional", VALUE_FLAG, struct meddle_action, optional,
        "It is no failure if that moment never comes.", .fallback = "false", .example = "true"),
};

static bool takes_no_time(int action)
{
    switch (action) {
    case STEP_WAIT:
    case STEP_ALWAYS:
    case STEP_NEVER:
    case STEP_ADVANCE:
    case STEP_SEND:
    case STEP_MEDDLE:
        return false;
    default:
        return true;
    }
}

static void check_meddled(struct reader *reader, const struct step *step)
{
    if (!takes_no_time(step->action))
        problems_add(reader->problems, step->place,
                     "in a meddle nothing can '%s': it is one moment",
                     step_action_name(step->action));
    if (step->at_us >= 0)
        problems_add(reader->problems, step->place, "a step of a meddle has no time of its own");
    if (step->patch != NULL && step->patch->json != NULL)
        problems_add(reader->problems, step->place,
                     "in a meddle a patch is a 'merge', not a 'json'");
    if (step->answer.code > 0 || step->answer.shape != NULL || step->answer.binding_count > 0)
        problems_add(reader->problems, step->place, "in a meddle nobody looks at an 'answer'");
}

static void check_meddle(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct meddle_action *meddle = item;

    meddle->ruled = read_trigger(reader, node, &meddle->rule);
    if (yaml_get(node, "when") == NULL)
        meddle->rule.nth = 1;
    if (meddle->step_count == 0)
        reader_problem(reader, yaml_get(node, "steps"), "a meddle needs steps");
    for (size_t i = 0; i < meddle->step_count; i++)
        check_meddled(reader, &meddle->steps[i]);
}

const struct key_table meddle_table = {
    .what = "a meddle",
    .keys = meddle_keys,
    .key_count = ARRAY_SIZE(meddle_keys),
    .size = sizeof(struct meddle_action),
    .check = check_meddle,
};

/* --- denying --- */

static const char *const voices[] = {
    [DENY_RBAC] = "rbac",
    [DENY_WEBHOOK] = "webhook",
    [DENY_WEBHOOK_DOWN] = "webhook-down",
    [DENY_WEBHOOK_DOWN + 1] = NULL,
};

static const struct key deny_keys[] = {
    TRIGGER_KEYS,
    KEY("by", VALUE_CHOICE, struct deny_action, by,
        "Who refuses: RBAC, which has lost that right (403); an admission webhook; or an admission "
        "webhook that must be asked and does not answer (500). Webhooks see writes alone.",
        .choices = voices, .fallback = "rbac", .example = "webhook"),
    KEY("user", VALUE_TEXT, struct deny_action, user, "Who has lost the right, in RBAC's words.",
        .fallback = CONTROLLER_USER, .example = "jane"),
    KEY("webhook", VALUE_TEXT, struct deny_action, webhook, "What the webhook is called.",
        .fallback = "policy.example.com", .example = "quota.example.com"),
    KEY("message", VALUE_TEXT, struct deny_action, message, "What the webhook gives as a reason.",
        .unless = "it denies without explanation", .example = "no runs on Sundays"),
    KEY("code", VALUE_INTEGER, struct deny_action, code, "The status that the webhook gives.",
        .fallback = "403", .example = "422", .minimum = 400, .maximum = 599),
    KEY("for", VALUE_DURATION, struct deny_action, for_us, "How long it lasts.",
        .unless = "until the last step is done", .example = "3m"),
    KEY("optional", VALUE_FLAG, struct deny_action, optional,
        "It is no failure if no request is refused.", .fallback = "false", .example = "true"),
};

static void check_only(struct reader *reader, const struct yaml_node *node, const char *key,
                       bool right, const char *voice)
{
    const struct yaml_node *value = yaml_get(node, key);

    if (value != NULL && !right)
        reader_problem(reader, value, "'%s' does not go with 'by: %s'", key, voice);
}

static void check_deny(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct deny_action *deny = item;
    const char *voice = voices[deny->by];

    deny->ruled = read_trigger(reader, node, &deny->rule);
    check_only(reader, node, "user", deny->by == DENY_RBAC, voice);
    check_only(reader, node, "webhook", deny->by != DENY_RBAC, voice);
    check_only(reader, node, "message", deny->by == DENY_WEBHOOK, voice);
    check_only(reader, node, "code", deny->by == DENY_WEBHOOK, voice);
}

const struct key_table deny_table = {
    .what = "a denial",
    .keys = deny_keys,
    .key_count = ARRAY_SIZE(deny_keys),
    .size = sizeof(struct deny_action),
    .check = check_deny,
};
