/* creates - POST, and PUT of what is not there for the kinds that allow it (WIRE.md C1 to C19). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"
#include "tests/model/writes.h"

#define GENERATED_BASE_MAX 58

/* C6, C11 */
static void set_system_fields(const struct model *model, const struct kind *kind,
                              struct json_object *metadata)
{
    static const char *const cleared[] = {"deletionTimestamp", "deletionGracePeriodSeconds",
                                          "resourceVersion", "managedFields"};
    const char *base = value_text(metadata, "generateName");

    for (size_t i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++)
        value_drop(metadata, cleared[i]);
    value_put_text(metadata, "uid", "<uid>");
    put_time(metadata, "creationTimestamp", model->now_us);
    if (kind->counted)
        value_put_int(metadata, "generation", 1);
    if (value_text(metadata, "name")[0] == '\0' && base[0] != '\0') {
        char *name = format("<name:%.*s>", GENERATED_BASE_MAX, base);

        value_put_text(metadata, "name", name);
        free(name);
    }
}

static bool says_revision(const struct json_object *object)
{
    const char *revision = value_text(object, "metadata.resourceVersion");

    return revision[0] != '\0' && strcmp(revision, "0") != 0;
}

/* Checks the object and puts it where the request says; NULL, or why not. */
static struct json_object *store(struct model *model, const struct ask *ask,
                                 struct json_object *object, bool revision, struct answer *answer)
{
    struct json_object *metadata = value_get(object, "metadata");
    const struct kind *kind = ask->kind;
    const struct event *there;
    struct json_object *status;

    set_system_fields(model, kind, metadata);
    if (kind->status)
        value_drop(object, "status"); /* C17 */
    complete(kind, object, NULL);
    status = check_object(kind, object, NULL);
    if (status != NULL)
        return status;
    warn_of_finalizers(kind, object, NULL, answer);
    if (revision)
        return refuse(500, NULL, "resourceVersion should not be set on objects to be created");
    there = model_find(model, kind, value_text(metadata, "namespace"), value_text(metadata, "name"),
                       model->revision);
    if (there != NULL)
        return refuse_existing(kind, value_text(metadata, "name"),
                               value_at(there->object, "metadata.deletionTimestamp") != NULL);
    answer->code = 201;
    if (!is_dry(ask))
        model_add(model, CHANGE_ADDED, kind, json_object_get(object));
    answer->body = shown(kind, ask->other_version, object);
    return NULL;
}

static struct json_object *create(struct model *model, const struct ask *ask,
                                  struct json_object *object, struct answer *answer)
{
    const char *name = value_text(object, "metadata.name");
    struct json_object *status = check_options(ask, "CreateOptions");

    if (name[0] == '\0')
        name = value_text(object, "metadata.generateName");
    if (name[0] == '\0')
        name = "Unknown";
    if (status == NULL)
        status = check_head(ask, object);
    if (status == NULL)
        status = drop_unknown(ask, object, answer);
    if (status == NULL)
        status = fit_namespace(ask, object);
    if (status == NULL)
        status = check_namespace(model, ask, name, true);
    if (status == NULL)
        status = store(model, ask, object, says_revision(object), answer);
    return status;
}

void model_create(struct model *model, const struct ask *ask, struct answer *answer)
{
    struct json_object *object = value_copy(ask->body);
    struct json_object *status;

    (void)value_within(object, "metadata");
    status = create(model, ask, object, answer);
    if (status != NULL)
        answer_refuse(answer, status);
    json_object_put(object);
}
