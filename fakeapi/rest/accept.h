/* accept - which form of an answer a client wants (WIRE.md T4 to T6, L11, L21, D10). */
#ifndef FAKEAPI_REST_ACCEPT_H
#define FAKEAPI_REST_ACCEPT_H

#include <stdbool.h>

#include "controller/base/attributes.h"

/** Longest Accept header that is read, and most of its clauses. */
#define ACCEPT_BYTES_MAX 4096
#define ACCEPT_CLAUSES_MAX 32

enum accept_form {
    FORM_PLAIN,
    FORM_TABLE,
    FORM_PARTIAL,      /* as=PartialObjectMetadata */
    FORM_PARTIAL_LIST, /* as=PartialObjectMetadataList */
    FORM_DISCOVERY,    /* as=APIGroupDiscoveryList */
};

/** What may be asked for here. */
struct accept_offer {
    bool table;
    bool partial;
    bool discovery;
    bool watch; /* "stream=watch" is a parameter that means something */
};

struct accept {
    enum accept_form form;
    bool yaml;
    bool pretty;         /* a parameter pretty=1 */
    const char *version; /* of the form: "v1", "v1beta1", "v2", "v2beta1"; "" for PLAIN */
};

/** Picks the best clause that can be served; header may be NULL (JSON). False: none can (406). */
bool accept_choose(const char *header, const struct accept_offer *offer,
                   struct accept *ret_accept) MUST_CHECK;

/** Whether a clause names, parameters aside, one of the media types that built-in kinds are served
 * in, or any; the real server's router looks at no more, and knows no "application/" with a star.
 */
bool accept_is_produced(const char *header) MUST_CHECK;

#endif
