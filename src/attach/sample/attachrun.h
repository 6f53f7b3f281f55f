/* A run from outside: one process, and on request its children, sampled at a rate until the time is
 * up, they have ended, or the user stops it. */
#ifndef KYMO_ATTACHRUN_H
#define KYMO_ATTACHRUN_H

#include <signal.h>

#include "attach/sample/recorder.h"

struct attachrun_options {
	pid_t pid;
	double rate;	   /* observations per second */
	double duration_s; /* 0 = to the end */
	bool has_jitter;   /* at random intervals */
	bool has_children;
	struct watch_options watch;
	const struct settings *settings;
	/* Called once the process can be watched: creates the run's directory. */
	enum kymo_status (*place)(void *context, const struct target *target, char *directory,
				  size_t size, struct problem *problem);
	void (*report)(void *context, const char *line); /* print a line for the user */
	void *context;
	const volatile sig_atomic_t *must_stop;
};

struct attachrun_result {
	uint64_t observations, missed; /* taken; skipped for lack of time */
	uint64_t samples, lost;
	double seconds, cpu_s; /* of the run; of Kymo itself */
	double rate;	       /* that was achieved */
	size_t processes;
	bool has_ended; /* all processes ended by themselves */
	char directory[PATH_MAX];
};

enum kymo_status attachrun(const struct attachrun_options *options, struct attachrun_result *result,
			   struct problem *problem);

#endif
