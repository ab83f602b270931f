/* Each invariant lets a good sequence pass and is seen to fail on a bad one. */
#include "scenarios/invariants/invariants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

/* --- making things happen --- */

/** JSON written with single quotes. */
static struct json_object *tree(const char *text)
{
    char *copy = xstrdup(text);
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;

    for (char *at = copy; *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    if (!json_parse(copy, strlen(copy), 1 << 20, &value, &err))
        fail_msg("%s: %s", text, err.text);
    free(copy);
    return value;
}

static void change(struct invariants *all, int64_t at_s, enum change_kind kind, const char *plural,
                   const char *before, const char *after)
{
    struct change made = {.at_us = at_s * US_PER_SECOND, .kind = kind, .plural = plural};

    made.before = before == NULL ? NULL : tree(before);
    made.after = after == NULL ? NULL : tree(after);
    invariants_change(all, &made);
    (void)json_object_put(made.before);
    (void)json_object_put(made.after);
}

static void added(struct invariants *all, int64_t at_s, const char *plural, const char *after)
{
    change(all, at_s, CHANGE_ADDED, plural, NULL, after);
}

static void modified(struct invariants *all, int64_t at_s, const char *plural, const char *before,
                     const char *after)
{
    change(all, at_s, CHANGE_MODIFIED, plural, before, after);
}

static void deleted(struct invariants *all, int64_t at_s, const char *plural, const char *before)
{
    change(all, at_s, CHANGE_DELETED, plural, before, NULL);
}

struct request {
    int64_t at_ms;
    enum call_stage stage;
    const char *method;
    const char *target;
    const char *body; /* single quotes */
    unsigned status;
    int64_t asked_ms;
    const char *client; /* NULL: ctl-0 */
};

static uint64_t next_id;

static char *double_quoted(const char *text)
{
    char *copy = xstrdup(text);

    for (char *at = copy; copy != NULL && *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    return copy;
}

/* asked_elapsed_ms: on the clock of its client. */
static void call_by_clock(struct invariants *all, const struct request *request,
                          int64_t asked_elapsed_ms)
{
    struct api_path path;
    char *body = double_quoted(request->body);
    struct call made = {.stage = request->stage,
                        .at_us = request->at_ms * US_PER_MS,
                        .id = next_id,
                        .client = request->client == NULL ? "ctl-0" : request->client,
                        .by_controller = true,
                        .method = request->method,
                        .target = request->target,
                        .path = &path,
                        .status = request->status,
                        .asked_us = request->asked_ms * US_PER_MS,
                        .asked_elapsed_us = asked_elapsed_ms * US_PER_MS};

    if (request->stage == CALL_ANSWERED) {
        made.answer = body;
        made.answer_size = body == NULL ? 0 : strlen(body);
    } else {
        made.body = body;
        made.body_size = body == NULL ? 0 : strlen(body);
    }
    api_path_parse(request->target, &path);
    invariants_call(all, &made);
    free(body);
}

static void call(struct invariants *all, const struct request *request)
{
    call_by_clock(all, request, request->asked_ms);
}

#define PODS "/api/v1/namespaces/ai-agents/pods"
#define AGENTS "/apis/agents.re-cinq.com/v1beta1/namespaces/ai-agents/agents"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/ai-agents/leases"
#define LEASE LEASES "/agent-controller"

#define AGENT(name, uid, status)                                                                   \
    "{'metadata':{'name':'" name "','uid':'" uid "'},'spec':{'stationRef':'s'},'status':{" status  \
    "}}"
#define JOB(name, uid, agent_uid)                                                                  \
    "{'metadata':{'name':'" name "','uid':'" uid                                                   \
    "','ownerReferences':[{'kind':'Agent','uid':'" agent_uid "','controller':true}]}}"
#define STATION(spec) "{'metadata':{'name':'s','uid':'s1'},'spec':{" spec "}}"
#define LEASED(holder, renewed)                                                                    \
    "{'metadata':{'name':'agent-controller'},'spec':{'holderIdentity':'" holder                    \
    "','leaseDurationSeconds':15,'renewTime':'" renewed "'}}"
#define RUNNING "'phase':'Running'"
#define DONE(at) "'phase':'Succeeded','exitCode':0,'completedAt':'2024-01-01T00:00:" at "Z'"

/* --- the sequences --- */

static void one_job_each(struct invariants *all)
{
    added(all, 1, "jobs", JOB("j1", "1", "a"));
    added(all, 2, "jobs", JOB("j2", "2", "b"));
}

static void job_again_after_deletion(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "a", RUNNING));
    added(all, 1, "jobs", JOB("j1", "1", "a"));
    deleted(all, 2, "jobs", JOB("j1", "1", "a"));
    added(all, 3, "jobs", JOB("j1", "2", "a"));
}

/* By hand, before its Agent said that it runs. */
static void job_again_when_pending(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "a", ""));
    added(all, 1, "jobs", JOB("j1", "1", "a"));
    deleted(all, 2, "jobs", JOB("j1", "1", "a"));
    added(all, 3, "jobs", JOB("j1", "2", "a"));
}

/* The cluster collects that one. */
static void job_again_when_gone(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "a", RUNNING));
    added(all, 1, "jobs", JOB("j1", "1", "a"));
    deleted(all, 2, "agents", AGENT("x", "a", RUNNING));
    deleted(all, 2, "jobs", JOB("j1", "1", "a"));
    added(all, 3, "jobs", JOB("j1", "2", "a"));
}

static void forward(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "1", ""));
    modified(all, 2, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
    modified(all, 3, "agents", AGENT("x", "1", RUNNING), AGENT("x", "1", DONE("10")));
    modified(all, 4, "agents", AGENT("x", "1", DONE("10")),
             AGENT("x", "1", DONE("10") ",'prUrl':'https://example/1'"));
}

static void backward(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "1", RUNNING));
    modified(all, 2, "agents", AGENT("x", "1", RUNNING), AGENT("x", "1", "'phase':'Pending'"));
}

#define STARTED(at) RUNNING ",'jobName':'j','startedAt':'2024-01-01T00:00:" at "Z'"

static void starts_and_ends(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", ""), AGENT("x", "1", STARTED("10")));
    modified(all, 3, "agents", AGENT("x", "1", STARTED("10")),
             AGENT("x", "1", STARTED("10") ",'prUrl':'https://example/1'"));
    modified(all, 4, "agents", AGENT("x", "1", STARTED("10")),
             AGENT("x", "1", DONE("20") ",'jobName':'j','startedAt':'2024-01-01T00:00:10Z'"));
}

static void started_twice(struct invariants *all)
{
    modified(all, 3, "agents", AGENT("x", "1", STARTED("10")), AGENT("x", "1", STARTED("11")));
}

static void start_lost_at_the_end(struct invariants *all)
{
    modified(all, 4, "agents", AGENT("x", "1", STARTED("10")),
             AGENT("x", "1", DONE("20") ",'startedAt':'2024-01-01T00:00:10Z'"));
}

static void ended_twice(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "1", DONE("10")));
    modified(all, 2, "agents", AGENT("x", "1", DONE("10")), AGENT("x", "1", DONE("11")));
}

static void succeeded_became_failed(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", DONE("10")),
             AGENT("x", "1", "'phase':'Failed','exitCode':1"));
}

static void failed_with_zero(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", RUNNING),
             AGENT("x", "1", "'phase':'Failed','exitCode':0"));
}

static void succeeded_with_one(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", RUNNING),
             AGENT("x", "1", "'phase':'Succeeded','exitCode':1"));
}

static void failed_without_code(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", RUNNING), AGENT("x", "1", "'phase':'Failed'"));
}

static void failed_with_seven(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", RUNNING),
             AGENT("x", "1", "'phase':'Failed','exitCode':7"));
}

static void running_with_code(struct invariants *all)
{
    modified(all, 2, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING ",'exitCode':0"));
}

static void own_job(struct invariants *all)
{
    added(all, 1, "jobs", JOB("j", "1", "new"));
    modified(all, 2, "agents", AGENT("x", "new", ""), AGENT("x", "new", RUNNING ",'jobName':'j'"));
}

static void job_of_nobody(struct invariants *all)
{
    added(all, 1, "jobs", "{'metadata':{'name':'j','uid':'1'}}");
    modified(all, 2, "agents", AGENT("x", "new", ""), AGENT("x", "new", RUNNING ",'jobName':'j'"));
}

static void namesakes_job(struct invariants *all)
{
    added(all, 1, "jobs", JOB("j", "1", "old"));
    modified(all, 2, "agents", AGENT("x", "new", ""), AGENT("x", "new", RUNNING ",'jobName':'j'"));
}

static void two_run_after(struct invariants *all, int64_t changed_s, const char *before,
                          const char *after)
{
    added(all, 1, "stations", before);
    if (after != NULL)
        modified(all, changed_s, "stations", before, after);
    added(all, 2, "agents", AGENT("x", "1", ""));
    added(all, 2, "agents", AGENT("y", "2", ""));
    modified(all, 200, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
    modified(all, 200, "agents", AGENT("y", "2", ""), AGENT("y", "2", RUNNING));
}

static void two_run(struct invariants *all, const char *before, const char *after)
{
    two_run_after(all, 79, before, after);
}

static void two_of_two(struct invariants *all)
{
    two_run(all, STATION("'maxConcurrentRuns':2"), NULL);
}

static void two_of_one(struct invariants *all)
{
    two_run(all, STATION("'maxConcurrentRuns':1"), NULL);
}

static void two_under_forbid(struct invariants *all)
{
    two_run(all, STATION("'maxConcurrentRuns':5,'concurrencyPolicy':'Forbid'"), NULL);
}

static void two_after_limit_was_lowered(struct invariants *all)
{
    two_run(all, STATION(""), STATION("'maxConcurrentRuns':1"));
}

static void two_just_after_limit_was_lowered(struct invariants *all)
{
    two_run_after(all, 80, STATION(""), STATION("'maxConcurrentRuns':1"));
}

/* Their Jobs were made when there was no limit yet. */
static void two_begun_before_limit_was_lowered(struct invariants *all)
{
    added(all, 2, "jobs", JOB("jx", "7", "1"));
    added(all, 2, "jobs", JOB("jy", "8", "2"));
    modified(all, 190, "jobs", JOB("jy", "8", "2"), JOB("jy", "8", "2"));
    two_run_after(all, 30, STATION(""), STATION("'maxConcurrentRuns':1"));
}

/* Who knows the first one starts by it. */
static void two_at_a_station_made_again(struct invariants *all)
{
    added(all, 1, "stations", STATION(""));
    deleted(all, 99, "stations", STATION(""));
    added(all, 99, "stations", STATION("'maxConcurrentRuns':1"));
    two_run_after(all, 100, STATION("'maxConcurrentRuns':1"), STATION("'maxConcurrentRuns':1"));
}

static void one_is_moved_here(struct invariants *all)
{
    added(all, 1, "stations", STATION("'maxConcurrentRuns':1"));
    added(all, 1, "agents", AGENT("x", "1", ""));
    added(all, 1, "agents", "{'metadata':{'name':'y','uid':'2'},'spec':{'stationRef':'t'}}");
}

static void move(struct invariants *all, int64_t at_s)
{
    modified(all, at_s, "agents", "{'metadata':{'name':'y','uid':'2'},'spec':{'stationRef':'t'}}",
             AGENT("y", "2", ""));
}

static void moved_here_once_begun(struct invariants *all)
{
    one_is_moved_here(all);
    added(all, 2, "jobs", JOB("jy", "8", "2"));
    move(all, 3);
    modified(all, 200, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
    modified(all, 200, "agents", AGENT("y", "2", ""), AGENT("y", "2", RUNNING));
}

static void moved_here_and_begun_then(struct invariants *all)
{
    one_is_moved_here(all);
    move(all, 3);
    added(all, 4, "jobs", JOB("jy", "8", "2"));
    modified(all, 200, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
    modified(all, 200, "agents", AGENT("y", "2", ""), AGENT("y", "2", RUNNING));
}

static void begun_beside_one_just_moved_here(struct invariants *all)
{
    one_is_moved_here(all);
    move(all, 80);
    modified(all, 81, "agents", AGENT("y", "2", ""), AGENT("y", "2", RUNNING));
    modified(all, 200, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
}

static void begun_beside_one_moved_here(struct invariants *all)
{
    one_is_moved_here(all);
    move(all, 79);
    modified(all, 81, "agents", AGENT("y", "2", ""), AGENT("y", "2", RUNNING));
    modified(all, 200, "agents", AGENT("x", "1", ""), AGENT("x", "1", RUNNING));
}

static void patch_with(struct invariants *all, const char *method, const char *target,
                       const char *body)
{
    call(all, &(struct request){1, CALL_SENT, method, target, body, 0, 1, NULL});
}

static void careful_writes(struct invariants *all)
{
    patch_with(all, "PATCH", AGENTS "/x/status", "{'metadata':{'resourceVersion':'5'}}");
    patch_with(all, "DELETE", AGENTS "/x", "{'preconditions':{'resourceVersion':'5'}}");
    patch_with(all, "PATCH", AGENTS "/x",
               "[{'op':'test','path':'/metadata/uid','value':'1'},{'op':'remove','path':'/x'}]");
    patch_with(all, "POST", LEASES, "{}");
    patch_with(all, "PATCH", LEASE, "{'metadata':{'resourceVersion':'5'}}");
}

static void blind_status(struct invariants *all)
{
    patch_with(all, "PATCH", AGENTS "/x/status", "{'status':{'phase':'Running'}}");
}

static void blind_delete(struct invariants *all)
{
    patch_with(all, "DELETE", AGENTS "/x", NULL);
}

static void blind_json_patch(struct invariants *all)
{
    patch_with(all, "PATCH", AGENTS "/x", "[{'op':'remove','path':'/metadata/finalizers/0'}]");
}

static void blind_renewal(struct invariants *all)
{
    patch_with(all, "PATCH", LEASE, "{'spec':{'renewTime':'x'}}");
}

static void lease_goes(struct invariants *all, int64_t after_s, const char *to)
{
    added(all, 100, "leases", LEASED("ctl-0", "a"));
    modified(all, 105, "leases", LEASED("ctl-0", "a"), LEASED("ctl-0", "b"));
    modified(all, 105 + after_s, "leases", LEASED("ctl-0", "b"), to);
}

static void taken_once_lapsed(struct invariants *all)
{
    lease_goes(all, 15, LEASED("ctl-1", "c"));
}

static void robbed(struct invariants *all)
{
    lease_goes(all, 14, LEASED("ctl-1", "c"));
}

static void given_up_and_taken(struct invariants *all)
{
    lease_goes(all, 1, LEASED("", "b"));
    modified(all, 107, "leases", LEASED("", "b"), LEASED("ctl-1", "c"));
}

static void renew(struct invariants *all, int64_t at_ms, unsigned status)
{
    call(all,
         &(struct request){at_ms + 5, CALL_RECEIVED, "PATCH", LEASE, NULL, status, at_ms, NULL});
}

static void write_at(struct invariants *all, int64_t at_ms)
{
    call(all,
         &(struct request){at_ms, CALL_SENT, "PATCH", AGENTS "/x/status", NULL, 0, at_ms, NULL});
}

static void writes_while_young(struct invariants *all)
{
    renew(all, 1000, 201);
    write_at(all, 11000);
}

static void writes_when_old(struct invariants *all)
{
    renew(all, 1000, 201);
    write_at(all, 11200);
}

static void writes_by_clock(struct invariants *all, int64_t at_ms, int64_t elapsed_ms)
{
    const struct request request = {at_ms, CALL_SENT, "PATCH", AGENTS "/x/status",
                                    NULL,  0,         at_ms,   NULL};

    renew(all, 1000, 201);
    call_by_clock(all, &request, elapsed_ms);
}

static void writes_by_a_slow_clock(struct invariants *all)
{
    writes_by_clock(all, 13000, 11000);
}

static void writes_by_a_fast_clock(struct invariants *all)
{
    writes_by_clock(all, 10000, 11001);
}

static void writes_after_failed_renewal(struct invariants *all)
{
    renew(all, 1000, 201);
    renew(all, 6000, 409);
    write_at(all, 6100);
}

/* The write was on its way when the renewal failed. */
static void writes_as_renewal_fails(struct invariants *all)
{
    renew(all, 1000, 201);
    renew(all, 5995, 409);
    write_at(all, 6000);
}

static void writes_after_silent_renewal(struct invariants *all)
{
    renew(all, 1000, 200);
    call(all, &(struct request){9000, CALL_ENDED, "PATCH", LEASE, NULL, 0, 6000, NULL});
    write_at(all, 9100);
}

static void writes_as_standby(struct invariants *all)
{
    call(all, &(struct request){5, CALL_RECEIVED, "GET", LEASE, NULL, 200, 1, NULL});
    write_at(all, 6100);
}

static void reads_as_standby(struct invariants *all)
{
    call(all, &(struct request){5, CALL_SENT, "GET", AGENTS "/x", NULL, 0, 5, NULL});
}

#define SPAWNERS "/apis/agents.re-cinq.com/v1beta1/namespaces/ai-agents/agentspawners"

static void webhook_as_standby(struct invariants *all)
{
    call(all, &(struct request){5, CALL_SENT, "POST", AGENTS,
                                "{\"metadata\":{\"labels\":{\"agents.re-cinq.com/github-delivery\":"
                                "\"1\"}}}",
                                0, 5, NULL});
    call(all, &(struct request){6, CALL_SENT, "PATCH", SPAWNERS "/x/status",
                                "{\"metadata\":{\"resourceVersion\":\"1\"},\"status\":"
                                "{\"recentDeliveries\":[\"a:1\"]}}",
                                0, 6, NULL});
}

static void slot_as_standby(struct invariants *all)
{
    call(all,
         &(struct request){5, CALL_SENT, "POST", AGENTS,
                           "{\"metadata\":{\"annotations\":{\"agents.re-cinq.com/slot\":\"1\"}}}",
                           0, 5, NULL});
}

static void lists_as_standby(struct invariants *all)
{
    call(all, &(struct request){5, CALL_SENT, "GET", AGENTS "?limit=500", NULL, 0, 5, NULL});
}

static void writes_after_restart(struct invariants *all)
{
    renew(all, 1000, 200);
    invariants_process(all, 2 * US_PER_SECOND, "ctl-0", PROCESS_STARTED);
    write_at(all, 3000);
}

/* It was stopped between the decision and the request. */
static void writes_as_it_goes_on(struct invariants *all)
{
    renew(all, 1000, 200);
    call(all,
         &(struct request){40000, CALL_SENT, "PATCH", AGENTS "/x/status", NULL, 0, 2000, NULL});
}

static void writes_after_it_went_on(struct invariants *all)
{
    writes_as_it_goes_on(all);
    write_at(all, 40000);
}

static void renew_as(struct invariants *all, const char *client, const char *method, int64_t at_ms)
{
    call(all, &(struct request){at_ms + 5, CALL_RECEIVED, method, LEASE, NULL, 200, at_ms, client});
}

static void another_when_old(struct invariants *all)
{
    renew_as(all, "ctl-0", "PATCH", 1000);
    renew_as(all, "ctl-1", "PATCH", 11000);
}

static void another_when_young(struct invariants *all)
{
    renew_as(all, "ctl-0", "PATCH", 1000);
    renew_as(all, "ctl-1", "PATCH", 10990);
}

/** Stopped until another leads, it finds an answer that is worth nothing any more. */
static void renewed_long_ago(struct invariants *all)
{
    renew_as(all, "ctl-1", "PATCH", 19000);
    call(all, &(struct request){20005, CALL_RECEIVED, "PATCH", LEASE, NULL, 200, 10000, "ctl-0"});
}

static void writes_when_renewed_long_ago(struct invariants *all)
{
    renewed_long_ago(all);
    call(all,
         &(struct request){20010, CALL_SENT, "PATCH", AGENTS "/x/status", NULL, 0, 20010, "ctl-0"});
}

/** A page under a 200 makes no leader. */
static void another_behind_a_page(struct invariants *all)
{
    struct call answer = {.stage = CALL_ANSWERED,
                          .at_us = 2000 * US_PER_MS,
                          .id = 77,
                          .client = "ctl-0",
                          .by_controller = true,
                          .method = "PATCH",
                          .target = LEASE,
                          .status = 200,
                          .answer = "<html>",
                          .answer_size = 6};
    struct api_path path;

    api_path_parse(LEASE, &path);
    answer.path = &path;
    invariants_call(all, &answer);
    answer.stage = CALL_RECEIVED;
    answer.asked_us = 1999 * US_PER_MS;
    answer.answer = NULL;
    answer.answer_size = 0;
    invariants_call(all, &answer);
    renew_as(all, "ctl-1", "POST", 2010);
}

static void another_when_given_up(struct invariants *all)
{
    renew_as(all, "ctl-0", "PATCH", 1000);
    call(all, &(struct request){2000, CALL_SENT, "PATCH", LEASE, "{'spec':{'holderIdentity':''}}",
                                0, 2000, "ctl-0"});
    renew_as(all, "ctl-1", "PATCH", 2010);
}

static void another_makes_it_anew(struct invariants *all)
{
    renew_as(all, "ctl-0", "PATCH", 1000);
    call(all, &(struct request){1500, CALL_RECEIVED, "GET", LEASE, NULL, 200, 1500, "ctl-1"});
    renew_as(all, "ctl-1", "POST", 2000);
}

/* It cannot know that there was one. */
static void a_new_one_makes_it_anew(struct invariants *all)
{
    renew_as(all, "ctl-0", "PATCH", 1000);
    call(all, &(struct request){1500, CALL_RECEIVED, "GET", LEASE, NULL, 200, 1500, "ctl-1"});
    invariants_process(all, 1900 * US_PER_MS, "ctl-1", PROCESS_STARTED);
    renew_as(all, "ctl-1", "POST", 2000);
    renew_as(all, "ctl-1", "PATCH", 7000);
}

static void three_ended(struct invariants *all)
{
    added(all, 1, "stations", STATION("'successfulRunsHistoryLimit':2"));
    added(all, 1, "agents", AGENT("old", "1", DONE("01")));
    added(all, 1, "agents", AGENT("mid", "2", DONE("02")));
    added(all, 1, "agents", AGENT("new", "3", DONE("03")));
}

static void prune_at(struct invariants *all, int64_t at_ms, const char *name, unsigned status)
{
    char *target = xprintf(AGENTS "/%s", name);

    call(all, &(struct request){at_ms, CALL_ARRIVED, "DELETE", target, NULL, 0, at_ms, NULL});
    call(all, &(struct request){at_ms, CALL_ANSWERED, "DELETE", target, NULL, status, at_ms, NULL});
    free(target);
}

static void prune(struct invariants *all, const char *name, unsigned status)
{
    three_ended(all);
    prune_at(all, 2000, name, status);
}

/* A person was faster with another one. */
static void pruned_behind_a_deletion(struct invariants *all)
{
    three_ended(all);
    deleted(all, 1, "agents", AGENT("new", "3", DONE("03")));
    prune_at(all, 601000, "old", 200);
}

static void pruned_long_after_a_deletion(struct invariants *all)
{
    three_ended(all);
    deleted(all, 1, "agents", AGENT("new", "3", DONE("03")));
    prune_at(all, 601001, "old", 200);
}

/* What is older does not count, gone or not. */
static void pruned_behind_an_older_one(struct invariants *all)
{
    three_ended(all);
    deleted(all, 1, "agents", AGENT("old", "1", DONE("01")));
    prune_at(all, 2000, "mid", 200);
}

static void pruned_by_the_limit_of_before(struct invariants *all)
{
    three_ended(all);
    modified(all, 1, "stations", STATION("'successfulRunsHistoryLimit':2"),
             STATION("'successfulRunsHistoryLimit':5"));
    prune_at(all, 601000, "old", 200);
}

static void pruned_long_after_the_limit_changed(struct invariants *all)
{
    three_ended(all);
    modified(all, 1, "stations", STATION("'successfulRunsHistoryLimit':2"),
             STATION("'successfulRunsHistoryLimit':5"));
    prune_at(all, 601001, "old", 200);
}

static void oldest_pruned(struct invariants *all)
{
    prune(all, "old", 200);
    deleted(all, 3, "agents", AGENT("old", "1", DONE("01")));
    invariants_end(all, 5);
}

static void newest_pruned(struct invariants *all)
{
    prune(all, "new", 200);
}

static void newest_refused(struct invariants *all)
{
    prune(all, "new", 409);
    deleted(all, 3, "agents", AGENT("old", "1", DONE("01")));
    invariants_end(all, 5);
}

static void nothing_pruned(struct invariants *all)
{
    prune(all, "old", 409);
    invariants_end(all, 5);
}

#define WITH_FINALIZERS(list)                                                                      \
    "{'metadata':{'name':'x','uid':'1','finalizers':[" list "]},'status':{}}"

static void own_finalizer_added(struct invariants *all)
{
    added(all, 1, "agents", WITH_FINALIZERS("'theirs/a'"));
    call(all, &(struct request){1, CALL_ANSWERED, "PATCH", AGENTS "/x",
                                WITH_FINALIZERS("'theirs/a','agents.re-cinq.com/batch-cleanup'"),
                                200, 1, NULL});
}

static void foreign_finalizer_lost(struct invariants *all)
{
    added(all, 1, "agents", WITH_FINALIZERS("'theirs/a'"));
    call(all,
         &(struct request){1, CALL_ANSWERED, "PATCH", AGENTS "/x",
                           WITH_FINALIZERS("'agents.re-cinq.com/batch-cleanup'"), 200, 1, NULL});
}

static void fail_often(struct invariants *all, int64_t pause_ms)
{
    for (int64_t i = 0; i < 40; i++)
        call(all, &(struct request){i * pause_ms, CALL_ENDED, "GET", AGENTS "?limit=500", NULL, 500,
                                    i * pause_ms, NULL});
}

static void fails_with_pauses(struct invariants *all)
{
    fail_often(all, 2000);
}

static void fails_without_pause(struct invariants *all)
{
    fail_often(all, 100);
}

static void ask_for_pods(struct invariants *all, const char *target, int64_t times)
{
    for (int64_t i = 0; i < times; i++)
        call(all, &(struct request){i, CALL_ENDED, "GET", target, NULL, 500, i, NULL});
}

static void pods_of_two_jobs(struct invariants *all)
{
    ask_for_pods(all, PODS "?labelSelector=job-name%3Da&limit=500", 25);
    ask_for_pods(all, PODS "?labelSelector=job-name%3Db&limit=500", 25);
}

static void pods_of_one_job(struct invariants *all)
{
    ask_for_pods(all, PODS "?labelSelector=job-name%3Da&limit=500", 25);
    ask_for_pods(all, PODS "?limit=1&labelSelector=job-name%3Da", 1);
}

static void floods(struct invariants *all)
{
    for (int64_t i = 0; i < 4001; i++) {
        call(all, &(struct request){i, CALL_SENT, "GET", AGENTS "/x", NULL, 0, i, NULL});
        call(all, &(struct request){i, CALL_ENDED, "GET", AGENTS "/x", NULL, 200, i, NULL});
    }
}

static void hang(struct invariants *all, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        call(all, &(struct request){i, CALL_SENT, "GET", AGENTS "/x", NULL, 0, i, NULL});
}

static void few_hang(struct invariants *all)
{
    hang(all, 24);
    invariants_process(all, 30, "ctl-0", PROCESS_ENDED);
    hang(all, 24);
}

static void many_hang(struct invariants *all)
{
    hang(all, 25);
}

static void renews_at_rest(struct invariants *all)
{
    invariants_rest(all, 0);
    patch_with(all, "PATCH", LEASE, "{'metadata':{'resourceVersion':'5'}}");
    patch_with(all, "GET", AGENTS "?limit=500", NULL);
    invariants_end(all, 60 * US_PER_SECOND);
}

static void writes_at_rest(struct invariants *all)
{
    invariants_rest(all, 0);
    patch_with(all, "PATCH", AGENTS "/x/status", "{}");
}

static void reads_wildly_at_rest(struct invariants *all)
{
    invariants_rest(all, 0);
    for (int i = 0; i < 400; i++)
        patch_with(all, "GET", AGENTS "?limit=500", NULL);
    invariants_end(all, 60 * US_PER_SECOND);
}

static void opens_at_rest(struct invariants *all, int count)
{
    invariants_rest(all, 0);
    for (int i = 0; i < count; i++)
        patch_with(all, "GET", AGENTS "?watch=1&resourceVersion=5", NULL);
    invariants_end(all, 59 * US_PER_SECOND);
}

static void watches_at_rest(struct invariants *all)
{
    opens_at_rest(all, 2);
}

static void watches_again_and_again(struct invariants *all)
{
    opens_at_rest(all, 3);
}

/* "hunter22" in base64 is "aHVudGVyMjI=" */
static void log_line(struct invariants *all, const char *line)
{
    added(all, 1, "secrets", "{'metadata':{'name':'k'},'data':{'key':'aHVudGVyMjI='}}");
    invariants_log(all, 2, "ctl-0", LOG_INFO, line);
}

static void log_of_words(struct invariants *all)
{
    log_line(all, "leading now lease=agent-controller");
}

static void log_of_secret(struct invariants *all)
{
    log_line(all, "submit key=hunter22");
}

static void log_of_encoded_secret(struct invariants *all)
{
    log_line(all, "secret data=aHVudGVyMjI=");
}

/* "Authorization: Token s3cr3t\r\nX-Key: other-key\n" */
static void log_of_header_value(struct invariants *all)
{
    added(all, 1, "secrets",
          "{'metadata':{'name':'h'},'data':{'headers':"
          "'QXV0aG9yaXphdGlvbjogVG9rZW4gczNjcjN0DQpYLUtleTogb3RoZXIta2V5Cg=='}}");
    invariants_log(all, 2, "ctl-0", LOG_INFO, "sent header=other-key");
}

static void log_of_prompt(struct invariants *all)
{
    added(all, 1, "agentdefinitions",
          "{'metadata':{'name':'d'},'spec':{'prompt':'sum up our lawsuits'}}");
    invariants_log(all, 2, "ctl-0", LOG_INFO,
                   "Job not created error=\"args: sum up our lawsuits\"");
}

static void log_of_sink_query(struct invariants *all)
{
    added(all, 1, "agentdefinitions",
          "{'metadata':{'name':'d'},'spec':{'prompt':'x','output':{'sinks':["
          "{'type':'http','url':'https://sink.example/in?key=abc123'}]}}}");
    invariants_log(all, 2, "ctl-0", LOG_INFO,
                   "not delivered url=https://sink.example/in?key=abc123");
}

static void log_of_sink_host(struct invariants *all)
{
    added(all, 1, "agentdefinitions",
          "{'metadata':{'name':'d'},'spec':{'prompt':'short','output':{'sinks':["
          "{'type':'http','url':'https://sink.example/in?key=abc123'}]}}}");
    invariants_log(all, 2, "ctl-0", LOG_INFO, "a short line url=https://sink.example/in");
}

static void log_of_given_secret(struct invariants *all)
{
    invariants_secret(all, "token-1234");
    invariants_log(all, 2, "ctl-0", LOG_INFO, "using token-1234");
}

static void log_of_token(struct invariants *all)
{
    log_line(all, "request Authorization: Bearer x");
}

static void log_repeats(struct invariants *all, int count, int64_t pause_us)
{
    for (int i = 0; i < count; i++)
        invariants_log(all, i * pause_us, i % 2 == 0 ? "ctl-0" : "ctl-1", LOG_WARN,
                       i % 4 < 2 ? "lease not read who=a" : "lease not read who=b");
}

static void log_a_few_times(struct invariants *all)
{
    log_repeats(all, 2 * 20, 1);
}

static void log_again_and_again(struct invariants *all)
{
    log_repeats(all, 2 * 20 + 1, 1);
}

static void log_what_was_done(struct invariants *all)
{
    for (int i = 0; i < 100; i++)
        invariants_log(all, i, "ctl-0", LOG_INFO, "run changed agent=a");
}

/* Each of its lives says it ten times. */
static void log_in_two_lives(struct invariants *all)
{
    for (int64_t i = 0; i < 20; i++) {
        if (i == 10)
            invariants_process(all, 10 * US_PER_SECOND, "ctl-0", PROCESS_STARTED);
        for (int64_t j = 0; j < 2; j++)
            invariants_log(all, i * US_PER_SECOND, "ctl-0", LOG_WARN, "lease not read error=x");
    }
}

static void log_slowly(struct invariants *all)
{
    log_repeats(all, 2 * 100, 2 * US_PER_SECOND);
}

/* One Agent that ran and ended, and what two replicas say of it: each text is one's. */
static void metrics_of(struct invariants *all, const char *one, const char *other)
{
    const char *const texts[] = {one, other};

    added(all, 1, "agents", AGENT("x", "1", DONE("10")));
    added(all, 1, "jobs", "{'metadata':{'name':'j','uid':'j'}}");
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        char *text = xprintf("# TYPE controller_is_leader gauge\n%s", texts[i]);

        invariants_log(all, 2, i == 0 ? "ctl-0" : "ctl-1", LOG_INFO, text);
        free(text);
    }
    invariants_end(all, 3);
}

#define LEADS                                                                                      \
    "controller_is_leader 1\ncontroller_agents{phase=\"Succeeded\"} 1\n"                           \
    "controller_runs_completed_total{phase=\"Succeeded\",exit_code=\"0\"} 1\n"                     \
    "controller_jobs_created_total 1\n"
#define STANDS_BY "controller_is_leader 0\ncontroller_agents{phase=\"Succeeded\"} 0\n"

static void numbers_that_are_true(struct invariants *all)
{
    metrics_of(all, LEADS, STANDS_BY);
}

static void numbers_of_two_leaders(struct invariants *all)
{
    metrics_of(all, STANDS_BY "controller_is_leader 1\n", LEADS);
}

static void numbers_shown_twice(struct invariants *all)
{
    metrics_of(all, LEADS, STANDS_BY "controller_agents{phase=\"Succeeded\"} 1\n");
}

static void an_end_counted_twice(struct invariants *all)
{
    metrics_of(all, LEADS,
               STANDS_BY "controller_runs_completed_total{phase=\"Failed\",exit_code=\"1\"} 1\n");
}

static void a_job_counted_twice(struct invariants *all)
{
    metrics_of(all, LEADS, STANDS_BY "controller_jobs_created_total 1\n");
}

static void all_ended(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "1", DONE("10")));
    invariants_end(all, 2);
}

static void one_never_ends(struct invariants *all)
{
    added(all, 1, "agents", AGENT("x", "1", RUNNING));
    invariants_end(all, 2);
}

/* --- the table --- */

static const struct row {
    const char *id;
    void (*happens)(struct invariants *all);
    const char *violation; /* part of it; NULL: none */
} rows[] = {
    {"I-JOB",          one_job_each,                        NULL                                               },
    {"I-JOB",          job_again_when_pending,              NULL                                               },
    {"I-JOB",          job_again_when_gone,                 NULL                                               },
    {"I-JOB",          job_again_after_deletion,            "a second Job"                                     },
    {"I-PHASE",        forward,                             NULL                                               },
    {"I-PHASE",        backward,                            "went back from Running to Pending"                },
    {"I-PHASE",        starts_and_ends,                     NULL                                               },
    {"I-PHASE",        started_twice,                       "status.startedAt was written again"               },
    {"I-PHASE",        start_lost_at_the_end,               "status.jobName was written again"                 },
    {"I-PHASE",        ended_twice,                         "status.completedAt was written again"             },
    {"I-PHASE",        succeeded_became_failed,             "status.phase was written again"                   },
    {"I-EXIT",         forward,                             NULL                                               },
    {"I-EXIT",         failed_with_seven,                   NULL                                               },
    {"I-EXIT",         failed_with_zero,                    "Failed with exit code 0"                          },
    {"I-EXIT",         succeeded_with_one,                  "Succeeded with exit code 1"                       },
    {"I-EXIT",         failed_without_code,                 "without an exit code"                             },
    {"I-EXIT",         running_with_code,                   "Running and has an exit code"                     },
    {"I-UID",          own_job,                             NULL                                               },
    {"I-UID",          job_of_nobody,                       NULL                                               },
    {"I-UID",          namesakes_job,                       "belongs to the uid old"                           },
    {"I-CAP",          two_of_two,                          NULL                                               },
    {"I-CAP",          two_of_one,                          "number 2 to run at Station s, which allows 1"     },
    {"I-CAP",          two_under_forbid,                    "which allows 1"                                   },
    {"I-CAP",          two_after_limit_was_lowered,         "which allows 1"                                   },
    {"I-CAP",          two_just_after_limit_was_lowered,    NULL                                               },
    {"I-CAP",          two_begun_before_limit_was_lowered,  NULL                                               },
    {"I-CAP",          two_at_a_station_made_again,         NULL                                               },
    {"I-CAP",          moved_here_once_begun,               NULL                                               },
    {"I-CAP",          moved_here_and_begun_then,           "which allows 1"                                   },
    {"I-CAP",          begun_beside_one_just_moved_here,    NULL                                               },
    {"I-CAP",          begun_beside_one_moved_here,         "which allows 1"                                   },
    {"I-PRECONDITION", careful_writes,                      NULL                                               },
    {"I-PRECONDITION", blind_status,                        "PATCH " AGENTS "/x/status"                        },
    {"I-PRECONDITION", blind_delete,                        "DELETE"                                           },
    {"I-PRECONDITION", blind_json_patch,                    "PATCH"                                            },
    {"I-PRECONDITION", blind_renewal,                       "leases"                                           },
    {"I-LEAD",         taken_once_lapsed,                   NULL                                               },
    {"I-LEAD",         given_up_and_taken,                  NULL                                               },
    {"I-LEAD",         robbed,                              "14000 ms before"                                  },
    {"I-FENCE",        writes_as_renewal_fails,             NULL                                               },
    {"I-FENCE",        writes_while_young,                  NULL                                               },
    {"I-FENCE",        writes_by_a_slow_clock,              NULL                                               },
    {"I-FENCE",        writes_by_a_fast_clock,              "10001 ms after"                                   },
    {"I-FENCE",        reads_as_standby,                    NULL                                               },
    {"I-FENCE",        webhook_as_standby,                  NULL                                               },
    {"I-FENCE",        slot_as_standby,                     "was not the leader"                               },
    {"I-FENCE",        lists_as_standby,                    "was not the leader"                               },
    {"I-FENCE",        writes_as_it_goes_on,                NULL                                               },
    {"I-FENCE",        writes_after_it_went_on,             "39000 ms after"                                   },
    {"I-FENCE",        another_when_old,                    NULL                                               },
    {"I-FENCE",        renewed_long_ago,                    NULL                                               },
    {"I-FENCE",        writes_when_renewed_long_ago,        "was not the leader"                               },
    {"I-FENCE",        another_behind_a_page,               NULL                                               },
    {"I-FENCE",        another_when_given_up,               NULL                                               },
    {"I-FENCE",        a_new_one_makes_it_anew,             NULL                                               },
    {"I-FENCE",        another_makes_it_anew,               "1005 ms before"                                   },
    {"I-FENCE",        another_when_young,                  "9995 ms before"                                   },
    {"I-FENCE",        writes_when_old,                     "10200 ms after"                                   },
    {"I-FENCE",        writes_after_failed_renewal,         "was not the leader"                               },
    {"I-FENCE",        writes_after_silent_renewal,         "was not the leader"                               },
    {"I-FENCE",        writes_as_standby,                   "was not the leader"                               },
    {"I-FENCE",        writes_after_restart,                "was not the leader"                               },
    {"I-HISTORY",      oldest_pruned,                       NULL                                               },
    {"I-HISTORY",      pruned_behind_a_deletion,            NULL                                               },
    {"I-HISTORY",      pruned_long_after_a_deletion,        "only 1 of its Station s are newer"                },
    {"I-HISTORY",      pruned_behind_an_older_one,          "only 1 of its Station s are newer"                },
    {"I-HISTORY",      pruned_by_the_limit_of_before,       NULL                                               },
    {"I-HISTORY",      pruned_long_after_the_limit_changed, "only 2 of its Station s are newer"                },
    {"I-HISTORY",      newest_refused,                      NULL                                               },
    {"I-HISTORY",      newest_pruned,                       "Agent new was pruned"                             },
    {"I-HISTORY",      nothing_pruned,                      "Agent old is still there"                         },
    {"I-FIN",          own_finalizer_added,                 NULL                                               },
    {"I-FIN",          foreign_finalizer_lost,              "changed finalizers of others"                     },
    {"I-STORM",        fails_with_pauses,                   NULL                                               },
    {"I-STORM",        fails_without_pause,                 "failed 26 times"                                  },
    {"I-STORM",        pods_of_two_jobs,                    NULL                                               },
    {"I-STORM",        pods_of_one_job,                     "failed 26 times"                                  },
    {"I-STORM",        floods,                              "sent 4001 requests"                               },
    {"I-STORM",        few_hang,                            NULL                                               },
    {"I-STORM",        many_hang,                           "25 requests under way"                            },
    {"I-QUIET",        renews_at_rest,                      NULL                                               },
    {"I-QUIET",        writes_at_rest,                      "in a world at rest"                               },
    {"I-QUIET",        watches_at_rest,                     NULL                                               },
    {"I-QUIET",        watches_again_and_again,             "3 watches opened"                                 },
    {"I-QUIET",        reads_wildly_at_rest,                "400 reads"                                        },
    {"I-CHATTER",      log_a_few_times,                     NULL                                               },
    {"I-CHATTER",      log_what_was_done,                   NULL                                               },
    {"I-CHATTER",      log_in_two_lives,                    NULL                                               },
    {"I-CHATTER",      log_slowly,                          NULL                                               },
    {"I-CHATTER",      log_again_and_again,                 "ctl-0 warned 21 times within 60 s: lease not read"},
    {"I-NUMBERS",      numbers_that_are_true,               NULL                                               },
    {"I-NUMBERS",      numbers_of_two_leaders,              "controller_is_leader is 2 over all replicas"      },
    {"I-NUMBERS",      numbers_shown_twice,                 "controller_agents shows 2 Succeeded Agents"       },
    {"I-NUMBERS",      an_end_counted_twice,                "controller_runs_completed_total counts 2 ends"    },
    {"I-NUMBERS",      a_job_counted_twice,                 "controller_jobs_created_total counts 2 Jobs"      },
    {"I-SECRET",       log_of_words,                        NULL                                               },
    {"I-SECRET",       log_of_secret,                       "ctl-0 wrote the value of a Secret"                },
    {"I-SECRET",       log_of_encoded_secret,               "ctl-0 wrote the value of a Secret"                },
    {"I-SECRET",       log_of_given_secret,                 "ctl-0 wrote the value of a Secret"                },
    {"I-SECRET",       log_of_header_value,                 "ctl-0 wrote the value of a Secret"                },
    {"I-SECRET",       log_of_prompt,                       "ctl-0 wrote the value of a Secret, or a prompt"   },
    {"I-SECRET",       log_of_sink_query,                   "ctl-0 wrote the value of a Secret"                },
    {"I-SECRET",       log_of_sink_host,                    NULL                                               },
    {"I-SECRET",       log_of_token,                        "bearer token"                                     },
    {"I-LIVE",         all_ended,                           NULL                                               },
    {"I-LIVE",         one_never_ends,                      "Agent x is still Running"                         },
};

static void check(const struct row *row, size_t index)
{
    struct invariants *one = invariants_new_one(row->id);
    const struct violation *violation;

    next_id++;
    row->happens(one);
    violation = invariants_violation(one);
    if (row->violation == NULL && violation != NULL)
        fail_msg("row %zu, %s: %s", index, row->id, violation->text);
    if (row->violation != NULL && violation == NULL)
        fail_msg("row %zu, %s: no violation of '%s'", index, row->id, row->violation);
    if (row->violation != NULL && strstr(violation->text, row->violation) == NULL)
        fail_msg("row %zu, %s: '%s' is not in '%s'", index, row->id, row->violation,
                 violation->text);
    invariants_free(one);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i], i);
}

/** An invariant that has not been seen to fail proves nothing. */
static void test_each_fails_somewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < invariant_count(); i++) {
        bool good = false;
        bool bad = false;

        for (size_t j = 0; j < ARRAY_SIZE(rows); j++) {
            if (strcmp(rows[j].id, invariant_at(i)->id) != 0)
                continue;
            good = good || rows[j].violation == NULL;
            bad = bad || rows[j].violation != NULL;
        }
        if (!good || !bad)
            fail_msg("%s has no row that %s", invariant_at(i)->id, good ? "fails" : "passes");
    }
}

static void test_first_violation_is_kept(void **state)
{
    struct invariants *all = invariants_new();

    (void)state;
    backward(all);
    failed_with_zero(all);
    assert_string_equal(invariants_violation(all)->id, "I-PHASE");
    assert_int_equal(invariants_violation(all)->at_us, 2 * US_PER_SECOND);
    invariants_free(all);
}

static const struct path_row {
    const char *target;
    const char *group;
    const char *namespace;
    const char *plural;
    const char *name;
    const char *subresource;
    bool watch;
} path_rows[] = {
    {AGENTS "?watch=1&resourceVersion=5",               "agents.re-cinq.com",  "ai-agents", "agents",     "",                 "",
     true                                                                                                                                    },
    {AGENTS "/x/status",                                "agents.re-cinq.com",  "ai-agents", "agents",     "x",                "status", false},
    {LEASE,                                             "coordination.k8s.io", "ai-agents", "leases",     "agent-controller", "",       false},
    {"/api/v1/namespaces/n/pods/p/log?container=agent", "",                    "n",         "pods",       "p",                "log",    false},
    {"/api/v1/namespaces/n",                            "",                    "",          "namespaces", "n",                "",       false},
    {"/healthz",                                        "",                    "",          "",           "",                 "",       false},
};

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(path_rows); i++) {
        const struct path_row *row = &path_rows[i];
        struct api_path path;

        api_path_parse(row->target, &path);
        assert_string_equal(path.group, row->group);
        assert_string_equal(path.namespace, row->namespace);
        assert_string_equal(path.plural, row->plural);
        assert_string_equal(path.name, row->name);
        assert_string_equal(path.subresource, row->subresource);
        assert_int_equal(path.watch, row->watch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_each_fails_somewhere),
        cmocka_unit_test(test_first_violation_is_kept),
        cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
