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
/** Most names tried for a new file beside a report. */
#define NAMES_TRIED_MAX 1000

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

bool file_check_regular(const char *path, struct error *err)
{
    struct stat there;

    if (stat(path, &there) != 0)
        return system_error(err, path);
    return S_ISREG(there.st_mode) || error_set(err, ERROR_IO, "%s: not a regular file", path);
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

/* --- reports --- */

/** How a report gets to its place. */
struct way {
    char *place;      /* without symbolic links */
    char *beside;     /* written first, then renamed to place; NULL: it is written to as it is */
    int file;         /* open for writing */
    bool is_borrowed; /* one of the standard streams */
};

/** Where a file is or would be, symbolic links followed; NULL when its folder is not there. */
static char *place_of(const char *path)
{
    char *there = realpath(path, NULL);
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    char *folder_path;
    char *folder;
    char *place;

    if (there != NULL)
        return there;
    folder_path = slash == NULL   ? xstrdup(".")
                  : slash == path ? xstrdup("/")
                                  : xmemdup(path, (size_t)(slash - path));
    folder = realpath(folder_path, NULL);
    free(folder_path);
    if (folder == NULL)
        return NULL;
    place = xprintf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    free(folder);
    return place;
}

bool file_is_same(const char *a, const char *b)
{
    char *place_a = place_of(a);
    char *place_b = place_of(b);
    bool same = text_equal(a, b) || (place_a != NULL && text_equal(place_a, place_b));

    free(place_a);
    free(place_b);
    return same;
}

/** The standard stream that goes to the same file; -1: none. */
static int stream_of(const struct stat *there)
{
    static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};
    struct stat stream;

    for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
        if (fstat(streams[i], &stream) == 0 && stream.st_dev == there->st_dev &&
            stream.st_ino == there->st_ino)
            return streams[i];
    }
    return -1;
}

/** A new file of a name that nobody has yet. */
static bool open_beside(struct way *way, mode_t mode)
{
    for (unsigned i = 0; i < NAMES_TRIED_MAX; i++) {
        way->beside = xprintf("%s.%ld-%u.part", way->place, (long)getpid(), i);
        way->file = open(way->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (way->file >= 0)
            return true;
        free(way->beside);
        way->beside = NULL;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static void leave(struct way *way)
{
    if (way->beside != NULL)
        (void)unlink(way->beside);
    free(way->beside);
    free(way->place);
}

/** What is no regular file, as a terminal or a pipe, is written to; for others something new is
 * made beside them. */
static bool find_way(const char *path, struct way *way, struct error *err)
{
    struct stat there;
    bool exists = stat(path, &there) == 0;
    bool ok;

    *way = (struct way){.file = -1};
    if (!exists && lstat(path, &there) == 0)
        return error_set(err, ERROR_IO, "%s: a symbolic link to what is not there", path);
    way->place = place_of(path);
    if (way->place == NULL)
        return system_error(err, path);
    if (exists && S_ISDIR(there.st_mode))
        errno = EISDIR;
    if (exists && (S_ISDIR(there.st_mode) || access(path, W_OK) != 0)) {
        ok = false;
    } else if (exists && stream_of(&there) >= 0) {
        way->file = stream_of(&there);
        way->is_borrowed = true;
        ok = true;
    } else if (exists && !S_ISREG(there.st_mode)) {
        way->file = open(path, O_WRONLY | O_CLOEXEC);
        ok = way->file >= 0;
    } else {
        ok = open_beside(way, exists ? there.st_mode & 0777 : 0666);
    }
    if (!ok) {
        (void)system_error(err, path);
        leave(way);
    }
    return ok;
}

bool folder_check(const char *path)
{
    struct stat there;

    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

bool folder_prepare(const char *path, struct error *err)
{
    char *part = xstrdup(path);
    bool ok = true;

    for (char *at = part; ok && *at != '\0'; at++) {
        if (at == part || *at != '/')
            continue;
        *at = '\0';
        ok = mkdir(part, 0777) == 0 || errno == EEXIST || system_error(err, part);
        *at = '/';
    }
    ok = ok && (mkdir(part, 0777) == 0 || errno == EEXIST || system_error(err, part));
    if (ok && !folder_check(part)) {
        errno = ENOTDIR;
        ok = system_error(err, part);
    }
    ok = ok && (access(part, W_OK | X_OK) == 0 || system_error(err, part));
    free(part);
    return ok;
}

bool file_prepare_folder(const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? NULL : xmemdup(path, (size_t)(slash + 1 - path));
    bool ok = folder == NULL || folder_prepare(folder, err);

    free(folder);
    return ok;
}

bool file_check(const char *path, struct error *err)
{
    struct stat there;
    struct way way;

    /* opening a pipe waits for its reader, and what reads it may see its end but once */
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return access(path, W_OK) == 0 || system_error(err, path);
    if (!find_way(path, &way, err))
        return false;
    if (!way.is_borrowed)
        (void)close(way.file);
    leave(&way);
    return true;
}

bool file_write(const char *path, const void *bytes, size_t size, struct error *err)
{
    struct way way;
    bool ok;

    if (!find_way(path, &way, err))
        return false;
    ok = write_all(way.file, bytes, size) || system_error(err, path);
    if (!way.is_borrowed && close(way.file) != 0 && ok)
        ok = system_error(err, path);
    if (ok && way.beside != NULL) {
        ok = rename(way.beside, way.place) == 0 || system_error(err, path);
        if (ok) {
            free(way.beside);
            way.beside = NULL;
        }
    }
    leave(&way);
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
    if (depth > 0 && (!text_ends_with(path, ".yaml") || text_ends_with(path, ".part.yaml")))
        return true;
    if (!S_ISREG(info.st_mode))
        return error_set(err, ERROR_IO, "%s: not a regular file", path);
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
    (void)signal(SIGXFSZ, SIG_IGN);
    /* a stream that we were started without must not be the next file that is opened */
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
    }
}

bool output_write(const void *bytes, size_t size, struct error *err)
{
    return write_all(STDOUT_FILENO, bytes, size) || system_error(err, "standard output");
}

void output_error(const char *text)
{
    (void)!write_all(STDERR_FILENO, text, strlen(text));
}
