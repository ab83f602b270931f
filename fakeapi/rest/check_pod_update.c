/* check_pod_update - what of a pod's spec may change (WIRE.md U9). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/metadata.h"

/* Longest shown value; bodies are bounded already. */
#define SHOWN_BYTES_MAX ((size_t)1024 * 1024)
/* Most tolerations that are compared with others. */
#define TOLERATIONS_MAX 100

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static const char pod_update_message[] =
    "Forbidden: pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

static void copy_images(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *containers = json_get_array(to, key);
    struct json_object *others = json_get_array(from, key);

    for (size_t i = 0; i < list_count(containers) && i < list_count(others); i++) {
        struct json_object *container = json_object_array_get_idx(containers, i);
        const char *image = json_get_text(json_object_array_get_idx(others, i), "image");

        if (json_is(container, json_type_object) && image != NULL)
            json_set_text(container, "image", image);
    }
}

static void copy_member(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *value = json_get(from, key);

    if (value == NULL)
        json_object_object_del(to, key);
    else
        json_set(to, key, json_copy(value));
}

/* Members that differ, before and after; the real server's form is that of its Go types. */
static void append_difference(struct buffer *text, const struct json_object *before,
                              const struct json_object *after)
{
    static const char marks[] = "-+";
    const struct json_object *sides[] = {before, after};

    buffer_append_text(text, "  core.PodSpec{\n");
    for (size_t side = 0; side < ARRAY_SIZE(sides); side++) {
        struct sorted_keys keys = sorted_keys_of(sides[side]);

        for (size_t i = 0; i < keys.count; i++) {
            const struct json_object *value = json_get(sides[side], keys.items[i]);

            if (json_equal(value, json_get(sides[1 - side], keys.items[i])))
                continue;
            buffer_append_format(text, "%c \t%s: ", marks[side], keys.items[i]);
            json_append(text, value);
            buffer_append_text(text, ",\n");
        }
        sorted_keys_release(&keys);
    }
    buffer_append_text(text, "  }\n");
}

/* A deadline may come and be drawn nearer. */
static void check_deadline(const struct json_object *spec, const struct json_object *before,
                           struct field_errors *errors)
{
    static const char key[] = "activeDeadlineSeconds";
    static const char path[] = "spec.activeDeadlineSeconds";
    const struct json_object *now = json_get(spec, key);
    const struct json_object *was = json_get(before, key);

    if (was == NULL || json_equal(now, was))
        return;
    if (now == NULL)
        metadata_add_invalid_value(errors, path, NULL,
                                   "must not update from a positive integer to nil value");
    else if (json_get_int64(spec, key, 0) > json_get_int64(before, key, 0))
        metadata_add_invalid_value(errors, path, now,
                                   "must be less than or equal to previous value");
}

/* But for how long it tolerates. */
static bool is_same_toleration(const struct json_object *a, const struct json_object *b)
{
    static const char *const keys[] = {"key", "operator", "value", "effect"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (strcmp(text_or(json_get_text(a, keys[i]), ""),
                   text_or(json_get_text(b, keys[i]), "")) != 0)
            return false;
    return true;
}

/* Tolerations stay, as far as they are compared; others may be added. */
static void check_tolerations(const struct json_object *now, const struct json_object *was,
                              struct field_errors *errors)
{
    for (size_t i = 0; i < list_count(was) && i < TOLERATIONS_MAX; i++) {
        bool found = false;

        for (size_t k = 0; !found && k < list_count(now); k++)
            found = is_same_toleration(json_object_array_get_idx(was, i),
                                       json_object_array_get_idx(now, k));
        if (found)
            continue;
        field_errors_add(errors, FIELD_FORBIDDEN, "spec.tolerations",
                         "Forbidden: existing toleration can not be modified except its "
                         "tolerationSeconds");
        return;
    }
}

/* What may change is made equal; what differs then must not. The node is set once, by a scheduler
 * in this process. */
void check_pod_update(const struct json_object *spec, const struct json_object *before,
                      struct field_errors *errors)
{
    struct json_object *allowed = json_copy(before);

    check_deadline(spec, before, errors);
    check_tolerations(json_get_array(spec, "tolerations"), json_get_array(before, "tolerations"),
                      errors);
    copy_images(allowed, spec, "containers");
    copy_images(allowed, spec, "initContainers");
    copy_member(allowed, spec, "activeDeadlineSeconds");
    copy_member(allowed, spec, "tolerations");
    if (json_get_int64(before, "terminationGracePeriodSeconds", 0) < 0)
        copy_member(allowed, spec, "terminationGracePeriodSeconds");
    if (text_is_empty(json_get_text(before, "nodeName")))
        copy_member(allowed, spec, "nodeName");
    if (!json_equal(allowed, spec)) {
        struct buffer difference = BUFFER_INIT(SHOWN_BYTES_MAX);

        append_difference(&difference, allowed, spec);
        field_errors_add(errors, FIELD_FORBIDDEN, "spec", "%s\n%s", pod_update_message,
                         buffer_text(&difference));
        buffer_release(&difference);
    }
    json_object_put(allowed);
}
