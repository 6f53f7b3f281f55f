/* The life cycle of the runtime in one process: opening, forking, closing. */
#ifndef KYMO_SESSION_H
#define KYMO_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct settings;
struct kymo_thread;

struct session {
	int state;	    /* enum kymo_runtime_state, or SESSION_FORKED */
	unsigned mode;	    /* KYMO_MODE_* */
	bool is_root;	    /* this process made the run directory */
	bool is_rank;	    /* of a job that made the run together */
	bool is_finisher;   /* it writes the run's outputs: the root, or its program after exec */
	bool is_forked;	    /* began in a forked child */
	bool is_restricted; /* by the program: a system call may end it */
	bool hides_user;    /* the program's annotations are not recorded */
	bool is_resident;   /* whoever opened it ends it; others only report the exit status */
	pid_t pid;	    /* the process whose recording this is */
	char *const *environment; /* NULL = the program's own */
	char directory[4096];
	char recording[4096]; /* the final path */
	char working[4096];   /* where it is now: hidden at first, or in RECORD_PATH */
	char program[256];    /* base of the recording's name */
	struct settings *settings;
};

/* Child of a fork in which nothing was recorded yet: session_ensure() makes its recording. */
#define SESSION_FORKED 100

extern struct session session;

/* The environment with the settings of this process's recording. */
char *const *session_environment(void);

/* True when events can be recorded, after repairing a fork.  Context: thread. */
bool session_ensure(void);

/* Close the recording; the finisher writes the run's outputs.  exit_status -1 = unknown. */
void session_end(int exit_status);

/* Create the recording's file (name, free for this pid) and its header.  0 or errno. */
int session_record(void);

#endif
