/* list_decide - in which form to list, with which page size, and what to do with each answer: the
 * rule alone (RULES 4.3). */
#ifndef CONTROLLER_KUBE_LIST_DECIDE_H
#define CONTROLLER_KUBE_LIST_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/time.h"

#define LIST_LIMIT_TABLE 500u
#define LIST_LIMIT_FULL 20u
#define LIST_LIMIT_MAX 500u
/** The size that a page of full objects is aimed at. */
#define LIST_PAGE_BYTES_AIM ((size_t)4 * 1024 * 1024)
/** How long the Table is not tried after a server could not give one. */
#define LIST_TABLE_AGAIN_US (10 * US_PER_MINUTE)
/** A listing that a server expires this often is given up; the next poll tries again. */
#define LIST_RESTARTS_MAX 3u
/** A server that never comes to an end is stopped by one of these. So many pages are 500,000 rows,
 * or 4 GiB of full objects: twice what etcd holds by default. */
#define LIST_PAGES_MAX 1000u
/** Pages in a row that bring nothing but a token for the next one. */
#define LIST_EMPTY_PAGES_MAX 2u
/** From the first request of a listing, restarts included, to the last page that is asked for. */
#define LIST_TOTAL_US (5 * US_PER_MINUTE)
/** Of a Table without metadata: an API server compresses no answer below 128 KiB, and 500 such rows
 * are less. */
#define LIST_LIMIT_BARE 2000u

/** What came back for a page. */
enum list_answer {
    LIST_ANSWER_PAGE,    /* in the form that was asked for */
    LIST_ANSWER_NO_FORM, /* 406, a plain list instead of a Table, or columns missing */
    LIST_ANSWER_TOO_LARGE,
    LIST_ANSWER_GONE, /* 410 */
    LIST_ANSWER_FAILED,
};

enum list_action {
    LIST_FINISH,       /* take the page's items, then end well */
    LIST_NEXT_PAGE,    /* take them, then ask for the next page */
    LIST_RESTART,      /* from the first page, in the same form */
    LIST_RESTART_FULL, /* from the first page, with full objects */
    LIST_SMALLER_PAGE, /* the same page with list_smaller_limit() */
    LIST_FAIL,
    LIST_FAIL_ENDLESS, /* the server leads in circles, or takes for ever */
};

/** Where a listing stands. */
struct list_view {
    bool table;      /* asked for a Table */
    bool first_page; /* no continue token was sent */
    bool more;       /* the answer has a continue token */
    bool same_token; /* and it is the one that was sent */
    unsigned limit;
    unsigned restarts;    /* after 410, so far */
    unsigned pages;       /* answered before this one */
    unsigned empty_pages; /* without an item, in a row, up to and with this one */
    int64_t elapsed_us;   /* since the listing's first request */
};

enum list_action list_decide(const struct list_view *view, enum list_answer answer);

/** The limit after a page of item_count full objects in size bytes: what would fill the aim. */
unsigned list_next_limit(size_t item_count, size_t size);

/** The limit to try after a page with this one was past the cap. */
unsigned list_smaller_limit(unsigned limit);

/** Whether to ask for a Table at now_us when a server last could not give one at failed_us. */
bool list_table_is_due(int64_t failed_us, int64_t now_us);

#endif
