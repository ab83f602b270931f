/* child - fork, exec, /proc. */
#include "tests/bench/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/http_load.h"

/* In the child: never returns. */
static void become(const char *const *argv, int out)
{
    union {
        const char *const *given;
        char *const *wanted;
    } both = {.given = argv};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(nowhere, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[0], both.wanted);
    _exit(127);
}

void child_start(struct child *child, const char *const *argv)
{
    int ends[2];

    bench_check(pipe(ends) == 0, "no pipe");
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    child->started = bench_seconds();
    child->pid = fork();
    bench_check(child->pid >= 0, "no child");
    if (child->pid == 0)
        become(argv, ends[1]);
    close(ends[1]);
    child->out = ends[0];
}

uint16_t child_read_port(struct child *child)
{
    char line[256];
    size_t size = 0;
    const char *colon;

    while (size < sizeof(line) - 1 && read(child->out, line + size, 1) == 1 && line[size] != '\n')
        size++;
    line[size] = '\0';
    colon = strrchr(line, ':');
    bench_check(colon != NULL, "the server did not start");
    return (uint16_t)strtoul(colon + 1, NULL, 10);
}

double child_cpu_us(const struct child *child)
{
    struct timespec used;
    clockid_t clock;

    bench_check(clock_getcpuclockid(child->pid, &clock) == 0 && clock_gettime(clock, &used) == 0,
                "the server is gone");
    return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

static void read_memory(const struct child *child, double *ret_resident, double *ret_shared)
{
    const double page_mib = (double)sysconf(_SC_PAGESIZE) / 1024 / 1024;
    unsigned long resident = 0;
    unsigned long shared = 0;
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/statm", (int)child->pid);
    file = fopen(path, "r");
    bench_check(file != NULL && fscanf(file, "%*u %lu %lu", &resident, &shared) == 2,
                "the server is gone");
    fclose(file);
    *ret_resident = (double)resident * page_mib;
    *ret_shared = (double)shared * page_mib;
}

double child_resident_mib(const struct child *child)
{
    double resident;
    double shared;

    read_memory(child, &resident, &shared);
    return resident;
}

double child_own_mib(const struct child *child)
{
    double resident;
    double shared;

    read_memory(child, &resident, &shared);
    return resident - shared;
}

double child_machine_seconds(void)
{
    /* user, nice, system, idle, iowait, irq, softirq, steal; in ticks */
    unsigned long long ticks[8] = {0};
    FILE *file = fopen("/proc/stat", "r");
    double used = 0;

    bench_check(file != NULL && fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
                                       &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4],
                                       &ticks[5], &ticks[6], &ticks[7]) == 8,
                "no /proc/stat");
    fclose(file);
    for (size_t i = 0; i < 8; i++)
        if (i != 3 && i != 4)
            used += (double)ticks[i];
    return used / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

double child_own_seconds(void)
{
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

void child_stop(struct child *child)
{
    int status;

    kill(child->pid, SIGTERM);
    bench_check(waitpid(child->pid, &status, 0) == child->pid, "the server cannot be waited for");
    close(child->out);
}

void child_remove_directory(const char *path)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    bench_check(pid > 0 && waitpid(pid, &status, 0) == pid, "cannot remove a directory");
}
