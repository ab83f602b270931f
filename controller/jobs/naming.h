/* naming - names and label values that fit Kubernetes' 63 characters (RULES.md 2.1). */
#ifndef CONTROLLER_JOBS_NAMING_H
#define CONTROLLER_JOBS_NAMING_H

#define SAFE_NAME_MAX 63
#define SAFE_NAME_SIZE (SAFE_NAME_MAX + 1)

/** The name itself when it is short enough, else its beginning and a hash of all of it. */
void safe_name(const char *name, char into[SAFE_NAME_SIZE]);

/** The name of the Job of an Agent. */
void job_name(const char *agent_name, char into[SAFE_NAME_SIZE]);

#endif
