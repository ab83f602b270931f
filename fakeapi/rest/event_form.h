/* event_form - Events of events.k8s.io/v1, which are those of core/v1 under other names (S9).
 *
 * Each function renames in place, and leaves alone what has its new name already. */
#ifndef FAKEAPI_REST_EVENT_FORM_H
#define FAKEAPI_REST_EVENT_FORM_H

#include "controller/base/json.h"

/** From the names of core/v1, as Events are stored, to those of events.k8s.io/v1. */
void event_form_show(struct json_object *tree);
/** And back. */
void event_form_store(struct json_object *tree);

/** Adds what core/v1 shows of an Event in any case, empty; a kind_row's set_defaults. */
void event_form_complete(struct json_object *tree, const struct json_object *old);

#endif
