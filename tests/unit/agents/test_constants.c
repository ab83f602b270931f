/* The numbers of RULES 4.1, 4.3 and 4.5, each written out once more. That they are used where they
 * should be is for the tests of their users. */
#include "tests/unit/rows.h"

#include "controller/agents/follow.h"
#include "controller/agents/job_roll.h"
#include "controller/base/attributes.h"
#include "controller/kube/kube.h"
#include "controller/kube/kube_backoff.h"
#include "controller/kube/kube_watch.h"
#include "controller/kube/list_decide.h"

static const struct row {
    const char *name;
    int64_t is;
    int64_t want;
} rows[] = {
    {"4.1: a page of a Table has 500 rows", LIST_LIMIT_TABLE, 500},
    {"4.1: without metadata it has 2,000 rows", LIST_LIMIT_BARE, 2000},
    {"4.1: the first page of full objects has 20", LIST_LIMIT_FULL, 20},
    {"4.1: a watch asks for 300 s", KUBE_WATCH_TIMEOUT_S, 300},
    {"4.1: 10 s to connect", KUBE_CONNECT_TIMEOUT_US, 10000000},
    {"4.1: 30 s for an ordinary request", KUBE_READ_TIMEOUT_US, 30000000},
    {"4.1: 360 s for a watch", KUBE_WATCH_IDLE_TIMEOUT_US, 360000000},
    {"4.1: a line of a watch has 4 MiB at most", KUBE_WATCH_LINE_BYTES_MAX, 4194304},
    {"4.1: a body has 64 MiB at most", KUBE_RESPONSE_BYTES_MAX, 67108864},
    {"4.1: a page of full objects is aimed at 4 MiB", LIST_PAGE_BYTES_AIM, 4194304},
    {"4.1: 15 s after each poll", FOLLOW_POLL_US, 15000000},
    {"4.1: 2 s after a clean end and a 410", FOLLOW_PAUSE_US, 2000000},
    {"4.1: back-off from 2 s", KUBE_BACKOFF_BASE_S, 2},
    {"4.1: back-off up to 60 s", KUBE_BACKOFF_CEILING_S, 60},
    {"4.1: 60 s at most when asked to wait", KUBE_RETRY_AFTER_MAX_US, 60000000},
    {"4.1: three polls in a row", FOLLOW_POLL_FAILURES_MAX, 3},
    {"4.3: two pages without an item", LIST_EMPTY_PAGES_MAX, 2},
    {"4.3: 1,000 pages", LIST_PAGES_MAX, 1000},
    {"4.3: 5 minutes", LIST_TOTAL_US, 300000000},
    {"4.3: 10 minutes until the Table is tried again", LIST_TABLE_AGAIN_US, 600000000},
    {"4.3: a page has 500 at most", LIST_LIMIT_MAX, 500},
    {"4.5: Jobs are listed for five runs or more", JOB_ROLL_RUNS_MIN, 5},
};

static void test_constant(void **state)
{
    const struct row *row = *state;

    if (row->is != row->want)
        fail_msg("%s: %lld", row->name, (long long)row->is);
}

int main(void)
{
    return ROWS_RUN(rows, test_constant);
}
