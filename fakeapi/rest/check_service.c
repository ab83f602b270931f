/* check_service - what services must not say.
 *
 * Source: ValidateService of k8s.io/kubernetes/pkg/apis/core/validation, in its order. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/checking.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/metadata.h"

/* Kubernetes' limits. */
#define ADDRESSES_MAX 2

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool is_type(const struct json_object *spec, const char *type)
{
    return text_equal(json_get_text(spec, "type"), type);
}

/* --- ports --- */

struct ports {
    bool named; /* each needs a name, since there are several */
    bool headless;
    struct json_object **names; /* sets, see checking_unique() */
    struct json_object **seen;  /* "TCP 80" */
};

static void check_target(struct checking *c, const struct json_object *port)
{
    if (json_get_text(port, "targetPort") != NULL)
        (void)checking_port_name(c, port, "targetPort");
    else if (json_get(port, "targetPort") != NULL)
        checking_port_number(c, port, "targetPort");
}

static void check_port(struct checking *c, const struct json_object *port, const void *arg)
{
    static const char *const protocols[] = {"SCTP", "TCP", "UDP"};
    const struct ports *ports = arg;
    const char *name = text_or(json_get_text(port, "name"), "");

    if (name[0] != '\0') {
        checking_label(c, port, "name");
        checking_unique(c, "name", name, ports->names);
    } else if (ports->named) {
        checking_required(c, "name", NULL);
    }
    checking_port_number(c, port, "port");
    checking_one_of(c, port, "protocol", protocols, ARRAY_SIZE(protocols));
    if (!ports->headless)
        check_target(c, port);
}

/* What is the same in protocol and number. The value is one of Go's structs, of which the rest is
 * zero here. */
static void check_repeated(struct checking *c, const struct json_object *port, const void *arg)
{
    const struct ports *ports = arg;
    const char *protocol = text_or(json_get_text(port, "protocol"), "");
    int number = (int)json_get_int64(port, "port", 0);
    char *key = xprintf("%s %d", protocol, number);

    if (checking_holds(*ports->seen, key))
        checking_add(c, NULL, FIELD_DUPLICATE,
                     "Duplicate value: core.ServicePort{Name:\"\", Protocol:\"%s\", "
                     "AppProtocol:(*string)(nil), Port:%d, TargetPort:intstr.IntOrString{Type:0, "
                     "IntVal:0, StrVal:\"\"}, NodePort:0}",
                     protocol, number);
    else
        checking_unique(c, NULL, key, ports->seen);
    free(key);
}

static void check_spec(const struct json_object *spec, struct field_errors *errors)
{
    static const char *const affinities[] = {"ClientIP", "None"};
    static const char *const types[] = {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"};
    struct json_object *names = NULL;
    struct json_object *seen = NULL;
    struct ports ports = {.named = list_count(json_get(spec, "ports")) > 1,
                          .headless = text_equal(json_get_text(spec, "clusterIP"), "None"),
                          .names = &names,
                          .seen = &seen};
    bool external = is_type(spec, "ExternalName");
    struct checking c;

    checking_init(&c, "spec", errors);
    if (!external && !ports.headless)
        (void)checking_is_there(&c, spec, "ports");
    if (external && checking_is_there(&c, spec, "externalName") &&
        !metadata_is_subdomain(text_or(json_get_text(spec, "externalName"), "")))
        checking_invalid(&c, "externalName", json_get(spec, "externalName"),
                         metadata_subdomain_message);
    checking_each(&c, spec, "ports", check_port, &ports);
    checking_one_of(&c, spec, "sessionAffinity", affinities, ARRAY_SIZE(affinities));
    checking_one_of(&c, spec, "type", types, ARRAY_SIZE(types));
    checking_each(&c, spec, "ports", check_repeated, &ports);
    json_object_put(names);
    json_object_put(seen);
}

/* --- addresses --- */

static void add_fixed_address(struct field_errors *errors, const struct json_object *addresses,
                              size_t index)
{
    struct buffer shown = BUFFER_INIT(4096);
    char *path = xprintf("spec.clusterIPs[%zu]", index);

    field_error_append_texts(&shown, addresses);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %s: may not change once set",
                     buffer_text(&shown));
    buffer_release(&shown);
    free(path);
}

/* Addresses stay as they are, unless the service is or becomes an alias (U9). */
void check_service(const struct json_object *tree, const struct json_object *old,
                   struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    const struct json_object *before = json_get(old, "spec");
    const struct json_object *now = json_get_array(spec, "clusterIPs");
    const struct json_object *was = json_get_array(before, "clusterIPs");

    check_spec(spec, errors);
    if (old == NULL || is_type(spec, "ExternalName") || is_type(before, "ExternalName"))
        return;
    for (size_t i = 0; i < list_count(was) && i < list_count(now) && i < ADDRESSES_MAX; i++)
        if (!json_equal(json_object_array_get_idx(was, i), json_object_array_get_idx(now, i)))
            add_fixed_address(errors, now, i);
}
