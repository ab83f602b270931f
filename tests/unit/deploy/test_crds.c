/* The CRDs against RULES 1 to 1.4, and against what controller/kinds reads.
 *
 * A row for each field of the sheet. Each must stand in every version's schema exactly so, and no
 * field may stand there without a row. What a reader asks for must be in the schema (a spy is
 * linked in front of the two calls that every reader asks through), and have the type that the
 * reader insists on; what is left out must read as the default that the sheet gives. All rows that
 * fail are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/unit/deploy/crds_fixture.h"

#define REFERENCE                                                                                  \
    "\"type\":\"string\",\"maxLength\":253,"                                                       \
    "\"pattern\":\"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$\""
#define TEXT "\"type\":\"string\""
#define DATE_TIME "\"type\":\"string\",\"format\":\"date-time\""
#define INTEGER "\"type\":\"integer\""
#define AT_LEAST_1 "\"type\":\"integer\",\"minimum\":1"
#define BOOLEAN "\"type\":\"boolean\""
#define LIST "\"type\":\"array\""
#define OBJECT "\"type\":\"object\""
#define ANYTHING "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true"
#define TEXTS_BY_NAME "\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}"

/* How a reader takes a field; what is UNREAD belongs to parts that are not built, or to pods. */
enum reading { UNREAD, READ, READ_AS_IT_IS };

static const struct field_row {
    const char *name;
    enum crd crd;
    const char *path; /* of the schema; [] stands for the items of a list */
    const char *schema;
    bool required;
    enum reading reading;
    const char *absent; /* what it reads as when left out, as JSON; NULL: not compared */
    const char *unlike; /* and what it then does not read as */
} fields[] = {
  /* clang-format off */
    {"1.1 spec is required", CRD_AGENT, "spec", OBJECT, true, READ},
    {"1.1 stationRef", CRD_AGENT, "spec.stationRef", REFERENCE, true, READ},
    {"1.1 taskId", CRD_AGENT, "spec.taskId", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 targetRepo", CRD_AGENT, "spec.targetRepo", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 branch", CRD_AGENT, "spec.branch", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 parameters", CRD_AGENT, "spec.parameters",
     TEXTS_BY_NAME, false, READ, "{}", "{\"a\":\"b\"}"},
    {"1.1 files", CRD_AGENT, "spec.files",
     LIST, false, READ, "[]", "[{\"path\":\"a\",\"url\":\"b\"}]"},
    {"1.1 files, one", CRD_AGENT, "spec.files[]", OBJECT, false, READ},
    {"1.1 files, path", CRD_AGENT, "spec.files[].path", TEXT, true, READ},
    {"1.1 files, url", CRD_AGENT, "spec.files[].url",
     TEXT ",\"pattern\":\"^https?://\"", true, READ},
    {"1.1 files, headers_secret", CRD_AGENT, "spec.files[].headers_secret", TEXT, false, READ},
    {"1.1 model", CRD_AGENT, "spec.model", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 resumeSession", CRD_AGENT, "spec.resumeSession", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 status", CRD_AGENT, "status", OBJECT, false, READ},
    {"1.1 phase", CRD_AGENT, "status.phase",
     TEXT ",\"enum\":[\"Pending\",\"Running\",\"Succeeded\",\"Failed\"]",
     false, READ, "\"Pending\"", "\"Running\""},
    {"1.1 jobName", CRD_AGENT, "status.jobName", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 startedAt", CRD_AGENT, "status.startedAt",
     DATE_TIME, false, READ, "\"\"", "\"2026-01-01T00:00:00Z\""},
    {"1.1 completedAt", CRD_AGENT, "status.completedAt",
     DATE_TIME, false, READ, "\"\"", "\"2026-01-01T00:00:00Z\""},
    {"1.1 exitCode", CRD_AGENT, "status.exitCode", INTEGER, false, UNREAD},
    {"1.1 output", CRD_AGENT, "status.output", TEXT, false, UNREAD},
    {"1.1 failureReason", CRD_AGENT, "status.failureReason", TEXT, false, UNREAD},
    {"1.1 prUrl", CRD_AGENT, "status.prUrl", TEXT, false, UNREAD},
    {"1.1 batchId", CRD_AGENT, "status.batchId", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.1 batchProvider", CRD_AGENT, "status.batchProvider", TEXT, false, UNREAD},
    {"1.1 batchFallback", CRD_AGENT, "status.batchFallback", BOOLEAN, false, READ, "false", "true"},
    {"1.1 batchCleanupAttempts", CRD_AGENT, "status.batchCleanupAttempts", INTEGER, false, UNREAD},
    {"1.1 sessionId", CRD_AGENT, "status.sessionId", TEXT, false, UNREAD},

    {"1.2 spec is required", CRD_STATION, "spec", OBJECT, true, READ},
    {"1.2 agentDefRef", CRD_STATION, "spec.agentDefRef", REFERENCE, true, READ},
    {"1.2 template", CRD_STATION, "spec.template", ANYTHING, true, READ_AS_IT_IS},
    {"1.2 deadlineMinutes", CRD_STATION, "spec.deadlineMinutes",
     AT_LEAST_1 ",\"default\":30", false, READ, "30", "31"},
    {"1.2 successfulRunsHistoryLimit", CRD_STATION, "spec.successfulRunsHistoryLimit",
     INTEGER ",\"minimum\":0,\"default\":3", false, READ, "3", "4"},
    {"1.2 failedRunsHistoryLimit", CRD_STATION, "spec.failedRunsHistoryLimit",
     INTEGER ",\"minimum\":0,\"default\":3", false, READ, "3", "4"},
    {"1.2 maxConcurrentRuns", CRD_STATION, "spec.maxConcurrentRuns",
     INTEGER ",\"minimum\":0", false, READ, "0", "1"},
    {"1.2 concurrencyPolicy", CRD_STATION, "spec.concurrencyPolicy",
     TEXT ",\"enum\":[\"Allow\",\"Forbid\",\"Replace\"]", false, READ, "\"Allow\"", "\"Forbid\""},

    {"1.3 spec is required", CRD_DEFINITION, "spec", OBJECT, true, READ},
    {"1.3 description", CRD_DEFINITION, "spec.description", TEXT, false, UNREAD},
    {"1.3 model", CRD_DEFINITION, "spec.model", TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 prompt", CRD_DEFINITION, "spec.prompt", TEXT, true, READ, "\"\"", "\"a\""},
    {"1.3 allowed_tools", CRD_DEFINITION, "spec.allowed_tools", LIST, false, READ, "[]", "[\"a\"]"},
    {"1.3 allowed_tools, one", CRD_DEFINITION, "spec.allowed_tools[]", TEXT, false, READ},
    {"1.3 disallowed_tools", CRD_DEFINITION, "spec.disallowed_tools",
     LIST, false, READ, "[]", "[\"a\"]"},
    {"1.3 disallowed_tools, one", CRD_DEFINITION, "spec.disallowed_tools[]", TEXT, false, READ},
    {"1.3 permission_mode", CRD_DEFINITION, "spec.permission_mode",
     TEXT ",\"enum\":[\"auto\",\"bypass\"]",
     false, READ, "\"auto\"", "\"bypass\""},
    {"1.3 max_turns", CRD_DEFINITION, "spec.max_turns", AT_LEAST_1, false, READ, "0", "1"},
    {"1.3 execution", CRD_DEFINITION, "spec.execution",
     TEXT ",\"enum\":[\"interactive\",\"batch\",\"realtime\"]",
     false, READ, "\"interactive\"", "\"batch\""},
    {"1.3 batch", CRD_DEFINITION, "spec.batch", OBJECT, false, UNREAD},
    {"1.3 batch.maxTokens", CRD_DEFINITION, "spec.batch.maxTokens", AT_LEAST_1, false, UNREAD},
    {"1.3 batch.timeoutMinutes", CRD_DEFINITION, "spec.batch.timeoutMinutes",
     AT_LEAST_1, false, UNREAD},
    {"1.3 batch.onTimeout", CRD_DEFINITION, "spec.batch.onTimeout",
     TEXT ",\"enum\":[\"fail\",\"fallback\"]",
     false, UNREAD},
    {"1.3 resources", CRD_DEFINITION, "spec.resources",
     OBJECT, false, READ, "{}", "{\"skills\":[\"a\"]}"},
    {"1.3 resources.env", CRD_DEFINITION, "spec.resources.env", LIST, false, READ, "[]", "[{}]"},
    {"1.3 resources.env, one", CRD_DEFINITION, "spec.resources.env[]", OBJECT, false, READ},
    {"1.3 resources.env, name", CRD_DEFINITION, "spec.resources.env[].name", TEXT, true, READ},
    {"1.3 resources.env, value", CRD_DEFINITION, "spec.resources.env[].value", TEXT, true, READ},
    {"1.3 resources.secrets", CRD_DEFINITION, "spec.resources.secrets",
     LIST, false, READ, "[]", "[{}]"},
    {"1.3 resources.secrets, one", CRD_DEFINITION, "spec.resources.secrets[]", OBJECT, false, READ},
    {"1.3 resources.secrets, name", CRD_DEFINITION, "spec.resources.secrets[].name",
     TEXT, true, READ},
    {"1.3 resources.secrets, ref", CRD_DEFINITION, "spec.resources.secrets[].ref",
     TEXT, true, READ},
    {"1.3 resources.mcp_servers", CRD_DEFINITION, "spec.resources.mcp_servers",
     LIST, false, READ, "[]", "[{}]"},
    {"1.3 mcp_servers, one", CRD_DEFINITION, "spec.resources.mcp_servers[]", OBJECT, false, READ},
    {"1.3 mcp_servers, name", CRD_DEFINITION, "spec.resources.mcp_servers[].name",
     TEXT, true, READ},
    {"1.3 mcp_servers, transport", CRD_DEFINITION, "spec.resources.mcp_servers[].transport",
     TEXT ",\"enum\":[\"stdio\",\"http\",\"sse\"]", true, READ},
    {"1.3 mcp_servers, command", CRD_DEFINITION, "spec.resources.mcp_servers[].command",
     TEXT, false, READ},
    {"1.3 mcp_servers, args", CRD_DEFINITION, "spec.resources.mcp_servers[].args",
     LIST, false, READ},
    {"1.3 mcp_servers, args, one", CRD_DEFINITION, "spec.resources.mcp_servers[].args[]",
     TEXT, false, READ},
    {"1.3 mcp_servers, url", CRD_DEFINITION, "spec.resources.mcp_servers[].url", TEXT, false, READ},
    {"1.3 mcp_servers, headers_secret", CRD_DEFINITION, "spec.resources.mcp_servers[].headers_secret",
     TEXT, false, READ},
    {"1.3 resources.repos", CRD_DEFINITION, "spec.resources.repos",
     LIST, false, READ, "[]", "[{}]"},
    {"1.3 repos, one", CRD_DEFINITION, "spec.resources.repos[]", OBJECT, false, READ},
    {"1.3 repos, name", CRD_DEFINITION, "spec.resources.repos[].name", TEXT, true, READ},
    {"1.3 repos, url", CRD_DEFINITION, "spec.resources.repos[].url", TEXT, true, READ},
    {"1.3 repos, ref", CRD_DEFINITION, "spec.resources.repos[].ref", TEXT, false, READ},
    {"1.3 repos, path", CRD_DEFINITION, "spec.resources.repos[].path", TEXT, false, READ},
    {"1.3 repos, token_secret", CRD_DEFINITION, "spec.resources.repos[].token_secret",
     TEXT, false, READ},
    {"1.3 resources.skills", CRD_DEFINITION, "spec.resources.skills",
     LIST, false, READ, "[]", "[\"a\"]"},
    {"1.3 resources.skills, one", CRD_DEFINITION, "spec.resources.skills[]", TEXT, false, READ},
    {"1.3 resources.skills_source", CRD_DEFINITION, "spec.resources.skills_source",
     TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 resources.conversation", CRD_DEFINITION, "spec.resources.conversation",
     OBJECT, false, READ, "{}", "{\"id\":\"a\"}"},
    {"1.3 conversation, source", CRD_DEFINITION, "spec.resources.conversation.source",
     TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 conversation, id", CRD_DEFINITION, "spec.resources.conversation.id",
     TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 conversation, pin", CRD_DEFINITION, "spec.resources.conversation.pin",
     TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 conversation, headers_secret", CRD_DEFINITION, "spec.resources.conversation.headers_secret",
     TEXT, false, READ, "\"\"", "\"a\""},
    {"1.3 output", CRD_DEFINITION, "spec.output", OBJECT, false, READ, "{}", "{\"watch\":[{}]}"},
    {"1.3 output.format", CRD_DEFINITION, "spec.output.format",
     TEXT ",\"enum\":[\"text\",\"json\",\"stream-json\"]",
     false, UNREAD},
    {"1.3 output.schema", CRD_DEFINITION, "spec.output.schema", ANYTHING, false, UNREAD},
    {"1.3 output.select", CRD_DEFINITION, "spec.output.select", LIST, false, READ, "[]", "[{}]"},
    {"1.3 output.select, one", CRD_DEFINITION, "spec.output.select[]", OBJECT, false, READ},
    {"1.3 output.select, event", CRD_DEFINITION, "spec.output.select[].event",
     TEXT ",\"enum\":[\"tool_call\",\"message\",\"tool_result\",\"result\",\"usage\"]", true, READ},
    {"1.3 output.select, tool", CRD_DEFINITION, "spec.output.select[].tool", TEXT, false, READ},
    {"1.3 output.select, role", CRD_DEFINITION, "spec.output.select[].role",
     TEXT ",\"enum\":[\"assistant\",\"user\"]", false, READ},
    {"1.3 output.select, contains", CRD_DEFINITION, "spec.output.select[].contains",
     TEXT, false, READ},
    {"1.3 output.sinks", CRD_DEFINITION, "spec.output.sinks", LIST, false, READ, "[]", "[{}]"},
    {"1.3 output.sinks, one", CRD_DEFINITION, "spec.output.sinks[]", OBJECT, false, READ},
    {"1.3 output.sinks, type", CRD_DEFINITION, "spec.output.sinks[].type",
     TEXT ",\"enum\":[\"stdout\",\"http\",\"file\"]", true, READ},
    {"1.3 output.sinks, url", CRD_DEFINITION, "spec.output.sinks[].url", TEXT, false, READ},
    {"1.3 output.sinks, headers_secret", CRD_DEFINITION, "spec.output.sinks[].headers_secret",
     TEXT, false, READ},
    {"1.3 output.sinks, path", CRD_DEFINITION, "spec.output.sinks[].path", TEXT, false, READ},
    {"1.3 output.watch", CRD_DEFINITION, "spec.output.watch", LIST, false, READ, "[]", "[{}]"},
    {"1.3 output.watch, one", CRD_DEFINITION, "spec.output.watch[]", OBJECT, false, READ},
    {"1.3 output.watch, event", CRD_DEFINITION, "spec.output.watch[].event", TEXT, true, READ},
    {"1.3 output.watch, path", CRD_DEFINITION, "spec.output.watch[].path", TEXT, true, READ},
    {"1.3 output.watch, upload", CRD_DEFINITION, "spec.output.watch[].upload", OBJECT, false, READ},
    {"1.3 output.watch, upload url", CRD_DEFINITION, "spec.output.watch[].upload.url",
     TEXT, true, READ},
    {"1.3 output.watch, upload headers_secret", CRD_DEFINITION, "spec.output.watch[].upload.headers_secret",
     TEXT, false, READ},
    {"1.3 tool_config", CRD_DEFINITION, "spec.tool_config",
     ANYTHING, false, READ, "{}", "{\"command\":[\"a\"]}"},

    {"1.4 at least one of schedule and github", CRD_SPAWNER, "spec",
     OBJECT ",\"x-kubernetes-validations\":[{\"rule\":\"has(self.schedule) || has(self.github)\","
     "\"message\":\"set schedule, github, or both\"}]", true, UNREAD},
    {"1.4 stationRef", CRD_SPAWNER, "spec.stationRef", REFERENCE, true, UNREAD},
    {"1.4 schedule", CRD_SPAWNER, "spec.schedule",
     TEXT ",\"pattern\":\"^\\\\S+( +\\\\S+){4}$\"", false, UNREAD},
    {"1.4 github", CRD_SPAWNER, "spec.github", OBJECT, false, UNREAD},
    {"1.4 github.secretRef", CRD_SPAWNER, "spec.github.secretRef", TEXT, true, UNREAD},
    {"1.4 github.events", CRD_SPAWNER, "spec.github.events", LIST ",\"minItems\":1", true, UNREAD},
    {"1.4 github.events, one", CRD_SPAWNER, "spec.github.events[]", TEXT, false, UNREAD},
    {"1.4 github.label", CRD_SPAWNER, "spec.github.label", TEXT, false, UNREAD},
    {"1.4 github.repository", CRD_SPAWNER, "spec.github.repository", TEXT, false, UNREAD},
    {"1.4 parameters", CRD_SPAWNER, "spec.parameters", TEXTS_BY_NAME, false, UNREAD},
    {"1.4 concurrencyPolicy", CRD_SPAWNER, "spec.concurrencyPolicy",
     TEXT ",\"enum\":[\"Allow\",\"Forbid\"]",
     false, UNREAD},
    {"1.4 suspend", CRD_SPAWNER, "spec.suspend", BOOLEAN ",\"default\":false", false, UNREAD},
    {"1.4 status", CRD_SPAWNER, "status", OBJECT, false, UNREAD},
    {"1.4 lastScheduleTime", CRD_SPAWNER, "status.lastScheduleTime", DATE_TIME, false, UNREAD},
    {"1.4 lastAgent", CRD_SPAWNER, "status.lastAgent", TEXT, false, UNREAD},
    {"1.4 recentDeliveries", CRD_SPAWNER, "status.recentDeliveries",
     LIST ",\"maxItems\":500", false, UNREAD},
    {"1.4 recentDeliveries, one", CRD_SPAWNER, "status.recentDeliveries[]", TEXT, false, UNREAD},
  /* clang-format on */
};

/* --- the fields --- */

static const struct field_row *find_field(enum crd crd, const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (fields[i].crd == crd && text_equal(fields[i].path, path))
            return &fields[i];
    return NULL;
}

struct visit {
    struct crds *crds;
    enum crd crd;
    size_t count;
};

/* The node alone: not what is below it, nor what it says to people. */
static struct json_object *bare(struct json_object *node)
{
    struct json_object *copy = json_copy(node);

    json_object_object_del(copy, "description");
    json_object_object_del(copy, "properties");
    json_object_object_del(copy, "items");
    json_object_object_del(copy, "required");
    return copy;
}

static void check_field(const char *path, struct json_object *node, bool required, void *arg)
{
    struct visit *visit = arg;
    const struct field_row *row = find_field(visit->crd, path);
    struct json_object *want;
    struct json_object *got;
    char *text;

    visit->count++;
    if (!text_ends_with(path, "[]") && json_get_text(node, "description") == NULL)
        complain(visit->crds, path, "kubectl explain has nothing to say");
    if (row == NULL) {
        complain(visit->crds, path, "stands in a CRD, but in no row");
        return;
    }
    text = xprintf("{%s}", row->schema);
    want = parse(text);
    got = bare(node);
    if (!json_equal(got, want))
        complain(visit->crds, row->name, "is %s, not %s", json_object_to_json_string(got), text);
    if (required != row->required)
        complain(visit->crds, row->name, "is%s required", required ? "" : " not");
    json_object_put(got);
    json_object_put(want);
    free(text);
}

static void test_fields(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < CRD_COUNT; i++) {
        for (size_t j = 0; j < crd_version_count(crds->list[i]); j++) {
            struct json_object *schema = crd_schema(crds->list[i], j);
            struct visit visit = {crds, (enum crd)i, 0};

            crd_walk(schema, check_field, &visit);
            for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
                if (fields[k].crd == (enum crd)i && crd_node(schema, fields[k].path) == NULL)
                    complain(crds, fields[k].name, "is missing in version %zu", j);
        }
    }
    assert_int_equal(crds->complaints, 0);
}

/* --- what the code reads --- */

/* The versions have one schema (test_kinds), so one of them stands for both. */
static struct json_object *sample_of(struct crds *crds, enum crd crd)
{
    return crd_sample(crd_schema(crds->list[crd], 0));
}

static const char *const kind_names[CRD_SPAWNER] = {
    [CRD_AGENT] = "0 what is read of an Agent",
    [CRD_STATION] = "0 what is read of a Station",
    [CRD_DEFINITION] = "0 what is read of an AgentDefinition",
};

static void test_readers_ask_for_what_is_there(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < CRD_SPAWNER; i++) {
        struct json_object *sample = sample_of(crds, (enum crd)i);
        struct buffer missed = BUFFER_INIT(65536);
        char *said = read_object((enum crd)i, sample, &missed);

        if (said == NULL)
            complain(crds, kind_names[i], "what its schema describes is refused");
        if (missed.size > 0)
            complain(crds, kind_names[i], "read, and not in its schema: %s", missed.bytes);
        buffer_release(&missed);
        free(said);
        json_object_put(sample);
    }
    assert_int_equal(crds->complaints, 0);
}

/* Whether the readers take the sample with such a value at the row's path. */
static bool takes(struct crds *crds, const struct field_row *row, struct json_object *value)
{
    struct json_object *sample = sample_of(crds, row->crd);
    char *said;
    bool taken;

    sample_set(sample, row->path, value);
    said = read_object(row->crd, sample, NULL);
    taken = said != NULL;
    free(said);
    json_object_put(sample);
    return taken;
}

static void test_types(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field_row *row = &fields[i];
        bool text = text_starts_with(row->schema, TEXT);
        struct json_object *wrong =
            text ? json_object_new_int64(7) : json_object_new_string("another type");

        if (row->reading == UNREAD) {
            json_object_put(wrong);
            continue;
        }
        if (takes(crds, row, wrong) != (row->reading == READ_AS_IT_IS))
            complain(crds, row->name, "another type is read%s",
                     row->reading == READ ? "" : " with complaints");
        if (text_equal(row->schema, TEXTS_BY_NAME) && takes(crds, row, parse("{\"name\":7}")))
            complain(crds, row->name, "values of another type are read");
    }
    assert_int_equal(crds->complaints, 0);
}

/* What the sample reads as with that JSON at the row's path, or with nothing there. */
static char *read_with(struct crds *crds, const struct field_row *row, const char *json)
{
    struct json_object *sample = sample_of(crds, row->crd);
    char *said;

    sample_set(sample, row->path, json == NULL ? NULL : parse(json));
    said = read_object(row->crd, sample, NULL);
    json_object_put(sample);
    if (said == NULL)
        fail_msg("%s: %s is refused", row->name, json == NULL ? "nothing there" : json);
    return said;
}

static void test_defaults(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field_row *row = &fields[i];
        char *nothing;
        char *same;
        char *other;

        if (row->absent == NULL)
            continue;
        nothing = read_with(crds, row, NULL);
        same = read_with(crds, row, row->absent);
        other = read_with(crds, row, row->unlike);
        if (!text_equal(nothing, same))
            complain(crds, row->name, "left out it does not read as %s", row->absent);
        if (text_equal(nothing, other))
            complain(crds, row->name, "left out it reads as %s", row->unlike);
        free(nothing);
        free(same);
        free(other);
    }
    assert_int_equal(crds->complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields, crds_set_up, crds_tear_down),
        cmocka_unit_test_setup_teardown(test_readers_ask_for_what_is_there, crds_set_up,
                                        crds_tear_down),
        cmocka_unit_test_setup_teardown(test_types, crds_set_up, crds_tear_down),
        cmocka_unit_test_setup_teardown(test_defaults, crds_set_up, crds_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
