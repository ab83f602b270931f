/* files - see files.h. */
#include "scenarios/workers/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Most scenario files of one call, and the deepest folder. */
#define PATHS_MAX 100000
#define FOLDER_DEPTH_MAX 32
#define PIECE_BYTES 16384

static bool system_error(struct error *err, const char *what)
{
    enum error_kind kind = errno == ENOENT ? ERROR_NOT_FOUND : ERROR_IO;

    return error_set(err, kind, "%s: %s", what, strerror(errno));
}

bool file_read(const char *path, struct buffer *into, struct error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char piece[PIECE_BYTES];
    ssize_t size;

    if (file < 0)
        return system_error(err, path);
    do {
        size = read(file, piece, sizeof(piece));
        if (size > 0)
            buffer_append(into, piece, (size_t)size);
    } while (size > 0 && !into->overflowed);
    if (size < 0)
        (void)system_error(err, path);
    (void)close(file);
    if (size < 0)
        return false;
    return buffer_check(into, err) || error_prefix(err, "%s", path);
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/** Into place only once it is whole; what is no regular file (/dev/stdout) is written to. */
bool file_write(const char *path, const void *bytes, size_t size, struct error *err)
{
    struct stat there;
    bool special = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
    char *beside = special ? xstrdup(path) : xprintf("%s.part", path);
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool ok = false;

    if (file < 0) {
        (void)system_error(err, path);
        goto out;
    }
    ok = write_all(file, bytes, size);
    if (!ok)
        (void)system_error(err, path);
    if (close(file) != 0 && ok)
        ok = system_error(err, path);
    if (ok && !special && rename(beside, path) != 0)
        ok = system_error(err, path);
    if (!ok && !special)
        (void)unlink(beside);
out:
    free(beside);
    return ok;
}

/* --- finding files --- */

static bool add_path(struct paths *paths, const char *path, struct error *err)
{
    if (paths->count == PATHS_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %d files", PATHS_MAX);
    paths->items = xrealloc(paths->items, (paths->count + 1) * sizeof(*paths->items));
    paths->items[paths->count++] = xstrdup(path);
    return true;
}

static bool find(struct paths *paths, const char *path, unsigned depth, struct error *err);

static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool find_below(struct paths *paths, const char *path, unsigned depth, struct error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_wanted, by_name);
    size_t length = strlen(path);
    const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";
    bool ok = true;

    if (count < 0)
        return system_error(err, path);
    for (int i = 0; i < count; i++) {
        char *below = xprintf("%s%s%s", path, slash, entries[i]->d_name);

        ok = ok && find(paths, below, depth + 1, err);
        free(below);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

static bool find(struct paths *paths, const char *path, unsigned depth, struct error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return system_error(err, path);
    if (S_ISDIR(info.st_mode)) {
        if (depth > FOLDER_DEPTH_MAX)
            return error_set(err, ERROR_TOO_LARGE, "%s: more than %d folders deep", path,
                             FOLDER_DEPTH_MAX);
        return find_below(paths, path, depth, err);
    }
    if (depth > 0 && !text_ends_with(path, ".yaml"))
        return true;
    return add_path(paths, path, err);
}

bool paths_add(struct paths *paths, const char *path, struct error *err)
{
    return find(paths, path, 0, err);
}

void paths_release(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    *paths = (struct paths){0};
}

/* --- standard streams --- */

void output_prepare(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
}

bool output_write(const void *bytes, size_t size, struct error *err)
{
    return write_all(STDOUT_FILENO, bytes, size) || system_error(err, "standard output");
}

void output_error(const char *text)
{
    (void)!write_all(STDERR_FILENO, text, strlen(text));
}
