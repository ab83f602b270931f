/* files - scenario files in, reports out: this machine's disk and standard output. */
#ifndef SCENARIOS_WORKERS_FILES_H
#define SCENARIOS_WORKERS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

/** Appends a file to into. ERROR_NOT_FOUND, ERROR_IO, ERROR_TOO_LARGE. */
bool file_read(const char *path, struct buffer *into, struct error *err) MUST_CHECK;

/** Whether it is a file that has an end, and that nobody waits for: no pipe and no device. */
bool file_check_regular(const char *path, struct error *err) MUST_CHECK;

/** Whether file_write() could begin now: its folder is there, and we may write. */
bool file_check(const char *path, struct error *err) MUST_CHECK;

/** Whether there is such a folder. */
bool folder_check(const char *path);

/** Makes a folder, and those above it that are missing; files can be made in it then. ERROR_IO. */
bool folder_prepare(const char *path, struct error *err) MUST_CHECK;
/** Likewise the folder that a file lies in. */
bool file_prepare_folder(const char *path, struct error *err) MUST_CHECK;

/** Whether both paths lead to one file, whether it is there yet or not. */
bool file_is_same(const char *a, const char *b);

/** Writes a whole file; what was there before is kept until all of it is written. Symbolic links
 * are followed; one that leads nowhere is refused. What is no regular file is written to.
 * ERROR_IO, ERROR_NOT_FOUND. */
bool file_write(const char *path, const void *bytes, size_t size, struct error *err) MUST_CHECK;

/** Paths, sorted, each once. */
struct paths {
    char **items;
    size_t count;
};

/** Adds path itself, or every "*.yaml" below it, in the order of their names. ERROR_NOT_FOUND,
 * ERROR_IO, ERROR_TOO_LARGE. */
bool paths_add(struct paths *paths, const char *path, struct error *err) MUST_CHECK;
void paths_release(struct paths *paths);

/** From now on a reader of ours that goes away and a file that may grow no more are errors like a
 * full disk, not our end, and so is a standard stream that was closed from the start. */
void output_prepare(void);

/** Standard output and standard error; ERROR_IO when a disk or a pipe takes no more. */
bool output_write(const void *bytes, size_t size, struct error *err) MUST_CHECK;
void output_error(const char *text);

#endif
