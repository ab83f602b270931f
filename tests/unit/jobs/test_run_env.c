/* The environment of a run (RULES 2.4, 2.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/jobs/run_env.h"

/* One run: what differs from the plainest one, and the whole environment of a container, one
 * variable a line: NAME=value, NAME<key for a secret, NAME@path for a field. */
static const struct row {
    const char *name;
    const char *recipe; /* spec of the AgentDefinition */
    const char *agent;  /* spec of the Agent */
    bool init;
    const char *want;
} rows[] = {
    {"the plainest run",                                                         "{}",     "{}",                                                                      false,
     "AGENT_SINKS=[]\nAGENT_REPOS=[]\nAGENT_SKILLS=[]\nAGENT_SKILLS_SOURCE=\n"
     "AGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\nAGENT_CONVERSATION_ID=\n"
     "AGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=/workspace\nAGENT_MODEL=\n"
     "AGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=\nPOD_NAME@metadata.name\n"
     "POD_NAMESPACE@metadata.namespace\nHOME=/agent\n"
     "PATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"                         },
    {"everything at once",
     "{\"model\":\"gemini-3\",\"resources\":{"
     "\"env\":[{\"name\":\"E1\",\"value\":\"one\"},{\"name\":\"E1\",\"value\":\"two\"},"
     "{\"name\":\"HOME\",\"value\":\"/x\"},{\"name\":\"AGENT_PROMPT_TOKEN\",\"value\":\"x\"}],"
     "\"secrets\":[{\"name\":\"K\",\"ref\":\"k-ref\"},{\"name\":\"E1\",\"ref\":\"no\"},"
     "{\"name\":\"PATH\",\"ref\":\"no\"}],"
     "\"mcp_servers\":[{\"name\":\"m\",\"transport\":\"http\",\"url\":\"http://m/\","
     "\"headers_secret\":\"mcp-key\"},{\"name\":\"n\",\"transport\":\"sse\",\"headers_secret\":"
     "\"mcp-key\"}],"
     "\"repos\":[{\"name\":\"r\",\"url\":\"u\"},{\"name\":\"q\",\"token_secret\":\"T\"},"
     "{\"token_secret\":\"T2\"}],"
     "\"skills\":[\"a\",\"b\"],\"skills_source\":\"http://s\","
     "\"conversation\":{\"source\":\"src\",\"id\":\"I\",\"pin\":\"P\",\"headers_secret\":\"conv\"}}"
     ","
     "\"output\":{\"sinks\":[{\"type\":\"http\",\"url\":\"http://k\",\"headers_secret\":\"sink\"},"
     "{\"type\":\"file\",\"path\":\"p\",\"headers_secret\":\"unused\"}],"
     "\"select\":[{\"event\":\"tool_call\",\"tool\":\"Bash\"}],"
     "\"watch\":[{\"event\":\"e\",\"path\":\"*.md\",\"upload\":{\"url\":\"http://w\","
     "\"headers_secret\":\"up\"}},{\"event\":\"f\",\"path\":\"x\",\"upload\":{\"headers_secret\":"
     "\"no\"}}]}}",                                                                        "{\"taskId\":\"t-1\",\"targetRepo\":\"o/r\",\"branch\":\"main\","
     "\"parameters\":{\"git_credential\":\"c\",\"git_credential_url\":\"cu\",\"z\":\"/\"}}",                                                       false,
     "AGENT_SINKS=[{\"type\":\"http\",\"url\":\"http://k\",\"headers_secret\":\"sink\"},"
     "{\"type\":\"file\",\"headers_secret\":\"unused\",\"path\":\"p\"}]\nsink<sink\nMCP_KEY<mcp-"
     "key\n"
     "AGENT_MCP_SERVERS=[{\"name\":\"m\",\"transport\":\"http\",\"url\":\"http://m/\","
     "\"headers_secret\":\"mcp-key\"},{\"name\":\"n\",\"transport\":\"sse\",\"headers_secret\":"
     "\"mcp-key\"}]\n"
     "AGENT_REPOS=[{\"name\":\"r\",\"url\":\"u\"},{\"name\":\"q\",\"token_secret\":\"T\"},"
     "{\"token_secret\":\"T2\"}]\nAGENT_SKILLS=[\"a\",\"b\"]\nAGENT_SKILLS_SOURCE=http://"
     "s\nconv<conv\n"
     "AGENT_CONVERSATION_AUTH=conv\nAGENT_CONVERSATION_SOURCE=src\nAGENT_CONVERSATION_ID=I\n"
     "AGENT_CONVERSATION_PIN=P\nAGENT_DEADLINE_MS=1790000\nT<T\nT2<T2\nGH_TOKEN<T\n"
     "AGENT_SELECT=[{\"event\":\"tool_call\",\"tool\":\"Bash\"}]\nup<up\n"
     "AGENT_WATCH=[{\"event\":\"e\",\"path\":\"*.md\",\"upload\":{\"url\":\"http://w\","
     "\"headers_secret\":\"up\"}},{\"event\":\"f\",\"path\":\"x\"}]\nWORKSPACE_DIR=/workspace\n"
     "AGENT_PARAMETERS={\"git_credential\":\"c\",\"git_credential_url\":\"cu\",\"z\":\"/\"}\n"
     "AGENT_GIT_CREDENTIAL=c\nAGENT_GIT_CREDENTIAL_URL=cu\nTARGET_REPO=o/r\nBRANCH_NAME=main\n"
     "AGENT_MODEL=gemini-3\nAGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=t-1\nPOD_NAME@metadata.name\n"
     "POD_NAMESPACE@metadata.namespace\nGEMINI_EXP=/agent/.gemini/"
     "experiments.json\nE1=one\nK<k-ref\n"
     "HOME=/agent\nPATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"            },
    {"reserved names as Secret keys are blanked and not injected",
     "{\"resources\":{\"mcp_servers\":[{\"name\":\"m\",\"transport\":\"sse\",\"headers_secret\":"
     "\"home\"}],"
     "\"conversation\":{\"headers_secret\":\"TASK_ID\"},\"repos\":[{\"token_secret\":\"PATH\"}]},"
     "\"output\":{\"sinks\":[{\"type\":\"http\",\"headers_secret\":\"AGENT_SINKS\"}]}}",   "{\"model\":\"m\"}",                                                       false,
     "AGENT_SINKS=[{\"type\":\"http\",\"headers_secret\":\"\"}]\n"
     "AGENT_MCP_SERVERS=[{\"name\":\"m\",\"transport\":\"sse\",\"headers_secret\":\"home\"}]\n"
     "AGENT_REPOS=[{\"token_secret\":\"PATH\"}]\nAGENT_SKILLS=[]\nAGENT_SKILLS_SOURCE=\n"
     "AGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\nAGENT_CONVERSATION_ID=\n"
     "AGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=1790000\nGH_TOKEN<PATH\nWORKSPACE_DIR=/workspace\n"
     "AGENT_MODEL=m\nAGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=\nPOD_NAME@metadata.name\n"
     "POD_NAMESPACE@metadata.namespace\nHOME=/agent\n"
     "PATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"                         },
    {"GH_TOKEN once, by its own name",
     "{\"resources\":{\"repos\":[{\"token_secret\":\"GH_TOKEN\"}],"
     "\"env\":[{\"name\":\"GH_TOKEN\",\"value\":\"x\"}]}}",                                "{}",                                                                      false,
     "AGENT_SINKS=[]\nAGENT_REPOS=[{\"token_secret\":\"GH_TOKEN\"}]\nAGENT_SKILLS=[]\n"
     "AGENT_SKILLS_SOURCE=\nAGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\n"
     "AGENT_CONVERSATION_ID=\nAGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=1790000\nGH_TOKEN<GH_"
     "TOKEN\n"
     "WORKSPACE_DIR=/workspace\nAGENT_MODEL=\nAGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=\n"
     "POD_NAME@metadata.name\nPOD_NAMESPACE@metadata.namespace\nHOME=/agent\n"
     "PATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"                         },
    {"2.4: init has the files, its secrets sorted, and nothing of the vendor's",
     "{\"model\":\"gemini\",\"resources\":{\"env\":[{\"name\":\"K1\",\"value\":\"x\"}]}}", "{\"files\":[{\"path\":\"a\",\"url\":\"http://1\",\"headers_secret\":\"K2\"},"
     "{\"path\":\"b\",\"url\":\"http://2\",\"headers_secret\":\"K1\"},"
     "{\"path\":\"c\",\"url\":\"http://3\",\"headers_secret\":\"K2\"},"
     "{\"path\":\"d\",\"url\":\"http://4\",\"headers_secret\":\"HOME\"}]}", true,
     "AGENT_SINKS=[]\nAGENT_REPOS=[]\nAGENT_SKILLS=[]\nAGENT_SKILLS_SOURCE=\n"
     "AGENT_CONVERSATION_AUTH=\nAGENT_CONVERSATION_SOURCE=\nAGENT_CONVERSATION_ID=\n"
     "AGENT_CONVERSATION_PIN=\nAGENT_DEADLINE_MS=1790000\nWORKSPACE_DIR=/workspace\n"
     "AGENT_MODEL=gemini\nAGENT_NAME=run-1\nSTATION_NAME=s\nTASK_ID=\nPOD_NAME@metadata.name\n"
     "POD_NAMESPACE@metadata.namespace\nHOME=/agent\n"
     "PATH=/agent/.local/bin:/usr/local/bin:/usr/bin:/bin\n"
     "AGENT_FILES=[{\"path\":\"a\",\"url\":\"http://1\",\"headers_secret\":\"K2\"},"
     "{\"path\":\"b\",\"url\":\"http://2\",\"headers_secret\":\"K1\"},"
     "{\"path\":\"c\",\"url\":\"http://3\",\"headers_secret\":\"K2\"},"
     "{\"path\":\"d\",\"url\":\"http://4\",\"headers_secret\":\"\"}]\nK1<K1\nK2<K2\n"},
};

static struct json_slice whole(struct buffer *text, const char *name, const char *spec)
{
    struct error err = ERROR_INIT;

    buffer_clear(text);
    buffer_append_format(text, "{\"metadata\":{\"name\":\"%s\"},\"spec\":%s}", name, spec);
    if (!json_check(text->bytes, text->size, 1 << 16, &err))
        fail_msg("bad JSON in a test: %s", err.text);
    return (struct json_slice){text->bytes, text->size};
}

static void describe(const struct json_object *entry, struct buffer *into)
{
    const char *key = json_text(json_walk(entry, "valueFrom", "secretKeyRef", "key", NULL));
    const char *path = json_text(json_walk(entry, "valueFrom", "fieldRef", "fieldPath", NULL));

    buffer_append_text(into, json_get_text(entry, "name"));
    if (key != NULL) {
        const struct json_object *reference = json_walk(entry, "valueFrom", "secretKeyRef", NULL);

        assert_string_equal(json_get_text(reference, "name"), "agent-secrets");
        assert_false(json_get_bool(reference, "optional", true));
        buffer_append_format(into, "<%s\n", key);
    } else if (path != NULL) {
        buffer_append_format(into, "@%s\n", path);
    } else {
        buffer_append_format(into, "=%s\n", json_get_text(entry, "value"));
    }
}

static void check_row(const struct row *row)
{
    struct buffer text = BUFFER_INIT(1 << 16);
    struct buffer got = BUFFER_INIT(1 << 16);
    struct agent_spec *spec = NULL;
    struct station *station = NULL;
    struct definition *definition = NULL;
    struct error err = ERROR_INIT;
    struct json_object *env;

    assert_true(agent_spec_read(whole(&text, "run-1", row->agent), &spec, &err));
    assert_true(station_read(whole(&text, "s", "{}"), &station, &err));
    assert_true(definition_read(whole(&text, "d", row->recipe), &definition, &err));

    struct job_order order = {
        .agent_name = "run-1", .spec = spec, .station = station, .definition = definition};

    env = row->init ? run_env_init(&order) : run_env_agent(&order);
    for (size_t i = 0; i < json_object_array_length(env); i++)
        describe(json_object_array_get_idx(env, i), &got);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("2.5 %s: got\n%s", row->name, buffer_text(&got));
    json_object_put(env);
    agent_spec_free(spec);
    station_free(station);
    definition_free(definition);
    buffer_release(&text);
    buffer_release(&got);
}

static void test_env(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

static void test_reserved(void **state)
{
    (void)state;
    assert_true(run_env_is_reserved("AGENT_SINKS"));
    assert_true(run_env_is_reserved("AGENT_EXECUTION"));
    assert_false(run_env_is_reserved("agent_sinks"));
    assert_false(run_env_is_reserved("GH_TOKEN"));
    assert_false(run_env_is_reserved(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_env),
        cmocka_unit_test(test_reserved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
