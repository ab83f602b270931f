#include "tests/model/writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/model/gadget.h"
#include "tests/model/names.h"
#include "tests/model/refusals.h"

#define NAME_MAX_CHARACTERS 253
#define NAMESPACE_MAX_CHARACTERS 63

bool is_dry(const struct ask *ask)
{
    return ask->dry_run != NULL;
}

void put_time(struct json_object *object, const char *key, int64_t at_us)
{
    time_t seconds = (time_t)(at_us / 1000000);
    struct tm parts;
    char text[32];

    (void)gmtime_r(&seconds, &parts);
    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    value_put_text(object, key, text);
}

/* By the days since 0000-03-01, of which 1970 began 719,468 later. */
int64_t time_of(const char *text)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    int64_t days;

    (void)sscanf(text, "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second);
    year -= month <= 2;
    days = 365 * (int64_t)year + year / 4 - year / 100 + year / 400 +
           (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 719468;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

/* --- on the way in --- */

/* C1 */
struct json_object *check_options(const struct ask *ask, const char *options)
{
    struct json_object *causes = json_object_new_array();
    const char *validation = ask->validation == NULL ? "" : ask->validation;

    if (ask->dry_run != NULL && strcmp(ask->dry_run, "All") != 0)
        cause(causes, "FieldValueNotSupported", "dryRun",
              "Unsupported value: []string{\"%s\"}: supported values: \"All\"", ask->dry_run);
    if (validation[0] != '\0' && strcmp(validation, "Ignore") != 0 &&
        strcmp(validation, "Warn") != 0 && strcmp(validation, "Strict") != 0)
        cause(causes, "FieldValueNotSupported", "fieldValidation",
              "Unsupported value: \"%s\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
              validation);
    if (value_length(causes) > 0)
        return refuse_options(options, causes);
    json_object_put(causes);
    return NULL;
}

/* C2: of a version that the kind has, but not the one of the request. */
struct json_object *check_head(const struct ask *ask, const struct json_object *body)
{
    const char *version = value_text(body, "apiVersion");
    char want[64];

    if (version[0] == '\0' ||
        strcmp(version, api_version(ask->kind, ask->other_version, want)) == 0)
        return NULL;
    return refuse_bad("the API version in the data (%s) does not match the expected API version "
                      "(%s)",
                      version, want);
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(value_string(*(struct json_object *const *)a),
                  value_string(*(struct json_object *const *)b));
}

/* Sorted, with commas between. */
static struct json_object *refuse_unknown(const struct ask *ask, struct json_object *unknown)
{
    const struct kind *kind = ask->kind;
    char text[1024] = "";

    json_object_array_sort(unknown, compare_items);
    for (size_t i = 0; i < value_length(unknown); i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sunknown field \"%s\"",
                       i > 0 ? ", " : "", value_string(value_item(unknown, i)));
    return refuse_bad("%s in version \"%s\" cannot be handled as a %s: strict decoding error: %s",
                      kind->kind, ask->other_version ? kind->other_version : kind->version,
                      kind->kind, text);
}

struct json_object *drop_unknown(const struct ask *ask, struct json_object *object,
                                 struct answer *answer)
{
    const char *validation = ask->validation == NULL ? "Warn" : ask->validation;
    struct json_object *unknown = json_object_new_array();
    struct json_object *status = NULL;

    if (ask->kind == &kinds[GADGET])
        gadget_prune(object, unknown);
    if (value_length(unknown) > 0 && strcmp(validation, "Strict") == 0)
        status = refuse_unknown(ask, unknown);
    for (size_t i = 0; i < value_length(unknown) && strcmp(validation, "Warn") == 0; i++) {
        char *text = format("unknown field \"%s\"", json_object_get_string(value_item(unknown, i)));

        answer_warn(answer, text);
        free(text);
    }
    json_object_put(unknown);
    return status;
}

struct json_object *fit_namespace(const struct ask *ask, struct json_object *object)
{
    struct json_object *metadata = value_within(object, "metadata");
    const char *said = value_text(metadata, "namespace");

    if (!ask->kind->namespaced)
        value_drop(metadata, "namespace");
    else if (said[0] == '\0')
        value_put_text(metadata, "namespace", ask->namespace);
    else if (strcmp(said, ask->namespace) != 0)
        return refuse_bad("the namespace of the provided object does not match the namespace sent "
                          "on the request");
    return NULL;
}

struct json_object *check_namespace(const struct model *model, const struct ask *ask,
                                    const char *name, bool create)
{
    const struct event *event;

    if (!ask->kind->namespaced)
        return NULL;
    event = model_find(model, &kinds[NAMESPACE], "", ask->namespace, model->revision);
    if (event == NULL)
        return refuse_namespace_missing(ask->namespace);
    if (create && value_at(event->object, "metadata.deletionTimestamp") != NULL)
        return refuse_namespace_ending(ask->kind, name, ask->namespace);
    return NULL;
}

void complete(const struct kind *kind, struct json_object *object, const struct json_object *old)
{
    static const char *const members[] = {"labels", "annotations", "finalizers", "ownerReferences",
                                          "generateName"};
    struct json_object *metadata = value_within(object, "metadata");

    if (kind->complete != NULL)
        kind->complete(object, old);
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        value_drop_if_empty(metadata, members[i]);
    value_drop(metadata, "selfLink");
}

/* --- what is wrong with metadata (C12 to C16, U6, U7) --- */

static void check_name(const struct kind *kind, const struct json_object *metadata,
                       struct json_object *causes)
{
    const char *name = value_text(metadata, "name");
    size_t most = kind->is_namespace ? NAMESPACE_MAX_CHARACTERS : NAME_MAX_CHARACTERS;
    bool good;

    if (name[0] == '\0') {
        cause(causes, "FieldValueRequired", "metadata.name",
              "Required value: name or generateName is required");
        return;
    }
    if (name[0] == '<') /* to be made by the server, from a good base */
        return;
    good = kind->is_namespace ? is_dns_label(name) : is_subdomain(name);
    if (strlen(name) > most)
        cause(causes, "FieldValueInvalid", "metadata.name",
              "Invalid value: \"%s\": must be no more than %zu characters", name, most);
    else if (!good)
        cause(causes, "FieldValueInvalid", "metadata.name", "Invalid value: \"%s\": %s", name,
              !kind->is_namespace  ? subdomain_words
              : is_subdomain(name) ? "must not contain dots"
                                   : label_words);
}

static void check_labels(const struct json_object *labels, struct json_object *causes)
{
    if (!value_is(labels, json_type_object))
        return;
    json_object_object_foreach(labels, key, value)
    {
        const char *text = json_object_get_string(value);

        if (!is_label_key(key))
            cause(causes, "FieldValueInvalid", "metadata.labels", "Invalid value: \"%s\": %s", key,
                  label_name_words);
        if (!is_label_value(text))
            cause(causes, "FieldValueInvalid", "metadata.labels", "Invalid value: \"%s\": %s", text,
                  label_value_words);
    }
}

static void check_finalizers(const struct json_object *list, struct json_object *causes)
{
    for (size_t i = 0; i < value_length(list); i++) {
        const char *finalizer = json_object_get_string(value_item(list, i));

        if (!is_label_key(finalizer))
            cause(causes, "FieldValueInvalid", "metadata.finalizers", "Invalid value: \"%s\": %s",
                  finalizer, label_name_words);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* U7: the new ones, each once, sorted, as Go prints them. */
static void check_new_finalizers(const struct json_object *list, const struct json_object *old,
                                 struct json_object *causes)
{
    const char *fresh[8];
    size_t count = 0;
    char text[512] = "";

    for (size_t i = 0; i < value_length(list) && count < 8; i++)
        if (!value_lists(old, value_string(value_item(list, i))))
            fresh[count++] = value_string(value_item(list, i));
    if (count == 0)
        return;
    qsort(fresh, count, sizeof(fresh[0]), compare_texts);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(fresh[i], fresh[i - 1]) != 0)
            (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\"%s\"",
                           i > 0 ? ", " : "", fresh[i]);
    cause(causes, "FieldValueForbidden", "metadata.finalizers",
          "Forbidden: no new finalizers can be added if the object is being deleted, found new "
          "finalizers []string{%s}",
          text);
}

static void check_update(const struct json_object *metadata, const struct json_object *old,
                         struct json_object *causes)
{
    const char *uid = value_text(metadata, "uid");

    if (value_get(old, "deletionTimestamp") != NULL)
        check_new_finalizers(value_get(metadata, "finalizers"), value_get(old, "finalizers"),
                             causes);
    if (strcmp(uid, value_text(old, "uid")) != 0)
        cause(causes, "FieldValueInvalid", "metadata.uid",
              "Invalid value: \"%s\": field is immutable", uid);
}

struct json_object *check_object(const struct kind *kind, struct json_object *object,
                                 const struct json_object *old)
{
    struct json_object *causes = json_object_new_array();
    const struct json_object *metadata = value_get(object, "metadata");
    const char *name = value_text(metadata, "name");

    if (old == NULL)
        check_name(kind, metadata, causes);
    check_labels(value_get(metadata, "labels"), causes);
    check_finalizers(value_get(metadata, "finalizers"), causes);
    if (old != NULL)
        check_update(metadata, value_get(old, "metadata"), causes);
    if (kind->check != NULL)
        kind->check(object, old, causes);
    if (value_length(causes) > 0)
        return refuse_invalid(kind, name, causes);
    json_object_put(causes);
    return NULL;
}

void warn_of_finalizers(const struct kind *kind, const struct json_object *object,
                        const struct json_object *old, struct answer *answer)
{
    const struct json_object *list = value_at(object, "metadata.finalizers");

    for (size_t i = 0; kind->custom && i < value_length(list); i++) {
        const char *finalizer = json_object_get_string(value_item(list, i));
        char *text;

        if (strchr(finalizer, '/') != NULL ||
            value_lists(value_at(old, "metadata.finalizers"), finalizer) ||
            strcmp(finalizer, "orphan") == 0 || strcmp(finalizer, "foregroundDeletion") == 0)
            continue;
        text = format("metadata.finalizers: \"%s\": prefer a domain-qualified finalizer name to "
                      "avoid accidental conflicts with other finalizer writers",
                      finalizer);
        answer_warn(answer, text);
        free(text);
    }
}
