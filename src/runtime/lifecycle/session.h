/* The life of the runtime in one process: opening, forking, closing. */
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
	bool is_rank;	    /* of a job, as others that made it */
	bool is_finisher;   /* it writes the run's outputs: the root, or what it became by exec */
	bool is_forked;	    /* began in a forked child */
	bool is_restricted; /* by the program: system calls may end it */
	bool hides_user;    /* what the program annotates is not recorded */
	bool is_resident;   /* whoever opened it ends it; others only tell the exit status */
	pid_t pid;	    /* the process whose recording this is */
	char *const *environment; /* NULL = the program's own */
	char directory[4096];
	char recording[4096]; /* the final path */
	char working[4096];   /* where it is now: hidden at first, or below RECORD_PATH */
	char program[256];    /* base of the recording's name */
	struct settings *settings;
};

/* Child of a fork in which nothing was recorded yet: made whole by session_ensure(). */
#define SESSION_FORKED 100

extern struct session session;

/* What says how this process is recorded. */
char *const *session_environment(void);

/* True when events can be recorded, after repairing a fork.  Context: thread. */
bool session_ensure(void);

/* Close the recording; the finisher writes the run's outputs.  exit_status -1 = unknown. */
void session_end(int exit_status);

/* Create the recording's file (name, free for this pid) and its header.  0 or errno. */
int session_record(void);

/* rundir.c: make or join the run directory; 0, or -1 with the reason. */
int rundir_open(const char *const *argv, char *reason, size_t size);
/* Id of the parent; where that has ended, of the recorded process that was above it. */
pid_t rundir_parent(void);
/* Let the programs that this process starts join, and know it as their parent. */
void rundir_export(void);
/* Begin the recording's clock pairs with the run's first one. */
void rundir_first_pair(void);

/* forking.c */
bool forking_resume(void);

/* metricread.c: metrics of the nodes from the setting; the number of blocks. */
uint32_t metrics_select(const char *components, uint32_t *metrics, char *unknown, size_t size);

/* describe.c: the notes every recording begins with. */
void describe_process(const char *const *argv);

/* finishing.c: run `kymo finish` on the run directory and wait for it. */
void finishing_run(void);
/* Leave that to a process of its own, started now, which waits for this one's end: nothing more
 * is to be done here.  Where it cannot be started, and nothing is to be finished: nothing. */
void finishing_outside(void);
/* Start a process that waits for this one's end, and does what this one then has not done. */
void finishing_watch(void);

/* fiber.c, note.c: forget what belongs to the recording before a fork. */
void fibers_forget(void);
void series_restore(void);

#endif
