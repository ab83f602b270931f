/* deed - what a fault rule does, as people write it. */
#include "controller/base/attributes.h"
#include "fakeapi/faults/reading.h"

/* Seconds of a Retry-After: a day. */
#define RETRY_AFTER_SECONDS_MAX 86400

static bool read_action(struct reading *r, const struct yaml_node *node, enum fault_action action)
{
    r->rule.effect.action = action;
    r->actions++;
    return r->actions == 1 || reading_fail_at(r, node, "a second action; a rule has one");
}

/* An action without a value. */
#define READ_SWITCH(key, action)                                                                   \
    static bool read_##key(struct reading *r, const struct yaml_node *node)                        \
    {                                                                                              \
        return reading_true(r, node) && read_action(r, node, (action));                            \
    }

READ_SWITCH(refuse, FAULT_REFUSE)
READ_SWITCH(silent, FAULT_SILENT)
READ_SWITCH(drop_answer, FAULT_DROP_ANSWER)
READ_SWITCH(close_watch, FAULT_WATCH_CLOSE)
READ_SWITCH(stall_watch, FAULT_WATCH_STALL)
READ_SWITCH(swallow_event, FAULT_WATCH_SWALLOW)
READ_SWITCH(repeat_event, FAULT_WATCH_REPEAT)
READ_SWITCH(garbage_line, FAULT_WATCH_GARBAGE)
READ_SWITCH(half_line, FAULT_WATCH_HALF)
READ_SWITCH(no_bookmark, FAULT_WATCH_NO_MARK)

static bool read_compact(struct reading *r, const struct yaml_node *node)
{
    r->rule.effect.compact = true;
    return reading_true(r, node);
}

static bool read_code(struct reading *r, const struct yaml_node *node, uint64_t least,
                      enum fault_action action)
{
    uint64_t status = 0;

    if (!reading_count(r, node, least, 599, &status))
        return false;
    r->rule.effect.status = (unsigned)status;
    return read_action(r, node, action);
}

static bool read_status(struct reading *r, const struct yaml_node *node)
{
    return read_code(r, node, 400, FAULT_STATUS);
}

static bool read_html(struct reading *r, const struct yaml_node *node)
{
    return read_code(r, node, 200, FAULT_HTML);
}

static bool read_error_event(struct reading *r, const struct yaml_node *node)
{
    return read_code(r, node, 400, FAULT_WATCH_ERROR);
}

static bool read_content_type(struct reading *r, const struct yaml_node *node)
{
    return reading_text(r, node, &r->rule.effect.content_type) &&
           read_action(r, node, FAULT_CONTENT_TYPE);
}

static bool read_truncate(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 0, UINT64_MAX, &r->rule.effect.amount) &&
           read_action(r, node, FAULT_TRUNCATE);
}

static bool read_gap(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, UINT64_MAX, &r->rule.effect.amount) &&
           read_action(r, node, FAULT_WATCH_GAP);
}

static bool read_long_line(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, FAULT_LINE_BYTES_MAX, &r->rule.effect.amount) &&
           read_action(r, node, FAULT_WATCH_LONG);
}

static bool read_slow_body(struct reading *r, const struct yaml_node *node)
{
    return reading_duration(r, node, &r->rule.effect.wait_us) &&
           read_action(r, node, FAULT_SLOW_BODY);
}

static bool read_delay_event(struct reading *r, const struct yaml_node *node)
{
    return reading_duration(r, node, &r->rule.effect.wait_us) &&
           read_action(r, node, FAULT_WATCH_DELAY);
}

static bool read_reason(struct reading *r, const struct yaml_node *node)
{
    return reading_text(r, node, &r->rule.effect.reason);
}

static bool read_message(struct reading *r, const struct yaml_node *node)
{
    return reading_text(r, node, &r->rule.effect.message);
}

static bool read_retry_after(struct reading *r, const struct yaml_node *node)
{
    uint64_t seconds = 0;

    if (!reading_count(r, node, 1, RETRY_AFTER_SECONDS_MAX, &seconds))
        return false;
    r->rule.effect.retry_after_seconds = (int64_t)seconds;
    return true;
}

static bool read_cut(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 0, UINT64_MAX, &r->rule.effect.cut_at) &&
           read_action(r, node, FAULT_CUT);
}

static bool read_delay(struct reading *r, const struct yaml_node *node)
{
    return reading_duration(r, node, &r->rule.effect.delay_us);
}

static bool read_revision(struct reading *r, const struct yaml_node *node)
{
    return reading_count(r, node, 1, UINT64_MAX, &r->rule.effect.stale_revision);
}

static bool read_age(struct reading *r, const struct yaml_node *node)
{
    return reading_duration(r, node, &r->rule.effect.stale_age_us);
}

static const struct reading_key stale_keys[] = {
    {"revision", read_revision},
    {"age",      read_age     },
};

static bool read_stale(struct reading *r, const struct yaml_node *node)
{
    return reading_mapping(r, node, stale_keys, ARRAY_SIZE(stale_keys)) &&
           read_action(r, node, FAULT_STALE);
}

static const struct reading_key do_keys[] = {
    {"refuse",        read_refuse       },
    {"silent",        read_silent       },
    {"delay",         read_delay        },
    {"status",        read_status       },
    {"reason",        read_reason       },
    {"message",       read_message      },
    {"retry_after",   read_retry_after  },
    {"drop_answer",   read_drop_answer  },
    {"cut_at",        read_cut          },
    {"stale",         read_stale        },
    {"html",          read_html         },
    {"content_type",  read_content_type },
    {"truncate",      read_truncate     },
    {"slow_body",     read_slow_body    },
    {"close_watch",   read_close_watch  },
    {"stall_watch",   read_stall_watch  },
    {"swallow_event", read_swallow_event},
    {"delay_event",   read_delay_event  },
    {"repeat_event",  read_repeat_event },
    {"gap",           read_gap          },
    {"error_event",   read_error_event  },
    {"garbage_line",  read_garbage_line },
    {"long_line",     read_long_line    },
    {"half_line",     read_half_line    },
    {"no_bookmark",   read_no_bookmark  },
    {"compact",       read_compact      },
};

bool reading_deed(struct reading *r, const struct yaml_node *node)
{
    const struct fault_effect *effect = &r->rule.effect;

    if (!reading_mapping(r, node, do_keys, ARRAY_SIZE(do_keys)))
        return false;
    if (effect->action != FAULT_STATUS && effect->action != FAULT_WATCH_ERROR &&
        (effect->reason != NULL || effect->message != NULL))
        return reading_fail_at(r, node, "reason and message go with a status or an error_event");
    if (effect->action != FAULT_STATUS && effect->retry_after_seconds != 0)
        return reading_fail_at(r, node, "retry_after goes with a status");
    if (effect->action == FAULT_NONE)
        r->rule.effect.action = effect->delay_us > 0 ? FAULT_DELAY
                                : effect->compact    ? FAULT_COMPACT
                                                     : FAULT_NONE;
    return true;
}
