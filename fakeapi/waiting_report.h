/* waiting_report - what the cluster's actors still wait for, told to those who run a test. */
#ifndef FAKEAPI_WAITING_REPORT_H
#define FAKEAPI_WAITING_REPORT_H

#include "controller/base/json.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/cluster/cluster.h"

/** Most steps that are logged, one a line. */
#define WAITING_LINES_MAX 100

/** A list of {"actor", "step", "resource", "namespace", "name", "due"}, the next one first. cluster
 * may be NULL: an empty one. rt is the one whose clocks the cluster lives by. */
struct json_object *waiting_report_to_json(const struct cluster *cluster,
                                           struct runtime *rt) MUST_CHECK;

/** Logs them by log, WAITING_LINES_MAX of them and how many more there are; but not what comes by
 * itself in every run, the end of Events and the counting of quotas. */
void waiting_report_log(const struct cluster *cluster, struct runtime *rt, struct runtime *log);

#endif
