#include "controller/jobs/argv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/run_env.h"
#include "controller/jobs/vendor.h"
#include "controller/kinds/failure_reason.h"

static void add_pair(struct text_list *argv, const char *flag, const char *value)
{
    text_list_add(argv, flag);
    text_list_add(argv, value);
}

/* A flag and a value that an Agent may say: one that looks like an option must not be read as one.
 */
static void add_said(struct text_list *argv, const char *flag, const char *value)
{
    char *joined;

    if (value[0] != '-') {
        add_pair(argv, flag, value);
        return;
    }
    joined = xprintf("%s=%s", flag, value);
    text_list_add(argv, joined);
    free(joined);
}

static void add_each(struct text_list *argv, const char *flag, const struct text_list *values)
{
    for (size_t i = 0; i < values->count; i++)
        add_pair(argv, flag, values->items[i]);
}

static struct json_object *stdio_server(const struct definition_server *server)
{
    struct json_object *entry = json_object_new_object();
    struct json_object *args;

    json_set_text(entry, "type", "stdio");
    json_set_text(entry, "command", server->command);
    if (server->args.count == 0)
        return entry;
    args = json_object_new_array();
    for (size_t i = 0; i < server->args.count; i++)
        json_add(args, json_object_new_string(server->args.items[i]));
    json_set(entry, "args", args);
    return entry;
}

static struct json_object *remote_server(const struct definition_server *server,
                                         const char *variable)
{
    struct json_object *entry = json_object_new_object();

    json_set_text(entry, "type", server->transport);
    json_set_text(entry, "url", server->url);
    if (variable[0] != '\0') {
        char *reference = xprintf("${%s}", variable);

        json_set_text(json_ensure_object(entry, "headers"), "Authorization", reference);
        free(reference);
    }
    return entry;
}

/* A server of another transport than the schema's three is left out. */
static char *mcp_config(const struct definition *definition)
{
    struct json_object *config = json_object_new_object();
    struct json_object *servers = json_ensure_object(config, "mcpServers");
    struct text_list variables = run_env_header_variables(definition);
    size_t size;
    char *text;

    for (size_t i = 0; i < definition->server_count; i++) {
        const struct definition_server *server = &definition->servers[i];

        if (text_equal(server->transport, "stdio"))
            json_set(servers, server->name, stdio_server(server));
        else if (text_equal(server->transport, "http") || text_equal(server->transport, "sse"))
            json_set(servers, server->name, remote_server(server, variables.items[i]));
    }
    text = json_to_text(config, &size);
    text_list_release(&variables);
    json_object_put(config);
    return text;
}

static void claude_tools(const struct definition *definition, struct text_list *argv)
{
    if (definition->bypass)
        text_list_add(argv, "--dangerously-skip-permissions");
    else
        add_each(argv, "--allowedTools", &definition->allowed_tools);
    add_each(argv, "--disallowedTools", &definition->disallowed_tools);
    if (definition->server_count > 0) {
        char *config = mcp_config(definition);

        add_pair(argv, "--mcp-config", config);
        text_list_add(argv, "--strict-mcp-config");
        free(config);
    }
}

static void claude(const struct argv_input *input, struct text_list *argv)
{
    const struct definition *definition = input->definition;

    text_list_add(argv, "claude");
    text_list_add(argv, "--print");
    text_list_add(argv, "--verbose");
    add_pair(argv, "--output-format", "stream-json");
    add_said(argv, "--model", text_or(input->model, VENDOR_DEFAULT_MODEL));
    claude_tools(definition, argv);
    add_pair(argv, "--settings", "/agent/.claude/settings.json");
    if (definition->max_turns > 0) {
        char turns[24];

        snprintf(turns, sizeof(turns), "%lld", (long long)definition->max_turns);
        add_pair(argv, "--max-turns", turns);
    }
    if (!text_is_empty(input->resume))
        add_pair(argv, "--resume", input->resume);
    if (!text_is_empty(input->resume) && !text_is_empty(input->pin))
        text_list_add(argv, "--fork-session");
    if (!text_is_empty(input->pin))
        add_pair(argv, "--session-id", input->pin);
    add_pair(argv, "--", input->prompt);
}

static void codex(const struct argv_input *input, struct text_list *argv)
{
    bool resumes = !text_is_empty(input->resume);

    add_pair(argv, "codex", "exec");
    if (resumes)
        add_pair(argv, "resume", input->resume);
    text_list_add(argv, "--json");
    if (!text_is_empty(input->model))
        add_said(argv, "--model", input->model);
    if (input->definition->bypass)
        text_list_add(argv, "--dangerously-bypass-approvals-and-sandbox");
    if (!resumes || input->prompt[0] == '-')
        text_list_add(argv, "--");
    text_list_add(argv, input->prompt);
}

static void opencode(const struct argv_input *input, struct text_list *argv)
{
    const char *model = input->model;

    if (text_starts_with(model, "opencode/"))
        model += strlen("opencode/");
    add_pair(argv, "opencode", "run");
    add_pair(argv, "--format", "json");
    if (!text_equal(input->model, "opencode"))
        add_said(argv, "--model", model);
    add_pair(argv, "--", input->prompt);
}

static void gemini(const struct argv_input *input, struct text_list *argv)
{
    text_list_add(argv, "gemini");
    add_said(argv, "--prompt", input->prompt);
    add_pair(argv, "--output-format", "stream-json");
    add_said(argv, "--model", input->model);
    text_list_add(argv, "--skip-trust");
    add_pair(argv, "--include-directories", "/workspace");
    if (input->definition->bypass)
        text_list_add(argv, "--yolo");
    if (!text_is_empty(input->resume))
        add_pair(argv, "--resume", "latest"); /* the CLI resumes only what was restored */
}

static bool exec(const struct argv_input *input, struct text_list *argv, struct error *err)
{
    const struct definition *definition = input->definition;

    switch (definition->tool_command) {
    case COMMAND_ABSENT:
        return error_set(err, ERROR_INVALID, REASON_EXEC_NO_COMMAND);
    case COMMAND_NOT_A_LIST:
        return error_set(err, ERROR_INVALID, REASON_EXEC_NO_LIST);
    case COMMAND_NOT_TEXTS:
        return error_set(err, ERROR_INVALID, REASON_EXEC_NO_TEXTS);
    case COMMAND_OK:
        break;
    }
    for (size_t i = 0; i < definition->tool_argv.count; i++)
        text_list_add(argv, definition->tool_argv.items[i]);
    text_list_add(argv, input->prompt);
    return true;
}

bool argv_build(const struct argv_input *input, struct text_list *ret_argv, struct error *err)
{
    switch (vendor_of_model(input->model)) {
    case VENDOR_EXEC:
        return exec(input, ret_argv, err);
    case VENDOR_OPENCODE:
        opencode(input, ret_argv);
        break;
    case VENDOR_CODEX:
        codex(input, ret_argv);
        break;
    case VENDOR_GEMINI:
        gemini(input, ret_argv);
        break;
    case VENDOR_CLAUDE:
        claude(input, ret_argv);
        break;
    }
    return true;
}
