/* agent_controller_settings - what agent-controller is told, by flags and by its environment
 * (RULES.md 4.8). Flags win. */
#ifndef CONTROLLER_AGENT_CONTROLLER_SETTINGS_H
#define CONTROLLER_AGENT_CONTROLLER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "controller/base/log.h"
#include "controller/runtime/runtime.h"

/** Room for what --help prints. */
#define SETTINGS_HELP_BYTES_MAX (16 * 1024)

/** Texts belong to argv or to the runtime. */
struct settings {
    bool help; /* the rest was not looked at */
    bool version;
    const char *kubeconfig;     /* NULL: the pod's service account */
    const char *namespace_name; /* by flag; NULL: as the configuration of the client says */
    const char *namespace_default;
    const char *host_name; /* NULL: none */
    const char *agent_image;
    uint16_t health_port; /* 0: any free one */
    bool webhooks_enabled;
    uint16_t webhook_port; /* 0: any free one */
    size_t output_bytes_max;
    enum log_level log_level;
    bool log_json;
    int64_t shutdown_min_delay_us; /* 0 or more */
    int64_t shutdown_timeout_us;   /* above 0 */
};

/** Reads them. False with ERROR_USAGE, which names the flag or the variable. */
bool settings_read(struct runtime *rt, int argc, const char *const *argv,
                   struct settings *ret_settings, struct error *err) MUST_CHECK;

/** Logs a warning for each variable that does not do what who set it may expect: its value is no
 * good and its default holds, or it belongs to a part that this build does not have. Values are
 * not shown where they may be secret. */
void settings_warn(struct runtime *rt);

/** What --help prints: all settings, from the table that they are read by. */
void settings_help(struct buffer *into);

#endif
