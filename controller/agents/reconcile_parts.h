/* reconcile_parts - what reconcile.c and reconcile_answers.c share: the state of one reconcile. */
#ifndef CONTROLLER_AGENTS_RECONCILE_PARTS_H
#define CONTROLLER_AGENTS_RECONCILE_PARTS_H

#include "controller/agents/agent_decide.h"
#include "controller/agents/prune.h"
#include "controller/agents/reconcile.h"
#include "controller/base/buffer.h"

struct reconcile {
    const struct agent_context *context;
    char *name;
    bool marked;
    int64_t since_us;
    unsigned failures; /* of this Agent's reconciles before, in a row */
    void (*done)(void *arg, enum reconcile_end end);
    void *arg;

    struct agent *agent; /* as the decisions see it: a copy of the cache's entry */
    struct agent_view view;
    struct agent_decision decision; /* the step under way */

    /* What the view points at. */
    struct ref *station;
    struct ref *definition;
    struct agent_spec *spec;
    char *spec_version; /* of the Agent that spec was read from */
    char *job_text;
    size_t job_size;
    char *build_error;
    char *create_error;
    struct job job;
    struct pod_list pods;
    struct buffer output;

    struct agent *victim;
    struct prune *prune;
    struct kube_call *call;
    bool sent_again; /* an earlier request for its Job may land yet */
    bool writing;
    bool abandoned;
    unsigned whole_reads;
    int64_t retry_after_us; /* the longest that an answer asked for */
};

/** Looks, decides, and does the next step. */
void reconcile_step(struct reconcile *reconcile);
/** The Job's name: as the status of a run says it, else derived from the Agent's, into derived. */
const char *reconcile_job_name(const struct reconcile *reconcile, char derived[SAFE_NAME_SIZE]);
/** The last call: done may free it. */
void reconcile_finish(struct reconcile *reconcile, enum reconcile_end end);

/* The answers to each step's request: each adds to the view and goes on. */
void reconcile_on_station(void *arg, const struct kube_result *result);
void reconcile_on_definition(void *arg, const struct kube_result *result);
void reconcile_on_whole(void *arg, const struct kube_result *result);
void reconcile_on_refreshed(void *arg, const struct kube_result *result);
void reconcile_on_job(void *arg, const struct kube_result *result);
void reconcile_on_pods(void *arg, const struct kube_result *result);
void reconcile_on_log(void *arg, const struct kube_result *result);
void reconcile_on_created(void *arg, const struct kube_result *result);
void reconcile_on_victim_deleted(void *arg, const struct kube_result *result);
void reconcile_on_patched(void *arg, const struct kube_result *result);
void reconcile_on_pruned(void *arg);

#endif
