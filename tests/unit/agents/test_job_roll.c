/* Which Jobs the listing of a pass shows to run still (RULES 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agents/job_roll.h"
#include "controller/base/attributes.h"
#include "tests/unit/kube/script.h"
#include "tests/unit/rows.h"

#define META "\"metadata\":{\"resourceVersion\":\"7\"}"
#define CELLS(status, selector) "[\"j\"," status ",\"0/1\"," selector "]"
#define TABLE(cells)                                                                               \
    "{\"kind\":\"Table\"," META ",\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":"           \
    "\"Status\"},{\"name\":\"Completions\"},{\"name\":\"Selector\"}],\"rows\":[{\"cells\":" cells  \
    ",\"object\":null}]}"
#define OURS "\"batch.kubernetes.io/controller-uid=u-1\""
#define PLAIN(uid, status)                                                                         \
    "{\"kind\":\"JobList\"," META ",\"items\":[{\"metadata\":{\"name\":\"j\",\"uid\":\"" uid       \
    "\"},\"status\":{" status "}}]}"

#define BARE "0.000 ?limit=2000&includeObject=None&fieldSelector=status.successful%3D0\n"
#define FULL BARE "0.000 ?limit=20&fieldSelector=status.successful%3D0\n"

static const struct row {
    const char *name;
    const char *page;
    bool unchanged; /* the Job "j", whose uid "u-1" was noted */
    const char *told;
} rows[] = {
    {"4.5: the same Job, Running", TABLE(CELLS("\"Running\"", OURS)), true, NULL},
    {"4.5: the same Job, Suspended", TABLE(CELLS("\"Suspended\"", OURS)), true, NULL},
    {"4.5: the uid under the older label", TABLE(CELLS("\"Running\"", "\"controller-uid=u-1\"")),
     true, NULL},
    {"4.5: it is Complete", TABLE(CELLS("\"Complete\"", OURS)), false, NULL},
    {"4.5: it has Failed", TABLE(CELLS("\"Failed\"", OURS)), false, NULL},
    {"4.5: a Status that says nothing", TABLE(CELLS("\"\"", OURS)), false, NULL},
    {"4.5: a Status that is no text", TABLE(CELLS("null", OURS)), false, NULL},
    {"4.5: another Job of its name",
     TABLE(CELLS("\"Running\"", "\"batch.kubernetes.io/controller-uid=u-2\"")), false, NULL},
    {"4.5: a Selector that names no uid", TABLE(CELLS("\"Running\"", "null")), false, NULL},
    {"4.5: it is not listed", TABLE("[\"k\",\"Running\",\"0/1\"," OURS "]"), false, NULL},
    {"4.5: a full object that runs", PLAIN("u-1", "\"active\":1"), true, FULL "0.000 done\n"},
    {"4.5: a full object that its counters end", PLAIN("u-1", "\"failed\":1"), false,
     FULL "0.000 done\n"},
    {"4.5: a full object, another Job of its name", PLAIN("u-2", "\"active\":1"), false,
     FULL "0.000 done\n"},
    {"4.5: the listing fails", NULL, false, NULL},
};

struct fixture {
    struct script script;
    const char *page;
};

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "%s", strchr(request->target, '?'));
    *reply =
        (struct script_reply){.status = fixture->page == NULL ? 500 : 200, .body = fixture->page};
}

static void on_done(void *arg)
{
    script_tell(arg, "done");
}

static void test_unchanged(void **state)
{
    const struct row *row = *state;
    struct fixture fixture = {.page = row->page};
    struct agent_api api;
    struct job_roll *roll;
    bool unchanged;

    script_init(&fixture.script, handle, &fixture);
    fixture.script.quiet = true;
    api = (struct agent_api){fixture.script.kube, "ns"};
    roll = job_roll_new(fixture.script.rt, &api);
    job_roll_note(roll, "j", "u-1");
    job_roll_list(roll, on_done, &fixture.script);
    script_run(&fixture.script, 1);
    unchanged = job_roll_is_unchanged(roll, "j");
    job_roll_forget(roll);
    if (unchanged != row->unchanged || job_roll_is_unchanged(roll, "j"))
        fail_msg("%s: %s", row->name, unchanged ? "unchanged" : "not known");
    script_check(&fixture.script, row->told != NULL ? row->told : BARE "0.000 done\n");
    job_roll_free(roll);
    script_release(&fixture.script);
}

int main(void)
{
    return ROWS_RUN(rows, test_unchanged);
}
