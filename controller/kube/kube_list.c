#include "controller/kube/kube_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "controller/kube/kube_http.h"
#include "controller/kube/list_decide.h"
#include "controller/kube/list_wire.h"

struct kube_lister {
    struct kube *kube;
    const struct kube_list_events *events;
    void *arg;

    const struct kube_resource *resource;
    char *namespace_name;
    char *label_selector;
    char *field_selector;
    char **columns;
    size_t column_count;
    bool bare;

    bool table_failed; /* at table_failed_us of the elapsed clock */
    int64_t table_failed_us;

    /* The listing under way. */
    bool running;
    struct kube_call *call; /* NULL while its answer is being read */
    uint64_t stops;         /* so far: how a page being read sees that it was stopped */
    bool table;             /* the form asked for */
    unsigned limit;         /* of the page asked for */
    char *continue_token;   /* of the page asked for; NULL for the first */
    unsigned restarts;
    unsigned empty_pages; /* in a row */
    int64_t started_us;   /* on the elapsed clock */
    struct kube_list_result so_far;

    bool busy; /* a page is being read: freeing is left to that */
    bool dead;
};

/* --- the lister --- */

struct kube_lister *kube_lister_new(struct kube *kube, const struct kube_lister_options *options,
                                    const struct kube_list_events *events, void *arg)
{
    struct kube_lister *lister = xcalloc(1, sizeof(*lister));

    assert(options->column_count <= KUBE_LIST_COLUMNS_MAX);
    lister->kube = kube;
    lister->events = events;
    lister->arg = arg;
    lister->resource = options->resource;
    lister->namespace_name = xstrdup(options->namespace_name);
    lister->label_selector = xstrdup(options->label_selector);
    lister->field_selector = xstrdup(options->field_selector);
    lister->column_count = options->column_count;
    lister->bare = options->bare;
    lister->columns = xcalloc(options->column_count + 1, sizeof(*lister->columns));
    for (size_t i = 0; i < options->column_count; i++)
        lister->columns[i] = xstrdup(options->columns[i]);
    return lister;
}

static void lister_destroy(struct kube_lister *lister)
{
    for (size_t i = 0; i < lister->column_count; i++)
        free(lister->columns[i]);
    free(lister->columns);
    free(lister->namespace_name);
    free(lister->label_selector);
    free(lister->field_selector);
    free(lister);
}

void kube_lister_stop(struct kube_lister *lister)
{
    kube_call_cancel(lister->call);
    lister->call = NULL;
    free(lister->continue_token);
    lister->continue_token = NULL;
    lister->running = false;
    lister->stops++;
}

void kube_lister_free(struct kube_lister *lister)
{
    if (lister == NULL)
        return;
    kube_lister_stop(lister);
    if (lister->busy)
        lister->dead = true;
    else
        lister_destroy(lister);
}

/* --- asking for a page --- */

static void on_page(void *arg, const struct kube_result *result);

/* "&name=value", unless there is no value. */
static void append_parameter(struct buffer *query, const char *name, const char *value)
{
    if (text_is_empty(value))
        return;
    buffer_append_format(query, "&%s=", name);
    url_append_encoded(query, value);
}

static char *make_query(const struct kube_lister *lister)
{
    struct buffer query = BUFFER_INIT(KUBE_URL_BYTES_MAX);

    buffer_append_format(&query, "limit=%u", lister->limit);
    if (lister->table)
        buffer_append_format(&query, "&includeObject=%s", lister->bare ? "None" : "Metadata");
    append_parameter(&query, "labelSelector", lister->label_selector);
    append_parameter(&query, "fieldSelector", lister->field_selector);
    append_parameter(&query, "continue", lister->continue_token);
    return buffer_take(&query, NULL);
}

static void ask_page(struct kube_lister *lister)
{
    char *query = make_query(lister);

    if (lister->continue_token == NULL)
        lister->so_far.sent_elapsed_us = runtime_elapsed_us(lister->kube->rt);
    lister->call = kube_send(lister->kube,
                             &(struct kube_request){
                                 .verb = KUBE_LIST,
                                 .resource = lister->resource,
                                 .namespace_name = lister->namespace_name,
                                 .query = query,
                                 .accept = lister->table ? KUBE_ACCEPT_TABLE : NULL,
                             },
                             on_page, lister);
    free(query);
}

static void begin_pass(struct kube_lister *lister)
{
    lister->so_far = (struct kube_list_result){.table = lister->table};
    if (lister->table)
        lister->limit = lister->bare ? LIST_LIMIT_BARE : LIST_LIMIT_TABLE;
    else
        lister->limit = LIST_LIMIT_FULL;
    lister->empty_pages = 0;
    free(lister->continue_token);
    lister->continue_token = NULL;
    ask_page(lister);
}

void kube_lister_start(struct kube_lister *lister)
{
    int64_t now_us = runtime_elapsed_us(lister->kube->rt);

    assert(!lister->running);
    if (lister->table_failed && list_table_is_due(lister->table_failed_us, now_us))
        lister->table_failed = false;
    lister->running = true;
    lister->started_us = now_us;
    lister->table = lister->column_count > 0 && !lister->table_failed;
    lister->restarts = 0;
    begin_pass(lister);
}

/* --- the answer --- */

static enum list_answer fail(struct kube_lister *lister, const char *why)
{
    error_set(&lister->so_far.error, ERROR_MALFORMED, "list %s: %s", lister->resource->plural, why);
    return LIST_ANSWER_FAILED;
}

static enum list_answer classify_page(struct kube_lister *lister, struct json_slice body,
                                      struct list_page *ret_page)
{
    enum list_page_form form =
        list_page_open(body, (const char *const *)lister->columns, lister->column_count, ret_page);

    if (form == LIST_PAGE_MALFORMED)
        return fail(lister, "neither a Table nor a list");
    if (form != (lister->table ? LIST_PAGE_TABLE : LIST_PAGE_PLAIN)) {
        fail(lister, "not in the form that was asked for");
        return LIST_ANSWER_NO_FORM;
    }
    if (ret_page->continue_token == NULL && ret_page->resource_version == NULL)
        return fail(lister, "the last page has no resourceVersion");
    ret_page->bare = lister->bare;
    return LIST_ANSWER_PAGE;
}

static enum list_answer classify(struct kube_lister *lister, const struct kube_result *result,
                                 struct list_page *ret_page)
{
    lister->so_far.status = result->status;
    if (result->ok)
        return classify_page(lister, result->body, ret_page);
    lister->so_far.error = result->error;
    lister->so_far.retry_after_us = result->retry_after_us;
    if (result->end == EXCHANGE_TOO_LARGE)
        return LIST_ANSWER_TOO_LARGE;
    if (result->status == 406)
        return LIST_ANSWER_NO_FORM;
    return result->status == 410 ? LIST_ANSWER_GONE : LIST_ANSWER_FAILED;
}

static enum list_action decide(struct kube_lister *lister, enum list_answer answer,
                               const struct list_page *page)
{
    int64_t now_us = runtime_elapsed_us(lister->kube->rt);
    bool more = page->continue_token != NULL;
    struct list_view view = {
        .table = lister->table,
        .first_page = lister->continue_token == NULL,
        .more = more,
        .same_token = more && text_equal(page->continue_token, lister->continue_token),
        .limit = lister->limit,
        .restarts = lister->restarts,
        .pages = (unsigned)lister->so_far.pages,
        .elapsed_us = now_us - lister->started_us,
    };

    if (answer == LIST_ANSWER_PAGE)
        lister->empty_pages = list_page_is_empty(page) ? lister->empty_pages + 1 : 0;
    view.empty_pages = lister->empty_pages;
    return list_decide(&view, answer);
}

/* Hands the items over. False when that stopped the listing. */
static bool take_items(struct kube_lister *lister, struct list_page *page)
{
    uint64_t stops = lister->stops;
    enum list_page_item step;
    struct kube_item item;

    while ((step = list_page_next(page, &item)) != LIST_ITEM_NONE) {
        bool taken = step == LIST_ITEM && lister->events->on_item(lister->arg, &item);

        if (lister->stops != stops)
            return false;
        if (taken)
            lister->so_far.items++;
        else
            lister->so_far.malformed++;
    }
    return true;
}

static void end_listing(struct kube_lister *lister, bool ok, const char *resource_version)
{
    struct kube_list_result result = lister->so_far;

    result.ok = ok;
    result.resource_version = resource_version;
    if (ok)
        error_clear(&result.error);
    free(lister->continue_token);
    lister->continue_token = NULL;
    lister->running = false;
    lister->events->on_end(lister->arg, &result);
}

static void restart(struct kube_lister *lister)
{
    uint64_t stops = lister->stops;

    lister->events->on_restart(lister->arg);
    if (lister->stops == stops)
        begin_pass(lister);
}

static void restart_full(struct kube_lister *lister)
{
    runtime_mark(lister->kube->rt, MARK_LIST_WITHOUT_TABLE);
    lister->table_failed = true;
    lister->table_failed_us = runtime_elapsed_us(lister->kube->rt);
    lister->table = false;
    restart(lister);
}

/* Takes what a page holds; then asks for the next one or ends. */
static void take_page(struct kube_lister *lister, struct list_page *page, size_t page_size,
                      bool last)
{
    size_t before = lister->so_far.items + lister->so_far.malformed;
    size_t page_items;

    if (!take_items(lister, page))
        return;
    lister->so_far.pages++;
    if (last) {
        end_listing(lister, true, page->resource_version);
        return;
    }
    page_items = lister->so_far.items + lister->so_far.malformed - before;
    if (!lister->table)
        lister->limit = list_next_limit(page_items, page_size);
    free(lister->continue_token);
    lister->continue_token = page->continue_token;
    page->continue_token = NULL;
    runtime_mark(lister->kube->rt, MARK_LIST_PAGED);
    ask_page(lister);
}

static void act(struct kube_lister *lister, enum list_action action, struct list_page *page,
                size_t page_size)
{
    switch (action) {
    case LIST_FINISH:
    case LIST_NEXT_PAGE:
        take_page(lister, page, page_size, action == LIST_FINISH);
        break;
    case LIST_RESTART:
        runtime_mark(lister->kube->rt, MARK_LIST_TOKEN_GONE);
        lister->restarts++;
        restart(lister);
        break;
    case LIST_RESTART_FULL:
        restart_full(lister);
        break;
    case LIST_SMALLER_PAGE:
        lister->limit = list_smaller_limit(lister->limit);
        ask_page(lister);
        break;
    case LIST_FAIL_ENDLESS:
        fail(lister, "pages without end");
        end_listing(lister, false, "");
        break;
    case LIST_FAIL:
        end_listing(lister, false, "");
        break;
    }
}

static void on_page(void *arg, const struct kube_result *result)
{
    struct kube_lister *lister = arg;
    struct list_page page = {0};
    enum list_answer answer;

    lister->call = NULL;
    lister->busy = true;
    answer = classify(lister, result, &page);
    act(lister, decide(lister, answer, &page), &page, result->body.size);
    list_page_release(&page);
    lister->busy = false;
    if (lister->dead)
        lister_destroy(lister);
}
