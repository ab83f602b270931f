/* pod_scripts - see pod_scripts.h. */
#include "fakeapi/pod_scripts.h"

#include <string.h>

#include "controller/base/json.h"
#include <json-c/linkhash.h>

#define SCRIPT_BYTES_MAX ((size_t)1024 * 1024)
/** Most scripts of one list. */
#define SCRIPTS_MAX 1000
#define PREFIX "fakeapi/"

static bool check_annotations(const struct json_object *annotations, size_t index,
                              struct error *err)
{
    struct json_object_iter at;

    if (annotations == NULL)
        return error_set(err, ERROR_INVALID, "[%zu].annotations: want an object", index);
    json_object_object_foreachC(annotations, at)
    {
        if (strncmp(at.key, PREFIX, strlen(PREFIX)) != 0)
            return error_set(err, ERROR_INVALID,
                             "[%zu].annotations: '%s' does not begin with " PREFIX, index, at.key);
        if (!json_is(at.val, json_type_string))
            return error_set(err, ERROR_INVALID, "[%zu].annotations.%s: want a string", index,
                             at.key);
    }
    return true;
}

static bool check_script(const struct json_object *script, size_t index, struct error *err)
{
    static const char *const known[] = {"label", "value", "first", "annotations"};
    struct json_object_iter at;

    if (!json_is(script, json_type_object))
        return error_set(err, ERROR_INVALID, "[%zu]: want an object", index);
    json_object_object_foreachC(script, at)
    {
        bool is_known = false;

        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
            is_known = is_known || strcmp(known[i], at.key) == 0;
        if (!is_known)
            return error_set(err, ERROR_INVALID, "[%zu]: unknown key '%s'", index, at.key);
    }
    if ((json_get_text(script, "label") == NULL) != (json_get_text(script, "value") == NULL))
        return error_set(err, ERROR_INVALID, "[%zu]: want both 'label' and 'value', or none",
                         index);
    if (json_get_int64(script, "first", 0) < 0)
        return error_set(err, ERROR_INVALID, "[%zu].first: want 0 or more", index);
    return check_annotations(json_get_object(script, "annotations"), index, err);
}

static void add(struct cluster *cluster, const struct json_object *tree)
{
    const struct kubelet_match match = {.label = json_get_text(tree, "label"),
                                        .label_value = json_get_text(tree, "value"),
                                        .count = (uint64_t)json_get_int64(tree, "first", 0)};
    const struct kubelet_script nothing = KUBELET_SCRIPT_INIT;
    struct kubelet_script script = kubelet_script_copy(&nothing);

    kubelet_script_annotate(&script, json_get_object(tree, "annotations"));
    cluster_add_script(cluster, &match, &script);
    kubelet_script_release(&script);
}

bool pod_scripts_add(struct cluster *cluster, const char *text, size_t size, struct error *err)
{
    struct json_object *list = NULL;
    size_t count;
    bool ok = json_parse(text, size, SCRIPT_BYTES_MAX, &list, err);

    if (ok && !json_is(list, json_type_array))
        ok = error_set(err, ERROR_INVALID, "want a list of scripts");
    count = ok ? json_object_array_length(list) : 0;
    if (count > SCRIPTS_MAX)
        ok = error_set(err, ERROR_TOO_LARGE, "%zu scripts: at most %d at a time", count,
                       SCRIPTS_MAX);
    for (size_t i = 0; i < count && ok; i++)
        ok = check_script(json_object_array_get_idx(list, i), i, err);
    if (ok && cluster == NULL)
        ok = error_set(err, ERROR_INVALID, "there is no cluster (--no-cluster): no pod ever runs");
    for (size_t i = 0; i < count && ok; i++)
        add(cluster, json_object_array_get_idx(list, i));
    (void)json_object_put(list);
    return ok;
}
