/* job_policy - podFailurePolicy and successPolicy: the rules alone. */
#include "fakeapi/cluster/job_policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static size_t count_of(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static struct json_object *item(const struct json_object *list, size_t index)
{
    return json_object_array_get_idx(list, index);
}

/* --- failures --- */

static bool holds_code(const struct json_object *values, int64_t code)
{
    for (size_t i = 0; i < count_of(values); i++)
        if (json_object_get_int64(item(values, i)) == code)
            return true;
    return false;
}

/* The first container of a list that failed with a code that the rule is about. */
static const struct json_object *find_container(const struct json_object *statuses,
                                                const struct json_object *on_exit_codes)
{
    const char *name = json_get_text(on_exit_codes, "containerName");
    bool wants_in = text_equal(json_get_text(on_exit_codes, "operator"), "In");

    for (size_t i = 0; i < count_of(statuses); i++) {
        const struct json_object *status = item(statuses, i);
        const struct json_object *terminated = json_walk(status, "state", "terminated", NULL);
        int64_t code = json_get_int64(terminated, "exitCode", 0);

        if (code != 0 && (name == NULL || text_equal(name, json_get_text(status, "name"))) &&
            holds_code(json_get(on_exit_codes, "values"), code) == wants_in)
            return status;
    }
    return NULL;
}

static char *match_exit_codes(const struct json_object *rule, const struct json_object *status,
                              const char *namespace, const char *pod, size_t index)
{
    const struct json_object *codes = json_get(rule, "onExitCodes");
    const struct json_object *found = find_container(json_get(status, "containerStatuses"), codes);

    if (found == NULL)
        found = find_container(json_get(status, "initContainerStatuses"), codes);
    if (found == NULL)
        return NULL;
    return xprintf("Container %s for pod %s/%s failed with exit code %" PRId64
                   " matching %s rule at index %zu",
                   text_or(json_get_text(found, "name"), ""), namespace, pod,
                   json_get_int64(json_walk(found, "state", "terminated", NULL), "exitCode", 0),
                   text_or(json_get_text(rule, "action"), ""), index);
}

static const char *find_condition(const struct json_object *conditions,
                                  const struct json_object *patterns)
{
    for (size_t i = 0; i < count_of(conditions); i++) {
        const char *type = json_get_text(item(conditions, i), "type");
        const char *status = json_get_text(item(conditions, i), "status");

        for (size_t k = 0; k < count_of(patterns); k++)
            if (text_equal(type, json_get_text(item(patterns, k), "type")) &&
                text_equal(status, text_or(json_get_text(item(patterns, k), "status"), "True")))
                return type;
    }
    return NULL;
}

static char *match_conditions(const struct json_object *rule, const struct json_object *status,
                              const char *namespace, const char *pod, size_t index)
{
    const char *type =
        find_condition(json_get(status, "conditions"), json_get(rule, "onPodConditions"));

    if (type == NULL)
        return NULL;
    return xprintf("Pod %s/%s has condition %s matching %s rule at index %zu", namespace, pod, type,
                   text_or(json_get_text(rule, "action"), ""), index);
}

static enum job_policy_action action_of(const struct json_object *rule)
{
    const char *action = text_or(json_get_text(rule, "action"), "");

    if (strcmp(action, "Ignore") == 0)
        return JOB_POLICY_IGNORE;
    if (strcmp(action, "FailIndex") == 0)
        return JOB_POLICY_FAIL_INDEX;
    return strcmp(action, "FailJob") == 0 ? JOB_POLICY_FAIL_JOB : JOB_POLICY_COUNT;
}

enum job_policy_action job_policy_of_failure(const struct json_object *policy,
                                             const char *namespace, const char *pod,
                                             const struct json_object *status, char **ret_message)
{
    const struct json_object *rules = json_get(policy, "rules");

    *ret_message = NULL;
    for (size_t i = 0; i < count_of(rules); i++) {
        const struct json_object *rule = item(rules, i);
        char *message = json_get(rule, "onExitCodes") != NULL
                            ? match_exit_codes(rule, status, namespace, pod, i)
                            : match_conditions(rule, status, namespace, pod, i);
        enum job_policy_action action = action_of(rule);

        if (message == NULL)
            continue;
        if (action == JOB_POLICY_FAIL_JOB)
            *ret_message = message;
        else
            free(message);
        return action;
    }
    return JOB_POLICY_COUNT;
}

/* --- success --- */

static bool meets(const struct json_object *rule, int64_t completions,
                  const struct index_set *succeeded)
{
    const char *text = json_get_text(rule, "succeededIndexes");
    int64_t count = json_get_int64(rule, "succeededCount", -1);
    struct error err = ERROR_INIT;
    struct index_set required;
    int64_t common;

    if (text == NULL)
        return count >= 0 && index_set_total(succeeded) >= count;
    if (!index_set_parse(text, completions, &required, &err))
        return false;
    common = index_set_common(&required, succeeded);
    if (count < 0)
        count = index_set_total(&required);
    index_set_release(&required);
    return common >= count;
}

int64_t job_policy_success_rule(const struct json_object *policy, int64_t completions,
                                const struct index_set *succeeded)
{
    const struct json_object *rules = json_get(policy, "rules");

    for (size_t i = 0; i < count_of(rules); i++)
        if (meets(item(rules, i), completions, succeeded))
            return (int64_t)i;
    return -1;
}
