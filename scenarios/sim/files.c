#include "scenarios/sim/files.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/sim/trace.h"

enum file_kind { FILE_ABSENT, FILE_PLAIN, FILE_DIRECTORY };

struct sim_file {
    char *path; /* absolute and clean */
    enum file_kind kind;
    enum error_kind broken;
    char *bytes; /* size of them and a NUL */
    size_t size;
    int64_t changed_at_us;
    struct sim_file *prev, *next;
};

/* "/" and the parts of path that are neither "" nor "."; ".." takes one back. free() it. */
static char *clean_path(const char *path)
{
    char *clean = xcalloc(strlen(path) + 2, 1);
    size_t size = 0;

    while (*path != '\0') {
        size_t part = strcspn(path, "/");

        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (size > 0 && clean[--size] != '/')
                ;
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            clean[size++] = '/';
            memcpy(clean + size, path, part);
            size += part;
        }
        path += part + (path[part] == '/' ? 1 : 0);
    }
    if (size == 0)
        clean[size++] = '/';
    clean[size] = '\0';
    return clean;
}

static struct sim_file *find(const struct sim_process *process, const char *clean)
{
    struct sim_file *file;

    DL_FOREACH (process->files, file)
        if (strcmp(file->path, clean) == 0)
            return file;
    return NULL;
}

static struct sim_file *find_any(const struct sim_process *process, const char *path)
{
    char *clean = clean_path(path);
    struct sim_file *file = find(process, clean);

    free(clean);
    return file;
}

static int by_path(const struct sim_file *a, const struct sim_file *b)
{
    return strcmp(a->path, b->path);
}

/* The entry of that clean path, made when absent. */
static struct sim_file *ensure(struct sim_process *process, const char *clean)
{
    struct sim_file *file = find(process, clean);

    if (file != NULL)
        return file;
    file = xcalloc(1, sizeof(*file));
    file->path = xstrdup(clean);
    DL_INSERT_INORDER(process->files, file, by_path);
    return file;
}

static void make_directories_above(struct sim_process *process, const char *clean)
{
    char *above = xstrdup(clean);
    char *slash;

    while ((slash = strrchr(above, '/')) != NULL && slash != above) {
        struct sim_file *file;

        *slash = '\0';
        file = ensure(process, above);
        if (file->kind != FILE_PLAIN)
            file->kind = FILE_DIRECTORY;
    }
    free(above);
}

static void empty(struct sim_process *process, struct sim_file *file)
{
    process->disk_bytes -= file->size;
    free(file->bytes);
    file->bytes = NULL;
    file->size = 0;
    file->kind = FILE_ABSENT;
}

static void fill(struct sim_process *process, struct sim_file *file, const void *bytes, size_t size)
{
    char *copy = xmemdup(bytes, size);

    empty(process, file);
    file->kind = FILE_PLAIN;
    file->bytes = copy;
    file->size = size;
    file->changed_at_us = sim_process_wall_us(process);
    process->disk_bytes += size;
}

static void forget(struct sim_process *process, struct sim_file *file)
{
    empty(process, file);
    DL_DELETE(process->files, file);
    free(file->path);
    free(file);
}

void sim_file_put(struct sim_process *process, const char *path, const void *bytes, size_t size)
{
    char *clean = clean_path(path);

    make_directories_above(process, clean);
    fill(process, ensure(process, clean), bytes, size);
    free(clean);
}

void sim_file_make_directory(struct sim_process *process, const char *path)
{
    char *clean = clean_path(path);

    make_directories_above(process, clean);
    ensure(process, clean)->kind = FILE_DIRECTORY;
    free(clean);
}

const char *sim_file_get(const struct sim_process *process, const char *path, size_t *ret_size)
{
    const struct sim_file *file = find_any(process, path);

    if (file == NULL || file->kind != FILE_PLAIN)
        return NULL;
    if (ret_size != NULL)
        *ret_size = file->size;
    return file->bytes;
}

bool sim_file_remove(struct sim_process *process, const char *path)
{
    struct sim_file *file = find_any(process, path);
    bool found = file != NULL && file->kind != FILE_ABSENT;

    if (file != NULL)
        forget(process, file);
    return found;
}

void sim_files_remove_all(struct sim_process *process)
{
    while (process->files != NULL)
        forget(process, process->files);
}

void sim_file_break(struct sim_process *process, const char *path, enum error_kind kind)
{
    char *clean = clean_path(path);

    ensure(process, clean)->broken = kind;
    free(clean);
}

void sim_process_set_disk_size(struct sim_process *process, size_t bytes_max)
{
    process->disk_bytes_max = bytes_max;
}

static bool is_directory(const struct sim_process *process, const char *clean)
{
    const struct sim_file *file = find(process, clean);

    return strcmp(clean, "/") == 0 || (file != NULL && file->kind == FILE_DIRECTORY);
}

static bool fail(struct error *err, const char *path, enum error_kind kind)
{
    if (kind == ERROR_NOT_FOUND)
        return error_set(err, kind, "%s: no such file or directory", path);
    if (kind == ERROR_DENIED)
        return error_set(err, kind, "%s: permission denied", path);
    return error_set(err, kind, "%s: input/output error", path);
}

bool files_read(struct runtime *rt, const char *path, struct buffer *into, struct error *err)
{
    const struct sim_file *file = find_any(sim_runtime_of(rt)->process, path);

    if (file != NULL && file->broken != ERROR_NONE)
        return fail(err, path, file->broken);
    if (file == NULL || file->kind == FILE_ABSENT)
        return fail(err, path, ERROR_NOT_FOUND);
    if (file->kind == FILE_DIRECTORY)
        return error_set(err, ERROR_IO, "%s: is a directory", path);
    buffer_append(into, file->bytes, file->size);
    if (!buffer_check(into, err))
        return error_prefix(err, "%s", path);
    return true;
}

/* Why a file cannot be written there; ERROR_NONE when it can. */
static enum error_kind write_obstacle(const struct sim_process *process, const char *clean)
{
    const struct sim_file *file = find(process, clean);
    const char *slash = strrchr(clean, '/');
    char *above = slash == clean ? xstrdup("/") : xmemdup(clean, (size_t)(slash - clean));
    bool has_directory = is_directory(process, above);

    free(above);
    if (file != NULL && file->broken != ERROR_NONE)
        return file->broken;
    if (!has_directory)
        return ERROR_NOT_FOUND;
    return is_directory(process, clean) ? ERROR_IO : ERROR_NONE;
}

static bool write_clean(struct sim_process *process, const char *clean, const void *bytes,
                        size_t size, struct error *err)
{
    enum error_kind obstacle = write_obstacle(process, clean);
    struct sim_event event = {.kind = SIM_EVENT_FILE, .process = process, .text = clean};

    if (obstacle != ERROR_NONE)
        return fail(err, clean, obstacle);
    /* The old content stays until the new one is whole, so both must fit. */
    if (size > process->disk_bytes_max || process->disk_bytes > process->disk_bytes_max - size)
        return error_set(err, ERROR_IO, "%s: no space left on device", clean);
    fill(process, ensure(process, clean), bytes, size);
    event.bytes = bytes;
    event.size = size;
    event.number = 1;
    trace_event(process->sim, &event);
    return true;
}

bool files_write(struct runtime *rt, const char *path, const void *bytes, size_t size,
                 bool private_file, struct error *err)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    char *clean;
    bool ok;

    (void)private_file; /* a simulated host has one user */
    if (runtime->dead)
        return true;
    clean = clean_path(path);
    ok = write_clean(runtime->process, clean, bytes, size, err);
    free(clean);
    return ok;
}

bool files_try(struct runtime *rt, const char *path, struct error *err)
{
    char *clean = clean_path(path);
    enum error_kind obstacle = write_obstacle(sim_runtime_of(rt)->process, clean);
    bool ok = obstacle == ERROR_NONE || fail(err, clean, obstacle);

    free(clean);
    return ok;
}

/* The name right below a directory, or NULL. */
static const char *name_below(const struct sim_file *file, const char *directory)
{
    size_t size = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

    if (file->kind == FILE_ABSENT || strncmp(file->path, directory, size) != 0 ||
        file->path[size] != '/' || strchr(file->path + size + 1, '/') != NULL)
        return NULL;
    return file->path + size + 1;
}

static void list_clean(const struct sim_process *process, const char *clean, char ***ret_names,
                       size_t *ret_count)
{
    const struct sim_file *file;
    char **names = NULL;
    size_t count = 0;

    DL_FOREACH (process->files, file) {
        const char *name = name_below(file, clean);

        if (name == NULL || *name == '\0')
            continue;
        names = xrealloc(names, (count + 1) * sizeof(*names));
        names[count++] = xstrdup(name);
    }
    *ret_names = names;
    *ret_count = count;
}

bool files_list(struct runtime *rt, const char *path, char ***ret_names, size_t *ret_count,
                struct error *err)
{
    const struct sim_process *process = sim_runtime_of(rt)->process;
    char *clean = clean_path(path);
    const struct sim_file *file = find(process, clean);
    bool ok = false;

    if (file != NULL && file->broken != ERROR_NONE)
        fail(err, path, file->broken);
    else if (is_directory(process, clean))
        ok = true;
    else if (file != NULL && file->kind == FILE_PLAIN)
        error_set(err, ERROR_IO, "%s: not a directory", path);
    else
        fail(err, path, ERROR_NOT_FOUND);
    if (ok)
        list_clean(process, clean, ret_names, ret_count);
    free(clean);
    return ok;
}

bool files_stat(struct runtime *rt, const char *path, struct file_info *ret_info, struct error *err)
{
    const struct sim_process *process = sim_runtime_of(rt)->process;
    char *clean = clean_path(path);
    const struct sim_file *file = find(process, clean);
    bool directory = is_directory(process, clean);

    free(clean);
    if (file != NULL && file->broken != ERROR_NONE)
        return fail(err, path, file->broken);
    if (!directory && (file == NULL || file->kind == FILE_ABSENT))
        return fail(err, path, ERROR_NOT_FOUND);
    *ret_info = (struct file_info){.directory = directory};
    if (file != NULL) {
        ret_info->size = (int64_t)file->size;
        ret_info->changed_at_us = file->changed_at_us;
    }
    return true;
}

bool files_remove(struct runtime *rt, const char *path, struct error *err)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim_file *file = find_any(runtime->process, path);

    if (runtime->dead)
        return true;
    if (file != NULL && file->broken != ERROR_NONE)
        return fail(err, path, file->broken);
    if (file == NULL || file->kind == FILE_ABSENT)
        return fail(err, path, ERROR_NOT_FOUND);
    if (file->kind == FILE_DIRECTORY)
        return error_set(err, ERROR_IO, "%s: is a directory", path);
    trace_number(runtime->process->sim, SIM_EVENT_FILE, runtime->process, 0, file->path);
    forget(runtime->process, file);
    return true;
}
