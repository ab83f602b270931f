/* include - the files that a scenario file takes in.
 *
 * A path is relative to the file that names it, and stays in the folder of the scenario, those
 * below it, and the folder above with all of its own: in suites/leader that is all of suites. */
#ifndef SCENARIOS_LANGUAGE_INCLUDE_H
#define SCENARIOS_LANGUAGE_INCLUDE_H

#include "scenarios/language/reader.h"
#include "scenarios/language/scenario.h"

struct includes;

/** In the arena. files may be NULL: then nothing can be included. */
struct includes *includes_new(struct arena *arena, const char *path,
                              const struct scenario_files *files);

/** The top of the file that name says, until includes_close(); each file is read once. NULL after a
 * problem, at name or in the file: it is not there, is outside, is open already, or is malformed.
 */
const struct yaml_node *includes_open(struct includes *includes, struct reader *reader,
                                      const struct yaml_node *name);
void includes_close(struct includes *includes);

/** "a/../b/./c" as "b/c"; NULL when it is absolute, or leaves more than above folders. In the
 * arena. */
char *include_path(struct arena *arena, const char *folder, const char *written, unsigned above);

#endif
