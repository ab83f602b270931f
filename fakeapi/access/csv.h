/* csv - lines of comma-separated fields (RFC 4180). Pure. */
#ifndef FAKEAPI_ACCESS_CSV_H
#define FAKEAPI_ACCESS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "fakeapi/access/words.h"

/** Most fields of one line. */
#define CSV_FIELDS_MAX 100

/** Where reading goes on. Init with the text and line 0. */
struct csv {
    const char *at;
    const char *end;
    unsigned line; /* of what was read last, from 1 */
};

/** Reads the next line that is not empty and does not begin with '#'; fields are added, without
 * the blanks in front of them and without their quotes. *ret_end when there is none. A quoted field
 * may hold commas, newlines and doubled quotes. ERROR_MALFORMED ("line 3: ..."): a quote in the
 * middle, one that is not closed, a NUL; ERROR_TOO_LARGE: more than CSV_FIELDS_MAX. */
bool csv_next(struct csv *csv, struct words *fields, bool *ret_end, struct error *err) MUST_CHECK;

#endif
