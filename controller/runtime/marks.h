/* marks - rare places in controller and fakeapi that some simulated run must have reached.
 *
 * Each row is a name and what has happened once a run passes there. `scenario explore` counts in
 * how many runs each was reached, and names those that none did: a branch that nobody has seen
 * taken is a branch that nobody has tested. Each stands in the code at one place at least
 * (ci/lint-architecture). */
#ifndef CONTROLLER_RUNTIME_MARKS_H
#define CONTROLLER_RUNTIME_MARKS_H

/* The controller's: election. */
#define MARKS_OF_ELECTION(X)                                                                       \
    X(LEADS, "a replica began to lead")                                                            \
    X(LEASE_CREATED, "nobody had made a Lease yet, and a replica made it")                         \
    X(LEASE_CREATE_RACE, "two replicas made the Lease at once, and one was refused")               \
    X(LEASE_TAKEN_OVER, "a holder let its Lease lapse, and another replica took it over")          \
    X(LEASE_TAKEN_UNHELD, "a holder had given its Lease up, and another replica took it at once")  \
    X(LEASE_VANISHED, "a Lease that was held is not there any more")                               \
    X(LEASE_MADE_AGAIN, "the leader found its Lease gone and made it again at once")               \
    X(LEASE_MISSED_LONG, "a standby missed the Lease for as long as it was valid, and made it")    \
    X(LEASE_CONFLICT, "a renewal or a takeover came too late: 409")                                \
    X(LEASE_UNANSWERED, "a renewal's answer was lost, so that nobody knows whether it landed")     \
    X(LEASE_UNREADABLE, "the Lease could not be read while leading, which ends it")                \
    X(LEASE_LAPSED, "ten seconds without a renewal that landed: a leader stopped by itself")       \
    X(LEASE_TOO_SLOW, "a renewal landed, but its answer came too late to lead by it")              \
    X(LEASE_RELEASED, "a leader that shut down gave its Lease up")                                 \
    X(LEASE_RELEASE_FAILED, "a leader that shut down could not give its Lease up")

/* The controller's: the requests. */
#define MARKS_OF_KUBE(X)                                                                           \
    X(CALL_TIMED_OUT, "a request was given up for want of an answer")                              \
    X(CALL_BROKE, "a connection broke before the answer was whole")                                \
    X(CALL_CUT_BEHIND_STATUS, "an answer broke off behind its status: what it said still counts")  \
    X(CALL_ASKED_TO_WAIT, "the server said how long to wait before the next attempt")              \
    X(LIST_PAGED, "a listing went on with a continue token")                                       \
    X(LIST_TOKEN_GONE, "a continue token had expired: 410, the listing began anew")                \
    X(LIST_WITHOUT_TABLE, "a server would not send a Table: whole objects were listed")            \
    X(WATCH_GONE, "a watch was too old: 410, in its answer or in its stream")                      \
    X(WATCH_ENDED, "a watch was ended by its server, in order")                                    \
    X(WATCH_FAILED, "a watch broke or was refused")                                                \
    X(WATCH_SILENT, "a watch brought nothing for so long that it was given up")

/* The controller's: following the Agents. */
#define MARKS_OF_FOLLOW(X)                                                                         \
    X(LISTING_IS_OLDER, "a listing was older than what was known: it was not believed")            \
    X(LISTING_OLDER_TWICE, "the second listing was older too: the store was set back, believed")   \
    X(LISTING_FENCED, "a listing ended when its replica led no more")                              \
    X(LISTING_QUEUED, "a listing was due while another one was under way")                         \
    X(POLL_FAILED_OFTEN, "three polls in a row failed: a leader said that it is not ready")        \
    X(EVENT_OUTDATED, "a watch event was older than the answer to a write of ours")                \
    X(DELETION_OUTDATED, "a watch told of the end of what is known no more, or of a namesake")     \
    X(EVENT_FENCED, "a watch event came when its replica led no more")                             \
    X(JOBS_WATCH_GONE, "the watch of Jobs was too old and began anew")                             \
    X(JOBS_WATCH_FAILED, "the watch of Jobs could not be had")

/* The controller's: the work. */
#define MARKS_OF_WORK(X)                                                                           \
    X(SLOT_FREED,                                                                                  \
      "a run gave its place up, and the next in line was looked at, not only at a poll")           \
    X(NAMESAKE_JOB_ENDED, "a Pending Agent heard that a Job of its name has ended or is gone")     \
    X(HELD_FOR_STATION, "an Agent was put aside until others of its Station were done")            \
    X(YIELDED_TO_STATION,                                                                          \
      "a Station turned out to have a limit while others were under way there")                    \
    X(QUEUED_BEHIND_OLDER, "an Agent that came between two passes found older ones waiting")       \
    X(HOUSE_FULL, "as much work was under way as may be at a time")                                \
    X(WORK_FENCED, "work was due when the Lease had grown too old")                                \
    X(RECONCILE_FENCED, "a reconcile came to a write when its replica led no more")                \
    X(BACKOFF_AT_CAP, "an Agent failed so often in a row that the pause grows no more")            \
    X(ROLL_TAKEN, "so many runs were under way that their Jobs were listed at once")               \
    X(ROLL_SPARED_A_READ, "a listed Job had not changed, so that it was not read")                 \
    X(ROLL_FAILED, "the Jobs of the runs could not be listed, and were read one by one")           \
    X(CENSUS_FOUND_A_JOB, "a new leader found a Pending Agent whose Job was there already")        \
    X(CENSUS_FAILED, "a new leader could not list the Jobs")                                       \
    X(CENSUS_IS_OLDER, "a new leader was shown Jobs from before it led")                           \
    X(UNCOUNTED_STATION, "nobody started at a Station with a limit, for the Jobs were not listed") \
    X(STEP_DOWN_WHILE_WRITING, "a replica stepped down with a write under way")                    \
    X(STEP_DOWN_WHILE_PRUNING, "a replica stepped down with a deletion of history under way")      \
    X(LEADS_AGAIN_BEHIND_WRITE,                                                                    \
      "a replica led again while a write of its former term was under way")                        \
    X(DRAIN_IN_ORDER, "a replica that was asked to end had all its writes end")                    \
    X(DRAIN_WAITS_FOR_WRITE, "a replica that was asked to end waited for a write")                 \
    X(DRAIN_CUT, "a replica that was asked to end had to cut a write off")

/* The controller's: one Agent. */
#define MARKS_OF_RECONCILE(X)                                                                      \
    X(AGENT_GONE_MEANWHILE, "an Agent was gone when its reconcile looked again")                   \
    X(AGENT_CHANGED_MEANWHILE, "an Agent changed in mid-reconcile, which began anew")              \
    X(WHOLE_READ_AGAIN, "an Agent changed while it was read whole, and was read again")            \
    X(REF_MISSING, "a Station or a recipe was not there: the run failed")                          \
    X(REF_UNREAD, "a Station or a recipe could not be read: the run waits")                        \
    X(BUILD_REFUSED, "a template could not be made a Job: the run failed")                         \
    X(JOB_CREATED, "a Job was made")                                                               \
    X(JOB_WAS_THERE, "a Job to be made was there already, and is the Agent's own")                 \
    X(JOB_OF_NAMESAKE, "a Job to be made is there, but of a former namesake: the run waits")       \
    X(JOB_REFUSED, "the server refused a Job for good: the run failed")                            \
    X(JOB_NOT_MADE, "a Job could not be made for now: the run waits")                              \
    X(JOB_ANSWER_LOST, "nobody knows whether a Job was made: it is looked for")                    \
    X(RUN_RESUMED, "a Pending Agent's Job was there: its run went on from there")                  \
    X(RUN_NOT_BEGUN, "a Pending Agent had no Job after all: it waits like others")                 \
    X(JOB_GONE, "the Job of a run was gone before its end was seen")                               \
    X(POD_GONE, "a run had ended and left no pod")                                                 \
    X(OUTPUT_TRIED_AGAIN, "pods or log could not be read, and were tried again")                   \
    X(OUTPUT_GIVEN_UP, "pods or log could not be read for good: the run ends without output")      \
    X(OUTPUT_CUT, "a log was longer than what is kept")                                            \
    X(OUTPUT_NOT_STORED, "a status was refused with its output, and written without")              \
    X(PATCH_CONFLICT, "a status patch came too late: 409, read again")                             \
    X(PATCH_OF_THE_GONE, "a status patch found no Agent")                                          \
    X(PATCH_REFUSED, "a status patch was refused as invalid")                                      \
    X(PATCH_FAILED, "a status patch failed, and may have landed")                                  \
    X(PATCH_HAD_LANDED, "a status patch without an answer had landed all the same")                \
    X(PATCH_HAD_NOT_LANDED, "a status patch without an answer had not landed")                     \
    X(VICTIM_DELETED, "a run was deleted to make room for another")                                \
    X(VICTIM_WAS_GONE, "a run that was to make room was gone already")                             \
    X(VICTIM_CHANGED, "a run that was to make room had changed: 409")                              \
    X(VICTIM_NOT_DELETED, "a run that was to make room could not be deleted")                      \
    X(NO_VICTIM_YET, "all runs at a Station had only begun: there was no victim among them")       \
    X(PRUNED, "an ended Agent was deleted as past its Station's history")                          \
    X(PRUNE_WAS_GONE, "an ended Agent to be deleted was gone already")                             \
    X(PRUNE_CONFLICT, "an ended Agent to be deleted had changed: 409, the next sweep looks again") \
    X(PRUNE_FAILED, "an ended Agent could not be deleted")                                         \
    X(PRUNE_FENCED, "a pruning stopped, for its replica led no more")                              \
    X(PRUNE_AFTER_LAPSE, "nothing was pruned, for a former leader's writes may still land")        \
    X(PRUNE_WITHOUT_STATION, "a Station was gone: nothing says how much history to keep")          \
    X(PRUNE_SHARED, "a pruning came to an Agent that another one was deleting")

/* The API server's. */
#define MARKS_OF_FAKEAPI(X)                                                                        \
    X(API_CONFLICT, "an update came with an older version: 409")                                   \
    X(API_PRECONDITION, "a deletion's precondition did not hold: 409")                             \
    X(API_ALREADY_EXISTS, "a create found an object of its name: 409")                             \
    X(API_EXISTS_DELETING, "a create found an object of its name that is being deleted: 409")      \
    X(API_GONE_AT_START, "a watch asked for a version behind the history: 410 in its stream")      \
    X(API_WATCHER_FELL_OFF, "history was forgotten before a watcher had taken it: 410")            \
    X(API_TOKEN_EXPIRED, "a continue token asked for a version behind the history: 410")           \
    X(API_STALE_SERVED, "a list or an object was served from the past")                            \
    X(API_BOOKMARK, "a watch was told where it stands by a bookmark")                              \
    X(API_ANSWER_DROPPED, "a request was carried out and its answer thrown away")                  \
    X(API_ANSWER_CUT, "an answer was broken off in mid-body")                                      \
    X(API_WATCH_STALLED, "a watch was made to send nothing more")                                  \
    X(API_WATCH_CLOSED, "a watch was closed before an event")                                      \
    X(API_EVENT_SWALLOWED, "an event was left out of a watch")                                     \
    X(API_EVENT_DELAYED, "an event was held back on a watch")                                      \
    X(API_DELETION_WAITS, "a deletion waits for finalizers or a grace period")                     \
    X(API_GC_BACKGROUND, "an object was collected, for its owner is gone")                         \
    X(API_GC_FOREGROUND, "an owner's deletion began with its dependents")                          \
    X(API_GC_RELEASED, "an owner was let go, for its dependents are gone")                         \
    X(API_GC_ORPHANED, "an owner's dependents were let go instead of deleted")                     \
    X(API_JOB_TTL, "an ended Job was deleted when its time was over")                              \
    X(API_JOB_DEADLINE, "a Job ran past its deadline and failed")                                  \
    X(API_POD_STOPPED, "a pod that ran was made to stop")                                          \
    X(API_POD_EVICTED, "a pod was evicted from its node")                                          \
    X(API_POD_OUT_OF_MEMORY, "a container was killed for want of memory")                          \
    X(API_QUOTA_REFUSED, "a quota refused a create: 403")

#define MARKS(X)                                                                                   \
    MARKS_OF_ELECTION(X)                                                                           \
    MARKS_OF_KUBE(X) MARKS_OF_FOLLOW(X) MARKS_OF_WORK(X) MARKS_OF_RECONCILE(X) MARKS_OF_FAKEAPI(X)

enum mark {
#define MARK_VALUE(name, sentence) MARK_##name,
    MARKS(MARK_VALUE)
#undef MARK_VALUE
        MARK_COUNT
};

/** A set of marks: a bit each, in so many words. */
#define MARK_WORDS ((MARK_COUNT + 63) / 64)

/** "MARK_JOB_GONE", as it stands in the code. */
const char *mark_name(enum mark mark);
/** What has happened there, one sentence. */
const char *mark_sentence(enum mark mark);

#endif
