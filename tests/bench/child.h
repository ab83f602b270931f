/* child - a server under measurement, in a process of its own. Failures end the program. */
#ifndef TESTS_BENCH_CHILD_H
#define TESTS_BENCH_CHILD_H

#include <stdint.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int out; /* its standard output */
    double started;
};

/** Starts argv[0] (found on PATH); its standard error goes to a file that is dropped. */
void child_start(struct child *child, const char *const *argv);
/** Reads its first line of output and returns the port behind the last colon. */
uint16_t child_read_port(struct child *child);
/** Processor time so far in microseconds, user and system, of all its threads. */
double child_cpu_us(const struct child *child);
/** Resident memory in MiB. */
double child_resident_mib(const struct child *child);
/** What of that is its own, not pages of files (programs and libraries) that others share. */
double child_own_mib(const struct child *child);
/** Ends it with SIGTERM and waits. */
void child_stop(struct child *child);
/** Processor seconds that all programs of this machine have used so far. */
double child_machine_seconds(void);
/** Those of this program and of the children that have ended. */
double child_own_seconds(void);
/** Removes a directory that a child left, and all in it. */
void child_remove_directory(const char *path);

#endif
