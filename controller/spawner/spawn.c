#include "controller/spawner/spawn.h"

#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/agent.h"

#define LABEL_SPAWNER "agents.re-cinq.com/spawner"
#define LABEL_DELIVERY "agents.re-cinq.com/github-delivery"
#define ANNOTATION_SLOT "agents.re-cinq.com/slot"

void spawn_slot_name(const char *spawner, int64_t slot_minute, char into[SAFE_NAME_SIZE])
{
    char *whole = xprintf("%s-%" PRId64, spawner, slot_minute);

    safe_name(whole, into);
    free(whole);
}

void spawn_delivery_name(const char *spawner, const char *delivery, char into[SAFE_NAME_SIZE])
{
    char *whole = xprintf("%s-%s", spawner, delivery);

    for (char *at = whole + strlen(spawner); *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    safe_name(whole, into);
    free(whole);
}

static struct json_object *owner_of(const struct spawner *spawner)
{
    struct json_object *owner = json_object_new_object();

    json_set_text(owner, "apiVersion", AGENT_API_VERSION);
    json_set_text(owner, "kind", "AgentSpawner");
    json_set_text(owner, "name", spawner->name);
    json_set_text(owner, "uid", spawner->uid);
    json_set_bool(owner, "controller", true);
    json_set_bool(owner, "blockOwnerDeletion", true);
    return owner;
}

static void set_marks(struct json_object *metadata, const struct spawn *spawn)
{
    struct json_object *labels = json_ensure_object(metadata, "labels");
    char label[SAFE_NAME_SIZE];
    char *slot;

    safe_name(spawn->spawner->name, label);
    json_set_text(labels, LABEL_SPAWNER, label);
    if (spawn->delivery != NULL) {
        json_set_text(labels, LABEL_DELIVERY, spawn->delivery);
        return;
    }
    slot = xprintf("%" PRId64, spawn->slot_minute);
    json_set_text(json_ensure_object(metadata, "annotations"), ANNOTATION_SLOT, slot);
    free(slot);
}

static void set_spec(struct json_object *spec, const struct spawn *spawn)
{
    struct json_object *parameters;

    json_set_text(spec, "stationRef", spawn->spawner->station);
    if (!text_is_empty(spawn->target_repo))
        json_set_text(spec, "targetRepo", spawn->target_repo);
    if (spawn->parameter_count == 0)
        return;
    parameters = json_ensure_object(spec, "parameters");
    for (size_t i = 0; i < spawn->parameter_count; i++)
        json_set_text(parameters, spawn->parameters[i].name, spawn->parameters[i].value);
}

void spawn_write(const struct spawn *spawn, struct buffer *into)
{
    struct json_object *agent = json_object_new_object();
    struct json_object *metadata;
    struct json_object *owners = json_object_new_array();

    json_set_text(agent, "apiVersion", AGENT_API_VERSION);
    json_set_text(agent, "kind", "Agent");
    metadata = json_ensure_object(agent, "metadata");
    json_set_text(metadata, "name", spawn->name);
    set_marks(metadata, spawn);
    json_add(owners, owner_of(spawn->spawner));
    json_set(metadata, "ownerReferences", owners);
    set_spec(json_ensure_object(agent, "spec"), spawn);
    json_append(into, agent);
    json_object_put(agent);
}
