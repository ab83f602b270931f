/* watch_wire - one line of a watch stream, decoded. */
#ifndef CONTROLLER_KUBE_WATCH_WIRE_H
#define CONTROLLER_KUBE_WATCH_WIRE_H

#include <stddef.h>

#include "controller/base/json.h"
#include "controller/kube/kube_status.h"
#include "controller/kube/kube_watch.h"

enum watch_line {
    WATCH_LINE_EVENT,
    WATCH_LINE_ERROR,     /* the server gives up, for the reason in its Status */
    WATCH_LINE_MALFORMED, /* to be ignored */
};

/** What a line holds. object is a slice of the line; the texts are owned. */
struct watch_line_content {
    enum kube_event_type type;
    struct json_slice object;
    char *resource_version;    /* NULL when absent */
    struct kube_status status; /* of WATCH_LINE_ERROR */
};

/** Decodes size bytes without the line end; untrusted. Release *ret_content in every case. */
enum watch_line watch_line_decode(const char *bytes, size_t size,
                                  struct watch_line_content *ret_content);
void watch_line_release(struct watch_line_content *content);

#endif
