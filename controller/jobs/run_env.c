#include "controller/jobs/run_env.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/run_env_json.h"
#include "controller/jobs/vendor.h"
#include "controller/jobs/verbatim.h"

#define SECRET_NAME "agent-secrets"
/* How much sooner than the Job's deadline the supervisor ends the agent. */
#define DEADLINE_MARGIN_MS 10000

static const char *const reserved_names[] = {
    "AGENT_SINKS",
    "AGENT_REPOS",
    "AGENT_SKILLS",
    "AGENT_SKILLS_SOURCE",
    "AGENT_CONVERSATION_SOURCE",
    "AGENT_CONVERSATION_ID",
    "AGENT_CONVERSATION_PIN",
    "AGENT_CONVERSATION_AUTH",
    "AGENT_SELECT",
    "AGENT_WATCH",
    "AGENT_FILES",
    "AGENT_MCP_SERVERS",
    "WORKSPACE_DIR",
    "AGENT_PARAMETERS",
    "AGENT_GIT_CREDENTIAL",
    "AGENT_GIT_CREDENTIAL_URL",
    "TARGET_REPO",
    "BRANCH_NAME",
    "AGENT_MODEL",
    "AGENT_NAME",
    "STATION_NAME",
    "TASK_ID",
    "POD_NAME",
    "POD_NAMESPACE",
    "AGENT_DEADLINE_MS",
    "HOME",
    "PATH",
    "AGENT_EXECUTION", /* RULES.md 7.3 */
    "AGENT_PROMPT_PORT",
    "AGENT_PROMPT_TOKEN",
};

/* The list being made, and the names in it: one variable is injected at most once. */
struct env {
    struct json_object *list;
    struct json_object *names; /* an object used as a set */
};

bool run_env_is_reserved(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(reserved_names); i++) {
        if (text_equal(name, reserved_names[i]))
            return true;
    }
    return false;
}

static bool is_known(const struct env *env, const char *name)
{
    return json_object_object_get_ex(env->names, name, NULL);
}

/* A new entry to be filled, or NULL when that name is there already. */
static struct json_object *add_entry(struct env *env, const char *name)
{
    struct json_object *entry;

    if (is_known(env, name))
        return NULL;
    json_set_bool(env->names, name, true);
    entry = json_object_new_object();
    json_set_text(entry, "name", name);
    json_add(env->list, entry);
    return entry;
}

static void add_literal(struct env *env, const char *name, const char *value)
{
    struct json_object *entry = add_entry(env, name);

    if (entry != NULL)
        json_set_text(entry, "value", value);
}

/* What an Agent says, which may know of no secret: read in the pod as it is written here. */
static void add_said(struct env *env, const char *name, const char *value)
{
    char *text = verbatim(value);

    add_literal(env, name, text);
    free(text);
}

/* The same, as JSON. Takes ownership of value. */
static void add_said_json(struct env *env, const char *name, struct json_object *value)
{
    size_t size;
    char *text = json_to_text(value, &size);

    add_said(env, name, text);
    free(text);
    json_object_put(value);
}

/* Takes ownership of value. */
static void add_json(struct env *env, const char *name, struct json_object *value)
{
    size_t size;
    char *text = json_to_text(value, &size);

    add_literal(env, name, text);
    free(text);
    json_object_put(value);
}

static void add_secret(struct env *env, const char *name, const char *key)
{
    struct json_object *entry = add_entry(env, name);
    struct json_object *reference;

    if (entry == NULL)
        return;
    reference = json_ensure_object(json_ensure_object(entry, "valueFrom"), "secretKeyRef");
    json_set_text(reference, "name", SECRET_NAME);
    json_set_text(reference, "key", key);
    json_set_bool(reference, "optional", false);
}

/* A secret of a recipe: none without a key, none under a reserved name. */
static void add_recipe_secret(struct env *env, const char *name, const char *key)
{
    if (!text_is_empty(key) && !text_is_empty(name) && !run_env_is_reserved(name))
        add_secret(env, name, key);
}

static void add_field(struct env *env, const char *name, const char *path)
{
    struct json_object *entry = add_entry(env, name);

    if (entry != NULL)
        json_set_text(json_ensure_object(json_ensure_object(entry, "valueFrom"), "fieldRef"),
                      "fieldPath", path);
}

static const char *unless_reserved(const char *key)
{
    return run_env_is_reserved(key) ? "" : key;
}

static char *header_variable(const char *key)
{
    char *variable = xstrdup(key);

    for (char *at = variable; *at != '\0'; at++) {
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
        else if (!(*at >= 'A' && *at <= 'Z') && !(*at >= '0' && *at <= '9'))
            *at = '_';
    }
    return variable;
}

struct text_list run_env_header_variables(const struct definition *recipe)
{
    struct json_object *held = json_object_new_object(); /* by each variable: the key */
    struct text_list variables = {0};

    for (size_t i = 0; i < recipe->sink_count; i++) {
        const struct definition_sink *sink = &recipe->sinks[i];

        if (text_equal(sink->type, "http"))
            json_set_text(held, sink->headers_secret, sink->headers_secret);
    }
    for (size_t i = 0; i < recipe->server_count; i++) {
        const char *key = recipe->servers[i].headers_secret;
        char *variable = header_variable(key);

        if (run_env_is_reserved(variable) ||
            !text_equal(text_or(json_get_text(held, variable), key), key))
            variable[0] = '\0';
        else
            json_set_text(held, variable, key);
        text_list_add(&variables, variable);
        free(variable);
    }
    json_object_put(held);
    return variables;
}

/* Rows 1 to 4. */
static void add_sinks_and_servers(struct env *env, const struct definition *recipe)
{
    struct text_list variables = run_env_header_variables(recipe);

    add_json(env, "AGENT_SINKS", run_env_sinks(recipe, unless_reserved));
    for (size_t i = 0; i < recipe->sink_count; i++) {
        const struct definition_sink *sink = &recipe->sinks[i];

        if (text_equal(sink->type, "http"))
            add_recipe_secret(env, sink->headers_secret, sink->headers_secret);
    }
    for (size_t i = 0; i < recipe->server_count; i++)
        add_recipe_secret(env, variables.items[i], recipe->servers[i].headers_secret);
    if (recipe->server_count > 0)
        add_json(env, "AGENT_MCP_SERVERS", run_env_servers(recipe, &variables));
    text_list_release(&variables);
}

/* Rows 5 to 9. */
static void add_sources(struct env *env, const struct definition *recipe,
                        const struct station *station)
{
    const struct definition_conversation *conversation = &recipe->conversation;
    char deadline[24];

    add_json(env, "AGENT_REPOS", run_env_repos(recipe));
    add_json(env, "AGENT_SKILLS", run_env_texts(&recipe->skills));
    add_literal(env, "AGENT_SKILLS_SOURCE", recipe->skills_source);
    add_recipe_secret(env, conversation->headers_secret, conversation->headers_secret);
    add_literal(env, "AGENT_CONVERSATION_AUTH", unless_reserved(conversation->headers_secret));
    add_literal(env, "AGENT_CONVERSATION_SOURCE", conversation->source);
    add_literal(env, "AGENT_CONVERSATION_ID", conversation->id);
    add_literal(env, "AGENT_CONVERSATION_PIN", conversation->pin);
    snprintf(deadline, sizeof(deadline), "%lld",
             (long long)(station->deadline_minutes * 60000 - DEADLINE_MARGIN_MS));
    add_literal(env, "AGENT_DEADLINE_MS", deadline);
}

/* Rows 10 to 14. */
static void add_tokens_and_watches(struct env *env, const struct definition *recipe)
{
    const char *first_token = "";

    for (size_t i = 0; i < recipe->repo_count; i++) {
        const char *key = recipe->repos[i].token_secret;

        add_recipe_secret(env, key, key);
        if (first_token[0] == '\0')
            first_token = key;
    }
    add_recipe_secret(env, "GH_TOKEN", first_token);
    if (recipe->select_count > 0)
        add_json(env, "AGENT_SELECT", run_env_selects(recipe));
    for (size_t i = 0; i < recipe->watch_count; i++) {
        const struct definition_watch *watch = &recipe->watches[i];

        if (!text_is_empty(watch->upload_url))
            add_recipe_secret(env, watch->upload_headers_secret, watch->upload_headers_secret);
    }
    if (recipe->watch_count > 0)
        add_json(env, "AGENT_WATCH", run_env_watches(recipe));
}

static void add_parameter(struct env *env, const struct agent_spec *spec, const char *parameter,
                          const char *name)
{
    const char *value = agent_spec_parameter(spec, parameter, strlen(parameter));

    if (value != NULL)
        add_said(env, name, value);
}

/* Rows 15 to 21. */
static void add_run(struct env *env, const struct job_order *order)
{
    const struct agent_spec *spec = order->spec;

    add_literal(env, "WORKSPACE_DIR", "/workspace");
    if (spec->parameter_count > 0)
        add_said_json(env, "AGENT_PARAMETERS", run_env_parameters(spec));
    add_parameter(env, spec, "git_credential", "AGENT_GIT_CREDENTIAL");
    add_parameter(env, spec, "git_credential_url", "AGENT_GIT_CREDENTIAL_URL");
    if (!text_is_empty(spec->target_repo))
        add_said(env, "TARGET_REPO", spec->target_repo);
    if (!text_is_empty(spec->branch))
        add_said(env, "BRANCH_NAME", spec->branch);
    add_said(env, "AGENT_MODEL", job_model(spec, order->definition));
    add_literal(env, "AGENT_NAME", order->agent_name);
    add_literal(env, "STATION_NAME", order->station->name);
    add_said(env, "TASK_ID", spec->task_id);
    add_field(env, "POD_NAME", "metadata.name");
    add_field(env, "POD_NAMESPACE", "metadata.namespace");
}

/* Rows 23 to 25. */
static void add_recipe(struct env *env, const struct definition *recipe)
{
    for (size_t i = 0; i < recipe->env_count; i++) {
        if (!run_env_is_reserved(recipe->env[i].name))
            add_literal(env, recipe->env[i].name, recipe->env[i].value);
    }
    for (size_t i = 0; i < recipe->secret_count; i++) {
        if (!run_env_is_reserved(recipe->secrets[i].name))
            add_secret(env, recipe->secrets[i].name, recipe->secrets[i].ref);
    }
    add_literal(env, "HOME", "/agent");
    add_literal(env, "PATH", "/agent/.local/bin:/usr/local/bin:/usr/bin:/bin");
}

static struct json_object *run_env(const struct job_order *order, bool with_vendor)
{
    const struct definition *recipe = order->definition;
    struct env env = {json_object_new_array(), json_object_new_object()};

    add_sinks_and_servers(&env, recipe);
    add_sources(&env, recipe, order->station);
    add_tokens_and_watches(&env, recipe);
    add_run(&env, order);
    if (with_vendor && vendor_of_model(job_model(order->spec, recipe)) == VENDOR_GEMINI)
        add_literal(&env, "GEMINI_EXP", "/agent/.gemini/experiments.json"); /* row 22 */
    add_recipe(&env, recipe);
    json_object_put(env.names);
    return env.list;
}

struct json_object *run_env_agent(const struct job_order *order)
{
    return run_env(order, true);
}

/* The variables that only the init container has: AGENT_FILES and the secrets of the files. */
static struct env file_env(const struct agent_spec *spec)
{
    struct env env = {json_object_new_array(), json_object_new_object()};
    const char **keys = xcalloc(spec->file_count, sizeof(*keys));

    add_said_json(&env, "AGENT_FILES", run_env_files(spec, unless_reserved));
    for (size_t i = 0; i < spec->file_count; i++)
        keys[i] = spec->files[i].headers_secret;
    qsort(keys, spec->file_count, sizeof(*keys), text_compare_items);
    for (size_t i = 0; i < spec->file_count; i++)
        add_recipe_secret(&env, keys[i], keys[i]);
    free(keys);
    return env;
}

struct json_object *run_env_init(const struct job_order *order)
{
    struct json_object *run = run_env(order, false);
    struct json_object *list;
    struct env extra;

    if (order->spec->file_count == 0)
        return run;
    extra = file_env(order->spec);
    list = json_object_new_array();
    for (size_t i = 0; i < json_object_array_length(run); i++) {
        struct json_object *entry = json_object_array_get_idx(run, i);

        if (!is_known(&extra, json_get_text(entry, "name")))
            json_add(list, json_object_get(entry));
    }
    for (size_t i = 0; i < json_object_array_length(extra.list); i++)
        json_add(list, json_object_get(json_object_array_get_idx(extra.list, i)));
    json_object_put(extra.list);
    json_object_put(extra.names);
    json_object_put(run);
    return list;
}
