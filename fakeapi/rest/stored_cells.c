/* stored_cells - the Table cells of kinds that are stored and no more. */
#include <inttypes.h>
#include <stdio.h>

#include "controller/base/text.h"
#include "fakeapi/rest/builtin_cells.h"

#define CELL_BYTES_MAX ((size_t)64 * 1024)

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* --- budgets --- */

/* "2", "50%" or "N/A". */
static void add_amount(struct cells *cells, const struct json_object *value)
{
    if (json_is(value, json_type_int))
        cells_add_format(cells, "%" PRId64, json_object_get_int64(value));
    else
        cells_add_text(cells, text_or(json_text(value), "N/A"));
}

void cells_disruption_budget(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");

    cells_add_name(cells, tree);
    add_amount(cells, json_get(spec, "minAvailable"));
    add_amount(cells, json_get(spec, "maxUnavailable"));
    cells_add_number(cells, json_get_int64(json_get(tree, "status"), "disruptionsAllowed", 0));
    cells_add_created(cells, tree);
}

/* --- workloads --- */

/* Containers, images and (where there is one) selector, in the wide columns. */
static void add_template(struct cells *cells, const struct json_object *spec, bool selector)
{
    const struct json_object *containers = json_walk(spec, "template", "spec", "containers", NULL);

    cells_add_members(cells, containers, "name");
    cells_add_members(cells, containers, "image");
    if (selector)
        cells_add_map(cells, json_walk(spec, "selector", "matchLabels", NULL));
}

void cells_deployment(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");

    cells_add_name(cells, tree);
    cells_add_format(cells, "%" PRId64 "/%" PRId64, json_get_int64(status, "readyReplicas", 0),
                     json_get_int64(spec, "replicas", 0));
    cells_add_number(cells, json_get_int64(status, "updatedReplicas", 0));
    cells_add_number(cells, json_get_int64(status, "availableReplicas", 0));
    cells_add_created(cells, tree);
    add_template(cells, spec, true);
}

void cells_replica_set(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");

    cells_add_name(cells, tree);
    cells_add_number(cells, json_get_int64(spec, "replicas", 0));
    cells_add_number(cells, json_get_int64(status, "replicas", 0));
    cells_add_number(cells, json_get_int64(status, "readyReplicas", 0));
    cells_add_created(cells, tree);
    add_template(cells, spec, true);
}

void cells_stateful_set(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");

    cells_add_name(cells, tree);
    cells_add_format(cells, "%" PRId64 "/%" PRId64,
                     json_get_int64(json_get(tree, "status"), "readyReplicas", 0),
                     json_get_int64(spec, "replicas", 0));
    cells_add_created(cells, tree);
    add_template(cells, spec, false);
}

void cells_daemon_set(struct cells *cells, const struct json_object *tree)
{
    static const char *const counts[] = {"desiredNumberScheduled", "currentNumberScheduled",
                                         "numberReady", "updatedNumberScheduled",
                                         "numberAvailable"};
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");

    cells_add_name(cells, tree);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        cells_add_number(cells, json_get_int64(status, counts[i], 0));
    cells_add_map(cells, json_walk(spec, "template", "spec", "nodeSelector", NULL));
    cells_add_created(cells, tree);
    add_template(cells, spec, true);
}

/* --- networking --- */

void cells_network_policy(struct cells *cells, const struct json_object *tree)
{
    cells_add_name(cells, tree);
    cells_add_map(cells, json_walk(tree, "spec", "podSelector", "matchLabels", NULL));
    cells_add_created(cells, tree);
}

static void add_hosts(struct cells *cells, const struct json_object *rules)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; i < list_count(rules); i++) {
        const char *host = json_get_text(json_object_array_get_idx(rules, i), "host");

        if (!text_is_empty(host))
            buffer_append_format(&text, "%s%s", text.size > 0 ? "," : "", host);
    }
    cells_add_text(cells, text.size == 0 ? "*" : buffer_text(&text));
    buffer_release(&text);
}

static void add_addresses(struct cells *cells, const struct json_object *entries)
{
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t i = 0; i < list_count(entries); i++) {
        const struct json_object *entry = json_object_array_get_idx(entries, i);
        const char *ip = json_get_text(entry, "ip");

        buffer_append_format(&text, "%s%s", i > 0 ? "," : "",
                             ip == NULL ? text_or(json_get_text(entry, "hostname"), "") : ip);
    }
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

void cells_ingress(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");

    cells_add_name(cells, tree);
    cells_add_or_none(cells, json_get_text(spec, "ingressClassName"));
    add_hosts(cells, json_get(spec, "rules"));
    add_addresses(cells, json_walk(tree, "status", "loadBalancer", "ingress", NULL));
    cells_add_text(cells, list_count(json_get(spec, "tls")) > 0 ? "80, 443" : "80");
    cells_add_created(cells, tree);
}

/* Addresses with their ports, of which three are shown: "10.0.0.1:80,10.0.0.2:80". */
void cells_endpoints(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *subsets = json_get(tree, "subsets");
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);
    size_t count = 0;

    for (size_t i = 0; i < list_count(subsets); i++) {
        const struct json_object *subset = json_object_array_get_idx(subsets, i);
        const struct json_object *addresses = json_get(subset, "addresses");
        const struct json_object *ports = json_get(subset, "ports");

        for (size_t k = 0; k < list_count(ports); k++)
            for (size_t a = 0; a < list_count(addresses); a++)
                if (count++ < 3)
                    buffer_append_format(
                        &text, "%s%s:%" PRId64, count > 1 ? "," : "",
                        text_or(json_get_text(json_object_array_get_idx(addresses, a), "ip"), ""),
                        json_get_int64(json_object_array_get_idx(ports, k), "port", 0));
    }
    if (count > 3)
        buffer_append_format(&text, " + %zu more...", count - 3);
    cells_add_name(cells, tree);
    cells_add_or_none(cells, buffer_text(&text));
    cells_add_created(cells, tree);
    buffer_release(&text);
}

/* --- storage --- */

static void add_modes(struct cells *cells, const struct json_object *modes)
{
    static const struct {
        const char *mode;
        const char *word;
    } words[] = {
        {"ReadWriteOnce",    "RWO" },
        {"ReadOnlyMany",     "ROX" },
        {"ReadWriteMany",    "RWX" },
        {"ReadWriteOncePod", "RWOP"},
    };
    struct buffer text = BUFFER_INIT(CELL_BYTES_MAX);

    for (size_t w = 0; w < ARRAY_SIZE(words); w++)
        for (size_t i = 0; i < list_count(modes); i++)
            if (text_equal(json_text(json_object_array_get_idx(modes, i)), words[w].mode)) {
                buffer_append_format(&text, "%s%s", text.size > 0 ? "," : "", words[w].word);
                break;
            }
    cells_add_text(cells, buffer_text(&text));
    buffer_release(&text);
}

void cells_persistent_volume_claim(struct cells *cells, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *status = json_get(tree, "status");
    const char *volume = text_or(json_get_text(spec, "volumeName"), "");
    bool deleting = json_walk(tree, "metadata", "deletionTimestamp", NULL) != NULL;
    const char *attributes = json_get_text(spec, "volumeAttributesClassName");

    cells_add_name(cells, tree);
    cells_add_text(cells, deleting ? "Terminating" : text_or(json_get_text(status, "phase"), ""));
    cells_add_text(cells, volume);
    cells_add_text(cells, text_or(json_get_text(json_get(status, "capacity"), "storage"), ""));
    add_modes(cells, volume[0] == '\0' ? NULL : json_get(status, "accessModes"));
    cells_add_text(cells, text_or(json_get_text(spec, "storageClassName"), ""));
    cells_add_text(cells, attributes == NULL ? "<unset>" : attributes);
    cells_add_created(cells, tree);
    cells_add_text(cells, text_or(json_get_text(spec, "volumeMode"), "<unset>"));
}
