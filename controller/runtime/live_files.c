/* live_files - small files, read and written whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live_internal.h"

#define FILE_READ_BYTES (64 * 1024)
/* More than any directory that a program of ours looks into. */
#define DIRECTORY_NAMES_MAX 65536

static bool file_error(struct error *err, const char *path, const char *what)
{
    enum error_kind kind = ERROR_IO;
    int number = errno;

    if (number == ENOENT || number == ENOTDIR)
        kind = ERROR_NOT_FOUND;
    else if (number == EACCES || number == EPERM || number == EROFS)
        kind = ERROR_DENIED;
    return error_set(err, kind, "%s: cannot be %s: %s", path, what, strerror(number));
}

bool live_read_file(struct runtime *rt, const char *path, struct buffer *into, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes;
    ssize_t size;
    bool ok = true;

    (void)rt;
    if (fd < 0)
        return file_error(err, path, "opened");
    bytes = xrealloc(NULL, FILE_READ_BYTES);
    while ((size = read(fd, bytes, FILE_READ_BYTES)) != 0) {
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0) {
            ok = file_error(err, path, "read");
            break;
        }
        buffer_append(into, bytes, (size_t)size);
        if (!buffer_check(into, err)) {
            ok = error_prefix(err, "%s", path);
            break;
        }
    }
    free(bytes);
    close(fd);
    return ok;
}

static bool write_whole(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return fsync(fd) == 0 || errno == EINVAL; /* which says that there is nothing to sync */
}

/* Devices, pipes and links that lead nowhere yet stay what they are: a rename would put a file in
 * their place. */
static bool is_special(const char *path)
{
    struct stat there;

    if (lstat(path, &there) != 0)
        return false;
    if (S_ISLNK(there.st_mode) && stat(path, &there) != 0)
        return true;
    return !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

static bool write_special(const char *path, const void *bytes, size_t size, bool private_file,
                          struct error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, private_file ? 0600 : 0644);
    bool ok = fd >= 0;

    if (!ok)
        return file_error(err, path, "opened");
    ok = write_whole(fd, bytes, size) || file_error(err, path, "written");
    close(fd);
    return ok;
}

/* A new file beside the one that path leads to. The names are to be freed, whatever comes of it;
 * the descriptor is below 0 when there is none. */
static int open_beside(struct runtime *rt, const char *path, bool private_file, char **ret_target,
                       char **ret_beside, struct error *err)
{
    uint64_t number = live_random(rt); /* two writers of one file never share a beginning */
    char *resolved = realpath(path, NULL);
    char *target = resolved == NULL ? xstrdup(path) : resolved;
    char *beside = xprintf("%s.%016llx.tmp", target, (unsigned long long)number);
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, private_file ? 0600 : 0644);

    if (fd < 0)
        (void)file_error(err, path, "made");
    *ret_target = target;
    *ret_beside = beside;
    return fd;
}

/* Beside it first, then in its place; links stay, and lead to it. */
static bool write_regular(struct runtime *rt, const char *path, const void *bytes, size_t size,
                          bool private_file, struct error *err)
{
    char *target;
    char *beside;
    int fd = open_beside(rt, path, private_file, &target, &beside, err);
    bool ok = fd >= 0;

    if (ok) {
        ok = write_whole(fd, bytes, size) || file_error(err, path, "written");
        close(fd);
        if (ok && rename(beside, target) != 0)
            ok = file_error(err, path, "replaced");
        if (!ok)
            unlink(beside);
    }
    free(beside);
    free(target);
    return ok;
}

bool live_write_file(struct runtime *rt, const char *path, const void *bytes, size_t size,
                     bool private_file, struct error *err)
{
    return is_special(path) ? write_special(path, bytes, size, private_file, err)
                            : write_regular(rt, path, bytes, size, private_file, err);
}

/* A pipe is not opened: that would wait for its reader, or end his reading. */
static bool try_special(const char *path, struct error *err)
{
    struct stat there;

    if (stat(path, &there) != 0) /* a link to what is not there yet */
        return errno == ENOENT || file_error(err, path, "opened");
    return access(path, W_OK) == 0 || file_error(err, path, "opened");
}

static bool try_regular(struct runtime *rt, const char *path, struct error *err)
{
    struct stat there;
    char *target;
    char *beside;
    int fd;

    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return file_error(err, path, "replaced");
    }
    fd = open_beside(rt, path, true, &target, &beside, err);
    if (fd >= 0) {
        close(fd);
        unlink(beside);
    }
    free(beside);
    free(target);
    return fd >= 0;
}

bool live_try_file(struct runtime *rt, const char *path, struct error *err)
{
    return is_special(path) ? try_special(path, err) : try_regular(rt, path, err);
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

bool live_list_files(struct runtime *rt, const char *path, char ***ret_names, size_t *ret_count,
                     struct error *err)
{
    DIR *directory = opendir(path);
    char **names = NULL;
    size_t count = 0;
    struct dirent *entry;

    (void)rt;
    if (directory == NULL)
        return file_error(err, path, "listed");
    while ((entry = readdir(directory)) != NULL && count < DIRECTORY_NAMES_MAX) {
        if (text_equal(entry->d_name, ".") || text_equal(entry->d_name, ".."))
            continue;
        if ((count & (count - 1)) == 0)
            names = xrealloc(names, (count == 0 ? 1 : count * 2) * sizeof(*names));
        names[count++] = xstrdup(entry->d_name);
    }
    closedir(directory);
    if (entry != NULL) {
        free_names(names, count);
        return error_set(err, ERROR_TOO_LARGE, "%s: more than %d files", path, DIRECTORY_NAMES_MAX);
    }
    if (count > 0)
        qsort(names, count, sizeof(*names), text_compare_items);
    *ret_names = names;
    *ret_count = count;
    return true;
}

bool live_stat_file(struct runtime *rt, const char *path, struct file_info *ret_info,
                    struct error *err)
{
    struct stat info;

    (void)rt;
    if (stat(path, &info) != 0)
        return file_error(err, path, "looked at");
    ret_info->size = (int64_t)info.st_size;
    ret_info->changed_at_us =
        (int64_t)info.st_mtim.tv_sec * US_PER_SECOND + info.st_mtim.tv_nsec / 1000;
    ret_info->directory = S_ISDIR(info.st_mode);
    return true;
}

bool live_remove_file(struct runtime *rt, const char *path, struct error *err)
{
    (void)rt;
    if (unlink(path) != 0)
        return file_error(err, path, "removed");
    return true;
}
