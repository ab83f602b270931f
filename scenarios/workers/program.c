/* program - see program.h. */
#include "scenarios/workers/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "scenarios/workers/files.h"

/** What execv() could not do, as a shell says it. */
#define NOT_FOUND 127

static void become(const char *program, const char *path)
{
    char *words[] = {xstrdup(program), xstrdup("run"), xstrdup(path), NULL};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)execv(program, words);
    _exit(NOT_FOUND);
}

static bool run(const char *program, const char *path, bool *ret_passes, struct error *err)
{
    int status = 0;
    pid_t pid = fork();

    if (pid < 0)
        return error_set(err, ERROR_IO, "fork: %s", strerror(errno));
    if (pid == 0)
        become(program, path);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return error_set(err, ERROR_IO, "%s cannot be run", program);
    *ret_passes = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return true;
}

bool program_passes(const char *program, const void *text, size_t size, bool *ret_passes,
                    struct error *err)
{
    char path[] = "/tmp/scenario-XXXXXX";
    int file = mkstemp(path);
    bool ok;

    if (file < 0)
        return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
    (void)close(file);
    ok = file_write(path, text, size, err) && run(program, path, ret_passes, err);
    (void)unlink(path);
    return ok;
}
