/* The CRDs as kinds of their own: names, versions and printer columns (RULES 1, 1.1), and that a
 * Table's row of those columns reads as the whole Agent does. */
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
#include "controller/kinds/agent.h"
#include "tests/unit/deploy/crds_fixture.h"

static const struct kind_row {
    const char *name;
    enum crd crd;
    const char *names;
    const char *versions; /* the last one is the stored one */
    bool status;
} kinds[] = {
  /* clang-format off */
    {"1 Agent", CRD_AGENT,
     "{\"kind\":\"Agent\",\"listKind\":\"AgentList\",\"plural\":\"agents\",\"singular\":\"agent\","
     "\"shortNames\":[\"agt\"]}", "v1alpha1 v1beta1", true},
    {"1 Station", CRD_STATION,
     "{\"kind\":\"Station\",\"listKind\":\"StationList\",\"plural\":\"stations\","
     "\"singular\":\"station\",\"shortNames\":[\"stn\"]}", "v1alpha1 v1beta1", false},
    {"1 AgentDefinition", CRD_DEFINITION,
     "{\"kind\":\"AgentDefinition\",\"listKind\":\"AgentDefinitionList\","
     "\"plural\":\"agentdefinitions\",\"singular\":\"agentdefinition\","
     "\"shortNames\":[\"agentdef\",\"ad\"]}", "v1alpha1 v1beta1", false},
    {"1 AgentSpawner", CRD_SPAWNER,
     "{\"kind\":\"AgentSpawner\",\"listKind\":\"AgentSpawnerList\",\"plural\":\"agentspawners\","
     "\"singular\":\"agentspawner\",\"shortNames\":[\"asp\"]}", "v1beta1", true},
  /* clang-format on */
};

/* In the order in which they are printed. */
static const struct column_row {
    const char *name;
    enum crd crd;
    const char *column;
    const char *type;
    int64_t priority;
    const char *path;
} columns[] = {
    {"1.1 column Phase",                     CRD_AGENT,      "Phase",         "string",  0, ".status.phase"               },
    {"1.1 column Station",                   CRD_AGENT,      "Station",       "string",  0, ".spec.stationRef"            },
    {"1.1 column Job",                       CRD_AGENT,      "Job",           "string",  0, ".status.jobName"             },
    {"1.1 column Started",                   CRD_AGENT,      "Started",       "string",  1, ".status.startedAt"           },
    {"1.1 column Completed",                 CRD_AGENT,      "Completed",     "string",  1, ".status.completedAt"         },
    {"1.1 column Batch",                     CRD_AGENT,      "Batch",         "string",  1, ".status.batchId"             },
    {"1.1 column Provider",                  CRD_AGENT,      "Provider",      "string",  1, ".status.batchProvider"       },
    {"1.1 column Fallback",                  CRD_AGENT,      "Fallback",      "boolean", 1, ".status.batchFallback"       },
    {"1.1 column Cleanups",                  CRD_AGENT,      "Cleanups",      "integer", 1, ".status.batchCleanupAttempts"},
    {"1.1 column Model",                     CRD_AGENT,      "Model",         "string",  1, ".spec.model"                 },
    {"1.1 column Resume",                    CRD_AGENT,      "Resume",        "string",  1, ".spec.resumeSession"         },
    {"1 Agent, column Age",                  CRD_AGENT,      "Age",           "date",    0, ".metadata.creationTimestamp" },
    {"1 Station, column Recipe",             CRD_STATION,    "Recipe",        "string",  0, ".spec.agentDefRef"           },
    {"1 Station, column Deadline",           CRD_STATION,    "Deadline",      "integer", 0, ".spec.deadlineMinutes"       },
    {"1 Station, column Age",                CRD_STATION,    "Age",           "date",    0, ".metadata.creationTimestamp" },
    {"1 AgentDefinition, column Model",      CRD_DEFINITION, "Model",         "string",  0, ".spec.model"                 },
    {"1 AgentDefinition, column Age",        CRD_DEFINITION, "Age",           "date",    0,
     ".metadata.creationTimestamp"                                                                                        },
    {"1 AgentSpawner, column Schedule",      CRD_SPAWNER,    "Schedule",      "string",  0, ".spec.schedule"              },
    {"1 AgentSpawner, column Station",       CRD_SPAWNER,    "Station",       "string",  0, ".spec.stationRef"            },
    {"1 AgentSpawner, column Suspend",       CRD_SPAWNER,    "Suspend",       "boolean", 0, ".spec.suspend"               },
    {"1 AgentSpawner, column Last Schedule", CRD_SPAWNER,    "Last Schedule", "date",    0,
     ".status.lastScheduleTime"                                                                                           },
    {"1 AgentSpawner, column Age",           CRD_SPAWNER,    "Age",           "date",    0, ".metadata.creationTimestamp" },
};

/* --- the kinds and their columns --- */

static struct json_object *version_at(const struct json_object *crd, size_t index)
{
    return json_object_array_get_idx(json_walk(crd, "spec", "versions", NULL), index);
}

static void check_versions(struct crds *crds, const struct kind_row *row)
{
    struct json_object *crd = crds->list[row->crd];
    struct buffer found = BUFFER_INIT(1024);

    for (size_t i = 0; i < crd_version_count(crd); i++) {
        struct json_object *version = version_at(crd, i);
        bool last = i + 1 == crd_version_count(crd);

        buffer_append_format(&found, "%s%s", i == 0 ? "" : " ", json_get_text(version, "name"));
        if (!json_get_bool(version, "served", false))
            complain(crds, row->name, "a version is not served");
        if (json_get_bool(version, "storage", false) != last)
            complain(crds, row->name, "v1beta1 alone is stored");
        if ((json_walk(version, "subresources", "status", NULL) != NULL) != row->status)
            complain(crds, row->name, "the status subresource");
        if (!json_equal(crd_schema(crd, i), crd_schema(crd, 0)))
            complain(crds, row->name, "its versions have different schemas");
    }
    if (!text_equal(found.bytes, row->versions))
        complain(crds, row->name, "versions %s, not %s", found.bytes, row->versions);
    buffer_release(&found);
}

static void test_kinds(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        const struct kind_row *row = &kinds[i];
        struct json_object *crd = crds->list[row->crd];
        struct json_object *spec = json_get(crd, "spec");
        struct json_object *names = parse(row->names);
        char *full = xprintf("%s.agents.re-cinq.com", json_get_text(names, "plural"));

        if (!json_equal(json_get(spec, "names"), names))
            complain(crds, row->name, "its names");
        if (!text_equal(json_walk(crd, "metadata", "name", NULL) == NULL
                            ? NULL
                            : json_text(json_walk(crd, "metadata", "name", NULL)),
                        full) ||
            !text_equal(json_get_text(spec, "group"), "agents.re-cinq.com"))
            complain(crds, row->name, "its full name or group");
        if (!text_equal(json_get_text(spec, "scope"), "Namespaced"))
            complain(crds, row->name, "its scope");
        if (!text_equal(json_text(json_walk(spec, "conversion", "strategy", NULL)), "None"))
            complain(crds, row->name, "its conversion");
        check_versions(crds, row);
        free(full);
        json_object_put(names);
    }
    assert_int_equal(crds->complaints, 0);
}

/* A column prints a value of its own type. */
static bool column_fits(struct json_object *schema, const struct column_row *row)
{
    struct json_object *node = crd_node(schema, row->path + 1);

    if (!text_equal(row->type, "date"))
        return text_equal(json_get_text(node, "type"), row->type);
    return text_equal(row->path, ".metadata.creationTimestamp") ||
           text_equal(json_get_text(node, "format"), "date-time");
}

static void check_column(struct crds *crds, const struct column_row *row, size_t place)
{
    struct json_object *crd = crds->list[row->crd];

    for (size_t i = 0; i < crd_version_count(crd); i++) {
        struct json_object *list = json_get(version_at(crd, i), "additionalPrinterColumns");
        struct json_object *column = json_object_array_get_idx(list, place);

        if (!text_equal(json_get_text(column, "name"), row->column) ||
            !text_equal(json_get_text(column, "type"), row->type) ||
            !text_equal(json_get_text(column, "jsonPath"), row->path) ||
            json_get_int64(column, "priority", 0) != row->priority)
            complain(crds, row->name, "is not column %zu of version %zu", place, i);
        else if (!column_fits(crd_schema(crd, i), row))
            complain(crds, row->name, "prints a field of another type");
    }
}

static void test_columns(void **state)
{
    struct crds *crds = *state;
    size_t places[CRD_COUNT] = {0};

    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        check_column(crds, &columns[i], places[columns[i].crd]++);
    for (size_t i = 0; i < CRD_COUNT; i++)
        for (size_t j = 0; j < crd_version_count(crds->list[i]); j++)
            assert_int_equal(places[i],
                             json_object_array_length(json_get(version_at(crds->list[i], j),
                                                               "additionalPrinterColumns")));
    assert_int_equal(crds->complaints, 0);
}

static const char *path_of_column(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        if (columns[i].crd == CRD_AGENT && text_equal(columns[i].column, name))
            return columns[i].path + 1;
    return NULL;
}

static void test_rows_read_as_objects(void **state)
{
    struct crds *crds = *state;
    struct json_object *sample = crd_sample(crd_schema(crds->list[CRD_AGENT], 0));
    const char *paths[AGENT_COLUMN_COUNT];
    char *whole;
    char *row;

    for (size_t i = 0; i < AGENT_COLUMN_COUNT; i++) {
        paths[i] = path_of_column(agent_column_names[i]);
        if (paths[i] == NULL)
            fail_msg("column %s: read, but in no row", agent_column_names[i]);
    }
    whole = read_agent(sample);
    row = read_agent_row(sample, paths);
    assert_string_equal(row, whole);
    free(whole);
    free(row);
    json_object_put(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kinds, crds_set_up, crds_tear_down),
        cmocka_unit_test_setup_teardown(test_columns, crds_set_up, crds_tear_down),
        cmocka_unit_test_setup_teardown(test_rows_read_as_objects, crds_set_up, crds_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
