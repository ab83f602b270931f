/* check_workload - what Deployments, ReplicaSets, StatefulSets and DaemonSets must not say.
 *
 * Source: k8s.io/kubernetes/pkg/apis/apps/validation. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checking.h"
#include "fakeapi/rest/checks.h"

/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* --- selectors --- */

static bool holds(const struct json_object *list, const char *text)
{
    for (size_t i = 0; i < list_count(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), text))
            return true;
    return false;
}

static bool meets(const struct json_object *expression, const struct json_object *labels)
{
    const char *operator= text_or(json_get_text(expression, "operator"), "");
    const char *value = json_get_text(labels, text_or(json_get_text(expression, "key"), ""));
    const struct json_object *values = json_get(expression, "values");

    if (strcmp(operator, "Exists") == 0)
        return value != NULL;
    if (strcmp(operator, "DoesNotExist") == 0)
        return value == NULL;
    if (strcmp(operator, "NotIn") == 0)
        return value == NULL || !holds(values, value);
    return value != NULL && holds(values, value);
}

static bool matches(const struct json_object *selector, const struct json_object *labels)
{
    const struct json_object *expressions = json_get(selector, "matchExpressions");
    struct sorted_keys keys = sorted_keys_of(json_get(selector, "matchLabels"));
    bool all = true;

    for (size_t i = 0; i < keys.count; i++)
        all = all && text_equal(json_get_text(json_get(selector, "matchLabels"), keys.items[i]),
                                json_get_text(labels, keys.items[i]));
    for (size_t i = 0; i < list_count(expressions); i++)
        all = all && meets(json_object_array_get_idx(expressions, i), labels);
    sorted_keys_release(&keys);
    return all;
}

/* map[string]string{"a":"b"} */
static void append_map(struct buffer *text, const struct json_object *map)
{
    struct sorted_keys keys = sorted_keys_of(map);

    buffer_append_text(text, map == NULL ? "map[string]string(nil)" : "map[string]string{");
    for (size_t i = 0; i < keys.count; i++) {
        const char *value = text_or(json_get_text(map, keys.items[i]), "");

        buffer_append_text(text, i > 0 ? ", " : "");
        field_error_append_quoted(text, keys.items[i]);
        buffer_append_char(text, ':');
        field_error_append_quoted(text, value);
    }
    buffer_append_text(text, map == NULL ? "" : "}");
    sorted_keys_release(&keys);
}

static void append_expressions(struct buffer *text, const struct json_object *list)
{
    static const char type[] = "[]v1.LabelSelectorRequirement";

    buffer_append_text(text, type);
    buffer_append_text(text, list == NULL ? "(nil)" : "{");
    for (size_t i = 0; i < list_count(list); i++) {
        const struct json_object *item = json_object_array_get_idx(list, i);
        const char *key = text_or(json_get_text(item, "key"), "");
        const char *operator= text_or(json_get_text(item, "operator"), "");

        buffer_append_format(text, "%sv1.LabelSelectorRequirement{Key:", i > 0 ? ", " : "");
        field_error_append_quoted(text, key);
        buffer_append_text(text, ", Operator:");
        field_error_append_quoted(text, operator);
        buffer_append_text(text, ", Values:");
        if (json_get(item, "values") == NULL)
            buffer_append_text(text, "[]string(nil)");
        else
            field_error_append_texts(text, json_get(item, "values"));
        buffer_append_char(text, '}');
    }
    buffer_append_text(text, list == NULL ? "" : "}");
}

static void add_invalid_selector(struct checking *c, const struct json_object *selector,
                                 const char *why)
{
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    buffer_append_text(&shown, "v1.LabelSelector{MatchLabels:");
    append_map(&shown, json_get(selector, "matchLabels"));
    buffer_append_text(&shown, ", MatchExpressions:");
    append_expressions(&shown, json_get(selector, "matchExpressions"));
    checking_add(c, "selector", FIELD_INVALID, "Invalid value: %s}: %s", buffer_text(&shown), why);
    buffer_release(&shown);
}

static void check_selector(struct checking *c, const struct json_object *tree,
                           const struct json_object *spec)
{
    const struct json_object *selector = json_get(spec, "selector");
    char *why;

    if (selector == NULL) {
        checking_required(c, "selector", NULL);
    } else if (json_get(selector, "matchLabels") == NULL &&
               json_get(selector, "matchExpressions") == NULL) {
        why = xprintf("empty selector is invalid for %s",
                      text_equal(json_get_text(tree, "kind"), "Deployment")    ? "deployment"
                      : text_equal(json_get_text(tree, "kind"), "StatefulSet") ? "statefulset"
                      : text_equal(json_get_text(tree, "kind"), "DaemonSet")   ? "daemonset"
                                                                               : "replica set");
        add_invalid_selector(c, selector, why);
        free(why);
    }
}

/* --- templates --- */

/* arg: the spec. */
static void check_labels(struct checking *c, const struct json_object *metadata, const void *arg)
{
    const struct json_object *selector = json_get(arg, "selector");
    const struct json_object *labels = json_get(metadata, "labels");
    struct buffer shown = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (selector != NULL && !matches(selector, labels)) {
        append_map(&shown, labels);
        checking_add(c, "labels", FIELD_INVALID,
                     "Invalid value: %s: `selector` does not match template `labels`",
                     buffer_text(&shown));
    }
    buffer_release(&shown);
}

/* arg: the spec. */
static void check_template(struct checking *c, const struct json_object *template, const void *arg)
{
    checking_each(c, template, "metadata", check_labels, arg);
    check_pod_spec(json_get(template, "spec"), "spec.template.spec", c->errors);
}

/* What runs on end. */
static void check_endless(struct field_errors *errors, const struct json_object *pod)
{
    static const char *const policies[] = {"Always"};
    struct checking c;

    checking_init(&c, "spec.template.spec", errors);
    checking_one_of(&c, pod, "restartPolicy", policies, ARRAY_SIZE(policies));
    if (json_get(pod, "activeDeadlineSeconds") != NULL)
        checking_forbidden(&c, "activeDeadlineSeconds",
                           "activeDeadlineSeconds in ReplicaSet is not Supported");
}

void check_workload(const struct json_object *tree, const struct json_object *old,
                    struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *before = json_get(json_get(old, "spec"), "selector");
    struct checking c;

    checking_init(&c, "spec", errors);
    checking_not_negative(&c, spec, "replicas");
    check_selector(&c, tree, spec);
    checking_each(&c, spec, "template", check_template, spec);
    check_endless(errors, json_walk(spec, "template", "spec", NULL));
    if (old != NULL && !json_equal(json_get(spec, "selector"), before))
        add_invalid_selector(&c, json_get(spec, "selector"), "field is immutable");
}
