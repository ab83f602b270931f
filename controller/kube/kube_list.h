/* kube_list - a whole collection, page by page, without ever holding it (RULES 4.3).
 *
 * Asks for a Table of named columns and falls back to full objects where the server cannot give
 * one (406, a plain list, missing columns, an answer past the cap); ten minutes later the Table is
 * tried again. A page is checked by the JSON gate as bytes and handed over item by item. */
#ifndef CONTROLLER_KUBE_KUBE_LIST_H
#define CONTROLLER_KUBE_KUBE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/kube/kube.h"

/** Most columns that a lister may ask for. */
#define KUBE_LIST_COLUMNS_MAX 32

struct kube_lister;

/** One item; borrowed for the callback. Slices are checked JSON. */
struct kube_item {
    struct json_slice metadata;     /* an object with a name; bytes NULL in a bare row */
    const struct json_slice *cells; /* of the wanted columns, in their order; NULL in a full list */
    struct json_slice object;       /* the whole object of a full list; else bytes NULL */
};

/** How a listing ended; borrowed for the callback. */
struct kube_list_result {
    bool ok;
    const char *resource_version; /* of the collection; "" unless ok */
    size_t items;                 /* taken */
    size_t malformed;             /* skipped */
    size_t pages;
    bool table;              /* by a Table, else by full objects */
    int64_t sent_elapsed_us; /* when the first page of the pass that counts was sent */
    unsigned status;         /* HTTP of the answer that failed; 0 when none */
    int64_t retry_after_us;  /* how long that asks to leave the server alone; or 0 */
    struct error error;      /* why not ok, for log lines */
};

struct kube_list_events {
    /* False: the item is of no use; counted as malformed. */
    bool (*on_item)(void *arg, const struct kube_item *item);
    /* Begins anew from the first page: forget the items so far. Not called for the first pass. */
    void (*on_restart)(void *arg);
    /* Last call, exactly once unless stopped. A new listing may be started from here. */
    void (*on_end)(void *arg, const struct kube_list_result *result);
};

struct kube_lister_options {
    const struct kube_resource *resource; /* kept by pointer */
    const char *namespace_name;
    const char *label_selector; /* or NULL */
    const char *field_selector; /* or NULL */
    const char *const *columns; /* names to find in columnDefinitions; copied */
    size_t column_count;        /* 0: full objects from the start */
    bool bare;                  /* rows without their metadata: the columns tell all */
};

/** What remembers, between listings, which form and page size suit this server. Belongs to its
 * caller; free it before the client. events is kept by pointer. */
struct kube_lister *kube_lister_new(struct kube *kube, const struct kube_lister_options *options,
                                    const struct kube_list_events *events, void *arg) MUST_CHECK;
/** Stops a listing under way, calling nobody; allowed in any of its callbacks. Takes NULL. */
void kube_lister_free(struct kube_lister *lister);

/** Starts a listing. None may be under way. */
void kube_lister_start(struct kube_lister *lister);
/** Ends one under way without on_end. */
void kube_lister_stop(struct kube_lister *lister);

#endif
