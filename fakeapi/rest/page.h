/* page - what a LIST shows, or a deletecollection deletes: a state, and where in it the page begins
 * and ends (WIRE.md L3 to L7, X11). */
#ifndef FAKEAPI_REST_PAGE_H
#define FAKEAPI_REST_PAGE_H

#include "fakeapi/rest/call.h"
#include "fakeapi/rest/list_options.h"

struct page {
    struct store_snapshot *snapshot;
    size_t next;      /* index in the snapshot of the first object that may be shown */
    size_t end;       /* behind the last */
    size_t range_end; /* behind the last that a page after this one may show */
};

/** The page that list asks for; its snapshot is the caller's to free. False: 410 or 504. */
bool page_open(const struct call *call, const struct list_request *list, struct page *ret_page,
               struct rest_status *status) MUST_CHECK;
/** Appends the list's metadata with a comma behind: "metadata":{...}, where objects are shown whole
 * those of custom kinds have a continue even when it is empty (L1). */
void page_append_metadata(struct buffer *head, const struct call *call, const struct page *page,
                          const struct selector *selector, bool whole);

/** The revision that a stale answer shows; 0: the latest. */
uint64_t page_faulty_revision(const struct call *call);
/** A stale state, as far back as history reaches. */
struct store_snapshot *page_stale_snapshot(const struct call *call, uint64_t revision) MUST_CHECK;

#endif
