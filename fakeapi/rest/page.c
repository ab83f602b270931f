/* page - the state that a list shows, and where in it a page begins and ends. */
#include "fakeapi/rest/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/continue_token.h"

static bool refuse_expired_token(const struct call *call, const struct list_request *list,
                                 struct rest_status *status)
{
    rest_status_set(
        status, 410, "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter, or use the continue token in this "
        "response to retrieve the remainder of the results. Continuing with the provided token "
        "results in an inconsistent list - objects that were created, modified, or deleted between "
        "the time the first chunk was returned and now may show up in the list.");
    runtime_mark(call->rest->rt, MARK_API_TOKEN_EXPIRED);
    status->continue_token = continue_token_from_start(-1, list->start);
    return false;
}

uint64_t page_faulty_revision(const struct call *call)
{
    if (call->effect.action != FAULT_STALE)
        return 0;
    if (call->effect.stale_revision != 0)
        return call->effect.stale_revision;
    return stale_revision(call->rest, call->effect.stale_age_us);
}

struct store_snapshot *page_stale_snapshot(const struct call *call, uint64_t revision)
{
    struct store *store = call->rest->store;
    struct store_snapshot *snapshot = NULL;
    struct error err = ERROR_INIT;

    runtime_mark(call->rest->rt, MARK_API_STALE_SERVED);
    if (revision < store_oldest_revision(store))
        revision = store_oldest_revision(store);
    if (revision > store_revision(store))
        revision = store_revision(store);
    if (!store_snapshot_at(call->kind->objects, revision, &snapshot, &err))
        return store_snapshot_new(call->kind->objects);
    return snapshot;
}

static bool take_snapshot(const struct call *call, const struct list_request *list,
                          struct store_snapshot **ret_snapshot, struct rest_status *status)
{
    struct store_resource *objects = call->kind->objects;
    uint64_t current = store_revision(call->rest->store);
    uint64_t faulty = page_faulty_revision(call);
    struct error err = ERROR_INIT;

    if (list->start != NULL && list->token_revision > 0) {
        if (!store_snapshot_at(objects, (uint64_t)list->token_revision, ret_snapshot, &err))
            return refuse_expired_token(call, list, status);
        return true;
    }
    if (faulty != 0) {
        *ret_snapshot = page_stale_snapshot(call, faulty);
        return true;
    }
    if (list->revision_given && list->revision > current)
        return list_options_refuse_future(status, list->revision, current);
    if (list->exact && !store_snapshot_at(objects, list->revision, ret_snapshot, &err))
        return rest_status_set(status, 410, "Expired",
                               "The resourceVersion for the provided list is too old.");
    if (!list->exact)
        *ret_snapshot = store_snapshot_new(objects);
    return true;
}

/* The first key of the page. */
static size_t find_start(const struct call *call, const struct list_request *list,
                         const struct page *page, size_t first)
{
    bool all = call->route.namespace[0] == '\0';
    size_t start;
    char *key;

    if (list->start == NULL)
        return first;
    key = all ? xstrdup(list->start) : xprintf("%s/%s", call->route.namespace, list->start);
    start = store_snapshot_find(page->snapshot, key);
    free(key);
    first = start < first ? first : start;
    return first > page->range_end ? page->range_end : first;
}

/* Behind the limit-th match. */
static size_t find_end(const struct list_request *list, const struct page *page)
{
    uint64_t matched = 0;

    for (size_t i = page->next; list->limit > 0 && i < page->range_end; i++)
        if (selector_matches(&list->selector, store_snapshot_object(page->snapshot, i)) &&
            ++matched == list->limit)
            return i + 1;
    return page->range_end;
}

bool page_open(const struct call *call, const struct list_request *list, struct page *ret_page,
               struct rest_status *status)
{
    size_t first;

    if (!take_snapshot(call, list, &ret_page->snapshot, status))
        return false;
    store_snapshot_range(ret_page->snapshot, call->route.namespace, &first, &ret_page->range_end);
    ret_page->next = find_start(call, list, ret_page, first);
    ret_page->end = find_end(list, ret_page);
    return true;
}

void page_append_metadata(struct buffer *head, const struct call *call, const struct page *page,
                          const struct selector *selector, bool whole)
{
    uint64_t revision = store_snapshot_revision(page->snapshot);
    bool one = selector_name(selector) != NULL && /* L10: no more than one can be there */
               (!call->kind->namespaced || call->route.namespace[0] != '\0');
    size_t remaining = one ? 0 : page->range_end - page->end;

    buffer_append_format(head, "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", revision);
    if (remaining > 0) {
        const struct store_object *last = store_snapshot_object(page->snapshot, page->end - 1);
        const char *key = call->route.namespace[0] == '\0' ? last->key : last->name;
        char *token = continue_token_after((int64_t)revision, key);

        buffer_append_format(head, ",\"continue\":\"%s\"", token);
        free(token);
        if (selector_is_empty(selector))
            buffer_append_format(head, ",\"remainingItemCount\":%zu", remaining);
    } else if (whole && call->kind->row == NULL) {
        buffer_append_text(head, ",\"continue\":\"\"");
    }
    buffer_append_text(head, "},");
}
