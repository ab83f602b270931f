/* check_job - the specs of Jobs: counts, indexes, policies, and what cannot change (WIRE.md K10 to
 * K20). Source: kubernetes pkg/apis/batch/validation. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/index_set.h"
#include "fakeapi/rest/metadata.h"

/* Kubernetes' limits. */
#define INDEXED_PARALLELISM_MAX 100000
#define FAILED_INDEXES_MAX 100000
#define MANY_COMPLETIONS 100000
#define MANY_COMPLETIONS_LIMIT 10000
#define POLICY_RULES_MAX 20
#define POLICY_VALUES_MAX 255
#define POLICY_PATTERNS_MAX 20
#define MANAGED_BY_MAX 63

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool is_indexed(const struct json_object *spec)
{
    return text_equal(json_get_text(spec, "completionMode"), "Indexed");
}

void check_job_restart_policy(const struct json_object *spec, const char *path,
                              struct field_errors *errors)
{
    const char *policy = text_or(json_get_text(spec, "restartPolicy"), "");

    if (strcmp(policy, "Never") == 0 || strcmp(policy, "OnFailure") == 0)
        return;
    if (strcmp(policy, "Always") == 0 || policy[0] == '\0')
        field_errors_add(errors, FIELD_REQUIRED, path,
                         "Required value: valid values: \"OnFailure\", \"Never\"");
    else
        field_errors_add(errors, FIELD_NOT_SUPPORTED, path,
                         "Unsupported value: \"%s\": supported values: \"OnFailure\", \"Never\"",
                         policy);
}

static void add_not_supported(struct field_errors *errors, const char *path, const char *value,
                              const char *supported)
{
    field_errors_add(errors, FIELD_NOT_SUPPORTED, path,
                     "Unsupported value: \"%s\": supported values: %s", value, supported);
}

static void add_too_many(struct field_errors *errors, const char *path, size_t count, int most)
{
    field_errors_add(errors, FIELD_TOO_MANY, path, "Too many: %zu: must have at most %d items",
                     count, most);
}

/* Whether a text is one of these, parted by spaces. */
static bool is_one_of(const char *text, const char *words)
{
    size_t size = strlen(text);

    for (const char *at = words; (at = strstr(at, text)) != NULL; at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return size > 0;
    return false;
}

/* --- indexes --- */

static void check_at_most(const struct json_object *spec, const char *key, int64_t most,
                          const char *detail, struct field_errors *errors)
{
    char *path;

    if (json_get_int64(spec, key, 0) <= most)
        return;
    path = xprintf("spec.%s", key);
    metadata_add_invalid_value(errors, path, json_get(spec, key), detail);
    free(path);
}

static void check_many_completions(const struct json_object *spec, struct field_errors *errors)
{
    static const char detail[] = "must be less than or equal to 10000 when completions are above "
                                 "100000 and used with backoff limit per index";

    if (json_get_int64(spec, "completions", 0) <= MANY_COMPLETIONS ||
        json_get(spec, "backoffLimitPerIndex") == NULL)
        return;
    if (json_get(spec, "maxFailedIndexes") == NULL)
        field_errors_add(errors, FIELD_REQUIRED, "spec.maxFailedIndexes",
                         "Required value: must be specified when completions is above 100000");
    check_at_most(spec, "parallelism", MANY_COMPLETIONS_LIMIT, detail, errors);
    check_at_most(spec, "maxFailedIndexes", MANY_COMPLETIONS_LIMIT, detail, errors);
}

static void check_indexed(const struct json_object *spec, struct field_errors *errors)
{
    int64_t completions = json_get_int64(spec, "completions", INT64_MAX);

    if (json_get(spec, "completions") == NULL)
        field_errors_add(errors, FIELD_REQUIRED, "spec.completions",
                         "Required value: when completion mode is Indexed");
    check_at_most(spec, "parallelism", INDEXED_PARALLELISM_MAX,
                  "must be less than or equal to 100000 when completion mode is Indexed", errors);
    check_at_most(spec, "maxFailedIndexes", completions,
                  "must be less than or equal to completions", errors);
    check_at_most(spec, "maxFailedIndexes", FAILED_INDEXES_MAX,
                  "must be less than or equal to 100000", errors);
    check_many_completions(spec, errors);
}

static void check_mode(const struct json_object *spec, struct field_errors *errors)
{
    static const char *const indexed_only[] = {"backoffLimitPerIndex", "maxFailedIndexes"};
    const char *mode = text_or(json_get_text(spec, "completionMode"), "NonIndexed");

    if (json_get(spec, "maxFailedIndexes") != NULL &&
        json_get(spec, "backoffLimitPerIndex") == NULL)
        field_errors_add(errors, FIELD_REQUIRED, "spec.backoffLimitPerIndex",
                         "Required value: when maxFailedIndexes is specified");
    if (!is_one_of(mode, "NonIndexed Indexed"))
        add_not_supported(errors, "spec.completionMode", mode, "\"NonIndexed\", \"Indexed\"");
    if (is_indexed(spec))
        check_indexed(spec, errors);
    for (size_t i = 0; strcmp(mode, "NonIndexed") == 0 && i < ARRAY_SIZE(indexed_only); i++) {
        char *path = xprintf("spec.%s", indexed_only[i]);

        if (json_get(spec, indexed_only[i]) != NULL)
            metadata_add_invalid_value(errors, path, json_get(spec, indexed_only[i]),
                                       "requires indexed completion mode");
        free(path);
    }
}

static void check_managed_by(const struct json_object *spec, struct field_errors *errors)
{
    const char *manager = json_get_text(spec, "managedBy");
    const char *slash = manager == NULL ? NULL : strchr(manager, '/');
    char *prefix;

    if (manager == NULL)
        return;
    prefix = slash == NULL ? xstrdup("") : xmemdup(manager, (size_t)(slash - manager));
    if (slash == NULL || slash[1] == '\0' || !metadata_is_subdomain(prefix))
        metadata_add_invalid(errors, "spec.managedBy", manager,
                             "must be a domain-prefixed path (such as \"acme.io/foo\")");
    if (strlen(manager) > MANAGED_BY_MAX)
        field_errors_add(errors, FIELD_TOO_LONG, "spec.managedBy",
                         "Too long: may not be more than %d bytes", MANAGED_BY_MAX);
    free(prefix);
}

/* --- pod failure policy --- */

#define OUR_CONTAINERS_MAX 1000

static bool has_container(const struct json_object *pod, const char *name)
{
    static const char *const keys[] = {"containers", "initContainers"};

    for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
        const struct json_object *list = json_get(pod, keys[k]);

        for (size_t i = 0; i < list_count(list) && i < OUR_CONTAINERS_MAX; i++)
            if (text_equal(json_get_text(json_object_array_get_idx(list, i), "name"), name))
                return true;
    }
    return false;
}

static void check_exit_code(const struct json_object *values, size_t index, bool wants_in,
                            const char *path, struct field_errors *errors)
{
    const struct json_object *value = json_object_array_get_idx(values, index);
    int64_t code = json_object_get_int64(value);
    char *item = xprintf("%s[%zu]", path, index);

    if (wants_in && code == 0)
        metadata_add_invalid_value(errors, item, value, "must not be 0 for the In operator");
    for (size_t i = 0; i < index; i++) {
        if (json_object_get_int64(json_object_array_get_idx(values, i)) != code)
            continue;
        field_errors_add(errors, FIELD_DUPLICATE, item, "Duplicate value: %" PRId64, code);
        break;
    }
    free(item);
}

/* "[]int32{1, 2}", as Go shows it. */
static char *show_codes(const struct json_object *values)
{
    struct buffer text = BUFFER_INIT(64 * 1024);

    buffer_append_text(&text, "[]int32{");
    for (size_t i = 0; i < list_count(values); i++)
        buffer_append_format(&text, "%s%" PRId64, i == 0 ? "" : ", ",
                             json_object_get_int64(json_object_array_get_idx(values, i)));
    buffer_append_char(&text, '}');
    return buffer_take(&text, NULL);
}

static void check_exit_values(const struct json_object *values, bool wants_in, const char *path,
                              struct field_errors *errors)
{
    bool ordered = true;
    char *shown;

    if (list_count(values) == 0) {
        field_errors_add(errors, FIELD_INVALID, path,
                         "Invalid value: []int32(nil): at least one value is required");
        return;
    }
    if (list_count(values) > POLICY_VALUES_MAX) {
        add_too_many(errors, path, list_count(values), POLICY_VALUES_MAX);
        return;
    }
    for (size_t i = 0; i < list_count(values); i++) {
        check_exit_code(values, i, wants_in, path, errors);
        if (i > 0 && json_object_get_int64(json_object_array_get_idx(values, i - 1)) >
                         json_object_get_int64(json_object_array_get_idx(values, i)))
            ordered = false;
    }
    if (ordered)
        return;
    shown = show_codes(values);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %s: must be ordered", shown);
    free(shown);
}

static void check_exit_codes(const struct json_object *codes, const struct json_object *pod,
                             const char *rule, struct field_errors *errors)
{
    const char *operator= text_or(json_get_text(codes, "operator"), "");
    const char *container = json_get_text(codes, "containerName");
    char *path = xprintf("%s.onExitCodes.operator", rule);

    if (operator[0] == '\0')
        field_errors_add(errors, FIELD_REQUIRED, path,
                         "Required value: valid values: [\"In\" \"NotIn\"]");
    else if (!is_one_of(operator, "In NotIn"))
        add_not_supported(errors, path, operator, "\"In\", \"NotIn\"");
    free(path);
    path = xprintf("%s.onExitCodes.containerName", rule);
    if (container != NULL && !has_container(pod, container))
        metadata_add_invalid(
            errors, path, container,
            "must be one of the container or initContainer names in the pod template");
    free(path);
    path = xprintf("%s.onExitCodes.values", rule);
    check_exit_values(json_get(codes, "values"), strcmp(operator, "In") == 0, path, errors);
    free(path);
}

static void check_patterns(const struct json_object *patterns, const char *rule,
                           struct field_errors *errors)
{
    char *path = xprintf("%s.onPodConditions", rule);

    if (list_count(patterns) > POLICY_PATTERNS_MAX)
        add_too_many(errors, path, list_count(patterns), POLICY_PATTERNS_MAX);
    for (size_t i = 0; i < list_count(patterns) && i < POLICY_PATTERNS_MAX; i++) {
        const struct json_object *pattern = json_object_array_get_idx(patterns, i);
        const char *type = text_or(json_get_text(pattern, "type"), "");
        const char *status = text_or(json_get_text(pattern, "status"), "True");
        char *item = xprintf("%s[%zu].type", path, i);

        if (!metadata_is_qualified_name(type))
            metadata_add_invalid(errors, item, type, metadata_qualified_name_message);
        free(item);
        item = xprintf("%s[%zu].status", path, i);
        if (!is_one_of(status, "False True Unknown"))
            add_not_supported(errors, item, status, "\"False\", \"True\", \"Unknown\"");
        free(item);
    }
    free(path);
}

static void check_action(const struct json_object *spec, const char *action, const char *rule,
                         struct field_errors *errors)
{
    char *path = xprintf("%s.action", rule);

    if (action[0] == '\0')
        field_errors_add(
            errors, FIELD_REQUIRED, path,
            "Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    else if (strcmp(action, "FailIndex") == 0 && json_get(spec, "backoffLimitPerIndex") == NULL)
        metadata_add_invalid(errors, path, action, "requires the backoffLimitPerIndex to be set");
    else if (!is_one_of(action, "Count FailIndex FailJob Ignore"))
        add_not_supported(errors, path, action,
                          "\"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"");
    free(path);
}

static void check_policy_rule(const struct json_object *spec, const struct json_object *rule,
                              const char *path, struct field_errors *errors)
{
    const struct json_object *codes = json_get(rule, "onExitCodes");
    const struct json_object *patterns = json_get(rule, "onPodConditions");
    const struct json_object *pod = json_get(json_get(spec, "template"), "spec");

    check_action(spec, text_or(json_get_text(rule, "action"), ""), path, errors);
    if (codes != NULL)
        check_exit_codes(codes, pod, path, errors);
    check_patterns(patterns, path, errors);
    if (codes != NULL && list_count(patterns) > 0)
        field_errors_add(errors, FIELD_INVALID, path,
                         "Invalid value: specifying both OnExitCodes and OnPodConditions is not "
                         "supported");
    if (codes == NULL && list_count(patterns) == 0)
        field_errors_add(errors, FIELD_INVALID, path,
                         "Invalid value: specifying one of OnExitCodes and OnPodConditions is "
                         "required");
}

static void check_failure_policy(const struct json_object *spec, struct field_errors *errors)
{
    static const char path[] = "spec.podFailurePolicy.rules";
    const struct json_object *rules = json_get(json_get(spec, "podFailurePolicy"), "rules");

    if (list_count(rules) > POLICY_RULES_MAX)
        add_too_many(errors, path, list_count(rules), POLICY_RULES_MAX);
    for (size_t i = 0; i < list_count(rules) && i < POLICY_RULES_MAX; i++) {
        char *item = xprintf("%s[%zu]", path, i);

        check_policy_rule(spec, json_object_array_get_idx(rules, i), item, errors);
        free(item);
    }
}

static void check_replacement_policy(const struct json_object *spec, struct field_errors *errors)
{
    static const char path[] = "spec.podReplacementPolicy";
    const char *policy = json_get_text(spec, "podReplacementPolicy");
    bool only_failed = json_get(spec, "podFailurePolicy") != NULL;

    if (policy == NULL)
        return;
    if (only_failed && strcmp(policy, "Failed") != 0)
        add_not_supported(errors, path, policy, "\"Failed\"");
    else if (!is_one_of(policy, "Failed TerminatingOrFailed"))
        add_not_supported(errors, path, policy, "\"Failed\", \"TerminatingOrFailed\"");
}

/* --- success policy --- */

static void check_success_count(const struct json_object *rule, int64_t completions, int64_t listed,
                                const char *path, struct field_errors *errors)
{
    int64_t count = json_get_int64(rule, "succeededCount", 0);
    char *field = xprintf("%s.succeededCount", path);
    char *detail;

    check_not_negative(rule, path, "succeededCount", errors);
    if (count > completions) {
        detail = xprintf("must be less than or equal to %" PRId64
                         " (the number of specified completions)",
                         completions);
        metadata_add_invalid_value(errors, field, json_get(rule, "succeededCount"), detail);
        free(detail);
    }
    if (listed >= 0 && count > listed) {
        detail = xprintf("must be less than or equal to %" PRId64
                         " (the number of indexes in the specified succeededIndexes field)",
                         listed);
        metadata_add_invalid_value(errors, field, json_get(rule, "succeededCount"), detail);
        free(detail);
    }
    free(field);
}

static void check_success_rule(const struct json_object *spec, const struct json_object *rule,
                               const char *path, struct field_errors *errors)
{
    const char *indexes = json_get_text(rule, "succeededIndexes");
    int64_t completions = json_get_int64(spec, "completions", 0);
    struct index_set set = {0};
    struct error err = ERROR_INIT;
    int64_t listed = -1;

    if (indexes == NULL && json_get(rule, "succeededCount") == NULL)
        field_errors_add(
            errors, FIELD_REQUIRED, path,
            "Required value: at least one of succeededCount or succeededIndexes must be specified");
    if (indexes != NULL && index_set_parse(indexes, completions, &set, &err)) {
        listed = index_set_total(&set);
    } else if (indexes != NULL) {
        char *field = xprintf("%s.succeededIndexes", path);
        char *detail = xprintf("error parsing succeededIndexes: %s", err.text);

        listed = 0;
        metadata_add_invalid(errors, field, indexes, detail);
        free(detail);
        free(field);
    }
    if (json_get(rule, "succeededCount") != NULL)
        check_success_count(rule, completions, listed, path, errors);
    index_set_release(&set);
}

static void check_success_policy(const struct json_object *spec, struct field_errors *errors)
{
    static const char path[] = "spec.successPolicy.rules";
    const struct json_object *policy = json_get(spec, "successPolicy");
    const struct json_object *rules = json_get(policy, "rules");

    if (policy == NULL)
        return;
    if (!is_indexed(spec)) {
        metadata_add_invalid_value(errors, "spec.successPolicy", policy,
                                   "requires indexed completion mode");
        return;
    }
    if (list_count(rules) == 0)
        field_errors_add(errors, FIELD_REQUIRED, path,
                         "Required value: at least one rules must be specified when the "
                         "successPolicy is specified");
    if (list_count(rules) > POLICY_RULES_MAX)
        add_too_many(errors, path, list_count(rules), POLICY_RULES_MAX);
    for (size_t i = 0; i < list_count(rules) && i < POLICY_RULES_MAX; i++) {
        char *item = xprintf("%s[%zu]", path, i);

        check_success_rule(spec, json_object_array_get_idx(rules, i), item, errors);
        free(item);
    }
}

/* --- updates --- */

static void check_same(const struct json_object *spec, const struct json_object *before,
                       const char *key, struct field_errors *errors)
{
    char *path;

    if (json_equal(json_get(spec, key), json_get(before, key)))
        return;
    path = xprintf("spec.%s", key);
    metadata_add_invalid_value(errors, path, json_get(spec, key), "field is immutable");
    free(path);
}

/* Those of an Indexed Job may change along with its parallelism. */
static void check_completions_update(const struct json_object *spec,
                                     const struct json_object *before, struct field_errors *errors)
{
    if (!is_indexed(spec)) {
        check_same(spec, before, "completions", errors);
        return;
    }
    if (json_get(spec, "completions") == NULL ||
        json_equal(json_get(spec, "completions"), json_get(before, "completions")) ||
        json_equal(json_get(spec, "completions"), json_get(spec, "parallelism")))
        return;
    metadata_add_invalid_value(errors, "spec.completions", json_get(spec, "completions"),
                               "can only be modified in tandem with spec.parallelism");
}

static void take_over(struct json_object *to, const struct json_object *from, const char *key)
{
    if (json_get(from, key) == NULL)
        json_object_object_del(to, key);
    else
        json_set(to, key, json_copy(json_get(from, key)));
}

/* Before a suspended Job has started, where its pods go may still change. */
static void check_template_update(const struct json_object *spec, const struct json_object *old,
                                  struct field_errors *errors)
{
    const struct json_object *before = json_get(old, "spec");
    const struct json_object *template = json_get(spec, "template");
    struct json_object *allowed;
    struct json_object *pod;

    if (!json_get_bool(before, "suspend", false) ||
        json_get(json_get(old, "status"), "startTime") != NULL) {
        check_same(spec, before, "template", errors);
        return;
    }
    allowed = json_copy(json_get(before, "template"));
    take_over(allowed, template, "metadata");
    pod = json_ensure_object(allowed, "spec");
    take_over(pod, json_get(template, "spec"), "nodeSelector");
    take_over(pod, json_get(template, "spec"), "tolerations");
    take_over(pod, json_get(template, "spec"), "schedulingGates");
    take_over(pod, json_get(template, "spec"), "affinity");
    if (!json_equal(allowed, template))
        metadata_add_invalid_value(errors, "spec.template", template, "field is immutable");
    json_object_put(allowed);
}

static void check_update(const struct json_object *spec, const struct json_object *old,
                         struct field_errors *errors)
{
    static const char *const immutable[] = {"completionMode", "podFailurePolicy",
                                            "backoffLimitPerIndex", "managedBy", "successPolicy"};
    const struct json_object *before = json_get(old, "spec");

    check_completions_update(spec, before, errors);
    check_same(spec, before, "selector", errors);
    check_template_update(spec, old, errors);
    for (size_t i = 0; i < ARRAY_SIZE(immutable); i++)
        check_same(spec, before, immutable[i], errors);
}

/* --- the whole --- */

/* The selector is the server's own, unless manualSelector says otherwise (K10). */
static void check_job_selector(const struct json_object *tree, const struct json_object *spec,
                               struct field_errors *errors)
{
    const struct json_object *selector = json_get(spec, "selector");
    const struct json_object *labels = json_get(selector, "matchLabels");
    const char *uid = json_get_text(json_get(tree, "metadata"), "uid");

    if (json_get_bool(spec, "manualSelector", false) ||
        text_equal(json_get_text(labels, "batch.kubernetes.io/controller-uid"), uid) ||
        text_equal(json_get_text(labels, "controller-uid"), uid))
        return;
    metadata_add_invalid_value(errors, "spec.selector", selector, "`selector` not auto-generated");
}

static void check_spec(const struct json_object *spec, struct field_errors *errors)
{
    static const char *const counts[] = {"parallelism",
                                         "completions",
                                         "activeDeadlineSeconds",
                                         "backoffLimit",
                                         "ttlSecondsAfterFinished",
                                         "backoffLimitPerIndex",
                                         "maxFailedIndexes"};
    static const char policy_path[] = "spec.template.spec.restartPolicy";
    const struct json_object *pod = json_get(json_get(spec, "template"), "spec");
    const char *restarts = text_or(json_get_text(pod, "restartPolicy"), "");

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        check_not_negative(spec, "spec", counts[i], errors);
    check_mode(spec, errors);
    check_managed_by(spec, errors);
    check_failure_policy(spec, errors);
    check_success_policy(spec, errors);
    check_replacement_policy(spec, errors);
    check_pod_spec(pod, "spec.template.spec", errors);
    check_job_restart_policy(pod, policy_path, errors);
    if (strcmp(restarts, "OnFailure") == 0 && json_get(spec, "podFailurePolicy") != NULL)
        metadata_add_invalid(errors, policy_path, restarts,
                             "only \"Never\" is supported when podFailurePolicy is specified");
}

void check_job(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");

    if (old == NULL) {
        check_job_selector(tree, spec, errors);
        check_spec(spec, errors);
        return;
    }
    if (!json_equal(spec, json_get(old, "spec"))) {
        check_spec(spec, errors);
        check_update(spec, old, errors);
    }
    if (!json_equal(json_get(tree, "status"), json_get(old, "status")))
        check_job_status(tree, old, errors);
}
