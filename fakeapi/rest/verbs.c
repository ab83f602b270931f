/* verbs - writes of actors in this process, by the same steps as those of requests. */
#include "fakeapi/rest/verbs.h"

#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/parts.h"
#include "fakeapi/rest/write.h"
#include "fakeapi/rest/write_steps.h"

static bool begin(struct rest *rest, const struct rest_target *target, struct write *write,
                  struct error *err)
{
    const char *sub = text_or(target->subresource, "");

    *write = (struct write){
        .rest = rest,
        .kind = kinds_find(rest->kinds, target->group, target->plural),
        .namespace = text_or(target->namespace, ""),
        .name = text_or(target->name, ""),
        .validation = VALIDATE_IGNORE,
        .unanswered = true,
    };
    if (write->kind == NULL)
        return error_set(err, ERROR_NOT_FOUND, "no resource %s.%s", target->plural, target->group);
    write->version = kind_storage_version(write->kind);
    if (strcmp(sub, "status") == 0)
        write->subresource = SUB_STATUS;
    else if (strcmp(sub, "finalize") == 0)
        write->subresource = SUB_FINALIZE;
    else if (sub[0] != '\0')
        return error_set(err, ERROR_NOT_FOUND, "no subresource %s", sub);
    return true;
}

/* Hands the object out; the store holds it until the next write. */
static bool finish(struct write *write, bool ok, const struct store_object **ret_object,
                   struct error *err)
{
    if (!ok)
        rest_status_to_error(&write->status, err);
    else if (ret_object != NULL)
        *ret_object = write->tree == NULL ? write->object : NULL;
    write_release(write);
    return ok;
}

bool rest_create_owned(struct rest *rest, const struct rest_target *target,
                       struct json_object *tree, const struct store_object **ret_object,
                       struct error *err)
{
    struct write write;
    bool ok = begin(rest, target, &write, err);

    if (ok)
        ok = finish(&write, write_create(&write, tree), ret_object, err);
    json_object_put(tree);
    return ok;
}

bool rest_create(struct rest *rest, const struct rest_target *target,
                 const struct json_object *tree, const struct store_object **ret_object,
                 struct error *err)
{
    return rest_create_owned(rest, target, json_copy(tree), ret_object, err);
}

/* The tree for a write of its own. A write of a status changes nothing below metadata. */
static struct json_object *copy_for(const struct write *write, const struct json_object *tree)
{
    struct json_object *copy;

    if (write->subresource != SUB_STATUS)
        return json_copy(tree);
    copy = write_share_members(tree);
    json_set(copy, "metadata", json_copy(json_get(tree, "metadata")));
    return copy;
}

bool rest_update(struct rest *rest, const struct rest_target *target,
                 const struct json_object *tree, const struct store_object **ret_object,
                 struct error *err)
{
    struct json_object *copy;
    struct write write;
    bool ok;

    if (!begin(rest, target, &write, err))
        return false;
    copy = copy_for(&write, tree);
    ok = write_update(&write, copy);
    json_object_put(copy);
    return finish(&write, ok, ret_object, err);
}

bool rest_merge_patch(struct rest *rest, const struct rest_target *target,
                      const struct json_object *patch, const struct store_object **ret_object,
                      struct error *err)
{
    struct write write;

    if (!begin(rest, target, &write, err))
        return false;
    return finish(&write, write_patch(&write, PATCH_MERGE, patch), ret_object, err);
}

bool rest_delete(struct rest *rest, const struct rest_target *target,
                 const struct rest_delete_options *options, struct error *err)
{
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    enum delete_outcome outcome;
    struct write write;

    if (!begin(rest, target, &write, err))
        return false;
    if (options != NULL)
        request.options = *options;
    return finish(&write, write_delete(&write, &request, &outcome), NULL, err);
}

void rest_set_admission(struct rest *rest, const struct rest_admission *admission, void *arg)
{
    rest->admission = admission;
    rest->admission_arg = arg;
}

enum rest_scope rest_kind_scope(const struct rest *rest, const char *group, const char *kind)
{
    const struct kind *found = kinds_find_kind(rest->kinds, group, kind);

    if (found == NULL)
        return REST_NOT_SERVED;
    return found->namespaced ? REST_NAMESPACED : REST_CLUSTER_SCOPED;
}
