/* partial - the few members of a stored object that an actor reads. */
#include "fakeapi/cluster/partial.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

struct json_slice partial_slice(const struct store_object *object, const char *member,
                                const char *inner)
{
    struct json_slice whole = {object->bytes->data, object->bytes->size};
    struct json_slice found = json_slice_get(whole, member);

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

struct json_object *partial_spec_without(const struct store_object *object, const char *member)
{
    struct json_slice spec = partial_slice(object, "spec", NULL);
    struct json_object *parsed = json_object_new_object();
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;

    while (spec.bytes != NULL && json_slice_next_member(spec, &next, &key, &value)) {
        char *name = json_slice_text(key);

        if (name != NULL && !text_equal(name, member))
            json_set(parsed, name, json_slice_parse(value));
        free(name);
    }
    return parsed;
}
