/* reconcile_answers - what the API server's answers add to what is known of a run. */
#include <stdlib.h>
#include <string.h>

#include "controller/agents/reconcile_parts.h"
#include "controller/agents/run_metrics.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/outcome_decide.h"
#include "controller/jobs/output_cap.h"
#include "controller/kinds/failure_reason.h"
#include "controller/telemetry/controller_metrics.h"

/* How often an Agent that keeps changing is read again in one reconcile. */
#define WHOLE_READS_MAX 3
/* How often pods and log of a run that has ended are tried again after a failure that may pass. */
#define OUTPUT_RETRIES_MAX 3

/* Every call's end: true when the reconcile goes on with it. */
static bool call_ended(struct reconcile *reconcile, const struct kube_result *result)
{
    reconcile->call = NULL;
    reconcile->writing = false;
    if (result->retry_after_us > reconcile->retry_after_us)
        reconcile->retry_after_us = result->retry_after_us;
    return !reconcile->abandoned;
}

static void log_failure(struct reconcile *reconcile, const char *message, const struct error *err)
{
    context_log_failure(reconcile->context, message, "agent", reconcile->name, err);
}

static enum read read_of(const struct kube_result *result)
{
    if (result->ok)
        return READ_FOUND;
    return kube_result_is_missing(result) ? READ_MISSING : READ_FAILED;
}

/* More than a request may have, or than etcd stores, which the API server passes on as a 500. */
static bool is_too_large(const struct kube_result *result)
{
    const char *message = text_or(result->refusal.message, "");

    return result->status == 413 ||
           (result->status == 500 && (strstr(message, "request is too large") != NULL ||
                                      strstr(message, "message larger than max") != NULL));
}

/* Whether the API server itself says so: nothing is given up at the word of a gateway. */
static bool is_from_server(const struct kube_result *result)
{
    return result->refusal.reason != NULL || result->refusal.message != NULL;
}

static enum write write_of(const struct kube_result *result)
{
    if (kube_result_landed(result))
        return WRITE_DONE;
    if (result->status == 409)
        return WRITE_CONFLICT;
    if (result->status == 422 && is_from_server(result))
        return WRITE_REFUSED;
    return is_too_large(result) ? WRITE_REFUSED : WRITE_FAILED;
}

/* --- reads --- */

static void mark(const struct reconcile *reconcile, enum mark mark)
{
    runtime_mark(reconcile->context->rt, mark);
}

static void ref_unread(struct reconcile *reconcile, const char *message, const struct error *err)
{
    mark(reconcile, MARK_REF_UNREAD);
    log_failure(reconcile, message, err);
}

void reconcile_on_station(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    struct station *station = NULL;
    struct error err = result->error;

    call_ended(reconcile, result);
    reconcile->view.station_read = read_of(result);
    if (result->ok && !station_read(result->body, &station, &err))
        reconcile->view.station_read = READ_FAILED;
    if (station != NULL) {
        reconcile->station =
            refs_add_station(reconcile->context->refs, station, result->sent_elapsed_us);
        reconcile->view.station = ref_station(reconcile->station);
    }
    if (reconcile->view.station_read == READ_FAILED)
        ref_unread(reconcile, "Station not read", &err);
    reconcile_step(reconcile);
}

void reconcile_on_definition(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    struct definition *definition = NULL;
    struct error err = result->error;

    call_ended(reconcile, result);
    reconcile->view.definition_read = read_of(result);
    if (result->ok && !definition_read(result->body, &definition, &err))
        reconcile->view.definition_read = READ_FAILED;
    if (definition != NULL) {
        reconcile->definition =
            refs_add_definition(reconcile->context->refs, definition, result->sent_elapsed_us);
        reconcile->view.definition = ref_definition(reconcile->definition);
    }
    if (reconcile->view.definition_read == READ_FAILED)
        ref_unread(reconcile, "AgentDefinition not read", &err);
    reconcile_step(reconcile);
}

/* Whether the cache still has what the decisions were made from. */
static bool is_unchanged(const struct reconcile *reconcile)
{
    const struct agent *now = agent_cache_get(reconcile->context->cache, reconcile->name);

    return now != NULL && text_equal(now->uid, reconcile->agent->uid) &&
           text_equal(now->resource_version, reconcile->agent->resource_version);
}

/* The Agent as it is now, from a whole read. False: there is none, or it cannot be used. */
static bool take_agent(struct reconcile *reconcile, const struct kube_result *result,
                       struct agent **ret_agent)
{
    struct error err = result->error;

    if (result->ok && agent_read(result->body, ret_agent, &err))
        return true;
    if (kube_result_is_missing(result)) {
        agent_cache_remove(reconcile->context->cache, reconcile->name, reconcile->agent->uid, NULL);
        reconcile_finish(reconcile, RECONCILE_DONE);
    } else {
        log_failure(reconcile, "Agent not read", &err);
        reconcile_finish(reconcile, RECONCILE_ERROR);
    }
    return false;
}

void reconcile_on_refreshed(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    struct agent *agent = NULL;

    call_ended(reconcile, result);
    if (!take_agent(reconcile, result, &agent))
        return;
    if (reconcile->view.patch == WRITE_FAILED)
        mark(reconcile, agent->phase == reconcile->agent->phase ? MARK_PATCH_HAD_NOT_LANDED
                                                                : MARK_PATCH_HAD_LANDED);
    if (is_unchanged(reconcile))
        agent_cache_put(reconcile->context->cache, agent);
    else
        agent_free(agent);
    reconcile_finish(reconcile,
                     reconcile->view.patch == WRITE_FAILED ? RECONCILE_ERROR : RECONCILE_CONFLICT);
}

void reconcile_on_whole(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;

    call_ended(reconcile, result);
    if (!take_agent(reconcile, result, &agent))
        return;
    if (!is_unchanged(reconcile)) {
        mark(reconcile, MARK_WHOLE_READ_AGAIN);
        agent_free(agent); /* which of the two is newer, nobody knows: read again */
        if (++reconcile->whole_reads < WHOLE_READS_MAX)
            reconcile_step(reconcile);
        else
            reconcile_finish(reconcile, RECONCILE_CONFLICT);
        return;
    }
    agent_spec_free(reconcile->spec);
    free(reconcile->spec_version);
    reconcile->spec = NULL;
    reconcile->spec_version = xstrdup(agent->resource_version);
    agent_cache_put(reconcile->context->cache, agent);
    if (!agent_spec_read(result->body, &reconcile->spec, &err)) {
        log_failure(reconcile, "Agent not usable", &err);
        reconcile_finish(reconcile, RECONCILE_ERROR);
        return;
    }
    reconcile_step(reconcile);
}

/* So that the next pass need not read it again while it stays as it is. */
static void note_job(struct reconcile *reconcile)
{
    char derived[SAFE_NAME_SIZE];
    char *reason = NULL;

    if (!text_is_empty(reconcile->job.uid) &&
        outcome_of_job(&reconcile->job, &reason) == JOB_RUNNING)
        job_roll_note(reconcile->context->jobs, reconcile_job_name(reconcile, derived),
                      reconcile->job.uid);
    free(reason);
}

/* There is no Job of a run that has not begun to show. */
static void forget_job(struct reconcile *reconcile)
{
    (void)agent_cache_set_begun(reconcile->context->cache, reconcile->name, reconcile->agent->uid,
                                false);
}

static void mark_job(const struct reconcile *reconcile, bool ours)
{
    const struct agent_view *view = &reconcile->view;

    if (view->job_read == READ_FAILED)
        return;
    if (reconcile->agent->phase == AGENT_RUNNING) {
        if (view->job_read == READ_MISSING)
            mark(reconcile, MARK_JOB_GONE);
    } else if (view->create == WRITE_CONFLICT) {
        mark(reconcile, ours ? MARK_JOB_WAS_THERE : MARK_JOB_OF_NAMESAKE);
    } else {
        mark(reconcile, ours ? MARK_RUN_RESUMED : MARK_RUN_NOT_BEGUN);
    }
}

void reconcile_on_job(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    bool ours;

    call_ended(reconcile, result);
    reconcile->view.job_read = read_of(result);
    if (result->ok) {
        job_release(&reconcile->job);
        job_read(result->body, &reconcile->job);
        note_job(reconcile);
        reconcile->view.job = &reconcile->job;
    } else if (reconcile->view.job_read == READ_FAILED) {
        log_failure(reconcile, "Job not read", &result->error);
    }
    ours = result->ok && agent_owns_job(reconcile->agent, &reconcile->job);
    mark_job(reconcile, ours);
    if (result->ok && !ours) /* none of ours lands beside it */
        agent_cache_set_sent(reconcile->context->cache, reconcile->agent->uid, false);
    if (reconcile->view.job_read != READ_FAILED && !ours)
        forget_job(reconcile);
    reconcile_step(reconcile);
}

/* What is left of a run is not given up because the server is busy, nor for one answer that failed
 * to come (RULES.md 2.8). */
static void note_unread(struct reconcile *reconcile, const struct kube_result *result)
{
    bool broke = result->end == EXCHANGE_UNRESOLVED || result->end == EXCHANGE_REFUSED ||
                 result->end == EXCHANGE_RESET;
    bool strange = result->status >= 200 && result->status <= 299 &&
                   !result->ok; /* who answers so is not the API server */
    bool passing = broke || strange || result->status == 401 || result->status == 429 ||
                   (result->status >= 500 && result->status <= 599);

    reconcile->view.output_may_come =
        result->retry_after_us > 0 || (passing && reconcile->failures < OUTPUT_RETRIES_MAX);
    mark(reconcile,
         reconcile->view.output_may_come ? MARK_OUTPUT_TRIED_AGAIN : MARK_OUTPUT_GIVEN_UP);
}

void reconcile_on_pods(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    char *reason = NULL;

    call_ended(reconcile, result);
    reconcile->view.pods_read = read_of(result);
    if (result->ok) {
        pod_list_release(&reconcile->pods);
        pod_list_read(result->body, &reconcile->pods);
        reconcile->view.pod = outcome_pod(&reconcile->pods, reconcile->job.uid,
                                          outcome_of_job(&reconcile->job, &reason));
        free(reason);
        if (reconcile->view.pod == NULL)
            mark(reconcile, MARK_POD_GONE);
    } else {
        log_failure(reconcile, "pods not listed", &result->error);
        note_unread(reconcile, result);
    }
    reconcile_step(reconcile);
}

void reconcile_on_log(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    size_t cap = reconcile->context->output_bytes_max;

    call_ended(reconcile, result);
    reconcile->view.log_read = result->ok && result->status == 200 ? READ_FOUND : READ_FAILED;
    if (reconcile->view.log_read == READ_FOUND) {
        reconcile->output = BUFFER_INIT(cap + 64); /* and the marker */
        output_cap(result->text, result->text_size, result->text_total, cap, &reconcile->output);
        reconcile->view.output = buffer_text(&reconcile->output);
        reconcile->view.output_size = reconcile->output.size;
        if (result->text_total > cap)
            mark(reconcile, MARK_OUTPUT_CUT);
    } else {
        log_failure(reconcile, "log not read", &result->error);
        note_unread(reconcile, result);
    }
    reconcile_step(reconcile);
}

/* --- writes --- */

/* A whole 201 that is no object is not the API server's. */
static bool is_created(const struct kube_result *result)
{
    return result->status == 201 && (result->ok || result->end != EXCHANGE_COMPLETE);
}

static enum write create_of(const struct kube_result *result)
{
    if (kube_result_landed(result) && !is_created(result))
        return WRITE_FAILED; /* who answers so has not created it: look later */
    if (result->status == 400 && is_from_server(result))
        return WRITE_REFUSED; /* a template that is no pod template */
    return write_of(result);
}

/* What the answer says of the Job. Without one, or after a failure of the server's, nobody knows:
 * it is there, or comes yet, or never. Nor does an answer that is not the last word about the Job
 * say anything of a request before it. */
static void note_fate(struct reconcile *reconcile, const struct kube_result *result)
{
    struct agent_cache *cache = reconcile->context->cache;
    bool refused = create_of(result) == WRITE_REFUSED || result->status == 403;
    bool not_taken = refused || (result->status >= 400 && result->status <= 499);

    if (is_created(result) || refused || (not_taken && !reconcile->sent_again))
        agent_cache_set_sent(cache, reconcile->agent->uid, false);
    if (not_taken && result->status != 409 && !reconcile->abandoned)
        forget_job(reconcile);
}

static void mark_created(const struct reconcile *reconcile, const struct kube_result *result)
{
    if (reconcile->view.create == WRITE_DONE)
        mark(reconcile, MARK_JOB_CREATED);
    else if (reconcile->view.create == WRITE_REFUSED)
        mark(reconcile, MARK_JOB_REFUSED);
    else if (reconcile->view.create == WRITE_FAILED)
        mark(reconcile, result->status == 0 ? MARK_JOB_ANSWER_LOST : MARK_JOB_NOT_MADE);
}

void reconcile_on_created(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;

    if (is_created(result))
        metrics_count(reconcile->context->metrics, METRIC_JOBS_CREATED, NULL, NULL);
    note_fate(reconcile, result);
    if (!call_ended(reconcile, result)) {
        reconcile_finish(reconcile, RECONCILE_FENCED);
        return;
    }
    reconcile->view.create = create_of(result);
    mark_created(reconcile, result);
    if (reconcile->view.create == WRITE_REFUSED) {
        free(reconcile->create_error);
        reconcile->create_error = xstrdup(text_or(result->refusal.message, REASON_JOB_REFUSED));
        reconcile->view.create_error = reconcile->create_error;
    }
    if (reconcile->view.create == WRITE_REFUSED || reconcile->view.create == WRITE_FAILED)
        log_failure(reconcile, "Job not created", &result->error);
    reconcile_step(reconcile);
}

static void mark_victim(const struct reconcile *reconcile, const struct kube_result *result)
{
    mark(reconcile, kube_result_landed(result)       ? MARK_VICTIM_DELETED
                    : kube_result_is_missing(result) ? MARK_VICTIM_WAS_GONE
                    : result->status == 409          ? MARK_VICTIM_CHANGED
                                                     : MARK_VICTIM_NOT_DELETED);
}

void reconcile_on_victim_deleted(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    const struct agent *victim = reconcile->victim;
    const struct log_field fields[] = {LOG_TEXT("agent", victim->name),
                                       LOG_TEXT("for", reconcile->name)};
    const struct log_record record = {LOG_INFO, "run preempted", fields, ARRAY_SIZE(fields)};

    mark_victim(reconcile, result);
    if (kube_result_landed(result)) {
        run_metrics_preempted(reconcile->context->metrics);
        runtime_log(reconcile->context->rt, &record);
    }
    if (!call_ended(reconcile, result)) {
        reconcile_finish(reconcile, RECONCILE_FENCED);
        return;
    }
    if (kube_result_is_missing(result)) /* it made no room: another may have to */
        reconcile->view.victim = WRITE_NOT_YET;
    else
        reconcile->view.victim = write_of(result);
    if (kube_result_is_missing(result) || reconcile->view.victim == WRITE_DONE)
        agent_cache_mark_deleting(reconcile->context->cache, victim->name, victim->uid);
    else
        log_failure(reconcile, "run not preempted", &result->error);
    reconcile_step(reconcile);
}

static void log_patched(struct reconcile *reconcile, const struct agent_change *change)
{
    const struct log_field fields[] = {
        LOG_TEXT("agent", reconcile->name),
        LOG_TEXT("station", reconcile->agent->station),
        LOG_TEXT("phase", agent_phase_name(change->phase)),
        LOG_TEXT("job", change->job),
        LOG_TEXT("reason", change->failure_reason),
    };
    const struct log_record record = {LOG_INFO, "run changed", fields, ARRAY_SIZE(fields)};

    runtime_log(reconcile->context->rt, &record);
}

static void patch_accepted(struct reconcile *reconcile, const struct kube_result *result)
{
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;

    if (!result->ok || !agent_read(result->body, &agent, &err)) {
        agent = agent_copy(reconcile->agent); /* the answer does not say, but we know */
        agent_apply(agent, &reconcile->decision.change);
    }
    if (!reconcile->abandoned)
        agent_cache_end_write(reconcile->context->cache, reconcile->name, agent_copy(agent));
    agent_free(reconcile->agent);
    reconcile->agent = agent;
}

static void mark_patch(const struct reconcile *reconcile, const struct kube_result *result,
                       enum write write)
{
    if (kube_result_is_missing(result))
        mark(reconcile, MARK_PATCH_OF_THE_GONE);
    else if (write == WRITE_CONFLICT)
        mark(reconcile, MARK_PATCH_CONFLICT);
    else
        mark(reconcile, write == WRITE_REFUSED ? MARK_PATCH_REFUSED : MARK_PATCH_FAILED);
}

/* A patch that was not accepted, for all that is known. */
static enum write patch_failed(struct reconcile *reconcile, const struct kube_result *result)
{
    enum write write = kube_result_is_missing(result) ? WRITE_CONFLICT : write_of(result);

    mark_patch(reconcile, result, write);
    log_failure(reconcile, "status not patched", &result->error);
    if (reconcile->abandoned)
        return write;
    agent_cache_end_write(reconcile->context->cache, reconcile->name, NULL);
    if (write == WRITE_REFUSED && reconcile->decision.change.output_size > 0) {
        mark(reconcile, MARK_OUTPUT_NOT_STORED);
        reconcile->view.log_read = READ_FAILED; /* an output that cannot be stored: without it */
        write = WRITE_NOT_YET;
    }
    return write;
}

void reconcile_on_patched(void *arg, const struct kube_result *result)
{
    struct reconcile *reconcile = arg;
    bool goes_on = call_ended(reconcile, result);

    if (result->ok) {
        run_metrics_patched(reconcile->context->metrics, reconcile->agent,
                            &reconcile->decision.change, reconcile->decision.event,
                            runtime_wall_us(reconcile->context->rt));
        log_patched(reconcile, &reconcile->decision.change);
        patch_accepted(reconcile, result);
        reconcile->view.patch = WRITE_DONE;
    } else {
        reconcile->view.patch = patch_failed(reconcile, result);
    }
    if (!goes_on)
        reconcile_finish(reconcile, RECONCILE_FENCED);
    else if (result->retry_after_us > 0)
        reconcile_finish(reconcile, RECONCILE_ERROR); /* not even to read what became of it */
    else
        reconcile_step(reconcile);
}

void reconcile_on_pruned(void *arg)
{
    struct reconcile *reconcile = arg;

    prune_free(reconcile->prune);
    reconcile->prune = NULL;
    if (reconcile->abandoned) {
        reconcile_finish(reconcile, RECONCILE_FENCED);
        return;
    }
    reconcile->view.pruned = true;
    reconcile_step(reconcile);
}
