/* kinds - see kinds.h. */
#include "scenarios/language/kinds.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/attributes.h"

static const struct kind kinds[] = {
    {"Agent",                    "agents.re-cinq.com",  "v1beta1", "agents",           true,  {"spec", "status"}                         },
    {"Station",                  "agents.re-cinq.com",  "v1beta1", "stations",         true,  {"spec"}                                   },
    {"AgentDefinition",          "agents.re-cinq.com",  "v1beta1", "agentdefinitions", true,  {"spec"}                                   },
    {"AgentSpawner",             "agents.re-cinq.com",  "v1beta1", "agentspawners",    true,  {"spec", "status"}                         },
    {"Job",                      "batch",               "v1",      "jobs",             true,  {"spec", "status"}                         },
    {"Pod",                      "",                    "v1",      "pods",             true,  {"spec", "status"}                         },
    {"Lease",                    "coordination.k8s.io", "v1",      "leases",           true,  {"spec"}                                   },
    {"Secret",                   "",                    "v1",      "secrets",          true,  {"data", "stringData", "type", "immutable"}},
    {"ConfigMap",                "",                    "v1",      "configmaps",       true,  {"data", "binaryData", "immutable"}        },
    {"Namespace",                "",                    "v1",      "namespaces",       false, {"spec", "status"}                         },
    {"CustomResourceDefinition",
     "apiextensions.k8s.io",                            "v1",
     "customresourcedefinitions",                                                      false,
     {"spec", "status"}                                                                                                                  },
};

const struct kind *kind_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    return NULL;
}

size_t kind_count(void)
{
    return ARRAY_SIZE(kinds);
}

const struct kind *kind_at(size_t index)
{
    return &kinds[index];
}

void kind_group_of(const char *api_version, char *room, size_t room_size)
{
    const char *slash = strchr(api_version, '/');
    int size = slash == NULL ? 0 : (int)(slash - api_version);

    (void)snprintf(room, room_size, "%.*s", size, api_version);
}
