#include "controller/election/lease_wire.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/election/lease.h"
#include "controller/election/lease_decide.h"

/* leaseTransitions is an int32 of the API: one more must still be valid, or no take-over ever is.
 */
#define TRANSITIONS_MAX INT32_MAX

static char *text_of(const struct json_object *object, const char *key)
{
    const char *text = json_get_text(object, key);

    return xstrdup(text_or(text, ""));
}

/* What is no text still is something that may change or stay. */
static char *raw_text_of(const struct json_object *object, const char *key)
{
    const struct json_object *value = json_get(object, key);
    const char *text = json_text(value);

    if (text != NULL)
        return xstrdup(text);
    return value == NULL ? xstrdup("") : json_to_text(value, NULL);
}

bool lease_record_read(struct json_slice object, struct lease_record *ret_record)
{
    struct json_object *lease = object.bytes == NULL ? NULL : json_slice_parse(object);
    const struct json_object *metadata = json_get_object(lease, "metadata");
    const struct json_object *spec = json_get_object(lease, "spec");
    bool ok = !text_is_empty(json_get_text(metadata, "resourceVersion"));

    if (ok) {
        ret_record->holder = text_of(spec, "holderIdentity");
        ret_record->renew_time = raw_text_of(spec, "renewTime");
        ret_record->resource_version = text_of(metadata, "resourceVersion");
        ret_record->duration_s = json_get_int64(spec, "leaseDurationSeconds", 0);
        ret_record->transitions = json_get_int64(spec, "leaseTransitions", 0);
        if (ret_record->transitions < 0)
            ret_record->transitions = 0;
    }
    json_object_put(lease);
    return ok;
}

void lease_record_release(struct lease_record *record)
{
    free(record->holder);
    free(record->renew_time);
    free(record->resource_version);
    *record = (struct lease_record){0};
}

static void set_time(struct json_object *spec, const char *key, int64_t at_us)
{
    char text[TIME_TEXT_SIZE];

    time_format_micro(at_us, text);
    json_set_text(spec, key, text);
}

static char *take_text(struct json_object *body)
{
    char *text = json_to_text(body, NULL);

    json_object_put(body);
    return text;
}

/* The start of every patch: the precondition, and an empty spec. */
static struct json_object *new_patch(const char *resource_version, struct json_object **ret_spec)
{
    struct json_object *body = json_object_new_object();

    json_set_text(json_ensure_object(body, "metadata"), "resourceVersion", resource_version);
    *ret_spec = json_ensure_object(body, "spec");
    return body;
}

static void set_holder(struct json_object *spec, const char *identity, int64_t renew_us)
{
    json_set_text(spec, "holderIdentity", identity);
    json_set_int64(spec, "leaseDurationSeconds", LEASE_DURATION_S);
    set_time(spec, "acquireTime", renew_us);
    set_time(spec, "renewTime", renew_us);
}

char *lease_body_create(const char *namespace_name, const char *identity, int64_t renew_us)
{
    struct json_object *body = json_object_new_object();
    struct json_object *metadata, *spec;

    json_set_text(body, "apiVersion", "coordination.k8s.io/v1");
    json_set_text(body, "kind", "Lease");
    metadata = json_ensure_object(body, "metadata");
    json_set_text(metadata, "name", ELECTION_LEASE_NAME);
    json_set_text(metadata, "namespace", namespace_name);
    spec = json_ensure_object(body, "spec");
    set_holder(spec, identity, renew_us);
    json_set_int64(spec, "leaseTransitions", 0);
    return take_text(body);
}

char *lease_body_renew(const struct lease_record *record, int64_t renew_us)
{
    struct json_object *spec;
    struct json_object *body = new_patch(record->resource_version, &spec);

    set_time(spec, "renewTime", renew_us);
    return take_text(body);
}

char *lease_body_take_over(const struct lease_record *record, const char *identity,
                           int64_t renew_us)
{
    struct json_object *spec;
    struct json_object *body = new_patch(record->resource_version, &spec);

    set_holder(spec, identity, renew_us);
    json_set_int64(spec, "leaseTransitions",
                   record->transitions < TRANSITIONS_MAX ? record->transitions + 1
                                                         : TRANSITIONS_MAX);
    return take_text(body);
}

char *lease_body_release(const char *resource_version)
{
    struct json_object *spec;
    struct json_object *body = new_patch(resource_version, &spec);

    json_set_text(spec, "holderIdentity", "");
    return take_text(body);
}
