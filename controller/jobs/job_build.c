#include "controller/jobs/job_build.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/text.h"
#include "controller/jobs/argv.h"
#include "controller/jobs/naming.h"
#include "controller/jobs/pod_template.h"
#include "controller/jobs/prompt.h"
#include "controller/jobs/verbatim.h"

/* How long a finished Job stays: the window in which its outcome can be read. */
#define FINISHED_JOB_TTL_S 3600

const char *job_model(const struct agent_spec *spec, const struct definition *definition)
{
    return text_or(spec->model, definition->model);
}

static bool build_argv(const struct job_order *order, struct text_list *ret_argv, struct error *err)
{
    const struct definition *recipe = order->definition;
    char *model = NULL;
    char *rendered = NULL;
    char *prompt = NULL;
    struct argv_input input = {
        .definition = recipe,
        .resume = recipe->conversation.id,
        .pin = recipe->conversation.pin,
    };
    bool ok;

    if (!prompt_render(recipe->prompt, order->spec, &rendered, err))
        return false;
    model = verbatim(job_model(order->spec, recipe));
    prompt = verbatim(rendered);
    input.model = model;
    input.prompt = prompt;
    ok = argv_build(&input, ret_argv, err);
    free(model);
    free(rendered);
    free(prompt);
    return ok;
}

static struct json_object *owner_reference(const struct job_order *order)
{
    struct json_object *owner = json_object_new_object();

    json_set_text(owner, "apiVersion", AGENT_API_VERSION);
    json_set_text(owner, "kind", "Agent");
    json_set_text(owner, "name", order->agent_name);
    json_set_text(owner, "uid", order->agent_uid);
    json_set_bool(owner, "controller", true);
    json_set_bool(owner, "blockOwnerDeletion", true);
    return owner;
}

/* Takes ownership of template. */
static struct json_object *job_object(const struct job_order *order, struct json_object *template)
{
    struct json_object *job = json_object_new_object();
    struct json_object *metadata;
    struct json_object *owners = json_object_new_array();
    struct json_object *spec;
    char name[SAFE_NAME_SIZE];

    job_name(order->agent_name, name);
    json_set_text(job, "apiVersion", "batch/v1");
    json_set_text(job, "kind", "Job");
    metadata = json_ensure_object(job, "metadata");
    json_set_text(metadata, "name", name);
    json_set_text(metadata, "namespace", order->namespace_name);
    json_add(owners, owner_reference(order));
    json_set(metadata, "ownerReferences", owners);
    spec = json_ensure_object(job, "spec");
    json_set_int64(spec, "ttlSecondsAfterFinished", FINISHED_JOB_TTL_S);
    json_set_int64(spec, "activeDeadlineSeconds", order->station->deadline_minutes * 60);
    json_set_int64(spec, "backoffLimit", 0);
    json_set(spec, "template", template);
    return job;
}

static struct json_object *copy_template(const struct station *station)
{
    const char *text = station->template_json;

    if (text == NULL)
        return NULL;
    return json_slice_parse((struct json_slice){text, strlen(text)});
}

bool job_build(const struct job_order *order, char **ret_job, size_t *ret_size, struct error *err)
{
    struct json_object *template = copy_template(order->station);
    struct text_list argv = {0};
    struct json_object *job = NULL;
    bool ok = false;

    if (!pod_template_check(template, err) || !build_argv(order, &argv, err))
        goto out;
    pod_template_edit(template, order, &argv);
    job = job_object(order, template);
    template = NULL;
    *ret_job = json_to_text(job, ret_size);
    ok = true;
out:
    json_object_put(job);
    json_object_put(template);
    text_list_release(&argv);
    return ok;
}
