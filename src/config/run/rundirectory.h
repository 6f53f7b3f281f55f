/* The directory of a run, made by the process that begins the run (the first recorded process or
 * the command that starts it), and the environment variables by which processes join. Uses malloc.
 * Context: init. */
#ifndef KYMO_RUNDIRECTORY_H
#define KYMO_RUNDIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock_pair.h"
#include "config/outputname.h"

/* Make the directory that the settings name, with its missing parents.  With TIME_OUTPUT it is
 * always new: "-2", "-3" … is appended to a name that exists.  KYMO_OK with its absolute path in
 * path, or KYMO_SYSTEM with the reason. */
enum kymo_status rundirectory_make(const struct output_context *context, char *path, size_t size,
				   struct problem *problem);

/* KYMO_RUN_DIR: the directory to join.
 * KYMO_RUN_ROOT: id of the process that writes the outputs when it ends; 0 = none does.
 * KYMO_RUN_PARENT: id of the recorded process that is the nearest above, ten digits that each
 *	process overwrites with its own id; zeros = the run has none yet.
 * KYMO_RUN_CLOCK: the clocks when the run began.
 * KYMO_RUN_COST: picoseconds that a visit of a region costs, ten digits that the run's first
 *	process writes; zeros = not measured.
 * KYMO_RUN_LAUNCH: nanoseconds of CPU time that the command took which began the run. */
#define RUN_DIRECTORY_VARIABLE "KYMO_RUN_DIR"
#define RUN_ROOT_VARIABLE      "KYMO_RUN_ROOT"
#define RUN_PARENT_VARIABLE    "KYMO_RUN_PARENT"
#define RUN_CLOCK_VARIABLE     "KYMO_RUN_CLOCK"
#define RUN_COST_VARIABLE      "KYMO_RUN_COST"
#define RUN_LAUNCH_VARIABLE    "KYMO_RUN_LAUNCH"

/* Programs that are started from now on join the run, the first of them as its first process.  pair
 * is of the clock that clock_select() chose (by the setting CLOCK); NULL: it is read now. */
void rundirectory_export(const char *directory, pid_t root, const struct kymo_clock_pair *pair);

/* The root in the environment.  -1 = no process is named to write the outputs. */
long long rundirectory_root(char *const *environment);
/* 0 = no ancestor is recorded. */
pid_t rundirectory_parent(char *const *environment);
/* Replace the parent's id by pid, in place, without allocating.  Context: any. */
void rundirectory_sign(char *const *environment, pid_t pid);
uint64_t rundirectory_cost(char *const *environment);
void rundirectory_record_cost(char *const *environment, uint64_t cost_ps);
/* Before the program begins, in the process that becomes or starts it. */
void rundirectory_export_launch(uint64_t cpu_ns);
uint64_t rundirectory_launch(char *const *environment);
/* False when there is none, or it is of another clock than the selected one. */
bool rundirectory_clock(char *const *environment, struct kymo_clock_pair *pair_out);

#endif
