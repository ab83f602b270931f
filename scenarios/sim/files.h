/* files - the disk of a simulated host: whole files in memory, sorted by path. */
#ifndef SCENARIOS_SIM_FILES_H
#define SCENARIOS_SIM_FILES_H

#include "scenarios/sim/parts.h"

/* The calls of the seam. */
bool files_read(struct runtime *rt, const char *path, struct buffer *into, struct error *err);
bool files_write(struct runtime *rt, const char *path, const void *bytes, size_t size,
                 bool private_file, struct error *err);
bool files_try(struct runtime *rt, const char *path, struct error *err);
bool files_list(struct runtime *rt, const char *path, char ***ret_names, size_t *ret_count,
                struct error *err);
bool files_stat(struct runtime *rt, const char *path, struct file_info *ret_info,
                struct error *err);
bool files_remove(struct runtime *rt, const char *path, struct error *err);

#endif
