/* Vendors by model, and the argv of each (RULES 2.7). */
#include "tests/unit/jobs/order.h"

#include "controller/base/text.h"
#include "controller/jobs/argv.h"
#include "controller/jobs/vendor.h"

static const struct vendor_row {
    const char *row;
    const char *model;
    enum vendor want;
} vendors[] = {
    {"no model is claude", "", VENDOR_CLAUDE},
    {"claude by its name", "claude-opus-5-5", VENDOR_CLAUDE},
    {"claude for what nobody knows", "llama", VENDOR_CLAUDE},
    {"exec exactly", "exec", VENDOR_EXEC},
    {"exec in capitals", "EXEC", VENDOR_EXEC},
    {"exec and more is not exec", "exec2", VENDOR_CLAUDE},
    {"opencode anywhere", "my-OpenCode", VENDOR_OPENCODE},
    {"opencode before codex", "opencode/codex", VENDOR_OPENCODE},
    {"codex anywhere", "x-Codex-y", VENDOR_CODEX},
    {"codex by gpt", "gpt-5", VENDOR_CODEX},
    {"codex by gpt in capitals", "GPT", VENDOR_CODEX},
    {"gpt only at the beginning", "a-gpt", VENDOR_CLAUDE},
    {"codex by o1", "o1", VENDOR_CODEX},
    {"o2 is nobody's", "o2", VENDOR_CLAUDE},
    {"codex by o3", "o3-mini", VENDOR_CODEX},
    {"codex by o4", "O4", VENDOR_CODEX},
    {"codex before gemini", "gemini-codex", VENDOR_CODEX},
    {"gemini at the beginning", "Gemini-3", VENDOR_GEMINI},
    {"gemini only at the beginning", "not-gemini", VENDOR_CLAUDE},
    {"opencode before gemini", "gemini/opencode", VENDOR_OPENCODE},
};

static void test_vendor(void **state)
{
    const struct vendor_row *row = *state;
    enum vendor got = vendor_of_model(row->model);

    if (got != row->want)
        fail_msg("2.7 %s: got vendor %d, want %d", row->row, got, row->want);
}

#define CLAUDE "claude|--print|--verbose|--output-format|stream-json|--model|"
#define SETTINGS "--settings|/agent/.claude/settings.json|"

#define CLAUDE_END SETTINGS "--|P"
#define GEMINI                                                                                     \
    "gemini|--prompt|P|--output-format|stream-json|--model|gemini-3|--skip-trust|"                 \
    "--include-directories|/workspace"
#define BYPASS "{'permission_mode':'bypass','allowed_tools':['A'],'disallowed_tools':['C']}"
#define TOOLS "{'allowed_tools':['A','B(x)'],'disallowed_tools':['C','D']}"
#define SERVERS(list) "{'resources':{'mcp_servers':[" list "]}}"
#define MCP(json) CLAUDE "m|--mcp-config|{'mcpServers':{" json "}}|--strict-mcp-config|" CLAUDE_END
#define COMMAND(json) "{'tool_config':{'command':" json "}}"
#define NO_LIST "exec recipe tool_config.command must be a non-empty array of strings"

static const struct argv_row {
    const char *row;
    const char *spec; /* of the recipe */
    const char *model;
    const char *resume;
    const char *pin;
    const char *want;   /* argv joined by '|', or the error */
    const char *prompt; /* NULL: P */
} argvs[] = {
    {"claude, the default model", "{}", "", "", "", CLAUDE "claude-opus-5-5|" CLAUDE_END},
    {"claude, a model as it is written", "{}", "Claude X", "", "", CLAUDE "Claude X|" CLAUDE_END},
    {"claude, tools under auto", TOOLS, "m", "", "",
     CLAUDE
     "m|--allowedTools|A|--allowedTools|B(x)|--disallowedTools|C|--disallowedTools|D|" CLAUDE_END},
    {"claude, tools under bypass", BYPASS, "m", "", "",
     CLAUDE "m|--dangerously-skip-permissions|--disallowedTools|C|" CLAUDE_END},
    {"claude, an unknown mode is auto", "{'permission_mode':'Bypass','allowed_tools':['A']}", "m",
     "", "", CLAUDE "m|--allowedTools|A|" CLAUDE_END},
    {"claude, max_turns", "{'max_turns':7}", "m", "", "",
     CLAUDE "m|" SETTINGS "--max-turns|7|--|P"},
    {"claude, max_turns 0", "{'max_turns':0}", "m", "", "", CLAUDE "m|" CLAUDE_END},
    {"claude, max_turns below 0", "{'max_turns':-1}", "m", "", "", CLAUDE "m|" CLAUDE_END},
    {"claude, resume", "{}", "m", "R", "", CLAUDE "m|" SETTINGS "--resume|R|--|P"},
    {"claude, pin", "{}", "m", "", "N", CLAUDE "m|" SETTINGS "--session-id|N|--|P"},
    {"claude, resume and pin", "{}", "m", "R", "N",
     CLAUDE "m|" SETTINGS "--resume|R|--fork-session|--session-id|N|--|P"},
    {"claude, everything in its order",
     "{'permission_mode':'bypass','disallowed_tools':['C'],'max_turns':2,'resources':"
     "{'mcp_servers':[{'name':'s','transport':'sse','url':'U'}]}}",
     "m", "R", "N",
     CLAUDE "m|--dangerously-skip-permissions|--disallowedTools|C|--mcp-config|"
            "{'mcpServers':{'s':{'type':'sse','url':'U'}}}|--strict-mcp-config|" SETTINGS
            "--max-turns|2|--resume|R|--fork-session|--session-id|N|--|P"},
    {"MCP, http with a secret and slashes as they are",
     SERVERS("{'name':'h','transport':'http','url':'https://x/y','headers_secret':'my-key.1'}"),
     "m", "", "",
     MCP("'h':{'type':'http','url':'https://x/y','headers':{'Authorization':'${MY_KEY_1}'}}")},
    {"MCP, sse", SERVERS("{'name':'s','transport':'sse','url':'U'}"), "m", "", "",
     MCP("'s':{'type':'sse','url':'U'}")},
    {"MCP, stdio with args",
     SERVERS("{'name':'p','transport':'stdio','command':'c','args':['1','2']}"), "m", "", "",
     MCP("'p':{'type':'stdio','command':'c','args':['1','2']}")},
    {"MCP, stdio without args, and never with headers",
     SERVERS("{'name':'q','transport':'stdio','command':'d','args':[],'headers_secret':'k'}"), "m",
     "", "", MCP("'q':{'type':'stdio','command':'d'}")},
    {"MCP, no header under a reserved name",
     SERVERS("{'name':'h','transport':'http','url':'U','headers_secret':'agent-prompt-token'}"),
     "m", "", "", MCP("'h':{'type':'http','url':'U'}")},
    {"MCP, no header of another server's secret",
     SERVERS("{'name':'h','transport':'http','url':'U','headers_secret':'a-b'},"
             "{'name':'i','transport':'sse','url':'V','headers_secret':'a.b'}"),
     "m", "", "",
     MCP("'h':{'type':'http','url':'U','headers':{'Authorization':'${A_B}'}},"
         "'i':{'type':'sse','url':'V'}")},
    {"MCP, no header of a sink's secret",
     "{'output':{'sinks':[{'type':'http','headers_secret':'K'}]},'resources':{'mcp_servers':["
     "{'name':'h','transport':'http','url':'U','headers_secret':'k'}]}}",
     "m", "", "", MCP("'h':{'type':'http','url':'U'}")},
    {"MCP, names of other letters", SERVERS("{'name':'\u20ac','transport':'sse','url':'U'}"), "m",
     "", "", MCP("'\u20ac':{'type':'sse','url':'U'}")},
    {"codex, fresh, auto", TOOLS, "gpt-5", "", "N", "codex|exec|--json|--model|gpt-5|--|P"},
    {"codex, fresh, bypass", BYPASS, "o3", "", "",
     "codex|exec|--json|--model|o3|--dangerously-bypass-approvals-and-sandbox|--|P"},
    {"codex, resuming, auto", "{}", "Codex", "R", "N",
     "codex|exec|resume|R|--json|--model|Codex|P"},
    {"codex, resuming, bypass", BYPASS, "o3", "R", "",
     "codex|exec|resume|R|--json|--model|o3|--dangerously-bypass-approvals-and-sandbox|P"},
    {"opencode alone", BYPASS, "opencode", "R", "N", "opencode|run|--format|json|--|P"},
    {"opencode with a model", TOOLS, "opencode/big/one", "", "",
     "opencode|run|--format|json|--model|big/one|--|P"},
    {"opencode in the middle", "{}", "x-opencode/y", "", "",
     "opencode|run|--format|json|--model|x-opencode/y|--|P"},
    {"gemini, auto", TOOLS, "gemini-3", "", "N", GEMINI},
    {"gemini, bypass", BYPASS, "gemini-3", "", "", GEMINI "|--yolo"},
    {"gemini, the latest is resumed, not the id", "{}", "gemini-3", "R", "N",
     GEMINI "|--resume|latest"},
    {"gemini, bypass and resume", BYPASS, "gemini-3", "R", "", GEMINI "|--yolo|--resume|latest"},
    {"gemini, a prompt that looks like an option", "{}", "gemini-3", "", "",
     "gemini|--prompt=--yolo|--output-format|stream-json|--model|gemini-3|--skip-trust|"
     "--include-directories|/workspace",
     "--yolo"},
    {"gemini, a prompt that is a dash", "{}", "gemini-3", "", "",
     "gemini|--prompt=-|--output-format|stream-json|--model|gemini-3|--skip-trust|"
     "--include-directories|/workspace",
     "-"},
    {"codex, resuming with a prompt that looks like an option", "{}", "o3", "R", "",
     "codex|exec|resume|R|--json|--model|o3|--|--dangerously-bypass-approvals-and-sandbox",
     "--dangerously-bypass-approvals-and-sandbox"},
    {"codex, a model that looks like an option", "{}", "--x=codex", "", "",
     "codex|exec|--json|--model=--x=codex|--|P", "P"},
    {"opencode, a model that looks like an option", "{}", "opencode/--share", "", "",
     "opencode|run|--format|json|--model=--share|--|P", "P"},
    {"claude, a model that looks like an option", "{}", "-p", "", "",
     "claude|--print|--verbose|--output-format|stream-json|--model=-p|" CLAUDE_END, "P"},
    {"exec, the prompt at the end", COMMAND("['run','-x','']"), "exec", "R", "N", "run|-x||P"},
    {"exec under bypass", "{'permission_mode':'bypass','tool_config':{'command':['run']}}", "exec",
     "", "", "run|P"},
    {"exec without tool_config", "{}", "exec", "", "",
     "exec recipe needs tool_config.command (the argv to spawn)"},
    {"exec with a null command", COMMAND("null"), "exec", "", "",
     "exec recipe needs tool_config.command (the argv to spawn)"},
    {"exec with an empty command", COMMAND("[]"), "exec", "", "", NO_LIST},
    {"exec with a text", COMMAND("'x'"), "exec", "", "", NO_LIST},
    {"exec with an object", COMMAND("{}"), "exec", "", "", NO_LIST},
    {"exec with a number", COMMAND("['run',1]"), "exec", "", "",
     "exec recipe tool_config.command entries must be strings"},
    {"exec with a null", COMMAND("[null]"), "exec", "", "",
     "exec recipe tool_config.command entries must be strings"},
};

static void test_argv(void **state)
{
    const struct argv_row *row = *state;
    struct job_order order = order_make(row->spec, NULL, NULL);
    struct argv_input input = {order.definition, row->model, text_or(row->prompt, "P"), row->resume,
                               row->pin};
    struct text_list argv = {0};
    struct buffer got = BUFFER_INIT(4096);
    struct buffer want = BUFFER_INIT(4096);
    struct error err = ERROR_INIT;

    if (!argv_build(&input, &argv, &err))
        buffer_append_text(&got, err.text);
    for (size_t i = 0; i < argv.count; i++)
        buffer_append_format(&got, "%s%s", i == 0 ? "" : "|", argv.items[i]);
    buffer_append_text(&want, row->want);
    order_unquote(want.bytes);
    if (strcmp(buffer_text(&got), buffer_text(&want)) != 0)
        fail_msg("2.7 %s: got %s", row->row, buffer_text(&got));
    buffer_release(&got);
    buffer_release(&want);
    text_list_release(&argv);
    order_release(&order);
}

int main(void)
{
    return ROWS_RUN(vendors, test_vendor) + ROWS_RUN(argvs, test_argv);
}
