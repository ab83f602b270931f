#include "controller/jobs/run_env_json.h"

#include "controller/base/text.h"

static void set_unless_empty(struct json_object *object, const char *key, const char *text)
{
    if (!text_is_empty(text))
        json_set_text(object, key, text);
}

static struct json_object *add_object(struct json_object *array)
{
    struct json_object *object = json_object_new_object();

    json_add(array, object);
    return object;
}

struct json_object *run_env_sinks(const struct definition *recipe,
                                  const char *(*blank)(const char *key))
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < recipe->sink_count; i++) {
        const struct definition_sink *sink = &recipe->sinks[i];
        struct json_object *item = add_object(array);

        set_unless_empty(item, "type", sink->type);
        set_unless_empty(item, "url", sink->url);
        if (!text_equal(sink->type, "http"))
            set_unless_empty(item, "headers_secret", sink->headers_secret);
        else if (!text_is_empty(sink->headers_secret))
            json_set_text(item, "headers_secret", blank(sink->headers_secret));
        set_unless_empty(item, "path", sink->path);
    }
    return array;
}

struct json_object *run_env_servers(const struct definition *recipe,
                                    const struct text_list *variables)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < recipe->server_count; i++) {
        const struct definition_server *server = &recipe->servers[i];
        struct json_object *item = add_object(array);

        set_unless_empty(item, "name", server->name);
        set_unless_empty(item, "transport", server->transport);
        set_unless_empty(item, "command", server->command);
        if (server->args.count > 0)
            json_set(item, "args", run_env_texts(&server->args));
        set_unless_empty(item, "url", server->url);
        if (!text_is_empty(server->headers_secret))
            json_set_text(item, "headers_secret",
                          variables->items[i][0] == '\0' ? "" : server->headers_secret);
    }
    return array;
}

struct json_object *run_env_repos(const struct definition *recipe)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < recipe->repo_count; i++) {
        const struct definition_repo *repo = &recipe->repos[i];
        struct json_object *item = add_object(array);

        set_unless_empty(item, "name", repo->name);
        set_unless_empty(item, "url", repo->url);
        set_unless_empty(item, "ref", repo->ref);
        set_unless_empty(item, "path", repo->path);
        set_unless_empty(item, "token_secret", repo->token_secret);
    }
    return array;
}

struct json_object *run_env_texts(const struct text_list *texts)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < texts->count; i++)
        json_add(array, json_object_new_string(texts->items[i]));
    return array;
}

struct json_object *run_env_selects(const struct definition *recipe)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < recipe->select_count; i++) {
        const struct definition_select *select = &recipe->selects[i];
        struct json_object *item = add_object(array);

        set_unless_empty(item, "event", select->event);
        set_unless_empty(item, "tool", select->tool);
        set_unless_empty(item, "role", select->role);
        set_unless_empty(item, "contains", select->contains);
    }
    return array;
}

struct json_object *run_env_watches(const struct definition *recipe)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < recipe->watch_count; i++) {
        const struct definition_watch *watch = &recipe->watches[i];
        struct json_object *item = add_object(array);
        struct json_object *upload;

        set_unless_empty(item, "event", watch->event);
        set_unless_empty(item, "path", watch->path);
        if (text_is_empty(watch->upload_url))
            continue;
        upload = json_ensure_object(item, "upload");
        json_set_text(upload, "url", watch->upload_url);
        set_unless_empty(upload, "headers_secret", watch->upload_headers_secret);
    }
    return array;
}

struct json_object *run_env_parameters(const struct agent_spec *spec)
{
    struct json_object *object = json_object_new_object();

    for (size_t i = 0; i < spec->parameter_count; i++)
        json_set_text(object, spec->parameters[i].name, spec->parameters[i].value);
    return object;
}

struct json_object *run_env_files(const struct agent_spec *spec,
                                  const char *(*blank)(const char *key))
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < spec->file_count; i++) {
        const struct agent_file *file = &spec->files[i];
        struct json_object *item = add_object(array);

        set_unless_empty(item, "path", file->path);
        set_unless_empty(item, "url", file->url);
        if (!text_is_empty(file->headers_secret))
            json_set_text(item, "headers_secret", blank(file->headers_secret));
    }
    return array;
}
