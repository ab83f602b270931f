/* list_wire - one page of a listing, a Table or a list of full objects, read item by item out of
 * its bytes (RULES 4.3). */
#ifndef CONTROLLER_KUBE_LIST_WIRE_H
#define CONTROLLER_KUBE_LIST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "controller/kube/kube_list.h"

/** Columns of a Table beyond this many are not looked at. */
#define LIST_TABLE_COLUMNS_MAX 256

enum list_page_form {
    LIST_PAGE_TABLE,
    LIST_PAGE_COLUMNS_MISSING, /* a Table without all the wanted columns */
    LIST_PAGE_PLAIN,           /* full objects */
    LIST_PAGE_MALFORMED,       /* neither */
};

struct list_page {
    struct json_slice items;                   /* rows or items: an array, or no bytes for none */
    char *resource_version;                    /* of the collection; NULL when absent */
    char *continue_token;                      /* NULL on the last page */
    uint8_t wanted_at[LIST_TABLE_COLUMNS_MAX]; /* per column: 1 + index of the wanted one, or 0 */
    size_t column_count;                       /* wanted ones */
    bool table;
    bool bare;   /* the rows need no metadata; the caller's to set, once it is open */
    size_t next; /* where json_slice_next() stands */
    struct json_slice cells[KUBE_LIST_COLUMNS_MAX];
};

/** Opens a page whose bytes have passed the gate; the page borrows them. Release it in any case. */
enum list_page_form list_page_open(struct json_slice body, const char *const *columns,
                                   size_t column_count, struct list_page *ret_page) MUST_CHECK;
void list_page_release(struct list_page *page);
/** Whether it has no item at all, be it malformed. */
bool list_page_is_empty(const struct list_page *page);

enum list_page_item { LIST_ITEM, LIST_ITEM_MALFORMED, LIST_ITEM_NONE };

/** Steps to the next item; borrowed until the next step. */
enum list_page_item list_page_next(struct list_page *page, struct kube_item *ret_item) MUST_CHECK;

#endif
