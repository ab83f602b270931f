/* Every row of the lifecycle (RULES 3.1 to 3.3, 2.8; 6.1 and 7.1 for a controller without batch and
 * realtime). */
#include "tests/unit/rows.h"

#include "controller/agents/agent_decide.h"
#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/jobs/outcome_decide.h"
#include "controller/kinds/failure_reason.h"

/* What is known, in words (see words[]); what is not said is not known yet. */
static const struct row {
    const char *name;
    const char *facts;
    const char *want; /* the step; of a patch also what it says */
} rows[] = {
    {"3.1.0: being deleted", "pending deleting", "done"},
    {"3.1.0: being deleted while running", "running deleting", "done"},
    {"3.1.1: ended well", "succeeded", "done"},
    {"3.1.1: ended badly", "failed", "done"},

    {"3.4: begun: first its Job", "pending begun S D full", "get job"},
    {"3.4: begun, whatever has become of its Station", "pending begun S404 Jours",
     "patch Running started job agent-job-a"},
    {"3.4: begun, its Job unreadable", "pending begun S D full J500", "retry"},
    {"3.4: not begun after all", "pending begun S D whole built J404", "create job"},
    {"3.4: begun, but the Job is another's", "pending begun S D whole built Jother", "create job"},
    {"3.4: uncounted, its Station gone: first its Job", "pending uncounted S404", "get job"},
    {"3.4: uncounted, its Station gone, but its Job is there", "pending uncounted S404 Jours",
     "patch Running started job agent-job-a"},
    {"3.4: uncounted, its Station gone, and no Job", "pending uncounted S404 J404",
     "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.4: uncounted, its Station gone, and a Job that nobody owns", "pending uncounted S404 Jbare",
     "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.4: begun in this very step", "pending begun S D whole built C201",
     "patch Running started job agent-job-a"},
    {"3.4: begun in this very step, not created", "pending begun S D whole built C500", "retry"},
    {"3.2.1: first the Station", "pending", "get station"},
    {"3.2.1: no stationRef", "pending stationless",
     "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.2.1: Station 404", "pending S404", "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.2.2: Station unreadable", "pending S500", "retry"},
    {"3.2.1: then the recipe", "pending S", "get definition"},
    {"3.2.1: no agentDefRef", "pending S refless",
     "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.2.1: recipe 404", "pending S D404", "patch Failed code 1 missing_ref: " REASON_MISSING_REF},
    {"3.2.2: recipe unreadable", "pending S D500", "retry"},

    {"3.2.3: batch", "pending S Dbatch", "patch Failed code 1 refused: " REASON_BATCH_DISABLED},
    {"6.1.2: batch with resumeSession", "pending S Dbatch resume",
     "patch Failed code 1 refused: " REASON_RESUME_NEEDS_REALTIME},
    {"3.2.4: realtime", "pending S Drealtime",
     "patch Failed code 1 refused: " REASON_REALTIME_DISABLED},
    {"7.1: realtime with resumeSession", "pending S Drealtime resume",
     "patch Failed code 1 refused: " REASON_REALTIME_DISABLED},
    {"7.1: interactive with resumeSession", "pending S D resume",
     "patch Failed code 1 refused: " REASON_RESUME_NEEDS_REALTIME},
    {"6.1: checks fail a run even while the Station is full", "pending S Dbatch full",
     "patch Failed code 1 refused: " REASON_BATCH_DISABLED},

    {"3.2.5: full", "pending S D full", "done"},
    {"3.2.5: full, nothing is read whole", "pending S D full whole", "done"},
    {"4.5: others are under way at a Station with a limit", "pending S D free crowded", "yield"},
    {"4.5: others are under way at one without", "pending S D crowded", "get agent"},
    {"4.5: others have come after the Job was sent", "pending S D free crowded whole built C201",
     "patch Running started job agent-job-a"},
    {"4.3: the Agent whole", "pending S D", "get agent"},
    {"3.2.7: build", "pending S D whole", "build job"},
    {"3.2.7: cannot be built", "pending S D whole unbuildable",
     "patch Failed code 1 refused: no way"},
    {"3.2.7: create", "pending S D whole built", "create job"},
    {"3.2.6: no victim for what cannot be built", "pending S D preempt whole unbuildable",
     "patch Failed code 1 refused: no way"},
    {"3.2.6: Replace", "pending S D preempt whole built", "delete victim"},
    {"3.4: room, but only by overtaking", "pending S D limit2 running1 ahead1", "done"},
    {"3.4: whose Job may land yet has its place", "pending begun J404 S D limit2 running1 ahead1",
     "get agent"},
    {"3.4: ... unless others took it", "pending begun J404 S D limit2 running2 ahead1", "done"},
    {"3.4: room for those ahead too", "pending S D limit2 running0 ahead1", "get agent"},
    {"3.4: those ahead do not matter without a limit", "pending S D running1 ahead1", "get agent"},
    {"3.4: Replace does not overtake either", "pending S D preempt ahead1 whole built", "done"},
    {"3.4: who has begun is not known yet", "pending S D limit2 uncounted", "done"},
    {"3.4: that does not matter without a limit", "pending S D uncounted", "get agent"},
    {"3.4: nobody surely runs", "pending S D preempt unsure whole built", "done"},
    {"3.4: victim gone", "pending S D whole built Vgone", "create job"},
    {"3.4: one victim for one run", "pending S D preempt whole built Vgone", "create job"},
    {"3.4: victim 409", "pending S D preempt whole built V409", "done"},
    {"3.4: victim not deleted", "pending S D preempt whole built V500", "retry"},
    {"3.2: 201", "pending S D whole built C201", "patch Running started job agent-job-a"},
    {"3.2: 201, and the Station has filled up since", "pending S D full whole built C201",
     "patch Running started job agent-job-a"},
    {"3.2: 201, with a jobName that was there before", "pending named S D whole built C201",
     "patch Running started job agent-job-a"},
    {"3.2: 422", "pending S D whole built C422", "patch Failed code 1 refused: the API says no"},
    {"3.2: 403, 429, 5xx, network", "pending S D whole built C500", "retry"},
    {"3.2: 409", "pending S D whole built C409", "get job"},
    {"3.2: 409, ours", "pending S D whole built C409 Jours",
     "patch Running started job agent-job-a"},
    {"3.2: 409, ours and ended", "pending S D whole built C409 Jcomplete",
     "patch Running started job agent-job-a"},
    {"3.2: 409, of no Agent", "pending S D whole built C409 Jbare",
     "patch Running started job agent-job-a"},
    {"3.2: 409, of a former namesake", "pending S D whole built C409 Jother", "done"},
    {"3.2: 409, being deleted", "pending S D whole built C409 Jdeleting", "done"},
    {"3.2: 409, gone since", "pending S D whole built C409 J404", "retry"},
    {"3.2: 409, unreadable", "pending S D whole built C409 J500", "retry"},
    {"3.6: started", "running S D whole built C201 W200", "done"},
    {"3.6: start refused by 409", "pending S D whole built C201 W409", "refresh"},
    {"3.6: start not written", "pending S D whole built C201 W500", "refresh"},

    {"3.1.4: a batch in flight", "running batch", "done"},
    {"3.1.4: a fallback without a Job", "running batch fallback", "done"},
    {"3.1.5: a fallback with its Job", "running batch fallback named", "get job"},
    {"3.3: first the Job", "running named", "get job"},
    {"3.3: Job unreadable", "running named J500", "retry"},
    {"3.3: running", "running named Jours", "done"},
    {"2.8.1: Job gone", "running named J404",
     "patch Failed code 1 ended job jobs-name output []: " REASON_JOB_GONE},
    {"2.8.1: the Job is another's", "running named Jother",
     "patch Failed code 1 ended job jobs-name output []: " REASON_JOB_GONE},
    {"2.8.1: a Job of no Agent is the run's", "running named Jbare", "done"},
    {"3.3: its own Job, being deleted, tells until it is gone", "running named Jdeleting", "done"},
    {"2.8.4: then the pods", "running named Jcomplete", "list pods"},
    {"2.8.6: then the log", "running named Jcomplete Pcode0", "get log"},
    {"3.3: succeeded", "running named Jcomplete Pcode0 L200",
     "patch Succeeded code 0 ended job jobs-name output [the log]"},
    {"4.5: the listing shows the Job as it was", "running named Junchanged", "done"},
    {"4.5: a Job that was read counts as read", "running named Junchanged Jcomplete", "list pods"},
    {"2.8: no jobName: the derived one is written", "running Jcomplete Pcode0 L200",
     "patch Succeeded code 0 ended job agent-job-a output [the log]"},
    {"2.8.7: no pod", "running named Jcomplete Pnone",
     "patch Succeeded code 0 ended job jobs-name output []: " REASON_OUTPUT_UNAVAILABLE},
    {"2.8.7: pods unreadable", "running named Jcomplete P500",
     "patch Succeeded code 0 ended job jobs-name output []: " REASON_OUTPUT_UNAVAILABLE},
    {"2.8.7: log unreadable", "running named Jcomplete Pcode0 L500",
     "patch Succeeded code 0 ended job jobs-name output []: " REASON_OUTPUT_UNAVAILABLE},
    {"2.8.7: pods unreadable, this time", "running named Jcomplete P500 later", "retry"},
    {"2.8.7: log unreadable, this time", "running named Jcomplete Pcode0 L500 later", "retry"},
    {"3.3: failed", "running named Jfailed Pcode3 L200",
     "patch Failed code 3 ended job jobs-name output [the log]: R: m"},
    {"2.8.8: failed with code 0", "running named Jfailed Pcode0 L200",
     "patch Failed code 1 ended job jobs-name output [the log]: R: m"},
    {"2.8.7: failed, no pod, the reason is kept", "running named Jfailed Pnone",
     "patch Failed code 1 ended job jobs-name output []: R: m"},
    {"3.6: end refused by 409", "running named Jcomplete Pcode0 L200 W409", "refresh"},
    {"3.6: end not written", "running named Jcomplete Pcode0 L200 W500", "refresh"},
    {"3.5: ended: prune", "succeeded named Jcomplete Pcode0 L200 W200", "prune"},
    {"3.5: ended and pruned", "succeeded named Jcomplete Pcode0 L200 W200 pruned", "done"},
    {"3.5: failed before the start: prune too", "failed S404 W200", "prune"},
};

/* A view and what it points at. */
struct scene {
    struct agent_view view;
    struct agent agent;
    struct station station;
    struct definition definition;
    struct job job;
    struct job_condition condition;
    struct pod pod;
};

static char text_a[] = "a", text_u1[] = "u1", text_u2[] = "u2", text_s[] = "s", text_d[] = "d",
            text_x[] = "x", text_job[] = "jobs-name", text_reason[] = "R", text_message[] = "m",
            text_none[] = "";

static void find_job(struct scene *scene, enum job_condition_type type, char *owner)
{
    scene->view.job_read = READ_FOUND;
    scene->job.owner_uid = owner;
    scene->condition.type = type;
    scene->job.condition_count = type == JOB_CONDITION_OTHER ? 0 : 1;
}

static void find_pod(struct scene *scene, int64_t exit_code)
{
    scene->view.pods_read = READ_FOUND;
    scene->view.pod = &scene->pod;
    scene->pod.has_exit_code = true;
    scene->pod.exit_code = exit_code;
}

/* The Agent itself. */
static bool tell_agent(struct scene *scene, const char *word)
{
    struct agent *agent = &scene->agent;

    if (text_equal(word, "pending"))
        agent->phase = AGENT_PENDING;
    else if (text_equal(word, "running"))
        agent->phase = AGENT_RUNNING;
    else if (text_equal(word, "succeeded"))
        agent->phase = AGENT_SUCCEEDED;
    else if (text_equal(word, "failed"))
        agent->phase = AGENT_FAILED;
    else if (text_equal(word, "deleting"))
        agent->deleting = true;
    else if (text_equal(word, "begun"))
        agent->begun = true;
    else if (text_equal(word, "stationless"))
        agent->station = NULL;
    else if (text_equal(word, "resume"))
        agent->resume_session = text_x;
    else if (text_equal(word, "batch"))
        agent->batch_id = text_x;
    else if (text_equal(word, "fallback"))
        agent->batch_fallback = true;
    else if (text_equal(word, "named"))
        agent->job = text_job;
    else
        return false;
    return true;
}

/* Its Station and recipe, and the building of its Job. */
static bool tell_refs(struct scene *scene, const char *word)
{
    struct agent_view *view = &scene->view;

    if (text_starts_with(word, "S")) {
        view->station_read = READ_FOUND;
        if (text_equal(word, "S404"))
            view->station_read = READ_MISSING;
        else if (text_equal(word, "S500"))
            view->station_read = READ_FAILED;
    } else if (text_starts_with(word, "D")) {
        view->definition_read = READ_FOUND;
        if (text_equal(word, "D404"))
            view->definition_read = READ_MISSING;
        else if (text_equal(word, "D500"))
            view->definition_read = READ_FAILED;
        else if (text_equal(word, "Dbatch"))
            scene->definition.execution = EXECUTION_BATCH;
        else if (text_equal(word, "Drealtime"))
            scene->definition.execution = EXECUTION_REALTIME;
    } else if (text_equal(word, "refless")) {
        scene->station.definition = text_none;
    } else if (text_equal(word, "full") || text_equal(word, "preempt")) {
        scene->station.policy = word[0] == 'f' ? CONCURRENCY_FORBID : CONCURRENCY_REPLACE;
        view->running = 1;
        view->has_victim = true;
    } else if (text_starts_with(word, "limit")) {
        scene->station.runs_max = word[5] - '0';
    } else if (text_starts_with(word, "running")) {
        view->running = (size_t)(word[7] - '0');
    } else if (text_starts_with(word, "ahead")) {
        view->ahead = (size_t)(word[5] - '0');
    } else if (text_equal(word, "uncounted")) {
        view->uncounted = true;
    } else if (text_equal(word, "unsure")) {
        view->has_victim = false;
    } else if (text_equal(word, "free")) {
        scene->station.policy = CONCURRENCY_FORBID;
    } else if (text_equal(word, "crowded")) {
        view->crowded = true;
    } else if (text_equal(word, "whole")) {
        view->whole = true;
    } else if (text_equal(word, "built")) {
        view->build = WRITE_DONE;
    } else if (text_equal(word, "unbuildable")) {
        view->build = WRITE_REFUSED;
        view->build_error = "no way";
    } else {
        return false;
    }
    return true;
}

static enum write write_of(const char *code)
{
    if (text_equal(code, "409"))
        return WRITE_CONFLICT;
    if (text_equal(code, "422"))
        return WRITE_REFUSED;
    return text_equal(code, "500") ? WRITE_FAILED : WRITE_DONE;
}

/* Its Job, pod, log, and what was written. */
static bool tell_run(struct scene *scene, const char *word)
{
    struct agent_view *view = &scene->view;

    if (word[0] == 'V')
        view->victim = write_of(word + 1);
    else if (word[0] == 'C')
        view->create = write_of(word + 1);
    else if (word[0] == 'W')
        view->patch = write_of(word + 1);
    else if (text_equal(word, "Jours"))
        find_job(scene, JOB_CONDITION_OTHER, text_u1);
    else if (text_equal(word, "Jbare"))
        find_job(scene, JOB_CONDITION_OTHER, NULL);
    else if (text_equal(word, "Jother"))
        find_job(scene, JOB_CONDITION_OTHER, text_u2);
    else if (text_equal(word, "Jcomplete"))
        find_job(scene, JOB_CONDITION_COMPLETE, text_u1);
    else if (text_equal(word, "Jfailed"))
        find_job(scene, JOB_CONDITION_FAILED, text_u1);
    else if (text_equal(word, "Junchanged"))
        view->job_unchanged = true;
    else if (text_equal(word, "J404"))
        view->job_read = READ_MISSING;
    else if (text_equal(word, "J500"))
        view->job_read = READ_FAILED;
    else if (text_equal(word, "Pnone"))
        view->pods_read = READ_FOUND;
    else if (text_equal(word, "P500"))
        view->pods_read = READ_FAILED;
    else if (text_starts_with(word, "Pcode"))
        find_pod(scene, word[5] - '0');
    else if (text_equal(word, "L200"))
        view->log_read = READ_FOUND;
    else if (text_equal(word, "L500"))
        view->log_read = READ_FAILED;
    else if (text_equal(word, "later"))
        view->output_may_come = true;
    else if (text_equal(word, "pruned"))
        view->pruned = true;
    else
        return false;
    return true;
}

static void tell(struct scene *scene, const char *word)
{
    if (text_equal(word, "Jdeleting")) {
        find_job(scene, JOB_CONDITION_OTHER, text_u1);
        scene->job.deleting = true;
    } else if (!tell_agent(scene, word) && !tell_refs(scene, word) && !tell_run(scene, word)) {
        fail_msg("no such fact: %s", word);
    }
}

static void set_scene(struct scene *scene, const char *facts)
{
    char *words = xstrdup(facts);
    char *rest = words;

    *scene = (struct scene){
        .agent = {.name = text_a, .uid = text_u1, .station = text_s},
        .station = {.name = text_s, .definition = text_d},
        .condition = {.reason = text_reason, .message = text_message},
        .view = {.now_us = 100 * US_PER_SECOND, .output = "the log", .output_size = 7},
    };
    scene->job.conditions = &scene->condition;
    scene->view.agent = &scene->agent;
    scene->view.station = &scene->station;
    scene->view.definition = &scene->definition;
    scene->view.job = &scene->job;
    scene->view.create_error = "the API says no";
    while (rest != NULL) {
        char *word = rest;

        rest = strchr(rest, ' ');
        if (rest != NULL)
            *rest++ = '\0';
        tell(scene, word);
    }
    free(words);
}

static const char *const step_names[] = {
    [STEP_DONE] = "done",
    [STEP_RETRY] = "retry",
    [STEP_YIELD] = "yield",
    [STEP_GET_STATION] = "get station",
    [STEP_GET_DEFINITION] = "get definition",
    [STEP_GET_AGENT] = "get agent",
    [STEP_BUILD_JOB] = "build job",
    [STEP_DELETE_VICTIM] = "delete victim",
    [STEP_CREATE_JOB] = "create job",
    [STEP_GET_JOB] = "get job",
    [STEP_LIST_PODS] = "list pods",
    [STEP_GET_LOG] = "get log",
    [STEP_PATCH] = "patch",
    [STEP_REFRESH] = "refresh",
    [STEP_PRUNE] = "prune",
};

static const char *const event_names[] = {
    [RUN_STARTED] = "started",
    [RUN_MISSING_REF] = "missing_ref",
    [RUN_REFUSED] = "refused",
    [RUN_ENDED] = "ended",
};

static void describe(const struct agent_decision *decision, struct buffer *into)
{
    const struct agent_change *change = &decision->change;

    buffer_append_text(into, step_names[decision->step]);
    if (decision->step != STEP_PATCH)
        return;
    buffer_append_format(into, " %s", agent_phase_name(change->phase));
    if (change->has_exit_code)
        buffer_append_format(into, " code %d", (int)change->exit_code);
    buffer_append_format(into, " %s", event_names[decision->event]);
    if (change->job != NULL)
        buffer_append_format(into, " job %s", change->job);
    if (change->output != NULL)
        buffer_append_format(into, " output [%.*s]", (int)change->output_size, change->output);
    if (change->failure_reason != NULL)
        buffer_append_format(into, ": %s", change->failure_reason);
    /* 1.1: startedAt at the start alone, completedAt at every end */
    assert_true(change->started_at_us ==
                (decision->event == RUN_STARTED ? 100 * US_PER_SECOND : AGENT_NO_TIME));
    assert_true(change->completed_at_us ==
                (decision->event == RUN_STARTED ? AGENT_NO_TIME : 100 * US_PER_SECOND));
}

static void test_step(void **state)
{
    const struct row *row = *state;
    struct scene scene;
    struct agent_decision decision;
    struct buffer got = BUFFER_INIT(4096);

    set_scene(&scene, row->facts);
    agent_decide(&scene.view, &decision);
    describe(&decision, &got);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("%s: got %s, want %s", row->name, buffer_text(&got), row->want);
    agent_decision_release(&decision);
    buffer_release(&got);
}

int main(void)
{
    return ROWS_RUN(rows, test_step);
}
