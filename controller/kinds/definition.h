/* definition - the kind AgentDefinition: the recipe of a run (RULES.md 1.3). */
#ifndef CONTROLLER_KINDS_DEFINITION_H
#define CONTROLLER_KINDS_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/kinds/text_list.h"

enum execution { EXECUTION_INTERACTIVE, EXECUTION_BATCH, EXECUTION_REALTIME };

/** Whether tool_config.command is an argv, and if not, why. */
enum tool_command { COMMAND_ABSENT, COMMAND_NOT_A_LIST, COMMAND_NOT_TEXTS, COMMAND_OK };

/* Items of lists: every text is "" when absent. */

struct definition_env {
    char *name;
    char *value;
};

struct definition_secret {
    char *name; /* of the variable */
    char *ref;  /* key in the Secret agent-secrets */
};

struct definition_server {
    char *name;
    char *transport; /* stdio, http or sse */
    char *command;
    char *url;
    char *headers_secret;
    struct text_list args;
};

struct definition_repo {
    char *name;
    char *url;
    char *ref;
    char *path;
    char *token_secret;
};

struct definition_conversation {
    char *source;
    char *id;
    char *pin;
    char *headers_secret;
};

struct definition_select {
    char *event;
    char *tool;
    char *role;
    char *contains;
};

struct definition_sink {
    char *type;
    char *url;
    char *headers_secret;
    char *path;
};

struct definition_watch {
    char *event;
    char *path;
    char *upload_url;
    char *upload_headers_secret;
};

/** An AgentDefinition, parsed once. Texts are owned and never NULL. */
struct definition {
    char *name;
    char *model;
    char *prompt;
    enum execution execution;
    bool bypass;       /* permission_mode */
    int64_t max_turns; /* 0: no cap */
    struct text_list allowed_tools;
    struct text_list disallowed_tools;
    struct text_list skills;
    char *skills_source;
    struct definition_conversation conversation;
    enum tool_command tool_command;
    struct text_list tool_argv; /* of COMMAND_OK, not empty */
    struct definition_env *env;
    size_t env_count;
    struct definition_secret *secrets;
    size_t secret_count;
    struct definition_server *servers;
    size_t server_count;
    struct definition_repo *repos;
    size_t repo_count;
    struct definition_select *selects;
    size_t select_count;
    struct definition_sink *sinks;
    size_t sink_count;
    struct definition_watch *watches;
    size_t watch_count;
};

/** Reads a whole AgentDefinition's text, which has passed the JSON gate. ERROR_INVALID when it has
 * no name or a member has another type. */
bool definition_read(struct json_slice object, struct definition **ret_definition,
                     struct error *err) MUST_CHECK;
void definition_free(struct definition *definition);

#endif
