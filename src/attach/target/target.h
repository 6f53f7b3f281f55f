/* The target process: does it exist, may it be read, is it still the same?
 *
 * Every refusal is one line that names the remedy.  The caller owns the struct.  One
 * thread; no malloc. */
#ifndef KYMO_TARGET_H
#define KYMO_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

#define TARGET_NAME_MAX 64u

struct target {
	pid_t pid, parent;
	int handle;	      /* pidfd: readable when the process has ended; -1 = not available */
	uint64_t start_ticks; /* when it began, in the kernel's clock ticks: distinguishes processes
			       * with the same pid */
	double age_s;	      /* at target_open() */
	bool has_own_pids;    /* it is in another pid namespace */
	char name[TARGET_NAME_MAX]; /* of its program or script, as recordings are named */
};

/* KYMO_OK, or the reason why it cannot be watched. */
enum kymo_status target_open(pid_t pid, struct target *target, struct problem *problem);
void target_close(struct target *target);

/* It has not ended; a zombie has. */
bool target_is_alive(const struct target *target);

/* One of its threads has ended, or is in the system call that ends it: it runs no code any more. */
bool target_is_ending(pid_t pid, pid_t thread);

/* The process that traces it by ptrace; 0 = none. */
pid_t target_tracer(const struct target *target);

/* Explain why memory could not be read: error is an errno value. */
enum kymo_status target_explain(const struct target *target, int error, struct problem *problem);

#endif
