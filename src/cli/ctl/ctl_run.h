/* A run that may still be running, to be controlled through its recordings, and which of its
 * processes live.  The processes themselves are not queried. */
#ifndef KYMO_CTL_RUN_H
#define KYMO_CTL_RUN_H

#include "model/recording/run.h"

enum ctl_state {
	CTL_RECORDING,
	CTL_STOPPED,
	CTL_ENDED,
	CTL_KILLED,    /* exited without closing the recording */
	CTL_REPLACED,  /* by exec(): another recording continues */
	CTL_ELSEWHERE, /* on another machine: unknown whether it lives */
};

struct ctl_process {
	const struct recording *recording;
	enum ctl_state state;
};

struct ctl_run {
	struct run *run;
	char *directory; /* of the run; NULL where one recording was named */
	struct ctl_process *processes;
	size_t count;
	size_t living_count;
};

/* path as for run_open(). */
enum kymo_status ctl_run_open(const char *path, struct ctl_run *out, struct problem *problem);
void ctl_run_release(struct ctl_run *run);

static inline bool ctl_is_living(const struct ctl_process *process)
{
	return process->state == CTL_RECORDING || process->state == CTL_STOPPED;
}

/* As run_open(), but fails with one line when no process lives on this machine. */
enum kymo_status ctl_run_open_living(const char *path, struct ctl_run *out,
				     struct problem *problem);

/* Make ticks_now() read the clock of a recording: on one machine it is the same in all of its
 * processes. */
void ctl_clock_select(uint32_t kind);

#endif
