#include "controller/kube/list_decide.h"

static bool is_endless(const struct list_view *view)
{
    return view->same_token || view->pages + 1 >= LIST_PAGES_MAX ||
           view->empty_pages >= LIST_EMPTY_PAGES_MAX;
}

/* What to do with an answer, were there time for ever. */
static enum list_action judge(const struct list_view *view, enum list_answer answer)
{
    switch (answer) {
    case LIST_ANSWER_PAGE:
        if (!view->more)
            return LIST_FINISH;
        return is_endless(view) ? LIST_FAIL_ENDLESS : LIST_NEXT_PAGE;
    case LIST_ANSWER_NO_FORM:
        return view->table ? LIST_RESTART_FULL : LIST_FAIL;
    case LIST_ANSWER_TOO_LARGE:
        if (view->table)
            return LIST_RESTART_FULL;
        return view->limit > 1 ? LIST_SMALLER_PAGE : LIST_FAIL;
    case LIST_ANSWER_GONE:
        return !view->first_page && view->restarts < LIST_RESTARTS_MAX ? LIST_RESTART : LIST_FAIL;
    case LIST_ANSWER_FAILED:
        break;
    }
    return LIST_FAIL;
}

enum list_action list_decide(const struct list_view *view, enum list_answer answer)
{
    enum list_action action = judge(view, answer);

    if (action == LIST_FINISH || action == LIST_FAIL || view->elapsed_us < LIST_TOTAL_US)
        return action;
    return LIST_FAIL_ENDLESS; /* it would ask again */
}

unsigned list_next_limit(size_t item_count, size_t size)
{
    size_t limit;

    if (item_count == 0 || size == 0)
        return LIST_LIMIT_FULL;
    if (item_count > LIST_LIMIT_MAX)
        item_count = LIST_LIMIT_MAX; /* more than was asked for: a server without pages */
    limit = item_count * LIST_PAGE_BYTES_AIM / size;
    if (limit < 1)
        return 1;
    return limit < LIST_LIMIT_MAX ? (unsigned)limit : LIST_LIMIT_MAX;
}

unsigned list_smaller_limit(unsigned limit)
{
    return limit / 4 > 1 ? limit / 4 : 1;
}

bool list_table_is_due(int64_t failed_us, int64_t now_us)
{
    return now_us - failed_us >= LIST_TABLE_AGAIN_US;
}
