#include "controller/kinds/definition.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/field.h"

static const struct field_key env_keys[] = {
    {"name",  offsetof(struct definition_env, name) },
    {"value", offsetof(struct definition_env, value)},
};
static const struct field_key secret_keys[] = {
    {"name", offsetof(struct definition_secret, name)},
    {"ref",  offsetof(struct definition_secret, ref) },
};
static const struct field_key server_keys[] = {
    {"name",           offsetof(struct definition_server, name)          },
    {"transport",      offsetof(struct definition_server, transport)     },
    {"command",        offsetof(struct definition_server, command)       },
    {"url",            offsetof(struct definition_server, url)           },
    {"headers_secret", offsetof(struct definition_server, headers_secret)},
};
static const struct field_key repo_keys[] = {
    {"name",         offsetof(struct definition_repo, name)        },
    {"url",          offsetof(struct definition_repo, url)         },
    {"ref",          offsetof(struct definition_repo, ref)         },
    {"path",         offsetof(struct definition_repo, path)        },
    {"token_secret", offsetof(struct definition_repo, token_secret)},
};
static const struct field_key conversation_keys[] = {
    {"source",         offsetof(struct definition_conversation, source)        },
    {"id",             offsetof(struct definition_conversation, id)            },
    {"pin",            offsetof(struct definition_conversation, pin)           },
    {"headers_secret", offsetof(struct definition_conversation, headers_secret)},
};
static const struct field_key select_keys[] = {
    {"event",    offsetof(struct definition_select, event)   },
    {"tool",     offsetof(struct definition_select, tool)    },
    {"role",     offsetof(struct definition_select, role)    },
    {"contains", offsetof(struct definition_select, contains)},
};
static const struct field_key sink_keys[] = {
    {"type",           offsetof(struct definition_sink, type)          },
    {"url",            offsetof(struct definition_sink, url)           },
    {"headers_secret", offsetof(struct definition_sink, headers_secret)},
    {"path",           offsetof(struct definition_sink, path)          },
};
static const struct field_key watch_keys[] = {
    {"event", offsetof(struct definition_watch, event)},
    {"path",  offsetof(struct definition_watch, path) },
};
static const struct field_key upload_keys[] = {
    {"url",            offsetof(struct definition_watch, upload_url)           },
    {"headers_secret", offsetof(struct definition_watch, upload_headers_secret)},
};

/* A list of structs of texts, and how to read one of them. */
struct list_kind {
    const char *key;
    size_t item_size;
    const struct field_key *keys;
    size_t key_count;
    bool (*read_more)(const struct json_object *item, void *into, struct error *err); /* or NULL */
};

static bool read_server_args(const struct json_object *item, void *into, struct error *err)
{
    struct definition_server *server = into;

    return field_text_list(item, "args", &server->args, err);
}

static bool read_upload(const struct json_object *item, void *into, struct error *err)
{
    struct json_object *upload = NULL;

    return field_object(item, "upload", &upload, err) &&
           field_texts(upload, upload_keys, ARRAY_SIZE(upload_keys), into, err);
}

#define LIST_KIND(name, type, item_keys, more)                                                     \
    {                                                                                              \
        .key = (name), .item_size = sizeof(type), .keys = (item_keys),                             \
        .key_count = ARRAY_SIZE(item_keys), .read_more = (more)                                    \
    }

static const struct list_kind env_list = LIST_KIND("env", struct definition_env, env_keys, NULL);
static const struct list_kind secret_list =
    LIST_KIND("secrets", struct definition_secret, secret_keys, NULL);
static const struct list_kind server_list =
    LIST_KIND("mcp_servers", struct definition_server, server_keys, read_server_args);
static const struct list_kind repo_list =
    LIST_KIND("repos", struct definition_repo, repo_keys, NULL);
static const struct list_kind select_list =
    LIST_KIND("select", struct definition_select, select_keys, NULL);
static const struct list_kind sink_list =
    LIST_KIND("sinks", struct definition_sink, sink_keys, NULL);
static const struct list_kind watch_list =
    LIST_KIND("watch", struct definition_watch, watch_keys, read_upload);

/* Reads a list; what was read before a failure is in *ret_items too, for the caller to free. */
static bool read_list(const struct json_object *parent, const struct list_kind *kind,
                      void **ret_items, size_t *ret_count, struct error *err)
{
    struct json_object *array;
    size_t count;

    if (!field_objects(parent, kind->key, &array, &count, err))
        return false;
    *ret_items = xcalloc(count + 1, kind->item_size);
    *ret_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);
        void *into = (char *)*ret_items + i * kind->item_size;

        if (!field_texts(item, kind->keys, kind->key_count, into, err))
            return false;
        if (kind->read_more != NULL && !kind->read_more(item, into, err))
            return false;
    }
    return true;
}

static void release_list(const struct list_kind *kind, void *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        field_texts_release(kind->keys, kind->key_count, (char *)items + i * kind->item_size);
    free(items);
}

static bool read_resources(const struct json_object *spec, struct definition *definition,
                           struct error *err)
{
    struct json_object *resources = NULL;
    struct json_object *conversation = NULL;
    void *env = NULL;
    void *secrets = NULL;
    void *servers = NULL;
    void *repos = NULL;
    bool ok;

    if (!field_object(spec, "resources", &resources, err))
        return false;
    ok = read_list(resources, &env_list, &env, &definition->env_count, err) &&
         read_list(resources, &secret_list, &secrets, &definition->secret_count, err) &&
         read_list(resources, &server_list, &servers, &definition->server_count, err) &&
         read_list(resources, &repo_list, &repos, &definition->repo_count, err);
    definition->env = env;
    definition->secrets = secrets;
    definition->servers = servers;
    definition->repos = repos;
    return ok && field_text_list(resources, "skills", &definition->skills, err) &&
           field_text(resources, "skills_source", &definition->skills_source, err) &&
           field_object(resources, "conversation", &conversation, err) &&
           field_texts(conversation, conversation_keys, ARRAY_SIZE(conversation_keys),
                       &definition->conversation, err);
}

static bool read_output(const struct json_object *spec, struct definition *definition,
                        struct error *err)
{
    struct json_object *output = NULL;
    void *selects = NULL;
    void *sinks = NULL;
    void *watches = NULL;
    bool ok;

    if (!field_object(spec, "output", &output, err))
        return false;
    ok = read_list(output, &select_list, &selects, &definition->select_count, err) &&
         read_list(output, &sink_list, &sinks, &definition->sink_count, err) &&
         read_list(output, &watch_list, &watches, &definition->watch_count, err);
    definition->selects = selects;
    definition->sinks = sinks;
    definition->watches = watches;
    return ok;
}

/* tool_config.command: judged only when a run needs it, so nothing here is an error. */
static enum tool_command read_command(const struct json_object *config, struct text_list *argv)
{
    struct json_object *command = json_get(config, "command");

    if (command == NULL)
        return COMMAND_ABSENT;
    if (!json_is(command, json_type_array) || json_object_array_length(command) == 0)
        return COMMAND_NOT_A_LIST;
    for (size_t i = 0; i < json_object_array_length(command); i++) {
        const char *text = json_text(json_object_array_get_idx(command, i));

        if (text == NULL)
            return COMMAND_NOT_TEXTS;
        text_list_add(argv, text);
    }
    return COMMAND_OK;
}

static bool read_modes(const struct json_object *spec, struct definition *definition,
                       struct error *err)
{
    char *permission = NULL;
    char *execution = NULL;
    bool ok = field_text(spec, "permission_mode", &permission, err) &&
              field_text(spec, "execution", &execution, err);

    definition->bypass = text_equal(permission, "bypass");
    if (text_equal(execution, "batch"))
        definition->execution = EXECUTION_BATCH;
    else if (text_equal(execution, "realtime"))
        definition->execution = EXECUTION_REALTIME;
    free(permission);
    free(execution);
    return ok;
}

static bool read_spec(const struct json_object *spec, struct definition *definition,
                      struct error *err)
{
    struct json_object *config = NULL;

    if (!field_text(spec, "model", &definition->model, err) ||
        !field_text(spec, "prompt", &definition->prompt, err) ||
        !field_text_list(spec, "allowed_tools", &definition->allowed_tools, err) ||
        !field_text_list(spec, "disallowed_tools", &definition->disallowed_tools, err) ||
        !field_int64(spec, "max_turns", 0, &definition->max_turns, err) ||
        !field_object(spec, "tool_config", &config, err) || !read_modes(spec, definition, err))
        return false;
    definition->tool_command = read_command(config, &definition->tool_argv);
    return read_resources(spec, definition, err) && read_output(spec, definition, err);
}

static bool read_object(const struct json_object *tree, struct definition *definition,
                        struct error *err)
{
    struct json_object *metadata = NULL;
    struct json_object *spec = NULL;

    if (!field_object(tree, "metadata", &metadata, err) || !field_object(tree, "spec", &spec, err))
        return false;
    if (!field_text(metadata, "name", &definition->name, err))
        return false;
    if (definition->name[0] == '\0')
        return error_set(err, ERROR_INVALID, "metadata.name is missing");
    return read_spec(spec, definition, err);
}

bool definition_read(struct json_slice object, struct definition **ret_definition,
                     struct error *err)
{
    struct definition *definition = xcalloc(1, sizeof(*definition));
    struct json_object *tree = json_slice_parse(object);
    bool ok = read_object(tree, definition, err);

    json_object_put(tree);
    if (!ok) {
        definition_free(definition);
        return error_prefix(err, "AgentDefinition");
    }
    *ret_definition = definition;
    return true;
}

static void release_lists(struct definition *definition)
{
    for (size_t i = 0; i < definition->server_count && definition->servers != NULL; i++)
        text_list_release(&definition->servers[i].args);
    for (size_t i = 0; i < definition->watch_count && definition->watches != NULL; i++)
        field_texts_release(upload_keys, ARRAY_SIZE(upload_keys), &definition->watches[i]);
    release_list(&env_list, definition->env, definition->env_count);
    release_list(&secret_list, definition->secrets, definition->secret_count);
    release_list(&server_list, definition->servers, definition->server_count);
    release_list(&repo_list, definition->repos, definition->repo_count);
    release_list(&select_list, definition->selects, definition->select_count);
    release_list(&sink_list, definition->sinks, definition->sink_count);
    release_list(&watch_list, definition->watches, definition->watch_count);
}

void definition_free(struct definition *definition)
{
    if (definition == NULL)
        return;
    release_lists(definition);
    field_texts_release(conversation_keys, ARRAY_SIZE(conversation_keys),
                        &definition->conversation);
    text_list_release(&definition->allowed_tools);
    text_list_release(&definition->disallowed_tools);
    text_list_release(&definition->skills);
    text_list_release(&definition->tool_argv);
    free(definition->skills_source);
    free(definition->name);
    free(definition->model);
    free(definition->prompt);
    free(definition);
}
