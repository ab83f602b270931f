#include <json-c/json_object.h>

#include "controller/base/json.h"
#include "controller/base/yaml.h"
#include "controller/base/yaml_scalar.h"

struct json_object *yaml_to_json(const struct yaml_node *node)
{
    struct json_object *value = NULL;

    if (node == NULL)
        return NULL;
    switch (node->kind) {
    case YAML_SCALAR:
        if (!node->plain || !yaml_resolve_plain(node->text, &value))
            value = json_object_new_string(node->text);
        break;
    case YAML_SEQUENCE:
        value = json_object_new_array();
        for (size_t i = 0; i < node->member_count; i++)
            json_add(value, yaml_to_json(node->members[i].value));
        break;
    case YAML_MAPPING:
        value = json_object_new_object();
        for (size_t i = 0; i < node->member_count; i++)
            json_set(value, node->members[i].key, yaml_to_json(node->members[i].value));
        break;
    }
    return value;
}
