/* partial - the few members of a stored object that an actor reads. */
#include "fakeapi/cluster/partial.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"

struct json_slice partial_slice(const struct store_object *object, const char *member,
                                const char *inner)
{
    struct json_slice whole = {object->bytes->data, object->bytes->size};
    struct json_slice found;

    if (strcmp(member, "spec") == 0)
        found = store_object_spec(object);
    else if (strcmp(member, "status") == 0)
        found = store_object_status(object);
    else if (strcmp(member, "metadata") == 0)
        found = store_object_metadata(object);
    else
        found = json_slice_get(whole, member);
    return inner == NULL || found.bytes == NULL ? found : json_slice_get(found, inner);
}

struct json_object *partial_metadata(const struct store_object *object)
{
    struct json_object *metadata = json_object_new_object();
    char revision[24];

    snprintf(revision, sizeof(revision), "%" PRIu64, object->revision);
    json_set_text(metadata, "name", object->name);
    if (object->namespace[0] != '\0')
        json_set_text(metadata, "namespace", object->namespace);
    json_set_text(metadata, "uid", object->uid);
    json_set_text(metadata, "resourceVersion", revision);
    return metadata;
}

struct json_object *partial_with_status(const struct store_object *object)
{
    struct json_slice status = partial_slice(object, "status", NULL);
    struct json_object *tree = json_object_new_object();

    json_set(tree, "metadata", partial_metadata(object));
    if (status.bytes != NULL)
        json_set(tree, "status", json_slice_parse(status));
    (void)json_ensure_object(tree, "status");
    return tree;
}

int64_t partial_number(struct json_slice value, int64_t fallback)
{
    char text[24];
    int64_t number;

    if (value.bytes == NULL || value.size >= sizeof(text))
        return fallback;
    memcpy(text, value.bytes, value.size);
    text[value.size] = '\0';
    return text_to_int64(text, &number) ? number : fallback;
}

bool partial_flag(struct json_slice value, bool fallback)
{
    if (value.bytes == NULL || (value.bytes[0] != 't' && value.bytes[0] != 'f'))
        return fallback;
    return value.bytes[0] == 't';
}

int64_t partial_int64(struct json_slice slice, const char *key, int64_t fallback)
{
    return partial_number(json_slice_get(slice, key), fallback);
}

bool partial_bool(struct json_slice slice, const char *key, bool fallback)
{
    return partial_flag(json_slice_get(slice, key), fallback);
}

bool partial_is(struct json_slice value, const char *text)
{
    size_t size = strlen(text);

    return value.bytes != NULL && value.size == size + 2 && value.bytes[0] == '"' &&
           memcmp(value.bytes + 1, text, size) == 0;
}

int64_t partial_time(struct json_slice slice, const char *key)
{
    struct json_slice value = json_slice_get(slice, key);
    char text[TIME_TEXT_SIZE];
    int64_t at_us;

    if (value.bytes == NULL || value.size < 2 || value.size - 2 >= sizeof(text))
        return 0;
    memcpy(text, value.bytes + 1, value.size - 2);
    text[value.size - 2] = '\0';
    return time_parse(text, &at_us) ? at_us : 0;
}

struct json_slice partial_condition(struct json_slice status, const char *type)
{
    struct json_slice conditions = json_slice_get(status, "conditions");
    struct json_slice condition;
    size_t next = 0;

    while (json_slice_next(conditions, &next, &condition))
        if (partial_is(json_slice_get(condition, "type"), type))
            return condition;
    return (struct json_slice){NULL, 0};
}

bool partial_condition_holds(struct json_slice status, const char *type)
{
    return partial_is(json_slice_get(partial_condition(status, type), "status"), "True");
}
