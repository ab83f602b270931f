/* child - see child.h. */
#define _DEFAULT_SOURCE

#include "scenarios/live/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/** Most bytes of a file that a child writes, its log first of all: past it, it dies. */
#define FILE_BYTES_MAX ((rlim_t)256 * 1024 * 1024)
#define PATH_BYTES_MAX 64
/** What a shell says where a program cannot be run. */
#define STATUS_NOT_RUN 127

static void note_end(struct child *child, int status)
{
    child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    child->pid = 0;
}

/** In the new process: never returns. */
static void become(const char *const *words, const char *const *settings, int log, pid_t parent)
{
    const struct rlimit file_size = {FILE_BYTES_MAX, FILE_BYTES_MAX};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (setrlimit(RLIMIT_FSIZE, &file_size) != 0 || nothing < 0 ||
        dup2(nothing, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        _exit(STATUS_NOT_RUN);
    if (getppid() != parent) /* it died before we asked to be told */
        _exit(STATUS_NOT_RUN);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)execve(words[0], (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)settings);
    _exit(STATUS_NOT_RUN);
}

bool child_start(struct child *child, const char *const *words, const char *const *settings,
                 const char *log_path, struct error *err)
{
    int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    pid_t parent = getpid();
    pid_t pid = -1;

    if (log >= 0)
        pid = fork();
    if (pid == 0)
        become(words, settings, log, parent);
    if (pid < 0)
        (void)error_set(err, ERROR_IO, "%s: %s", words[0], strerror(errno));
    if (log >= 0)
        (void)close(log);
    if (pid < 0)
        return false;
    child->pid = pid;
    child->was_asked = false;
    child->is_paused = false;
    return true;
}

bool child_is_alive(struct child *child)
{
    int status;

    if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid)
        note_end(child, status);
    return child->pid != 0;
}

bool child_was_stopped(const struct child *child)
{
    char path[PATH_BYTES_MAX];
    char state = '?';
    FILE *file;

    if (child->pid == 0 || child->is_paused)
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)child->pid);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    (void)fclose(file);
    return state == 'T';
}

void child_signal(struct child *child, int number)
{
    if (!child_is_alive(child))
        return;
    if (number == SIGTERM || number == SIGKILL)
        child->was_asked = true;
    if (number == SIGSTOP || number == SIGCONT)
        child->is_paused = number == SIGSTOP;
    (void)kill(child->pid, number);
}

void child_end(struct child *child)
{
    int status;

    if (child->pid == 0)
        return;
    child->was_asked = true;
    (void)kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    note_end(child, status);
}
