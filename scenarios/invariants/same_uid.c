/* same_uid - I-UID: an Agent is never given what belongs to another of its name. */
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/invariants/rows.h"

/** An Agent that has a Job by name must not be told the state of a namesake's Job. */
static void on_change(struct judge *judge, const struct change *change)
{
    enum phase before;
    enum phase after;
    const char *job_name;
    const struct model_job *job;

    if (strcmp(change->plural, "agents") != 0 || change->kind != CHANGE_MODIFIED)
        return;
    before = agent_phase(change->before);
    after = agent_phase(change->after);
    job_name = json_get_text(json_get(change->after, "status"), "jobName");
    if (before == after || after == PHASE_PENDING || job_name == NULL)
        return;
    job = model_job(judge->model, job_name);
    /* a Job of nobody's was made by hand, and is fine (controller/RULES.md 3.2) */
    if (job != NULL && *job->agent_uid != '\0' &&
        strcmp(job->agent_uid, object_uid(change->after)) != 0)
        judge_violation(judge, change->at_us,
                        "Agent %s (uid %s) became %s by Job %s, which belongs to the uid %s",
                        object_name(change->after), object_uid(change->after), phase_name(after),
                        job_name, job->agent_uid);
}

const struct invariant invariant_same_uid = {
    .id = "I-UID",
    .what = "an Agent's status never comes from the Job of another Agent of its name",
    .on_change = on_change,
};
