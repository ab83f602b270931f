#include "controller/sinks/lifecycle.h"

#include <json-c/json_object.h>

#include "controller/base/json.h"
#include "controller/base/text.h"

static const char *const phase_names[] = {
    [LIFECYCLE_INIT] = "init",
    [LIFECYCLE_AGENT] = "agent",
};

static const char *const status_names[] = {
    [LIFECYCLE_STARTED] = "started", [LIFECYCLE_INSTALLING] = "installing",
    [LIFECYCLE_RUNNING] = "running", [LIFECYCLE_SUCCEEDED] = "succeeded",
    [LIFECYCLE_FAILED] = "failed",
};

char *lifecycle_to_text(const struct lifecycle_event *event)
{
    struct json_object *object = json_object_new_object();
    char *text;

    json_set_text(object, "kind", "lifecycle");
    json_set_text(object, "phase", phase_names[event->phase]);
    json_set_text(object, "status", status_names[event->status]);
    if (!text_is_empty(event->tool))
        json_set_text(object, "tool", event->tool);
    if (!text_is_empty(event->reason))
        json_set_text(object, "reason", event->reason);
    if (event->has_exit_code)
        json_set_int64(object, "exitCode", event->exit_code);
    text = json_to_text(object, NULL);
    json_object_put(object);
    return text;
}
