/* cron - schedules of five fields, in UTC and whole minutes (RULES.md 8.1, 8.2).
 *
 * A schedule is a set of bits for each field, so that a slot is found by a few steps over months
 * and none over days. Nothing here allocates. */
#ifndef CONTROLLER_SPAWNER_CRON_H
#define CONTROLLER_SPAWNER_CRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** A schedule that has slots. Bit n of a set stands for the value n. */
struct cron {
    uint64_t minutes;
    uint32_t hours;
    uint32_t days;    /* of the month, from bit 1 on */
    uint16_t months;  /* from bit 1 on; only those in which some day can match */
    uint8_t weekdays; /* bit 0 is Sunday, bit 6 Saturday */
    bool either;      /* a day need match only one of days and weekdays */
};

enum cron_fault_kind {
    CRON_FIELD_COUNT, /* not five fields */
    CRON_EMPTY_ITEM,
    CRON_NOT_A_NUMBER,
    CRON_OUT_OF_RANGE,
    CRON_REVERSED,
    CRON_STEP_ZERO,
    CRON_NEVER, /* no date of the calendar matches */
};

/** Why a text is no schedule: what cron_fault_describe() makes words of. */
struct cron_fault {
    enum cron_fault_kind kind;
    size_t offset;       /* where in the text: the first byte that cannot stand, or of the number,
                            range or field that is wrong; the text's size where something lacks */
    size_t field_count;  /* for CRON_FIELD_COUNT */
    unsigned field;      /* 0, the minute, to 4: for all other kinds */
    size_t value_offset; /* the whole field's text; not for CRON_FIELD_COUNT */
    size_t value_size;
};

/** Reads a schedule. False, with *ret_fault the first fault from the left, when it is none. */
bool cron_parse(const char *text, struct cron *ret_cron, struct cron_fault *ret_fault) MUST_CHECK;

/** The fault of that text in words, as of RULES.md 8.2 but without the spawner: ERROR_INVALID
 * for CRON_NEVER, ERROR_MALFORMED for the others. */
void cron_fault_describe(const struct cron_fault *fault, const char *text, struct error *err);

/** The first slot after after_us, not at it. False when there is none before the year 10000. */
bool cron_next(const struct cron *cron, int64_t after_us, int64_t *ret_slot_us) MUST_CHECK;

/** The last slot at or before at_us. False when there is none since the year 0. */
bool cron_latest(const struct cron *cron, int64_t at_us, int64_t *ret_slot_us) MUST_CHECK;

#endif
