/* precondition - I-PRECONDITION: no write to an Agent or a Lease is blind (controller/RULES.md
 * 3.6). */
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/invariants/rows.h"

/** Largest body that is looked into. */
#define BODY_BYTES_MAX ((size_t)64 * 1024 * 1024)

static bool is_guarded(const struct api_path *path)
{
    return strcmp(path->plural, "agents") == 0 || strcmp(path->plural, "leases") == 0;
}

/** A JSON patch is guarded by a test of the version or of the uid. */
static bool tests(const struct json_object *operations)
{
    for (size_t i = 0; i < json_object_array_length(operations); i++) {
        struct json_object *operation = json_object_array_get_idx(operations, i);
        const char *path = json_get_text(operation, "path");

        if (text_equal(json_get_text(operation, "op"), "test") &&
            (text_equal(path, "/metadata/resourceVersion") || text_equal(path, "/metadata/uid")))
            return true;
    }
    return false;
}

static bool is_precise(const char *method, struct json_object *body)
{
    if (json_is(body, json_type_array))
        return tests(body);
    if (strcmp(method, "DELETE") == 0)
        body = json_get(body, "preconditions");
    else
        body = json_get(body, "metadata");
    return json_get_text(body, "resourceVersion") != NULL;
}

static void on_call(struct judge *judge, const struct call *call)
{
    struct json_object *body = NULL;
    struct error err = ERROR_INIT;

    if (call->stage != CALL_SENT || !call->by_controller || !call_is_write(call) ||
        !is_guarded(call->path) || strcmp(call->method, "POST") == 0)
        return;
    if (call->body_size == 0 ||
        !json_parse(call->body, call->body_size, BODY_BYTES_MAX, &body, &err) ||
        !is_precise(call->method, body))
        judge_violation(judge, call->at_us, "%s sent %s %s without the version it was decided on",
                        call->client, call->method, call->target);
    (void)json_object_put(body);
}

const struct invariant invariant_precondition = {
    .id = "I-PRECONDITION",
    .what = "no write to an Agent or a Lease goes without the version it was decided on",
    .on_call = on_call,
};
