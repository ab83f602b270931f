/* agent_controller_settings - what agent-controller is told, by flags and by its environment
 * (RULES.md 4.8). Flags win. */
#ifndef CONTROLLER_AGENT_CONTROLLER_SETTINGS_H
#define CONTROLLER_AGENT_CONTROLLER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/log.h"
#include "controller/runtime/runtime.h"

/** Most settings that are ignored for their values. */
#define SETTINGS_IGNORED_MAX 2

/** A variable whose value is of no use, and what counts instead. */
struct settings_ignored {
    const char *name;
    const char *value;
    const char *used;
};

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
    size_t output_bytes_max;
    enum log_level log_level;
    bool log_json;
    int64_t shutdown_min_delay_us;                         /* 0 or more */
    int64_t shutdown_timeout_us;                           /* above 0 */
    struct settings_ignored ignored[SETTINGS_IGNORED_MAX]; /* to be warned about, once */
    size_t ignored_count;
};

/** Reads them. False with ERROR_USAGE. */
bool settings_read(struct runtime *rt, int argc, const char *const *argv,
                   struct settings *ret_settings, struct error *err) MUST_CHECK;

/** What --help prints. */
extern const char settings_help[];

#endif
