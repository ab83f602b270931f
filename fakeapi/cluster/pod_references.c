/* pod_references - what a pod refers to, looked up. */
#include "fakeapi/cluster/pod_references.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/partial.h"

/* A search: where, and what was found missing first. */
struct search {
    const struct store *store;
    const char *namespace;
    char *message; /* NULL: nothing yet */
};

void pod_missing_release(struct pod_missing *missing)
{
    free(missing->container);
    free(missing->volume);
    free(missing->message);
    *missing = (struct pod_missing){0};
}

/* Whether the object has that key among its data. */
static bool has_key(const struct store_object *object, const char *key)
{
    static const char *const members[] = {"data", "binaryData"};

    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        struct json_slice data = partial_slice(object, members[i], NULL);

        if (data.bytes != NULL && json_slice_get(data, key).bytes != NULL)
            return true;
    }
    return false;
}

/* Looks up one reference; key may be NULL. */
static void look_up(struct search *search, bool secret, const struct json_object *reference,
                    const char *name_key, const char *key)
{
    const char *name = text_or(json_get_text(reference, name_key), "");
    const struct store_object *object;

    if (reference == NULL || search->message != NULL || json_get_bool(reference, "optional", false))
        return;
    object = store_get(store_find_resource(search->store, "", secret ? "secrets" : "configmaps"),
                       search->namespace, name);
    if (object == NULL)
        search->message = xprintf("%s \"%s\" not found", secret ? "secret" : "configmap", name);
    else if (key != NULL && !has_key(object, key))
        search->message = xprintf("couldn't find key %s in %s %s/%s", key,
                                  secret ? "Secret" : "ConfigMap", search->namespace, name);
}

static size_t count_of(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static void search_container(struct search *search, const struct json_object *container)
{
    const struct json_object *from = json_get(container, "envFrom");
    const struct json_object *env = json_get(container, "env");

    for (size_t i = 0; i < count_of(from); i++) {
        const struct json_object *source = json_object_array_get_idx(from, i);

        look_up(search, false, json_get(source, "configMapRef"), "name", NULL);
        look_up(search, true, json_get(source, "secretRef"), "name", NULL);
    }
    for (size_t i = 0; i < count_of(env); i++) {
        const struct json_object *source = json_get(json_object_array_get_idx(env, i), "valueFrom");
        const struct json_object *map = json_get(source, "configMapKeyRef");
        const struct json_object *secret = json_get(source, "secretKeyRef");

        look_up(search, false, map, "name", json_get_text(map, "key"));
        look_up(search, true, secret, "name", json_get_text(secret, "key"));
    }
}

static bool search_containers(struct search *search, const struct json_object *list,
                              struct pod_missing *ret_missing)
{
    for (size_t i = 0; i < count_of(list); i++) {
        const struct json_object *container = json_object_array_get_idx(list, i);

        search_container(search, container);
        if (search->message == NULL)
            continue;
        *ret_missing = (struct pod_missing){
            .container = xstrdup(text_or(json_get_text(container, "name"), "")),
            .message = search->message};
        return true;
    }
    return false;
}

static bool search_volumes(struct search *search, const struct json_object *list,
                           struct pod_missing *ret_missing)
{
    for (size_t i = 0; i < count_of(list); i++) {
        const struct json_object *volume = json_object_array_get_idx(list, i);

        look_up(search, false, json_get(volume, "configMap"), "name", NULL);
        look_up(search, true, json_get(volume, "secret"), "secretName", NULL);
        if (search->message == NULL)
            continue;
        *ret_missing =
            (struct pod_missing){.volume = xstrdup(text_or(json_get_text(volume, "name"), "")),
                                 .message = search->message};
        return true;
    }
    return false;
}

/* Most pods refer to nothing: their text does not even say the words. */
static bool may_refer(struct json_slice spec)
{
    char *text = xmemdup(spec.bytes, spec.size);
    bool may = strstr(text, "\"configMap") != NULL || strstr(text, "\"secret") != NULL;

    free(text);
    return may;
}

bool pod_references_missing(const struct store *store, const struct store_object *pod,
                            struct pod_missing *ret_missing)
{
    struct json_slice slice = store_object_spec(pod);
    struct search search = {.store = store, .namespace = pod->namespace};
    struct json_object *spec;
    bool missing;

    if (slice.bytes == NULL || !may_refer(slice))
        return false;
    spec = json_slice_parse(slice);
    missing = search_volumes(&search, json_get(spec, "volumes"), ret_missing) ||
              search_containers(&search, json_get(spec, "initContainers"), ret_missing) ||
              search_containers(&search, json_get(spec, "containers"), ret_missing);
    json_object_put(spec);
    return missing;
}
