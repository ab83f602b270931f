/* event_form - the two names of each field of an Event.
 *
 * Source: kubernetes pkg/apis/events/v1/conversion.go. */
#include "fakeapi/rest/event_form.h"

#include "controller/base/attributes.h"

static const struct {
    const char *stored;
    const char *shown;
} names[] = {
    {"involvedObject",     "regarding"               },
    {"message",            "note"                    },
    {"source",             "deprecatedSource"        },
    {"firstTimestamp",     "deprecatedFirstTimestamp"},
    {"lastTimestamp",      "deprecatedLastTimestamp" },
    {"count",              "deprecatedCount"         },
    {"reportingComponent", "reportingController"     },
};

/* A member that is there may be null. */
static void rename_member(struct json_object *tree, const char *from, const char *to)
{
    struct json_object *value;

    if (!json_object_object_get_ex(tree, from, &value))
        return;
    value = json_object_get(value);
    json_object_object_del(tree, from);
    json_set(tree, to, value);
}

void event_form_show(struct json_object *tree)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        rename_member(tree, names[i].stored, names[i].shown);
}

static void add_if_absent(struct json_object *tree, const char *key, struct json_object *value)
{
    if (json_object_object_get_ex(tree, key, NULL))
        json_object_put(value);
    else
        json_set(tree, key, value);
}

void event_form_complete(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    add_if_absent(tree, "eventTime", NULL);
    add_if_absent(tree, "involvedObject", json_object_new_object());
    add_if_absent(tree, "source", json_object_new_object());
    add_if_absent(tree, "firstTimestamp", NULL);
    add_if_absent(tree, "lastTimestamp", NULL);
    add_if_absent(tree, "reportingComponent", json_object_new_string(""));
    add_if_absent(tree, "reportingInstance", json_object_new_string(""));
}

void event_form_store(struct json_object *tree)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        rename_member(tree, names[i].shown, names[i].stored);
    event_form_complete(tree, NULL);
}
