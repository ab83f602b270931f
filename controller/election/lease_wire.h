/* lease_wire - the Lease object: bytes to a record and a record to the bodies of its writes. */
#ifndef CONTROLLER_ELECTION_LEASE_WIRE_H
#define CONTROLLER_ELECTION_LEASE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** What a Lease says; texts are owned, never NULL. Lenient: what is absent or of a wrong type is
 * "" or 0, so that a damaged Lease can be taken over rather than wedge the election. */
struct lease_record {
    char *holder;     /* holderIdentity; "": nobody */
    char *renew_time; /* raw text, or the raw JSON of what is no text; "" when absent */
    char *resource_version;
    int64_t duration_s;  /* 0: absent or unreadable */
    int64_t transitions; /* 0 when absent, unreadable or negative */
};

/** False, with nothing to release, when it is no object or has no resourceVersion: no write can be
 * made safely from that. */
bool lease_record_read(struct json_slice object, struct lease_record *ret_record) MUST_CHECK;
void lease_record_release(struct lease_record *record);

/** The body that creates a Lease held by identity. free() it. */
char *lease_body_create(const char *namespace_name, const char *identity,
                        int64_t renew_us) MUST_CHECK;
/** Merge patches under the record's resourceVersion. free() them. */
char *lease_body_renew(const struct lease_record *record, int64_t renew_us) MUST_CHECK;
char *lease_body_take_over(const struct lease_record *record, const char *identity,
                           int64_t renew_us) MUST_CHECK;
char *lease_body_release(const char *resource_version) MUST_CHECK;

#endif
