/* delivery_memory - which webhook deliveries were dealt with: the texts in a spawner's
 * status.recentDeliveries (RULES.md 13.6). Pure. */
#ifndef CONTROLLER_SPAWNER_DELIVERY_MEMORY_H
#define CONTROLLER_SPAWNER_DELIVERY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/kinds/text_list.h"

#define DELIVERY_MEMORY_MAX 500
#define DELIVERY_MEMORY_MINUTES (INT64_C(72) * 60)

/** Whether the delivery of that id is remembered, however long ago. */
bool delivery_is_known(const struct text_list *memory, const char *id);

/** The memory with count more ids at now_minute (since 1970), the newest last, none that it knows
 * already: without entries older than DELIVERY_MEMORY_MINUTES, what is no entry, and the first ones
 * beyond DELIVERY_MEMORY_MAX. *ret_memory was empty. False when all ids were known: there is
 * nothing to write. */
bool delivery_remember(const struct text_list *memory, const char *const *ids, size_t count,
                       int64_t now_minute, struct text_list *ret_memory) MUST_CHECK;

#endif
