/* The environment of a run (RULES 2.4, 2.5). */
#include "tests/unit/jobs/order.h"

#include "controller/base/text.h"
#include "controller/jobs/run_env.h"

#define RUN_HEAD                                                                                   \
    "AGENT_SINKS=[]\nAGENT_REPOS=[]\nAGENT_SKILLS=[]\nAGENT_SKILLS_SOURCE=\n"                      \
    "AGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\nAGENT_CONVERSATION_ID=\n"               \
    "AGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=/workspace\n"
#define POD "POD_NAME@metadata.name\nPOD_NAMESPACE@metadata.namespace\n"
#define TAIL "HOME=/agent\nPATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"
#define RUN_TAIL "AGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=\n" POD TAIL

/* One run: what differs from the plainest one, and lines that stand together in the environment of
 * a container, one variable a line: NAME=value, NAME<key for a secret, NAME@path for a field. */
static const struct env_row {
    const char *row;
    const char *recipe; /* spec of the AgentDefinition */
    const char *agent;  /* spec of the Agent */
    const char *station;
    const char *want;    /* "^" at its beginning: from the first line on; "$": to the last */
    const char *without; /* text that is nowhere */
} rows[] = {
    {.row = "all of the plainest run", .want = "^" RUN_HEAD "AGENT_MODEL=\n" RUN_TAIL "$"},
    {.row = "1: sinks with the names of the CRD",
     .recipe = "{'output':{'sinks':[{'type':'stdout'},{'type':'http','url':'http://"
               "k','headers_secret':'K'},"
               "{'type':'file','path':'/p'}]}}",
     .want =
         "^AGENT_SINKS=[{'type':'stdout'},{'type':'http','url':'http://k','headers_secret':'K'},"
         "{'type':'file','path':'/p'}]\nK<K\nAGENT_REPOS=[]\n"},
    {.row = "1: an http sink's reserved secret is blanked",
     .recipe = "{'output':{'sinks':[{'type':'http','headers_secret':'TASK_ID'}]}}",
     .want = "^AGENT_SINKS=[{'type':'http','headers_secret':''}]\nAGENT_REPOS=[]\n",
     .without = "TASK_ID<"},
    {.row = "1: a file sink's reserved secret is left",
     .recipe = "{'output':{'sinks':[{'type':'file','headers_secret':'TASK_ID'}]}}",
     .want = "^AGENT_SINKS=[{'type':'file','headers_secret':'TASK_ID'}]\nAGENT_REPOS=[]\n",
     .without = "TASK_ID<"},
    {.row = "2: the secret of each http sink, once",
     .recipe = "{'output':{'sinks':[{'type':'http','headers_secret':'B'},{'type':'http','headers_"
               "secret':'A'}"
               ",{'type':'http','headers_secret':'B'}]}}",
     .want = "]\nB<B\nA<A\nAGENT_REPOS=[]\n"},
    {.row = "2: no secret of a file sink",
     .recipe = "{'output':{'sinks':[{'type':'file','headers_secret':'B'}]}}",
     .want = "'B'}]\nAGENT_REPOS=[]\n",
     .without = "B<"},
    {.row = "3: an MCP server's secret under its name in capitals",
     .recipe = "{'resources':{'mcp_servers':[{'name':'m','transport':'http','headers_secret':'my-"
               "key.1z'}]}}",
     .want = "AGENT_SINKS=[]\nMY_KEY_1Z<my-key.1z\nAGENT_MCP_SERVERS=",
     .without = "\nmy-key.1z<"},
    {.row = "3: two keys of one name, the first",
     .recipe = "{'resources':{'mcp_servers':[{'headers_secret':'a-b'},{'headers_secret':'a.b'},"
               "{'headers_secret':'a-b'}]}}",
     .want = "AGENT_SINKS=[]\nA_B<a-b\nAGENT_MCP_SERVERS=[{'headers_secret':'a-b'},"
             "{'headers_secret':''},{'headers_secret':'a-b'}]\n",
     .without = "<a.b"},
    {.row = "3: a name that a sink has taken",
     .recipe = "{'output':{'sinks':[{'type':'http','headers_secret':'K'}]},"
               "'resources':{'mcp_servers':[{'headers_secret':'k'}]}}",
     .want = "K<K\nAGENT_MCP_SERVERS=[{'headers_secret':''}]\n",
     .without = "<k"},
    {.row = "3: a secret that a sink has brought",
     .recipe = "{'output':{'sinks':[{'type':'http','headers_secret':'K'}]},"
               "'resources':{'mcp_servers':[{'headers_secret':'K'}]}}",
     .want = "}]\nK<K\nAGENT_MCP_SERVERS=[{'headers_secret':'K'}]\n"},
    {.row = "3: a name that is reserved",
     .recipe = "{'resources':{'mcp_servers':[{'transport':'http','headers_secret':'agent-prompt."
               "token'}]}}",
     .want = "AGENT_SINKS=[]\nAGENT_MCP_SERVERS=[{'transport':'http','headers_secret':''}]\n",
     .without = "AGENT_PROMPT_TOKEN"},
    {.row = "4: MCP servers with the names of the CRD",
     .recipe = "{'resources':{'mcp_servers':[{'name':'p','transport':'stdio','command':'c','args':["
               "'1','2']},"
               "{'name':'h','transport':'http','url':'http://u/','headers_secret':'K'}]}}",
     .want =
         "K<K\nAGENT_MCP_SERVERS=[{'name':'p','transport':'stdio','command':'c','args':['1','2']},"
         "{'name':'h','transport':'http','url':'http://u/"
         "','headers_secret':'K'}]\nAGENT_REPOS=[]\n"},
    {.row = "4: no variable without servers",
     .recipe = "{'resources':{'mcp_servers':[]}}",
     .want = "^AGENT_SINKS=[]\nAGENT_REPOS=[]\n",
     .without = "AGENT_MCP_SERVERS"},
    {.row = "5: repos with the names of the CRD",
     .recipe =
         "{'resources':{'repos':[{'name':'r','url':'u','ref':'main','path':'p','token_secret':'T'},"
         "{'name':'q'}]}}",
     .want = "AGENT_REPOS=[{'name':'r','url':'u','ref':'main','path':'p','token_secret':'T'},{'"
             "name':'q'}]"
             "\nAGENT_SKILLS=[]\n"},
    {.row = "6: skills and their source",
     .recipe = "{'resources':{'skills':['b','a'],'skills_source':'http://s'}}",
     .want = "AGENT_REPOS=[]\nAGENT_SKILLS=['b','a']\nAGENT_SKILLS_SOURCE=http://s\n"
             "AGENT_CONVERSATION_AUTH=\n"},
    {.row = "7: the secret of the conversation",
     .recipe = "{'resources':{'conversation':{'headers_secret':'C'}}}",
     .want = "AGENT_SKILLS_SOURCE=\nC<C\nAGENT_CONVERSATION_AUTH=C\n"},
    {.row = "7: a secret that a sink has brought",
     .recipe = "{'output':{'sinks':[{'type':'http','headers_secret':'C'}]},"
               "'resources':{'conversation':{'headers_secret':'C'}}}",
     .want = "AGENT_SKILLS_SOURCE=\nAGENT_CONVERSATION_AUTH=C\n"},
    {.row = "8: the conversation in four variables",
     .recipe =
         "{'resources':{'conversation':{'source':'S','id':'I','pin':'P','headers_secret':'C'}}}",
     .want = "AGENT_CONVERSATION_AUTH=C\nAGENT_CONVERSATION_SOURCE=S\nAGENT_CONVERSATION_ID=I\n"
             "AGENT_CONVERSATION_PIN=P\nAGENT_DEADLINE_MS="},
    {.row = "8: a reserved name of the secret is blanked",
     .recipe = "{'resources':{'conversation':{'headers_secret':'AGENT_CONVERSATION_AUTH'}}}",
     .want = "AGENT_SKILLS_SOURCE=\nAGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\n",
     .without = "<AGENT_CON"},
    {.row = "9: ten seconds before the deadline",
     .station = "{'deadlineMinutes':1}",
     .want = "AGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=50000\nWORKSPACE_DIR="},
    {.row = "9: 30 minutes unless said", .want = "AGENT_DEADLINE_MS=1790000\n"},
    {.row = "9: less than a minute is a minute",
     .station = "{'deadlineMinutes':-5}",
     .want = "AGENT_DEADLINE_MS=50000\n"},
    {.row = "9: INT32_MAX minutes",
     .station = "{'deadlineMinutes':2147483647}",
     .want = "AGENT_DEADLINE_MS=128849018810000\n"},
    {.row = "10: the token of each repo, once",
     .recipe =
         "{'resources':{'repos':[{'token_secret':'T'},{'token_secret':'S'},{'token_secret':'T'},"
         "{'token_secret':'POD_NAME'}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nT<T\nS<S\nGH_TOKEN<T\nWORKSPACE_DIR=",
     .without = "POD_NAME<"},
    {.row = "11: GH_TOKEN of the first repo that has one",
     .recipe = "{'resources':{'repos':[{'name':'r'},{'token_secret':'T'},{'token_secret':'S'}]}}",
     .want = "S<S\nGH_TOKEN<T\n"},
    {.row = "11: no GH_TOKEN without a token",
     .recipe = "{'resources':{'repos':[{'name':'r'}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=",
     .without = "GH_TOKEN"},
    {.row = "11: GH_TOKEN is there already",
     .recipe = "{'resources':{'repos':[{'token_secret':'T'},{'token_secret':'GH_TOKEN'}]}}",
     .want = "T<T\nGH_TOKEN<GH_TOKEN\nWORKSPACE_DIR=",
     .without = "GH_TOKEN<T"},
    {.row = "12: selectors with the names of the CRD",
     .recipe =
         "{'output':{'select':[{'event':'tool_call','tool':'Bash','role':'user','contains':'x'},"
         "{'event':'result'}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\n"
             "AGENT_SELECT=[{'event':'tool_call','tool':'Bash','role':'user','contains':'x'},"
             "{'event':'result'}]\nWORKSPACE_DIR="},
    {.row = "12: no variable without selectors",
     .recipe = "{'output':{'select':[]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=",
     .without = "AGENT_SELECT"},
    {.row = "13: the secret of an upload, once",
     .recipe = "{'output':{'watch':[{'upload':{'url':'u','headers_secret':'W'}},"
               "{'upload':{'url':'v','headers_secret':'W'}}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nW<W\nAGENT_WATCH="},
    {.row = "13: no secret of an upload without url",
     .recipe = "{'output':{'watch':[{'event':'e','upload':{'headers_secret':'W'}}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nAGENT_WATCH=[{'event':'e'}]\n",
     .without = "W<"},
    {.row = "13: no secret of a reserved name",
     .recipe = "{'output':{'watch':[{'upload':{'url':'u','headers_secret':'PATH'}}]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nAGENT_WATCH=",
     .without = "PATH<"},
    {.row = "14: watches with the names of the CRD",
     .recipe = "{'output':{'watch':[{'event':'e','path':'*.md','upload':{'url':'http://w',"
               "'headers_secret':'W'}},{'event':'f','path':'x'}]}}",
     .want = "W<W\nAGENT_WATCH=[{'event':'e','path':'*.md','upload':{'url':'http://w',"
             "'headers_secret':'W'}},{'event':'f','path':'x'}]\nWORKSPACE_DIR="},
    {.row = "14: no variable without watches",
     .recipe = "{'output':{'watch':[]}}",
     .want = "AGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=",
     .without = "AGENT_WATCH"},
    {.row = "15: the workspace", .want = "AGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=/workspace\n"},
    {.row = "16: parameters as an object",
     .agent = "{'parameters':{'z':'/','a':'\u20ac','':'e'}}",
     .want =
         "WORKSPACE_DIR=/workspace\nAGENT_PARAMETERS={'z':'/','a':'\u20ac','':'e'}\nAGENT_MODEL="},
    {.row = "16: no variable without parameters",
     .agent = "{'parameters':{}}",
     .want = "WORKSPACE_DIR=/workspace\nAGENT_MODEL=",
     .without = "AGENT_PARAMETERS"},
    {.row = "17: git credentials",
     .agent = "{'parameters':{'git_credential_url':'http://u','git_credential':'c'}}",
     .want = "AGENT_PARAMETERS={'git_credential_url':'http://u','git_credential':'c'}\n"
             "AGENT_GIT_CREDENTIAL=c\nAGENT_GIT_CREDENTIAL_URL=http://u\nAGENT_MODEL="},
    {.row = "17: an empty credential is present",
     .agent = "{'parameters':{'git_credential':''}}",
     .want = "AGENT_GIT_CREDENTIAL=\nAGENT_MODEL=",
     .without = "AGENT_GIT_CREDENTIAL_URL"},
    {.row = "18: repository and branch",
     .agent = "{'targetRepo':'o/r','branch':'main'}",
     .want = "WORKSPACE_DIR=/workspace\nTARGET_REPO=o/r\nBRANCH_NAME=main\nAGENT_MODEL="},
    {.row = "18: neither of them",
     .agent = "{'targetRepo':'','branch':null}",
     .want = "WORKSPACE_DIR=/workspace\nAGENT_MODEL=",
     .without = "TARGET_REPO"},
    {.row = "19: the Agent's model",
     .recipe = "{'model':'of-the-recipe'}",
     .agent = "{'model':'of-the-agent'}",
     .want = "AGENT_MODEL=of-the-agent\nAGENT_NAME=",
     .without = "of-the-recipe"},
    {.row = "19: else the recipe's model",
     .recipe = "{'model':'of-the-recipe'}",
     .agent = "{'model':''}",
     .want = "AGENT_MODEL=of-the-recipe\nAGENT_NAME="},
    {.row = "19: no default model", .want = "AGENT_MODEL=\nAGENT_NAME=", .without = "claude"},
    {.row = "20: names and task",
     .agent = "{'taskId':'t-1'}",
     .want = "AGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=t-1\nPOD_NAME@"},
    {.row = "16 to 20: an Agent names no variable",
     .agent = "{'taskId':'$(GH_TOKEN)','targetRepo':'$(A)','branch':'$$(B)','model':'$(M)',"
              "'parameters':{'git_credential':'$(C)','k':'$(GH_TOKEN)'}}",
     .want = "AGENT_PARAMETERS={'git_credential':'$$(C)','k':'$$(GH_TOKEN)'}\n"
             "AGENT_GIT_CREDENTIAL=$$(C)\nTARGET_REPO=$$(A)\nBRANCH_NAME=$$$$(B)\n"
             "AGENT_MODEL=$$(M)\nAGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=$$(GH_TOKEN)\n"},
    {.row = "23: a recipe may name one",
     .recipe = "{'resources':{'env':[{'name':'E','value':'$(POD_NAME)'}]}}",
     .want = "\nE=$(POD_NAME)\n"},
    {.row = "21: the pod's own name and namespace", .want = "TASK_ID=\n" POD "HOME="},
    {.row = "22: what gemini needs",
     .recipe = "{'model':'Gemini-3','resources':{'env':[{'name':'E'}]}}",
     .want = POD "GEMINI_EXP=/agent/.gemini/experiments.json\nE=\n"},
    {.row = "22: nobody else needs it",
     .recipe = "{'model':'gemini-codex'}",
     .want = POD "HOME=",
     .without = "GEMINI_EXP"},
    {.row = "23: literals, the first wins",
     .recipe = "{'resources':{'env':[{'name':'E','value':'1'},{'name':'D','value':'$(HOME)'},"
               "{'name':'E','value':'2'}]}}",
     .want = POD "E=1\nD=$(HOME)\n" TAIL},
    {.row = "23: a secret of that name is there already",
     .recipe = "{'resources':{'repos':[{'token_secret':'T'}],'env':[{'name':'T','value':'x'},"
               "{'name':'GH_TOKEN','value':'x'}]}}",
     .want = POD TAIL,
     .without = "=x"},
    {.row = "24: secrets by their ref",
     .recipe = "{'resources':{'secrets':[{'name':'K','ref':'k-ref'},{'name':'K','ref':'two'},"
               "{'name':'E','ref':'e'}],'env':[{'name':'E','value':'1'}]}}",
     .want = POD "E=1\nK<k-ref\n" TAIL,
     .without = "<e"},
    {.row = "25: HOME and PATH at the end",
     .recipe = "{'resources':{'secrets':[{'name':'K','ref':'k'}]}}",
     .want = "K<k\n" TAIL "$"},
};

static void describe(const struct json_object *entry, struct buffer *into)
{
    const char *key = json_text(json_walk(entry, "valueFrom", "secretKeyRef", "key", NULL));
    const char *path = json_text(json_walk(entry, "valueFrom", "fieldRef", "fieldPath", NULL));

    buffer_append_text(into, json_get_text(entry, "name"));
    if (key != NULL) {
        const struct json_object *reference = json_walk(entry, "valueFrom", "secretKeyRef", NULL);

        if (!text_equal(json_get_text(reference, "name"), "agent-secrets") ||
            json_get_bool(reference, "optional", true) || json_object_object_length(reference) != 3)
            buffer_append_text(into, "<<< not as secrets are");
        buffer_append_format(into, "<%s\n", key);
    } else if (path != NULL) {
        buffer_append_format(into, "@%s\n", path);
    } else {
        buffer_append_format(into, "=%s\n", json_get_text(entry, "value"));
    }
}

/* The environment as lines between "^" and "$". */
static void list(struct json_object *env, struct buffer *into)
{
    buffer_append_char(into, '^');
    for (size_t i = 0; i < json_object_array_length(env); i++)
        describe(json_object_array_get_idx(env, i), into);
    buffer_append_char(into, '$');
    json_object_put(env);
}

static void check(const struct env_row *row, struct json_object *env)
{
    struct buffer got = BUFFER_INIT(ORDER_BYTES_MAX);
    struct buffer want = BUFFER_INIT(ORDER_BYTES_MAX);

    list(env, &got);
    buffer_append_text(&want, row->want);
    order_unquote(want.bytes);
    if (strstr(buffer_text(&got), buffer_text(&want)) == NULL)
        fail_msg("2.5 %s: got\n%s", row->row, buffer_text(&got));
    if (row->without != NULL && strstr(buffer_text(&got), row->without) != NULL)
        fail_msg("2.5 %s: %s is in\n%s", row->row, row->without, buffer_text(&got));
    buffer_release(&got);
    buffer_release(&want);
}

static void test_env(void **state)
{
    const struct env_row *row = *state;
    struct job_order order = order_make(row->recipe, row->agent, row->station);

    check(row, run_env_agent(&order));
    order_release(&order);
}

#define FILE_OF(path, secret)                                                                      \
    "{'path':'" path "','url':'http://" path "','headers_secret':'" secret "'}"

static const struct env_row init_rows[] = {
    {.row = "init: the run's environment and no more",
     .want = "^" RUN_HEAD "AGENT_MODEL=\n" RUN_TAIL "$"},
    {.row = "init: no variable without files",
     .agent = "{'files':[]}",
     .want = TAIL "$",
     .without = "AGENT_FILES"},
    {.row = "init: nothing of the vendor's",
     .recipe = "{'model':'gemini'}",
     .want = POD TAIL "$",
     .without = "GEMINI_EXP"},
    {.row = "init: the files with the names of the CRD",
     .agent = "{'files':[{'path':'a','url':'http://1'}," FILE_OF("b", "K") "]}",
     .want = TAIL "AGENT_FILES=[{'path':'a','url':'http://1'}," FILE_OF("b", "K") "]\nK<K\n$"},
    {.row = "init: an Agent's files name no variable",
     .agent = "{'files':[{'path':'a','url':'http://k/$(GH_TOKEN)'}]}",
     .want = "AGENT_FILES=[{'path':'a','url':'http://k/$$(GH_TOKEN)'}]\n"},
    {.row = "init: secrets of files sorted, each once",
     .agent = "{'files':[" FILE_OF("a", "K2") "," FILE_OF("b", "K1") "," FILE_OF("c", "K2") "]}",
     .want = "]\nK1<K1\nK2<K2\n$"},
    {.row = "init: a variable of a file's name gives way",
     .recipe = "{'resources':{'env':[{'name':'K','value':'x'},{'name':'E','value':'e'}],"
               "'secrets':[{'name':'S','ref':'other'}]}}",
     .agent = "{'files':[" FILE_OF("a", "K") "," FILE_OF("b", "S") "]}",
     .want = POD "E=e\n" TAIL,
     .without = "=x"},
    {.row = "init: a secret of a file's name gives way",
     .recipe = "{'resources':{'secrets':[{'name':'S','ref':'r'}]}}",
     .agent = "{'files':[" FILE_OF("b", "S") "]}",
     .want = "]\nS<S\n$",
     .without = "<r"},
    {.row = "init: a reserved name of a file's secret is blanked",
     .agent = "{'files':[" FILE_OF("a", "HOME") "]}",
     .want = TAIL "AGENT_FILES=[" FILE_OF("a", "") "]\n$",
     .without = "HOME<"},
};

static void test_init(void **state)
{
    const struct env_row *row = *state;
    struct job_order order = order_make(row->recipe, row->agent, row->station);

    check(row, run_env_init(&order));
    order_release(&order);
}

/* RULES 2.5, and 7.3 for the last three. */
static const struct name_row {
    const char *name;
} reserved[] = {
    {"AGENT_SINKS"},
    {"AGENT_REPOS"},
    {"AGENT_SKILLS"},
    {"AGENT_SKILLS_SOURCE"},
    {"AGENT_CONVERSATION_SOURCE"},
    {"AGENT_CONVERSATION_ID"},
    {"AGENT_CONVERSATION_PIN"},
    {"AGENT_CONVERSATION_AUTH"},
    {"AGENT_SELECT"},
    {"AGENT_WATCH"},
    {"AGENT_FILES"},
    {"AGENT_MCP_SERVERS"},
    {"WORKSPACE_DIR"},
    {"AGENT_PARAMETERS"},
    {"AGENT_GIT_CREDENTIAL"},
    {"AGENT_GIT_CREDENTIAL_URL"},
    {"TARGET_REPO"},
    {"BRANCH_NAME"},
    {"AGENT_MODEL"},
    {"AGENT_NAME"},
    {"STATION_NAME"},
    {"TASK_ID"},
    {"POD_NAME"},
    {"POD_NAMESPACE"},
    {"AGENT_DEADLINE_MS"},
    {"HOME"},
    {"PATH"},
    {"AGENT_EXECUTION"},
    {"AGENT_PROMPT_PORT"},
    {"AGENT_PROMPT_TOKEN"},
};

/* Whatever a recipe calls so, nothing of it gets into the environment. */
static void test_reserved(void **state)
{
    const struct name_row *row = *state;
    struct buffer recipe = BUFFER_INIT(4096);
    struct buffer got = BUFFER_INIT(ORDER_BYTES_MAX);
    struct job_order order;

    buffer_append_format(&recipe,
                         "{'resources':{'env':[{'name':'%s','value':'evil'}],"
                         "'secrets':[{'name':'%s','ref':'evil'}]}}",
                         row->name, row->name);
    order = order_make(buffer_text(&recipe), NULL, NULL);
    list(run_env_agent(&order), &got);
    if (strstr(buffer_text(&got), "evil") != NULL)
        fail_msg("2.5 %s: got\n%s", row->name, buffer_text(&got));
    order_release(&order);
    buffer_release(&recipe);
    buffer_release(&got);
}

static const struct free_row {
    const char *name;
} unreserved[] = {
    {"agent_sinks"},
    {"GH_TOKEN"},
    {"AGENT_SINK"},
    {"GEMINI_EXP"},
};

static void test_unreserved(void **state)
{
    const struct free_row *row = *state;

    if (run_env_is_reserved(row->name))
        fail_msg("2.5 %s is reserved", row->name);
}

int main(void)
{
    return ROWS_RUN(rows, test_env) + ROWS_RUN(init_rows, test_init) +
           ROWS_RUN(reserved, test_reserved) + ROWS_RUN(unreserved, test_unreserved);
}
